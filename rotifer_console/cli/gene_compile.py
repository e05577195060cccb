"""`rotifer compile`: checks a gene and says what its v2 id is made of; writes nothing (GEN-2, GEN-3)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_gene_name
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, GeneName, Plain, mode_of
from rotifer_console.cli.stores import no_such_gene, project_here
from rotifer_console.project import gene_path
from rotifer_console.view import genes as view
from rotifer_store import GeneNotFound, MemoryStorageError, has_store, open_store
from rotifer_store.gene_folder import counted_files, read_gene_folder


def compile_gene(
    ctx: typer.Context,
    name: GeneName,
    check: Annotated[
        bool,
        typer.Option("--check", help="Changes nothing: no compile writes.", show_default=False),
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the files that count towards the id, and the id; says when the store knew another one."""
    checked_gene_name(name)
    project = project_here()
    try:
        folder = read_gene_folder(gene_path(project, name))
    except GeneNotFound as error:
        raise no_such_gene(error, project, name) from None
    seen = _ids_seen(project, name)
    has_changed = bool(seen) and folder.gene_id not in seen
    mode = mode_of(ctx)
    if mode.as_json:
        output.write_json(
            {
                **view.folder_json(folder),
                "counted": counted_files(folder),
                "seenIds": seen,
                "idHasChanged": has_changed,
            }
        )
        return
    output.write_rows(view.COUNTED_COLUMNS, [[path] for path in counted_files(folder)], mode)
    output.write_line(view.id_line(folder))
    if has_changed:
        note(
            f"the id has changed: the store knows {name} as {', '.join(seen)}; what only those may read or "
            "write, this gene may not"
        )


def _ids_seen(project: Path, name: str) -> list[str]:
    """The ids under which genes of that name acted here; none where there is no store that can be read."""
    if not has_store(project):
        return []
    try:
        with open_store(project, read_only=True) as store:
            seen = [gene for agent in store.agents() for gene in store.genes_seen(agent)]
    except MemoryStorageError as error:
        note(f"the gene's former ids are not known: {error}")
        return []
    return sorted({gene.gene_id for gene in seen if gene.name == name})
