"""A gene's test suite, `testsuite.json`: its cases, all checked before any runs (RUN-5)."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rotifer_console.genes.json_values import is_number
from rotifer_console.genes.schemas import schema_problem

SUITE: Final = "testsuite.json"
MOST_ADVANCED_S: Final = 10**10
"""How far the cases may move the clock in all: some three centuries, and no year of five digits."""

_MEMBERS: Final = ("testCases", "config")
_CASE_MEMBERS: Final = ("input", "expectedOutput", "expectedSchema", "timeout", "advanceSeconds")
_LONGEST_TIMEOUT_MS: Final = 86_400_000


class InvalidSuite(ValueError):
    """The file is no suite; says where and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: an input, what is expected of it, and how far the clock moves before it."""

    input: Any
    has_expected_output: bool = False
    expected_output: Any = None
    expected_schema: dict[str, Any] | None = None
    timeout_s: float | None = None
    advance_s: float = 0


def read_suite(folder: Path) -> list[Case] | None:
    """The cases of a gene's suite, in order; None where it has none.

    Raises:
        InvalidSuite: it cannot be read, or is none.
    """
    try:
        mode = (folder / SUITE).lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # what may never end
            raise InvalidSuite("it is no plain file")
        content = (folder / SUITE).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidSuite(f"it cannot be read: {(error.strerror or 'the system failed').lower()}") from None
    try:
        suite = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidSuite("it is not JSON") from None
    return parse_suite(suite)


def parse_suite(suite: Any) -> list[Case]:
    """The cases of a suite.

    Raises:
        InvalidSuite: it is none.
    """
    _require_members("$", suite, _MEMBERS, "testCases")
    cases = suite["testCases"]
    if not isinstance(cases, list) or not cases:
        raise InvalidSuite("$.testCases is not a list with a case in it")
    parsed = [_parsed(f"$.testCases[{number}]", case) for number, case in enumerate(cases)]
    if sum(case.advance_s for case in parsed) > MOST_ADVANCED_S:
        raise InvalidSuite(f"$.testCases advance the clock by more than {MOST_ADVANCED_S} seconds in all")
    return parsed


def _parsed(where: str, case: Any) -> Case:
    _require_members(where, case, _CASE_MEMBERS, "input")
    schema = case.get("expectedSchema")
    if schema is not None:
        problem = schema_problem(schema) if isinstance(schema, dict) else "it is not an object"
        if problem is not None:
            raise InvalidSuite(f"{where}.expectedSchema: {problem}")
    timeout_ms = _number(where, case, "timeout", _LONGEST_TIMEOUT_MS)
    if timeout_ms == 0:
        raise InvalidSuite(f"{where}.timeout is not above 0")
    return Case(
        case["input"],
        "expectedOutput" in case,
        case.get("expectedOutput"),
        schema,
        None if timeout_ms is None else timeout_ms / 1000,
        _number(where, case, "advanceSeconds", MOST_ADVANCED_S) or 0,
    )


def _require_members(where: str, value: Any, known: tuple[str, ...], required: str) -> None:
    if not isinstance(value, dict):
        raise InvalidSuite(f"{where} is not an object")
    unknown = sorted(value.keys() - set(known))
    if unknown:
        raise InvalidSuite(f"{where}.{unknown[0]} is unknown: the members are {', '.join(known)}")
    if required not in value:
        raise InvalidSuite(f"{where} lacks {required}")


def _number(where: str, case: dict[str, Any], name: str, most: int) -> float | None:
    if name not in case:
        return None
    number = case[name]
    if not is_number(number) or not 0 <= number <= most:
        raise InvalidSuite(f"{where}.{name} is not a number from 0 to {most}")
    return float(number)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
