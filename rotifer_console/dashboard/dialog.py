"""What every dialog has: a box over the screen, choices that say what they do, ears that open late (TUI-7).

A dialog hears nothing until it has been painted and no key has come for a quiet moment, so nothing that was
typed before it stood there counts: neither a key that is held down nor words typed ahead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen, ScreenResultType
from textual.timer import Timer
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line
from rotifer_console.dashboard.choices import Choice, Toggle
from rotifer_console.dashboard.drawn import drawing
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.form_row import Paragraph
from rotifer_console.dashboard.panes import TextPane
from rotifer_console.dashboard.program import Program, program_of

QUIET_S: Final = 0.25
"""How long no key must have come before a dialog listens; longer than keys that are typed ahead lie apart."""

_BOX_WIDTH: Final = 76
_NARROW: Final = 50
_LOW: Final = 20
_FRAME_HEIGHT: Final = 2
_STEPS: Final = ("up", "down", "left", "right", "pageup", "pagedown")


class Dialog(ModalScreen[ScreenResultType], inherit_bindings=False):
    """A box over the screen; a subclass says what stands in it and what a choice does."""

    AUTO_FOCUS = ""
    HEADING: ClassVar[str] = ""
    LEAST_TOLD: ClassVar[int] = 0
    """How many lines of what is told stay in sight where there is little room."""
    TELLS_LAST: ClassVar[bool] = False
    """Whether what is told stands below what is typed; the box then is always as high."""
    KEPT_LINES: ClassVar[int] = 0
    """How high that is, its frame and blank lines aside, where there is room."""

    def __init__(self) -> None:
        super().__init__()
        self.listening_since: float | None = None
        self._quiet: Timer | None = None

    @property
    def program(self) -> Program:
        """The program that the dialog is part of."""
        return program_of(self)

    # What stands in it

    def compose(self) -> ComposeResult:
        """The box."""
        with Vertical(id="box"):
            if not self.TELLS_LAST:
                yield TextPane(id="told")
            with Vertical(id="rows"):
                yield from self.compose_rows()
            yield Paragraph(id="status")
            if self.TELLS_LAST:
                yield TextPane(id="told")
            with Horizontal(id="choices"):
                yield from self.choices()
            yield Paragraph(id="hint")

    def compose_rows(self) -> ComposeResult:
        """What is typed or ticked, between what is told and the choices."""
        yield from ()

    def choices(self) -> Sequence[Choice]:
        """The choices, from left to right."""
        raise NotImplementedError

    def told(self, width: int) -> list[Line]:
        """What it is about, in lines."""
        return []

    def first(self) -> Widget:
        """Who gets the keys first."""
        return self.query(Choice).first()

    def on_mount(self) -> None:
        """Shows everything; listens later."""
        self.query_one("#box").border_title = self.HEADING
        self.query_one(TextPane).can_focus = False
        self.mounted()
        self.tell()
        first = self.first()
        if isinstance(first, Choice):  # a choice hears nothing yet; a box is given the keys when it may
            first.focus()
        self.call_after_refresh(self._painted)

    def mounted(self) -> None:
        """What a subclass does when it is mounted."""

    def tell(self) -> None:
        """Shows again what it is about; where there is little room, rows and what is told scroll."""
        pane, rows = self.query_one(TextPane), self.query_one("#rows")
        width = min(_BOX_WIDTH, self.app.size.width) - 4
        lines = self.told(max(8, width - 1))
        margins = 0 if self.has_class("-low") else 2
        others = sum(
            _height_of(child, width) for child in self.query_one("#box").children if child not in (pane, rows)
        )
        room = self.app.size.height - _FRAME_HEIGHT - margins - others
        rows_height = sum(_height_of(child, width) for child in rows.children)
        least = min(len(lines), self.LEAST_TOLD)
        rows_height = max(1, min(rows_height, room - least)) if rows_height else 0
        rows.styles.height = rows_height
        rows.display = rows_height > 0
        wanted = max(0, self.KEPT_LINES - others - rows_height) if self.TELLS_LAST else len(lines)
        told_height = min(wanted, max(least, room - rows_height))
        pane.display = told_height > 0
        pane.styles.height = told_height
        pane.show(lines)

    def on_resize(self) -> None:
        """There is another amount of room."""
        self.set_class(self.app.size.width < _NARROW, "-narrow")
        self.set_class(self.app.size.height < _LOW, "-low")
        if self.is_mounted:
            self.tell()

    # Listening

    def _painted(self) -> None:
        self._quiet = self.set_timer(QUIET_S, self._listen)

    def _listen(self) -> None:
        self.listening_since = time.monotonic()
        if self.focused is None:
            self.first().focus()

    @property
    def is_listening(self) -> bool:
        """Whether keys count."""
        return self.listening_since is not None

    def hears(self, event: events.Event) -> bool:
        """Whether an event counts: it came after the dialog had begun to listen.

        One that does not makes it wait for another quiet moment.
        """
        if self.listening_since is not None:
            return event.time >= self.listening_since
        if self._quiet is not None:
            self._quiet.stop()
            self._quiet = self.set_timer(QUIET_S, self._listen)
        return False

    def on_key(self, event: events.Key) -> None:
        """Moves on, scrolls, leaves, or takes the choice whose key it is; none reaches the screen beneath."""
        event.stop()
        if not self.hears(event):
            return
        in_field = isinstance(self.focused, Field)
        if event.key == "escape" and not in_field:  # a box says itself that it is left
            self.leave()
        elif event.key in ("tab", "shift+tab"):
            self.go_on(1 if event.key == "tab" else -1)
        elif event.key in _STEPS and not (in_field and event.key in ("left", "right")):
            self._step(event.key)
        elif not in_field:
            for choice in self.query(Choice):
                if choice.key == event.key and choice.is_ready:
                    choice.take()

    def _step(self, key: str) -> None:
        pane = self.query_one(TextPane)
        is_longer = pane.display and pane.rows > pane.height_rows
        if key.startswith("page"):
            pane.step("page_up" if key == "pageup" else "page_down")
        elif key in ("up", "down") and is_longer and not isinstance(self.focused, Field):
            pane.step(key)
        else:
            self.go_on(1 if key in ("down", "right") else -1)

    def go_on(self, way: int) -> None:
        """The next one gets the keys, or the one before.

        As they stand in the dialog, not as they were laid out: a row that has just come has no place yet.
        """
        stand = list(self.walk_children())
        chain = sorted(self.focus_chain, key=stand.index)
        at = chain.index(self.focused) if self.focused in chain else -1 if way > 0 else 0
        self.set_focus(chain[(at + way) % len(chain)])

    def on_descendant_focus(self) -> None:
        """Says what enter does now."""
        self.show_hint()

    def show_hint(self) -> None:
        """Says what enter does now."""
        focused = self.focused
        said = focused.hint if isinstance(focused, Choice) else self.hint_of(focused)
        self.query_one("#hint", Paragraph).say((f"{said}, esc closes", "dim"))
        self.tell()

    def hint_of(self, focused: Widget | None) -> str:
        """What enter does in a box."""
        return "tab goes on"

    def on_field_left(self, message: Field.Left) -> None:
        """Escape in a box leaves the dialog."""
        message.stop()
        self.leave()

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes, once: a second key that came with the first one closes nothing beneath."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def leave(self) -> None:
        """Closes; nothing is done."""
        self.dismiss(None)

    # What has become of it

    def refuse(self, text: str, role: str = "error") -> None:
        """Says why it was not done; everything typed stays."""
        sign = drawing(self.app).glyphs.warning if role in ("error", "warning") else ""
        self.query_one("#status", Paragraph).say((f"{sign} {text}".strip(), role))
        self.tell()

    def hush(self) -> None:
        """What was said does not hold any more."""
        self.query_one("#status", Paragraph).say()
        self.tell()


def _height_of(widget: Widget, width: int) -> int:
    if not widget.display:
        return 0
    if isinstance(widget, Paragraph | Toggle):
        return widget.get_content_height(widget.size, widget.size, width)
    return 1
