"""Room: what is missing, whether it can be made, and from which entries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rotifer_store.model import Counters, Leaving
from rotifer_store.quota import can_make_room, counters_after, room_for, shortfall_bytes, victims
from rotifer_store.tables import CATEGORIES, CategoryRow
from unit.samples import head, held, leaving


@pytest.mark.parametrize(
    ("used_bytes", "old_bytes", "new_bytes", "missing_bytes"),
    [
        (0, None, 100, 0),
        (0, None, 101, 1),
        (99, None, 1, 0),
        (100, None, 1, 1),
        (100, None, 1024, 1024),
        # a rewrite releases its old size first
        (100, 10, 10, 0),
        (100, 10, 9, 0),
        (100, 10, 11, 1),
        (90, 10, 20, 0),
        (90, 10, 21, 1),
        (100, 100, 101, 1),
        # above a lowered quota only what does not grow goes through
        (150, 10, 10, 0),
        (150, 10, 1, 0),
        (150, 10, 11, 51),
        (150, None, 1, 51),
    ],
)
def test_what_is_missing_for_an_entry(
    used_bytes: int, old_bytes: int | None, new_bytes: int, missing_bytes: int
) -> None:
    """QUO-1, QUO-3."""
    existing = None if old_bytes is None else held("k", old_bytes - 1)
    limits = head()._replace(counters=Counters(preference_entries=1, preference_bytes=used_bytes))
    assert shortfall_bytes(new_bytes, existing, limits) == missing_bytes


@pytest.mark.parametrize("row", CATEGORIES, ids=lambda row: row.category)
def test_everything_but_preference_makes_room(row: CategoryRow) -> None:
    """QUO-4, QUO-5: to the byte."""
    entry = held("k", 9, row.category)
    evictable_bytes = 0 if row.category == "PREFERENCE" else 10
    limits = head(entry)
    assert can_make_room(evictable_bytes, None, limits)
    assert not can_make_room(evictable_bytes + 1, None, limits)


@pytest.mark.parametrize("row", CATEGORIES, ids=lambda row: row.category)
def test_the_entry_being_rewritten_makes_no_room(row: CategoryRow) -> None:
    """QUO-3."""
    entry = held("k", 9, row.category)
    limits = head(entry, held("other", 15, "CACHE", ref=2))
    assert can_make_room(20, entry, limits)
    assert not can_make_room(21, entry, limits)


def candidates(*sizes: int) -> Iterator[Leaving]:
    for ref, size_bytes in enumerate(sizes, 1):
        yield leaving(f"{ref}", size_bytes - 1, "CACHE", ref)


@pytest.mark.parametrize(
    ("sizes", "needed_bytes", "spared", "evicted"),
    [
        ((10, 10, 10), 1, None, [1]),
        ((10, 10, 10), 10, None, [1]),
        ((10, 10, 10), 11, None, [1, 2]),
        ((10, 10, 10), 30, None, [1, 2, 3]),
        ((5, 100, 5), 6, None, [1, 2]),
        ((5, 100, 5), 5, None, [1]),
        ((10, 10, 10), 1, 1, [2]),
        ((10, 10, 10), 20, 2, [1, 3]),
        ((10, 10, 10), 10, 3, [1]),
    ],
)
def test_no_more_is_evicted_than_needed(
    sizes: tuple[int, ...], needed_bytes: int, spared: int | None, evicted: list[int]
) -> None:
    """QUO-3, QUO-4: in the given order, the entry being rewritten left alone."""
    rewritten = None if spared is None else held(ref=spared)
    assert [entry.ref for entry in victims(candidates(*sizes), needed_bytes, rewritten)] == evicted


def test_candidates_are_read_only_as_far_as_needed() -> None:
    """QUO-4: a large memory is not loaded for a small write."""
    rest = candidates(10, 10, 10, 10)
    assert len(victims(rest, 15, None)) == 2
    assert [entry.ref for entry in rest] == [3, 4]


@pytest.mark.parametrize(
    ("size_bytes", "existing", "evicted"),
    [
        (40, None, []),
        (41, None, ["a"]),
        (50, None, ["a"]),
        (51, None, ["a", "b"]),
        (60, None, ["a", "b"]),
        (61, None, None),
        (50, "a", []),
        (51, "a", ["b"]),
        (60, "a", ["b"]),
        (61, "a", None),
    ],
)
def test_room_is_made_by_no_more_than_needed_or_not_at_all(
    size_bytes: int, existing: str | None, evicted: list[str] | None
) -> None:
    """QUO-4, QUO-5: what a write does, and what its forecast says."""
    caches = {key: leaving(key, 9, "CACHE", ref) for ref, key in enumerate("ab", 1)}
    wish = leaving("w", 39, "PREFERENCE", 3)
    kept = None if existing is None else held(existing, 9, "CACHE", ref=1)
    room = room_for(size_bytes, kept, caches.values(), head(*caches.values(), wish))
    assert (None if room is None else [entry.key for entry in room]) == evicted


@pytest.mark.parametrize("row", CATEGORIES, ids=lambda row: row.category)
def test_counters_follow_what_goes_and_comes(row: CategoryRow) -> None:
    """QUO-1: each category in its own pair, no other touched."""
    category = str(row.category)
    before = Counters(1, 10, 2, 20, 3, 30, 4, 40)
    entry = held("k", 9, category)
    name = category.lower()
    after = counters_after(before, [entry])
    assert after == before._replace(
        **{
            f"{name}_entries": getattr(before, f"{name}_entries") - 1,
            f"{name}_bytes": getattr(before, f"{name}_bytes") - 10,
        }
    )
    assert counters_after(after, (), [(entry.category_stored, 10)]) == before
    assert counters_after(before, [entry], [(entry.category_stored, 10)]) == before


def test_used_and_evictable_bytes_are_sums_of_the_counters() -> None:
    """QUO-1, QUO-4."""
    counters = Counters(1, 10, 2, 200, 3, 3000, 4, 40000)
    assert counters.used_bytes == 43210
    assert counters.evictable_bytes == 3210
