"""Going to the nearest line of a log that holds a text, around the log's end where it must (TUI-5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from rotifer_console.dashboard.log_lane import LogLane
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_matching import Matching
from rotifer_store import LogFilter

_STRETCH_LINES: Final = 4_000
_MOST_SHOWN_TEXT: Final = 30


@dataclass(slots=True, eq=False)
class Course:
    """The way of one search: from `start` to one end of the log, and from the other end back to `start`.

    `held_line` is where the cursor stood when it began.
    """

    text: str
    is_back: bool
    start: int
    at: int
    held_line: int | None = None
    is_round: bool = False

    def next_stretch(self, end: int) -> tuple[int, int] | None:
        """The lines to look at next, of a log with `end` lines now; None where it has been all around."""
        beginning, far = (end, 0) if self.is_back else (0, end)
        if self.at == far:
            if self.is_round or self.start == beginning:
                return None
            self.is_round, self.at = True, beginning
        if self.is_back:
            least = self.start if self.is_round else 0
            first, last = max(least, self.at - _STRETCH_LINES), self.at
        else:
            most = self.start if self.is_round else end
            first, last = self.at, min(most, self.at + _STRETCH_LINES)
        if first >= last:
            return None
        self.at = first if self.is_back else last
        return first, last


class Searching:
    """One search at a time, a stretch of lines after the other, so that keys come between.

    A class because it remembers the text, and the search that is on its way.
    """

    def __init__(
        self,
        log: LogLane,
        lines: LogList,
        matching: Matching,
        *,
        say: Callable[[str, str], None],
        changed: Callable[[], None],
    ) -> None:
        """Looks for nothing yet.

        Args:
            log: the log.
            lines: the list that shows it.
            matching: tells which lines are shown.
            say: says what came of a search, and in which role.
            changed: told when a search begins or ends.
        """
        self._log = log
        self._lines = lines
        self._matching = matching
        self._say = say
        self._changed = changed
        self._course: Course | None = None
        self._stretch: tuple[int, int] | None = None
        """The lines to look at next, while it is not known which of them are shown."""
        self.text = ""

    @property
    def is_on_its_way(self) -> bool:
        """Whether a search is being made."""
        return self._course is not None

    def begin(self) -> None:
        """The newest line that holds the text, from the line under the cursor back."""
        self._seek(is_back=True, start=self._lines.line_of_cursor + 1 if self._lines.rows else 0)

    def go_on(self, *, is_back: bool) -> None:
        """The next line beyond the cursor, towards the log's beginning or its end."""
        self._seek(is_back=is_back, start=self._lines.line_of_cursor + (not is_back))

    def end(self) -> None:
        """Gives up."""
        if self._course is not None:
            self._course = self._stretch = None
            self._changed()

    def moved(self) -> None:
        """Whoever has moved the cursor by hand is not fetched back."""
        if self._course is not None and self._lines.held_line != self._course.held_line:
            self.end()

    def matched(self) -> None:
        """It is known of more lines whether they are shown: a search that waited for them goes on."""
        if self._course is not None and self._stretch is not None:
            self._look_at(self._course, self._stretch)

    def _seek(self, *, is_back: bool, start: int) -> None:
        if self._lines.is_uncounted:
            self._say("the lines are still being counted", "accent")
            return
        course = self._course
        if course is not None and (course.text, course.is_back) == (self.text, is_back):
            return  # a key that repeats
        self._course = Course(self.text, is_back, start, start, self._lines.held_line)
        self._look(self._course)

    def _look(self, course: Course) -> None:
        stretch = course.next_stretch(self._lines.line_count)
        if stretch is None:
            self._say(f"no line holds {course.text[:_MOST_SHOWN_TEXT]}", "warning")
            self.end()
            return
        self._changed()
        self._look_at(course, stretch)

    def _look_at(self, course: Course, stretch: tuple[int, int]) -> None:
        first, last = stretch
        if not self._matching.is_through(first, last):
            self._stretch = stretch
            return
        self._stretch = None
        reading, where = self._log.reading, LogFilter(text=course.text)
        self._log.ask(
            "seek",
            lambda open_store: reading.seek(open_store, where, first, last),
            lambda found: self._looked(course, found),
            self._not_looked,
        )

    def _looked(self, course: Course, newest_first: Sequence[int]) -> None:
        if course is not self._course:
            return
        shown = [line for line in newest_first if self._matching.shows(line)]
        if not shown:
            self._look(course)
            return
        self._lines.put_cursor_on(shown[0] if course.is_back else shown[-1])
        if course.is_round:
            end = "newest" if course.is_back else "oldest"
            self._say(f"went on from the {end} line", "accent")
        self.end()

    def _not_looked(self, error: Exception) -> None:
        self._say(str(error), "error")
        self.end()
