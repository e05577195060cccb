"""What can be chosen, ticked and typed in a dialog; it hears no key before its dialog listens (TUI-7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol, cast

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, cell_text, width_of, wrapped
from rotifer_console.dashboard.drawn import Drawn
from rotifer_console.dashboard.field import Field


class Listening(Protocol):
    """A dialog, as what stands in it sees it."""

    def hears(self, event: events.Event) -> bool:
        """Whether an event counts."""
        ...


class Choice(Drawn, can_focus=True):
    """A word that can be chosen; while it has the keys, brackets stand around it and enter takes it."""

    TAKEN_BY: ClassVar[tuple[str, ...]] = ("enter",)

    class Taken(Message):
        """The choice was made."""

        def __init__(self, choice: Choice) -> None:
            """Carries the choice."""
            super().__init__()
            self.choice = choice

    def __init__(self, label: str, hint: str, *, id: str, key: str = "") -> None:
        """Nothing has been chosen.

        Args:
            label: what it does, in a word.
            hint: what enter does while it has the keys.
            id: what the dialog calls it.
            key: the key that takes it from anywhere; none where it is empty.
        """
        super().__init__(id=id)
        self.label = label
        self.hint = hint
        self.key = key
        self.is_ready = True

    def relabel(self, label: str, hint: str, *, is_ready: bool = True) -> None:
        """It does something else now, or nothing yet."""
        if (label, hint, is_ready) != (self.label, self.hint, self.is_ready):
            self.label, self.hint, self.is_ready = label, hint, is_ready
            self.refresh(layout=True)

    @property
    def text(self) -> str:
        """The label, with its key behind it."""
        return f"{self.label} ({self.key})" if self.key and self.is_ready else self.label

    def lines(self, size: Size) -> list[Line]:
        """The label between brackets or blanks."""
        text = cell_text(self.text)
        if self.has_focus:
            return [(Piece(f"[ {text} ]", "cursor"),)]
        return [(Piece(f"  {text}  ", "" if self.is_ready else "dim"),)]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The label and what stands around it."""
        return width_of(cell_text(self.text)) + 4

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line."""
        return 1

    def on_key(self, event: events.Key) -> None:
        """Its keys take it."""
        if event.key in self.TAKEN_BY and _hears(self, event):
            event.stop()
            self.take()

    def on_click(self, event: events.Click) -> None:
        """So does a click."""
        event.stop()
        if _hears(self, event):
            self.take()

    def take(self) -> None:
        """Tells the dialog."""
        self.post_message(self.Taken(self))

    def on_focus(self) -> None:
        """Shows the brackets."""
        self.refresh()

    def on_blur(self) -> None:
        """Takes them away."""
        self.refresh()


class Toggle(Choice):
    """A line that is ticked or not: `[x] export it first`."""

    TAKEN_BY = ("enter", "space")

    def __init__(self, label: str, *, id: str, is_on: bool = False) -> None:
        super().__init__(label, "space ticks it, or takes the tick away", id=id)
        self.is_on = is_on

    def lines(self, size: Size) -> list[Line]:
        """The tick and the label, wrapped."""
        tick = "[x] " if self.is_on else "[ ] "
        role = "cursor" if self.has_focus else ""
        parts = wrapped(self.label, max(4, size.width - len(tick)))
        return [
            (Piece(tick if index == 0 else " " * len(tick), role), Piece(part, role))
            for index, part in enumerate(parts)
        ]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the label takes."""
        return len(self.lines(Size(width, 1)))

    def take(self) -> None:
        """Ticks it, or takes the tick away."""
        self.is_on = not self.is_on
        self.refresh()
        super().take()


class Pick(Choice):
    """One of several words, with what it means beside it; enter or space shows the next one."""

    TAKEN_BY = ("enter", "space", "right")

    def __init__(
        self, meanings: Mapping[str, str], *, id: str, turned: Callable[[], None] = lambda: None
    ) -> None:
        """The first is picked.

        Args:
            meanings: the words and what each means.
            id: what the dialog calls it.
            turned: told at once of another pick, before a key that came with it is looked at.
        """
        super().__init__(next(iter(meanings)), "space shows the next, left the one before", id=id)
        self._meanings = meanings
        self._turned = turned

    def lines(self, size: Size) -> list[Line]:
        """The word, and what it means where there is room for that."""
        text, meaning = cell_text(self.label), f"  {self._meanings[self.label]}"
        word = Piece(f"[{text}]", "cursor") if self.has_focus else Piece(f" {text} ")
        is_room = width_of(word.text) + width_of(meaning) <= size.width
        return [(word, Piece(meaning, "dim")) if is_room else (word,)]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """All that there is."""
        return container.width

    def on_key(self, event: events.Key) -> None:
        """Left goes back; the dialog's other keys do what they do everywhere."""
        if event.key == "left" and _hears(self, event):
            event.stop()
            self._turn(-1)

    def take(self) -> None:
        """Picks the next."""
        self._turn(1)

    def _turn(self, way: int) -> None:
        words = list(self._meanings)
        self.label = words[(words.index(self.label) + way) % len(words)]
        self.refresh()
        self._turned()
        super().take()


class LateField(Field):
    """A box of a dialog: it takes nothing that was typed before the dialog listened."""

    async def _on_key(self, event: events.Key) -> None:
        if _hears(self, event):
            await super()._on_key(event)
        else:
            event.stop()
            event.prevent_default()

    def _on_paste(self, event: events.Paste) -> None:
        if _hears(self, event):
            super()._on_paste(event)
        else:
            event.stop()
            event.prevent_default()


def _hears(widget: Widget, event: events.Event) -> bool:
    return cast("Listening", widget.screen).hears(event)
