"""`rotifer test`: a gene's schemas, one generated input and its suite, on throw-away memory (AGT-7)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import entry_rows, output
from rotifer_console.cli.arguments import checked_gene_name
from rotifer_console.cli.exits import REFUSED, note
from rotifer_console.cli.options import AsJson, GeneName, Plain, mode_of
from rotifer_console.cli.run_options import (
    InProcess,
    TimeoutText,
    checked_timeout_s,
    stdout_while_running,
)
from rotifer_console.cli.stores import no_such_gene, project_here
from rotifer_console.project import gene_path
from rotifer_console.view import entries as entries_view
from rotifer_console.view import trials as view
from rotifer_store import GeneNotFound
from rotifer_store.gene_folder import read_gene_folder


def try_out(
    ctx: typer.Context,
    name: GeneName,
    show_memory: Annotated[
        bool,
        typer.Option(
            "--show-memory",
            help="Print the entries that the suite left behind, never their values.",
            show_default=False,
        ),
    ] = False,
    timeout_text: TimeoutText = None,
    in_process: InProcess = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints a row for each check; exits with 1 where one failed (RUN-5)."""
    from rotifer_console.trials import Verdict, try_gene

    checked_gene_name(name)
    timeout_s = checked_timeout_s(timeout_text, in_process=in_process)
    project = project_here()
    try:
        gene = read_gene_folder(gene_path(project, name))
    except GeneNotFound as error:
        raise no_such_gene(error, project, name) from None
    with stdout_while_running(in_process=in_process):
        trial = try_gene(gene, timeout_s=timeout_s, in_process=in_process)
    mode = mode_of(ctx)
    creators = entries_view.creator_names(trial.genes_seen)
    if mode.as_json:
        memory = [entries_view.to_json(entry, creators) for entry in trial.entries]
        output.write_json(view.to_json(gene, trial) | ({"memory": memory} if show_memory else {}))
    else:
        output.write_rows(view.COLUMNS, [view.cells(result) for result in trial.results], mode)
        if show_memory:
            entry_rows.write_effects({"memory": trial.entries}, creators, mode)
        note(view.summary(trial))
    if trial.count(Verdict.FAILED):
        raise typer.Exit(REFUSED)
