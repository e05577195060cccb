"""The two logs as they grow, each on a screen of its own (TUI-5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widgets import Input

from rotifer_console.dashboard.actions import Place, Subject
from rotifer_console.dashboard.cells import Line, Piece, fit, width_of
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.door import NoStoreYet
from rotifer_console.dashboard.drawn import Drawn, LineList
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.found_lines import FoundLines
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_reading import NO_LINE, Lines, LogReading, OpenStore, Polled, Slice
from rotifer_console.dashboard.log_rows import (
    LogRecord,
    Setting,
    audit_row,
    audit_titles,
    telemetry_row,
    telemetry_titles,
)
from rotifer_console.dashboard.panes import EmptyPlace
from rotifer_console.dashboard.place_screen import PlaceScreen, bindings_of
from rotifer_console.view.instants import exact_or_earliest
from rotifer_console.view.log_filters import (
    EVENT_FILTER_FORM,
    LOG_FILTER_FORM,
    TypedLogFilter,
    parse_log_filter,
)
from rotifer_console.view.logs import describe_notice
from rotifer_console.view.sizes import format_part
from rotifer_store import Agent, AuditRecord, LogFilter, LogNotice, LogNoticeKind, Store, UnreadableLine

_POLL_EVERY_S: Final = 0.5
_COUNT_AFTER_S: Final = 0.02
_MOST_AHEAD: Final = 20_000
_SOUGHT_LINES: Final = 4_000
_MOST_SHOWN_TEXT: Final = 30
_LEAST_CUT: Final = 16

Result = TypeVar("Result")


class LogStatus(Drawn):
    """One line: whether the log is followed, what is narrowed or looked for, what could not be read."""

    left: Sequence[Piece] = ()
    right: Sequence[Piece] = ()

    def show(self, left: Sequence[Piece], right: Sequence[Piece]) -> None:
        """Shows these; the same as before are not drawn again."""
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """What is on the left gives way to what is on the right."""
        taken = sum(width_of(piece.text) for piece in self.right)
        room = size.width - taken - 1
        line: list[Piece] = []
        for piece in self.left:
            cells = width_of(piece.text)
            if cells > room:
                if room >= _LEAST_CUT or not line:
                    line.append(piece._replace(text=fit(piece.text, max(0, room))))
                    room = 0
                break
            line.append(piece)
            room -= cells
        return [(*line, Piece(" " * max(0, room)), *self.right)]


class LogTitles(Drawn):
    """The columns' titles."""

    def __init__(self, titles: Callable[[int], Line], *, id: str) -> None:
        super().__init__(id=id)
        self._titles = titles

    def lines(self, size: Size) -> list[Line]:
        """One line, as wide as the list below it, whose last cell is the scroll bar's."""
        return [self._titles(size.width - 1)]


@dataclass(slots=True, eq=False)
class _Seeking:
    """A search for the nearest line that holds a text, on its way from `start` around the log."""

    text: str
    is_back: bool
    start: int
    at: int
    is_round: bool = False


