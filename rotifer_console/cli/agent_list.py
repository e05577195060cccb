"""`rotifer agent list`: the agents with what they use and what is about to go."""

from __future__ import annotations

import typer

from rotifer_console.cli import output
from rotifer_console.cli.agent_lines import lines_of
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view import agents as view
from rotifer_store import SystemClock


def list_agents(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints the agents; looking removes no expired entry and writes no audit line."""
    mode = mode_of(ctx)
    now_us = SystemClock().now_us()
    with open_store_here() as store:
        lines = lines_of(store, store.agents(), now_us)
    if mode.as_json:
        output.write_json([view.to_json(line) for line in lines])
        return
    if output.is_table(mode):
        output.write_rows(view.TABLE_COLUMNS, [view.table_cells(line, now_us) for line in lines], mode)
    else:
        output.write_rows(view.COLUMNS, [view.plain_cells(line, now_us) for line in lines], mode)
    if not lines:
        note("no agents")
