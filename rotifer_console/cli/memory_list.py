"""`rotifer agent memory list`: what an agent remembers, without the values (AGT-3)."""

from __future__ import annotations

import typer

from rotifer_console.cli import entry_rows, output
from rotifer_console.cli.arguments import checked_category
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AgentName, AsJson, CategoryName, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view import entries as view


def list_entries(
    ctx: typer.Context,
    name: AgentName,
    category: CategoryName = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints all entries, most recently updated first; removes first what has expired (POL-6)."""
    wanted = None if category is None else checked_category(category)
    with open_store_here() as store:
        agent = agent_named(store, name)
        entries = store.list_memory(agent, wanted)
        creators = view.creator_names(store.genes_seen(agent))
    mode = mode_of(ctx)
    if mode.as_json:
        output.write_json([view.to_json(entry, creators) for entry in entries])
    else:
        entry_rows.write(entries, creators, mode)
        if not entries:
            note("no entries")
