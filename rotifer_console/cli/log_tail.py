"""Printing a log, and following it: what `audit tail` and `telemetry tail` share (REC-9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Final, TypeVar

import typer

from rotifer_console.cli import output, terminal
from rotifer_console.cli.exits import note
from rotifer_console.view import logs as view
from rotifer_console.view.columns import Column
from rotifer_store import (
    AuditRecord,
    LogNotice,
    LogTail,
    MemoryStorageError,
    TelemetryRecord,
    UnreadableLine,
)

_POLL_S: Final = 0.25
_KEPT_PLACES: Final = 3

Record = TypeVar("Record", AuditRecord, TelemetryRecord)

Follow = Annotated[
    bool,
    typer.Option(
        "--follow", "-f", help="Go on with what is written from now on, until Ctrl-C.", show_default=False
    ),
]
Text = Annotated[
    str | None,
    typer.Option(
        "--text",
        metavar="TEXT",
        help="Only records that hold this text anywhere, in any case.",
        show_default=False,
    ),
]


def print_all(
    tail: LogTail[Record],
    columns: Sequence[Column],
    cells_of: Callable[[Sequence[Record]], list[list[str]]],
    mode: terminal.Mode,
    is_wanted: Callable[[Record], bool] = lambda _: True,
) -> None:
    """Prints every record there is, oldest first; what could not be read is counted on stderr."""
    unreadable: list[UnreadableLine] = []
    counts: list[int] = []

    def batches() -> Iterator[list[Record]]:
        for items in _until_the_end(tail):
            records, bad, _ = _sorted_out(items, is_wanted)
            counts.append(len(bad))
            unreadable.extend(bad[: _KEPT_PLACES - len(unreadable)])
            yield records

    count = 0
    if mode.as_json:
        output.write_json_array([record.to_json() for record in batch] for batch in batches())
    else:
        for batch in batches():
            count += len(batch)
            if not output.write_lines(columns, cells_of(batch), mode):
                return
    if unreadable:
        note(view.describe_unreadable(unreadable, sum(counts)))
    elif not mode.as_json and count == 0:
        note("no records")


def follow(
    tail: LogTail[Record],
    columns: Sequence[Column],
    cells_of: Callable[[Sequence[Record]], list[list[str]]],
    mode: terminal.Mode,
    is_wanted: Callable[[Record], bool] = lambda _: True,
) -> None:
    """Prints every record there is and goes on, until Ctrl-C or until nobody reads any more.

    What befalls the log meanwhile, and what of it cannot be read, is told on stderr.
    """
    is_first, is_in_trouble = True, False
    while True:
        try:
            items = tail.poll()
            is_in_trouble = False
        except MemoryStorageError as error:
            if is_first:
                raise
            if not is_in_trouble:
                note(f"{error}; trying again")
            items, is_in_trouble = [], True
        is_first = False
        records, unreadable, notices = _sorted_out(items, is_wanted)
        for notice in notices:
            note(view.describe_notice(notice))
        if unreadable:
            note(view.describe_unreadable(unreadable, len(unreadable)))
        if mode.as_json:
            is_read = output.write_json_lines(record.to_json() for record in records)
        else:
            is_read = output.write_lines(columns, cells_of(records), mode)
        if not is_read or not (items or output.is_read_after(_POLL_S)):
            return


def _until_the_end(
    tail: LogTail[Record],
) -> Iterator[list[Record | UnreadableLine | LogNotice]]:
    while items := tail.poll():
        yield items
    yield tail.poll(is_last=True)


def _sorted_out(
    items: Iterable[Record | UnreadableLine | LogNotice], is_wanted: Callable[[Record], bool]
) -> tuple[list[Record], list[UnreadableLine], list[LogNotice]]:
    records: list[Record] = []
    unreadable: list[UnreadableLine] = []
    notices: list[LogNotice] = []
    for item in items:
        if isinstance(item, UnreadableLine):
            unreadable.append(item)
        elif isinstance(item, LogNotice):
            notices.append(item)
        elif is_wanted(item):
            records.append(item)
    return records, unreadable, notices
