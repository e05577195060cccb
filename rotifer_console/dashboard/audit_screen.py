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
    )

    def do_copy_key(self) -> None:
        """Copies the record's key."""
        record = self.lines.record_under_cursor
        if isinstance(record, AuditRecord) and record.key is not None:
            self.console_app.copy(record.key, "the key")
        else:
            self.say("that line tells of no key")

    def do_why(self) -> None:
        """The life of the record's key."""
        from rotifer_console.dashboard.reports import why_of_record

        why_of_record(self, self.lines.record_under_cursor)
