"""Where a log's lines stand, as a pure function of what is seen of its files and read from them (REC-5)."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from rotifer_store import log_index
from rotifer_store.log_index import FileLines, LogIndex, News
from rotifer_store.tail import FileSeen, LogNotice, LogNoticeKind

CURRENT = "audit.jsonl"
OLD, NEXT = "audit-20260101-000000000002.jsonl", "audit-20260101-000000000005.jsonl"
ROTATED, REPLACED, CUT, GONE = (
    LogNoticeKind.ROTATED,
    LogNoticeKind.REPLACED,
    LogNoticeKind.CUT,
    LogNoticeKind.GONE,
)


@pytest.fixture(autouse=True, params=[3, 4, 1 << 16])
def _strides(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds for strides of a few bytes holds for all."""
    monkeypatch.setattr(log_index, "STRIDE_BYTES", request.param)


class Folder:
    """The files of a log, in memory: in order, each with its name, its identity and its bytes."""

    def __init__(self, *files: tuple[str | None, int, bytes]) -> None:
        self.seen = [FileSeen(name, (1, inode), len(data)) for name, inode, data in files]
        self.bytes = {(1, inode): data for _, inode, data in files}


def one(data: bytes, inode: int = 7) -> Folder:
    return Folder((CURRENT, inode, data))


def looked(index: LogIndex, folder: Folder) -> News:
    """What became of the lines when everything that is new has been read, the mark first."""
    if index.position.identity is not None:
        offset = index.position.offset
        start = offset - len(index.position.mark)
        index.take(folder.bytes[index.position.identity][start:offset])
    while step_through(index, folder):
        pass
    return index.news()


def step_through(index: LogIndex, folder: Folder) -> bool:
    before = index.position
    step = index.look(folder.seen)
    index.accept(step, folder.seen)
    if step.read is not None:
        assert step.position.identity is not None
        index.take(folder.bytes[step.position.identity][step.read.start : step.read.stop])
    return index.position != before


def line_of(file: FileLines, number: int, data: bytes) -> bytes:
    """The line as its file's index finds it: by two searches in a stride each."""
    places = []
    for line in (number, number + 1):
        search = file.search(line)
        places.append(search.place(data[search.within.start : search.within.stop]))
    return data[places[0] : places[1]].removesuffix(b"\n")


def lines_of(index: LogIndex, folder: Folder) -> list[bytes]:
    found = []
    for passage in index.passages(0, index.line_count):
        data = folder.bytes[passage.file.identity]
        numbers = range(passage.first, passage.first + passage.line_count)
        found += [line_of(passage.file, number, data) for number in numbers]
    return found


class Told(NamedTuple):
    """What one look leaves: all lines, and what it tells."""

    lines: list[bytes]
    added: int
    first_changed: int | None = None
    restarted: bool = False
    kinds: tuple[LogNoticeKind, ...] = ()


