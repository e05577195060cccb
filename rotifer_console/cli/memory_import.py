"""`rotifer agent memory import`: exported entries come into an agent that stands, all or none (AGT-6)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output, progress
from rotifer_console.cli.arguments import checked_source
from rotifer_console.cli.exits import Refused
from rotifer_console.cli.options import AgentName, AsJson, ExportedFile, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view.entries import count
from rotifer_store import MemoryAccessDenied, MemoryInvalidInput


def import_entries(
    ctx: typer.Context,
    name: AgentName,
    file: ExportedFile,
    copy_private: Annotated[
        bool,
        typer.Option("--copy-private", help="Take another agent's entries too.", show_default=False),
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Brings in the entries, or none of them, and prints how many came."""
    mode = mode_of(ctx)
    source = checked_source(file)
    with open_store_here() as store:
        agent = agent_named(store, name)
        with progress.shown(f"importing into {agent.name}", mode):
            try:
                imported = store.import_memory(agent, source, copy_private=copy_private)
            except MemoryInvalidInput as error:
                raise Refused(error.code, error.message) from None  # the file is there; the call is sound
            except MemoryAccessDenied as error:
                hint = None if copy_private else "--copy-private takes another agent's entries"
                raise Refused(error.code, error.message, hint=hint) from None
    if mode.as_json:
        output.write_json({"imported": imported})
    else:
        output.write_line(f"{count(imported)} imported")
