"""`rotifer agent run`: an agent's genes on one input."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_input
from rotifer_console.cli.exits import Refused
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_store import open_store


def run(
    ctx: typer.Context,
    name: AgentName,
    input_text: Annotated[
        str, typer.Option("--input", metavar="JSON|-", help="The input as JSON; - reads it from stdin.")
    ],
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the last gene's output; a gene that fails ends the run, its memory stays (RUN-2, RUN-4)."""
    from rotifer_console.runs import run_agent

    input_value = checked_input(input_text)
    project = project_here()
    with open_store(project) as store:
        agent = agent_named(store, name)
        with output.reserved_for_us():
            result = run_agent(store, agent, input_value, project=project)
    if mode_of(ctx).as_json:
        output.write_json(result.to_json())
    elif result.failed_step is None:
        output.write_json(result.output, indent=2)
    failed = result.failed_step
    if failed is not None and failed.error is not None:
        raise Refused(
            "GENE_FAILED",
            f"gene {failed.gene}: {failed.error.message}",
            hint="what its genes wrote before stays in the agent's memory",
        )
