"""`rotifer agent memory list`: what an agent remembers, without the values (AGT-3)."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from rotifer_console.cli import entry_rows, output, suggest
from rotifer_console.cli.arguments import checked_category, checked_filter, checked_order, checked_span_us
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AgentName, AsJson, CategoryName, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view import entries as view
from rotifer_store import Agent, BrowseFilter, EntryInfo, Store, SystemClock

_ALL: Final = sys.maxsize
"""As many rows as there are."""


def list_entries(
    ctx: typer.Context,
    name: AgentName,
    category: CategoryName = None,
    sort: Annotated[
        str,
        typer.Option(
            metavar="ORDER", help=", ".join(view.ORDERS) + ".", autocompletion=suggest.complete_order
        ),
    ] = view.ORDERS[0],
    expires_within: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only what expires by then: 90m, 1d.", show_default=False),
    ] = None,
    outside_policy: Annotated[
        bool,
        typer.Option(
            "--outside-policy",
            help="Only entries whose own policies do not fit the agent's.",
            show_default=False,
        ),
    ] = False,
    filter_text: Annotated[
        str | None,
        typer.Option(
            "--filter", metavar="TEXT", help="Only what it describes, as --filter=TEXT.", show_default=False
        ),
    ] = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="The other way round.", show_default=False)
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the entries, most recently updated first; removes first what has expired (POL-6)."""
    wanted = None if category is None else checked_category(category)
    where = None if filter_text is None else checked_filter(filter_text)
    order = checked_order(sort)
    span_us = None if expires_within is None else checked_span_us(expires_within)
    with open_store_here() as store:
        agent = agent_named(store, name)
        entries = store.list_memory(agent, wanted)
        if outside_policy:
            outside = {entry.entry_id for entry in store.preview_policy(agent).outside}
            entries = [entry for entry in entries if entry.entry_id in outside]
        if where is not None or order != view.ORDERS[0]:
            entries = _as_browsed(store, agent, entries, where or BrowseFilter(), order)
        creators = view.creator_names(store.genes_seen(agent))
    if span_us is not None:
        entries = view.expiring_within(entries, span_us, SystemClock().now_us())
    if reverse:
        entries.reverse()
    mode = mode_of(ctx)
    if mode.as_json:
        output.write_json([view.to_json(entry, creators) for entry in entries])
    else:
        entry_rows.write(entries, creators, mode)
        if not entries:
            note("no entries")


def _as_browsed(
    store: Store, agent: Agent, entries: list[EntryInfo], where: BrowseFilter, order: str
) -> list[EntryInfo]:
    """Those of the entries that match, in the order in which a dashboard shows them (TUI-8)."""
    listed = {entry.entry_id: entry for entry in entries}
    descending = order in view.LARGEST_FIRST
    rows = store.browse_memory(agent, where=where, order=order, descending=descending, limit=_ALL).rows
    return [listed[row.entry_id] for row in rows if row.entry_id in listed]
