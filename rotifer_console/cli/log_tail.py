"""Printing a log, and following it: what `audit tail` and `telemetry tail` share (REC-9)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final, TypeVar

import typer

from rotifer_console.cli import output, suggest, terminal
from rotifer_console.cli.arguments import is_v2_id
from rotifer_console.cli.exits import Refused, note
from rotifer_console.view import logs as view
from rotifer_console.view.columns import Column
from rotifer_console.view.entries import creator_names
from rotifer_console.view.safe_text import safe_text
from rotifer_store import (
    AuditRecord,
    LogFilter,
    LogNotice,
    LogTail,
    LogView,
    MemoryStorageError,
    Store,
    TelemetryRecord,
    UnreadableLine,
)

_POLL_S: Final = 0.25
_KEPT_PLACES: Final = 3
_GAP: Final = 2
_NARROWEST: Final = 24

Record = TypeVar("Record", AuditRecord, TelemetryRecord)

Follow = Annotated[
    bool,
    typer.Option(
        "--follow", "-f", help="Go on with what is written from now on, until Ctrl-C.", show_default=False
    ),
]
Action = Annotated[
    str | None,
    typer.Option(
        metavar="ACTION",
        help="Only this action, such as memory_access_denied.",
        show_default=False,
        autocompletion=suggest.complete_action,
    ),
]
GeneOfLog = Annotated[
    str | None,
    typer.Option(
        metavar="GENE",
        help="Only this gene's doing: its name or its v2 id.",
        show_default=False,
        autocompletion=suggest.complete_gene,
    ),
]
AgentOfLog = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only this agent's memory.",
        show_default=False,
        autocompletion=suggest.complete_agent,
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

Lines = Annotated[
    str | None,
    typer.Option(
        "--lines",
        "-n",
        metavar="N",
        help="Begin with the newest N of the records that match; all of them by default.",
        show_default=False,
    ),
]


class GeneNames:
    """The names of the genes that acted, by v2 id; a class because a gene may act for the first time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._look()

    def learn(self, records: Iterable[AuditRecord | TelemetryRecord]) -> None:
        """Looks again where the records tell of a gene that the store was not known to know."""
        if not {record.gene_id for record in records} <= self._known:
            self._look()

    def require(self, gene: str, project_genes: Sequence[str]) -> None:
        """Refuses a name that no gene ever had here: a slip would look like silence (CLI-5)."""
        known = {*project_genes, *self.by_id.values()}
        if gene not in known and not is_v2_id(gene):
            hint = suggest.did_you_mean(gene, known) or "`rotifer list` lists the project's genes"
            raise Refused("GENE_NOT_FOUND", f"no gene called {gene} is here or has acted here", hint=hint)

    def _look(self) -> None:
        seen = [gene for agent in self._store.agents() for gene in self._store.genes_seen(agent)]
        self.by_id: Mapping[str, str] = creator_names(seen)
        self._known: set[str | None] = {None, *(gene.gene_id for gene in seen)}


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


def print_newest(
    log: LogView[Record],
    wanted: LogFilter,
    lines: int,
    columns: Sequence[Column],
    cells_of: Callable[[Sequence[Record]], list[list[str]]],
    mode: terminal.Mode,
    is_wanted: Callable[[Record], bool],
    *,
    is_followed: bool,
) -> None:
    """Prints the newest records that match, oldest first; read from the log's end, not its beginning.

    `is_wanted` decides beside `wanted`, which may let more through. What cannot be read among them is told on
    stderr, and so is, when the log is followed, what befalls it.
    """

    def tell(records: Sequence[Record], unreadable: Sequence[UnreadableLine]) -> bool:
        if unreadable:
            note(view.describe_unreadable(unreadable, len(unreadable)))
        if not mode.as_json:
            return output.write_lines(columns, cells_of(records), mode)
        if is_followed:
            return output.write_json_lines(record.to_json() for record in records)
        output.write_json_array([[record.to_json() for record in records]])
        return True

    while log.is_behind:
        log.poll()
    end = _whole_lines(log) if is_followed else log.line_count
    records, unreadable = _matching(log, wanted, 0, end, lines, is_wanted)
    is_read = tell(records, unreadable)
    if not (is_followed or records or mode.as_json):
        note("no records")
    is_in_trouble, is_idle = False, True
    while is_followed and is_read and (not is_idle or output.is_read_after(_POLL_S)):
        try:
            change = log.poll()
            is_in_trouble = False
        except MemoryStorageError as error:
            if not is_in_trouble:
                note(f"{error}; trying again")
            is_in_trouble, is_idle = True, True
            continue
        for notice in change.notices:
            note(view.describe_notice(notice))
        is_idle = change.first_changed is None
        if change.first_changed is not None:
            first, end = min(end, change.first_changed), _whole_lines(log)
            is_read = tell(*_matching(log, wanted, first, end, end - first, is_wanted))


def _whole_lines(log: LogView[Record]) -> int:
    """How many lines have ended: one that is being written is told when it has."""
    return log.line_count - (log.begun_bytes > 0)


def _matching(
    log: LogView[Record],
    wanted: LogFilter,
    first: int,
    last: int,
    most: int,
    is_wanted: Callable[[Record], bool],
) -> tuple[list[Record], list[UnreadableLine]]:
    """The newest matching records, and the lines among them that cannot be read; both oldest first."""
    records: list[Record] = []
    bad: list[int] = []
    oldest = last
    for part in log.matches(wanted, first=first, last=last):
        if len(records) >= most:
            break
        lines = part.lines
        while lines and len(records) < most:
            some, lines = lines[: most - len(records)], lines[most - len(records) :]
            here = log.records(some[-1], some[0] - some[-1] + 1)
            for line in some:
                record = here[line - some[-1]] if line - some[-1] < len(here) else None
                if record is not None and not isinstance(record, UnreadableLine) and is_wanted(record):
                    records.append(record)
                    oldest = line
        bad += part.unreadable
    is_cut = len(records) >= most
    unreadable = [
        item
        for line in reversed(bad)
        if line > oldest or not is_cut
        for item in log.records(line, 1)
        if isinstance(item, UnreadableLine)
    ]
    return records[::-1], unreadable


def folded(cells: Sequence[str]) -> list[list[str]]:
    """A row for a terminal as lines that it need not break: the last cell goes on under itself."""
    from rotifer_console.dashboard.cells import width_of, wrapped  # at a terminal only (CLI-6)

    *head, what = map(safe_text, cells)
    widths = [width_of(cell) for cell in head]
    room = shutil.get_terminal_size().columns - sum(widths) - _GAP * len(head)
    if room < _NARROWEST:
        return [[*head, what]]
    first, *others = wrapped(what, room)
    under = [" " * width for width in widths]
    return [[*head, first.rstrip()], *([*under, line.rstrip()] for line in others)]


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
