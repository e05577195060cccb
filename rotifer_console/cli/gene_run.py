"""`rotifer run`: one gene on one input, without an agent and so without memory."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli.arguments import checked_gene_name, checked_input
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.run_options import (
    InProcess,
    InputText,
    TimeoutText,
    checked_timeout_s,
    stdout_while_running,
    tell_result,
)
from rotifer_console.cli.stores import genes_named, project_here
from rotifer_store import ErrorCode


def run(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="GENE", help="The gene's name.")],
    input_text: InputText,
    timeout_text: TimeoutText = None,
    in_process: InProcess = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the gene's output; every memory call is refused, and nothing is recorded (AGT-8)."""
    from rotifer_console.runs import run_gene

    checked_gene_name(name)
    timeout_s = checked_timeout_s(timeout_text, in_process=in_process)
    input_value = checked_input(input_text)
    project = project_here()
    genes_named(project, [name])  # for the hint where there is none of that name
    with stdout_while_running(in_process=in_process):
        result = run_gene(name, input_value, project=project, timeout_s=timeout_s, in_process=in_process)
    failed = result.failed_step
    asked_for_memory = (
        failed is not None
        and failed.error is not None
        and failed.error.code == ErrorCode.MEMORY_ACCESS_DENIED
    )
    hint = "`rotifer agent run` runs a gene with its agent's memory" if asked_for_memory else None
    tell_result(result, mode_of(ctx), hint=hint)
