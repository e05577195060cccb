"""Widgets that draw lines of pieces: the only way in which data reaches the screen (CLI-4, TUI-10).

A piece's text has passed `cells`; nothing here, or in Textual, reads markup out of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, fit, width_of
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_store import SystemClock

if TYPE_CHECKING:
    from textual.app import App


_SCROLL_BAR: Final = 1
"""The last cell of a list is its scroll bar's, whether there is one or not: nothing moves when it comes."""


class Drawing(Protocol):
    """What a drawing widget asks of the program that it is part of."""

    glyphs: Glyphs
    clock: SystemClock

    @property
    def styles_of_roles(self) -> Mapping[str, Style]:
        """The style of each role in today's look."""
        ...


def drawing(app: App[object]) -> Drawing:
    """The program as the drawing widgets see it."""
    return cast("Drawing", app)


def strip_of(line: Line, width: int, styles: Mapping[str, Style], under: Style | None = None) -> Strip:
    """A line of pieces as cells, cut or padded to a width; `under` lies below every piece."""
    segments = []
    left = width
    for piece in line:
        text = piece.text
        taken = width_of(text)
        if taken > left:
            text, taken = fit(text, left), left
        role = styles.get(piece.role, styles[""])
        segments.append(Segment(text, role if under is None else role + under))
        left -= taken
        if left <= 0:
            break
    if left > 0:
        segments.append(Segment(" " * left, under or Style()))
    return Strip(segments, width)


def action_at(line: Line, x: int) -> str | None:
    """What a click on a cell of the line asks for."""
    for piece in line:
        x -= width_of(piece.text)
        if x < 0:
            return piece.action or None
    return None


class Asked(Message):
    """A click on a piece asks for an action."""

    def __init__(self, action: str) -> None:
        """Carries the action's id, or a word that the screen knows."""
        super().__init__()
        self.action = action


