"""Entries printed for people, the same way by every command that lists some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rotifer_console.cli import output, terminal
from rotifer_console.view import entries as view
from rotifer_store import EntryInfo, SystemClock


def write(entries: Sequence[EntryInfo], creators: Mapping[str, str], mode: terminal.Mode) -> None:
    """Writes the entries, a row each."""
    output.write_rows(view.COLUMNS, _rows(entries, creators, mode), mode)


def write_effects(
    entries_by_effect: Mapping[str, Sequence[EntryInfo]], creators: Mapping[str, str], mode: terminal.Mode
) -> None:
    """Writes the entries that a change concerns, a row each that begins with what becomes of the entry."""
    rows = [
        [effect, *cells]
        for effect, entries in entries_by_effect.items()
        for cells in _rows(entries, creators, mode)
    ]
    output.write_rows(view.EFFECT_COLUMNS, rows, mode)


def _rows(entries: Sequence[EntryInfo], creators: Mapping[str, str], mode: terminal.Mode) -> list[list[str]]:
    now_us = SystemClock().now_us()
    cells = view.table_cells if output.is_table(mode) else view.plain_cells
    return [cells(entry, creators, now_us) for entry in entries]
