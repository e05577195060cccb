"""`rotifer agent memory orphans`: entries that no gene of the agent can read (AGT-9)."""

from __future__ import annotations

import typer

from rotifer_console.cli import entry_rows, output
from rotifer_console.cli.exits import note
from rotifer_console.cli.genomes import genome_of
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_to_look, project_here
from rotifer_console.view import entries as view
from rotifer_console.view.sizes import format_size


def list_orphans(ctx: typer.Context, name: AgentName, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints the entries, most recently updated first; removes none of them."""
    mode = mode_of(ctx)
    project = project_here()
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        orphans = store.orphans(agent, genome_of(project, agent))
        creators = view.creator_names(store.genes_seen(agent))
    if mode.as_json:
        output.write_json([view.to_json(entry, creators) for entry in orphans])
        return
    entry_rows.write(orphans, creators, mode)
    note(
        f"{view.count(len(orphans))} that no gene of {agent.name} can read, "
        f"{format_size(view.total_bytes(orphans))}"
        if orphans
        else "no entry is cut off"
    )
