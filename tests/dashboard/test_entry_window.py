"""Which rows have been read, and where the cursor is after a refresh (TUI-6, TUI-10)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.dashboard.entry_window import (
    WINDOW_ROWS,
    Place,
    Window,
    moved,
    offset_around,
    settled,
    wants_reading,
)
from rotifer_store import AccessPolicy, EntryInfo, MemoryCategory

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def entry(number: int) -> EntryInfo:
    return EntryInfo(
        f"id{number}",
        MemoryCategory.CACHE,
        f"key{number}",
        1,
        "v2:a",
        "d",
        "v2:a",
        NOW,
        NOW,
        AccessPolicy(),
        None,
        None,
        None,
    )


def window(offset: int, numbers: range, total: int) -> Window:
    return Window(offset, tuple(map(entry, numbers)), total)


@given(st.integers(0, 3000), st.integers(1, 60), st.integers(0, 3000))
def test_what_is_in_sight_is_read_at_most_one_step_later(top: int, height: int, total: int) -> None:
    """Whatever the scroll, one reading at the offset that is asked for covers what is in sight."""
    top = min(top, max(0, total - height))
    offset = wants_reading(Window(0, (), total), top, height)
    if offset is None:
        assert total == 0
        return
    read = window(offset, range(offset, min(total, offset + WINDOW_ROWS)), total)
    assert read.covers(top, top + height)


@given(st.integers(0, 100_000))
def test_a_window_around_a_row_has_it_inside(row: int) -> None:
    """Also at the beginning."""
    assert offset_around(row) <= row < offset_around(row) + WINDOW_ROWS


@pytest.mark.parametrize(
    ("place", "after", "found_at", "expected"),
    [
        (Place(2, "id2", "key2"), window(0, range(10), 10), None, Place(2, "id2", "key2")),
        (Place(2, "id2", "key2"), window(0, range(-3, 7), 10), None, Place(5, "id2", "key2")),
        (Place(2, "id2", "key2"), window(0, range(20, 30), 500), 300, Place(300, "id2", "key2")),
        (Place(2, "id2", "key2"), window(0, range(20, 30), 10), None, Place(2, "id22", "key22")),
        (Place(9, "id2", "key2"), window(0, range(20, 23), 3), None, Place(2, "id22", "key22")),
        (Place(0, None, None), window(0, range(3), 3), None, Place(0, "id0", "key0")),
    ],
    ids=["stays", "moved down", "beyond what was read", "gone", "gone at the end", "never read"],
)
def test_the_cursor_stays_with_its_entry_and_else_with_its_row(
    place: Place, after: Window, found_at: int | None, expected: Place
) -> None:
    """TUI-6."""
    assert settled(place, after, found_at) == expected


def test_a_cursor_moves_only_within_the_listing() -> None:
    """Before the first and after the last is the first and the last."""
    listing = window(0, range(5), 5)
    assert moved(listing, -7).row == 0
    assert moved(listing, 99) == Place(4, "id4", "key4")
    assert moved(Window(), 3).row == 0
