"""`rotifer agent policy`: an agent's quota and data policy, and what a change of them does (POL-2, QUO-3)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from rotifer_console.cli import entry_rows, output, terminal
from rotifer_console.cli.arguments import checked_days_or_none, checked_quota_bytes
from rotifer_console.cli.exits import REFUSED, UsageRefused, ask, note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here, open_store_to_look
from rotifer_console.view import agents as view
from rotifer_console.view import entries as entries_view
from rotifer_console.view.columns import MEMBER_COLUMNS
from rotifer_console.view.entries import count
from rotifer_console.view.sizes import SIZE_UNITS
from rotifer_store import Agent, EntryInfo, MemoryCategory, Store


def show_or_change_policy(
    ctx: typer.Context,
    name: AgentName,
    max_retention_days: Annotated[
        str | None,
        typer.Option(metavar="N|none", help="Days until an entry expires.", show_default=False),
    ] = None,
    anonymization: Annotated[
        bool | None,
        typer.Option(
            "--anonymization/--no-anonymization",
            help="Whether genes may mark entries as shareable.",
            show_default=False,
        ),
    ] = None,
    auto_delete_on_termination: Annotated[
        bool | None,
        typer.Option(
            "--auto-delete-on-termination/--no-auto-delete-on-termination",
            help="Stored; nothing acts on it.",
            show_default=False,
        ),
    ] = None,
    memory_quota: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help=f"How much the agent may remember: {SIZE_UNITS}.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what a change would do.", show_default=False)
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before entries expire.", show_default=False)
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the settings, or changes those that are given and prints the entries that this concerns."""
    quota_bytes = None if memory_quota is None else checked_quota_bytes(memory_quota)
    members = _given_members(max_retention_days, anonymization, auto_delete_on_termination)
    names_something = bool(members) or quota_bytes is not None
    if dry_run and not names_something:
        raise UsageRefused("--dry-run needs a setting to change")
    mode = mode_of(ctx)
    with open_store_to_look() if dry_run else open_store_here() as store:
        agent = agent_named(store, name)
        if not names_something:
            _print_settings(agent, mode)
            return
        changed = replace(
            agent,
            data_policy=replace(agent.data_policy, **members),
            memory_quota_bytes=quota_bytes or agent.memory_quota_bytes,
        )
        # Foreseen before the change, because the change removes what had expired until then (POL-3a).
        preview = store.preview_policy(agent, data_policy=changed.data_policy, memory_quota_bytes=quota_bytes)
        creators = entries_view.creator_names(store.genes_seen(agent))
        if not dry_run:
            if preview.expiring and not yes and sys.stdin.isatty():
                _confirm(agent, preview.expiring)
            _change(store, agent, changed)
    if mode.as_json:
        output.write_json(
            {
                **view.policy_json(changed),
                "dryRun": dry_run,
                "expiring": [entries_view.to_json(entry, creators) for entry in preview.expiring],
                "outside": [entries_view.to_json(entry, creators) for entry in preview.outside],
                "overQuotaBytes": preview.over_quota_bytes,
            }
        )
        return
    entry_rows.write_effects({"expires": preview.expiring, "outside": preview.outside}, creators, mode)
    verb = "nothing to change in" if changed == agent else "would change" if dry_run else "changed"
    note(f"{verb} {view.describe_policy(changed)}; {view.describe_preview(preview, is_done=not dry_run)}")


def _change(store: Store, agent: Agent, changed: Agent) -> None:
    """Sets what differs: what is as it was is no change, of which the log would have to tell."""
    if changed.data_policy != agent.data_policy:
        store.set_data_policy(agent, changed.data_policy)
    if changed.memory_quota_bytes != agent.memory_quota_bytes:
        store.set_memory_quota(agent, changed.memory_quota_bytes)


def _confirm(agent: Agent, expiring: Sequence[EntryInfo]) -> None:
    kept = sum(entry.category is MemoryCategory.PREFERENCE for entry in expiring)
    among = f", {kept} of them {MemoryCategory.PREFERENCE}" if kept else ""
    expire = f"{count(len(expiring))} of {agent.name} {'expires' if len(expiring) == 1 else 'expire'} at once"
    if not ask(f"{expire}{among}. Change the policy? [y/N] "):
        note("nothing was changed")
        raise typer.Exit(REFUSED)


def _given_members(
    max_retention_days: str | None, anonymization: bool | None, auto_delete_on_termination: bool | None
) -> dict[str, Any]:
    """The members of a data policy that options name; `none` is a value, a missing option is not."""
    members: dict[str, Any] = {}
    if max_retention_days is not None:
        members["max_retention_days"] = checked_days_or_none(max_retention_days)
    if anonymization is not None:
        members["anonymization_supported"] = anonymization
    if auto_delete_on_termination is not None:
        members["auto_delete_on_termination"] = auto_delete_on_termination
    return members


def _print_settings(agent: Agent, mode: terminal.Mode) -> None:
    if mode.as_json:
        output.write_json(view.policy_json(agent))
        return
    exact = not output.is_table(mode)
    cells = view.policy_cells(agent.data_policy, agent.memory_quota_bytes, exact=exact)
    output.write_rows(MEMBER_COLUMNS, cells, mode)
