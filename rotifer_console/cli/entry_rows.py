"""Entries printed for people, the same way by every command that lists some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rotifer_console.cli import output, terminal
from rotifer_console.view import entries as view
from rotifer_store import EntryInfo, SystemClock


def write(entries: Sequence[EntryInfo], creators: Mapping[str, str], mode: terminal.Mode) -> None:
    """Writes the entries, a row each."""
    now_us = SystemClock().now_us()
    cells = view.table_cells if output.is_table(mode) else view.plain_cells
    output.write_rows(view.COLUMNS, [cells(entry, creators, now_us) for entry in entries], mode)
