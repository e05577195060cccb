"""Following a log, as a pure function of what is seen of its files and read from them (REC-5, REC-9)."""

from __future__ import annotations

import pytest

from rotifer_store import tail
from rotifer_store.tail import FileSeen, Line, LogNotice, LogNoticeKind, Position

CURRENT = "audit.jsonl"
Item = Line | LogNotice


class Folder:
    """The files of a log, in memory: in order, each with its name, its identity and its bytes."""

    def __init__(self, *files: tuple[str | None, int, bytes]) -> None:
        self.files = list(files)

    def seen(self) -> list[FileSeen]:
        return [FileSeen(name, (1, inode), len(data)) for name, inode, data in self.files]

    def read(self, position: Position, start: int, stop: int) -> bytes:
        (data,) = [data for _, inode, data in self.files if (1, inode) == position.identity]
        return data[start:stop]


def followed(position: Position, folder: Folder) -> tuple[Position, list[Item]]:
    """The position when nothing more is new, and what came on the way there."""
    found: list[Item] = []
    while True:
        step = tail.advance(position, folder.seen())
        found += [*step.lines, *step.notices]
        if step.read is None:
            if step.position == position:
                return position, found
            position = step.position
            continue
        position, lines, notices = tail.take(
            step.position, folder.read(step.position, step.read.start, step.read.stop)
        )
        found += [*lines, *notices]


def after(*looks: Folder) -> list[list[Item]]:
    """What each of the looks brings, one after another."""
    position, brought = tail.START, []
    for folder in looks:
        position, found = followed(position, folder)
        brought.append(found)
    return brought


def one(data: bytes, inode: int = 7) -> Folder:
    return Folder((CURRENT, inode, data))


def line(number: int, data: bytes, file: str = CURRENT) -> Line:
    return Line(file, number, data)


def notice(kind: LogNoticeKind, file: str = CURRENT) -> LogNotice:
    return LogNotice(file, kind)


OLD = "audit-20260101-000000000002.jsonl"
CUT, GONE, REPLACED, ROTATED = (
    notice(LogNoticeKind.CUT),
    notice(LogNoticeKind.GONE),
    notice(LogNoticeKind.REPLACED),
    notice(LogNoticeKind.ROTATED, OLD),
)

