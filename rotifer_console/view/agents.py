"""Agents for people: columns, cells, sentences, and the JSON that `agent list` prints (CLI-1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rotifer_console.view import instants
from rotifer_console.view.columns import Column
from rotifer_console.view.sizes import format_size
from rotifer_store import Agent, EntryInfo

COLUMNS: Final = (
    Column("Agent"),
    Column("Genes"),
    Column("Runs as", style="cyan"),
    Column("Used", right=True),
    Column("Quota", right=True),
    Column("Next expiry"),
    Column("Refused", right=True),
    Column("Agent ID"),
)
TABLE_COLUMNS: Final = COLUMNS[:-1]
"""A table has no room for the id, and people call an agent by its name."""

GENOME_COLUMNS: Final = (Column("Gene"),)


@dataclass(frozen=True, slots=True)
class AgentLine:
    """An agent with what a listing tells of it. `next_expiry` is the entry that expires first."""

    agent: Agent
    used_bytes: int
    next_expiry: EntryInfo | None
    refusals_last_day: int


def plain_cells(line: AgentLine, now_us: int) -> list[str]:
    """Exact cells: sizes in bytes, genes parted by commas."""
    agent, next_expiry = line.agent, line.next_expiry
    return [
        agent.name,
        ",".join(agent.genes),
        str(agent.composition.get("type")),
        str(line.used_bytes),
        str(agent.memory_quota_bytes),
        instants.NEVER
        if next_expiry is None
        else instants.expiry(next_expiry.expires_at, next_expiry.expires_at_us, now_us),
        str(line.refusals_last_day),
        agent.id,
    ]


def table_cells(line: AgentLine, now_us: int) -> list[str]:
    """Cells for a table at a terminal: sizes rounded, the time that is left, no id."""
    cells = plain_cells(line, now_us)[: len(TABLE_COLUMNS)]
    cells[1] = ", ".join(line.agent.genes)
    cells[3] = format_size(line.used_bytes)
    cells[4] = format_size(line.agent.memory_quota_bytes)
    cells[5] = instants.countdown(line.next_expiry.expires_at_us if line.next_expiry else None, now_us)
    return cells


def to_json(line: AgentLine) -> dict[str, object]:
    """`{id, name, genes, composition, quotaBytes, usedBytes, nextExpiryAt, refusalsLastDay}`."""
    expires_at = None if line.next_expiry is None else line.next_expiry.expires_at
    return {
        **genome_json(line.agent),
        "quotaBytes": line.agent.memory_quota_bytes,
        "usedBytes": line.used_bytes,
        "nextExpiryAt": None if expires_at is None else instants.exact(expires_at),
        "refusalsLastDay": line.refusals_last_day,
    }


def created_json(agent: Agent) -> dict[str, object]:
    """`{id, name, genes, composition, quotaBytes, dataPolicy}`."""
    return {
        **genome_json(agent),
        "quotaBytes": agent.memory_quota_bytes,
        "dataPolicy": agent.data_policy.to_json(),
    }


def genome_json(agent: Agent) -> dict[str, object]:
    """`{id, name, genes, composition}`."""
    return {
        "id": agent.id,
        "name": agent.name,
        "genes": list(agent.genes),
        "composition": dict(agent.composition),
    }


def describe(agent: Agent) -> str:
    """A sentence's worth: `my-agent: a, then b, quota 10 MB`."""
    return f"{agent.name}: {describe_genome(agent.genes)}, quota {format_size(agent.memory_quota_bytes)}"


def describe_genome(genes: Sequence[str]) -> str:
    """The genes in the order in which they run: `a, then b`."""
    return ", then ".join(genes)
