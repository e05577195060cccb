"""The only writer of stdout: JSON, rows, lines (CLI-1, CLI-3).

Piped, a record is one line of tab-separated cells; at a terminal it is a row of a table. Every cell passes
`safe_text` here, so that no command can forget to (CLI-4). A closed pipe is no error: who reads has enough.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, cast

from rotifer_console.cli import terminal
from rotifer_console.cli.exits import UsageRefused
from rotifer_console.view.columns import Column
from rotifer_console.view.safe_text import json_text, safe_text


def write_line(text: str) -> bool:
    """Writes text of ours, as it is, and a newline; false where nobody reads any more."""
    return _write(f"{text}\n")


def write_json(value: Any, *, indent: int | None = None) -> bool:
    """Writes a JSON value on a line; false where nobody reads any more."""
    return write_line(_json(value, indent))


def write_json_array(batches: Iterable[Sequence[Any]]) -> None:
    """Writes one JSON array of what comes batch by batch, until nobody reads any more.

    An array that was begun is closed whatever the batches raise.
    """
    is_begun = False
    try:
        for batch in batches:
            if batch:
                text = ", ".join(_json(value) for value in batch)
                if not _write(f"{', ' if is_begun else '['}{text}"):
                    return
                is_begun = True
    finally:
        if is_begun:
            write_line("]")
    if not is_begun:
        write_line("[]")


def write_json_lines(values: Iterable[Any]) -> bool:
    """Writes a JSON value a line; false where nobody reads any more."""
    text = "".join(f"{_json(value)}\n" for value in values)
    return _write(text) if text else True


def is_read_after(seconds: float) -> bool:
    """Waits that long; false as soon as nobody reads any more, which otherwise only a write would tell."""
    try:
        poller = select.poll()
        poller.register(sys.stdout.fileno(), 0)
    except (OSError, ValueError):  # no descriptor that could tell
        time.sleep(seconds)
        return True
    events = poller.poll(seconds * 1000)
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in events):
        return False
    if events:  # a device that cannot be polled, which says so at once
        time.sleep(seconds)
    return True


def _write(text: str) -> bool:
    try:
        terminal.write(sys.stdout, text)
    except BrokenPipeError:
        terminal.abandon_stdout()
        return False
    return True


def _json(value: Any, indent: int | None = None) -> str:
    return json_text(value, ascii_only=not terminal.speaks_unicode(sys.stdout), indent=indent)


def write_bytes(data: bytes) -> None:
    """Writes bytes that are the data themselves: an export, a value."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        terminal.abandon_stdout()


def byte_stream() -> IO[bytes]:
    """Stdout as a file that the library writes to."""
    return cast("IO[bytes]", _ByteStream())


class _ByteStream:
    def write(self, data: bytes) -> int:
        write_bytes(data)
        return len(data)


def require_no_terminal(what: str) -> None:
    """Refuses to write bytes of data to a terminal, which they could drive (CLI-4)."""
    if sys.stdout.isatty():
        raise UsageRefused(f"{what} is not written to a terminal", hint="send it to a file or a pipe")


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
    else:
        write_line(_lines(columns, safe_rows, "\t", colour=colour))


def write_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], mode: terminal.Mode) -> bool:
    """Writes a row a line at a terminal too: rows that come one after another make no table.

    False where nobody reads any more.
    """
    if not rows:
        return True
    safe_rows = [[safe_text(cell) for cell in row] for row in rows]
    between = "  " if is_table(mode) else "\t"
    return write_line(_lines(columns, safe_rows, between, colour=terminal.wants_colour(sys.stdout, mode)))


def _lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], between: str, *, colour: bool) -> str:
    styles = [column.style for column in columns]
    return "\n".join(
        between.join(
            terminal.paint(cell, style, colour=colour) for cell, style in zip(row, styles, strict=True)
        )
        for row in rows
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
