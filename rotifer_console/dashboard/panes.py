"""Panes that only show: lines that scroll, and a few words where there is nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from textual.events import Resize
from textual.geometry import Size
from textual.message import Message

from rotifer_console.dashboard.cells import Line, Piece, fit, wrapped
from rotifer_console.dashboard.drawn import Drawn, LineList


class TextPane(LineList):
    """Lines that scroll; there is no cursor."""

    HAS_CURSOR = False

    class Resized(Message):
        """There is another amount of room for the lines; at first there is none."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.shown: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Shows the lines; the scroll stays where it is while there is anything there."""
        if list(lines) != list(self.shown):
            self.shown = lines
            self.set_rows(len(lines))

    def on_resize(self, event: Resize) -> None:
        """Tells whoever breaks the lines."""
        self.post_message(self.Resized())

    def line(self, row: int, part: int, width: int) -> Line:
        """One of the lines."""
        return self.shown[row] if row < len(self.shown) else ()


class EmptyPlace(Drawn):
    """What would be here, and how to get it."""

    texts: tuple[str, ...] = ()

    def say(self, *texts: str) -> None:
        """Shows these lines instead of a list."""
        if texts != self.texts:
            self.texts = texts
            self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """The texts, a third down, in the middle."""
        width = max(10, size.width - 4)
        shown = [part for text in self.texts for part in wrapped(text, width)]
        above = max(0, (size.height - len(shown)) // 3)
        blank: list[Line] = [()] * above
        return [
            *blank,
            *[
                (Piece(" " * max(0, (size.width - len(text)) // 2)), Piece(fit(text, len(text)), "dim"))
                for text in shown
            ],
        ]
