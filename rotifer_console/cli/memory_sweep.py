"""`rotifer agent memory sweep`: what has expired goes now, not at the next call (POL-6)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output, suggest
from rotifer_console.cli.exits import UsageRefused
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view.entries import count


def sweep(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="The agent's name.",
            autocompletion=suggest.complete_agent,
            show_default=False,
        ),
    ] = None,
    every_agent: Annotated[bool, typer.Option("--all", help="Every agent.", show_default=False)] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Removes what has expired of one agent, or of all, and prints how many entries went."""
    if (name is None) != every_agent:
        raise UsageRefused("give exactly one of NAME and --all")
    with open_store_here() as store:
        removed = store.sweep(None if name is None else agent_named(store, name))
    if mode_of(ctx).as_json:
        output.write_json({"removed": removed})
    else:
        output.write_line(f"{count(removed)} removed")
