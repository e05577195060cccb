"""A box with its name beside it, and texts that wrap: what forms are made of."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, fit, wrapped
from rotifer_console.dashboard.drawn import Drawn, drawing

Said = tuple[str, str]
"""A text and its role."""


class Paragraph(Drawn):
    """Texts that wrap, as high as they are."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.said: tuple[Said, ...] = ()

    def say(self, *said: Said) -> None:
        """Shows these texts, each from a line of its own on."""
        if said != self.said:
            self.said = said
            self.refresh(layout=True)

    def lines(self, size: Size) -> list[Line]:
        """The texts, wrapped."""
        return [
            (Piece(part, role),) for text, role in self.said for part in wrapped(text, max(4, size.width))
        ]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the texts take."""
        return len(self.lines(Size(width, 1)))


class RowLabel(Drawn):
    """What a row of a form is called, with a sign where it has the keys."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.is_current = False

    def lines(self, size: Size) -> list[Line]:
        """The sign and the name."""
        sign = drawing(self.app).glyphs.cursor if self.is_current else " "
        role = "accent" if self.is_current else "dim"
        return [(Piece(f"{sign} ", "accent"), Piece(fit(self.text, size.width - 2), role))]


class FormRow(Horizontal):
    """A name, and beside it the box that is typed into, or what is chosen."""

    def __init__(self, label: str, field: Widget) -> None:
        super().__init__()
        self.label = RowLabel(label)
        self.field = field

    def compose(self) -> ComposeResult:
        """The name, and what stands beside it."""
        yield self.label
        yield self.field

    def on_descendant_focus(self) -> None:
        """The row has the keys."""
        self._mark(True)

    def on_descendant_blur(self) -> None:
        """It has them no more."""
        self._mark(False)

    def _mark(self, is_current: bool) -> None:
        self.label.is_current = is_current
        self.label.refresh()
