"""`rotifer list`: the project's genes."""

from __future__ import annotations

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import project_here
from rotifer_console.genes.listing import list_project_genes
from rotifer_console.view import genes as view


def list_genes(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints each gene's name, domain, language, version and v2 id; a broken one is listed with a remark."""
    mode = mode_of(ctx)
    genes = list_project_genes(project_here())
    if mode.as_json:
        output.write_json([view.to_json(gene) for gene in genes])
    else:
        cells = view.table_cells if output.is_table(mode) else view.plain_cells
        output.write_rows(view.COLUMNS, [cells(gene) for gene in genes], mode)
        if not genes:
            note("no genes")
    for gene in genes:
        if gene.problem is not None:
            note(f"warning: {gene.problem}")
