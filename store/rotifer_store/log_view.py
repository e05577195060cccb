"""A log as a screen shows it: any of its lines at once, counted, searched, and followed (REC-5, TUI-5).

`log_index` decides where lines stand and `log_search` which are worth parsing; here files are read. A view is
used by one thread at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Generic, NamedTuple, TypeVar

from rotifer_store.audit_line import parse_object
from rotifer_store.change import Shell
from rotifer_store.follow import LogFiles, audit_filter, audit_log, telemetry_log
from rotifer_store.log_index import FileLines, LogIndex, Passage
from rotifer_store.log_search import Sieve, holds_text, is_foreign, sieve_of, sift, strange
from rotifer_store.logs import (
    AuditFilter,
    AuditRecord,
    TelemetryRecord,
    UnreadableLine,
    audit_record,
    telemetry_record,
)
from rotifer_store.private_files import open_private
from rotifer_store.tail import LogNotice, Stretch
from rotifer_store.translate import storage_error

_POLL_BYTES: Final = 32 << 20
_PIECE_BYTES: Final = 1 << 20
_SLICE_BYTES: Final = 1 << 20
_MAX_LINE_BYTES: Final = 16 << 20
_NEWEST_BYTES: Final = 16 << 20
_RAW_BYTES: Final = 64 << 10

Record = TypeVar("Record")
_Choice = Callable[[bytes, Mapping[str, object] | None], bool]
"""Whether a line is asked for, given the object that it holds, if it holds one."""


@dataclass(frozen=True, slots=True)
class LogChange:
    """What a poll found.

    Every line from `first_changed` on is new or other than it was; None where all is as before. `added` of
    them are lines more than there were before, or after `restarted` (lines that were there have gone: a file
    was cut, replaced or deleted) all of them. A line that is being written counts once, when it begins.
    """

    added: int = 0
    first_changed: int | None = None
    restarted: bool = False
    notices: tuple[LogNotice, ...] = ()


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which lines are asked for; None means that the member is absent.

    `action` is an audit action (or a telemetry event), `gene` a v2 id or the name of a gene that acted,
    `since` an RFC 3339 time, `text` is looked for anywhere in the line, whatever its case.
    """

    agent_id: str | None = None
    action: str | None = None
    key: str | None = None
    gene: str | None = None
    since: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class LogMatches:
    """One slice of a search: all lines from `first` on have been looked at. The lists are newest first.

    `unreadable` are lines that are plainly no JSON objects, whatever is asked for; one that holds the text
    that is looked for stands in `lines` too. `foreign` are objects of other programs, whatever is asked for
    (REC-9).
    """

    first: int
    lines: list[int]
    unreadable: list[int]
    foreign: list[int]


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line as it stands in its file, without its newline. `data` is its beginning where `is_cut`."""

    file: str
    line_number: int
    size_bytes: int
    data: bytes

    @property
    def is_cut(self) -> bool:
        """Whether `data` is only a part."""
        return len(self.data) < self.size_bytes


class _Line(NamedTuple):
    """A line's bytes, None where they are more than anybody wants at once, and how many they are."""

    data: bytes | None
    size_bytes: int


class _Wanted(NamedTuple, Generic[Record]):
    """A filter that has been looked up: which records pass, and what each of them must hold."""

    passes: Callable[[Record], bool]
    terms: Iterable[Iterable[str]]


