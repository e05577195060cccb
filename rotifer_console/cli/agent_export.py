"""`rotifer agent export`: an agent and its entries as a file that another store can take in (AGT-6)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output, progress
from rotifer_console.cli.arguments import STANDARD_STREAM, checked_path
from rotifer_console.cli.exits import note
from rotifer_console.cli.new_files import new_file
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here, require_entries
from rotifer_console.view.entries import count
from rotifer_store import MemoryNotFound


def export_entries(
    ctx: typer.Context,
    name: AgentName,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The new file; - writes to stdout.", show_default=False)
    ],
    include_cache: Annotated[
        bool, typer.Option("--include-cache", help="CACHE entries too.", show_default=False)
    ] = False,
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--key", metavar="K", help="Only this entry, as --key=K; repeatable.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Writes the file whole or not at all, for its owner alone, and never in place of another."""
    mode = mode_of(ctx)
    path = checked_path(file)
    if file == STANDARD_STREAM:
        output.require_no_terminal("an export")
    with open_store_here() as store:
        agent = agent_named(store, name)
        with progress.shown(f"exporting {agent.name}", mode):
            try:
                if file == STANDARD_STREAM:
                    stream = output.byte_stream()
                    exported = store.export_memory(agent, stream, include_cache=include_cache, keys=keys)
                else:
                    with new_file(path):
                        exported = store.export_memory(agent, path, include_cache=include_cache, keys=keys)
            except MemoryNotFound:
                require_entries(store, agent, keys or ())
                raise
    if file == STANDARD_STREAM:
        note(f"{count(exported)} exported")
    elif mode.as_json:
        output.write_json({"exported": exported})
    else:
        output.write_line(f"{count(exported)} exported")
