"""The table, as text for a terminal and as Markdown between the marks of docs/performance.md."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from bench.goals import OPERATIONS, Goal, Measured

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
OPENING, CLOSING = "<!-- measured -->", "<!-- /measured -->"
Row = tuple[Goal, Measured | None]
"""A goal and its numbers; None where a peer is not installed."""

_HEAD = ("goal", "beside", "ours µs", "its µs", "paired", "of medians", "of means", "target", "")


def machine() -> str:
    """What the numbers were taken on, as far as it may be told."""
    return (
        f"{len(os.sched_getaffinity(0))} CPUs, {platform.python_implementation()} "
        f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def cells(row: Row) -> tuple[str, ...]:
    """One line of the table; times are microseconds where no unit stands beside them."""
    goal, measured = row
    target = "" if goal.target is None else f"{'≥' if goal.at_least else '≤'} {goal.target:g}"
    if measured is None:
        return (goal.text, goal.floor, "", "", "", "", "", target, f"skipped: {goal.needs} is not installed")
    if measured.ratio is None:
        ratios: tuple[str, ...] = (f"{measured.gated:.2f}", "", "")
    else:
        ratios = tuple(f"{number:.3g}" for number in measured.ratio)
    verdict = {True: "met", False: "**missed**", None: ""}[goal.is_met(measured)]
    return (goal.text, goal.floor, measured.ours, measured.floor, *ratios, target, verdict)


def line(row: Row) -> str:
    """The same for a terminal."""
    text, _, ours, floors, paired, *_, target, verdict = cells(row)
    return (
        f"{row[0].name:22} {text:42} {ours:>9} / {floors:>9} {paired:>7} {target:>7} "
        f"{verdict.replace('*', '')}"
    )


def table(rows: Sequence[Row], blocks: int) -> str:
    """All of it, with a line that says how it was measured."""
    lines = [
        f"{machine()}; {blocks} blocks of {OPERATIONS} operations (fewer where one takes milliseconds).",
        "",
        f"| {' | '.join(_HEAD)} |",
        "|---|---|--:|--:|--:|--:|--:|--:|---|",
        *(f"| {' | '.join(cells(row))} |" for row in rows),
    ]
    return "\n".join(lines)


def write_page(rows: Sequence[Row], blocks: int) -> None:
    """Puts the table between the page's marks."""
    page = PAGE.read_text()
    before, _, rest = page.partition(OPENING)
    _, mark, after = rest.partition(CLOSING)
    if not mark:
        raise ValueError(f"{PAGE.name} has no {OPENING} … {CLOSING}")
    PAGE.write_text(f"{before}{OPENING}\n{table(rows, blocks)}\n{CLOSING}{after}")
