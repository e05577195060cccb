"""`rotifer audit rotate`: closes the audit log under a dated name and begins the next (REC-9)."""

from __future__ import annotations

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view.safe_text import safe_text


def rotate_audit(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints the path of the file that was closed; nothing where there was no log."""
    with open_store_here() as store:
        closed = store.rotate_audit()
    if mode_of(ctx).as_json:
        output.write_json({"closed": None if closed is None else str(closed)})
    elif closed is None:
        note("there is no log to close")
    else:
        output.write_line(safe_text(str(closed)))
