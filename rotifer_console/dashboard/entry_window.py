"""The part of a long listing that has been read, and what a refresh does to the place in it (TUI-6, TUI-10).

Pure. The store gives a page; the list shows it as if all entries were there. The cursor, the marks and the
scroll stay with entries, never with rows: a refresh moves the rows and the cursor goes along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rotifer_store import EntryInfo

WINDOW_ROWS = 400
_REACH_ROWS = 120


class Window(NamedTuple):
    """Rows `offset` to `offset + len(rows)` of `total`."""

    offset: int = 0
    rows: tuple[EntryInfo, ...] = ()
    total: int = 0

    def at(self, place: int) -> EntryInfo | None:
        """The entry at a place, None where it has not been read."""
        index = place - self.offset
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def place_of(self, entry_id: str | None) -> int | None:
        """Where an entry stands, None where it is not among the rows."""
        for index, entry in enumerate(self.rows):
            if entry.entry_id == entry_id:
                return self.offset + index
        return None

    def covers(self, first: int, last: int) -> bool:
        """Whether everything from `first` to before `last` that exists has been read."""
        return self.offset <= max(0, first) and min(last, self.total) <= self.offset + len(self.rows)


class Place(NamedTuple):
    """Where the cursor is: a row, and the entry that it stands on once that has been read."""

    row: int = 0
    entry_id: str | None = None
    key: str | None = None


def offset_around(row: int) -> int:
    """Where a window begins that has `row` well inside."""
    return max(0, row - WINDOW_ROWS // 2)


def wants_reading(window: Window, top: int, height: int) -> int | None:
    """The offset to read from next, where what is in sight or near it has not been read; else None."""
    first, last = max(0, top - _REACH_ROWS), min(window.total, top + height + _REACH_ROWS)
    return None if window.covers(first, last) else offset_around(top + height // 2)


def moved(window: Window, row: int) -> Place:
    """The cursor at a row, kept inside the listing."""
    row = max(0, min(row, window.total - 1))
    entry = window.at(row)
    return Place(row, entry.entry_id, entry.key) if entry is not None else Place(row)


def settled(place: Place, window: Window, found_at: int | None) -> Place:
    """The cursor after a refresh: on its entry wherever that now stands, else on its row's new entry.

    Args:
        place: the cursor before.
        window: what was read.
        found_at: the row at which the store says the cursor's entry stands; None where it is gone.
    """
    at = window.place_of(place.entry_id)
    if at is None:
        at = found_at
    if place.entry_id is not None and at is not None:
        return Place(at, place.entry_id, place.key)
    return moved(window, place.row)


def marked_in_sight(marks: Mapping[str, EntryInfo], window: Window) -> int:
    """How many of the marked entries are among the rows that were read."""
    return sum(entry.entry_id in marks for entry in window.rows)
