"""The audit log as a file: its end, its descriptor, its appends (REC-2, REC-3, REC-5, REC-9).

Used under the store's lock only, so the end that is looked at is the end that is appended to. Which lines
revoke what is decided in `audit_line`; here are bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rotifer_store.audit_line import ChainedLine, Link, ends_with, lines_after, unrevoked
from rotifer_store.private_files import open_private, write_whole

AUDIT_NAME = "audit.jsonl"
_WINDOW_BYTES = 4096
_CHUNK_BYTES = 1 << 20
_LONGEST_LINE_BYTES = 1 << 16
"""More than any line of ours."""


class Tail(NamedTuple):
    """The log's end: where the chain goes on, whose changes were never saved, whether a line is torn."""

    link: Link
    unsaved: Sequence[ChainedLine] = ()
    is_torn: bool = False

    @property
    def is_behind(self) -> bool:
        """Whether something must be put right before the next line."""
        return self.is_torn or bool(self.unsaved)


class AuditFile:
    """The descriptor of one store's `audit.jsonl`, kept open for appending.

    A class because it remembers what it last saw: where the file's identity and size and the chain's end
    are as it left them, the tail needs no reading.
    """

    def __init__(self, folder: Path, *, syncs: bool) -> None:
        self._path = folder / AUDIT_NAME
        self._path_text = str(self._path)
        self._syncs = syncs
        self._descriptor = -1
        self._identity = (0, 0)
        self._size_bytes = 0
        self._seen_bytes, self._seen_hash = -1, ""

    def exists(self) -> bool:
        """Whether anything stands under the log's name."""
        return os.path.lexists(self._path)

    def tail(self, committed: Link) -> Tail:
        """The end of the log, compared with the chain's end that the store has committed (REC-3, REC-9).

        Raises:
            OSError: the log cannot be opened or read.
        """
        size_bytes = self._size_bytes = self._open_current()
        if (size_bytes == self._seen_bytes and committed.hash == self._seen_hash) or size_bytes == 0:
            return Tail(committed)
        window = self._read(max(0, size_bytes - _WINDOW_BYTES), size_bytes)
        if ends_with(window, committed):
            return Tail(committed)
        later = lines_after(committed, self._lines_since(committed, size_bytes))
        end = later[-1].link if later else committed
        return Tail(end, unrevoked(later), is_torn=not window.endswith(b"\n"))

    def append(self, data: bytes, end: Link) -> None:
        """Appends whole lines, to the disk where the store is durable against power loss (REC-2).

        Args:
            data: the lines.
            end: the chain's end after them. `tail` has been called under the same lock.

        Raises:
            OSError: not all was written.
        """
        self._seen_bytes = -1
        write_whole(self._descriptor, data)
        if self._syncs:
            os.fsync(self._descriptor)
        self._seen_bytes, self._seen_hash = self._size_bytes + len(data), end.hash

    def set_aside(self, name: str) -> None:
        """Renames the log within its folder; the next append begins a new one (REC-9)."""
        self._open_current()
        self._path.rename(self._path.with_name(name))
        self.close()

    def close(self) -> None:
        """Closes the descriptor; the next use opens it again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = self._seen_bytes = -1

    def _open_current(self) -> int:
        """The size of the file that stands under the log's name now; opened anew where it was replaced."""
        if self._descriptor >= 0:
            try:
                status = os.stat(self._path_text, follow_symlinks=False)  # noqa: PTH116 - on the path of every write
            except FileNotFoundError:
                status = None
            if status is not None and (status.st_dev, status.st_ino) == self._identity:
                return status.st_size
            self.close()
        is_new = not self._path.exists()
        self._descriptor = open_private(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        opened = os.fstat(self._descriptor)
        self._identity = (opened.st_dev, opened.st_ino)
        if is_new and self._syncs:
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return opened.st_size

    def _read(self, start: int, stop: int) -> bytes:
        parts = []
        while start < stop:
            part = os.pread(self._descriptor, min(stop - start, _CHUNK_BYTES), start)
            if not part:
                break
            parts.append(part)
            start += len(part)
        return b"".join(parts)

    def _lines_since(self, committed: Link, size_bytes: int) -> Iterator[bytes]:
        """The lines from the one that `committed` names; none where no line names it: none follows it then.

        Found from the end, because it is nearly always near: at most one change was ever left unsaved. The
        log may be of any length, and none of it need be ours.
        """
        mark = committed.hash.encode("ascii")
        stop, ahead = size_bytes, b""
        while stop > 0:
            start = max(0, stop - _CHUNK_BYTES)
            chunk = self._read(start, stop) + ahead
            at = chunk.find(mark)
            if at >= 0:
                return self._lines(max(0, start + at - _LONGEST_LINE_BYTES), size_bytes)
            stop, ahead = start, chunk[: len(mark) - 1]
        return iter(())

    def _lines(self, start: int, stop: int) -> Iterator[bytes]:
        """The lines between two places, the first and the last perhaps in part."""
        begun: list[bytes] = []
        while start < stop and (chunk := self._read(start, min(stop, start + _CHUNK_BYTES))):
            start += len(chunk)
            first, *rest = chunk.split(b"\n")
            begun.append(first)
            if rest:
                yield b"".join(begun)
                *whole, last = rest
                yield from whole
                begun = [last]
        yield b"".join(begun)
