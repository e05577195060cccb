"""`rotifer agent memory find`: entries whose key, or value too, holds a text; no value is printed."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import entry_rows, output
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_to_look
from rotifer_console.view import entries as view


def find(
    ctx: typer.Context,
    name: AgentName,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What to find, in its case.", show_default=False)
    ],
    values: Annotated[
        bool, typer.Option("--values", help="In values too, as UTF-8 bytes.", show_default=False)
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the entries, most recently updated first, without their values."""
    mode = mode_of(ctx)
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        entries = store.find(agent, text, values=values)
        creators = view.creator_names(store.genes_seen(agent))
    if mode.as_json:
        output.write_json([view.to_json(entry, creators) for entry in entries])
        return
    entry_rows.write(entries, creators, mode)
    if not entries:
        note("no entries")