STORIES: dict[str, tuple[list[Folder], list[list[Item]]]] = {
    "no file": ([Folder()], [[]]),
    "an empty file": ([one(b"")], [[]]),
    "no file, then one": ([Folder(), one(b"a\n")], [[], [line(1, b"a")]]),
    "lines, then more": (
        [one(b"a\nb\n"), one(b"a\nb\n"), one(b"a\nb\nc\n")],
        [[line(1, b"a"), line(2, b"b")], [], [line(3, b"c")]],
    ),
    "a torn line completed later": (
        [one(b"a\nhal"), one(b"a\nhalf"), one(b"a\nhalf\n")],
        [[line(1, b"a")], [], [line(2, b"half")]],
    ),
    "torn inside a character": (
        [one(b"\xe3\x81"), one(b"\xe3\x81\x82\n")],
        [[], [line(1, b"\xe3\x81\x82")]],
    ),
    "only a newline is an end of a line": (
        [one(b"a\r\n\x0b\xe2\x80\xa8\x00\n\n")],
        [[line(1, b"a\r"), line(2, b"\x0b\xe2\x80\xa8\x00"), line(3, b"")]],
    ),
    "cut short": (
        [one(b"a\nb\n"), one(b""), one(b"c\n")],
        [[line(1, b"a"), line(2, b"b")], [CUT], [line(1, b"c")]],
    ),
    "cut short inside a torn line": (
        [one(b"a\nbbb"), one(b"a\nb"), one(b"a\nb\n")],
        [[line(1, b"a")], [CUT, line(1, b"a")], [line(2, b"b")]],
    ),
    "cut and grown beyond where it was": (
        [one(b"a\nb\n"), one(b"c\nd\ne\n")],
        [[line(1, b"a"), line(2, b"b")], [CUT, line(1, b"c"), line(2, b"d"), line(3, b"e")]],
    ),
    "cut and grown to the same bytes and more": (
        [one(b"a\n"), one(b"a\nb\n")],
        [[line(1, b"a")], [line(2, b"b")]],
    ),
    "rotated": (
        [one(b"a\n"), Folder((OLD, 7, b"a\nb\n"), (CURRENT, 8, b"c\n"))],
        [[line(1, b"a")], [ROTATED, line(2, b"b", OLD), line(1, b"c")]],
    ),
    "rotated with nothing after it yet": (
        [one(b"a\n"), Folder((OLD, 7, b"a\nb\n")), Folder((OLD, 7, b"a\nb\n"), (CURRENT, 8, b"c\n"))],
        [[line(1, b"a")], [ROTATED, line(2, b"b", OLD)], [line(1, b"c")]],
    ),
    "rotated twice between two looks": (
        [
            one(b"a\n"),
            Folder((OLD, 7, b"a\n"), ("audit-20260101-000000000005.jsonl", 8, b"b\n"), (CURRENT, 9, b"c\n")),
        ],
        [
            [line(1, b"a")],
            [ROTATED, line(1, b"b", "audit-20260101-000000000005.jsonl"), line(1, b"c")],
        ],
    ),
    "rotated with a torn last line, which nobody will complete": (
        [one(b"a\nto"), Folder((OLD, 7, b"a\nto"), (CURRENT, 8, b"c\n"))],
        [[line(1, b"a")], [line(2, b"to", OLD), ROTATED, line(1, b"c")]],
    ),
    "rotated files from before the first look": (
        [Folder((OLD, 7, b"a\nto"), (CURRENT, 8, b"b\n"))],
        [[line(1, b"a", OLD), line(2, b"to", OLD), line(1, b"b")]],
    ),
    "deleted": (
        [one(b"a\n"), Folder((None, 7, b"a\nb\n")), Folder((None, 7, b"a\nb\n"))],
        [[line(1, b"a")], [line(2, b"b"), GONE], []],
    ),
    "deleted and made anew": (
        [one(b"a\n"), Folder((None, 7, b"a\nb\n"), (CURRENT, 8, b"c\n"))],
        [[line(1, b"a")], [line(2, b"b"), REPLACED, line(1, b"c")]],
    ),
    "moved out of the log's order, beside older files": (
        [
            Folder((OLD, 5, b"x\n"), (CURRENT, 7, b"a\n")),
            Folder((None, 7, b"a\nb\n"), (OLD, 5, b"x\n"), (CURRENT, 8, b"c\n")),
        ],
        [[line(1, b"x", OLD), line(1, b"a")], [line(2, b"b"), REPLACED, line(1, b"c")]],
    ),
    "gone and back under its name": (
        [one(b"a\n"), Folder((None, 7, b"a\n")), one(b"a\nb\n"), Folder((None, 7, b"a\nb\n"))],
        [[line(1, b"a")], [GONE], [line(2, b"b")], [GONE]],
    ),
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_each_look_brings_what_is_new(story: tuple[list[Folder], list[list[Item]]]) -> None:
    """REC-5, REC-9: no line twice, none left out, and what befell the log is told."""
    looks, brought = story
    assert [sorted(found, key=repr) for found in after(*looks)] == [
        sorted(found, key=repr) for found in brought
    ]
    lines = [[item for item in found if isinstance(item, Line)] for found in after(*looks)]
    assert lines == [[item for item in found if isinstance(item, Line)] for found in brought]


def test_a_long_file_is_read_in_pieces() -> None:
    """No step asks for more than a piece and the mark before it."""
    data = b"x" * (2 * tail.CHUNK_BYTES) + b"\nend\n"
    position, sizes = tail.START, []
    folder = one(data)
    lines: list[Line] = []
    while (step := tail.advance(position, folder.seen())).read or step.position != position:
        position = step.position
        if step.read:
            sizes.append(step.read.stop - step.read.start)
            position, new, _ = tail.take(position, folder.read(position, step.read.start, step.read.stop))
            lines += new
    assert max(sizes) <= tail.CHUNK_BYTES + 64
    assert lines == [line(1, b"x" * (2 * tail.CHUNK_BYTES)), line(2, b"end")]


def test_a_read_that_came_short_is_gone_on_with() -> None:
    """A file may shrink and grow between the look and the read."""
    step = tail.advance(
        tail.advance(tail.START, one(b"abc\ndef\n").seen()).position, one(b"abc\ndef\n").seen()
    )
    position, lines, _ = tail.take(step.position, b"abc\nd")
    assert lines == [line(1, b"abc")]
    _, found = followed(position, one(b"abc\ndef\n"))
    assert found == [line(2, b"def")]


def test_a_line_that_was_begun_can_be_taken_as_it_is() -> None:
    """For who does not follow: a log may end without a newline (REC-5)."""
    position, found = followed(tail.START, one(b"a\nrest"))
    assert found == [line(1, b"a")]
    finished = tail.finish(position)
    assert finished.lines == [line(2, b"rest")]
    assert tail.finish(finished.position).lines == ()
    assert followed(finished.position, one(b"a\nrest"))[1] == []
