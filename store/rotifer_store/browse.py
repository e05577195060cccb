"""Pages of an agent's entries for dashboards: filtered, ordered, counted; reads only (python-api: browse).

The statement depends on the filter, so it is built for each call; nothing is removed, what has expired is
hidden (TUI-9).
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, literal, or_, select
from sqlalchemy.dialects import sqlite

from rotifer_store.change import Shell
from rotifer_store.deployer import info_of
from rotifer_store.errors import MemoryInvalidInput, MemoryStorageError
from rotifer_store.model import Agent, BrowseFilter, Held, Page
from rotifer_store.retention import MAX_STORED_US
from rotifer_store.sql import ENTRY, GENE, HELD, entry, gene
from rotifer_store.validate import is_text, stored_category, whole_number

_DIALECT: Final = sqlite.dialect(paramstyle="qmark")
ORDERS: Final[dict[str, tuple[ColumnElement[Any], ...]]] = {
    "updated": (entry.order_us, entry.seq),
    "key": (entry.key,),
    "category": (entry.category, entry.order_us, entry.seq),
    "size": (entry.size_bytes, entry.key),
    "expires": (func.coalesce(entry.expires_at_us, literal(MAX_STORED_US)), entry.key),
    "creator": (entry.created_by, entry.key),
}
"""What each order sorts by; an entry that never expires comes after all that do."""


def browse_memory(
    shell: Shell,
    agent: Agent,
    *,
    where: BrowseFilter,
    order: str,
    descending: bool,
    offset: int,
    limit: int,
) -> Page:
    """One page of the live entries that match, and how many match in all.

    Raises:
        MemoryInvalidInput: an unknown order or category, a bad pattern, a negative offset or limit.
        MemoryStorageError: the store failed.
    """
    columns = ORDERS.get(order)
    if columns is None:
        raise MemoryInvalidInput(f"the order is none of {', '.join(ORDERS)}")
    skipped, wanted = whole_number(offset), whole_number(limit)
    if skipped is None or wanted is None or min(skipped, wanted) < 0:
        raise MemoryInvalidInput("offset and limit are whole numbers of entries, 0 or more")
    now_us = shell.clock.now_us()
    if not all(value is None or is_text(value) for value in (where.text, where.pattern, where.gene)):
        raise MemoryInvalidInput("text, pattern and gene are text")
    conditions = _conditions(agent, where, now_us)
    rows = select(*HELD).where(*conditions)
    rows = rows.order_by(*(column.desc() if descending else column.asc() for column in columns))
    count = select(func.count()).select_from(ENTRY).where(*conditions)
    with shell.engine.snapshot() as execute:
        usage = execute(shell.engine.sql.load_usage, (agent.ref,)).fetchone()
        if usage is None:
            raise MemoryStorageError("the agent is not in the store any more")
        rows = rows.limit(min(wanted, MAX_STORED_US)).offset(min(skipped, MAX_STORED_US))
        found = execute(*_compiled(rows)).fetchall()
        total = execute(*_compiled(count)).fetchone()[0]
    return Page([info_of(agent.id, Held._make(row), usage[1]) for row in found], total)


def _conditions(agent: Agent, where: BrowseFilter, now_us: int) -> list[ColumnElement[bool]]:
    conditions = [
        entry.agent_ref == agent.ref,
        or_(entry.expires_at_us.is_(None), entry.expires_at_us > now_us),
    ]
    if where.category is not None:
        conditions.append(entry.category == stored_category(where.category))
    if where.text is not None:
        conditions.append(func.instr(entry.key, where.text) > 0)
    if where.pattern is not None:
        try:
            re.compile(where.pattern)
        except re.error as error:
            raise MemoryInvalidInput(f"the pattern is no regular expression: {error.msg}") from None
        conditions.append(func.matches(where.pattern, entry.key))
    if where.gene is not None:
        named = (
            select(gene.gene_id).select_from(GENE).where(gene.agent_ref == agent.ref, gene.name == where.gene)
        )
        conditions.append(or_(entry.created_by == where.gene, entry.created_by.in_(named)))
    if where.min_bytes is not None:
        conditions.append(entry.size_bytes >= min(where.min_bytes, MAX_STORED_US))
    if where.max_bytes is not None:
        conditions.append(entry.size_bytes <= min(where.max_bytes, MAX_STORED_US))
    if where.expires_within_s is not None:
        if not math.isfinite(where.expires_within_s):
            raise MemoryInvalidInput("expires_within_s is a finite number of seconds")
        until_us = now_us + round(where.expires_within_s * 1_000_000)
        conditions.append(entry.expires_at_us <= min(until_us, MAX_STORED_US))
    return conditions


def _compiled(statement: Select[Any]) -> tuple[str, tuple[object, ...]]:
    compiled = statement.compile(dialect=_DIALECT)
    return str(compiled), tuple(compiled.params[name] for name in compiled.positiontup or ())