class Drawn(Widget):
    """A few lines that are drawn anew when they change."""

    ALLOW_SELECT: ClassVar[bool] = False

    def lines(self, size: Size) -> Sequence[Line]:
        """What is shown, given the room that there is."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        """Textual's line interface, once for all lines."""
        self._drawn = list(self.lines(self.size))
        self._ground = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of it."""
        line = self._drawn[y] if y < len(self._drawn) else ()
        strip = strip_of(line, self.size.width, drawing(self.app).styles_of_roles)
        return strip.apply_style(self._ground)

    def on_click(self, event: events.Click) -> None:
        """What is under the mouse is asked for."""
        at = event.get_content_offset(self)
        lines = self.lines(self.size)
        if at is not None and at.y < len(lines):
            action = action_at(lines[at.y], at.x)
            if action is not None:
                event.stop()
                self.post_message(Asked(action))


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """A list of any length of which only what is in sight is drawn, with a cursor on one of its rows."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    LineList { scrollbar-size-vertical: 1; overflow-x: hidden; overflow-y: auto; }
    """
    LINES_PER_ROW: ClassVar[int] = 1
    HAS_CURSOR: ClassVar[bool] = True

    class CursorMoved(Message):
        """The cursor went to another row by hand."""

        def __init__(self, line_list: LineList) -> None:
            """Carries the list."""
            super().__init__()
            self.line_list = line_list

        @property
        def control(self) -> LineList:
            """The list."""
            return self.line_list

    class Opened(CursorMoved):
        """The row under the cursor is to be unfolded."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = 0
        self._rows = 0

    def line(self, row: int, part: int, width: int) -> Line:
        """What one line of a row shows."""
        raise NotImplementedError

    def under(self, row: int) -> str | None:
        """The role that lies under a whole row, its cursor aside."""
        return None

    @property
    def cursor_role(self) -> str | None:
        """How the row under the cursor looks; None where there is no cursor."""
        if not self.HAS_CURSOR:
            return None
        return "cursor" if self.has_focus else "resting cursor"

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._rows

    @property
    def top(self) -> int:
        """The first row in sight."""
        return round(self.scroll_y) // self.LINES_PER_ROW

    @property
    def height_rows(self) -> int:
        """How many rows are in sight."""
        return max(1, self.size.height // self.LINES_PER_ROW)

    def set_rows(self, rows: int) -> None:
        """There are so many rows now; redraws what is in sight."""
        self._rows = rows
        self.virtual_size = Size(0, rows * self.LINES_PER_ROW)
        self.cursor = max(0, min(self.cursor, rows - 1))
        self.refresh()

    def place_cursor(self, row: int, *, keep_at: int | None = None) -> None:
        """Puts the cursor on a row without telling anyone; `keep_at`: how far below the top it stays."""
        self.cursor = max(0, min(row, self._rows - 1))
        if keep_at is not None:
            self.go_to_line((self.cursor - keep_at) * self.LINES_PER_ROW)
        self._reveal()
        self.refresh()

    def move_cursor(self, row: int) -> None:
        """The cursor goes to a row, or as near as there is one; or the list scrolls, where it has none."""
        if not self.HAS_CURSOR:
            self.go_to_line(row * self.LINES_PER_ROW)
            return
        left, self.cursor = self.cursor, max(0, min(row, self._rows - 1))
        self._reveal()
        for each in {left, self.cursor}:  # the rest of what is in sight is as it was
            self.refresh_lines(each * self.LINES_PER_ROW, self.LINES_PER_ROW)
        self.post_message(self.CursorMoved(self))

    def go_to_line(self, y: int) -> None:
        """That line becomes the first in sight, or as near as can be.

        Forced: Textual scrolls nothing whose scroll bar it has not drawn yet.
        """
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def step(self, way: str) -> None:
        """Moves by an action's name: up, down, page_up, page_down, first, last."""
        page = max(1, self.height_rows - 1)
        from_row = self.cursor if self.HAS_CURSOR else self.top
        rows = {"up": -1, "down": 1, "page_up": -page, "page_down": page}
        if way in rows:
            self.move_cursor(from_row + rows[way])
        else:
            self.move_cursor(0 if way == "first" else self._rows - 1)

    def _reveal(self) -> None:
        top = round(self.scroll_y)
        first = self.cursor * self.LINES_PER_ROW
        last = first + self.LINES_PER_ROW
        if first < top:
            self.go_to_line(first)
        elif last > top + self.size.height:
            self.go_to_line(last - self.size.height)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Textual's line interface; what lies under all lines is looked up once."""
        self._ground = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line in sight."""
        row, part = divmod(y + round(self.scroll_y), self.LINES_PER_ROW)
        styles = drawing(self.app).styles_of_roles
        width = self.size.width
        if row >= self._rows:
            return strip_of((), width, styles).apply_style(self._ground)
        under = self.under(row)
        style = None if under is None else styles[under]
        role = self.cursor_role
        if role is not None and row == self.cursor:
            style = styles[role] if style is None else style + styles[role]
        return strip_of(self.line(row, part, width - _SCROLL_BAR), width, styles, style).apply_style(
            self.rich_style
        )

    def row_at(self, y: int) -> int:
        """The row that a line of the widget shows."""
        return (y + round(self.scroll_y)) // self.LINES_PER_ROW

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there, a second one unfolds."""
        at = event.get_content_offset(self)
        if at is None or not self.HAS_CURSOR:
            return
        event.stop()
        row = self.row_at(at.y)
        if row >= self._rows:
            return
        self.move_cursor(row)
        if event.chain >= 2:
            self.post_message(self.Opened(self))

    def on_resize(self, event: events.Resize) -> None:
        """What the cursor is on stays in sight: keys act on it."""
        if self.HAS_CURSOR and self._rows:
            self._reveal()

    def on_focus(self) -> None:
        """The cursor shows that keys go here."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows that keys go elsewhere."""
        self.refresh()


def pieces(*parts: tuple[str, str] | str) -> Line:
    """A line of (text, role) pairs, or plain texts."""
    return tuple(Piece(part) if isinstance(part, str) else Piece(*part) for part in parts)
