"""The way to the entry of a key, wherever in the listing it stands: the cursor arrives once it was read."""

from __future__ import annotations

from dataclasses import replace

from rotifer_console.dashboard.entry_list import EntryList
from rotifer_console.dashboard.entry_window import offset_around
from rotifer_console.dashboard.forecast_panel import ForecastPanel
from rotifer_console.dashboard.looking import Seen
from rotifer_console.dashboard.narrowing import Narrowing


class Arriving(Narrowing):
    """A screen whose cursor can be sent to a key, or to another agent's memory."""

    _going_to: str | None = None

    def go_to_key(self, key: str) -> None:
        """Puts the cursor on the entry of a key, whatever is listed now."""
        app = self.program
        self._going_to = key
        where = self.widen()
        self.focus_on("#entries")
        app.want(replace(app.wanted, where=where))

    def choose_agent(self, name: str) -> None:
        """Shows another agent's memory."""
        app = self.program
        self.forget_entries()
        app.want(replace(app.wanted, agent=name, where=self.widen(), offset=0))

    def forget_entries(self) -> None:
        """Another listing comes: marks, cursor and forecast belong to the one before."""
        entries = self.query_one(EntryList)
        entries.marks.clear()
        entries.show_from_the_top()
        self.query_one(ForecastPanel).close()

    @property
    def key_to_find(self) -> str | None:
        """The key whose place a look is to tell: where the cursor was sent, else of the entry it is on."""
        return self._going_to or self.query_one(EntryList).place.key

    def arrive(self, seen: Seen) -> None:
        """Puts the cursor where it was sent, once that has been read."""
        app, key = self.program, self._going_to
        if key is None or seen.wanted.cursor_key != key:
            return
        rows = enumerate(seen.window.rows, seen.window.offset)
        at = next((place for place, entry in rows if entry.key == key), None)
        if at is None and seen.found_at is not None:
            app.want(replace(app.wanted, offset=offset_around(seen.found_at)))
            return
        self._going_to = None
        if at is None:
            self.say("the entry is gone", "warning")
        else:
            self.query_one(EntryList).move_cursor(at)
