"""Following a log that others write: which lines are new since the last look (REC-5, REC-9).

Pure: whoever follows says which files there are, and reads the bytes that a step asks for; here is decided
what they mean. A position stands in one file and knows it by its identity, not by its name, so a rotation
changes the name and nothing else. Three things tell that a file is not what it was: it is shorter than what
was read of it, its bytes before the position are others, or another file stands under the log's name.

    advance(position, files) -> Step     what to read next, or that there is nothing new
    take(position, data)     -> Taken    the lines that the bytes complete
    skim(position, data)     -> Skimmed  how many of the bytes are new, for who counts lines and splits none
    finish(position)         -> Taken    the line that was begun, for who does not want to wait for its end
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

CHUNK_BYTES = 1 << 20
_MARK_BYTES = 64

Identity = tuple[int, int]
"""Device and inode: what a file is, whatever it is called."""


class LogNoticeKind(StrEnum):
    """What can befall a log while it is followed."""

    ROTATED = "rotated"
    REPLACED = "replaced"
    CUT = "cut"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class LogNotice:
    """What befell a log that is followed: set aside under `file`, replaced, cut short, or gone."""

    file: str
    kind: LogNoticeKind


class FileSeen(NamedTuple):
    """A file of the log as it was seen. `name` is None where it no longer stands under one of the log's."""

    name: str | None
    identity: Identity
    size_bytes: int


class Line(NamedTuple):
    """A line without its newline, and where it stands."""

    file: str
    number: int
    data: bytes


class Position(NamedTuple):
    """How far the log has been read. `begun` is a line whose newline has not come yet.

    `mark` is the last of what was read: a file that was cut and has grown again does not have it there.
    """

    file: str = ""
    identity: Identity | None = None
    offset: int = 0
    lines: int = 0
    begun: bytes = b""
    mark: bytes = b""
    is_gone: bool = False


class Stretch(NamedTuple):
    """Bytes of the file that the position stands in; those of the mark come first."""

    start: int
    stop: int


class Step(NamedTuple):
    """The position after a look at the files, and the bytes to read next; None where nothing is new."""

    position: Position
    read: Stretch | None = None
    lines: Sequence[Line] = ()
    notices: Sequence[LogNotice] = ()


class Taken(NamedTuple):
    """The position after bytes were read, and the lines that they completed."""

    position: Position
    lines: Sequence[Line] = ()
    notices: Sequence[LogNotice] = ()


class Skimmed(NamedTuple):
    """The position after bytes were read, and how many of the last of them had not been read before."""

    position: Position
    new_bytes: int = 0
    notices: Sequence[LogNotice] = ()


START = Position()


def advance(position: Position, files: Sequence[FileSeen]) -> Step:
    """The next step through `files`, which are in the log's order.

    The file that the position stands in must be among them, though it may have lost its name. A file that
    is over (another follows it) gives its unfinished line as it is: nobody will complete it.
    """
    if position.identity is None:
        return Step(beginning(files[0])) if files else Step(position)
    index = [file.identity for file in files].index(position.identity)
    held = files[index]
    notices: list[LogNotice] = []
    if held.name is not None and held.name != position.file:
        notices.append(LogNotice(held.name, LogNoticeKind.ROTATED))
        position = position._replace(file=held.name)
    if held.size_bytes < position.offset:
        notices.append(LogNotice(position.file, LogNoticeKind.CUT))
        position = _from_the_start(position)
    if held.size_bytes > position.offset:
        stop = min(held.size_bytes, position.offset + CHUNK_BYTES)
        return Step(position, Stretch(position.offset - len(position.mark), stop), (), notices)
    following = files[index + 1 :]
    if following:
        # What has lost its name has no place in the order: only the file under the log's own name is new.
        entered = following[0] if held.name is not None else following[-1]
        if held.name is None:
            notices.append(LogNotice(entered.name or position.file, LogNoticeKind.REPLACED))
        return Step(beginning(entered), None, finish(position).lines, notices)
    if held.name is None and not position.is_gone:
        notices.append(LogNotice(position.file, LogNoticeKind.GONE))
    return Step(position._replace(is_gone=held.name is None), None, (), notices)


def take(position: Position, data: bytes) -> Taken:
    """The lines that `data` completes: the bytes from the position's mark on."""
    position, new_bytes, notices = skim(position, data)
    *whole, begun = (position.begun + data[len(data) - new_bytes :]).split(b"\n")
    lines = [Line(position.file, number, line) for number, line in enumerate(whole, position.lines + 1)]
    return Taken(position._replace(lines=position.lines + len(lines), begun=begun), lines, notices)


def skim(position: Position, data: bytes) -> Skimmed:
    """What `take` does, without looking for lines: neither `lines` nor `begun` of the position move."""
    if not data.startswith(position.mark):
        return Skimmed(_from_the_start(position), 0, [LogNotice(position.file, LogNoticeKind.CUT)])
    new_bytes = len(data) - len(position.mark)
    moved = position._replace(offset=position.offset + new_bytes, mark=data[-_MARK_BYTES:])
    return Skimmed(moved, new_bytes)


def finish(position: Position) -> Taken:
    """The line that was begun, taken as it is; none where the last one is whole."""
    if not position.begun:
        return Taken(position)
    line = Line(position.file, position.lines + 1, position.begun)
    return Taken(position._replace(begun=b"", lines=position.lines + 1), [line])


def beginning(file: FileSeen) -> Position:
    """The position before a file's first byte."""
    return Position(file.name or "", file.identity)


def _from_the_start(position: Position) -> Position:
    return Position(position.file, position.identity)
