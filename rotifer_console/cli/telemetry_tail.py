"""`rotifer telemetry tail`: the events of refused accesses, a file of this machine's alone (REC-4, REC-6)."""

from __future__ import annotations

import typer

from rotifer_console.cli import log_tail
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view import logs as view


def tail_telemetry(
    ctx: typer.Context,
    follow: log_tail.Follow = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the events, oldest first; with --follow it goes on."""
    with open_store_here() as store, store.telemetry_tail() as tail:
        (log_tail.follow if follow else log_tail.print_all)(
            tail,
            view.TELEMETRY_COLUMNS,
            lambda events: [view.telemetry_cells(event) for event in events],
            mode_of(ctx),
        )
