"""`rotifer agent memory access`: may this gene read, write, delete, and by which rule (ACC)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output, suggest
from rotifer_console.cli.arguments import checked_gene_name, is_v2_id
from rotifer_console.cli.exits import note
from rotifer_console.cli.genomes import gene_called
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_to_look, project_here
from rotifer_console.view import access as view


def show_access(
    ctx: typer.Context,
    name: AgentName,
    gene: Annotated[
        str,
        typer.Option(
            metavar="GENE",
            help="A gene's name, or its v2 id.",
            show_default=False,
            autocompletion=suggest.complete_gene,
        ),
    ],
    key: Annotated[
        str | None,
        typer.Option(metavar="K", help="Only this key, there or not, as --key=K.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints a row for each entry, or with a key a row for each call; nothing is tried or recorded."""
    if not is_v2_id(gene):
        checked_gene_name(gene)
    mode = mode_of(ctx)
    project = project_here()
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        found = gene_called(store, project, agent, gene)
        verdicts = store.access(agent, found, key)
    if mode.as_json:
        output.write_json([verdict.to_json() for verdict in verdicts])
    elif key is not None:
        output.write_rows(view.CALL_COLUMNS, view.call_cells(verdicts[0]), mode)
    else:
        output.write_rows(view.COLUMNS, [view.cells(verdict) for verdict in verdicts], mode)
        note(view.describe(verdicts, found.name or str(found.id)) if verdicts else "no entries")
