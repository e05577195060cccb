"""A log as it grows, on a screen of its own: its boxes, its keys, and what is said above it (TUI-5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.widgets import Input

from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.cells import Line
from rotifer_console.dashboard.door import NoStoreYet
from rotifer_console.dashboard.drawn import LineList
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.log_bars import LogStatus, LogTitles
from rotifer_console.dashboard.log_following import Following
from rotifer_console.dashboard.log_lane import LogLane
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_matching import Matching
from rotifer_console.dashboard.log_reading import LogReading
from rotifer_console.dashboard.log_rows import log_row
from rotifer_console.dashboard.log_searching import Searching
from rotifer_console.dashboard.log_standing import Standing, standing_pieces, unreadable_pieces
from rotifer_console.dashboard.panes import EmptyPlace
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.record_screen import RecordScreen
from rotifer_console.view.instants import exact_or_earliest
from rotifer_console.view.log_filters import TypedLogFilter, meant_by, parse_log_filter
from rotifer_store import LogFilter, LogView, Store

_LOOK_EVERY_S: Final = 0.5
_COUNT_AFTER_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class LogKind:
    """In what the logs differ: `form` tells what can be typed, `empty` is said where there are no lines.

    `missing` is said instead where the store has agents, whose making leaves a line; empty where none does.
    """

    name: str
    open_view: Callable[[Store], LogView[Any]]
    titles: Callable[[int], Line]
    form: str
    has_keys: bool
    empty: tuple[str, ...]
    missing: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The name of the file that is written to."""
        return f"{self.name}.jsonl"


