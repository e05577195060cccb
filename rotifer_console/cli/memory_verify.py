"""`rotifer agent memory verify`: the store and its logs held against each other (REC-9)."""

from __future__ import annotations

import typer

from rotifer_console.cli import findings, progress
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here


def verify_store(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints what is wrong and exits with 1 where anything is; puts nothing right."""
    mode = mode_of(ctx)
    with open_store_here() as store, progress.shown("verifying", mode):
        found = store.verify()
    findings.write(found, mode)
    if not mode.as_json:
        note("the store is sound")
