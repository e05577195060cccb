"""Entries that deserve a look, and entries that nobody can read (AGT-9); nothing is removed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.cells import Line, Piece, fit, wrapped
from rotifer_console.dashboard.drawn import Drawn, LineList, drawing
from rotifer_console.dashboard.entry_lines import fit_text
from rotifer_console.dashboard.examining import readable_genes
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.dashboard.panes import TextPane
from rotifer_console.dashboard.report_screen import ReportScreen
from rotifer_console.view import review as view
from rotifer_console.view.columns import short_id
from rotifer_console.view.entries import count, creator_names, total_bytes
from rotifer_console.view.instants import to_the_second
from rotifer_console.view.sizes import format_size, size_cell
from rotifer_store import Agent, EntryInfo, Store, Suspicion

_NARROW: Final = 56
_CREATOR: Final = 16
_SIZE: Final = 9
_WHAT: Final = 30
_WHAT_NARROW: Final = 20
_GO: Final = "; enter goes there"


class Found(NamedTuple):
    """An entry of a report, why it is there in a few words and in full; `others`: reasons beside that one."""

    entry: EntryInfo
    brief: str
    full: tuple[str, ...]
    others: int = 0


class Looked(NamedTuple):
    """What a report brought: the entries, a sentence of them all, the names of their creators."""

    found: Sequence[Found]
    sentence: str
    creators: Mapping[str, str]


class FoundTitles(Drawn):
    """The columns' titles."""

    def lines(self, size: Size) -> list[Line]:
        """One line, as wide as the list below it, whose last cell is the scroll bar's."""
        return [found_titles(size.width - 1)]


class FoundList(LineList):
    """The entries, each with a few words."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.looked: Looked | None = None

    def show(self, looked: Looked) -> None:
        """Shows the entries; the cursor stays on its entry."""
        under = self.under_cursor
        self.looked = looked
        keys = [found.entry.key for found in looked.found]
        self.set_rows(len(keys))
        if under is not None and under.entry.key in keys:
            self.place_cursor(keys.index(under.entry.key))

    @property
    def under_cursor(self) -> Found | None:
        """The entry under the cursor."""
        if self.looked is None or not self.looked.found:
            return None
        return self.looked.found[min(self.cursor, len(self.looked.found) - 1)]

    def line(self, row: int, part: int, width: int) -> Line:
        """One entry."""
        assert self.looked is not None
        return found_row(self.looked.found[row], self.looked.creators, width, drawing(self.app).glyphs)


class EntriesReport(ReportScreen):
    """A list of entries, and below it what there is to say of the one under the cursor."""

    ACTION: ClassVar[str]
    NOTHING: ClassVar[tuple[str, ...]]

    def __init__(self, agent: Agent) -> None:
        """Looks at the memory of an agent."""
        super().__init__()
        self._agent = agent

    @abstractmethod
    def look(self, store: Store) -> Looked:
        """Looks the report up."""

    def compose_report(self) -> ComposeResult:
        """The list and the text below it."""
        yield FoundTitles(id="found_titles")
        yield FoundList(id="found")
        yield TextPane(id="said")

    def parts(self) -> Sequence[Widget]:
        """The list and the text below it."""
        return [self.query_one("#found_titles"), self.query_one(FoundList), self.query_one("#said")]

    def load(self) -> None:
        """Looks at every entry."""
        self.say_of()
        self.show_command(self.ACTION)
        if self.query_one(FoundList).looked is None:
            self.show_instead("looking at the entries")
        self.ask(self.look, self._show)

    def _show(self, looked: Looked) -> None:
        hint = _GO if looked.found and self.size.width >= _NARROW else ""
        self.say_of(found=f"{looked.sentence}{hint}")
        found = self.query_one(FoundList)
        found.show(looked)
        if not looked.found:
            self.show_instead(*self.NOTHING)
            return
        self.show_report()
        self._say()

    def on_line_list_cursor_moved(self, message: LineList.CursorMoved) -> None:
        """The cursor is on another entry."""
        message.stop()
        self._say()

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        """A second click goes to the entry."""
        message.stop()
        self.do_open()

    def resized(self) -> None:
        """The text has another width."""
        if self.is_mounted:
            self._say()

    def _say(self) -> None:
        listed = self.query_one(FoundList)
        under = listed.under_cursor
        if under is None or listed.looked is None or not self.size.width:
            return
        creators = listed.looked.creators
        pane = self.query_one("#said", TextPane)
        pane.show(found_lines(under, creators, max(10, self.size.width - 3), self.program.glyphs))
        pane.scroll_to(y=0, animate=False, immediate=True)

    def key_under_cursor(self) -> str | None:
        """The entry's key."""
        under = self.query_one(FoundList).under_cursor
        return None if under is None else under.entry.key

    def subject(self) -> Subject:
        """The agent, and the entry under the cursor."""
        key = self.key_under_cursor()
        return Subject(agent=self._agent.name, keys=() if key is None else (key,))

    def do_open(self) -> None:
        """Goes to the entry on the main screen."""
        key = self.key_under_cursor()
        if key is not None:
            self.program.go_to_entry(key)


