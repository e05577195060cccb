"""If a gene now writes so much: what would go, in order, and the quota before and after (TUI-2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size

from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.cells import Line, Piece, fit, width_of
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.drawn import Drawn, LineList, drawing
from rotifer_console.dashboard.entry_list import EntryList
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.form_row import FormRow, Paragraph
from rotifer_console.dashboard.glyphs import Glyphs, bar
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.program import Program, program_of
from rotifer_console.view.columns import short_id
from rotifer_console.view.forecast import describe, freed_bytes, is_several_writes
from rotifer_console.view.sizes import SIZE_FORM, format_size, parse_quota_bytes, size_cell
from rotifer_store import EntryInfo, Forecast, MemoryUsage

_FIRST_SIZE: Final = "100KB"
_SIZE_WIDTH: Final = 9
_FREED_WIDTH: Final = 15
_CREATOR_WIDTH: Final = 14
_LABEL_WIDTH: Final = 8


class QuotaBefore(Drawn):
    """Two bars: the quota now, and after the write."""

    usage: MemoryUsage | None = None
    forecast: Forecast | None = None

    def lines(self, size: Size) -> list[Line]:
        """Now and afterwards, one below the other; what is written is a part of its own."""
        if self.usage is None or self.forecast is None:
            return []
        glyphs = drawing(self.app).glyphs
        now = {str(category): part.bytes for category, part in self.usage.by_category.items()}
        lines = [_bar_line("now", now, 0, self.forecast, size.width, glyphs)]
        if self.forecast.fits:
            gone = Counter[str]()
            for entry in self.forecast.evicted:
                gone[str(entry.category)] += entry.size_bytes
            after = {category: size_bytes - gone[category] for category, size_bytes in now.items()}
            lines.append(
                _bar_line("after", after, self.forecast.incoming_bytes, self.forecast, size.width, glyphs)
            )
        return lines


def _bar_line(
    name: str, parts: Mapping[str, int], new_bytes: int, forecast: Forecast, width: int, glyphs: Glyphs
) -> Line:
    used = format_size(sum(parts.values()) + new_bytes)
    figures = fit(f"{used} of {format_size(forecast.quota_bytes)}", 20, right=True)
    cells = max(4, width - _LABEL_WIDTH - width_of(figures) - 2)
    new_cells = min(cells, max(1, round(new_bytes * cells / forecast.quota_bytes))) if new_bytes else 0
    filled = bar(parts, forecast.quota_bytes, cells, glyphs)
    signs = {**glyphs.bar, "free": glyphs.free}
    pieces = [Piece(f" {fit(name, _LABEL_WIDTH - 1)}", "dim")]
    for category, count in filled:
        if category == "free" and new_cells:
            taken = min(new_cells, count)
            pieces.append(Piece(glyphs.new * taken, "accent"))
            count -= taken
        pieces.append(Piece(signs[category] * count, category))
    return (*pieces, Piece(f" {figures}", "dim"))


class GoingList(LineList):
    """What would be evicted, first to last, with how much room that makes."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._entries: list[EntryInfo] = []
        self._freed: list[int] = []

    def show(self, forecast: Forecast | None) -> None:
        """Shows what a forecast would evict."""
        self._entries = [] if forecast is None else forecast.evicted
        self._freed = [] if forecast is None else freed_bytes(forecast)
        self.set_rows(len(self._entries))

    def line(self, row: int, part: int, width: int) -> Line:
        """Its turn, its key, its size, and the room that there is once it has gone."""
        app = program_of(self)
        entry, glyphs = self._entries[row], app.glyphs
        creators: Mapping[str, str] = {} if app.seen is None else app.seen.creators
        turn = fit(f"{row + 1}", max(3, len(str(self.rows))), right=True)
        pieces = [
            Piece(f" {turn} ", "dim"),
            Piece(f"{glyphs.category[entry.category]} ", entry.category),
        ]
        size = fit(size_cell(entry.size_bytes), _SIZE_WIDTH, right=True)
        freed = fit(f"{size_cell(self._freed[row])} freed", _FREED_WIDTH, right=True)
        fixed = len(turn) + 4 + _SIZE_WIDTH + 1
        creator = ""
        if width >= 46:
            fixed += _FREED_WIDTH + 1
        if width >= 70:
            fixed += _CREATOR_WIDTH + 2
            creator = fit(creators.get(entry.created_by) or short_id(entry.created_by), _CREATOR_WIDTH)
        pieces.append(Piece(fit(entry.key, max(4, width - 1 - fixed), ellipsis=glyphs.ellipsis)))
        pieces.append(Piece(f" {size}"))
        if width >= 46:
            pieces.append(Piece(f" {freed}", "dim"))
        if creator:
            pieces.append(Piece(f"  {creator}", "dim"))
        return tuple(pieces)


