"""`rotifer agent memory forecast`: what a write would evict, in order, or that it would fail (QUO-4)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_bytes
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_to_look
from rotifer_console.view import forecast as view
from rotifer_console.view.entries import creator_names
from rotifer_console.view.sizes import SIZE_UNITS
from rotifer_store import SystemClock


def forecast(
    ctx: typer.Context,
    name: AgentName,
    size: Annotated[
        str,
        typer.Option(
            "--bytes", metavar="SIZE", help=f"Key and value together: {SIZE_UNITS}.", show_default=False
        ),
    ],
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the entries that a new key of that size would push out, in order; changes nothing."""
    size_bytes = checked_bytes(size)
    mode = mode_of(ctx)
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        foreseen = store.forecast(agent, size_bytes)
        creators = creator_names(store.genes_seen(agent))
    if mode.as_json:
        output.write_json(view.to_json(foreseen, creators))
        return
    rows = view.cells(foreseen, creators, SystemClock().now_us(), exact=not output.is_table(mode))
    output.write_rows(view.COLUMNS, rows, mode)
    note(view.describe(foreseen))
    if view.is_several_writes(foreseen):
        note("no single write is that large: this is what several come to together")