class ReviewScreen(EntriesReport):
    """Entries that deserve a person's look."""

    NAME = "review"
    ACTION = "review"
    NOTHING = (
        "nothing to look at",
        "no hidden characters, no text that reads like an instruction, no preference of a strange gene",
    )

    def look(self, store: Store) -> Looked:
        """Reviews every entry."""
        agent = self._agent
        suspicions = store.review(agent, readable_genes(self.program.project, agent))
        entries = sum(usage.entries for usage in store.memory_usage(agent).by_category.values())
        return Looked(
            [_suspected(suspicion) for suspicion in suspicions],
            view.describe(suspicions, entries) if suspicions else "",
            creator_names(store.genes_seen(agent)),
        )


class OrphansScreen(EntriesReport):
    """Entries that no gene of the genome may read, and that still count."""

    NAME = "orphans"
    ACTION = "orphans"
    NOTHING = ("no entry is cut off", "some gene of the genome can read each of them")

    def look(self, store: Store) -> Looked:
        """Looks for entries that nobody can read."""
        agent = self._agent
        orphans = store.orphans(agent, readable_genes(self.program.project, agent))
        sentence = f"{count(len(orphans))} that no gene can read, {format_size(total_bytes(orphans))}"
        return Looked(
            [_orphaned(entry) for entry in orphans],
            sentence if orphans else "",
            creator_names(store.genes_seen(agent)),
        )


def _suspected(suspicion: Suspicion) -> Found:
    first, *others = dict.fromkeys(view.kind_in_words(reason.kind) for reason in suspicion.reasons)
    return Found(
        suspicion.entry,
        first,
        tuple(f"{view.kind_in_words(reason.kind)}: {reason.detail}" for reason in suspicion.reasons),
        len(others),
    )


def _orphaned(entry: EntryInfo) -> Found:
    scope = entry.access_policy.read_scope
    return Found(
        entry,
        f"readable by {scope}",
        (
            f"readable by {scope}, and no gene of the genome is one",
            "it counts against the quota until it goes",
        ),
    )


def found_titles(width: int) -> Line:
    """The columns' titles."""
    cells = _cells(width)
    titles = ("key", "size", "creator", "found") if len(cells) == 4 else ("key", "found")
    line = [Piece("   ")]
    for title, count_of_cells in zip(titles, cells, strict=True):
        line += [Piece(fit(title, count_of_cells, right=title == "size"), "header"), Piece("  ")]
    return tuple(line[:-1])


def found_row(found: Found, creators: Mapping[str, str], width: int, glyphs: Glyphs) -> Line:
    """An entry with a few words; where there is little room, its key and the words."""
    entry = found.entry
    creator = creators.get(entry.created_by) or short_id(entry.created_by)
    cells = _cells(width)
    told = (
        Piece(entry.key),
        Piece(size_cell(entry.size_bytes), "dim"),
        Piece(creator, "dim"),
        Piece(_brief(found, cells[-1]), "warning"),
    )
    shown = told if len(cells) == len(told) else (told[0], told[-1])
    line = [Piece(f" {glyphs.category[entry.category]} ", entry.category)]
    for piece, count_of_cells in zip(shown, cells, strict=True):
        text = fit(piece.text, count_of_cells, right=piece is told[1], ellipsis=glyphs.ellipsis)
        line += [Piece(text, piece.role), Piece("  ")]
    return tuple(line[:-1])


def _brief(found: Found, width: int) -> str:
    """The first reason, and how many others there are; the number is never cut."""
    more = f" +{found.others}" if found.others else ""
    return f"{fit_text(found.brief, width - len(more))}{more}"


def _cells(width: int) -> tuple[int, ...]:
    """The cells of key, size, creator and words; of key and words where there is little room."""
    if width < _NARROW:
        key = max(8, min((width - 5) // 2, width - 5 - _WHAT_NARROW))
        return key, max(1, width - key - 5)
    what = max(_WHAT, (width - 3) * 2 // 5)
    return max(8, width - 3 - what - _SIZE - _CREATOR - 6), _SIZE, _CREATOR, what


def found_lines(found: Found, creators: Mapping[str, str], width: int, glyphs: Glyphs) -> list[Line]:
    """An entry in full: its key, every reason, who created it and when."""
    entry = found.entry
    creator = creators.get(entry.created_by) or short_id(entry.created_by)
    lines: list[Line] = [(Piece(" "), Piece(part, "strong")) for part in wrapped(entry.key, width)]
    for reason in found.full:
        first, *others = wrapped(reason, max(8, width - 2))
        lines.append((Piece(f" {glyphs.warning} ", "warning"), Piece(first)))
        lines += [(Piece("   "), Piece(part)) for part in others]
    facts = (
        f"{entry.category}, {format_size(entry.size_bytes)}, created by {creator} "
        f"{to_the_second(entry.created_at)}, updated {to_the_second(entry.updated_at)}"
    )
    return [*lines, *[(Piece(" "), Piece(part, "dim")) for part in wrapped(facts, width)]]
