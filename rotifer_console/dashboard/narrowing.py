"""What the list shows, and in which order: the filter's box, the categories, the columns (TUI-6)."""

from __future__ import annotations

from dataclasses import replace

from rotifer_console.dashboard import entry_rows
from rotifer_console.dashboard.entry_list import EntryList
from rotifer_console.dashboard.entry_window import offset_around
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.looking import Seen
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.view.entries import LARGEST_FIRST
from rotifer_console.view.filters import parse_filter
from rotifer_store import BrowseFilter


class Narrowing(PlaceScreen):
    """A screen whose list of entries can be filtered and sorted."""

    filter_text = ""
    category: str | None = None
    is_misread = False
    """Whether what is typed is no filter; then the list is that of the last one that was, and dim."""

    @property
    def filter_box(self) -> Field:
        """The box of the filter."""
        return self.query_one("#filter", Field)

    @property
    def is_reversed(self) -> bool:
        """Whether the order is the other way round than people look for first."""
        wanted = self.program.wanted
        return wanted.descending is not (wanted.order in LARGEST_FIRST)

    # The filter

    def do_filter(self) -> None:
        """Opens the box; what is typed narrows the list at once."""
        self.uncover_list()
        field = self.filter_box
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
            self._misread(str(error))
            return
        self._misread(None)
        self.narrow(message.value, self.category)

    def _misread(self, why: str | None) -> None:
        """Says why what is typed is no filter; the list is dim for as long as it is not what was typed."""
        self.hold(None if why is None else f"{why}; still listed: {self.filter_text or 'all'}")
        self.is_misread = self.query_one(EntryList).is_past = why is not None
        self.query_one(EntryList).refresh()
        if self.program.seen is not None:
            self.say_empty(self.program.seen)

    def say_empty(self, seen: Seen) -> None:
        """Says why no entry is listed, where none is."""

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """The filter stays, and the keys go back to the list; one that cannot be read keeps them."""
        if message.input.id != "filter":
            return
        message.stop()
        try:
            parse_filter(message.value)
        except ValueError:
            return
        self._misread(None)
        message.input.display = bool(self.filter_text)
        self.focus_on("#entries")

    def on_field_left(self, message: Field.Left) -> None:
        """Escape takes the filter away."""
        message.stop()
        if message.field.id == "filter":
            self._misread(None)
            message.field.value = ""
            message.field.display = False
            self.narrow("", self.category)
            self.focus_on("#entries")

    # What is listed

    def narrow(self, filter_text: str, category: str | None) -> None:
        """Lists what the filter and the category let through; a category that the filter names counts."""
        app = self.program
        self.filter_text, self.category = filter_text.strip(), category
        field = self.filter_box
        if not self.filter_text and self.focused is not field:  # what is being typed may be ahead of us
            field.value = ""
            field.display = False
        where = parse_filter(self.filter_text)
        if category is not None and where.category is None:
            where = replace(where, category=category)
        app.want(replace(app.wanted, where=where, offset=0))

    def widen(self) -> BrowseFilter:
        """Forgets filter and category, for a listing that is asked for next: that of everything."""
        self.category, self.filter_text = None, ""
        field = self.filter_box
        if field.display:
            self._misread(None)
            field.value = ""
            if self.focused is field:
                self.focus_on("#entries")
            field.display = False
        return BrowseFilter()

    def do_next_category(self) -> None:
        """Shows the next category."""
        self.narrow(self.filter_text, entry_rows.category_after(self.category))

    def do_previous_category(self) -> None:
        """Shows the category before."""
        self.narrow(self.filter_text, entry_rows.category_before(self.category))

    def asked_category(self, name: str) -> None:
        """A click on a tab."""
        self.narrow(self.filter_text, name or None)

    # In which order

    def do_sort(self) -> None:
        """The next column's order, each in the direction that people look for first."""
        orders = [column.order for column in entry_rows.columns_for(self.query_one(EntryList).size.width)]
        order = self.program.wanted.order
        at = orders.index(order) if order in orders else -1
        self.asked_sort(orders[(at + 1) % len(orders)])

    def asked_sort(self, order: str) -> None:
        """A click on a title: sorts by it, or the other way round where it is sorted so."""
        if order == self.program.wanted.order:
            self.do_sort_other_way()
        else:
            self._in_order(order, descending=order in LARGEST_FIRST)

    def do_sort_other_way(self) -> None:
        """Sorts the other way round."""
        wanted = self.program.wanted
        self._in_order(wanted.order, descending=not wanted.descending)

    def _in_order(self, order: str, *, descending: bool) -> None:
        app = self.program
        offset = offset_around(self.query_one(EntryList).top)
        app.want(replace(app.wanted, order=order, descending=descending, offset=offset))
