"""Pages of an agent's entries for dashboards: filtered, ordered, counted; reads only (python-api: browse).

The statement depends on the filter, so it is built for each call; nothing is removed, what has expired is
hidden (TUI-9).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, literal, or_, select, tuple_
from sqlalchemy.dialects import sqlite

from rotifer_store.change import Shell
from rotifer_store.deployer import info_of
from rotifer_store.errors import MemoryInvalidInput, MemoryStorageError
from rotifer_store.model import Agent, BrowseFilter, Counters, Held, Page
from rotifer_store.retention import MAX_STORED_US, is_expired
from rotifer_store.sql import ENTRY, GENE, HELD, entry, gene
from rotifer_store.validate import is_text, key_size_bytes, stored_category, whole_number

_DIALECT: Final = sqlite.dialect(paramstyle="qmark")
_CREATOR_SHOWN: Final = func.coalesce(
    select(gene.name)
    .where(gene.agent_ref == entry.agent_ref, gene.gene_id == entry.created_by)
    .correlate(ENTRY)
    .scalar_subquery(),
    entry.created_by,
)
"""The creator as people see it: by its name, and by its id where it has none (AGT-10)."""
ORDERS: Final[dict[str, tuple[ColumnElement[Any], ...]]] = {
    "updated": (entry.order_us, entry.seq, entry.ref),
    "key": (entry.key,),
    "category": (entry.category, entry.order_us, entry.seq, entry.ref),
    "size": (entry.size_bytes, entry.key),
    "expires": (func.coalesce(entry.expires_at_us, literal(MAX_STORED_US)), entry.key),
    "creator": (_CREATOR_SHOWN, entry.key),
}
"""What each order sorts by: no two entries are alike, and what never expires comes after all that does."""
_Execute = Callable[[str, Sequence[object]], Any]


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
    columns = _columns(order)
    skipped, wanted = whole_number(offset), whole_number(limit)
    if skipped is None or wanted is None or min(skipped, wanted) < 0:
        raise MemoryInvalidInput("offset and limit are whole numbers of entries, 0 or more")
    now_us = shell.clock.now_us()
    asked = _asked(agent, where, now_us)
    with shell.engine.snapshot() as execute:
        _, days, next_expiry_us, *counters = _usage(shell, agent, execute)
        live = _live(next_expiry_us, now_us)
        if where == BrowseFilter(category=where.category):
            total = _counted(agent, where, Counters._make(counters))
            total -= _count(execute, [*asked, entry.expires_at_us <= now_us]) if live else 0
        else:
            total = _count(execute, [*asked, *live])
        following = max(0, total - skipped - wanted)
        is_nearer_the_end = following < skipped
        if is_nearer_the_end:
            skipped, wanted = following, min(wanted, max(0, total - skipped))
        is_descending = descending is not is_nearer_the_end
        rows = select(*HELD).where(*asked, *live).limit(min(wanted, MAX_STORED_US)).offset(skipped)
        rows = rows.order_by(*(column.desc() if is_descending else column.asc() for column in columns))
        found = execute(*_compiled(rows)).fetchall() if wanted else []
    if is_nearer_the_end:
        found.reverse()
    return Page([info_of(agent.id, Held._make(row), days) for row in found], total)


def entry_place(
    shell: Shell, agent: Agent, key: object, *, where: BrowseFilter, order: str, descending: bool
) -> int | None:
    """How many of the live entries that match come before that key's; None where it is not among them.

    Raises:
        MemoryInvalidInput: an unknown order or category, a bad pattern, a key that no entry can have.
        MemoryStorageError: the store failed.
    """
    columns = _columns(order)
    key_size_bytes(key)
    now_us = shell.clock.now_us()
    asked = _asked(agent, where, now_us)
    with shell.engine.snapshot() as execute:
        asked += _live(_usage(shell, agent, execute)[2], now_us)
        own = execute(*_compiled(select(*columns).where(*asked, entry.key == key))).fetchone()
        if own is None:
            return None
        place = tuple_(*map(literal, own))
        is_before = tuple_(*columns) > place if descending else tuple_(*columns) < place
        return _count(execute, [*asked, is_before])


def _columns(order: str) -> tuple[ColumnElement[Any], ...]:
    columns = ORDERS.get(order)
    if columns is None:
        raise MemoryInvalidInput(f"the order is none of {', '.join(ORDERS)}")
    return columns


def _usage(shell: Shell, agent: Agent, execute: _Execute) -> Sequence[Any]:
    """The agent's row of `load_usage`.

    Raises:
        MemoryStorageError: there is none.
    """
    usage: Sequence[Any] | None = execute(shell.engine.sql.load_usage, (agent.ref,)).fetchone()
    if usage is None:
        raise MemoryStorageError("the agent is not in the store any more")
    return usage


def _counted(agent: Agent, where: BrowseFilter, counters: Counters) -> int:
    """How many entries the agent has, of one category or all, what has expired among them (QUO-1)."""
    if where.category is not None:
        return counters[2 * stored_category(where.category)]
    return sum(counters[::2])


def _count(execute: _Execute, conditions: Sequence[ColumnElement[bool]]) -> int:
    count = select(func.count()).select_from(ENTRY).where(*conditions)
    return int(execute(*_compiled(count)).fetchone()[0])


def _live(next_expiry_us: int | None, now_us: int) -> list[ColumnElement[bool]]:
    """What hides the expired; nothing where nothing has, so that an index alone tells which rows to skip."""
    if not is_expired(next_expiry_us, now_us):
        return []
    return [or_(entry.expires_at_us.is_(None), entry.expires_at_us > now_us)]


def _asked(agent: Agent, where: BrowseFilter, now_us: int) -> list[ColumnElement[bool]]:
    """What the filter asks for, expired or not.

    Raises:
        MemoryInvalidInput: a member of the filter is not of its form.
    """
    if not all(value is None or is_text(value) for value in (where.text, where.pattern, where.gene)):
        raise MemoryInvalidInput("text, pattern and gene are text")
    conditions = [entry.agent_ref == agent.ref]
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
