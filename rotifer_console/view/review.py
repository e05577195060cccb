"""Entries worth a look, for people: a row for each reason (the review judges nothing)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rotifer_console.view import entries
from rotifer_console.view.columns import Column, short_id
from rotifer_store import ReviewKind, Suspicion

COLUMNS: Final = (
    Column("Key"),
    Column("Category", style="cyan"),
    Column("Creator"),
    Column("Found", style="yellow"),
    Column("What and where"),
)


def cells(suspicion: Suspicion, creators: Mapping[str, str], *, exact: bool) -> list[list[str]]:
    """A row for each reason; `exact` as a pipe wants them: whole ids."""
    entry = suspicion.entry
    creator = creators.get(entry.created_by) or (entry.created_by if exact else short_id(entry.created_by))
    return [
        [entry.key, entry.category, creator, kind_in_words(reason.kind), reason.detail]
        for reason in suspicion.reasons
    ]


def kind_in_words(kind: ReviewKind) -> str:
    """`hidden characters`."""
    return kind.replace("_", " ")


def to_json(suspicion: Suspicion, creators: Mapping[str, str]) -> dict[str, object]:
    """`{entry, reasons}`; the entry as `memory list` has it (CLI-1)."""
    return {**suspicion.to_json(), "entry": entries.to_json(suspicion.entry, creators)}


def describe(suspicions: Sequence[Suspicion], reviewed: int) -> str:
    """A sentence of them all: `3 of 214 entries are worth a look`."""
    if not suspicions:
        return f"nothing was found in {entries.count(reviewed)}"
    found = len(suspicions)
    return f"{found} of {entries.count(reviewed)} {'is' if found == 1 else 'are'} worth a look"
