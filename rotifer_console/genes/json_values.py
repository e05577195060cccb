"""JSON values compared as JSON has them: numbers by size, and no number is a truth value. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MISSING: Final = object()
_LONGEST_SHOWN: Final = 80


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """Where two values first differ, and what each has there; nothing where it has no such member."""

    path: str
    expected: Any
    actual: Any

    def to_json(self) -> dict[str, object]:
        """`{path, expected, actual}`; a side that has nothing there is left out."""
        sides = {"expected": self.expected, "actual": self.actual}
        return {"path": self.path} | {name: side for name, side in sides.items() if side is not _MISSING}

    def __str__(self) -> str:
        """A sentence's worth, bounded: `at $.text: expected "a", actual "b"`."""
        return f"at {_cut(self.path)}: expected {_shown(self.expected)}, actual {_shown(self.actual)}"


def is_number(value: Any) -> bool:
    """Whether it is a number, which `true` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same to every reader of JSON: 1 and 1.0 are, 1 and true are not."""
    return first_difference(one, other) is None


def first_difference(expected: Any, actual: Any) -> Difference | None:
    """Where two values first differ, in the order of what is expected; None where they are the same."""
    pairs: list[tuple[_Steps, Any, Any]] = [(None, expected, actual)]
    while pairs:
        steps, one, other = pairs.pop()
        members = _members(one, other)
        if members is not None:
            pairs += [((steps, step), *sides) for step, sides in reversed(members)]
        elif isinstance(one, bool) or isinstance(other, bool):
            if one is not other:
                return Difference(_path(steps), one, other)
        elif one != other:
            return Difference(_path(steps), one, other)
    return None


_Steps = tuple[Any, str | int] | None
"""The way to a value, its last step first; None is the whole."""


def _members(one: Any, other: Any) -> list[tuple[str | int, tuple[Any, Any]]] | None:
    """What two objects or two lists have under each name or number; None for anything else."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = [*one, *(name for name in other if name not in one)]
        return [(name, (one.get(name, _MISSING), other.get(name, _MISSING))) for name in names]
    if isinstance(one, list) and isinstance(other, list):
        sides = zip_longest(one, other, fillvalue=_MISSING)
        return list(enumerate(sides))
    return None


def _path(steps: _Steps) -> str:
    words: list[str] = []
    while steps is not None:
        steps, step = steps
        is_plain = isinstance(step, str) and _PLAIN_NAME.fullmatch(step)
        words.append(f".{step}" if is_plain else f"[{json.dumps(step)}]")
    return "$" + "".join(reversed(words))


def _shown(side: Any) -> str:
    if side is _MISSING:
        return "nothing"
    try:
        return _cut(json.dumps(side, ensure_ascii=False))
    except RecursionError:
        return "what nests too deep to be shown"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
