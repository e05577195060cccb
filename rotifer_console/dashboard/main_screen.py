"""The first screen: agents, entries, the entry under the cursor, the newest audit lines (TUI-1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from rotifer_console.dashboard import absence
from rotifer_console.dashboard.absence import Absence
from rotifer_console.dashboard.actions import Place, Subject
from rotifer_console.dashboard.agent_list import AgentList
from rotifer_console.dashboard.arriving import Arriving
from rotifer_console.dashboard.audit_strip import AuditStrip
from rotifer_console.dashboard.bars import KeyBar
from rotifer_console.dashboard.deeds import Deeds
from rotifer_console.dashboard.drawn import LineList
from rotifer_console.dashboard.entry_list import EntryList, EntryTitles
from rotifer_console.dashboard.entry_pane import EntryPane
from rotifer_console.dashboard.entry_window import marked_in_sight, wants_reading
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.forecast_panel import ForecastPanel
from rotifer_console.dashboard.looking import Seen
from rotifer_console.dashboard.panes import EmptyPlace
from rotifer_console.dashboard.place_screen import bindings_of
from rotifer_console.dashboard.quota_bar import QuotaBar
from rotifer_console.dashboard.shell_line import ShellLine, shell_line
from rotifer_console.view.filters import FILTER_FORM
from rotifer_store import EntryInfo

_PANES: Final = ("#agents", "#entries", "#entry")


class MainScreen(Arriving, Deeds):
    """Agents on the left, entries in the middle, the entry on the right or below (TUI-1)."""

    PLACE = Place.MAIN
    BINDINGS = bindings_of(Place.MAIN)
    AUTO_FOCUS = "#entries"
    absence = Absence.READING
    """Why no agent's memory is shown; means nothing while one is."""

    def __init__(self) -> None:
        super().__init__(id="main")
        self._listed: ShellLine | None = None

    def compose_body(self) -> ComposeResult:
        """Three panes and the strip below them."""
        with Horizontal(id="body"):
            yield AgentList(id="agents")
            with Vertical(id="middle"):
                yield QuotaBar(id="quota")
                yield EntryTitles(id="titles")
                yield EntryList(id="entries")
                yield EmptyPlace(id="empty")
                yield Field(placeholder=FILTER_FORM, id="filter")
                yield ForecastPanel(id="forecast")
            yield EntryPane(id="entry")
        yield AuditStrip(id="strip")

    def mounted(self) -> None:
        """Names the panes; nothing has been read yet."""
        border_titles = {"#agents": "agents", "#middle": "entries", "#entry": "entry"}
        for selector, title in border_titles.items():
            self.query_one(selector).border_title = title
        self.query_one("#filter").display = False
        self.query_one(ForecastPanel).display = False
        self._show_absence(Absence.READING)
        notices = self.program.notices
        if notices:
            more = f" (and {len(notices) - 1} more: see the help)" if len(notices) > 1 else ""
            self.say(f"{notices[0]}{more}", "warning")
        app = self.program
        app.wanted = replace(app.wanted, order=app.saved.order, descending=app.saved.descending)
        app.begin()
        self.check_in_time()

    @property
    def entries(self) -> EntryList:
        """The list of entries."""
        return self.query_one(EntryList)

    @property
    def _pane(self) -> EntryPane:
        return self.query_one(EntryPane)

    @property
    def entry(self) -> EntryInfo | None:
        """The entry under the cursor; None where there is none, or it has not been read."""
        return self.entries.under_cursor

    def subject(self) -> Subject:
        """The agent, the marked entries or the one under the cursor, and what is listed how."""
        app = self.program
        marked = tuple(entry.key for entry in self.entries.marks.values())
        entry = self.entry
        return Subject(
            agent=app.agent_name,
            keys=marked or (() if entry is None else (entry.key,)),
            category=self.category,
            filter_text=self.filter_text,
            order=app.wanted.order,
            is_reversed=self.is_reversed,
        )

    # What the looks bring

    def show(self, seen: Seen) -> None:
        """Shows what a look brought; what stayed the same is not drawn again."""
        app = self.program
        self.query_one(AgentList).show(seen.agents, app.agent_name)
        if app.wanted.agent not in (None, app.agent_name):
            self.say(f"there is no agent {app.wanted.agent}", "warning")
            self.forget_entries()
        if app.agent_name != app.wanted.agent:
            app.wanted = replace(app.wanted, agent=app.agent_name)
        quota = self.query_one(QuotaBar)
        usage = None if seen.agent is None else seen.agent.usage
        listed = seen.window.total if self.filter_text else None
        if (quota.usage, quota.category, quota.listed) != (usage, self.category, listed):
            quota.usage, quota.category, quota.listed = usage, self.category, listed
            quota.refresh()
        self.entries.show(seen.window, seen.found_at, seen.creators)
        self.arrive(seen)
        app.facts = self._facts(seen)
        self.say_empty(seen)
        self._read_what_is_in_sight()
        self._show_titles()
        self.show_listing_command()
        self._pane.follow(self.entry, again=True)
        self.query_one(AuditStrip).look()
        self.looked()

    def hold(self, text: str | None, role: str = "warning") -> None:
        """Says something for as long as it is so; what the banner says the strip does not say again."""
        super().hold(text, role)
        self.query_one(AuditStrip).refresh()

    def show_no_store(self) -> None:
        """There is no store yet: says how to get one."""
        self._show_absence(Absence.NO_AGENT)
        self.query_one(AgentList).show((), None)

    def show_unread(self) -> None:
        """The store cannot be read, and never was: the banner says why."""
        self._show_absence(Absence.UNREADABLE)

    def _show_absence(self, why: Absence) -> None:
        self.absence = why
        self.query_one(EmptyPlace).say(*absence.texts(why, self.create_key))
        self._show_empty(True)
        self.show_keys()

    def _facts(self, seen: Seen) -> tuple[tuple[str, str], ...]:
        if seen.agent is None:
            return ()
        usage = seen.agent.usage
        entries = sum(part.entries for part in usage.by_category.values())
        percent = usage.used_bytes * 100 // usage.quota_bytes
        facts = [(f"{entries} {'entry' if entries == 1 else 'entries'}", "dim")]
        marks = self.entries.marks
        if marks:
            hidden = len(marks) - marked_in_sight(marks, self.entries.window)
            facts.append((f"{len(marks)} marked{f', {hidden} not listed' if hidden else ''}", "warning"))
        facts.append((f"quota {percent}% used", "warning" if percent >= 90 else "dim"))
        return (*facts, *self.audit_facts())

    def say_empty(self, seen: Seen) -> None:
        """Says why no entry is listed, where none is."""
        empty = self.query_one(EmptyPlace)
        if seen.agent is None:
            self._show_absence(Absence.NO_AGENT)
            return
        if self.is_misread:
            empty.say()  # the banner says why
        elif self.filter_text or self.category is not None:
            empty.say("no entry matches", "esc shows all of them again")
        else:
            empty.say(
                f"{seen.agent.agent.name} remembers nothing yet",
                f"its genes write when it runs: rotifer agent run {seen.agent.agent.name} --input '{{}}'",
            )
        self._show_empty(seen.window.total == 0)

    def _show_empty(self, holds: bool) -> None:
        self.query_one(EmptyPlace).display = holds
        self.entries.display = not holds
        self.query_one(EntryTitles).display = not holds

    def _show_titles(self) -> None:
        wanted = self.program.wanted
        titles = self.query_one(EntryTitles)
        titles.order, titles.descending = wanted.order, wanted.descending
        titles.refresh()
        app = self.program
        if app.seen is not None:
            app.facts = self._facts(app.seen)
            app.refresh_bars()
        marked = len(self.entries.marks)
        self.query_one("#middle").border_subtitle = f"{marked} marked" if marked else ""
        self.show_keys()

    def show_listing_command(self) -> None:
        """The command line that equals the listing."""
        line = shell_line("sort", self.subject())
        if line != self._listed:  # else what was done since then stays in sight
            self._listed = line
            if not self.shows_deed:
                bar = self.query_one(KeyBar)
                bar.command = line
                bar.refresh()

    def _show_listing_again(self) -> None:
        """What was opened is closed: the list is what there is."""
        self._listed = None
        self.show_listing_command()

    def returned_to(self) -> None:
        """The screen above was left for the list."""
        super().returned_to()
        self._show_listing_again()

    def _read_what_is_in_sight(self) -> None:
        entries = self.entries
        offset = wants_reading(entries.window, entries.top, entries.height_rows)
        app = self.program
        if offset is not None and offset != app.wanted.offset:
            app.want(replace(app.wanted, offset=offset))

    def tick(self) -> None:
        """A second has passed: countdowns read differently."""
        self.entries.tick()
        self._pane.tell()
        self.query_one(AuditStrip).look()

    def resized(self) -> None:
        """The pane beside or below has another width."""
        if self.is_mounted:
            self._pane.tell()

    # Cursor and panes

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor is on another agent, or on another entry."""
        message.stop()
        if isinstance(message.line_list, AgentList):
            name = message.line_list.under_cursor
            if name is not None and name != self.program.agent_name:
                self.choose_agent(name)
        elif isinstance(message.line_list, EntryList):
            self._read_what_is_in_sight()
            self._pane.follow(self.entry)

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """A second click unfolds."""
        message.stop()
        self.do_open()

    def do_open(self) -> None:
        """Unfolds the entry: goes to its pane, which a small screen does not show before."""
        if self.focused is self.query_one(AgentList):
            self.focus_on("#entries")
            return
        if self._entry_here() is None:
            return
        self.add_class("-unfolded")
        self.focus_on("#entry")
        self._pane.follow(self.entry, again=True)
        self.show_command("open")

    def do_back(self) -> None:
        """Closes what is open, the innermost first; then shows all entries again."""
        if self.query_one(ForecastPanel).display:
            self.query_one(ForecastPanel).close()
        elif self.has_class("-unfolded") or self.focused is self.query_one("#entry"):
            self._fold()
        elif self.entries.marks:
            self.do_unmark()
        elif self.filter_text or self.category is not None:
            self.narrow("", None)
        self.focus_on("#entries")
        self._show_listing_again()

    def _fold(self) -> None:
        """Leaves the entry; its value is hidden again (TUI-4)."""
        self.remove_class("-unfolded")
        self._pane.hide_value()

    @property
    def has_way_back(self) -> bool:
        """Whether escape closes something, or shows more."""
        return bool(
            self.query_one(ForecastPanel).display
            or self.has_class("-unfolded")
            or self.focused not in (self.entries, None)
            or self.entries.marks
            or self.filter_text
            or self.category is not None
        )

    def do_next_pane(self) -> None:
        """The next pane gets the keys."""
        self._turn_to(1)

    def do_previous_pane(self) -> None:
        """The pane before gets the keys."""
        self._turn_to(-1)

    def _turn_to(self, way: int) -> None:
        shown = [selector for selector in _PANES if self.query_one(selector).display]
        if not self.has_class("-wide"):
            shown = list(_PANES)
        at = next((index for index, each in enumerate(shown) if self.query_one(each) is self.focused), 1)
        chosen = shown[(at + way) % len(shown)]
        self.set_class(chosen == "#agents", "-choosing")
        if chosen == "#entry":
            self.add_class("-unfolded")
        else:
            self._fold()
        self.focus_on(chosen)

    def on_descendant_focus(self) -> None:
        """Where one pane is shown at a time, it is the one that has the keys."""
        self.set_class(self.focused is self.query_one(AgentList), "-choosing")
        if self.focused is self.entries:
            self._fold()

    # The entry under the cursor

    def _entry_here(self) -> EntryInfo | None:
        """The entry under the cursor; where there is none, the screen says why."""
        entry = self.entry
        if entry is None and self.agent_shown() is not None:
            self.say("the entry is still being read" if self.entries.rows else "there is no entry here")
        return entry

    def do_value(self) -> None:
        """Shows or hides the value."""
        entry = self._entry_here()
        if entry is None:
            return
        if self._pane.turn_value(entry):
            self.add_class("-unfolded")
            self.show_command("value")
        else:
            self.show_command("open")

    def do_value_form(self) -> None:
        """Text, JSON, hex."""
        self._pane.next_value_form()

    def do_mark(self) -> None:
        """Marks the entry, or takes its mark away."""
        if self._entry_here() is not None:
            self.entries.mark()
            self._show_titles()

    def do_copy_key(self) -> None:
        """Copies the key under the cursor as it is, hidden characters and all, or says why not."""
        entry = self._entry_here()
        if entry is not None:
            self.program.copy(entry.key, "the key")

    def do_unmark(self) -> None:
        """Takes all marks away."""
        self.entries.marks.clear()
        self.entries.refresh()
        self._show_titles()
