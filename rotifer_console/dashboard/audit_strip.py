"""The newest lines of the audit log, below everything else (TUI-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events
from textual.geometry import Size

from rotifer_console.dashboard.cells import Line, Piece, fit
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.door import NoStoreYet
from rotifer_console.dashboard.drawn import Asked, Drawn
from rotifer_console.dashboard.log_reading import LogReading
from rotifer_console.dashboard.log_rows import LogRecord, Setting, log_row, room_made_for
from rotifer_console.dashboard.program import program_of
from rotifer_console.view.instants import exact_or_earliest
from rotifer_store import Store

_READ: Final = 12
"""More than are shown: an eviction's last line tells what it made room for."""
_LAST: Final = " last, UTC"


class AuditStrip(Drawn):
    """Three lines where there is room, else the last one; a click opens the log."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._records: Sequence[LogRecord] | None = None
        self._problem: str | None = None
        self._reading = LogReading(Store.audit_view)
        self._is_looking = False

    def on_mount(self) -> None:
        """Says what it is."""
        self.border_title = "audit"
        self.look()

    def look(self) -> None:
        """Looks for new lines, unless the last look is still going on.

        Only the log's end is read, so nothing is counted for a strip, however long the log is.
        """
        if self._is_looking:
            return
        self._is_looking = True
        app = program_of(self)
        reading = self._reading
        app.desk.ask_without_store(
            Lane.LOG, "strip", lambda open_store: reading.newest(open_store, _READ), self._show, self._failed
        )

    def _show(self, records: Sequence[LogRecord]) -> None:
        self._is_looking = False
        if records != self._records or self._problem is not None or not records:
            # where there are none, a look at the store may have told why
            self._records, self._problem = records, None
            self.border_title = f"audit {self._separator} following {self._separator} time UTC"
            self.refresh()

    def _failed(self, error: Exception) -> None:
        self._is_looking = False
        if isinstance(error, NoStoreYet):
            self._show(())
        elif self._problem != str(error):
            self._problem = str(error)
            self.border_title = f"audit {self._separator} cannot be read"
            self.refresh()

    @property
    def _separator(self) -> str:
        return program_of(self).glyphs.separator

    def on_click(self, event: events.Click) -> None:
        """Opens the log."""
        event.stop()
        self.post_message(Asked("audit"))

    def lines(self, size: Size) -> list[Line]:
        """The newest first."""
        app = program_of(self)
        if self._problem is not None and app.seen is None:  # the banner says why
            return [(Piece(" the log comes back with the store", "dim"),)]
        if self._problem is not None:
            return [
                (
                    Piece(f" {app.glyphs.warning} ", "warning"),
                    Piece(fit(self._problem, size.width - 4), "warning"),
                )
            ]
        if self._records is None:
            return [(Piece(" reading the audit log", "dim"),)]
        if not self._records:
            if app.seen is not None and app.seen.agents:  # the making of each left a line
                return [(Piece(f" {app.glyphs.warning} the audit log is missing", "warning"),)]
            return [(Piece(" the audit log is empty", "dim"),)]
        today = exact_or_earliest(app.clock.now_us())[:10]
        head = (Piece(_LAST, "dim"),) if size.height == 1 else ()
        width = size.width - (len(_LAST) if head else 1)
        setting = Setting(width, today, self._reading.genes, app.glyphs)
        following = dict(enumerate(self._records))
        newest = list(enumerate(self._records))[-max(1, size.height) :]
        return [
            (*head, *log_row(record, setting, room_made_for(record, following, number)))
            for number, record in reversed(newest)
        ]
