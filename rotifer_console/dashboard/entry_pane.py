"""The pane of the entry under the cursor: what is known of it, its value where it is asked for (TUI-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from textual.timer import Timer

from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.entry_lines import VALUE_FORMS, entry_lines
from rotifer_console.dashboard.examining import Examined, examine
from rotifer_console.dashboard.panes import TextPane
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.program import Program, program_of
from rotifer_console.view import life as life_view
from rotifer_store import EntryInfo, LifeEvent

_EXAMINE_AFTER_S: Final = 0.08
"""How long the cursor rests on an entry before it is looked at closely."""


class EntryPane(TextPane):
    """Follows an entry; what it shows is of that one alone, and a value goes with the entry that it is of."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._entry: EntryInfo | None = None
        self._examined: Examined | None = None
        self._life: list[str] | None = None
        self._shows_value = False
        self._seeks_value = False
        self._value_form = VALUE_FORMS[0]
        self._timer: Timer | None = None

    @property
    def program(self) -> Program:
        """The program that the pane is part of."""
        return program_of(self)

    def follow(self, entry: EntryInfo | None, *, again: bool = False) -> None:
        """Shows that entry from now on, and looks at it closely once the cursor rests.

        Args:
            entry: the one under the cursor.
            again: look closely though it is the one that is shown: something may have changed.
        """
        if not again and entry == self._entry:
            return
        self._take(entry)
        self.tell()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_EXAMINE_AFTER_S, self._examine)

    def _take(self, entry: EntryInfo | None) -> None:
        if entry is None or self._entry is None or entry.entry_id != self._entry.entry_id:
            self._examined, self._life = None, None
            self._shows_value = self._seeks_value = False
            self.go_to_line(0)
        self._entry = entry

    def _examine(self) -> None:
        app, entry, with_value = self.program, self._entry, self._shows_value
        seen = app.seen
        if entry is None or seen is None or seen.agent is None:
            return
        agent = seen.agent.agent
        app.desk.ask(
            Lane.ENTRY,
            "entry",
            lambda store: examine(store, app.project, agent, entry, with_value=with_value),
            self._was_examined,
            lambda error: cast("PlaceScreen", self.screen).say(str(error), "error"),
        )
        app.desk.ask(
            Lane.LONG,
            "life",
            lambda store: store.life(agent, entry.key),
            lambda events: self._has_lived(entry, _told(events, seen.creators)),
            lambda error: self._has_lived(entry, [str(error)]),
        )

    def _was_examined(self, examined: Examined) -> None:
        if self._entry is not None and examined.entry.entry_id == self._entry.entry_id:
            self._examined = examined
            self.tell()

    def _has_lived(self, entry: EntryInfo, life: list[str]) -> None:
        if self._entry is not None and entry.entry_id == self._entry.entry_id:
            self._life = life
            self.tell()

    # The value

    def turn_value(self, entry: EntryInfo) -> bool:
        """Shows that entry's value, or hides it; whether it is shown now."""
        self._take(entry)
        if self._shows_value:
            self.hide_value()
            return False
        self._shows_value = self._seeks_value = True
        self.tell()
        self._examine()
        return True

    def hide_value(self) -> None:
        """Whoever leaves the entry leaves its value: it is shown when it is asked for again (TUI-4)."""
        if not self._shows_value:
            return
        self._shows_value = self._seeks_value = False
        if self._examined is not None:
            self._examined = replace(self._examined, value=None, is_gone=False)
        self.tell()
        self._examine()

    def next_value_form(self) -> None:
        """Text, JSON, hex."""
        self._value_form = VALUE_FORMS[(VALUE_FORMS.index(self._value_form) + 1) % len(VALUE_FORMS)]
        self.tell()

    def _go_to_value(self) -> None:
        """The value stands below the rest: what was asked for is brought into sight, once (TUI-4)."""
        if not self._seeks_value or self._examined is None or self._examined.value is None:
            return
        at = next((row for row, line in enumerate(self.shown) if line and line[0].text == "value"), 0)
        self.go_to_line(at)
        if round(self.scroll_y) == min(at, self.max_scroll_y):
            self._seeks_value = self._life is None  # the life stands above it and may still come
        else:  # the pane is just unfolding
            self.set_timer(_EXAMINE_AFTER_S, self.tell)

    # Showing

    def tell(self) -> None:
        """Shows what is known now; the countdowns and the width may have changed."""
        app, entry = self.program, self._entry
        if entry is None or app.seen is None:
            self.show(())
            return
        if not self.size.width:
            return
        self.show(
            entry_lines(
                entry,
                self._examined,
                self._life,
                app.seen.creators,
                max(10, self.size.width - 2),
                app.clock.now_us(),
                app.glyphs,
                value_form=self._value_form,
            )
        )
        self._go_to_value()

    def on_text_pane_resized(self, message: TextPane.Resized) -> None:
        """It has come into sight, or has another width."""
        message.stop()
        self.tell()


def _told(events: Sequence[LifeEvent], genes: Mapping[str, str]) -> list[str]:
    """The newest first, each with its time."""
    return [
        f"{life_view.time_of(event.record, exact=False)} {life_view.sentence(event, genes)}"
        for event in reversed(events)
    ]