class LogView(Generic[Record]):
    """Random access to one log that others write, its rotated files first; a context manager.

    Lines are numbered from 0 over all files. A class because it remembers where lines stand and keeps the
    file open that is written to. For one thread at a time.
    """

    def __init__(
        self,
        files: LogFiles,
        read_record: Callable[[Mapping[str, object]], Record],
        look_up: Callable[[LogFilter], _Wanted[Record]],
    ) -> None:
        """Opens nothing yet.

        Args:
            files: the log's.
            read_record: a record of what a line's object holds.
            look_up: what a filter means; it raises for one that means nothing.
        """
        self._files = files
        self._read_record = read_record
        self._look_up = look_up
        self._index = LogIndex()
        self._seen: tuple[int, ...] | None = ()  # what no look gives
        self._uncounted_bytes = 0
        self._is_behind = True
        self._gone: list[FileLines] = []
        self._over: FileLines | None = None
        self._over_descriptor = -1

    def __enter__(self) -> LogView[Record]:
        """The view itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the view."""
        self.close()

    def close(self) -> None:
        """Lets go of the files."""
        self._files.close()
        self._close_over()

    # Following

    def poll(self) -> LogChange:
        """Looks at the log and counts what is new, a bounded part of it: while `is_behind`, poll again.

        Costs one look at one file and its last bytes where nothing has changed.

        Raises:
            MemoryStorageError: a file of the log cannot be read now, or is none; what is known stays, and a
                later poll goes on and tells what this one has found.
        """
        self._close_over()
        with self._readable():
            seen = _look_at(self._files.current)
            if self._has_mark() and seen == self._seen and not self._is_behind and not self._gone:
                return LogChange()
            for file in self._gone:
                self._index.drop(file)
            self._gone = []
            self._seen = ()  # an error here must not keep the next poll from looking
            is_behind = True
            left_bytes = _POLL_BYTES
            while left_bytes > 0:
                before = self._index.position
                read_bytes = self._step()
                if read_bytes is None:
                    break
                left_bytes -= read_bytes
                if self._index.position == before:
                    is_behind = False
                    break
            self._seen, self._is_behind = seen, is_behind
        return LogChange(*self._index.news())

    def _has_mark(self) -> bool:
        """Whether what was read last is still there: a file may be rewritten within a tick of its clock."""
        before = self._index.position
        if before.mark:
            self._index.take(self._files.read(Stretch(before.offset - len(before.mark), before.offset)))
        return self._index.position == before

    def _step(self) -> int | None:
        """Does one step and returns how many bytes were read for it; None where a file went meanwhile.

        Raises:
            OSError: a file of the log cannot be looked at or read.
        """
        files = self._files.seen()
        step = self._index.look(files)
        if step.position.identity != self._index.position.identity and not self._files.enter(step.position):
            return None
        self._index.accept(step, files)
        data = b"" if step.read is None else self._files.read(step.read)
        if step.read is not None:
            self._index.take(data)
        self._uncounted_bytes = self._index.bytes_ahead(files)
        return len(data)

    @property
    def is_behind(self) -> bool:
        """Whether there may be more than the last poll has looked at; true before the first."""
        return self._is_behind

    @property
    def counted_bytes(self) -> int:
        """How much of the log has been counted."""
        return self._index.size_bytes

    @property
    def uncounted_bytes(self) -> int:
        """How much the last poll left to the next."""
        return self._uncounted_bytes

    @property
    def line_count(self) -> int:
        """The lines known so far, the last one too where its newline has not come."""
        return self._index.line_count

    @property
    def begun_bytes(self) -> int:
        """How much of a last line is there whose newline has not come; 0 where every line is whole."""
        return self._index.begun_bytes

    # Reading

    def records(self, first: int, count: int) -> list[Record | UnreadableLine]:
        """The lines from `first` on, `count` or as many as there are, in their order.

        A line that can no longer be read comes as an UnreadableLine of 0 bytes, one that is longer than
        16 MiB as one of its size. A line that is being written comes as far as it is there.

        Raises:
            MemoryStorageError: a file of the log cannot be read.
        """
        with self._readable():
            return [
                self._record(passage.file.name, number, line)
                for passage in self._index.passages(first, first + count)
                for number, line in enumerate(self._lines(passage), passage.first + 1)
            ]

    def newest(self, count: int) -> list[Record | UnreadableLine]:
        """The last lines of the log, in their order, also while it `is_behind`, before any poll.

        While it is behind, at most 16 MiB are looked at for them, and an UnreadableLine has the number 0.

        Raises:
            MemoryStorageError: a file of the log cannot be read.
        """
        if not self._is_behind:
            return self.records(max(0, self.line_count - count), count)
        found: list[Record | UnreadableLine] = []
        left_bytes = _NEWEST_BYTES
        with self._readable():
            for path in reversed(self._files.paths()):
                if len(found) >= count or left_bytes <= 0:
                    break
                lines, read_bytes = _last_lines(path, count - len(found), left_bytes)
                left_bytes -= read_bytes
                found[:0] = [self._record(path.name, 0, _Line(line, len(line))) for line in lines]
        return found

    def raw(self, line: int) -> RawLine | None:
        """A line as it stands, its first 64 KiB; None where there is no such line or it has gone.

        Raises:
            MemoryStorageError: its file cannot be read.
        """
        with self._readable():
            for file, first, _ in self._index.passages(line, line + 1):
                place = self._place(file, first, 1)
                if place is not None:
                    size_bytes = place.stop - place.start
                    shown_bytes = min(size_bytes, _RAW_BYTES)
                    data = self._read(file, Stretch(place.start, place.start + shown_bytes))
                    if len(data) == shown_bytes:
                        return RawLine(file.name, first + 1, size_bytes, data)
        return None

    def matches(self, wanted: LogFilter, *, first: int = 0, last: int | None = None) -> Iterator[LogMatches]:
        """The lines from `first` up to before `last` (the end) that are asked for, newest first, in slices.

        Each slice looks at about 1 MiB; whoever has enough stops asking. A poll between two slices that finds
        lines gone ends the search.

        Raises:
            MemoryInvalidInput: `since` is no RFC 3339 time, or no entry can have that key.
            MemoryStorageError: a file of the log or the store cannot be read.
        """
        passes, terms = self._look_up(wanted)
        sieve = sieve_of(terms, wanted.text)
        has_text_only = wanted == LogFilter(text=wanted.text)

        def is_wanted(line: bytes, members: Mapping[str, object] | None) -> bool:
            if sieve.text and not holds_text(line, members, sieve.text):
                return False
            return has_text_only if members is None else passes(self._read_record(members))

        return self._slices(sieve, is_wanted, max(0, first), self.line_count if last is None else last)

    def _slices(self, sieve: Sieve, is_wanted: _Choice, first: int, last: int) -> Iterator[LogMatches]:
        losses = self._index.losses
        while last > first and self._index.losses == losses:
            found = self._index.slice_before(last, first, _SLICE_BYTES)
            if found is None:
                return
            last, passage = found
            with self._readable():
                lines = [line.data or b"" for line in self._lines(passage)]
            matching: list[int] = []
            unreadable: list[int] = []
            foreign: list[int] = []
            candidates, doubtful = map(set, sift(lines, sieve))
            for at in sorted(candidates | doubtful | set(strange(lines)), reverse=True):
                members = parse_object(lines[at])
                is_begun = last + at == self.line_count - 1 and self.begun_bytes > 0
                if members is None and not is_begun:
                    unreadable.append(last + at)
                elif members is not None and is_foreign(members):
                    foreign.append(last + at)
                if at in candidates and is_wanted(lines[at], members):
                    matching.append(last + at)
            yield LogMatches(last, matching, unreadable, foreign)

    def _record(self, file: str, number: int, line: _Line) -> Record | UnreadableLine:
        members = None if line.data is None else parse_object(line.data)
        if members is None:
            return UnreadableLine(file, number, line.size_bytes)
        return self._read_record(members)

    def _lines(self, passage: Passage) -> Iterator[_Line]:
        """The passage's lines, each of them: without bytes where they cannot be read any more.

        Raises:
            OSError: the file cannot be read.
        """
        left = passage.line_count
        place = self._place(passage.file, passage.first, passage.line_count)
        if place is not None:
            for line in _split(lambda stretch: self._read(passage.file, stretch), place):
                if left == 0:
                    break
                left -= 1
                yield line
        for _ in range(left):
            yield _Line(None, 0)

    def _place(self, file: FileLines, first: int, count: int) -> Stretch | None:
        """Where neighbouring lines stand, without the last one's newline; None where they have gone."""
        start, stop = self._beginning(file, first), self._beginning(file, first + count)
        if start is None:
            return None
        if stop is None:  # the file was cut: some of the lines may be there
            return Stretch(start, file.size_bytes)
        is_whole = first + count < file.line_count or not file.begun_bytes
        return Stretch(start, stop - is_whole)

    def _beginning(self, file: FileLines, line: int) -> int | None:
        search = file.search(line)
        return search.place(self._read(file, search.within) if search.newlines else b"")

    def _read(self, file: FileLines, stretch: Stretch) -> bytes:
        """Bytes of a file of the log; fewer where it has become shorter, none where it has gone.

        Raises:
            OSError: they cannot be read.
        """
        if file is self._index.files[-1]:
            return self._files.read(stretch)
        if file is not self._over:
            self._close_over()
            descriptor = self._files.open_known(file.name, file.identity)
            if descriptor is None:
                self._gone.append(file)
                return b""
            self._over, self._over_descriptor = file, descriptor
        return os.pread(self._over_descriptor, stretch.stop - stretch.start, stretch.start)

    def _close_over(self) -> None:
        if self._over_descriptor >= 0:
            os.close(self._over_descriptor)
        self._over, self._over_descriptor = None, -1

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise storage_error(error, f"{self._files.current.name} cannot be read") from error


