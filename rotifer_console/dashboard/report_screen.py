"""What the screens have in common that tell one thing, looked up once: keys gone, access, reviews (TUI-8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.cells import Line, Piece, cell_text, fit, width_of
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.drawn import Drawn, LineList
from rotifer_console.dashboard.panes import EmptyPlace
from rotifer_console.dashboard.place_screen import PlaceScreen, bindings_of
from rotifer_store import Store

Result = TypeVar("Result")


class ReportTitle(Drawn):
    """One line: what the report is of, and what was found."""

    name_of_report: str = ""
    subject: str = ""
    found: str = ""

    def show(self, name_of_report: str, subject: str = "", found: str = "") -> None:
        """Shows these; the same as before are not drawn again."""
        if (name_of_report, subject, found) != (self.name_of_report, self.subject, self.found):
            self.name_of_report, self.subject, self.found = name_of_report, subject, found
            self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """What it is of is cut before what was found."""
        head = Piece(f" {self.name_of_report}", "title")
        tail = f"{'  ' if self.subject else ''}{self.found} " if self.found else ""
        room = size.width - width_of(head.text) - 2
        kept = min(width_of(cell_text(self.subject)), room, max(8, room - len(tail)))
        subject = fit(self.subject, max(0, kept))
        left = size.width - width_of(head.text) - 2 - width_of(subject)
        return [(head, Piece("  "), Piece(subject, "strong"), Piece(fit(tail, max(0, left)), "dim"))]


class ReportScreen(PlaceScreen):
    """A title, a list or a text, and below it what there is to say of the row under the cursor."""

    PLACE = Place.REPORT
    BINDINGS = bindings_of(Place.REPORT)
    AUTO_FOCUS = "LineList"
    NAME: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._is_left = False

    def compose_body(self) -> ComposeResult:
        """The title, what the report shows, and what stands there instead while it has nothing."""
        yield ReportTitle(id="report_title")
        yield from self.compose_report()
        yield EmptyPlace(id="empty")

    def compose_report(self) -> ComposeResult:
        """What the report shows."""
        raise NotImplementedError

    def parts(self) -> Sequence[Widget]:
        """What is not there while there is nothing to show."""
        raise NotImplementedError

    def mounted(self) -> None:
        """Looks the report up."""
        self.load()

    def on_unmount(self) -> None:
        """What is still being looked up is of no use any more."""
        self._is_left = True

    def load(self) -> None:
        """Looks the report up."""
        raise NotImplementedError

    def do_refresh(self) -> None:
        """Looks it up again."""
        self.load()
        super().do_refresh()

    def ask(self, work: Callable[[Store], Result], then: Callable[[Result], None]) -> None:
        """Has the store asked beside the screen; what cannot be looked up is said in the report's place."""

        def then_here(result: Result) -> None:
            if not self._is_left:
                then(result)

        def failed(error: Exception) -> None:
            if not self._is_left:
                self.show_instead("it cannot be looked up now", str(error), "f5 tries again")

        self.program.desk.ask(Lane.LONG, f"{self.NAME} {id(self)}", work, then_here, failed)

    def show_instead(self, *texts: str) -> None:
        """Shows a few words where there is no report."""
        self.query_one(EmptyPlace).say(*texts)
        self._show_report(False)

    def show_report(self) -> None:
        """Shows what was looked up."""
        self._show_report(True)

    def _show_report(self, holds: bool) -> None:
        self.query_one(EmptyPlace).display = not holds
        parts = self.parts()
        for part in parts:
            part.display = holds
        if holds and self.focused is None:
            next(part for part in parts if isinstance(part, LineList)).focus()

    def say_of(self, subject: str = "", found: str = "") -> None:
        """What the report is of, and what was found."""
        self.query_one(ReportTitle).show(self.NAME, subject, found)

    # Actions

    def do_open(self) -> None:
        """Most reports have nothing to unfold."""

    def do_next_column(self) -> None:
        """Most reports have no columns to choose."""

    def do_previous_column(self) -> None:
        """Most reports have no columns to choose."""

    def do_why(self) -> None:
        """The life of the key under the cursor."""
        key = self.key_under_cursor()
        if key is None:
            self.say("there is no key here")
        else:
            self.tell_life(key)

    def do_copy_key(self) -> None:
        """Copies the key under the cursor."""
        key = self.key_under_cursor()
        if key is None:
            self.say("there is no key here")
        else:
            self.program.copy(key, "the key")

    def key_under_cursor(self) -> str | None:
        """The key that the cursor is on."""
        return None
