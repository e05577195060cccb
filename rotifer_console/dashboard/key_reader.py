"""Keys, clicks and pastes out of what a terminal sends; a paste whose end never comes is ended (CLI-2).

Textual waits for the end of a paste as long as it takes. A line that lost it would take every key with it,
the one that leaves too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable
from typing import Final

from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.events import Paste
from textual.message import Message

LONGEST_SILENCE_S: Final = 1.0
"""A paste that says nothing for so long is over: what comes next is a key."""
MOST_CHARACTERS: Final = 64 << 10
"""What is kept of a paste, more than any box takes; what exceeds it is lost, and no key either."""

_CTRL_C: Final = "\x03"
_BEGINS: Final = re.compile(r"\x1b\[200~|\x03")
_ENDS: Final = re.compile(r"\x1b\[201~|\x03|\x1b\[99;5[;:0-9]*u")
"""The last one is Ctrl-C of a terminal that tells keys apart."""
_LONGEST_MARK: Final = 16
_MOUSE: Final = re.compile(r"(?:\x1b\[<[-\d;]*[mM])+")
"""The mouse tells of itself unasked: no sign that a paste goes on."""


class KeyReader(XTermParser):
    """Textual's reader, which is shown the beginning and the end of a paste; the text is kept here."""

    def __init__(self, debug: bool = False) -> None:
        self._before = ""
        self._pasted: list[str] | None = None
        self._room = 0
        self._held = ""
        self._heard_at_s = 0.0
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        """What the characters mean; in a paste none is a key but Ctrl-C."""
        if not data:  # the end of all input
            yield from super().feed(data)
        while data:
            data = yield from (self._keys(data) if self._pasted is None else self._paste(data))

    def tick(self) -> Iterable[Message]:
        """What is clear now because nothing followed: a lone escape, or that a paste is over."""
        if self._pasted is not None:
            if time.monotonic() - self._heard_at_s >= LONGEST_SILENCE_S:
                self._keep(self._held)
                yield self._end_paste()
            return
        waits_for_more = self._timeout_time is not None
        yield from super().tick()
        if waits_for_more and self._timeout_time is None:
            self._before = ""  # a mark that began there was none

    def _keys(self, data: str) -> Generator[Message, None, str]:
        """Reads up to the next paste or Ctrl-C; the rest is left."""
        seen = self._before + data
        mark = _BEGINS.search(seen)
        if mark is None:
            self._before = seen[1 - len(BRACKETED_PASTE_START) :]
            yield from super().feed(data)
            return ""
        end = mark.end() - len(self._before)
        self._before = ""
        if mark[0] == _CTRL_C:
            if end > 1:  # nothing at all would be the end of all input
                yield from super().feed(data[: end - 1])
            yield from self._what_waits()
            yield from super().feed(_CTRL_C)
        else:
            yield from super().feed(data[:end])
            self._pasted, self._room, self._held = [], MOST_CHARACTERS, ""
            self._heard_at_s = time.monotonic()
        return data[end:]

    def _what_waits(self) -> Iterable[Message]:
        """What an escape means that nothing may follow."""
        if self._timeout_time is not None:
            self._timeout_time = 0.0
            yield from super().tick()

    def _paste(self, data: str) -> Generator[Message, None, str]:
        """Reads up to the end of the paste; the rest is left."""
        if not _MOUSE.fullmatch(data):
            self._heard_at_s = time.monotonic()
        text = self._held + data
        mark = _ENDS.search(text)
        if mark is None:
            at = text.rfind("\x1b", max(0, len(text) - _LONGEST_MARK))
            self._held = "" if at < 0 else text[at:]
            self._keep(text if at < 0 else text[:at])
            return ""
        self._keep(text[: mark.start()])
        yield self._end_paste()
        if mark[0] != BRACKETED_PASTE_END:
            yield from super().feed(mark[0])
        return text[mark.end() :]

    def _keep(self, text: str) -> None:
        assert self._pasted is not None
        self._pasted.append(text[: self._room])
        self._room -= len(self._pasted[-1])

    def _end_paste(self) -> Paste:
        pasted = "".join(self._pasted or ())
        self._pasted = None
        for _ in super().feed(BRACKETED_PASTE_END):
            continue  # Textual's own paste, which has no text
        return Paste(pasted.replace("\x00", ""))
