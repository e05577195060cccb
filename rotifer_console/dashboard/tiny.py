"""What is left where there is no room: one line (TUI-1)."""

from __future__ import annotations

from textual.geometry import Size

from rotifer_console.dashboard.cells import Line, Piece, fit
from rotifer_console.dashboard.drawn import Drawn


class Tiny(Drawn):
    """Shown alone, below 20 by 5."""

    def lines(self, size: Size) -> list[Line]:
        """One line."""
        return [(Piece(fit("rotifer: too small", size.width)),)]