STORIES: dict[str, list[tuple[Folder, Told]]] = {
    "no file, then an empty one, then a line": [
        (Folder(), Told([], 0)),
        (one(b""), Told([], 0)),
        (one(b"a\n"), Told([b"a"], 1, 0)),
        (one(b"a\n"), Told([b"a"], 0)),
    ],
    "lines, then more": [
        (one(b"a\nbb\n"), Told([b"a", b"bb"], 2, 0)),
        (one(b"a\nbb\n\nccc\n"), Told([b"a", b"bb", b"", b"ccc"], 2, 2)),
    ],
    "a line that is being written counts once": [
        (one(b"a\nhal"), Told([b"a", b"hal"], 2, 0)),
        (one(b"a\nhalf"), Told([b"a", b"half"], 0, 1)),
        (one(b"a\nhalf\n"), Told([b"a", b"half"], 0, 1)),
        (one(b"a\nhalf\nb"), Told([b"a", b"half", b"b"], 1, 2)),
    ],
    "only a newline is an end of a line": [
        (
            one(b"\xef\xbb\xbfa\r\n\x0b\xe2\x80\xa8\x00\n\n\xff\xfe"),
            Told([b"\xef\xbb\xbfa\r", b"\x0b\xe2\x80\xa8\x00", b"", b"\xff\xfe"], 4, 0),
        )
    ],
    "cut short": [
        (one(b"a\nb\n"), Told([b"a", b"b"], 2, 0)),
        (one(b""), Told([], 0, 0, True, (CUT,))),
        (one(b"c\n"), Told([b"c"], 1, 0)),
    ],
    "cut short inside the line that was begun": [
        (one(b"a\nbbb"), Told([b"a", b"bbb"], 2, 0)),
        (one(b"a\nb"), Told([b"a", b"b"], 2, 0, True, (CUT,))),
    ],
    "cut and grown beyond where it was": [
        (one(b"a\nb\n"), Told([b"a", b"b"], 2, 0)),
        (one(b"c\nd\ne\n"), Told([b"c", b"d", b"e"], 3, 0, True, (CUT,))),
    ],
    "cut and grown to where it was": [
        (one(b"a\nb\n"), Told([b"a", b"b"], 2, 0)),
        (one(b"c\nd\n"), Told([b"c", b"d"], 2, 0, True, (CUT,))),
    ],
    "rotated files come first and stay when the last is cut": [
        (Folder((OLD, 6, b"x\ny"), (CURRENT, 7, b"a\nb\n")), Told([b"x", b"y", b"a", b"b"], 4, 0)),
        (Folder((OLD, 6, b"x\ny"), (CURRENT, 7, b"c\n")), Told([b"x", b"y", b"c"], 1, 2, True, (CUT,))),
    ],
    "rotated": [
        (one(b"a\n"), Told([b"a"], 1, 0)),
        (
            Folder((OLD, 7, b"a\nb\n"), (CURRENT, 8, b"c\n")),
            Told([b"a", b"b", b"c"], 2, 1, False, (ROTATED,)),
        ),
    ],
    "rotated with nothing more in it": [
        (one(b"a\nto"), Told([b"a", b"to"], 2, 0)),
        (
            Folder((OLD, 7, b"a\nto"), (CURRENT, 8, b"")),
            Told([b"a", b"to"], 0, None, False, (ROTATED,)),
        ),
        (Folder((OLD, 7, b"a\nto"), (CURRENT, 8, b"b")), Told([b"a", b"to", b"b"], 1, 2)),
    ],
    "rotated twice between two looks": [
        (one(b"a\n"), Told([b"a"], 1, 0)),
        (
            Folder((OLD, 7, b"a\n"), (NEXT, 8, b"b\n"), (CURRENT, 9, b"c\n")),
            Told([b"a", b"b", b"c"], 2, 1, False, (ROTATED,)),
        ),
    ],
    "gone, and its lines stay until another comes": [
        (one(b"a\n"), Told([b"a"], 1, 0)),
        (Folder((None, 7, b"a\nb\n")), Told([b"a", b"b"], 1, 1, False, (GONE,))),
        (Folder((None, 7, b"a\nb\n")), Told([b"a", b"b"], 0)),
        (
            Folder((None, 7, b"a\nb\n"), (CURRENT, 8, b"c\n")),
            Told([b"c"], 1, 0, True, (REPLACED,)),
        ),
    ],
    "gone and back under its name": [
        (one(b"a\n"), Told([b"a"], 1, 0)),
        (Folder((None, 7, b"a\n")), Told([b"a"], 0, None, False, (GONE,))),
        (one(b"a\nb\n"), Told([b"a", b"b"], 1, 1)),
    ],
    "replaced beside rotated files": [
        (Folder((OLD, 6, b"x\n"), (CURRENT, 7, b"a\nb\n")), Told([b"x", b"a", b"b"], 3, 0)),
        (
            Folder((None, 7, b"a\nb\n"), (OLD, 6, b"x\n"), (CURRENT, 8, b"c\nd\ne\n")),
            Told([b"x", b"c", b"d", b"e"], 3, 1, True, (REPLACED,)),
        ),
    ],
    "replaced, and what replaced it rotated": [
        (Folder((OLD, 6, b"x\n"), (CURRENT, 7, b"a\n")), Told([b"x", b"a"], 2, 0)),
        (
            Folder((None, 7, b"a\n"), (OLD, 6, b"x\n"), (NEXT, 8, b"b\n"), (CURRENT, 9, b"c\n")),
            Told([b"x", b"b", b"c"], 2, 1, True, (REPLACED,)),
        ),
    ],
    "replaced when a rotated file had gone too": [
        (Folder((OLD, 5, b"w\n"), (NEXT, 6, b"x\n"), (CURRENT, 7, b"a\n")), Told([b"w", b"x", b"a"], 3, 0)),
        (
            Folder((None, 7, b"a\n"), (NEXT, 6, b"x\n"), (CURRENT, 8, b"b\n")),
            Told([b"x", b"b"], 2, 0, True, (REPLACED,)),
        ),
    ],
    "cut, then rotated, before a look": [
        (one(b"a\nb\n"), Told([b"a", b"b"], 2, 0)),
        (
            Folder((OLD, 7, b""), (CURRENT, 8, b"c\n")),
            Told([b"c"], 1, 0, True, (CUT, ROTATED)),
        ),
    ],
    "rewritten to its size, then rotated, before a look": [
        (one(b"a\nb\n"), Told([b"a", b"b"], 2, 0)),
        (
            Folder((OLD, 7, b"cde\n"), (CURRENT, 8, b"f\n")),
            Told([b"cde", b"f"], 2, 0, True, (CUT, ROTATED)),
        ),
    ],
    "another file of the inode that a rotated one had": [
        (Folder((OLD, 6, b"x\n"), (CURRENT, 7, b"a\n")), Told([b"x", b"a"], 2, 0)),
        (
            Folder((NEXT, 7, b"a\n"), (CURRENT, 6, b"b\n")),
            Told([b"x", b"a", b"b"], 1, 2, False, (ROTATED,)),
        ),
    ],
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_each_look_leaves_the_lines_that_there_are(story: list[tuple[Folder, Told]]) -> None:
    """REC-5, REC-9, TUI-5: no line twice, none left out, and what befell the log is told."""
    index = LogIndex()
    kept: dict[tuple[int, int], bytes] = {}
    for folder, told in story:
        news = looked(index, folder)
        reused = [file for file in index.files if file.identity == (1, 6)]
        if len(reused) < 2:  # of two files with one inode only the newer one's bytes are known here
            kept |= folder.bytes
            folder.bytes = kept | folder.bytes
            assert lines_of(index, folder) == told.lines
        assert index.line_count == len(told.lines)
        kinds = tuple(notice.kind for notice in news.notices)
        assert (news.added, news.first_changed, news.restarted, kinds) == told[1:]


@pytest.mark.parametrize("tail", [b"", b"b", b"\n"])
def test_a_line_counts_with_and_without_its_newline(tail: bytes) -> None:
    """TUI-5: what is begun is told apart by its bytes."""
    index = LogIndex()
    looked(index, one(b"a\n" + tail))
    assert (index.line_count, index.begun_bytes) == (1 + len(tail), len(tail.rstrip(b"\n")))


def test_a_cut_of_what_was_never_told_loses_nothing() -> None:
    """The number of lines that are told as new is the number that there are more."""
    index = LogIndex()
    looked(index, Folder((OLD, 6, b"x\n"), (CURRENT, 7, b"")))
    for data in (b"a\nb\n", b"c\n"):
        folder = Folder((OLD, 6, b"x\n"), (CURRENT, 7, data))
        step_through(index, folder)
    news = looked(index, folder)
    assert (news.added, news.first_changed, news.restarted) == (1, 1, True)


def test_a_file_that_has_gone_leaves_the_others() -> None:
    """TUI-5: numbers of the lines after it change, and that is told."""
    index = LogIndex()
    folder = Folder((OLD, 5, b"w\n"), (NEXT, 6, b"x\n"), (CURRENT, 7, b"a\n"))
    looked(index, folder)
    for name in (NEXT, CURRENT):  # the one that is being read cannot be dropped
        index.drop(next(file for file in index.files if file.name == name))
    assert index.news() == News(1, 1, True, (LogNotice(NEXT, GONE),))
    assert lines_of(index, folder) == [b"w", b"a"]


def test_bytes_ahead_are_those_of_this_file_and_the_ones_after_it() -> None:
    """TUI-5: a screen shows how far the count is."""
    index = LogIndex()
    folder = Folder((OLD, 5, b"w\n"), (NEXT, 6, b"x\n"), (CURRENT, 7, b"abc\n"))
    assert index.bytes_ahead(folder.seen) == 0
    ahead = []
    for _ in range(6):
        step_through(index, folder)
        ahead.append(index.bytes_ahead(folder.seen))
    assert ahead == [8, 6, 6, 4, 4, 0]


SLICED = b"".join(b"%d\n" % number for number in range(100, 160)) + b"x" * 50 + b"\n\n\nlast"


@pytest.mark.parametrize("size_bytes", [1, 4, 16, 1000])
@pytest.mark.parametrize("first", [0, 1, 33, 59])
@pytest.mark.parametrize("last", [1, 2, 34, 60, 62, 64, 70])
def test_slices_backwards_meet_without_gap_or_overlap(size_bytes: int, first: int, last: int) -> None:
    """TUI-5: a search sees every line once, newest first, however long one is."""
    index = LogIndex()
    folder = Folder((OLD, 6, b"r\n" * 2), (NEXT, 8, b""), (CURRENT, 7, SLICED))
    looked(index, folder)
    seen: list[int] = []
    at = last
    while (found := index.slice_before(at, first, size_bytes)) is not None:
        start, passage = found
        assert start < at
        seen[:0] = range(start, start + passage.line_count)
        assert list(index.passages(start, start + passage.line_count)) == [passage]
        at = start
    assert seen == list(range(first, min(last, index.line_count)))


def test_no_line_stands_where_bytes_are_others_than_were_counted() -> None:
    """A file may be cut between the count and the read."""
    index = LogIndex()
    looked(index, one(b"a\nb\nc\n"))
    search = index.files[0].search(2)
    assert search.place(b"no newline") is None
    assert index.files[0].search(9).place(b"") == 6
    assert list(index.passages(5, 9)) == list(index.passages(-3, 0)) == []


def test_any_of_many_lines_is_found_in_one_stride() -> None:
    """TUI-5: neither the index nor a search grows with what stands between."""
    file = FileLines("x", (1, 1))
    data = b"".join(b'{"number":%d}\n' % number for number in range(100_000))
    for start in range(0, len(data), 1_000_003):
        file.add(b"mark" + data[start : start + 1_000_003], 4)
    assert file.line_count == 100_000
    assert line_of(file, 77_777, data) == b'{"number":77777}'
    within = file.search(77_777).within
    assert within.stop - within.start <= log_index.STRIDE_BYTES
