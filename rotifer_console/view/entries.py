"""Entries for people: columns, cells, and the JSON that `memory list` prints (AGT-3, CLI-1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rotifer_console.view import instants
from rotifer_console.view.columns import Column, short_id
from rotifer_console.view.sizes import format_size, size_cell
from rotifer_store import EntryInfo, GeneSeen, RetentionPolicy

COLUMNS: Final = (
    Column("Key"),
    Column("Category", style="cyan"),
    Column("Size", right=True),
    Column("Creator"),
    Column("Updated"),
    Column("Expires"),
)

EFFECT_COLUMNS: Final = (Column("Effect"), *COLUMNS)
"""For entries that a change of policy concerns: what becomes of each stands first."""

ORDERS: Final = ("updated", "key", "category", "size", "expires", "creator")
"""What a listing can be sorted by, as the library sorts; `updated` is the order in which entries come."""

LARGEST_FIRST: Final = ("updated", "category", "size")
"""The orders that people read from their end: the newest, the last to be evicted, the largest first."""


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
        size_cell(entry.size_bytes),
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


def expiring_within(entries: Iterable[EntryInfo], span_us: int, now_us: int) -> list[EntryInfo]:
    """The entries that will have expired when that time has passed."""
    until_us = now_us + span_us
    return [entry for entry in entries if entry.expires_at_us is not None and entry.expires_at_us <= until_us]


def total_bytes(entries: Iterable[EntryInfo]) -> int:
    """What the entries take together, as the quota counts (QUO-1)."""
    return sum(entry.size_bytes for entry in entries)


def detail_cells(
    entry: EntryInfo, creators: Mapping[str, str], now_us: int, *, exact: bool
) -> list[list[str]]:
    """Every member of one entry but the value, a name and a cell each; `exact` as a pipe wants them."""
    key, category, size, creator, updated, expires = (
        plain_cells(entry, creators, now_us) if exact else table_cells(entry, creators, now_us)
    )
    policy = entry.access_policy
    return [
        ["Key", key],
        ["Category", category],
        ["Size", size if exact else format_size(entry.size_bytes)],
        ["Creator", creator],
        ["Creator ID", entry.created_by],
        ["Creator's domain", entry.created_domain],
        ["Last accessed by", creators.get(entry.last_accessed_by, entry.last_accessed_by)],
        ["Created", instants.exact(entry.created_at) if exact else instants.to_the_second(entry.created_at)],
        ["Updated", updated],
        ["Expires", expires],
        ["Readable by", policy.read_scope],
        ["Writable by", policy.write_scope],
        ["Sharing", policy.share_policy],
        ["Own retention", describe_retention(entry.retention_policy)],
        ["Entry ID", entry.entry_id],
    ]


def describe_retention(policy: RetentionPolicy | None) -> str:
    """A retention or data policy in words: `7 days`, `no limit, anonymization`; None is the agent's."""
    if policy is None:
        return "none: the agent's counts"
    days = policy.max_retention_days
    words = ["no limit" if days is None else f"{days} {'day' if days == 1 else 'days'}"]
    if policy.anonymization_supported:
        words.append("anonymization")
    if policy.auto_delete_on_termination:
        words.append("auto-delete on termination")
    return ", ".join(words)
