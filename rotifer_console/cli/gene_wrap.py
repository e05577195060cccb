"""`rotifer wrap`: gives a gene the phenotype that it lacks (GEN-3)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_domain, checked_gene_name
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, GeneName, Plain, mode_of
from rotifer_console.cli.stores import no_such_gene, project_here
from rotifer_console.genes.wrapping import wrap_gene
from rotifer_console.project import gene_path
from rotifer_console.view import genes as view
from rotifer_store import GeneNotFound
from rotifer_store.gene_folder import PHENOTYPE


def wrap(
    ctx: typer.Context,
    name: GeneName,
    domain: Annotated[
        str,
        typer.Option("--domain", "-d", metavar="D", help="The gene's domain.", show_default=False),
    ],
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Writes what is missing of the phenotype, changes the domain where it is another, prints the v2 id."""
    checked_gene_name(name)
    checked_domain(domain)
    project = project_here()
    try:
        wrapped = wrap_gene(gene_path(project, name), domain)
    except GeneNotFound as error:
        raise no_such_gene(error, project, name) from None
    if mode_of(ctx).as_json:
        output.write_json({**view.folder_json(wrapped.folder), "written": list(wrapped.written)})
        return
    output.write_line(view.id_line(wrapped.folder))
    note(
        f"{PHENOTYPE}: wrote {', '.join(wrapped.written)}"
        if wrapped.written
        else f"{PHENOTYPE} has everything already"
    )
