"""`rotifer agent show`: one agent with its genes' ids, its policies and what its memory takes."""

from __future__ import annotations

import typer

from rotifer_console.cli import output
from rotifer_console.cli.agent_lines import lines_of
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_console.genes.listing import list_genome
from rotifer_console.view import agents as view
from rotifer_console.view import genes as genes_view
from rotifer_console.view.columns import MEMBER_COLUMNS
from rotifer_console.view.instants import exact
from rotifer_store import SystemClock, open_store


def show_agent(ctx: typer.Context, name: AgentName, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints the agent's members; looking removes no expired entry and writes no audit line."""
    mode = mode_of(ctx)
    now_us = SystemClock().now_us()
    project = project_here()
    with open_store(project) as store:
        (line,) = lines_of(store, [agent_named(store, name)], now_us)
    genome = list_genome(project, line.agent.genes)
    if mode.as_json:
        output.write_json(
            {
                **view.to_json(line),
                "dataPolicy": line.agent.data_policy.to_json(),
                "createdAt": exact(line.agent.created_at),
                "genome": [genes_view.to_json(gene) for gene in genome],
            }
        )
    else:
        cells = view.detail_cells(line, genome, now_us, exact=not output.is_table(mode))
        output.write_rows(MEMBER_COLUMNS, cells, mode)
    for gene in genome:
        if gene.problem is not None:
            note(f"warning: {gene.problem}")
