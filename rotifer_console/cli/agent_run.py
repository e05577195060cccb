"""`rotifer agent run`: an agent's genes on one input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rotifer_console.cli import exits
from rotifer_console.cli.arguments import checked_input
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.run_options import (
    InProcess,
    InputText,
    TimeoutText,
    checked_timeout_s,
    stdout_while_running,
    tell_result,
)
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_store import InvalidAgent, open_store

if TYPE_CHECKING:
    from rotifer_console.hosts.memory import MemoryCall


def run(
    ctx: typer.Context,
    name: AgentName,
    input_text: InputText,
    timeout_text: TimeoutText = None,
    in_process: InProcess = False,
    trace_memory: Annotated[
        bool,
        typer.Option(
            "--trace-memory",
            help="Print each memory call and its outcome on stderr, never a value.",
            show_default=False,
        ),
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the last gene's output; a gene that fails ends the run, its memory stays (RUN-2, RUN-4)."""
    from rotifer_console.runs import run_agent

    timeout_s = checked_timeout_s(timeout_text, in_process=in_process)
    input_value = checked_input(input_text)
    project = project_here()
    with open_store(project) as store:
        agent = agent_named(store, name)
        with stdout_while_running(in_process=in_process):
            try:
                result = run_agent(
                    store,
                    agent,
                    input_value,
                    project=project,
                    timeout_s=timeout_s,
                    in_process=in_process,
                    trace=_tell_call if trace_memory else None,
                )
            except InvalidAgent as error:  # by what is there, not by the arguments
                hint = f"`rotifer agent genes {agent.name} --set …` gives it genes"
                raise exits.Refused(error.code, str(error), hint=hint) from None
    tell_result(result, mode_of(ctx), hint="what its genes wrote before stays in the agent's memory")


def _tell_call(call: MemoryCall) -> None:
    of = "" if call.of is None else f" {call.of}"
    exits.note(f"{call.gene}: {call.call}{of}: {call.outcome}")
