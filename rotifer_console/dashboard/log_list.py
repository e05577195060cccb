"""The lines of a log on a screen: any number of them, of which those in sight are drawn (TUI-5, TUI-10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual import events
from textual.message import Message
from textual.scrollbar import ScrollTo, ScrollUp

from rotifer_console.dashboard.cells import Line
from rotifer_console.dashboard.drawn import LineList, drawing
from rotifer_console.dashboard.found_lines import FoundLines
from rotifer_console.dashboard.log_reading import Anchor, Lines, Polled
from rotifer_console.dashboard.log_rows import LogRecord, Setting, begun_row, room_made_for, unread_row

DrawRow = Callable[[LogRecord, Setting, str | None], Line]

_NEAR_ROWS: Final = 20
_REACH_ROWS: Final = 100
_KEPT_RECORDS: Final = 2000


class LogList(LineList):
    """All lines, or those that were found; while it follows, the newest stays under the cursor.

    The cursor stands on a line of the log, never on a row: what is appended, cut off or found moves the rows,
    and the line under the cursor stays where it is on the screen.
    """

    class Moved(Message):
        """Other lines are in sight, or it follows no longer, or again."""

    def __init__(self, draw_row: DrawRow, *, id: str) -> None:
        super().__init__(id=id)
        self._draw_row = draw_row
        self.found: FoundLines | None = None
        self.line_count = 0
        self.begun_bytes = 0
        self.is_following = True
        self.today = ""
        self.genes: Mapping[str, str] = {}
        self.agents: Mapping[str, str] = {}
        self._records: Lines = {}
        self._uncounted: Sequence[LogRecord] = ()
        self._line = 0
        self._seen_lines = 0
        """How many lines there were when it stopped following."""

    # What is shown

    @property
    def is_uncounted(self) -> bool:
        """Whether these are the newest of a log whose lines are still being counted."""
        return bool(self._uncounted)

    @property
    def new_rows(self) -> int:
        """How many rows have come since it stopped following."""
        if self.is_following or self._uncounted:
            return 0
        if self.found is not None:
            return len(self.found) - self.found.place_of(self._seen_lines)
        return max(0, self.line_count - self._seen_lines)

    @property
    def under_cursor(self) -> tuple[int, LogRecord] | None:
        """The line under the cursor, its number and what it holds; None where none was counted or read."""
        if self._uncounted or not self.rows:
            return None
        line = self._line_at(self.cursor)
        record = self._records.get(line)
        return None if record is None else (line, record)

    @property
    def record_under_cursor(self) -> LogRecord | None:
        """What the line under the cursor holds, also while lines are being counted."""
        if self._uncounted:
            return self._uncounted[min(self.cursor, len(self._uncounted) - 1)]
        under = self.under_cursor
        return None if under is None else under[1]

    @property
    def line_of_cursor(self) -> int:
        """The number of the line under the cursor; of the one it would be on, where there is no row."""
        return self._line if self._uncounted or not self.rows else self._line_at(self.cursor)

    @property
    def held_line(self) -> int | None:
        """The line that the cursor was put on, also where a filter hides it; None while it follows."""
        return None if self.is_following else self._line

    @property
    def to_keep(self) -> Anchor | None:
        """What is to stay under the cursor when numbers change; None where nothing is there."""
        record = self.record_under_cursor
        if record is None:
            return None
        if self._uncounted:
            return Anchor(record, from_end=len(self._uncounted) - self.cursor)
        return Anchor(record, self.line_of_cursor)

    def made_room_for(self, line: int) -> str | None:
        """The key for whose write the entry of that line was evicted, where lines that were read tell it."""
        record = self._records.get(line)
        return None if record is None else room_made_for(record, self._records, line)

    def _row_count(self) -> int:
        if self._uncounted:
            return len(self._uncounted)
        return self.line_count if self.found is None else len(self.found)

    def _line_at(self, row: int) -> int:
        return row if self.found is None else self.found.line_at(row)

    def _row_of(self, line: int) -> int:
        return line if self.found is None else self.found.place_of(line)

    def line(self, row: int, part: int, width: int) -> Line:
        """One line of the log, or dots where it has not been read."""
        setting = Setting(width, self.today, self.genes, drawing(self.app).glyphs, self.agents)
        if self._uncounted:
            following = dict(enumerate(self._uncounted))
            record = self._uncounted[row]
            return self._draw_row(record, setting, room_made_for(record, following, row))
        line = self._line_at(row)
        if self.begun_bytes and line == self.line_count - 1:
            return begun_row(self.begun_bytes, setting)
        record_there = self._records.get(line)
        if record_there is None:
            return unread_row(setting)
        return self._draw_row(record_there, setting, room_made_for(record_there, self._records, line))

    # What a look brings

    def take(self, polled: Polled) -> None:
        """The log is as a look found it; the line under the cursor stays where it is."""
        first = polled.change.first_changed
        if first is not None:
            for line in [line for line in self._records if line >= first]:
                del self._records[line]
        self._remember(polled.lines)
        was_uncounted = len(self._uncounted)
        if polled.newest:
            self._uncounted = polled.newest
        elif not polled.is_behind:
            self._uncounted = ()
        if was_uncounted and not self._uncounted:
            self._seen_lines = polled.line_count + (polled.shift or 0)
            self._line = self._seen_lines + self.cursor - was_uncounted
        elif polled.change.restarted and polled.shift is not None:
            self._line += polled.shift
            self._seen_lines = max(0, self._seen_lines + polled.shift)
        elif polled.change.restarted:
            self._seen_lines = min(self._seen_lines, first or 0)
        self.line_count, self.begun_bytes = polled.line_count, polled.begun_bytes
        self._line = max(0, min(self._line, self.line_count - 1))
        self._seen_lines = min(self._seen_lines, self.line_count)

    def read(self, lines: Lines) -> None:
        """Lines have been read."""
        self._remember(lines)
        self.refresh()

    def _remember(self, lines: Lines) -> None:
        """Keeps what was read before while it is near what is in sight, or there is little of it."""
        if len(self._records) > _KEPT_RECORDS:
            kept = set(self._lines_between(self.top - _REACH_ROWS, self.top + self.height_rows + _REACH_ROWS))
            self._records = {line: record for line, record in self._records.items() if line in kept}
        self._records |= lines

    def unread(self) -> list[int]:
        """The lines to read next: none while all that is in sight, or nearly, has been read."""
        if self._uncounted:
            return []
        top, end = self.top, self.top + self.height_rows
        if all(line in self._records for line in self._lines_between(top - _NEAR_ROWS, end + _NEAR_ROWS)):
            return []
        near = self._lines_between(top - _REACH_ROWS, end + _REACH_ROWS)
        return [line for line in near if line not in self._records]

    def _lines_between(self, first_row: int, last_row: int) -> Sequence[int]:
        found, first = self.found, max(0, first_row)
        if found is None:
            return range(first, min(last_row, self.line_count))
        return [found.line_at(place) for place in range(first, min(last_row, len(found)))]

    def settle(self) -> None:
        """Shows the rows that there are now; the newest while it follows, else those that were in sight."""
        below_top = self.cursor - self.top
        rows = self._row_count()
        self.set_rows(rows)
        if self._uncounted:
            row = rows - 1 if self.is_following else self.cursor
        else:
            row = rows - 1 if self.is_following else self._row_of(self._line)
        self.cursor = max(0, min(row, rows - 1))
        if self.is_following:
            if rows and not self._uncounted:
                self._line = self._line_at(self.cursor)
            self.go_to_line(rows)
        else:
            self.go_to_line(self.cursor - below_top)

    # Following

    def follow(self) -> None:
        """Goes to the newest line, and stays there."""
        self.is_following = True
        self.settle()
        self.post_message(self.Moved())

    def hold_still(self) -> None:
        """Stays where it is, whatever is appended."""
        if self.is_following:
            self.is_following = False
            self._seen_lines = self.line_count
            self.post_message(self.Moved())

    def put_cursor_on(self, line: int) -> None:
        """Puts the cursor on a line, and stays there."""
        self.hold_still()
        row = self._row_of(line)
        is_in_sight = self.top <= row < self.top + self.height_rows
        self.move_cursor(row)
        if not is_in_sight:
            self.go_to_line(row - self.height_rows // 2)

    def step(self, way: str) -> None:
        """Moves by an action's name; the last line is followed."""
        if way == "last":
            self.follow()
            return
        if way != "down" and way != "page_down":
            self.hold_still()
        super().step(way)

    def move_cursor(self, row: int) -> None:
        """The cursor goes to a row, and stays with the line there."""
        if row < self.rows - 1:
            self.hold_still()
        super().move_cursor(row)
        if self.rows and not self._uncounted:
            self._line = self._line_at(self.cursor)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other lines are in sight, which may have to be read."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Moved())

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel turned back: it stays there."""
        if self.max_scroll_y > 0:
            self.hold_still()

    def on_scroll_up(self, message: ScrollUp) -> None:
        """A click above the scroll bar's thumb."""
        self.hold_still()

    def on_scroll_to(self, message: ScrollTo) -> None:
        """The thumb was dragged."""
        if message.y is not None and message.y < self.max_scroll_y:
            self.hold_still()

    def on_resize(self, event: events.Resize) -> None:
        """The newest line stays in sight."""
        self.settle()
        self.post_message(self.Moved())
