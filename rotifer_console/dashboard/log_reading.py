"""What a screen asks of a log, done in one lane: looked at, read, searched (TUI-5).

A log is a file, so it is looked at also while the store beside it cannot be opened; the store is needed to
find the log for the first time, and for the names of genes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Final, Generic, NamedTuple, TypeVar

from rotifer_console.view.entries import creator_names
from rotifer_console.view.log_filters import meanings
from rotifer_store import (
    AuditRecord,
    LogChange,
    LogFilter,
    LogMatches,
    LogView,
    MemoryStorageError,
    RawLine,
    RotiferStoreError,
    Store,
    TelemetryRecord,
    UnreadableLine,
)

Record = TypeVar("Record", bound=AuditRecord | TelemetryRecord)
OpenStore = Callable[[], Store]
Lines = dict[int, AuditRecord | TelemetryRecord | UnreadableLine]

WINDOW_LINES: Final = 240
_NEWEST_LINES: Final = 80
_SLICES_AT_ONCE: Final = 2
NO_LINE: Final = LogFilter(action="no such action")
"""What no line holds: looking for it only counts the unreadable ones."""


class Anchor(NamedTuple):
    """A line that is to stay in sight: what it holds, and its number.

    While lines are being counted it has none: then it is the `from_end`th from the log's end.
    """

    record: object
    line: int = 0
    from_end: int | None = None


@dataclass(frozen=True, slots=True)
class Polled:
    """What a look at the log brought.

    `lines` are those that are new, as many as a screen can show. `newest` are the last ones while there are
    too many to have been counted. `shift` is how far the anchor has moved on from where it was, where it is
    there and may have moved.
    """

    change: LogChange
    line_count: int
    begun_bytes: int
    is_behind: bool
    counted_bytes: int
    uncounted_bytes: int
    lines: Lines
    newest: Sequence[AuditRecord | TelemetryRecord | UnreadableLine] = ()
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """Lines from `first` up to before `last` that were looked at; those that were found are newest first.

    `foreign` are those that other programs wrote.
    """

    first: int
    last: int
    matching: Sequence[int]
    unreadable: Sequence[int]
    foreign: Sequence[int] = ()


class LogReading(Generic[Record]):
    """One log as one screen reads it; every method is called in the log's lane.

    A class because it keeps the log's view between the looks, and a search between its slices.
    """

    def __init__(self, open_view: Callable[[Store], LogView[Record]]) -> None:
        """Opens nothing yet."""
        self._open_view = open_view
        self._view: LogView[Record] | None = None
        self._store: Store | None = None
        self._is_new = False
        self._search: Iterator[LogMatches] = iter(())
        self._searching: tuple[LogFilter, int] | None = None
        self._genes: Mapping[str, str] = {}
        self._nameless: set[str] = set()
        self._newest: Sequence[object] = ()

    def close(self) -> None:
        """Lets go of the log's files."""
        self._stop_searching()
        if self._view is not None:
            self._view.close()
        self._view = self._store = None

    def poll(self, open_store: OpenStore, anchor: Anchor | None) -> Polled | None:
        """What is new; None where nothing is.

        Args:
            open_store: gives the open store; asked only where the log has not been opened.
            anchor: the line that is to stay in sight.

        Raises:
            MemoryStorageError: the log cannot be read, or the store not be opened to find it.
        """
        view, before = self._opened(open_store), 0
        if not self._is_new:
            before = view.line_count
        change = view.poll()
        if self._is_new:
            change = LogChange(view.line_count, 0, restarted=True, notices=change.notices)
            self._is_new = False
        elif change == LogChange() and not view.is_behind:
            return None
        if change.restarted:
            self._stop_searching()
        try:
            return self._polled(open_store, view, change, before, anchor)
        except MemoryStorageError:
            self._is_new = True  # what this poll found must still be told
            raise

    def _polled(
        self,
        open_store: OpenStore,
        view: LogView[Record],
        change: LogChange,
        before: int,
        anchor: Anchor | None,
    ) -> Polled:
        first = view.line_count if change.first_changed is None else change.first_changed
        lines = self._read(view, max(first, view.line_count - WINDOW_LINES), view.line_count)
        newest = view.newest(_NEWEST_LINES) if view.is_behind and before == 0 else []
        self._learn(open_store, newest or lines.values(), are_new=True)
        return Polled(
            change,
            view.line_count,
            view.begun_bytes,
            view.is_behind,
            view.counted_bytes,
            view.uncounted_bytes,
            lines,
            newest,
            None if anchor is None else self._shift(view, change, before, anchor),
        )

    def newest(
        self, open_store: OpenStore, count: int
    ) -> Sequence[AuditRecord | TelemetryRecord | UnreadableLine]:
        """The log's last lines; where it is never polled, nothing is counted for them.

        Raises:
            MemoryStorageError: the log cannot be read, or the store not be opened to find it.
        """
        records = self._opened(open_store).newest(count)
        self._learn(open_store, records, are_new=records != self._newest)
        self._newest = records
        return records

    def read(self, open_store: OpenStore, wanted: Collection[int]) -> Lines:
        """The lines with these numbers, neighbours read together.

        Raises:
            MemoryStorageError: the log cannot be read.
        """
        view = self._opened(open_store)
        found: Lines = {}
        for _, run in groupby(enumerate(sorted(wanted)), lambda numbered: numbered[1] - numbered[0]):
            numbers = [line for _, line in run]
            found |= self._read(view, numbers[0], numbers[-1] + 1)
        self._learn(open_store, found.values())
        return found

    def look_back(self, open_store: OpenStore, where: LogFilter, last: int) -> Slice:
        """The next slice of a search from before `last` towards the log's beginning.

        Raises:
            MemoryStorageError: the log or the store cannot be read.
        """
        view = self._opened(open_store)
        if self._searching != (where, last):
            self._stop_searching()
            self._search = self._matches(view, open_store, where, 0, last)
        self._searching = None  # until the slice is there: one that failed is looked at again
        slices = list(islice(self._search, _SLICES_AT_ONCE))
        first = slices[-1].first if slices else 0
        self._searching = (where, first)
        return _joined(slices, first, last)

    def look_ahead(self, open_store: OpenStore, where: LogFilter, first: int, last: int) -> Slice:
        """All of the lines from `first` up to before `last`.

        Raises:
            MemoryStorageError: the log or the store cannot be read.
        """
        view = self._opened(open_store)
        return _joined(list(self._matches(view, open_store, where, first, last)), first, last)

    def seek(self, open_store: OpenStore, where: LogFilter, first: int, last: int) -> Sequence[int]:
        """The lines from `first` up to before `last` that are asked for, newest first.

        Raises:
            MemoryStorageError: the log or the store cannot be read.
        """
        view = self._opened(open_store)
        matches = self._matches(view, open_store, where, first, last)
        return [line for each in matches for line in each.lines]

    def raw(self, open_store: OpenStore, line: int, record: object) -> RawLine | None:
        """A line as it stands in its file; None where it has gone.

        Args:
            open_store: gives the open store; asked only where the log has not been opened.
            line: the line's number when it was shown.
            record: what it held: another line that has taken its place meanwhile is none of it.

        Raises:
            MemoryStorageError: the log cannot be read.
        """
        view = self._opened(open_store)
        if isinstance(record, UnreadableLine):  # one that is being written grows
            return view.raw(line)
        is_there = self._read(view, line, line + 1).get(line) == record
        place = line if is_there else self._place(view, line, record)
        return None if place is None else view.raw(place)

    @property
    def genes(self) -> Mapping[str, str]:
        """The names of the genes in the lines that were read, by v2 id; safe to ask in any lane."""
        return self._genes

    def _learn(self, open_store: OpenStore, records: Iterable[object], *, are_new: bool = False) -> None:
        """Looks the names up again where a gene acted that is not known yet.

        One that had no name is asked for again where it acts again: its first line stands before it is
        saved (REC-2).
        """
        acted = {
            record.gene_id
            for record in records
            if isinstance(record, AuditRecord | TelemetryRecord) and record.gene_id is not None
        }
        strangers = acted - self._genes.keys() - (set() if are_new else self._nameless)
        if not strangers:
            return
        try:
            store = open_store()
            self._genes = creator_names(seen for agent in store.agents() for seen in store.genes_seen(agent))
        except RotiferStoreError:  # the log is shown without names while the store cannot be read
            return
        self._nameless |= strangers - self._genes.keys()

    def _opened(self, open_store: OpenStore) -> LogView[Record]:
        if self._view is None:
            self._store = open_store()
            self._view = self._open_view(self._store)
            self._is_new = True
        return self._view

    def _matches(
        self, view: LogView[Record], open_store: OpenStore, where: LogFilter, first: int, last: int
    ) -> Iterator[LogMatches]:
        """A search; a view whose store was closed meanwhile is let go of, so the next look opens another."""
        try:
            return _united([view.matches(each, first=first, last=last) for each in meanings(where)])
        except MemoryStorageError:
            if open_store() is not self._store:
                self.close()
            raise

    def _stop_searching(self) -> None:
        self._search, self._searching = iter(()), None

    @staticmethod
    def _read(view: LogView[Record], first: int, last: int) -> Lines:
        return {line: record for line, record in enumerate(view.records(first, last - first), first)}  # noqa: C416

    def _shift(self, view: LogView[Record], change: LogChange, before: int, anchor: Anchor) -> int | None:
        """How far a line has moved on, looked for near where it would be if lines before it had gone."""
        if anchor.from_end is None:
            line, near = anchor.line, anchor.line - max(0, before - view.line_count)
            may_have_moved = change.restarted
        else:
            line = near = view.line_count - anchor.from_end
            may_have_moved = not view.is_behind
        place = self._place(view, near, anchor.record) if may_have_moved else None
        return None if place is None else place - line

    def _place(self, view: LogView[Record], near: int, record: object) -> int | None:
        """Where a line stands that holds the record: the nearest to where it might be."""
        near = max(0, min(near, view.line_count))
        around = self._read(view, max(0, near - WINDOW_LINES), near + WINDOW_LINES)
        places = [number for number, each in around.items() if each == record]
        return min(places, key=lambda number: abs(number - near), default=None)


def _united(searches: Sequence[Iterator[LogMatches]]) -> Iterator[LogMatches]:
    """What any of the searches finds: they look at the same slices of one log."""
    if len(searches) == 1:
        return searches[0]
    return (
        replace(first, lines=sorted({line for each in (first, *others) for line in each.lines}, reverse=True))
        for first, *others in zip(*searches, strict=False)
    )


def _joined(slices: Sequence[LogMatches], first: int, last: int) -> Slice:
    return Slice(
        first,
        last,
        [line for each in slices for line in each.lines],
        [line for each in slices for line in each.unreadable],
        [line for each in slices for line in each.foreign],
    )
