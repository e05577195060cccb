"""`rotifer agent memory verify`: the store and its logs held against each other (REC-9)."""

from __future__ import annotations

from typing import Final

import typer

from rotifer_console.cli import output, progress
from rotifer_console.cli.exits import Refused, note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view.columns import Column
from rotifer_store import ErrorCode

_COLUMNS: Final = (Column("Kind", style="yellow"), Column("Where"), Column("Finding"))


def verify_store(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints what is wrong and exits with 1 where anything is; puts nothing right."""
    mode = mode_of(ctx)
    with open_store_here() as store, progress.shown("verifying", mode):
        findings = store.verify()
    if mode.as_json:
        output.write_json([finding.to_json() for finding in findings])
    else:
        rows = [[finding.kind, finding.where, finding.message] for finding in findings]
        output.write_rows(_COLUMNS, rows, mode)
        if not findings:
            note("the store is sound")
    if findings:
        found = f"{len(findings)} {'finding' if len(findings) == 1 else 'findings'}"
        raise Refused(ErrorCode.MEMORY_STORAGE_ERROR, f"the store or its log is not sound: {found}")
