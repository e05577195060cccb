"""One line of a log unfolded: as it stands in its file (TUI-5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from textual.app import ComposeResult
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, wrapped
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.log_reading import LogReading
from rotifer_console.dashboard.log_rows import LogRecord
from rotifer_console.dashboard.panes import TextPane
from rotifer_console.dashboard.report_screen import ReportScreen
from rotifer_console.view import raw_lines
from rotifer_store import AuditRecord, RawLine

_SHOWN_LINES: Final = 4000


class RecordScreen(ReportScreen):
    """The record in a sentence, its JSON laid out, and the line byte for byte."""

    NAME = "record"

    def __init__(
        self, reading: LogReading[Any], line: int, record: LogRecord, made_room_for: str | None
    ) -> None:
        """Shows a line of a log.

        Args:
            reading: the log.
            line: the line's number.
            record: what it holds.
            made_room_for: the key for whose write its entry was evicted, where that is known.
        """
        super().__init__()
        self._reading = reading
        self._line = line
        self._record = record
        self._made_room_for = made_room_for
        self._raw: RawLine | None = None

    def compose_report(self) -> ComposeResult:
        """One text."""
        yield TextPane(id="text")

    def parts(self) -> Sequence[Widget]:
        """One text."""
        return [self.query_one(TextPane)]

    def load(self) -> None:
        """Reads the line as it stands."""
        reading, line, record = self._reading, self._line, self._record
        self.say_of()
        self.show_instead("reading the line")
        self.program.desk.ask_without_store(
            Lane.LOG,
            f"raw {id(self)}",
            lambda open_store: reading.raw(open_store, line, record),
            self._show,
            self._failed,
        )

    def _failed(self, error: Exception) -> None:
        if not self._is_left:
            self.show_instead("the line cannot be read now", str(error), "f5 tries again")

    def _show(self, raw: RawLine | None) -> None:
        if self._is_left:
            return
        self._raw = raw
        if raw is None:
            self.show_instead("the line is gone", "its file was cut or deleted since it was shown")
            return
        self.say_of(raw_lines.describe_raw(raw))
        self.show_report()
        self._lay_out()

    def resized(self) -> None:
        """The text has another width."""
        if self.is_mounted and self._raw is not None:
            self._lay_out()

    def _lay_out(self) -> None:
        raw = self._raw
        pane = self.query_one(TextPane)
        if raw is None or not self.size.width:
            return
        width = max(10, self.size.width - 3)
        summary = raw_lines.summary_of(self._record, self._reading.genes, self._made_room_for)
        lines: list[Line] = [_indented(text, "strong") for text in wrapped(summary, width)]
        lines.append(())
        laid_out = raw_lines.laid_out(raw)
        if laid_out is not None:
            lines += [_coloured(part) for text in laid_out for part in wrapped(text, width)]
            lines += [(), _indented("as it stands", "dim")]
        lines += [_indented(text, "dim") for text in wrapped(raw_lines.text_of(raw), width)]
        if raw.is_cut:
            lines += [(), _indented("the rest of the line is not shown", "warning")]
        if len(lines) > _SHOWN_LINES:
            lines = [
                *lines[:_SHOWN_LINES],
                _indented(f"only the first {_SHOWN_LINES} lines are shown", "warning"),
            ]
        pane.show(lines)

    def key_under_cursor(self) -> str | None:
        """The record's key."""
        return self._record.key if isinstance(self._record, AuditRecord) else None

    def do_why(self) -> None:
        """The life of the record's key."""
        self.tell_life_of(self._record)


def _indented(text: str, role: str) -> Line:
    return (Piece(" "), Piece(text, role))


def _coloured(text: str) -> Line:
    """A line of JSON: the member's name apart from its value."""
    name, colon, value = text.partition('": ')
    if not colon:
        return _indented(text, "")
    return (Piece(" "), Piece(f"{name}{colon}", "dim"), Piece(value))
