"""Which gene of the genome may read, write and delete which entry, and by which rule (ACC, TUI-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from rotifer_console.dashboard.access_rows import LEGEND, access_lines, access_row, access_titles
from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.cells import Line, Piece
from rotifer_console.dashboard.drawn import Drawn, LineList, drawing
from rotifer_console.dashboard.entry_window import Window
from rotifer_console.dashboard.examining import GeneVerdict, genome_of
from rotifer_console.dashboard.panes import TextPane
from rotifer_console.dashboard.report_screen import ReportScreen
from rotifer_store import Agent, EntryInfo, Gene, Store

_WINDOW_ROWS: Final = 120
_REACH_ROWS: Final = 30

Genome = Sequence[tuple[str, Gene | None, str | None]]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A stretch of the entries, and what each gene of the genome may do with each of them."""

    genome: Genome = ()
    window: Window = field(default_factory=Window)
    verdicts: Mapping[str, Sequence[GeneVerdict]] = field(default_factory=dict)


class AccessTitles(Drawn):
    """The genes' names above their columns."""

    genes: Sequence[str] = ()
    chosen = 0

    def lines(self, size: Size) -> list[Line]:
        """One line, as wide as the list below it, whose last cell is the scroll bar's."""
        if not self.genes:
            return []
        return [access_titles(self.genes, self.chosen, size.width - 1, drawing(self.app).glyphs)]


class AccessList(LineList):
    """The entries; what has not been read yet is a row of dots."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.matrix = Matrix()
        self.chosen = 0

    def show(self, matrix: Matrix) -> None:
        """Shows a stretch; the cursor stays on its row."""
        self.matrix = matrix
        self.set_rows(matrix.window.total)

    @property
    def under_cursor(self) -> EntryInfo | None:
        """The entry under the cursor, where it has been read."""
        return self.matrix.window.at(self.cursor)

    def unread(self) -> int | None:
        """Where to read from next; None while all in sight has been read."""
        window = self.matrix.window
        if window.covers(self.top - _REACH_ROWS, self.top + self.height_rows + _REACH_ROWS):
            return None
        return max(0, self.top - (_WINDOW_ROWS - self.height_rows) // 2)

    def line(self, row: int, part: int, width: int) -> Line:
        """One entry."""
        glyphs = drawing(self.app).glyphs
        entry = self.matrix.window.at(row)
        if entry is None:
            return (Piece(f"   {glyphs.free * 3}", "dim"),)
        return access_row(entry, self.matrix.verdicts[entry.entry_id], self.chosen, width, glyphs)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other entries are in sight, which may have to be read."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.CursorMoved(self))


class AccessScreen(ReportScreen):
    """A row an entry, a column a gene; below, why the chosen gene may do what it may."""

    NAME = "access"

    def __init__(self, agent: Agent) -> None:
        """Looks at the memory of an agent."""
        super().__init__()
        self._agent = agent
        self._is_reading = False

    def compose_report(self) -> ComposeResult:
        """The names, the entries, the text below them."""
        yield AccessTitles(id="genes")
        yield AccessList(id="matrix")
        yield TextPane(id="said")

    def parts(self) -> Sequence[Widget]:
        """The names, the entries, the text below them."""
        return [self.query_one("#genes"), self.query_one("#matrix"), self.query_one("#said")]

    @property
    def matrix(self) -> AccessList:
        """The entries."""
        return self.query_one(AccessList)

    def load(self) -> None:
        """Reads the genome and the entries in sight."""
        self.say_of(found=LEGEND)
        if not self.matrix.rows:
            self.show_instead("reading the genome")
        self._read(max(0, self.matrix.top - _REACH_ROWS), ())

    def _read(self, offset: int, genome: Genome) -> None:
        agent, project = self._agent, self.program.project
        self._is_reading = True
        self.ask(
            lambda store: read_matrix(store, agent, offset, genome or genome_of(project, agent)), self._show
        )

    def _show(self, matrix: Matrix) -> None:
        self._is_reading = False
        name = self._agent.name
        if not matrix.genome:
            self.show_instead(f"{name} has no genes", f"rotifer agent genes {name} GENE gives it some")
        elif not matrix.window.total:
            self.show_instead(f"{name} remembers nothing yet", "a key that no entry has any gene may write")
        else:
            listed, titles = self.matrix, self.query_one(AccessTitles)
            listed.chosen = min(listed.chosen, len(matrix.genome) - 1)
            listed.show(matrix)
            titles.genes, titles.chosen = [gene for gene, _, _ in matrix.genome], listed.chosen
            titles.refresh()
            self.show_report()
            self._say()
            self._read_in_sight()

    def _read_in_sight(self) -> None:
        offset = self.matrix.unread()
        if offset is not None and not self._is_reading:
            self._read(offset, self.matrix.matrix.genome)

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor is on another entry, or others are in sight."""
        message.stop()
        self._read_in_sight()
        self._say()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """A second click says no more than the first."""
        message.stop()

    def resized(self) -> None:
        """The text has another width."""
        if self.is_mounted and self.matrix.rows:
            self._read_in_sight()
            self._say()

    def _say(self) -> None:
        listed = self.matrix
        entry = listed.under_cursor
        pane = self.query_one("#said", TextPane)
        if entry is None or not self.size.width:
            return
        verdict = listed.matrix.verdicts[entry.entry_id][listed.chosen]
        pane.show(access_lines(entry, verdict, max(10, self.size.width - 3), self.program.glyphs))
        pane.scroll_to(y=0, animate=False, immediate=True)
        self.show_command("access")

    def key_under_cursor(self) -> str | None:
        """The entry's key."""
        entry = self.matrix.under_cursor
        return None if entry is None else entry.key

    def subject(self) -> Subject:
        """The agent, the chosen gene, the entry under the cursor."""
        key, genome = self.key_under_cursor(), self.matrix.matrix.genome
        return Subject(
            agent=self._agent.name,
            keys=() if key is None else (key,),
            gene=genome[self.matrix.chosen][0] if genome else None,
        )

    def do_next_column(self) -> None:
        """The next gene."""
        self._choose(self.matrix.chosen + 1)

    def do_previous_column(self) -> None:
        """The gene before."""
        self._choose(self.matrix.chosen - 1)

    def asked_gene(self, number: str) -> None:
        """A click on a gene's name."""
        self._choose(int(number))

    def _choose(self, number: int) -> None:
        listed, titles = self.matrix, self.query_one(AccessTitles)
        if not listed.matrix.genome:
            return
        listed.chosen = titles.chosen = max(0, min(number, len(listed.matrix.genome) - 1))
        listed.refresh()
        titles.refresh()
        self._say()


def read_matrix(store: Store, agent: Agent, offset: int, genome: Genome) -> Matrix:
    """What every gene may do with the entries from a place on; nothing is tried or recorded.

    Raises:
        MemoryStorageError: the store failed.
    """
    page = store.browse_memory(agent, offset=offset, limit=_WINDOW_ROWS)
    verdicts = {
        entry.entry_id: [
            GeneVerdict(name, None if gene is None else store.access(agent, gene, entry.key)[0], problem)
            for name, gene, problem in genome
        ]
        for entry in page.rows
    }
    return Matrix(genome, Window(offset, tuple(page.rows), page.total), verdicts)
