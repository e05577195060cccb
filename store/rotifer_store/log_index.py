"""Where the lines of a log stand, for who wants any of them without reading all (REC-5, TUI-5).

Pure: `tail` says what befell the log and what to read next; here newlines are counted in what was read. How
many stand before each 64 KiB of a file is kept, so a line is found by bisection and one small read.

    look(files)    -> Step   what to do next; nothing has changed until it is accepted
    accept(step, files)      the step is taken: a file was entered, or something befell the log
    take(data)               the bytes that were asked for have been read
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rotifer_store import tail
from rotifer_store.tail import FileSeen, Identity, LogNotice, LogNoticeKind, Step, Stretch

STRIDE_BYTES = 1 << 16
"""A line's beginning is looked for in this much of its file."""


class FileLines:
    """Where the lines of one file stand, as far as it has been read.

    A class because it grows with its file.
    """

    __slots__ = ("_newlines", "_newlines_before", "identity", "name", "size_bytes", "whole_bytes")

    def __init__(self, name: str, identity: Identity) -> None:
        self.name = name
        self.identity = identity
        self.forget()

    def forget(self) -> None:
        """Begins anew: the file was cut."""
        self.size_bytes = self.whole_bytes = self._newlines = 0
        self._newlines_before = [0]  # by the number of the stride

    @property
    def line_count(self) -> int:
        """How many lines there are, a last one without its newline among them."""
        return self._newlines + (self.begun_bytes > 0)

    @property
    def begun_bytes(self) -> int:
        """How much there is of a last line without its newline."""
        return self.size_bytes - self.whole_bytes

    def add(self, data: bytes, start: int = 0) -> None:
        """Counts the bytes of `data` from `start` on, which follow what was read of the file."""
        at = start
        while at < len(data):
            stop = min(len(data), at + STRIDE_BYTES - self.size_bytes % STRIDE_BYTES)
            self._newlines += data.count(b"\n", at, stop)
            self.size_bytes += stop - at
            at = stop
            if self.size_bytes % STRIDE_BYTES == 0:
                self._newlines_before.append(self._newlines)
        last = data.rfind(b"\n", start)
        if last >= 0:
            self.whole_bytes = self.size_bytes - (len(data) - last - 1)

    def search(self, line: int) -> Search:
        """Where the beginning of a line is to be looked for, or the end of the last one."""
        if line <= 0:
            return Search(Stretch(0, 0), 0)
        if line > self._newlines:
            return Search(Stretch(self.size_bytes, self.size_bytes), 0)
        stride = bisect_left(self._newlines_before, line) - 1
        start = stride * STRIDE_BYTES
        found = Stretch(start, min(start + STRIDE_BYTES, self.size_bytes))
        return Search(found, line - self._newlines_before[stride])

    def slice_before(self, last: int, size_bytes: int) -> int:
        """The first of so many lines before `last` as make up about `size_bytes`, but one at least."""
        back = max(1, size_bytes // STRIDE_BYTES)
        stride = bisect_left(self._newlines_before, last) - back
        while stride > 0 and self._newlines_before[stride] + 1 >= last:  # a line longer than a slice
            stride -= back
        return 0 if stride <= 0 else self._newlines_before[stride] + 1


class Search(NamedTuple):
    """The bytes to look in for the end of a line's predecessor, and how many newlines to count to it.

    With none to count the place is the stretch's start.
    """

    within: Stretch
    newlines: int

    def place(self, data: bytes) -> int | None:
        """The place that was looked for, given the bytes; None where the file is not what it was."""
        at = -1
        for _ in range(self.newlines):
            at = data.find(b"\n", at + 1)
            if at < 0:
                return None
        return self.within.start + at + 1


class Passage(NamedTuple):
    """Neighbouring lines of one file, the first numbered from 0 within it."""

    file: FileLines
    first: int
    line_count: int


class News(NamedTuple):
    """What became of the lines since the last time it was asked: as LogChange tells it."""

    added: int
    first_changed: int | None
    restarted: bool
    notices: tuple[LogNotice, ...]


class LogIndex:
    """The lines of a log over all its files, in order; the last is the one that is being read.

    A class because it grows with the log.
    """

    def __init__(self) -> None:
        self.files: list[FileLines] = []
        self.position = tail.START
        self.losses = 0
        self._told_lines = 0
        self._begin_news()

    @property
    def line_count(self) -> int:
        """How many lines are known."""
        return sum(file.line_count for file in self.files)

    @property
    def size_bytes(self) -> int:
        """How much of the log has been counted."""
        return sum(file.size_bytes for file in self.files)

    @property
    def begun_bytes(self) -> int:
        """How much there is of a last line without its newline."""
        return self.files[-1].begun_bytes if self.files else 0

    # Growing

    def look(self, files: Sequence[FileSeen]) -> Step:
        """The next step through `files`."""
        step = tail.advance(self.position, files)
        if not _is_replaced(step):
            return step
        # Rotated meanwhile, there may be files between those that are known and the log's own.
        following = files[len(self._known_among(files)) + 1 :]  # the first is the one without a name
        return step._replace(position=tail.beginning(following[0]))

    def accept(self, step: Step, files: Sequence[FileSeen]) -> None:
        """Does what the step says; `files` are those that it was made of."""
        before, self.position = self.position, step.position
        self._notices += step.notices
        self._heed_cut(step.notices)
        for notice in step.notices:
            if notice.kind is LogNoticeKind.ROTATED:
                self.files[-1].name = notice.file
        if _is_replaced(step):
            self._keep(self._known_among(files))
        if step.position.identity is not None and step.position.identity != before.identity:
            self.files.append(FileLines(step.position.file, step.position.identity))

    def take(self, data: bytes) -> None:
        """Counts what was read: the bytes of the step's stretch, or fewer."""
        skimmed = tail.skim(self.position, data)
        self.position = skimmed.position
        self._notices += skimmed.notices
        self._heed_cut(skimmed.notices)
        if skimmed.new_bytes:
            self._changed_from(self.line_count - (self.begun_bytes > 0))
            self.files[-1].add(data, len(data) - skimmed.new_bytes)

    def bytes_ahead(self, files: Sequence[FileSeen]) -> int:
        """How much of `files` has not been read."""
        sizes = [(file.identity, file.size_bytes) for file in files]
        for number, (identity, _) in enumerate(sizes):
            if identity == self.position.identity:
                return max(0, sum(size_bytes for _, size_bytes in sizes[number:]) - self.position.offset)
        return 0

    def drop(self, file: FileLines) -> None:
        """Leaves out a file that is over and has gone."""
        if file in self.files[:-1]:
            self._notices.append(LogNotice(file.name, LogNoticeKind.GONE))
            self._keep([kept for kept in self.files if kept is not file])

    def news(self) -> News:
        """What became of the lines since the last call."""
        kept = self._told_lines
        if self._restarted and self._first_changed is not None:
            kept = min(kept, self._first_changed)
        news = News(self.line_count - kept, self._first_changed, self._restarted, tuple(self._notices))
        self._told_lines = self.line_count
        self._begin_news()
        return news

    def _begin_news(self) -> None:
        self._first_changed: int | None = None
        self._restarted = False
        self._notices: list[LogNotice] = []

    def _changed_from(self, line: int) -> None:
        self._first_changed = line if self._first_changed is None else min(self._first_changed, line)

    def _has_lost(self) -> None:
        self._restarted = True
        self.losses += 1

    def _heed_cut(self, notices: Sequence[LogNotice]) -> None:
        if any(notice.kind is LogNoticeKind.CUT for notice in notices):
            self._changed_from(self.line_count - self.files[-1].line_count)
            self._has_lost()
            self.files[-1].forget()

    def _known_among(self, files: Sequence[FileSeen]) -> list[FileLines]:
        """The files that are over and still there, up to the first of `files` that is not known."""
        known = {(file.name, file.identity): file for file in self.files[:-1]}
        kept: list[FileLines] = []
        for seen in files:
            if seen.name is None:
                continue
            file = known.get((seen.name, seen.identity))
            if file is None:
                break
            kept.append(file)
        return kept

    def _keep(self, kept: list[FileLines]) -> None:
        """Leaves out all other files; `kept` are in their order."""
        same = 0
        while same < len(kept) and kept[same] is self.files[same]:
            same += 1
        self._changed_from(sum(file.line_count for file in kept[:same]))
        self._has_lost()
        self.files = kept

    # Finding

    def passages(self, first: int, last: int) -> Iterator[Passage]:
        """The lines from `first` up to before `last`, file by file; only those that there are."""
        before = 0
        for file in self.files:
            start, stop = max(0, first - before), min(file.line_count, last - before)
            if start < stop:
                yield Passage(file, start, stop - start)
            before += file.line_count

    def slice_before(self, last: int, first: int, size_bytes: int) -> tuple[int, Passage] | None:
        """The lines before `last`, not before `first`, of one file, about `size_bytes` of them.

        The first one's number comes with them; None where there are none.
        """
        before = self.line_count
        for file in reversed(self.files):
            before -= file.line_count
            stop = min(last - before, file.line_count)
            if stop > 0:
                start = max(first - before, file.slice_before(stop, size_bytes))
                return (before + start, Passage(file, start, stop - start)) if start < stop else None
        return None


def _is_replaced(step: Step) -> bool:
    return any(notice.kind is LogNoticeKind.REPLACED for notice in step.notices)
