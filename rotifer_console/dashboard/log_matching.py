"""Looking through a log: which lines match what it is narrowed to, and which cannot be read (TUI-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rotifer_console.dashboard.found_lines import FoundLines
from rotifer_console.dashboard.log_lane import LogLane
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_reading import NO_LINE, Slice
from rotifer_console.dashboard.log_standing import Matches
from rotifer_store import LogFilter

_MOST_AHEAD: Final = 20_000


class Matching:
    """Goes through the lines slice by slice, those that are new first, then towards the log's beginning.

    A class because it remembers what it has found. What is found goes into the list by itself.
    """

    def __init__(
        self,
        log: LogLane,
        lines: LogList,
        *,
        changed: Callable[[], None],
        later: Callable[[Callable[[], None]], object],
    ) -> None:
        """Looks at nothing yet.

        Args:
            log: the log.
            lines: the list that shows it.
            changed: told after every slice, and of every trouble.
            later: does something after a moment in which keys come first.
        """
        self._log = log
        self._lines = lines
        self._changed = changed
        self._later = later
        self._is_looking = False
        self.unreadable = FoundLines(0)
        self.foreign = FoundLines(0)
        """Other programs' lines; what was looked at for them is what was for those that cannot be read."""
        self.where: LogFilter | None = None
        """What the log is narrowed to; None where all lines pass."""
        self.matches: FoundLines | None = None
        self.trouble: str | None = None
        """Why the lines cannot be looked through now; `go_on` tries again."""

    @property
    def progress(self) -> Matches | None:
        """How many lines match, and how far it has looked; None where the log is not narrowed."""
        found = self.matches
        return None if found is None else Matches(len(found), found.last - found.first, found.first == 0)

    def narrow(self, where: LogFilter | None) -> None:
        """Narrows the log; what was found before stays in sight until the first slice is there."""
        lines = self._lines
        self.where, self.trouble = where, None
        self.matches = None if where is None else FoundLines(lines.line_count)
        if where is None or not lines.line_count:
            lines.found = self.matches
            lines.settle()
        self.go_on()

    def forget_from(self, line: int) -> None:
        """Lines from that one on are others than they were, or have gone."""
        self.unreadable.forget_from(line)
        self.foreign.forget_from(line)
        for found in (self.matches, None if self._lines.found is self.matches else self._lines.found):
            if found is not None:
                found.forget_from(line)

    def shows(self, line: int) -> bool:
        """Whether a line is among those that the list shows."""
        found = self._lines.found
        if found is None:
            return True
        place = found.place_of(line)
        return place < len(found) and found.line_at(place) == line

    def is_through(self, first: int, last: int) -> bool:
        """Whether it is known of all lines from `first` up to before `last` if the list shows them."""
        found = self.matches
        return found is None or (found is self._lines.found and found.first <= first and last <= found.last)

    def go_on(self) -> None:
        """Looks at the next slice, unless one is on its way."""
        lines = self._lines
        if self._is_looking or lines.is_uncounted:
            return
        found = self.unreadable if self.matches is None else self.matches
        where = NO_LINE if self.where is None else self.where
        if found.first == found.last:  # nothing was looked at, or all of it has gone
            found.begin(lines.line_count)
            if found is self.unreadable:
                self.foreign.begin(lines.line_count)
        reading, last, first = self._log.reading, found.last, found.first
        end = min(lines.line_count, last + _MOST_AHEAD)
        if last < end:
            self._is_looking = True
            self._log.ask(
                "look",
                lambda open_store: reading.look_ahead(open_store, where, last, end),
                lambda slice_: self._looked_ahead(found, slice_),
                self._not_looked,
            )
        elif first > 0:
            self._is_looking = True
            self._log.ask(
                "look",
                lambda open_store: reading.look_back(open_store, where, first),
                lambda slice_: self._looked_back(found, slice_),
                self._not_looked,
            )

    def _looked_ahead(self, found: FoundLines, slice_: Slice) -> None:
        if found is not self.unreadable and found.last == slice_.first:
            found.add_newer(slice_.last, slice_.matching[::-1])
        if self.unreadable.last == slice_.first:
            self.unreadable.add_newer(slice_.last, slice_.unreadable[::-1])
            self.foreign.add_newer(slice_.last, slice_.foreign[::-1])
        self._looked(found, bool(slice_.matching))

    def _looked_back(self, found: FoundLines, slice_: Slice) -> None:
        if found is not self.unreadable and found.first == slice_.last:
            found.add_older(slice_.first, slice_.matching)
        if slice_.first < self.unreadable.first <= slice_.last:
            first = self.unreadable.first
            for odd, lines in ((self.unreadable, slice_.unreadable), (self.foreign, slice_.foreign)):
                odd.add_older(slice_.first, [line for line in lines if line < first])
        self._looked(found, bool(slice_.matching))

    def _looked(self, found: FoundLines, has_found: bool) -> None:
        self._is_looking, self.trouble = False, None
        lines = self._lines
        if found is self.matches and (has_found or found is not lines.found):
            lines.found = found
            lines.settle()
        self._changed()
        if found is self.unreadable:  # nobody waits for the count, so keys come first
            self._later(self.go_on)
        else:
            self.go_on()

    def _not_looked(self, error: Exception) -> None:
        self._is_looking, self.trouble = False, str(error)
        self._changed()
