"""A box to type into and, under it, what matches: the base of the help and of the palette (TUI-8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from rotifer_console.dashboard.actions import BY_ID
from rotifer_console.dashboard.cells import Line
from rotifer_console.dashboard.drawn import LineList
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.program import Program, program_of

_ENDS: Final = {"home": "first", "end": "last"}


class Choice(NamedTuple):
    """Some lines that belong together, and what choosing them asks for; a heading cannot be chosen."""

    lines: Sequence[Line]
    asks: str | None = None
    is_heading: bool = False


class Choices(LineList, can_focus=False):
    """The choices, a line of the list each line; the cursor lies on all lines of one choice."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.choices: Sequence[Choice] = ()
        self._choice_of: list[int] = []
        self._lines: list[Line] = []

    def show(self, choices: Sequence[Choice], *, from_the_top: bool) -> None:
        """Shows these instead; the cursor goes to the first that can be chosen, or stays."""
        self.choices = choices
        self._lines = [line for choice in choices for line in choice.lines]
        self._choice_of = [at for at, choice in enumerate(choices) for _ in choice.lines]
        self.set_rows(len(self._lines))
        if from_the_top or not self.chosen:
            self.scroll_to(y=0, animate=False, immediate=True)
            self.cursor = next((row for row in range(self.rows) if not self._heading_at(row)), 0)
        self.refresh()

    @property
    def chosen(self) -> Choice | None:
        """The choice under the cursor."""
        if not self._choice_of:
            return None
        choice = self.choices[self._choice_of[self.cursor]]
        return None if choice.is_heading else choice

    def _heading_at(self, row: int) -> bool:
        return self.choices[self._choice_of[row]].is_heading

    def line(self, row: int, part: int, width: int) -> Line:
        """One of the lines."""
        return self._lines[row]

    def under(self, row: int) -> str | None:
        """The cursor lies under the other lines of its choice too."""
        is_other = row != self.cursor and self._choice_of[row] == self._choice_of[self.cursor]
        return "cursor" if is_other and self.chosen is not None else None

    @property
    def cursor_role(self) -> str | None:
        """Shown although the box above has the keys: they move this cursor."""
        return None if self.chosen is None else "cursor"

    def step(self, way: str) -> None:
        """To the next choice, the next but some, or an end; what stands before the first is shown with it."""
        if not self.rows:
            return
        row = self.cursor
        if self._scrolls_within(way):
            return
        if way in ("first", "last"):
            rows = range(self.rows) if way == "first" else reversed(range(self.rows))
            row = next((each for each in rows if not self._heading_at(each)), row)
        elif way in ("up", "down"):
            row = self._next(row, -1 if way == "up" else 1)
        else:
            pages = {"page_up": -self.height_rows + 1, "page_down": self.height_rows - 1}
            row = max(0, min(self.rows - 1, row + pages[way]))
            if self._heading_at(row):
                row = self._next(row, -1 if way == "page_up" else 1)
        row = self._first_of(row)
        self.move_cursor(self._last_of(row))  # brings its last line into sight, then its first
        self.move_cursor(row)
        if all(self._heading_at(above) for above in range(row)):
            self.scroll_to(y=0, animate=False, immediate=True)

    def _scrolls_within(self, way: str) -> bool:
        """Shows more of a choice that is longer than the list is high, before the cursor leaves it."""
        below = way == "down" and self._last_of(self.cursor) >= self.top + self.height_rows
        above = way == "up" and self._first_of(self.cursor) < self.top
        if below or above:
            step = max(1, self.height_rows - 1)
            self.scroll_to(y=self.top + (step if below else -step), animate=False, immediate=True)
        return below or above

    def _next(self, row: int, way: int) -> int:
        at = self._choice_of[row]
        for other in range(row + way, self.rows if way > 0 else -1, way):
            if self._choice_of[other] != at and not self._heading_at(other):
                return other
        return row

    def _first_of(self, row: int) -> int:
        return self._choice_of.index(self._choice_of[row])

    def _last_of(self, row: int) -> int:
        return self._first_of(row) + len(self.choices[self._choice_of[row]].lines) - 1

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        at = event.get_content_offset(self)
        event.stop()
        if at is None or self.row_at(at.y) >= self.rows:
            return
        self.move_cursor(self._first_of(self.row_at(at.y)))
        self.post_message(self.Opened(self))


