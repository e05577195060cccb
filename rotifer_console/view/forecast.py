"""A forecast for people: what a write would evict, in order, or why it would fail (QUO-4, QUO-5)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from rotifer_console.view import entries
from rotifer_console.view.columns import Column
from rotifer_console.view.sizes import format_apart, format_part, format_size, size_cell
from rotifer_store import Forecast, MemoryCategory
from rotifer_store.tables import MAX_KEY_BYTES, MAX_VALUE_BYTES

COLUMNS: Final = (
    Column("Key"),
    Column("Category", style="cyan"),
    Column("Size", right=True),
    Column("Freed so far", right=True),
    Column("Creator"),
    Column("Updated"),
)


def freed_bytes(forecast: Forecast) -> list[int]:
    """How much room there is once each of the evicted entries has gone, one after another."""
    return list(accumulate(entry.size_bytes for entry in forecast.evicted))


def cells(forecast: Forecast, creators: Mapping[str, str], now_us: int, *, exact: bool) -> list[list[str]]:
    """A row for each entry that would go, in order; `exact` as a pipe wants them."""
    of_entry = entries.plain_cells if exact else entries.table_cells
    rows = []
    for entry, freed in zip(forecast.evicted, freed_bytes(forecast), strict=True):
        key, category, size, creator, updated, _ = of_entry(entry, creators, now_us)
        rows.append([key, category, size, str(freed) if exact else size_cell(freed), creator, updated])
    return rows


def to_json(forecast: Forecast, creators: Mapping[str, str]) -> dict[str, object]:
    """The forecast's members; what would be evicted as `memory list` has entries (CLI-1)."""
    evicted = [entries.to_json(entry, creators) for entry in forecast.evicted]
    return {**forecast.to_json(), "evicted": evicted}


def describe(forecast: Forecast) -> str:
    """What it comes to: `a write of 512 KB would evict 14 entries, 600 KB`, or why it would fail."""
    incoming, quota_bytes = format_size(forecast.incoming_bytes), forecast.quota_bytes
    if not forecast.fits:
        if forecast.incoming_bytes > quota_bytes:
            asked, quota = format_apart(forecast.incoming_bytes, quota_bytes)
            return f"the write would fail: {asked} is more than the quota, {quota}"
        held = format_part(forecast.protected_bytes, quota_bytes)
        asked, left = format_apart(forecast.incoming_bytes, max(0, quota_bytes - forecast.protected_bytes))
        return f"the write would fail: {MemoryCategory.PREFERENCE} holds {held} and leaves {left} for {asked}"
    used = f"{format_part(forecast.used_bytes_after, quota_bytes)} used afterwards"
    if not forecast.evicted:
        return f"a write of {incoming} fits, nothing is evicted; {used}"
    freed = format_size(entries.total_bytes(forecast.evicted))
    return f"a write of {incoming} would evict {entries.count(len(forecast.evicted))}, {freed}; {used}"


def is_several_writes(forecast: Forecast) -> bool:
    """Whether what fits is more than one write can be (INP-1, INP-2): several come to the same."""
    return forecast.fits and forecast.incoming_bytes > MAX_KEY_BYTES + MAX_VALUE_BYTES
