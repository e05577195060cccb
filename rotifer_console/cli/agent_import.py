"""`rotifer agent import`: an exported agent comes into this project's store under its own id (AGT-6)."""

from __future__ import annotations

import typer

from rotifer_console.cli import output, progress
from rotifer_console.cli.arguments import checked_source
from rotifer_console.cli.exits import Refused, note
from rotifer_console.cli.options import AsJson, ExportedFile, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view import agents as view
from rotifer_console.view.entries import count
from rotifer_store import MemoryInvalidInput


def import_agent(
    ctx: typer.Context, file: ExportedFile, as_json: AsJson = False, plain: Plain = False
) -> None:
    """Brings in the agent with its entries, or leaves nothing of it behind, and prints its id."""
    mode = mode_of(ctx)
    source = checked_source(file)
    with open_store_here() as store:
        with progress.shown("importing", mode):
            try:
                agent = store.import_agent(source)
            except MemoryInvalidInput as error:
                raise Refused(error.code, error.message) from None  # the file is there; the call is sound
        usage = store.memory_usage(agent)
    entries = sum(part.entries for part in usage.by_category.values())
    if mode.as_json:
        output.write_json({**view.created_json(agent), "entries": entries})
        return
    output.write_line(agent.id)
    note(f"imported {view.describe(agent)}, {count(entries)}")