class ForecastPanel(Vertical):
    """Below the entries, while it is open; shades in the list what would go."""

    def compose(self) -> ComposeResult:
        """The size, what it comes to, the bars, what would go."""
        yield FormRow("if a gene now writes", Field(_FIRST_SIZE, id="size", max_length=40))
        yield Paragraph(id="comes_to")
        yield QuotaBefore(id="before")
        yield GoingList(id="going")

    @property
    def program(self) -> Program:
        """The program that the panel is part of."""
        return program_of(self)

    @property
    def size_text(self) -> str:
        """The size as the command line takes it."""
        return self.query_one("#size", Field).value.replace(" ", "")

    def open(self) -> None:
        """Opens with the last size, which typing replaces."""
        self.display = True
        field = self.query_one("#size", Field)
        field.focus()
        field.action_select_all()
        self.foresee()

    def close(self) -> None:
        """Takes the forecast and its shades away."""
        self.display = False
        self._shade(None)

    def foresee(self) -> None:
        """Asks what a write of the typed size would do now; a bad size says so."""
        app = self.program
        seen = app.seen
        if not self.display or seen is None or seen.agent is None:
            return
        text = self.size_text
        try:
            size_bytes = parse_quota_bytes(text)
        except ValueError:
            self._show(None, SIZE_FORM if text else "a size is wanted, such as 512KB", "warning")
            return
        agent = seen.agent.agent

        def shown(forecast: Forecast) -> None:
            if self.display and self.size_text == text and app.agent_name == agent.name:
                self._show(forecast, _sentence(forecast), "" if forecast.fits else "error")
                screen = cast("PlaceScreen", self.screen)
                screen.show_command("forecast", Subject(agent=agent.name, size=text))

        app.desk.ask(
            Lane.ENTRY,
            "forecast",
            lambda store: store.forecast(agent, size_bytes),
            shown,
            lambda error: self._show(None, str(error), "error"),
        )

    def _show(self, forecast: Forecast | None, text: str, role: str) -> None:
        app = self.program
        sign = f"{app.glyphs.warning} " if role in ("warning", "error") else ""
        self.query_one(Paragraph).say((f"{sign}{text}", role))
        bars = self.query_one(QuotaBefore)
        bars.usage = None if app.seen is None or app.seen.agent is None else app.seen.agent.usage
        bars.forecast = forecast
        bars.refresh()
        self.query_one(GoingList).show(forecast)
        self._shade(forecast)

    def _shade(self, forecast: Forecast | None) -> None:
        entries = self.screen.query_one(EntryList)
        leaving = (
            {}
            if forecast is None
            else {entry.entry_id: turn for turn, entry in enumerate(forecast.evicted, 1)}
        )
        if leaving != entries.leaving:
            entries.leaving = leaving
            entries.refresh()

    def on_input_changed(self, message: Field.Changed) -> None:
        """Every change of the size is another question."""
        message.stop()
        self.foresee()

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """Enter goes on to what would go."""
        message.stop()
        self.query_one(GoingList).focus()

    def on_field_left(self, message: Field.Left) -> None:
        """Escape closes."""
        message.stop()
        self.close()
        self.screen.query_one(EntryList).focus()

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor here is nobody else's business."""
        message.stop()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """Neither is a second click."""
        message.stop()


def _sentence(forecast: Forecast) -> str:
    more = "; no single write is that large, so several together" if is_several_writes(forecast) else ""
    return f"{describe(forecast)}{more}"
