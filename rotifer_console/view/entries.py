"""Entries for people: columns, cells, and the JSON that `memory list` prints (AGT-3, CLI-1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rotifer_console.view import instants
from rotifer_console.view.columns import Column, short_id
from rotifer_console.view.sizes import format_size
from rotifer_store import EntryInfo, GeneSeen

COLUMNS: Final = (
    Column("Key"),
    Column("Category", style="cyan"),
    Column("Size", right=True),
    Column("Creator"),
    Column("Updated"),
    Column("Expires"),
)


def creator_names(genes: Iterable[GeneSeen]) -> dict[str, str]:
    """The names of the genes that acted, by v2 id, those long gone too (AGT-10)."""
    return {gene.gene_id: gene.name for gene in genes if gene.name is not None}


def plain_cells(entry: EntryInfo, creators: Mapping[str, str], now_us: int) -> list[str]:
    """Exact cells: the size in bytes, whole ids, instants to the microsecond."""
    return [
        entry.key,
        entry.category,
        str(entry.size_bytes),
        creators.get(entry.created_by, entry.created_by),
        instants.exact(entry.updated_at),
        instants.expiry(entry.expires_at, entry.expires_at_us, now_us),
    ]


def table_cells(entry: EntryInfo, creators: Mapping[str, str], now_us: int) -> list[str]:
    """Cells for a table at a terminal: rounded, shortened, with the time that is left."""
    return [
        entry.key,
        entry.category,
        format_size(entry.size_bytes),
        creators.get(entry.created_by) or short_id(entry.created_by),
        instants.to_the_second(entry.updated_at),
        instants.countdown(entry.expires_at_us, now_us),
    ]


def to_json(entry: EntryInfo, creators: Mapping[str, str]) -> dict[str, object]:
    """The page's members without `value`, and `sizeBytes, expiresAt, expiresAtUs, creatorName` (CLI-1)."""
    return {**entry.to_json(), "creatorName": creators.get(entry.created_by)}


def count(entries: int) -> str:
    """`0 entries`, `1 entry`, `2 entries`."""
    return f"{entries} {'entry' if entries == 1 else 'entries'}"