class Narrowing(Field):
    """The box: the key that opened the screen closes it too, unless it is a letter to be typed."""

    closes: Sequence[str] = ()

    class AtEnd(Message):
        """A key that goes to an end of the list, as `way` calls it."""

        def __init__(self, way: str) -> None:
            """Carries the way."""
            super().__init__()
            self.way = way

    async def _on_key(self, event: events.Key) -> None:
        if event.key in _ENDS:
            event.stop()
            event.prevent_default()
            self.post_message(self.AtEnd(_ENDS[event.key]))
        elif event.key in self.closes and not (event.character or "").isalnum():
            event.stop()
            event.prevent_default()
            self.action_leave()
        else:
            await super()._on_key(event)


class Chooser(ModalScreen[str | None], inherit_bindings=False):
    """What is chosen is handed back as what it asks for: an action's id, or a word with a colon."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step('up')", show=False),
        Binding("down", "step('down')", show=False),
        Binding("pageup", "step('page_up')", show=False),
        Binding("pagedown", "step('page_down')", show=False),
    ]
    AUTO_FOCUS = "Field"
    CAPTION: str = ""
    PLACEHOLDER: str = ""
    OPENED_BY: str
    """The action that opens it."""
    first_text: str = ""
    """What stands in the box at first."""

    @property
    def program(self) -> Program:
        """The program that the screen is part of."""
        return program_of(self)

    def compose(self) -> ComposeResult:
        """The box and the list."""
        with Vertical(id="chooser") as frame:
            frame.border_title = self.CAPTION
            frame.border_subtitle = "enter takes it, esc closes"
            field = Narrowing(self.first_text, placeholder=self.PLACEHOLDER, id="narrow")
            field.closes = self.program.rebound.get(self.OPENED_BY, BY_ID[self.OPENED_BY].keys)
            yield field
            yield Choices(id="choices")

    def choices(self, text: str, width: int) -> Sequence[Choice]:
        """What matches the text."""
        raise NotImplementedError

    def on_resize(self) -> None:
        """Lines are broken anew."""
        self.call_after_refresh(self._show, from_the_top=False)

    def on_input_changed(self, message: Field.Changed) -> None:
        """What is typed narrows."""
        message.stop()
        self._show(from_the_top=True)

    def _show(self, *, from_the_top: bool) -> None:
        if not self.is_attached:  # it was closed before what it asked for had its turn
            return
        choices = self.query_one(Choices)
        if choices.size.width:
            text = self.query_one(Field).value.strip()
            choices.show(self.choices(text, choices.size.width - 1), from_the_top=from_the_top)

    def action_step(self, way: str) -> None:
        """The cursor of the list moves while the box has the keys."""
        self.query_one(Choices).step(way)

    def on_narrowing_at_end(self, message: Narrowing.AtEnd) -> None:
        """To an end of the list."""
        message.stop()
        self.action_step(message.way)

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """Takes what is under the cursor."""
        message.stop()
        self._take()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """Takes what was clicked on."""
        message.stop()
        self._take()

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """Concerns nobody else."""
        message.stop()

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Closes, once: a second key that came with the first one closes nothing beneath."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def _take(self) -> None:
        chosen = self.query_one(Choices).chosen
        if chosen is not None and chosen.asks is not None:
            self.dismiss(chosen.asks)

    def on_field_left(self, message: Field.Left) -> None:
        """Escape closes."""
        message.stop()
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """A click beside it closes."""
        if self.get_widget_at(event.screen_x, event.screen_y)[0] is self:
            self.dismiss(None)
