"""What a gene may do, for people: a row for each entry, or each call under one key (ACC)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rotifer_console.view.columns import Column
from rotifer_console.view.entries import count
from rotifer_store import AccessVerdict, Decision

COLUMNS: Final = (
    Column("Key"),
    Column("Category", style="cyan"),
    Column("Read"),
    Column("Write"),
    Column("Delete"),
    Column("Why"),
)
CALL_COLUMNS: Final = (Column("Call", style="cyan"), Column("Allowed"), Column("Rule"), Column("Why"))

_NO_ENTRY: Final = "-"


def cells(verdict: AccessVerdict) -> list[str]:
    """One row: yes or no for each call with the rule that decides, and the reasons, each once."""
    decided = decisions(verdict)
    return [
        verdict.key,
        _NO_ENTRY if verdict.category is None else verdict.category,
        *[f"{yes_or_no(decision)} ({decision.rule})" for decision in decided.values()],
        "; ".join(dict.fromkeys(decision.reason for decision in decided.values())),
    ]


def call_cells(verdict: AccessVerdict) -> list[list[str]]:
    """A row for each call: whether it is allowed, by which rule, and why."""
    return [
        [call, yes_or_no(decision), decision.rule, decision.reason]
        for call, decision in decisions(verdict).items()
    ]


def decisions(verdict: AccessVerdict) -> dict[str, Decision]:
    """The decisions by their calls: read, write, delete."""
    return {"read": verdict.read, "write": verdict.write, "delete": verdict.delete}


def describe(verdicts: Sequence[AccessVerdict], gene: str) -> str:
    """A sentence of them all: `lint may read 3 of 4 entries, write 1, delete 1`."""
    read, write, delete = (
        sum(decisions(verdict)[call].allowed for verdict in verdicts) for call in ("read", "write", "delete")
    )
    return f"{gene} may read {read} of {count(len(verdicts))}, write {write}, delete {delete}"


def yes_or_no(decision: Decision) -> str:
    """Whether it is allowed, in a word."""
    return "yes" if decision.allowed else "no"
