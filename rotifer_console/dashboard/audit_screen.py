"""The audit log on its screen (TUI-5)."""

from __future__ import annotations

from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.log_rows import audit_titles
from rotifer_console.dashboard.log_screen import LogKind, LogScreen
from rotifer_console.dashboard.place_screen import bindings_of
from rotifer_console.view.log_filters import LOG_FILTER_FORM
from rotifer_store import AuditRecord, Store


class AuditScreen(LogScreen):
    """Every change and every refusal; its records tell of keys."""

    PLACE = Place.AUDIT
    BINDINGS = bindings_of(Place.AUDIT)
    KIND = LogKind(
        name="audit",
        open_view=Store.audit_view,
        titles=audit_titles,
        form=LOG_FILTER_FORM,
        has_keys=True,
        empty=("the audit log is empty", "every change and every refusal leaves a line here"),
        missing=(
            "the audit log is missing",
            "this store has agents, and each of them left a line: its file was deleted, moved or emptied",
            "what comes next begins it anew; on the first screen ! tells what is missing",
        ),
    )

    def do_copy_key(self) -> None:
        """Copies the record's key."""
        record = self.lines.record_under_cursor
        if isinstance(record, AuditRecord) and record.key is not None:
            self.program.copy(record.key, "the key")
        else:
            self.say("that line tells of no key")

    def do_why(self) -> None:
        """The life of the record's key."""
        self.tell_life_of(self.lines.record_under_cursor)
