"""`rotifer wrap`: gives a gene the phenotype that it lacks (GEN-3)."""

from __future__ import annotations

from pathlib import Path
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
from rotifer_console.view.entries import count
from rotifer_console.view.safe_text import clipped
from rotifer_store import EntryInfo, GeneNotFound, MemoryStorageError, has_store, open_store
from rotifer_store.gene_folder import PHENOTYPE, read_phenotype
from rotifer_store.tables import Scope


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
        former = (read_phenotype(gene_path(project, name)) or {}).get("domain")
        wrapped = wrap_gene(gene_path(project, name), domain)
    except GeneNotFound as error:
        raise no_such_gene(error, project, name) from None
    if mode_of(ctx).as_json:
        output.write_json({**view.folder_json(wrapped.folder), "written": list(wrapped.written)})
    else:
        output.write_line(view.id_line(wrapped.folder))
        note(
            f"{PHENOTYPE}: wrote {', '.join(wrapped.written)}"
            if wrapped.written
            else f"{PHENOTYPE} has everything already"
        )
    if isinstance(former, str) and former != domain:
        _note_left_behind(project, former, domain)


def _note_left_behind(project: Path, former: str, domain: str) -> None:
    """Tells of entries that stay with the former domain: only its genes may read them (ACC-2)."""
    if not has_store(project):
        return
    try:
        with open_store(project, read_only=True) as store:
            here = [entry for agent in store.agents() for entry in store.find(agent, "")]
    except MemoryStorageError as error:
        note(f"whether entries are kept to the domain {clipped(former)} is not known: {error}")
        return
    left = [entry for entry in here if entry.created_domain == former and Scope.SAME_DOMAIN in _scopes(entry)]
    if left:
        stay = "stays" if len(left) == 1 else "stay"
        note(
            f"{count(len(left))} of {clipped(former)} {stay} in that domain: "
            f"genes of {domain} cannot read or change what is kept to it"
        )


def _scopes(entry: EntryInfo) -> tuple[str, str]:
    return entry.access_policy.read_scope, entry.access_policy.write_scope
