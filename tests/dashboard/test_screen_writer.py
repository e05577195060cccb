"""What is drawn on its way to the terminal, which may not read it (TUI-12)."""

from __future__ import annotations

import contextlib
import os
import pty
import threading
import tty
from collections.abc import Callable, Iterator

import pytest

from rotifer_console.dashboard.screen_writer import BEHIND_CHARACTERS, Paper, ScreenWriter

LONGEST_S = 20.0
Begin = Callable[..., ScreenWriter]


def nothing() -> None:
    """Who draws is not told."""


class _Desk:
    """A terminal, both ends ours, and writers to it."""

    def __init__(self) -> None:
        self.screen, self.terminal = pty.openpty()
        tty.setraw(self.terminal)
        os.set_blocking(self.terminal, False)
        os.set_blocking(self.screen, False)
        self.shown = b""

    def writer(self, caught_up: Callable[[], None] = nothing, *, ascii_only: bool = False) -> ScreenWriter:
        writer = ScreenWriter(Paper(self.terminal, "utf-8", ascii_only, caught_up))
        writer.start()
        return writer

    def read(self) -> None:
        """Takes in what is there."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.screen, 65536):
                self.shown += chunk

    def read_until(self, happened: Callable[[], bool]) -> None:
        """Reads on until that happened."""
        waited = threading.Event()
        for _ in range(round(LONGEST_S / 0.005)):
            self.read()
            if happened():
                return
            waited.wait(0.005)
        raise AssertionError(f"it did not come to that after {self.shown[-200:]!r}")


@pytest.fixture
def desk() -> Iterator[_Desk]:
    desk = _Desk()
    yield desk
    for descriptor in (desk.terminal, desk.screen):
        with contextlib.suppress(OSError):
            os.close(descriptor)


@pytest.mark.parametrize(
    ("ascii_only", "expected"), [(False, "│ é 键 \ud83d│".encode(errors="replace")), (True, b"| ? ?? ?|")]
)
def test_texts_come_in_their_order_as_the_terminal_takes_them(
    desk: _Desk, ascii_only: bool, expected: bytes
) -> None:
    """CLI-3: half a character breaks nothing."""
    writer = desk.writer(ascii_only=ascii_only)
    writer.write("│ é 键 ")
    writer.write("\ud83d│")
    writer.stop()
    desk.read()
    assert desk.shown == expected


def test_whoever_draws_never_waits_and_all_of_it_comes(desk: _Desk) -> None:
    """TUI-9: a terminal that reads late gets everything that was written."""
    told = threading.Event()
    writer = desk.writer(told.set)
    frame = "x" * 5000
    for _ in range(200):
        writer.write(frame)
    assert writer.is_behind()
    assert not told.is_set()
    desk.read_until(told.is_set)
    assert len(desk.shown) == 200 * len(frame)
    assert not writer.is_behind()
    writer.stop()


def test_nobody_is_told_who_drew_everything(desk: _Desk) -> None:
    """TUI-5: what was not left out need not be drawn again."""
    told = threading.Event()
    writer = desk.writer(told.set)
    writer.write("x" * BEHIND_CHARACTERS)
    assert not writer.is_behind()
    desk.read_until(lambda: len(desk.shown) == BEHIND_CHARACTERS)
    writer.stop()
    assert not told.is_set()


def test_at_the_end_what_nobody_read_gives_way_to_what_puts_the_terminal_back(desk: _Desk) -> None:
    """TUI-12: the sequence that was cut is cancelled before."""
    writer = desk.writer()
    for _ in range(200):
        writer.write("x" * 5000)
    writer.begin_end()
    writer.write("[back]")
    writer.stop()
    assert not writer.is_alive()
    desk.read()
    assert desk.shown.endswith(b"x\x18[back]")
    assert len(desk.shown) < 200_000


def test_a_terminal_that_went_away_is_no_trouble(desk: _Desk) -> None:
    """TUI-12."""
    writer = desk.writer()
    os.close(desk.screen)
    for _ in range(50):
        writer.write("x" * 5000)
    writer.stop()
    assert not writer.is_alive()
    writer.write("x")
    writer.stop()
