"""`rotifer agent create`: an agent, its genes, its quota and its data policy."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_days, checked_gene_names, checked_quota_bytes
from rotifer_console.cli.composition import (
    CompositionName,
    ParMerge,
    When,
    checked_composition,
    note_idle_options,
)
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import genes_named, project_here
from rotifer_console.view import agents as view
from rotifer_console.view.sizes import SIZE_UNITS
from rotifer_store import DataPolicy, open_store


def create_agent(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new agent's name, before --genes.")],
    genes: Annotated[
        list[str],
        typer.Option("--genes", "-g", metavar="GENE...", help="Genes in the order in which they run."),
    ],
    composition_name: CompositionName = None,
    par_merge: ParMerge = None,
    when: When = None,
    memory_quota: Annotated[
        str, typer.Option(metavar="SIZE", help=f"How much the agent may remember: {SIZE_UNITS}.")
    ] = "10MB",
    max_retention_days: Annotated[
        str | None,
        typer.Option(metavar="N", help="Days until an entry expires; else never.", show_default=False),
    ] = None,
    anonymization: Annotated[
        bool, typer.Option("--anonymization", help="Genes may mark entries as shareable.", show_default=False)
    ] = False,
    auto_delete_on_termination: Annotated[
        bool,
        typer.Option("--auto-delete-on-termination", help="Stored; nothing acts on it.", show_default=False),
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Creates the agent, or leaves nothing of it behind (RUN-1, QUO-2, POL-2)."""
    quota_bytes = checked_quota_bytes(memory_quota)
    days = None if max_retention_days is None else checked_days(max_retention_days)
    names = checked_gene_names(genes)
    composition = checked_composition(len(names), composition_name, par_merge, when)
    project = project_here()
    found = genes_named(project, names)
    with open_store(project) as store:
        agent = store.create_agent(
            name,
            genes=found,
            composition=composition.to_json(),
            memory_quota_bytes=quota_bytes,
            data_policy=DataPolicy(days, auto_delete_on_termination, anonymization),
        )
    note_idle_options(composition, composition_name, par_merge, when)
    if mode_of(ctx).as_json:
        output.write_json(view.created_json(agent))
        return
    output.write_line(agent.id)
    note(f"created {view.describe(agent)}")