def audit_view(shell: Shell) -> LogView[AuditRecord]:
    """A view of the audit log."""

    def look_up(wanted: LogFilter) -> _Wanted[AuditRecord]:
        exact = _exact(shell, wanted)
        return _Wanted(exact.passes, _terms(exact))

    return LogView(audit_log(shell), audit_record, look_up)


def telemetry_view(shell: Shell) -> LogView[TelemetryRecord]:
    """A view of the telemetry log; its events are actions of the audit log, and hold no key."""

    def look_up(wanted: LogFilter) -> _Wanted[TelemetryRecord]:
        exact = _exact(shell, wanted)

        def passes(event: TelemetryRecord) -> bool:
            return exact.passes(audit_record({**event.to_json(), "action": event.event}))

        return _Wanted(passes, _terms(exact))

    return LogView(telemetry_log(shell), telemetry_record, look_up)


def _exact(shell: Shell, wanted: LogFilter) -> AuditFilter:
    def ask() -> AuditFilter:
        return audit_filter(shell, wanted.agent_id, wanted.action, wanted.key, wanted.gene, wanted.since)

    if wanted.gene is None:
        return ask()
    with shell.engine.standing_still():  # a line stands before the name of its gene is saved (REC-2)
        return ask()


def _terms(exact: AuditFilter) -> list[Iterable[str]]:
    single = (exact.agent_id, exact.action, exact.key)
    groups: list[Iterable[str]] = [[term] for term in single if term is not None]
    return groups if exact.gene_ids is None else [*groups, exact.gene_ids]


