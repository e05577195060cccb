"""A key's life as sentences, told from the audit log and from nothing else (REC-1).

A log line may hold anything: what is missing is left unsaid, and what no program of ours writes is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rotifer_console.view import instants
from rotifer_console.view.columns import Column, short_id
from rotifer_console.view.sizes import format_size
from rotifer_store import AuditRecord, LifeEvent
from rotifer_store.tables import Actor, AuditAction

COLUMNS: Final = (Column("Time"), Column("Seq", right=True), Column("What happened"))

_UNKNOWN: Final = "-"


def cells(event: LifeEvent, genes: Mapping[str, str], *, exact: bool) -> list[str]:
    """Time, seq and sentence; `exact` as a pipe wants them: the time in full, ids and sizes too."""
    record = event.record
    return [
        time_of(record, exact=exact),
        _UNKNOWN if record.seq is None else str(record.seq),
        sentence(event, genes, exact=exact),
    ]


def to_json(event: LifeEvent, genes: Mapping[str, str]) -> dict[str, object]:
    """`{at, sentence, geneName, madeRoomFor, record}`."""
    record = event.record
    return {
        "at": record.ts,
        "sentence": sentence(event, genes, exact=True),
        "geneName": None if record.gene_id is None else genes.get(record.gene_id),
        **event.to_json(),
    }


def time_of(record: AuditRecord, *, exact: bool) -> str:
    """When it was; a time of another form as it stands."""
    if record.ts is None:
        return _UNKNOWN
    return record.ts if exact else instants.cut_to_the_second(record.ts) or record.ts


def sentence(event: LifeEvent, genes: Mapping[str, str], *, exact: bool = False) -> str:
    """What happened: `evicted to make room for api/spec, which indent wrote`.

    Args:
        event: one event of the key's life.
        genes: names of genes by their v2 ids.
        exact: whole ids, and sizes in bytes.
    """
    record = event.record
    told = _SENTENCES.get(record.action or "")
    if told is None:
        return f"{record.action or 'something'}, which this program does not know"
    return told(event, _Words(record, genes, exact=exact))


class _Words:
    """The parts of a record as words; a class because each sentence takes others of them."""

    def __init__(self, record: AuditRecord, genes: Mapping[str, str], *, exact: bool) -> None:
        gene_id = record.gene_id
        named = None if gene_id is None else genes.get(gene_id) or (gene_id if exact else short_id(gene_id))
        self.gene = named or "a gene without a v2 id"
        self.who = "the deployer" if record.actor == Actor.DEPLOYER else self.gene
        size_bytes = record.bytes
        if size_bytes is None or size_bytes < 0:
            self.size = ""
        else:
            self.size = f", {size_bytes} {'byte' if size_bytes == 1 else 'bytes'}"
            if not exact and size_bytes >= 1024:
                self.size = f", {format_size(size_bytes)}"
        self.operation = record.operation or "call"
        self.category = "" if record.category is None else f" as {record.category}"
        if record.old_category is not None:
            self.category = f"{self.category}, which had been {record.old_category}"
        self.reason = "" if record.reason is None else f": {record.reason}"
        self.code = "" if record.code is None else f" ({record.code})"


def _evicted(event: LifeEvent, words: _Words) -> str:
    if event.made_room_for is None:
        return f"evicted to make room for a write by {words.gene}"
    return f"evicted to make room for {event.made_room_for}, which {words.gene} wrote"


_SENTENCES: Final[Mapping[str, Callable[[LifeEvent, _Words], str]]] = {
    AuditAction.MEMORY_WRITE: lambda _, words: f"written by {words.who}{words.category}{words.size}",
    AuditAction.MEMORY_UPDATE: lambda _, words: f"rewritten by {words.who}{words.category}{words.size}",
    AuditAction.MEMORY_DELETE: lambda _, words: f"deleted by {words.who}",
    AuditAction.MEMORY_EVICT: _evicted,
    AuditAction.MEMORY_EXPIRE: lambda _, words: f"expired, and went at the next {words.operation}",
    AuditAction.MEMORY_IMPORT: lambda _, words: (
        f"imported by {words.who}{words.category}{words.size}{words.reason}"
    ),
    AuditAction.MEMORY_QUOTA_REFUSED: lambda _, words: (
        f"{words.operation} by {words.who} refused for want of room{words.size}{words.code}"
    ),
    AuditAction.MEMORY_ACCESS_DENIED: lambda _, words: (
        f"{words.operation} by {words.who} refused{words.reason}{words.code}"
    ),
}
"""What each action that concerns a key is told as."""
