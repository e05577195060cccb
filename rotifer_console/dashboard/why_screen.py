"""The life of a key, present or long gone, told from the audit log (TUI-4, REC-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input

from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.cells import Line, Piece, fit, wrapped
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.panes import TextPane
from rotifer_console.dashboard.report_screen import ReportScreen
from rotifer_console.view import life as view
from rotifer_console.view.entries import creator_names
from rotifer_store import Agent, LifeEvent, MemoryInvalidInput, Store
from rotifer_store.tables import AuditAction

_TIME: Final = 20
_SEQ: Final = 8
_NARROW: Final = 56
_ENDS: Final = frozenset({AuditAction.MEMORY_DELETE, AuditAction.MEMORY_EVICT, AuditAction.MEMORY_EXPIRE})
_REFUSALS: Final = frozenset({AuditAction.MEMORY_ACCESS_DENIED, AuditAction.MEMORY_QUOTA_REFUSED})

Told = tuple[Sequence[LifeEvent], Mapping[str, str]]


class WhyScreen(ReportScreen):
    """What befell a key, oldest first; `w` asks for another one."""

    NAME = "why"

    def __init__(self, agent: Agent, key: str | None) -> None:
        """Tells of a key of an agent; with None it asks for one."""
        super().__init__()
        self._agent = agent
        self._key = key
        self._told: Told | None = None

    def compose_report(self) -> ComposeResult:
        """The sentences, and a box for another key."""
        yield TextPane(id="text")
        yield Field(placeholder="a key, there or long gone", id="other_key")

    def parts(self) -> Sequence[Widget]:
        """The sentences; the box comes when it is asked for."""
        return [self.query_one(TextPane)]

    def mounted(self) -> None:
        """Tells of the key, or asks for one."""
        self.query_one("#other_key").display = False
        self.tell_of(self._key)

    def tell_of(self, key: str | None) -> None:
        """Tells of another key; with None it asks for one."""
        self._key, self._told = key, None
        if key is None:
            self.say_of()
            self.show_instead(
                f"a key of {self._agent.name}, there or long gone", "its life is told from the audit log"
            )
            self._ask_for_key()
        else:
            self.load()

    def load(self) -> None:
        """Looks the key's life up."""
        key, agent = self._key, self._agent
        if key is None:
            return
        self.say_of(key)
        self.show_command("why")
        if self._told is None:
            self.show_instead("reading the audit log")

        def look_up(store: Store) -> Told:
            try:
                events = store.life(agent, key)
            except MemoryInvalidInput:  # no entry can have that key, so nothing is told of it
                events = []
            return events, creator_names(store.genes_seen(agent))

        self.ask(look_up, lambda told: self._tell(key, told))

    def _tell(self, key: str, told: Told) -> None:
        if key != self._key:
            return
        self._told = told
        events, _ = told
        if not events:
            self.say_of(key, "nothing is told")
            self.show_instead(
                f"the audit log does not tell of it in {self._agent.name}",
                "keys count letter by letter; w asks for another one",
            )
            return
        self.say_of(key, f"{len(events)} {'record' if len(events) == 1 else 'records'}, the newest last")
        self.show_report()
        self._lay_out()
        self.query_one(TextPane).step("last")

    def resized(self) -> None:
        """The sentences have another width."""
        if self.is_mounted:
            self._lay_out()

    def _lay_out(self) -> None:
        if self._told is None or not self.size.width:
            return
        events, genes = self._told
        width = self.size.width - 2
        lines: list[Line] = []
        for event in events:
            lines += _told_lines(event, genes, width)
        self.query_one(TextPane).show(lines)

    def subject(self) -> Subject:
        """The key that is told of."""
        return Subject(agent=self._agent.name, keys=() if self._key is None else (self._key,))

    def key_under_cursor(self) -> str | None:
        """The key that is told of."""
        return self._key

    # Another key

    def do_why(self) -> None:
        """Asks for another key."""
        self._ask_for_key()

    def _ask_for_key(self) -> None:
        field = self.query_one("#other_key", Field)
        field.value = ""
        field.display = True
        field.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Tells of what was typed."""
        message.stop()
        if message.value:
            self._close_field()
            self.tell_of(message.value)

    def on_field_left(self, message: Field.Left) -> None:
        """Goes on with the key that was told of; without one there is nothing to stay for."""
        message.stop()
        self._close_field()
        if self._key is None:
            self.do_back()

    def _close_field(self) -> None:
        self.query_one("#other_key").display = False
        self.query_one(TextPane).focus()


def _told_lines(event: LifeEvent, genes: Mapping[str, str], width: int) -> list[Line]:
    """Time and seq before the sentence; where there is little room, above it."""
    time, seq, sentence = view.cells(event, genes, exact=False)
    action = event.record.action
    role = "error" if action in _REFUSALS else "warning" if action in _ENDS else ""
    if width < _NARROW:
        head: Line = (
            Piece(" "),
            Piece(fit(time, min(_TIME, width - 1)), "dim"),
            Piece(f"  {fit(seq, 8)}", "dim"),
        )
        return [head, *[(Piece("   "), Piece(part, role)) for part in wrapped(sentence, max(8, width - 3))]]
    room = width - _TIME - _SEQ - 5
    first, *others = wrapped(sentence, max(8, room))
    margin = Piece(" " * (_TIME + _SEQ + 5))
    return [
        (
            Piece(" "),
            Piece(fit(time, _TIME), "dim"),
            Piece("  "),
            Piece(fit(seq, _SEQ, right=True), "dim"),
            Piece("  "),
            Piece(first, role),
        ),
        *[(margin, Piece(part, role)) for part in others],
    ]
