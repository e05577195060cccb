"""`rotifer agent list`: the agents with what they use and what is about to go."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import open_store_here
from rotifer_console.view import agents as view
from rotifer_console.view.instants import exact
from rotifer_store import Agent, AuditRecord, EntryInfo, Store, SystemClock
from rotifer_store.tables import AuditAction

_REFUSALS = (AuditAction.MEMORY_ACCESS_DENIED, AuditAction.MEMORY_QUOTA_REFUSED)


def list_agents(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints the agents; looking removes no expired entry and writes no audit line."""
    mode = mode_of(ctx)
    now_us = SystemClock().now_us()
    with open_store_here() as store:
        lines = _agent_lines(store, now_us)
    if mode.as_json:
        output.write_json([view.to_json(line) for line in lines])
        return
    if output.is_table(mode):
        output.write_rows(view.TABLE_COLUMNS, [view.table_cells(line, now_us) for line in lines], mode)
    else:
        output.write_rows(view.COLUMNS, [view.plain_cells(line, now_us) for line in lines], mode)
    if not lines:
        note("no agents")


def _agent_lines(store: Store, now_us: int) -> list[view.AgentLine]:
    refusals = _refusals_by_agent(store, now_us)
    return [
        view.AgentLine(
            agent, store.memory_usage(agent).used_bytes, _first_to_expire(store, agent), refusals[agent.id]
        )
        for agent in store.agents()
    ]


def _first_to_expire(store: Store, agent: Agent) -> EntryInfo | None:
    rows = store.browse_memory(agent, order="expires", descending=False, limit=1).rows
    return rows[0] if rows and rows[0].expires_at_us is not None else None


def _refusals_by_agent(store: Store, now_us: int) -> Counter[str | None]:
    # One pass over the log for all agents: it may be long.
    day_ago = datetime.fromtimestamp(now_us / 1_000_000, tz=UTC) - timedelta(days=1)
    records = store.audit_records(since=exact(day_ago))
    return Counter(
        record.agent_id
        for record in records
        if isinstance(record, AuditRecord) and record.action in _REFUSALS
    )