class LogScreen(PlaceScreen):
    """One log: its newest lines while it is followed, any of its lines when it is not."""

    AUTO_FOCUS = "#log_lines"
    LOG_NAME: ClassVar[str]
    FORM: ClassVar[str]
    HAS_KEYS: ClassVar[bool]
    EMPTY: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        super().__init__()
        self.reading = self.new_reading()
        self.unreadable = FoundLines(0)
        self.typed = TypedLogFilter()
        self._where: LogFilter | None = None
        self._narrowing: FoundLines | None = None
        self._search_text = ""
        self._seeking: _Seeking | None = None
        self._has_polled = False
        self._is_polling = False
        self._is_looking = False
        self._is_reading = False
        self._is_left = False
        self._counted = (0, 0)
        self._gone: str | None = None
        self._store_trouble: tuple[str, str] | None = None
        self._log_trouble: str | None = None
        self._reading_trouble: str | None = None
        self._is_without_store = False
        self._typing_trouble: str | None = None

    def new_reading(self) -> LogReading[Any]:
        """The log, not opened yet."""
        raise NotImplementedError

    def titles(self, width: int) -> Line:
        """The columns' titles."""
        raise NotImplementedError

    def draw_row(self, record: LogRecord, setting: Setting, made_room_for: str | None) -> Line:
        """A line of the log as a row."""
        raise NotImplementedError

    def compose_body(self) -> ComposeResult:
        """A line that says how things stand, the titles, the lines, and the boxes to type into."""
        yield LogStatus(id="log_status")
        yield LogTitles(self.titles, id="log_titles")
        yield LogList(self.draw_row, id="log_lines")
        yield EmptyPlace(id="empty")
        yield Field(placeholder=self.FORM, id="filter")
        yield Field(placeholder="text to search for, towards older lines", id="search")

    def mounted(self) -> None:
        """Looks for the first time."""
        for selector in ("#filter", "#search"):
            self.query_one(selector).display = False
        self.lines.today = self._today()
        self._show()
        self.show_command(self.PLACE)
        self.set_interval(_POLL_EVERY_S, self._poll_in_time)
        self._poll()

    def on_screen_resume(self) -> None:
        """Another screen was left for this one."""
        if self.is_mounted:
            self._poll()

    def on_unmount(self) -> None:
        """Lets go of the log."""
        self._is_left = True
        reading = self.reading
        self.console_app.desk.ask_without_store(
            Lane.LOG, f"close {id(self)}", lambda _: reading.close(), lambda _: None, lambda _: None
        )

    @property
    def lines(self) -> LogList:
        """The list of lines."""
        return self.query_one(LogList)

    def _ask(
        self,
        slot: str,
        work: Callable[[OpenStore], Result],
        then: Callable[[Result], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Has the log read in its lane; what comes when the screen was left is dropped."""

        def then_here(result: Result) -> None:
            if not self._is_left:
                then(result)

        def failed_here(error: Exception) -> None:
            if not self._is_left:
                failed(error)

        self.console_app.desk.ask_without_store(Lane.LOG, f"{slot} {id(self)}", work, then_here, failed_here)

    # Looks

    def _poll_in_time(self) -> None:
        app = self.console_app
        if self.app.screen is not self or app.is_paused:
            return
        today = self._today()
        if today != self.lines.today:
            self.lines.today = today
            self.lines.refresh()
        self._poll()

    def _today(self) -> str:
        return exact_or_earliest(self.console_app.clock.now_us())[:10]

    def _poll(self) -> None:
        if self._is_polling:
            return
        self._is_polling = True
        reading, anchor = self.reading, self.lines.under_cursor
        self._ask("poll", lambda open_store: reading.poll(open_store, anchor), self._polled, self._not_polled)

    def _polled(self, polled: Polled | None) -> None:
        self._is_polling = False
        was_in_trouble = self._log_trouble is not None or not self._has_polled
        self._log_trouble, self._is_without_store, self._has_polled = None, False, True
        if was_in_trouble:
            self._hold()
        if polled is not None:
            self._take(polled)
        elif was_in_trouble:
            self._show()
        if polled is not None and polled.is_behind:
            self._poll()
        else:
            self._read_in_sight()
            self._look_further()

    def _not_polled(self, error: Exception) -> None:
        self._is_polling = False
        self._log_trouble = str(error)
        self._is_without_store = isinstance(error, NoStoreYet)
        self._hold()
        self._show()

    def _take(self, polled: Polled) -> None:
        lines = self.lines
        if polled.change.first_changed is not None:
            self.unreadable.forget_from(polled.change.first_changed)
            for found in (self._narrowing, None if lines.found is self._narrowing else lines.found):
                if found is not None:
                    found.forget_from(polled.change.first_changed)
        lines.take(polled)
        lines.genes = self.reading.genes
        self._counted = (polled.counted_bytes, polled.uncounted_bytes)
        self._say_what_befell(polled)
        self._seeking = None if polled.change.restarted else self._seeking
        lines.settle()
        self._show()

    def _say_what_befell(self, polled: Polled) -> None:
        own_file = f"{self.LOG_NAME}.jsonl"
        for notice in polled.change.notices:
            if notice == LogNotice(own_file, LogNoticeKind.GONE):
                self._gone = describe_notice(notice)
            else:
                self.say(describe_notice(notice), "warning")
        if self._gone is not None and polled.change.added > 0:
            self._gone = None
            self.say(f"{own_file} is back")
        self._hold()

    def on_log_list_moved(self, message: LogList.Moved) -> None:
        """Other lines are in sight, or it follows no longer, or again."""
        message.stop()
        self._show()
        self._read_in_sight()

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor is on another line."""
        message.stop()
        self._show()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """A second click unfolds."""
        message.stop()
        self.do_open()

    def _read_in_sight(self) -> None:
        if self._is_reading:
            return
        unread = self.lines.unread()
        if not unread:
            return
        self._is_reading = True
        reading = self.reading
        self._ask("read", lambda open_store: reading.read(open_store, unread), self._read, self._not_read)

    def _read(self, lines: Lines) -> None:
        self._is_reading = False
        self._fail_to_read(None)
        self.lines.genes = self.reading.genes
        self.lines.read(lines)
        if lines:  # of lines that are not there any more the next look tells
            self._read_in_sight()

    def _not_read(self, error: Exception) -> None:
        self._is_reading = False
        self._fail_to_read(error)

    def _fail_to_read(self, error: Exception | None) -> None:
        """Some lines cannot be read, or not be looked through; after the next look it is tried again."""
        trouble = None if error is None else str(error)
        if trouble != self._reading_trouble:
            self._reading_trouble = trouble
            self._hold()

    # Looking through the lines: what cannot be read is counted, what is asked for is found

    def _look_further(self) -> None:
        """The next slice, unless one is on its way; those that are new first."""
        lines = self.lines
        if self._is_looking or lines.is_uncounted:
            return
        found = self.unreadable if self._narrowing is None else self._narrowing
        where = NO_LINE if self._where is None else self._where
        if lines.line_count - found.last > _MOST_AHEAD:
            found.begin(lines.line_count)
            if found is lines.found:
                lines.settle()
        reading, last, end, first = self.reading, found.last, lines.line_count, found.first
        if last < end:
            self._is_looking = True
            self._ask(
                "look",
                lambda open_store: reading.look_ahead(open_store, where, last, end),
                lambda slice_: self._looked_ahead(found, slice_),
                self._not_looked,
            )
        elif first > 0:
            self._is_looking = True
            self._ask(
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
        self._looked(found, bool(slice_.matching))

    def _looked_back(self, found: FoundLines, slice_: Slice) -> None:
        if found is not self.unreadable and found.first == slice_.last:
            found.add_older(slice_.first, slice_.matching)
        if slice_.first < self.unreadable.first <= slice_.last:
            older = [line for line in slice_.unreadable if line < self.unreadable.first]
            self.unreadable.add_older(slice_.first, older)
        self._looked(found, bool(slice_.matching))

    def _looked(self, found: FoundLines, has_found: bool) -> None:
        self._is_looking = False
        self._fail_to_read(None)
        lines = self.lines
        if found is self._narrowing and (has_found or found is not lines.found):
            lines.found = found
            lines.settle()
            self._read_in_sight()
        self._show()
        if found is self.unreadable:  # nobody waits for the count, so keys come first
            self.set_timer(_COUNT_AFTER_S, self._look_further)
        else:
            self._look_further()

    def _not_looked(self, error: Exception) -> None:
        self._is_looking = False
        self._fail_to_read(error)

    def _not_sought(self, error: Exception) -> None:
        self._seeking = None
        self._show()
        self._fail_to_read(error)

    # The filter

    def do_filter(self) -> None:
        """Opens the box, with what was typed last; what is typed narrows the log at once."""
        self._open_field("#filter")

    def _open_field(self, selector: str) -> None:
        field = self.query_one(selector, Field)
        field.display = True
        field.cursor_position = len(field.value)
        self.set_focus(field)  # at once: the next letter is for it

    def on_input_changed(self, message: Input.Changed) -> None:
        """A filter that cannot be read keeps the last good one."""
        message.stop()
        if message.input.id != "filter":
            return
        try:
            typed = parse_log_filter(message.value, has_keys=self.HAS_KEYS)
            where = self._where_of(typed)
        except ValueError as error:
            self._typing_trouble = str(error)
            self._hold()
            return
        self._typing_trouble = None
        self._hold()
        self._narrow(typed, where)

    def _where_of(self, typed: TypedLogFilter) -> LogFilter | None:
        """What the log's lines are to hold; None where all pass.

        Raises:
            ValueError: there is no such agent.
        """
        if typed.agent is None:
            return None if typed.is_empty else typed.where
        agent = self._agent_called(typed.agent)
        if agent is None:
            raise ValueError(f"agent: none is called {typed.agent[:_MOST_SHOWN_TEXT]}")
        return replace(typed.where, agent_id=agent.id)

    def _agent_called(self, name: str) -> Agent | None:
        seen = self.console_app.seen
        agents = () if seen is None else tuple(each.agent for each in seen.agents)
        return next((agent for agent in agents if name in (agent.name, agent.id)), None)

    def _narrow(self, typed: TypedLogFilter, where: LogFilter | None) -> None:
        if where == self._where:
            return
        lines = self.lines
        self.typed, self._where = typed, where
        self._seeking = None
        if where is None:
            self._narrowing = lines.found = None
            lines.settle()
            self._read_in_sight()
        else:  # what was found before stays in sight until the first slice is there
            self._narrowing = FoundLines(lines.line_count)
        self._show()
        self.show_command(self.PLACE)
        self._look_further()

    def _focus_lines(self) -> None:
        """Gives the keys to the list; where it is not there, to no box at least."""
        self.set_focus(self.lines if self.lines.display else None)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """The keys go back to the list; a text is searched for."""
        message.stop()
        field = message.input
        if field.id == "filter":
            field.display = bool(field.value.strip())
        else:
            field.display = False
            self._search_text = field.value
        self._focus_lines()
        if field.id == "search" and self._search_text:
            under = self.lines.line_of_cursor
            self._seek(is_back=True, start=under + 1 if self.lines.rows else 0)

    def on_field_left(self, message: Field.Left) -> None:
        """Escape takes the filter away; a search that was not begun is none."""
        message.stop()
        if message.field.id == "filter":
            message.field.value = ""
            self._typing_trouble = None
            self._hold()
            self._narrow(TypedLogFilter(), None)
        message.field.display = False
        self._focus_lines()

    # Searching

    def do_search(self) -> None:
        """Opens the box to search."""
        self._open_field("#search")

    def do_search_next(self) -> None:
        """The next line towards the log's beginning that holds the text."""
        if self._has_search():
            self._seek(is_back=True, start=self.lines.line_of_cursor)

    def do_search_previous(self) -> None:
        """The next line towards the log's end that holds the text."""
        if self._has_search():
            self._seek(is_back=False, start=self.lines.line_of_cursor + 1)

    def _has_search(self) -> bool:
        if not self._search_text:
            self.do_search()
        return bool(self._search_text)

    def _seek(self, *, is_back: bool, start: int) -> None:
        if self.lines.is_uncounted:
            self.say("the lines are still being counted")
            return
        self._seeking = _Seeking(self._search_text, is_back, start, start)
        self._seek_on(self._seeking)

    def _seek_on(self, seeking: _Seeking) -> None:
        """The next stretch of lines; around the log's end, where there is no more on this side."""
        end = self.lines.line_count
        if seeking.at == (0 if seeking.is_back else end):
            if seeking.is_round or seeking.start == (end if seeking.is_back else 0):
                self._found_nothing(seeking)
                return
            seeking.is_round = True
            seeking.at = end if seeking.is_back else 0
        if seeking.is_back:
            least = seeking.start if seeking.is_round else 0
            first, last = max(least, seeking.at - _SOUGHT_LINES), seeking.at
        else:
            most = seeking.start if seeking.is_round else end
            first, last = seeking.at, min(most, seeking.at + _SOUGHT_LINES)
        if first >= last:
            self._found_nothing(seeking)
            return
        self._show()
        reading, where = self.reading, LogFilter(text=seeking.text)
        seeking.at = first if seeking.is_back else last
        self._ask(
            "seek",
            lambda open_store: reading.seek(open_store, where, first, last),
            lambda found: self._sought(seeking, found),
            self._not_sought,
        )

    def _sought(self, seeking: _Seeking, newest_first: Sequence[int]) -> None:
        if seeking is not self._seeking:
            return
        shown = [line for line in newest_first if self._is_shown(line)]
        if not shown:
            self._seek_on(seeking)
            return
        self._seeking = None
        self.lines.go_to_line(shown[0] if seeking.is_back else shown[-1])
        if seeking.is_round:
            self.say("went on from the newest line" if seeking.is_back else "went on from the oldest line")
        self._show()

    def _found_nothing(self, seeking: _Seeking) -> None:
        self._seeking = None
        self.say(f"no line holds {seeking.text[:_MOST_SHOWN_TEXT]}", "warning")
        self._show()

    def _is_shown(self, line: int) -> bool:
        found = self.lines.found
        if found is None:
            return True
        place = found.place_of(line)
        return place < len(found) and found.line_at(place) == line

    # Actions

    def subject(self) -> Subject:
        """What the log is narrowed to."""
        where = self.typed.where
        return Subject(
            log_agent=self.typed.agent,
            log_action=where.action,
            log_key=where.key,
            log_gene=where.gene,
            log_text=where.text,
        )

    def do_follow(self) -> None:
        """Goes to the newest line, and stays there."""
        self.lines.follow()

    def do_refresh(self) -> None:
        """Looks again now."""
        self._poll()
        super().do_refresh()

    def do_back(self) -> None:
        """Ends a search, takes the filter away, or leaves."""
        if self._seeking is not None:
            self._seeking = None
            self._show()
        elif self._where is not None:
            self.query_one("#filter", Field).value = ""
            self.query_one("#filter").display = False
            self._narrow(TypedLogFilter(), None)
        else:
            super().do_back()

    def do_open(self) -> None:
        """Unfolds the record as it stands in the log."""
        from rotifer_console.dashboard.record_screen import RecordScreen

        under = self.lines.under_cursor
        if under is None:
            if self.lines.is_uncounted:
                self.say("the lines are still being counted")
            return
        line, record = under
        self.app.push_screen(RecordScreen(self.reading, line, record, self.lines.made_room_for(line)))

    # How things stand

    def hold(self, text: str | None, role: str = "warning") -> None:
        """Something is so of the store; what is wrong with the log, or with what is typed, is said first."""
        self._store_trouble = None if text is None else (text, role)
        self._hold()

    def _hold(self) -> None:
        if self._typing_trouble is not None:
            super().hold(self._typing_trouble)
        elif self._log_trouble is not None and not self._is_without_store:
            super().hold(self._log_trouble, "error")
        elif self._reading_trouble is not None:
            super().hold(self._reading_trouble, "error")
        elif self._gone is not None:
            super().hold(self._gone)
        elif self._store_trouble is not None:
            super().hold(*self._store_trouble)
        else:
            super().hold(None)

    def _show(self) -> None:
        """Shows how things stand: above the lines, and in their place where there are none."""
        lines = self.lines
        is_empty = lines.rows == 0
        empty = self.query_one(EmptyPlace)
        if is_empty:
            empty.say(*self._empty_texts())
        if empty.display != is_empty or lines.display == is_empty:
            had_focus = self.focused is None or self.focused is lines
            empty.display, lines.display = is_empty, not is_empty
            if not is_empty and had_focus:
                lines.focus()
        self.query_one(LogStatus).show(self._standing(), self._counts())

    def _empty_texts(self) -> tuple[str, ...]:
        if self._is_without_store:
            return ("this project has no agents yet", "its logs begin with the first one")
        if self._log_trouble is not None:
            return ("the log cannot be read now", "it is looked at again and again")
        if not self._has_polled:
            return ("reading the log",)
        if self._where is not None and self.lines.line_count:
            is_looking = self._narrowing is not None and self._narrowing.first > 0
            return ("looking",) if is_looking else ("no line matches", "esc shows all of them again")
        return self.EMPTY

    def _standing(self) -> list[Piece]:
        lines = self.lines
        separator = f" {self.console_app.glyphs.separator} "
        standing = [Piece(f" {self.LOG_NAME}", "title")]
        if lines.is_uncounted:
            counted, uncounted = self._counted
            standing.append(
                Piece(f"{separator}counting, {format_part(counted, counted + uncounted)}", "accent")
            )
            return standing
        if lines.is_following:
            standing += [Piece(separator, "dim"), Piece("following", "success")]
        else:
            new = lines.new_rows
            paused = f"paused, {_number(new)} new" if new else "paused"
            standing += [Piece(separator, "dim"), Piece(paused, "warning", "follow")]
        standing.append(Piece(f"{separator}{self._lines_in_words()}", "dim"))
        if self._seeking is not None:
            standing.append(Piece(f"{separator}searching, esc ends it", "accent"))
        return standing

    def _lines_in_words(self) -> str:
        lines, found = self.lines, self._narrowing
        if found is None:
            return _lines_of(lines.line_count)
        matches = f"{_number(len(found))} {'match' if len(found) == 1 else 'matches'}"
        if found.first > 0:
            return f"looking, {matches} in the newest {_number(found.last - found.first)} lines"
        return f"{matches} of {_lines_of(lines.line_count)}"

    def _counts(self) -> list[Piece]:
        unreadable = len(self.unreadable)
        if not unreadable:
            return []
        so_far = " so far" if self.unreadable.first > 0 else ""
        sign = self.console_app.glyphs.warning
        return [Piece(f"{sign} {_number(unreadable)} unreadable{so_far} ", "warning")]


class AuditScreen(LogScreen):
    """The audit log."""

    PLACE = Place.AUDIT
    BINDINGS = bindings_of(Place.AUDIT)
    LOG_NAME = "audit"
    FORM = LOG_FILTER_FORM
    HAS_KEYS = True
    EMPTY = ("the audit log is empty", "every change and every refusal leaves a line here")

    def new_reading(self) -> LogReading[Any]:
        """The audit log."""
        return LogReading(Store.audit_view)

    def titles(self, width: int) -> Line:
        """The columns' titles."""
        return audit_titles(width)

    def draw_row(self, record: LogRecord, setting: Setting, made_room_for: str | None) -> Line:
        """A record of the audit log."""
        assert isinstance(record, AuditRecord | UnreadableLine)
        return audit_row(record, setting, made_room_for)

    def do_copy_key(self) -> None:
        """Copies the record's key."""
        record = self.lines.record_under_cursor
        if isinstance(record, AuditRecord) and record.key is not None:
            self.console_app.copy(record.key, "the key")
        else:
            self.say("that line tells of no key")

    def do_why(self) -> None:
        """The life of the record's key."""
        from rotifer_console.dashboard.reports import why_of_record

        why_of_record(self, self.lines.record_under_cursor)


class TelemetryScreen(LogScreen):
    """The telemetry log."""

    PLACE = Place.TELEMETRY
    BINDINGS = bindings_of(Place.TELEMETRY)
    LOG_NAME = "telemetry"
    FORM = EVENT_FILTER_FORM
    HAS_KEYS = False
    EMPTY = ("no events", "a refused access leaves one here, unless telemetry is switched off")

    def new_reading(self) -> LogReading[Any]:
        """The telemetry log."""
        return LogReading(Store.telemetry_view)

    def titles(self, width: int) -> Line:
        """The columns' titles."""
        return telemetry_titles(width)

    def draw_row(self, record: LogRecord, setting: Setting, made_room_for: str | None) -> Line:
        """An event of the telemetry log."""
        assert not isinstance(record, AuditRecord)
        return telemetry_row(record, setting)


def _number(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _lines_of(count: int) -> str:
    return f"{_number(count)} {'line' if count == 1 else 'lines'}"