class LogScreen(PlaceScreen):
    """One log: its newest lines while it is followed, any of its lines when it is not.

    What is known of the log belongs to its parts: `following` looks at it, `matching` looks through it,
    `searching` goes to a line, and `lines` shows it.
    """

    AUTO_FOCUS = "#log_lines"
    KIND: ClassVar[LogKind]

    def __init__(self) -> None:
        super().__init__()
        self.lines = LogList(log_row, id="log_lines")
        self.reading = LogReading(self.KIND.open_view)
        self._lane = LogLane(self.reading, lambda: self.program.desk)
        self.matching = Matching(
            self._lane,
            self.lines,
            changed=self._looked_through,
            later=lambda go_on: self.set_timer(_COUNT_AFTER_S, go_on),
        )
        self.searching = Searching(
            self._lane, self.lines, self.matching, say=self.say, changed=self._show_standing
        )
        self.following = Following(
            self._lane,
            self.lines,
            self.matching,
            self.KIND.file,
            say=self.say,
            changed=self._show,
            began_anew=self.searching.end,
        )
        self.typed = TypedLogFilter()
        self._typing_trouble: str | None = None
        self._store_trouble: tuple[str, str] | None = None

    def compose_body(self) -> ComposeResult:
        """A line that says how things stand, the titles, the lines, and the boxes to type into."""
        yield LogStatus(id="log_status")
        yield LogTitles(self.KIND.titles, id="log_titles")
        yield self.lines
        yield EmptyPlace(id="empty")
        yield Field(placeholder=self.KIND.form, id="filter")
        yield Field(placeholder="text to search for, towards older lines", id="search")

    def mounted(self) -> None:
        """Looks for the first time."""
        for selector in ("#filter", "#search"):
            self.query_one(selector).display = False
        self.lines.today = self._today()
        self._show()
        self.show_command(self.PLACE)
        self.set_interval(_LOOK_EVERY_S, self._look_in_time)
        self.following.look()

    def on_screen_resume(self) -> None:
        """Another screen was left for this one."""
        if self.is_mounted:
            self.following.look()

    def on_unmount(self) -> None:
        """Lets go of the log."""
        self._lane.leave()

    # What comes by itself

    def _look_in_time(self) -> None:
        if self.app.screen is not self or self.program.is_paused:
            return
        today = self._today()
        if today != self.lines.today:
            self.lines.today = today
            self.lines.refresh()
        self.following.look()

    def _today(self) -> str:
        return exact_or_earliest(self.program.clock.now_us())[:10]

    def _looked_through(self) -> None:
        self._show()
        self.following.read_in_sight()
        self.searching.matched()

    def on_log_list_moved(self, message: LogList.Moved) -> None:
        """Other lines are in sight, or it follows no longer, or again."""
        message.stop()
        self.searching.moved()
        self._show_standing()
        self.following.read_in_sight()

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor is on another line."""
        message.stop()
        self.searching.moved()
        self._show_standing()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """A second click unfolds."""
        message.stop()
        self.do_open()

    # The boxes

    def do_filter(self) -> None:
        """Opens the box, with what was typed last; what is typed narrows the log at once."""
        self._open_field("#filter")

    def do_search(self) -> None:
        """Opens the box to search."""
        self._open_field("#search")

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
            typed = parse_log_filter(message.value, has_keys=self.KIND.has_keys)
            seen = self.program.seen
            where = meant_by(typed, () if seen is None else [each.agent for each in seen.agents])
        except ValueError as error:
            self._typing_trouble = str(error)
            self._hold()
            return
        self._typing_trouble = None
        self._hold()
        self._narrow(typed, where)

    def _narrow(self, typed: TypedLogFilter, where: LogFilter | None) -> None:
        if where == self.matching.where:
            return
        self.typed = typed
        self.searching.end()
        self.matching.narrow(where)
        self.following.read_in_sight()
        self._show()
        self.show_command(self.PLACE)

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
            self.searching.text = field.value
        self._focus_lines()
        if field.id == "search" and field.value:
            self.searching.begin()

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

    def do_search_next(self) -> None:
        """The next line towards the log's beginning that holds the text."""
        self._search_on(is_back=True)

    def do_search_previous(self) -> None:
        """The next line towards the log's end that holds the text."""
        self._search_on(is_back=False)

    def _search_on(self, *, is_back: bool) -> None:
        if self.searching.text:
            self.searching.go_on(is_back=is_back)
        else:
            self.do_search()

    def do_follow(self) -> None:
        """Goes to the newest line, and stays there."""
        self.lines.follow()

    def do_refresh(self) -> None:
        """Looks again now."""
        self.following.look()
        super().do_refresh()

    def do_back(self) -> None:
        """Ends a search, takes the filter away, or leaves."""
        if self.searching.is_on_its_way:
            self.searching.end()
        elif self.matching.where is not None:
            self.query_one("#filter", Field).value = ""
            self.query_one("#filter").display = False
            self._narrow(TypedLogFilter(), None)
        else:
            super().do_back()

    def do_open(self) -> None:
        """Unfolds the record as it stands in the log."""
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
        following = self.following
        trouble = following.reading_trouble or self.matching.trouble
        if self._typing_trouble is not None:
            super().hold(self._typing_trouble)
        elif following.error is not None and not isinstance(following.error, NoStoreYet):
            super().hold(str(following.error), "error")
        elif trouble is not None:
            super().hold(trouble, "error")
        elif following.gone is not None:
            super().hold(following.gone)
        elif self._store_trouble is not None:
            super().hold(*self._store_trouble)
        else:
            super().hold(None)

    def _name_agents(self) -> None:
        """Names the agents that the lines tell of by id."""
        seen = self.program.seen
        if seen is not None:
            self.lines.agents = {each.agent.id: each.agent.name for each in seen.agents}

    def _show(self) -> None:
        """Shows how things stand: above the lines, in their place where there are none, and in the banner."""
        lines = self.lines
        self._name_agents()
        is_empty = lines.rows == 0
        empty = self.query_one(EmptyPlace)
        if is_empty:
            empty.say(*self._empty_texts())
        if empty.display != is_empty or lines.display == is_empty:
            had_focus = self.focused is None or self.focused is lines
            if is_empty and had_focus:
                self.set_focus(None)  # at once: Textual would give the keys to a box that is there
            empty.display, lines.display = is_empty, not is_empty
            if not is_empty and had_focus:
                lines.focus()
        self._hold()
        self._show_standing()

    def _empty_texts(self) -> tuple[str, ...]:
        error, matches = self.following.error, self.matching.progress
        if isinstance(error, NoStoreYet):
            return ("this project has no agents yet", "its logs begin with the first one")
        if error is not None:
            return ("the log cannot be read now", "it is looked at again and again")
        if not self.following.has_looked:
            return ("reading the log",)
        if matches is not None and self.lines.line_count:
            is_done = matches.is_all and matches.looked_at
            return ("no line matches", "esc shows all of them again") if is_done else ("looking",)
        seen = self.program.seen
        has_had_lines = seen is not None and bool(seen.agents)
        return self.KIND.missing if has_had_lines and self.KIND.missing else self.KIND.empty

    def _show_standing(self) -> None:
        standing, glyphs = self._standing(), self.program.glyphs
        self.query_one(LogStatus).show(standing_pieces(standing, glyphs), unreadable_pieces(standing, glyphs))

    def _standing(self) -> Standing:
        lines, unreadable = self.lines, self.matching.unreadable
        return Standing(
            log_name=self.KIND.name,
            line_count=lines.line_count if self.following.has_looked else None,
            counting=self.following.counted if lines.is_uncounted else None,
            new_rows=None if lines.is_following else lines.new_rows,
            matches=self.matching.progress,
            is_searching=self.searching.is_on_its_way,
            unreadable=len(unreadable),
            is_unreadable_all=unreadable.first == 0,
            foreign=len(self.matching.foreign),
        )
