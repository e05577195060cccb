"""`docs/doors.md`: which case went through which door, as the last run of all of them found it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from conformance.case_file import RawCase

PAGE: Final = Path(__file__).parents[2] / "docs" / "doors.md"
HEAD: Final = """\
# Cases and doors

Each case is data: calls, and what must come of them. Every way into an agent's memory must pass each case
that it can carry: a program through the library, genes in Python and TypeScript in processes of their own,
modules through the functions that they import; and the command line, for cases in which the deployer acts. A
dot is a case that passed.

A run of all of them writes this page, and only if all passed:
`pytest tests/conformance/test_memory_cases.py --update-doors`.
"""
PASSED, NOT_CARRIED = "•", ""


def render(cases: Sequence[RawCase], passed: Mapping[str, set[str]], doors: Sequence[str]) -> str:
    """The page: a table for each file of cases; `passed` holds the doors of each case."""
    return HEAD + "".join(
        f"\n## {file_name.removesuffix('.json')}\n\n" + "".join(_table(list(group), passed, doors))
        for file_name, group in groupby(cases, key=lambda raw: raw.file_name)
    )


def _table(cases: Sequence[RawCase], passed: Mapping[str, set[str]], doors: Sequence[str]) -> Iterator[str]:
    yield _row(["case", *doors])
    yield _row(["---", *[":-:"] * len(doors)])
    for raw in cases:
        dots = [PASSED if door in passed[raw.case_id] else NOT_CARRIED for door in doors]
        yield _row([raw.case_id, *dots])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"
