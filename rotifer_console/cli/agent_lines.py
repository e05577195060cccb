"""What listings tell of agents beside their records: bytes in use, the next expiry, recent refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from rotifer_console.view.agents import AgentLine
from rotifer_console.view.instants import exact
from rotifer_store import Agent, AuditRecord, EntryInfo, LogFilter, Store
from rotifer_store.tables import AuditAction

_REFUSALS = (AuditAction.MEMORY_ACCESS_DENIED, AuditAction.MEMORY_QUOTA_REFUSED)


def lines_of(store: Store, agents: Sequence[Agent], now_us: int) -> list[AgentLine]:
    """A line for each agent; looking removes no expired entry and writes no audit line."""
    refusals = _refusals_by_agent(store, now_us)
    return [
        AgentLine(
            agent, store.memory_usage(agent).used_bytes, _first_to_expire(store, agent), refusals[agent.id]
        )
        for agent in agents
    ]


def _first_to_expire(store: Store, agent: Agent) -> EntryInfo | None:
    rows = store.browse_memory(agent, order="expires", descending=False, limit=1).rows
    return rows[0] if rows and rows[0].expires_at_us is not None else None


def _refusals_by_agent(store: Store, now_us: int) -> Counter[str | None]:
    # A search for all agents at once: the log may be long, and only the lines that are found are parsed.
    day_ago = exact(datetime.fromtimestamp(now_us / 1_000_000, tz=UTC) - timedelta(days=1))
    counted: Counter[str | None] = Counter()
    with store.audit_view() as log:
        while log.is_behind:
            log.poll()
        for action in _REFUSALS:
            for found in log.matches(LogFilter(action=action, since=day_ago)):
                records = (log.records(line, 1)[0] for line in found.lines)
                counted.update(record.agent_id for record in records if isinstance(record, AuditRecord))
    return counted
