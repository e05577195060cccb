"""`rotifer audit verify`: the log's chain, and the store held against what the log tells (REC-9)."""

from __future__ import annotations

import typer

from rotifer_console.cli import findings, progress
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view import logs as view
from rotifer_store import AuditRecord, Store


def verify_audit(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Says where the log begins, prints what does not agree, and exits with 1 where anything does not."""
    mode = mode_of(ctx)
    with open_store_here() as store, progress.shown("verifying", mode):
        first = _first_record(store)
        found = store.verify()
    if not mode.as_json:
        note(view.describe_beginning(first))
    findings.write(found, mode)
    if not mode.as_json:
        note("the log and the store are sound")


def _first_record(store: Store) -> AuditRecord | None:
    with store.audit_tail() as tail:
        while items := tail.poll():
            for item in items:
                if isinstance(item, AuditRecord) and item.seq is not None:
                    return item
    return None
