"""A view of a log on disk through any history, against reading every file anew (REC-5, REC-9, TUI-5)."""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from rotifer_store import LogChange, LogFilter, LogView, UnreadableLine, log_index, log_view, open_store, tail
from rotifer_store.logs import audit_files

CURRENT = "audit.jsonl"
PIECES = [
    b"",
    b"\n",
    b"\n\n",
    b"{\n",
    b"\xff\xfe\x00\r\n",
    b'{"key":"%d"}\n',
    b'{"key":"%d"',
    b"x" * 30 + b"%d\n",
]
APPENDS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4)
EVENTS = st.one_of(
    APPENDS,
    APPENDS,
    st.just("rotate"),
    st.just("delete"),
    st.just("replace"),
    st.just("rewrite in place"),
    st.just("lose a rotated file"),
    st.tuples(st.just("cut"), st.integers(0, 60)),
    st.just("look"),
    st.just("look"),
)


@contextmanager
def small_pieces(stride_bytes: int, chunk_bytes: int) -> Iterator[None]:
    """What holds for pieces of a few bytes holds for all."""
    with (
        mock.patch.object(log_index, "STRIDE_BYTES", stride_bytes),
        mock.patch.object(tail, "CHUNK_BYTES", chunk_bytes),
        mock.patch.object(log_view, "_PIECE_BYTES", chunk_bytes),
        mock.patch.object(log_view, "_SLICE_BYTES", 4 * stride_bytes),
        mock.patch.object(log_view, "_POLL_BYTES", 8 * chunk_bytes),
    ):
        yield


class Disk:
    """A log in a folder; every byte that is written is other than those before, but for what ends a line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / CURRENT
        self.numbers = itertools.count(1)
        self.log.touch()

    def do(self, event: Any) -> None:
        if isinstance(event, list):
            with self.log.open("ab") as file:
                for piece in event:
                    file.write(piece % next(self.numbers) if b"%d" in piece else piece)
        elif event == "rotate" and self.log.exists():
            self.log.rename(self.folder / f"audit-20260101-{next(self.numbers):012d}.jsonl")
            self.log.touch()
        elif event == "delete":
            self.log.unlink(missing_ok=True)
        elif event == "replace":
            new = self.folder / "new"
            new.write_bytes(b"new %d\n" % next(self.numbers))
            new.rename(self.log)
        elif event == "rewrite in place" and self.log.exists():
            data = self.log.read_bytes()
            with self.log.open("r+b") as file:
                file.write((b"%d," % next(self.numbers) * len(data))[: len(data)])
        elif event == "lose a rotated file" and len(self.rotated()) > 1:
            self.rotated()[0].unlink()
        elif isinstance(event, tuple) and self.log.exists():
            os.truncate(self.log, min(event[1], self.log.stat().st_size))

    def rotated(self) -> list[Path]:
        return audit_files(self.folder)[:-1]

    def lines(self) -> list[bytes]:
        found = []
        for path in audit_files(self.folder):
            data = path.read_bytes() if path.exists() else b""
            *whole, rest = data.split(b"\n")
            found += [*whole, rest] if rest else whole
        return found


class Seen(NamedTuple):
    """All lines of a view, None for one that has gone, and the first that its polls told as changed."""

    lines: list[bytes | None]
    first_changed: int


def settled(view: LogView[Any]) -> Seen:
    """The view when its polls find nothing new."""
    first_changed = before = view.line_count
    while True:
        change = view.poll()
        kept = before
        if change.first_changed is not None:
            first_changed = min(first_changed, change.first_changed)
            kept = min(before, change.first_changed) if change.restarted else before
        assert view.line_count == kept + change.added
        before = view.line_count
        if change == LogChange() and not view.is_behind:
            raws = [view.raw(line) for line in range(view.line_count)]
            assert view.raw(view.line_count) is None
            return Seen([None if raw is None else raw.data for raw in raws], first_changed)


@given(st.lists(EVENTS, max_size=25), st.sampled_from([1, 2, 7, 64]), st.sampled_from([1, 5, 100]))
def test_a_view_has_the_lines_that_reading_anew_has(
    history: list[Any], stride_bytes: int, chunk_bytes: int
) -> None:
    """TUI-5: each line once, in order, under its number, whatever befell the log between two looks."""
    with tempfile.TemporaryDirectory() as name, small_pieces(stride_bytes, chunk_bytes):
        disk = Disk(Path(name))
        with open_store(state_dir=disk.folder) as store, store.audit_view() as view:
            shown = settled(view).lines
            for event in [*history, "look"]:
                if event != "look":
                    disk.do(event)
                    continue
                seen = settled(view)
                kept = seen.first_changed
                if None in seen.lines:  # found by reading, and left out by the next poll
                    seen = settled(view)
                    kept = min(kept, seen.first_changed)
                assert seen.lines[:kept] == shown[:kept]
                shown = seen.lines
                if disk.log.exists():
                    assert seen.lines == disk.lines()
                    check_reads(view, disk.lines())


def check_reads(view: LogView[Any], lines: list[bytes]) -> None:
    """Records, pages and searches agree with the lines themselves."""
    records = view.records(0, len(lines) + 5)
    readable = [re.fullmatch(rb'\{"key":"[0-9]+"\}', line) is not None for line in lines]
    assert [not isinstance(record, UnreadableLine) for record in records] == readable
    assert [r.size_bytes for r in records if isinstance(r, UnreadableLine)] == [
        len(line) for line, is_readable in zip(lines, readable, strict=True) if not is_readable
    ]
    for first in range(0, len(lines), 3):
        assert view.records(first, 2) == records[first : first + 2]
    assert view.newest(3) == records[-3:]
    found = list(view.matches(LogFilter(text="X1"), first=1))
    assert [line for part in found for line in part.lines] == [
        number for number in reversed(range(1, len(lines))) if b"x1" in lines[number]
    ]
    whole = len(lines) - (view.begun_bytes > 0)
    assert [line for part in found for line in part.unreadable] == [
        number for number in reversed(range(1, len(lines))) if not readable[number] and number < whole
    ]
