"""`rotifer agent memory delete`: the deployer removes entries, whatever their policies say (AGT-4)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from rotifer_console.cli import entry_rows, output, terminal
from rotifer_console.cli.arguments import checked_category, checked_keys
from rotifer_console.cli.exits import REFUSED, UsageRefused, ask, note
from rotifer_console.cli.options import AgentName, AsJson, CategoryName, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here, open_store_to_look, require_entries
from rotifer_console.view import entries as view
from rotifer_console.view.entries import count
from rotifer_console.view.sizes import format_size
from rotifer_store import Agent, MemoryCategory, MemoryNotFound, Store


def delete_entries(
    ctx: typer.Context,
    name: AgentName,
    key: Annotated[
        str | None, typer.Option(metavar="K", help="The entry's key, as --key=K.", show_default=False)
    ] = None,
    category: CategoryName = None,
    keys_from: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="A file of keys: a JSON string a line, or raw keys that each end with NUL.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would go.", show_default=False)
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before a category.", show_default=False)
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Deletes by exactly one of key, category and a file of keys, and prints how many went."""
    if sum(selector is not None for selector in (key, category, keys_from)) != 1:
        raise UsageRefused("give exactly one of --key, --category and --keys-from")
    wanted = None if category is None else checked_category(category)
    keys = [key] if key is not None else None if keys_from is None else checked_keys(keys_from)
    mode = mode_of(ctx)
    if dry_run:
        with open_store_to_look() as store:
            _rehearse(store, agent_named(store, name), keys, wanted, mode)
        return
    with open_store_here() as store:
        agent = agent_named(store, name)
        if wanted is not None and not yes and sys.stdin.isatty():
            _confirm(store, agent, wanted)
        try:
            removed = store.delete_memory(agent, keys=keys, category=wanted)
        except MemoryNotFound:
            require_entries(store, agent, keys or ())
            raise
    if mode.as_json:
        output.write_json({"removed": removed})
    else:
        output.write_line(f"{count(removed)} removed")


def _rehearse(
    store: Store,
    agent: Agent,
    keys: Sequence[str] | None,
    category: MemoryCategory | None,
    mode: terminal.Mode,
) -> None:
    """Prints what the same call without `--dry-run` would remove, or refuses what it would refuse."""
    entries = store.list_memory(agent, category)
    if keys is not None:
        require_entries(store, agent, keys)
        chosen = set(keys)
        entries = [entry for entry in entries if entry.key in chosen]
    creators = view.creator_names(store.genes_seen(agent))
    if mode.as_json:
        listed = [view.to_json(entry, creators) for entry in entries]
        output.write_json({"removed": len(entries), "dryRun": True, "entries": listed})
        return
    entry_rows.write(entries, creators, mode)
    note(f"would remove {count(len(entries))}, {format_size(view.total_bytes(entries))}")


def _confirm(store: Store, agent: Agent, category: MemoryCategory) -> None:
    here = store.memory_usage(agent).by_category[category].entries
    question = f"Delete all {category} entries of {agent.name} ({count(here)})?"
    if not ask(f"{question} [y/N] "):
        note("nothing was deleted")
        raise typer.Exit(REFUSED)
