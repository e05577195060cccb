"""Text in cells: what fits a column, cut so that the frame around it stays where it is (CLI-4, TUI-1).

Terminals disagree about characters that join, combine to flags or change the width of others. Those become
visible marks here, so what is left counts the same everywhere: nothing, one cell or two each.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from rich.cells import get_character_cell_size

from rotifer_console.view.safe_text import safe_text

_UNASSIGNED_OR_PRIVATE: Final = frozenset({"Cn", "Co"})
_RESHAPING: Final = (
    (0x1160, 0x11FF),  # Hangul vowels and finals, which join what stands before them
    (0x20E3, 0x20E3),  # a keycap around what stands before it
    (0xD7B0, 0xD7FF),
    (0xFE00, 0xFE0F),  # variation selectors: text or emoji, one cell or two
    (0x1F1E6, 0x1F1FF),  # halves of flags
    (0x1F3FB, 0x1F3FF),  # skin tones
    (0xE0100, 0xE01EF),
)
_ELLIPSIS: Final = "…"


class Piece(NamedTuple):
    """Some text of a line, the role that gives it its look, and what a click on it asks for."""

    text: str
    role: str = ""
    action: str = ""


Line = tuple[Piece, ...]
"""What one line of a list shows, from left to right."""


def width_of(text: str) -> int:
    """How many cells a text that `cell_text` has made takes."""
    return len(text) if text.isascii() else sum(map(get_character_cell_size, text))


@lru_cache(maxsize=4096)
def cell_text(text: str) -> str:
    """The safe text in which every character has a width of its own that terminals agree on."""
    shown = safe_text(text)
    return shown if shown.isascii() else "".join(map(_settled, shown))


def fit(text: str, width: int, *, right: bool = False, ellipsis: str = _ELLIPSIS) -> str:
    """The text made safe, in exactly `width` cells: padded, or its middle left out.

    Beginning and end stay, for keys differ in either.
    """
    shown = cell_text(text[: 4 * width + 8] + text[-4 * width - 8 :] if len(text) > 8 * width + 16 else text)
    missing = width - width_of(shown)
    if missing >= 0:
        return f"{' ' * missing}{shown}" if right else f"{shown}{' ' * missing}"
    if width <= 0:
        return ""
    room = width - len(ellipsis)
    if room <= 0:
        return ellipsis[:width]
    head = _beginning(shown, room - room // 3)
    tail = _ending(shown, room - width_of(head))
    cut = f"{head}{ellipsis}{tail}"
    return f"{cut}{' ' * (width - width_of(cut))}"


def wrapped(text: str, width: int) -> list[str]:
    """The text made safe, in lines of at most `width` cells; no character is lost.

    Breaks at a blank where there is one in reach, else anywhere.
    """
    lines: list[str] = []
    shown, start = cell_text(text), 0
    while True:
        ahead = shown[start : start + 4 * width + 8]  # a long text must not be measured for every line
        line = _beginning(ahead, width) or ahead[:1]
        stop = start + len(line)
        if stop >= len(shown):
            return [*lines, line]
        blank = line.rfind(" ")
        if blank > 0 and shown[stop] != " ":
            line = line[: blank + 1]
        lines.append(line)
        start += len(line)


def _settled(character: str) -> str:
    code = ord(character)
    if code < 0x300:
        return character
    if any(first <= code <= last for first, last in _RESHAPING):
        return f"<U+{code:04X}>"
    if unicodedata.category(character) in _UNASSIGNED_OR_PRIVATE:
        return f"<U+{code:04X}>"
    return character


def _beginning(text: str, width: int) -> str:
    taken = 0
    for index, character in enumerate(text):
        taken += get_character_cell_size(character)
        if taken > width:
            return text[:index]
    return text


def _ending(text: str, width: int) -> str:
    taken = 0
    for index in range(len(text) - 1, -1, -1):
        taken += get_character_cell_size(text[index])
        if taken > width:
            start = index + 1
            while start < len(text) and get_character_cell_size(text[start]) == 0:
                start += 1  # a mark must not combine with the ellipsis
            return text[start:]
    return text
