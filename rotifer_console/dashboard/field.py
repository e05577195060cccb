"""A box to type into; escape leaves it (TUI-6)."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input


class Field(Input, inherit_bindings=False):
    """Textual's input without the keys that terminals keep for themselves (TUI-11)."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "cursor_left", show=False),
        Binding("right", "cursor_right", show=False),
        Binding("ctrl+left", "cursor_left_word", show=False),
        Binding("ctrl+right", "cursor_right_word", show=False),
        Binding("home", "home", show=False),
        Binding("end", "end", show=False),
        Binding("backspace", "delete_left", show=False),
        Binding("delete", "delete_right", show=False),
        Binding("ctrl+w", "delete_left_word", show=False),
        Binding("ctrl+u", "delete_left_all", show=False),
        Binding("ctrl+k", "delete_right_all", show=False),
        Binding("enter", "submit", show=False),
        Binding("escape", "leave", show=False),
    ]

    cursor_blink = reactive(False, init=False)
    """Nothing moves unless something happened."""

    class Left(Message):
        """Escape was pressed."""

        def __init__(self, field: Field) -> None:
            """Carries the box."""
            super().__init__()
            self.field = field

    async def _on_key(self, event: events.Key) -> None:
        """Does what a key of the box does at once; Textual would do it after the letters typed behind it.

        Over a slow line many keys come together, and a backspace must not take the letter that follows it.
        """
        bindings = self._bindings.key_to_bindings.get(event.key)
        if bindings is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        await self.run_action(bindings[0].action)

    def action_leave(self) -> None:
        """Tells whoever opened the box."""
        self.post_message(self.Left(self))
