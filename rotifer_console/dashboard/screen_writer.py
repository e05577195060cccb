"""What is drawn goes to the terminal here, in a thread of its own: one that stops reading stops nothing else.

Textual's own thread takes a few texts and then makes the program wait, for signals too. This one takes any,
says when the terminal is behind, and at the end waits for it a moment and no longer (TUI-12).
"""

from __future__ import annotations

import contextlib
import os
import select
import termios
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rich.cells import get_character_cell_size

PATIENCE_S: Final = 1.0
"""How long the end waits for a terminal that does not read: before what waits is dropped, and again after."""
BEHIND_CHARACTERS: Final = 256 << 10
"""So much waits for a terminal that is behind: several screens, however large."""

_CHUNK_BYTES: Final = 4096
_FULL_POLL_MS: Final = 100
_CANCEL: Final = "\x18"
"""Ends a sequence that was cut in the middle."""
_LOOKS_LIKE: Final = {
    ord(sign): letter
    for letter, signs in {
        "-": "─━–—╌",
        "|": "│┃▏▎▕",
        "+": "╭╮╰╯┌┐└┘├┤┬┴┼",
        "#": "▌▋▊▉█▓",
        "=": "▒",
        "_": "▁▂▃▄▅▆▇▔",
        ":": "░",
        ".": "·",
        "~": "…",
        "*": "•◆■",
        "'": "‘’",
        '"': "“”",
    }.items()
    for sign in signs
}
"""What an ASCII terminal shows for signs of frames and bars."""


def ascii_cells(text: str) -> str:
    """The text in ASCII, cell for cell: lines look alike, letters become question marks."""
    return "".join(
        character if character.isascii() else "?" * get_character_cell_size(character)
        for character in text.translate(_LOOKS_LIKE)
    )


@dataclass(frozen=True, slots=True)
class Paper:
    """Where a writer writes: the descriptor, the encoding, and whom to tell that the terminal caught up."""

    descriptor: int
    encoding: str
    ascii_only: bool
    caught_up: Callable[[], None]

    def fileno(self) -> int:
        """The terminal's descriptor."""
        return self.descriptor

    def bytes_of(self, text: str) -> bytes:
        """The text as the terminal takes it."""
        if self.ascii_only and not text.isascii():
            text = ascii_cells(text)
        return text.encode(self.encoding, "replace")


class ScreenWriter(threading.Thread):
    """Writes texts in their order; takes the place of Textual's thread of the same use."""

    def __init__(self, paper: Paper) -> None:
        super().__init__(daemon=True, name="rotifer-output")
        self._paper = paper
        self._changed = threading.Condition()  # its lock lets a signal's handler in that came upon a write
        self._waiting: deque[str] = deque()
        self._last: deque[str] = deque()
        self._waiting_characters = 0
        self._owes_screen = False
        self._is_ending = self._is_over = self._drops = self._is_droppable = False

    def write(self, text: str) -> None:
        """Takes a text; never waits."""
        with self._changed:
            if self._is_ending:
                self._last.append(text)
            else:
                self._waiting.append(text)
                self._waiting_characters += len(text)
            self._changed.notify()

    def flush(self) -> None:
        """Nothing to do: what was taken is being written."""

    def fileno(self) -> int:
        """The terminal's descriptor."""
        return self._paper.fileno()

    def is_behind(self) -> bool:
        """Whether the terminal has a lot to read yet; who asks and is told so draws all of it later."""
        with self._changed:
            is_behind = self._waiting_characters > BEHIND_CHARACTERS
            self._owes_screen |= is_behind
            return is_behind

    def begin_end(self) -> None:
        """What is written from now on puts the terminal back: it is not dropped with what waits."""
        with self._changed:
            self._is_ending = True

    def stop(self) -> None:
        """Ends when all is written, or when nobody reads it.

        What the terminal was sent and did not take is taken back then: what puts it back may find room.
        """
        with self._changed:
            if self._is_over:
                return
            self._is_over = True
            self._changed.notify()
        self.join(PATIENCE_S)
        if not self.is_alive():
            return
        with self._changed:
            self._drops = True
            self._waiting.clear()
            self._last.appendleft(_CANCEL)
        with contextlib.suppress(termios.error):
            termios.tcflush(self.fileno(), termios.TCOFLUSH)
        self.join(PATIENCE_S)

    def run(self) -> None:
        """Writes until it was stopped, or the terminal went away."""
        with contextlib.suppress(OSError):
            while (text := self._next()) is not None:
                self._send(self._paper.bytes_of(text))
                if self._paid():
                    self._paper.caught_up()

    def _next(self) -> str | None:
        with self._changed:
            while not (self._waiting or self._last or self._is_over):
                self._changed.wait()
            self._is_droppable = bool(self._waiting)
            if self._waiting:
                text = self._waiting.popleft()
                self._waiting_characters -= len(text)
                return text
            return self._last.popleft() if self._last else None

    def _paid(self) -> bool:
        """Whether the terminal has caught up and a screen is owed to it, which it gets now."""
        with self._changed:
            is_due = self._owes_screen and not self._waiting
            self._owes_screen &= not is_due
            return is_due

    def _send(self, data: bytes) -> None:
        """Writes all of it, unless the end has come and drops it.

        Raises:
            OSError: the terminal went away.
        """
        for at in range(0, len(data), _CHUNK_BYTES):
            chunk = data[at : at + _CHUNK_BYTES]
            while chunk and not (self._drops and self._is_droppable):
                try:
                    chunk = chunk[os.write(self.fileno(), chunk) :]
                except BlockingIOError:
                    _wait_for_room(self.fileno())


def _wait_for_room(descriptor: int) -> None:
    poller = select.poll()
    poller.register(descriptor, select.POLLOUT)
    poller.poll(_FULL_POLL_MS)
