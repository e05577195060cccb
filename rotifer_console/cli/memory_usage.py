"""`rotifer agent memory usage`: what each category takes of the quota, and a mark to warn at (QUO-1)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.arguments import checked_mark
from rotifer_console.cli.exits import REFUSED, note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view import agents as view
from rotifer_console.view.sizes import format_percent, format_size


def show_usage(
    ctx: typer.Context,
    name: AgentName,
    warn_at: Annotated[
        str | None,
        typer.Option(metavar="N%", help="Exit with 1 where that much is used.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints entries and bytes of each category; at the mark or above it warns and exits with 1."""
    mark = None if warn_at is None else checked_mark(warn_at)
    mode = mode_of(ctx)
    with open_store_here() as store:
        agent = agent_named(store, name)
        usage = store.memory_usage(agent)
    if mode.as_json:
        output.write_json(usage.to_json())
    else:
        output.write_rows(view.USAGE_COLUMNS, view.usage_cells(usage, exact=not output.is_table(mode)), mode)
    if mark is not None and usage.used_bytes * 100_000 >= mark * usage.quota_bytes:
        used, quota = format_size(usage.used_bytes), format_size(usage.quota_bytes)
        share = format_percent(usage.used_bytes, usage.quota_bytes)
        note(f"warning: {agent.name} uses {used} of {quota} ({share}), the mark is {warn_at}")
        raise typer.Exit(REFUSED)
