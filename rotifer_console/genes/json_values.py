"""JSON values compared as JSON has them: numbers by size, and no number is a truth value. Pure."""

from __future__ import annotations

from typing import Any


def is_number(value: Any) -> bool:
    """Whether it is a number, which `true` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same to every reader of JSON: 1 and 1.0 are, 1 and true are not."""
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += [(one[name], other[name]) for name in one]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif isinstance(one, bool) or isinstance(other, bool):
            if one is not other:
                return False
        elif one != other:
            return False
    return True
