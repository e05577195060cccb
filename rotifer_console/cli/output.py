"""The only writer of stdout: JSON, rows, lines (CLI-1, CLI-3).

Piped, a record is one line of tab-separated cells; at a terminal it is a row of a table. Every cell passes
`safe_text` here, so that no command can forget to (CLI-4). A closed pipe is no error: who reads has enough.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rotifer_console.cli import terminal
from rotifer_console.view.columns import Column
from rotifer_console.view.safe_text import json_text, safe_text


def write_line(text: str) -> None:
    """Writes text of ours, as it is, and a newline."""
    try:
        terminal.write(sys.stdout, f"{text}\n")
    except BrokenPipeError:
        terminal.abandon_stdout()


def write_json(value: Any, *, indent: int | None = None) -> None:
    """Writes a JSON value on a line."""
    write_line(json_text(value, ascii_only=not terminal.speaks_unicode(sys.stdout), indent=indent))


def is_table(mode: terminal.Mode) -> bool:
    """Whether rows will be a table, whose cells may be shortened and rounded for people."""
    return terminal.is_rich(sys.stdout, mode)


def write_rows(columns: Sequence[Column], rows: Sequence[Sequence[str]], mode: terminal.Mode) -> None:
    """Writes a row a line, cells parted by tabs, or a table where a person looks; nothing for no rows."""
    if not rows:
        return
    colour = terminal.wants_colour(sys.stdout, mode)
    safe_rows = [[safe_text(cell) for cell in row] for row in rows]
    if is_table(mode):
        write_line(_table(columns, safe_rows, colour=colour))
        return
    styles = [column.style for column in columns]
    write_line(
        "\n".join(
            "\t".join(
                terminal.paint(cell, style, colour=colour) for cell, style in zip(row, styles, strict=True)
            )
            for row in safe_rows
        )
    )


def _table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, colour: bool) -> str:
    from rich import box  # at a terminal only: Rich costs a third of the start (CLI-6)
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    unicode = terminal.speaks_unicode(sys.stdout)
    table = Table(box=box.SIMPLE_HEAD if unicode else box.ASCII2, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            style=column.style,
            overflow="fold",
            no_wrap=column.right,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # a str would be read as markup (CLI-4)
    page = io.StringIO()
    Console(
        file=page,
        force_terminal=True,
        no_color=not colour,
        width=shutil.get_terminal_size().columns,
        legacy_windows=False,
    ).print(table)
    return page.getvalue().rstrip("\n")


@contextlib.contextmanager
def reserved_for_us() -> Iterator[None]:
    """While genes run, whatever this process prints goes to stderr, on the descriptor too (HST-4)."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
