"""The entries: a page of a listing of any length, with its cursor on an entry and marks (TUI-6, TUI-10)."""

from __future__ import annotations

from collections.abc import Mapping

from textual.geometry import Size

from rotifer_console.dashboard import entry_rows
from rotifer_console.dashboard.cells import Line, Piece
from rotifer_console.dashboard.drawn import Drawn, LineList, drawing
from rotifer_console.dashboard.entry_window import Place, Window, moved, settled
from rotifer_store import EntryInfo


class EntryTitles(Drawn):
    """The columns' titles; a click sorts."""

    order = "updated"
    descending = True

    def lines(self, size: Size) -> list[Line]:
        """One line, as wide as the list below it, whose last cell is the scroll bar's."""
        glyphs = drawing(self.app).glyphs
        return [entry_rows.titles(size.width - 1, self.order, descending=self.descending, glyphs=glyphs)]


class EntryList(LineList):
    """Draws the window that was read; what has not been read yet is a row of dots."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.window = Window()
        self.place = Place()
        self.marks: dict[str, EntryInfo] = {}
        self.leaving: Mapping[str, int] = {}
        self.is_past = False
        """Whether the list is another one than is asked for."""
        self.creators: Mapping[str, str] = {}
        self._drawn_rows: dict[int, Line] = {}

    def show(self, window: Window, found_at: int | None, creators: Mapping[str, str]) -> None:
        """Shows what was read; cursor and scroll stay with the entry under the cursor."""
        if (window, creators) == (self.window, self.creators):
            return
        below_top = self.cursor - self.top
        was_moved = self.window.total > 0
        place = settled(self.place, window, found_at)
        self.window, self.creators, self.place = window, creators, place
        for row in window.rows:
            if row.entry_id in self.marks:
                self.marks[row.entry_id] = row
        self._drawn_rows.clear()
        self.set_rows(window.total)
        self.place_cursor(place.row, keep_at=below_top if was_moved else None)

    def show_from_the_top(self) -> None:
        """Another listing comes: the cursor begins anew."""
        self.place = Place()
        self.cursor = 0
        self.go_to_line(0)

    @property
    def under_cursor(self) -> EntryInfo | None:
        """The entry under the cursor; None where there is none, or it has not been read."""
        return self.window.at(self.cursor)

    def mark(self) -> None:
        """Marks the entry under the cursor, or takes its mark away, and goes one down."""
        entry = self.under_cursor
        if entry is None:
            return
        if self.marks.pop(entry.entry_id, None) is None:
            self.marks[entry.entry_id] = entry
        self.move_cursor(self.cursor + 1)

    def move_cursor(self, row: int) -> None:
        """The cursor goes to a row and stays with the entry there."""
        self.place = moved(self.window, row)
        super().move_cursor(row)

    def tick(self) -> None:
        """Redraws the rows whose times read differently now."""
        for row, line in list(self._drawn_rows.items()):
            if not self.top <= row <= self.top + self.height_rows:
                del self._drawn_rows[row]
            elif self.line(row, 0, self.size.width - 1) != line:
                self.refresh_line(row)

    def under(self, row: int) -> str | None:
        """A shade where a forecast would evict the row."""
        entry = self.window.at(row)
        return "shade" if entry is not None and entry.entry_id in self.leaving else None

    def line(self, row: int, part: int, width: int) -> Line:
        """One entry."""
        app = drawing(self.app)
        entry = self.window.at(row)
        if entry is None:
            return (Piece(f"    {app.glyphs.free * 3}", "dim"),)
        line = entry_rows.row(
            entry,
            self.creators,
            width,
            app.clock.now_us(),
            app.glyphs,
            is_marked=entry.entry_id in self.marks,
            leaves_as=self.leaving.get(entry.entry_id),
        )
        if self.is_past:
            line = tuple(piece._replace(role="dim") for piece in line)
        self._drawn_rows[row] = line
        return line
