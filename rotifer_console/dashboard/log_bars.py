"""The two lines above a log: how things stand, and the columns' titles (TUI-5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual.geometry import Size

from rotifer_console.dashboard.cells import Line, Piece, fit, width_of
from rotifer_console.dashboard.drawn import Drawn

_LEAST_CUT: Final = 16


class LogStatus(Drawn):
    """One line: whether the log is followed, what is narrowed or looked for, what could not be read."""

    left: Sequence[Piece] = ()
    right: Sequence[Piece] = ()

    def show(self, left: Sequence[Piece], right: Sequence[Piece]) -> None:
        """Shows these; the same as before are not drawn again."""
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """What is on the left gives way to what is on the right."""
        taken = sum(width_of(piece.text) for piece in self.right)
        room = size.width - taken - 1
        line: list[Piece] = []
        for piece in self.left:
            cells = width_of(piece.text)
            if cells > room:
                if room >= _LEAST_CUT or not line:
                    line.append(piece._replace(text=fit(piece.text, max(0, room))))
                    room = 0
                break
            line.append(piece)
            room -= cells
        return [(*line, Piece(" " * max(0, room)), *self.right)]


class LogTitles(Drawn):
    """The columns' titles."""

    def __init__(self, titles: Callable[[int], Line], *, id: str) -> None:
        super().__init__(id=id)
        self._titles = titles

    def lines(self, size: Size) -> list[Line]:
        """One line, as wide as the list below it, whose last cell is the scroll bar's."""
        return [self._titles(size.width - 1)]