def _look_at(path: Path) -> tuple[int, ...] | None:
    """What tells whether a file is as it was; None where there is none."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _split(read: Callable[[Stretch], bytes], place: Stretch) -> Iterator[_Line]:
    """The lines of a stretch, which ends before a newline; fewer where its file has become shorter."""
    start, held, held_bytes = place.start, list[bytes](), 0
    while start < place.stop:
        data = read(Stretch(start, min(place.stop, start + _PIECE_BYTES)))
        if not data:
            return
        start += len(data)
        *ends, rest = data.split(b"\n")
        for end in ends:
            yield _joined(held, held_bytes, end)
            held, held_bytes = [], 0
        held_bytes += len(rest)
        if held_bytes <= _MAX_LINE_BYTES:
            held.append(rest)
    yield _joined(held, held_bytes, b"")


def _joined(held: list[bytes], held_bytes: int, end: bytes) -> _Line:
    size_bytes = held_bytes + len(end)
    return _Line(b"".join((*held, end)) if size_bytes <= _MAX_LINE_BYTES else None, size_bytes)


def _last_lines(path: Path, count: int, limit_bytes: int) -> tuple[list[bytes], int]:
    """At most so many lines from a file's end, and how many bytes they were looked for in.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return [], 0
    try:
        size_bytes = os.fstat(descriptor).st_size
        window_bytes, data = 0, b""
        while window_bytes < min(size_bytes, limit_bytes) and data.count(b"\n") <= count:
            window_bytes = min(size_bytes, limit_bytes, max(_RAW_BYTES, 2 * window_bytes))
            data = os.pread(descriptor, window_bytes, size_bytes - window_bytes)
    finally:
        os.close(descriptor)
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    if window_bytes < size_bytes:
        lines = lines[1:]
    return lines[max(0, len(lines) - count) :], window_bytes
