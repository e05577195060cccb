"""`rotifer agent memory review`: entries worth a person's look, with reasons; it removes none of them."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import REFUSED, UsageRefused, note
from rotifer_console.cli.genomes import genome_of
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_to_look, project_here
from rotifer_console.view import review as view
from rotifer_console.view.entries import creator_names
from rotifer_console.view.safe_text import clipped

_SUSPICIOUS: Final = "suspicious"


def review(
    ctx: typer.Context,
    name: AgentName,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar=_SUSPICIOUS.upper(),
            help=f"`{_SUSPICIOUS}`: exit with 1 where anything is found.",
            show_default=False,
            autocompletion=lambda: [_SUSPICIOUS],
        ),
    ] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints a row for each reason to look at an entry; values are looked at and never printed."""
    if fail_on not in (None, _SUSPICIOUS):
        raise UsageRefused(
            f"--fail-on: {clipped(fail_on, 60)} is nothing that it fails on", hint=f"--fail-on {_SUSPICIOUS}"
        )
    mode = mode_of(ctx)
    project = project_here()
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        suspicions = store.review(agent, genome_of(project, agent))
        entries = sum(usage.entries for usage in store.memory_usage(agent).by_category.values())
        creators = creator_names(store.genes_seen(agent))
    if mode.as_json:
        output.write_json([view.to_json(suspicion, creators) for suspicion in suspicions])
    else:
        exact = not output.is_table(mode)
        rows = [row for suspicion in suspicions for row in view.cells(suspicion, creators, exact=exact)]
        output.write_rows(view.COLUMNS, rows, mode)
        note(view.describe(suspicions, entries))
    if fail_on is not None and suspicions:
        raise typer.Exit(REFUSED)
