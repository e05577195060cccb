"""Following a log through any history of appends and rotations, looked at whenever (REC-5, REC-9)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rotifer_store import tail
from rotifer_store.tail import FileSeen, Line

APPENDED = st.lists(st.sampled_from([b"a", b"b\xff", b"\n", b"\r\n", b"\x00"]), max_size=6).map(b"".join)
HISTORIES = st.lists(st.one_of(APPENDED, st.sampled_from(["rotate", "look"])), max_size=40)


class Disk:
    """A log's files in their order, the last of them written to; only the last is named `current`."""

    def __init__(self) -> None:
        self.files: list[bytes] = [b""]

    def seen(self) -> list[FileSeen]:
        last = len(self.files) - 1
        return [
            FileSeen("current" if number == last else f"rotated-{number}", (1, number), len(data))
            for number, data in enumerate(self.files)
        ]


def look(disk: Disk, position: tail.Position, chunk_bytes: int) -> tuple[tail.Position, list[Line]]:
    """The position after everything has been read, a few bytes at a time, and the lines that came."""
    found: list[Line] = []
    while True:
        step = tail.advance(position, disk.seen())
        found += step.lines
        if step.read is None:
            if step.position == position:
                return position, found
            position = step.position
            continue
        stop = min(step.read.stop, step.position.offset + chunk_bytes)
        identity = step.position.identity
        assert identity is not None
        position, lines, notices = tail.take(step.position, disk.files[identity[1]][step.read.start : stop])
        assert notices == ()
        found += lines


def lines_of(data: bytes) -> list[bytes]:
    *whole, rest = data.split(b"\n")
    return [*whole, rest] if rest else whole


@given(HISTORIES, st.integers(1, 5))
def test_every_line_comes_once_and_in_order(history: list[bytes | str], chunk_bytes: int) -> None:
    """REC-5, REC-9: however the log was cut into looks, rotations and reads."""
    disk, position, found = Disk(), tail.START, []
    for event in [*history, "look"]:
        if event == "rotate":
            disk.files.append(b"")
        elif isinstance(event, bytes):
            disk.files[-1] += event
        else:
            position, lines = look(disk, position, chunk_bytes)
            found += lines
    position, rest, _ = tail.finish(position)
    found += rest
    assert [line.data for line in found] == [line for data in disk.files for line in lines_of(data)]
    numbers = [number for data in disk.files for number in range(1, len(lines_of(data)) + 1)]
    assert [line.number for line in found] == numbers
