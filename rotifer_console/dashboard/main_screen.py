"""The first screen: agents, entries, the entry under the cursor, the newest audit lines (TUI-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer

from rotifer_console.dashboard import entry_rows
from rotifer_console.dashboard.actions import BY_ID, Place, Subject
from rotifer_console.dashboard.agent_list import AgentList
from rotifer_console.dashboard.audit_strip import AuditStrip
from rotifer_console.dashboard.bars import KeyBar
from rotifer_console.dashboard.deeds import Deeds
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.drawn import LineList
from rotifer_console.dashboard.entry_lines import VALUE_FORMS, entry_lines
from rotifer_console.dashboard.entry_list import EntryList, EntryTitles
from rotifer_console.dashboard.entry_window import marked_in_sight, offset_around, wants_reading
from rotifer_console.dashboard.examining import Examined, examine
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.forecast_panel import ForecastPanel
from rotifer_console.dashboard.looking import Seen
from rotifer_console.dashboard.panes import EmptyPlace, TextPane
from rotifer_console.dashboard.place_screen import bindings_of
from rotifer_console.dashboard.quota_bar import QuotaBar
from rotifer_console.dashboard.reports import Reports
from rotifer_console.view import life as life_view
from rotifer_console.view.filters import FILTER_FORM, parse_filter
from rotifer_store import BrowseFilter, EntryInfo, LifeEvent

_EXAMINE_AFTER_S: Final = 0.08
_LARGEST_FIRST: Final = ("updated", "size")
_PANES: Final = ("#agents", "#entries", "#entry")


class MainScreen(Deeds, Reports):
    """Agents on the left, entries in the middle, the entry on the right or below (TUI-1)."""

    PLACE = Place.MAIN
    BINDINGS = bindings_of(Place.MAIN)
    AUTO_FOCUS = "#entries"

    def __init__(self) -> None:
        super().__init__(id="main")
        self.examined: Examined | None = None
        self.life: list[str] | None = None
        self.value_shown = False
        self.seeks_value = False
        self.value_form = VALUE_FORMS[0]
        self.filter_text = ""
        self.category: str | None = None
        self._entry_of_pane: EntryInfo | None = None
        self._listed: tuple[str, ...] | None = None
        self._examine_timer: Timer | None = None
        self._going_to: str | None = None

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
            yield TextPane(id="entry")
        yield AuditStrip(id="strip")

    def mounted(self) -> None:
        """Names the panes; nothing has been read yet."""
        border_titles = {"#agents": "agents", "#middle": "entries", "#entry": "entry"}
        for selector, title in border_titles.items():
            self.query_one(selector).border_title = title
        self.query_one("#filter").display = False
        self.query_one(ForecastPanel).display = False
        self.query_one(EmptyPlace).say("reading the store")
        self._show_empty(True)
        notices = self.console_app.notices
        if notices:
            more = f" (and {len(notices) - 1} more: see the help)" if len(notices) > 1 else ""
            self.say(f"{notices[0]}{more}", "warning")
        app = self.console_app
        app.wanted = replace(app.wanted, order=app.saved.order, descending=app.saved.descending)
        app.begin()

    @property
    def entries(self) -> EntryList:
        """The list of entries."""
        return self.query_one(EntryList)

    @property
    def entry(self) -> EntryInfo | None:
        """The entry under the cursor; None where there is none, or it has not been read."""
        return self.entries.under_cursor

    def subject(self) -> Subject:
        """The agent, the marked entries or the one under the cursor, and what is listed how."""
        app = self.console_app
        marked = tuple(entry.key for entry in self.entries.marks.values())
        entry = self.entry
        return Subject(
            agent=app.agent_name,
            keys=marked or (() if entry is None else (entry.key,)),
            category=self.category,
            filter_text=self.filter_text,
            order=app.wanted.order,
            is_reversed=app.wanted.descending is not (app.wanted.order in _LARGEST_FIRST),
        )

    # What the looks bring

    def show(self, seen: Seen) -> None:
        """Shows what a look brought; what stayed the same is not drawn again."""
        app = self.console_app
        self.query_one(AgentList).show(seen.agents, app.agent_name)
        if app.wanted.agent not in (None, app.agent_name):
            self.say(f"there is no agent {app.wanted.agent}", "warning")
            self.forget_entries()
        if app.agent_name != app.wanted.agent:
            app.wanted = replace(app.wanted, agent=app.agent_name)
        quota = self.query_one(QuotaBar)
        usage = None if seen.agent is None else seen.agent.usage
        if (quota.usage, quota.category) != (usage, self.category):
            quota.usage, quota.category = usage, self.category
            quota.refresh()
        self.entries.show(seen.window, seen.found_at, seen.creators)
        self._arrive(seen)
        app.facts = self._facts(seen)
        self._say_empty(seen)
        self._read_what_is_in_sight()
        self._show_titles()
        self.show_listing_command()
        self._examine_soon(again=True)
        self.looked()

    def show_no_store(self) -> None:
        """There is no store yet: says how to get one."""
        self.query_one(EmptyPlace).say(
            "no agents yet", "n creates one here; so does: rotifer agent create NAME --genes GENE"
        )
        self._show_empty(True)
        self.query_one(AgentList).show((), None)

    def show_unread(self) -> None:
        """The store cannot be read, and never was: the banner says why."""
        self.query_one(EmptyPlace).say("the store cannot be read now", "it is tried again by itself")

    def forget_entries(self) -> None:
        """Another listing comes: marks and cursor belong to the one before."""
        entries = self.entries
        entries.marks.clear()
        entries.show_from_the_top()
        self.query_one(ForecastPanel).close()

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

    def _say_empty(self, seen: Seen) -> None:
        empty = self.query_one(EmptyPlace)
        if seen.agent is None:
            empty.say("no agents yet", "n creates one here; so does: rotifer agent create NAME --genes GENE")
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
        wanted = self.console_app.wanted
        titles = self.query_one(EntryTitles)
        titles.order, titles.descending = wanted.order, wanted.descending
        titles.refresh()
        app = self.console_app
        if app.seen is not None:
            app.facts = self._facts(app.seen)
            app.refresh_bars()
        marked = len(self.entries.marks)
        filtered = "filtered" if self.filter_text else ""
        self.query_one("#middle").border_subtitle = f"{marked} marked" if marked else filtered

    def show_listing_command(self) -> None:
        """The command line that equals the listing."""
        command = BY_ID["sort"].command
        words = None if command is None else command(self.subject())
        if words != self._listed:  # else what was done since then stays in sight
            self._listed = words
            if not self.shows_deed:
                bar = self.query_one(KeyBar)
                bar.command = words
                bar.refresh()

    def _read_what_is_in_sight(self) -> None:
        entries = self.entries
        offset = wants_reading(entries.window, entries.top, entries.height_rows)
        app = self.console_app
        if offset is not None and offset != app.wanted.offset:
            app.want(replace(app.wanted, offset=offset))

    def tick(self) -> None:
        """A second has passed: countdowns read differently."""
        self.entries.tick()
        self._show_entry()
        self.query_one(AuditStrip).look()

    def resized(self) -> None:
        """The pane beside or below has another width."""
        if self.is_mounted:
            self._show_entry()

    def on_text_pane_resized(self, message: TextPane.Resized) -> None:
        """The entry's pane has come into sight, or has another width."""
        message.stop()
        self._show_entry()

    # Cursor and panes

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor is on another agent, or on another entry."""
        message.stop()
        if isinstance(message.line_list, AgentList):
            name = message.line_list.under_cursor
            if name is not None and name != self.console_app.agent_name:
                self.choose_agent(name)
        elif isinstance(message.line_list, EntryList):
            self._read_what_is_in_sight()
            self._examine_soon()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """A second click unfolds."""
        message.stop()
        self.do_open()

    def go_to_key(self, key: str) -> None:
        """Puts the cursor on the entry of a key, whatever is listed now."""
        app = self.console_app
        self._going_to = key
        self.category, self.filter_text = None, ""
        self.query_one("#filter", Field).value = ""
        self.query_one("#filter").display = False
        self.focus_on("#entries")
        app.want(replace(app.wanted, where=BrowseFilter()))

    @property
    def key_to_find(self) -> str | None:
        """The key whose place a look is to tell: where the cursor was sent, else of the entry it is on."""
        return self._going_to or self.entries.place.key

    def _arrive(self, seen: Seen) -> None:
        """Puts the cursor where it was sent, once that has been read."""
        app, key = self.console_app, self._going_to
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
            self.entries.move_cursor(at)

    def choose_agent(self, name: str) -> None:
        """Shows another agent's memory."""
        app = self.console_app
        self.forget_entries()
        self.category, self.filter_text = None, ""
        self.query_one("#filter", Field).value = ""
        app.want(replace(app.wanted, agent=name, where=BrowseFilter(), offset=0))

    def do_open(self) -> None:
        """Unfolds the entry: goes to its pane, which a small screen does not show before."""
        if self.focused is self.query_one(AgentList):
            self.focus_on("#entries")
            return
        if self.entry is None:
            return
        self.add_class("-unfolded")
        self.focus_on("#entry")
        self._examine_soon(again=True)
        self.show_command("open")

    def do_back(self) -> None:
        """Closes what is open, the innermost first; then shows all entries again."""
        if self.query_one(ForecastPanel).display:
            self.query_one(ForecastPanel).close()
        elif self.has_class("-unfolded") or self.focused is self.query_one("#entry"):
            self.remove_class("-unfolded")
        elif self.entries.marks:
            self.do_unmark()
        elif self.filter_text or self.category is not None:
            self._narrow("", None)
        self.focus_on("#entries")

    def do_next_pane(self) -> None:
        """The next pane gets the keys."""
        self._pane(1)

    def do_previous_pane(self) -> None:
        """The pane before gets the keys."""
        self._pane(-1)

    def _pane(self, way: int) -> None:
        shown = [selector for selector in _PANES if self.query_one(selector).display]
        if not self.has_class("-wide"):
            shown = list(_PANES)
        at = next((index for index, each in enumerate(shown) if self.query_one(each) is self.focused), 1)
        chosen = shown[(at + way) % len(shown)]
        self.set_class(chosen == "#agents", "-choosing")
        self.set_class(chosen == "#entry", "-unfolded")
        self.focus_on(chosen)

    def on_descendant_focus(self) -> None:
        """Where one pane is shown at a time, it is the one that has the keys."""
        self.set_class(self.focused is self.query_one(AgentList), "-choosing")
        if self.focused is self.entries:
            self.remove_class("-unfolded")

    # The entry's pane

    def _examine_soon(self, *, again: bool = False) -> None:
        entry = self.entry
        if not again and entry == self._entry_of_pane:
            return
        if entry is None or self._entry_of_pane is None or entry.entry_id != self._entry_of_pane.entry_id:
            self.examined, self.life = None, None
            self.value_shown = False
        self._entry_of_pane = entry
        self._show_entry()
        if self._examine_timer is not None:
            self._examine_timer.stop()
        self._examine_timer = self.set_timer(_EXAMINE_AFTER_S, self._examine)

    def _examine(self) -> None:
        entry, seen = self.entry, self.console_app.seen
        if entry is None or seen is None or seen.agent is None:
            return
        app, agent, with_value = self.console_app, seen.agent.agent, self.value_shown
        app.desk.ask(
            Lane.ENTRY,
            "entry",
            lambda store: examine(store, app.project, agent, entry, with_value=with_value),
            self._examined,
            lambda error: self.say(str(error), "error"),
        )
        app.desk.ask(
            Lane.LONG,
            "life",
            lambda store: store.life(agent, entry.key),
            lambda events: self._lived(entry, _told(events, seen.creators)),
            lambda error: self._lived(entry, [str(error)]),
        )

    def _examined(self, examined: Examined) -> None:
        if self.entry is not None and examined.entry.entry_id == self.entry.entry_id:
            self.examined = examined
            self._show_entry()

    def _go_to_value(self, pane: TextPane) -> None:
        """The value stands below the rest: what was asked for is brought into sight, once (TUI-4)."""
        if not self.seeks_value or self.examined is None or self.examined.value is None:
            return
        at = next((row for row, line in enumerate(pane.shown) if line and line[0].text == "value"), 0)
        pane.scroll_to(y=at, animate=False, immediate=True)
        if round(pane.scroll_y) == min(at, pane.max_scroll_y):
            self.seeks_value = self.life is None  # the life stands above it and may still come
        else:  # the pane is just unfolding
            self.set_timer(_EXAMINE_AFTER_S, self._show_entry)

    def _lived(self, entry: EntryInfo, life: list[str]) -> None:
        if self.entry is not None and entry.entry_id == self.entry.entry_id:
            self.life = life
            self._show_entry()

    def _show_entry(self) -> None:
        pane = self.query_one("#entry", TextPane)
        app = self.console_app
        entry = self.entry
        if entry is None or app.seen is None:
            pane.show(())
            return
        if not pane.size.width:
            return
        pane.show(
            entry_lines(
                entry,
                self.examined,
                self.life,
                app.seen.creators,
                max(10, pane.size.width - 2),
                app.clock.now_us(),
                app.glyphs,
                value_form=self.value_form,
            )
        )
        self._go_to_value(pane)

    def do_value(self) -> None:
        """Shows or hides the value."""
        if self.entry is None:
            return
        self.value_shown = self.seeks_value = not self.value_shown
        if self.value_shown:
            self.add_class("-unfolded")
            self.show_command("value")
        elif self.examined is not None:
            self.examined = replace(self.examined, value=None, is_gone=False)
        self._show_entry()
        self._examine()

    def do_value_form(self) -> None:
        """Text, JSON, hex."""
        self.value_form = VALUE_FORMS[(VALUE_FORMS.index(self.value_form) + 1) % len(VALUE_FORMS)]
        self._show_entry()

    # What is listed, and how

    def do_filter(self) -> None:
        """Opens the box; what is typed narrows the list at once."""
        field = self.query_one("#filter", Field)
        field.display = True
        self.set_focus(field)  # at once: the next letter is for it

    def on_input_changed(self, message: Field.Changed) -> None:
        """A filter that cannot be read keeps the last good one (TUI-6)."""
        if message.input.id != "filter" or not message.input.display:
            return
        message.stop()
        try:
            parse_filter(message.value)
        except ValueError as error:
            self.hold(str(error))
            return
        self.hold(None)
        self._narrow(message.value, self.category)

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """The filter stays, and the keys go back to the list; one that cannot be read keeps them."""
        if message.input.id != "filter":
            return
        message.stop()
        try:
            parse_filter(message.value)
        except ValueError:
            return
        self.hold(None)
        message.input.display = bool(self.filter_text)
        self.focus_on("#entries")

    def on_field_left(self, message: Field.Left) -> None:
        """Escape takes the filter away."""
        message.stop()
        if message.field.id == "filter":
            self.hold(None)
            message.field.value = ""
            message.field.display = False
            self._narrow("", self.category)
            self.focus_on("#entries")

    def _narrow(self, filter_text: str, category: str | None) -> None:
        app = self.console_app
        self.filter_text, self.category = filter_text.strip(), category
        field = self.query_one("#filter", Field)
        if not self.filter_text and self.focused is not field:  # what is being typed may be ahead of us
            field.value = ""
            field.display = False
        where = parse_filter(self.filter_text)
        if category is not None and where.category is None:
            where = replace(where, category=category)
        app.want(replace(app.wanted, where=where, offset=0))

    def do_next_category(self) -> None:
        """Shows the next category."""
        self._narrow(self.filter_text, entry_rows.category_after(self.category))

    def do_previous_category(self) -> None:
        """Shows the category before."""
        self._narrow(self.filter_text, entry_rows.category_before(self.category))

    def asked_category(self, name: str) -> None:
        """A click on a tab."""
        self._narrow(self.filter_text, name or None)

    def do_sort(self) -> None:
        """The next column's order, each in the direction that people look for first."""
        orders = [column.order for column in entry_rows.columns_for(self.entries.size.width)]
        order = self.console_app.wanted.order
        at = orders.index(order) if order in orders else -1
        self.asked_sort(orders[(at + 1) % len(orders)])

    def asked_sort(self, order: str) -> None:
        """A click on a title: sorts by it, or the other way round where it is sorted so."""
        app = self.console_app
        if order == app.wanted.order:
            self.do_sort_other_way()
            return
        descending = order in _LARGEST_FIRST
        self._in_order(order, descending=descending)

    def do_sort_other_way(self) -> None:
        """Sorts the other way round."""
        wanted = self.console_app.wanted
        self._in_order(wanted.order, descending=not wanted.descending)

    def _in_order(self, order: str, *, descending: bool) -> None:
        app = self.console_app
        offset = offset_around(self.entries.top)
        app.want(replace(app.wanted, order=order, descending=descending, offset=offset))

    def do_mark(self) -> None:
        """Marks the entry, or takes its mark away."""
        self.entries.mark()
        self._show_titles()

    def do_copy_key(self) -> None:
        """Copies the key under the cursor as it is, hidden characters and all, or says why not."""
        entry = self.entry
        if entry is None:
            self.say("there is no key to copy")
        else:
            self.console_app.copy(entry.key, "the key")

    def do_unmark(self) -> None:
        """Takes all marks away."""
        self.entries.marks.clear()
        self.entries.refresh()
        self._show_titles()


def _told(events: Sequence[LifeEvent], genes: Mapping[str, str]) -> list[str]:
    """The newest first, each with its time."""
    return [
        f"{life_view.time_of(event.record, exact=False)} {life_view.sentence(event, genes)}"
        for event in reversed(events)
    ]
