"""`rotifer agent memory delete`: the deployer removes entries, whatever their policies say (AGT-4)."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_category
from rotifer_console.cli.exits import REFUSED, Refused, UsageRefused, ask, note
from rotifer_console.cli.options import AgentName, AsJson, CategoryName, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view.entries import count
from rotifer_console.view.safe_text import clipped
from rotifer_store import Agent, MemoryCategory, MemoryNotFound, Store


def delete_entries(
    ctx: typer.Context,
    name: AgentName,
    key: Annotated[
        str | None, typer.Option(metavar="K", help="The entry's key, as --key=K.", show_default=False)
    ] = None,
    category: CategoryName = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before a category.", show_default=False)
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Deletes by exactly one of key and category and prints how many went."""
    if (key is None) == (category is None):
        raise UsageRefused("give exactly one of --key and --category")
    wanted = None if category is None else checked_category(category)
    with open_store_here() as store:
        agent = agent_named(store, name)
        if wanted is not None and not yes and sys.stdin.isatty():
            _confirm(store, agent, wanted)
        try:
            removed = store.delete_memory(agent, key=key, category=wanted)
        except MemoryNotFound as error:
            raise Refused(error.code, f"{agent.name} has no entry {clipped(key or '')}") from None
    if mode_of(ctx).as_json:
        output.write_json({"removed": removed})
    else:
        output.write_line(f"{count(removed)} removed")


def _confirm(store: Store, agent: Agent, category: MemoryCategory) -> None:
    here = store.memory_usage(agent).by_category[category].entries
    question = f"Delete all {category} entries of {agent.name} ({count(here)})?"
    if not ask(f"{question} [y/N] "):
        note("nothing was deleted")
        raise typer.Exit(REFUSED)
