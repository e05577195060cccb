"""How much room a write needs and which entries make it (QUO). Pure; counters are values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rotifer_store.model import Counters, Head, Held, Leaving, counters_of
from rotifer_store.tables import EVICTABLE_STORED


def shortfall_bytes(size_bytes: int, existing: Held | None, head: Head) -> int:
    """The bytes that are missing for an entry of that size; 0 where it fits.

    A rewrite releases its old size first, and one that does not grow always fits (QUO-3).
    """
    released_bytes = existing.size_bytes if existing is not None else 0
    if existing is not None and size_bytes <= released_bytes:
        return 0
    return max(0, head.counters.used_bytes - released_bytes + size_bytes - head.quota_bytes)


def can_make_room(needed_bytes: int, existing: Held | None, head: Head) -> bool:
    """Whether evicting everything that may go would do: the entry being rewritten may not (QUO-3, QUO-5)."""
    evictable_bytes = head.counters.evictable_bytes
    if existing is not None and existing.category_stored in EVICTABLE_STORED:
        evictable_bytes -= existing.size_bytes
    return evictable_bytes >= needed_bytes


def victims(candidates: Iterable[Leaving], needed_bytes: int, spared: Held | None) -> list[Leaving]:
    """The entries to evict, no more than needed.

    Args:
        candidates: evictable entries in eviction order (QUO-4); only as many as needed are taken.
        needed_bytes: what must be freed, more than 0.
        spared: the entry being rewritten, which is never evicted for its own write.
    """
    evicted: list[Leaving] = []
    for entry in candidates:
        if spared is not None and entry.ref == spared.ref:
            continue
        evicted.append(entry)
        needed_bytes -= entry.size_bytes
        if needed_bytes <= 0:
            break
    return evicted


def room_for(
    size_bytes: int, existing: Held | None, candidates: Iterable[Leaving], head: Head
) -> Sequence[Leaving] | None:
    """What is evicted for an entry of that size, in order; None where no room can be made (QUO-4, QUO-5).

    A write and its forecast both ask here. `candidates` are read only where room is needed.
    """
    needed_bytes = shortfall_bytes(size_bytes, existing, head)
    if needed_bytes <= 0:
        return ()
    if not can_make_room(needed_bytes, existing, head):
        return None
    return victims(candidates, needed_bytes, existing)


def counters_after(
    counters: Counters, removed: Iterable[Held | Leaving], added: Iterable[tuple[int, int]] = ()
) -> Counters:
    """The counters once entries are gone and others (stored category, size in bytes) have come."""
    numbers = list(counters)
    for entry in removed:
        at = 2 * entry.category_stored
        numbers[at] -= 1
        numbers[at + 1] -= entry.size_bytes
    for category_stored, size_bytes in added:
        at = 2 * category_stored
        numbers[at] += 1
        numbers[at + 1] += size_bytes
    return counters_of(numbers)
