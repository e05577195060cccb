"""What the deployer may see and remove: listings, usage, values, deletions, sweeps (AGT-3, AGT-4).

The deployer owns the agent: scopes do not apply, every deletion is recorded as the deployer's (REC-8).
No ORM: `rotifer memory list` must start as fast as an empty program (CLI-6).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from rotifer_store.access import is_orphan
from rotifer_store.change import Change, Shell
from rotifer_store.deployer_plan import plan_deployer_delete
from rotifer_store.errors import AgentNotFound, MemoryInvalidInput, MemoryNotFound, MemoryStorageError
from rotifer_store.model import (
    Agent,
    Caller,
    Counters,
    DataPolicy,
    EntryInfo,
    Gene,
    GeneSeen,
    Held,
    Leaving,
    MemoryUsage,
    PolicyPreview,
    Usage,
    entry_id_of,
    own_access,
    own_retention,
)
from rotifer_store.plan import NOTHING
from rotifer_store.quota import counters_after
from rotifer_store.retention import effective_days, expires_at_us, is_expired
from rotifer_store.tables import CATEGORIES, CATEGORY_OF, Operation
from rotifer_store.translate import damaged
from rotifer_store.validate import (
    checked_gene_id,
    data_policy_of,
    is_text,
    key_size_bytes,
    quota_bytes,
    stored_category,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_US = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def agent_of(row: Sequence[Any]) -> Agent:
    """An agent from its stored columns, in the order of `load_agent`.

    Raises:
        MemoryStorageError: a column holds what nothing of ours writes there.
    """
    agent_id, name, genes, composition, quota_bytes, days, auto_delete, anonymization, created_us, ref = row
    try:
        names, composed = tuple(json.loads(genes)), json.loads(composition)
        created_at = _EPOCH + timedelta(microseconds=created_us)
    except (ValueError, TypeError, OverflowError):
        raise damaged() from None
    policy = DataPolicy(days, bool(auto_delete), bool(anonymization))
    return Agent(agent_id, name, names, composed, quota_bytes, policy, created_at, ref)


def find_agent(shell: Shell, name: object) -> Agent:
    """The agent of that name as it is now.

    Raises:
        AgentNotFound: there is none.
        MemoryStorageError: the store failed.
    """
    if is_text(name):
        rows = shell.engine.rows(shell.engine.sql.load_agent, (name,))
        if rows:
            return agent_of(rows[0])
    raise AgentNotFound("there is no agent of that name")


def all_agents(shell: Shell) -> list[Agent]:
    """Every agent, by name."""
    return [agent_of(row) for row in shell.engine.rows(shell.engine.sql.load_agents)]


def genes_seen(shell: Shell, agent: Agent) -> list[GeneSeen]:
    """The genes that acted on the agent's memory, long gone ones too (AGT-10)."""
    rows = shell.engine.rows(shell.engine.sql.load_genes, (agent.ref,))
    return [GeneSeen(gene_id, name, version, domain) for gene_id, name, version, domain in rows]


def list_memory(shell: Shell, agent: Agent, category: object) -> list[EntryInfo]:
    """All live entries, most recently updated first; removes what has expired (AGT-3, POL-6)."""
    category_stored = None if category is None else stored_category(category)
    now_us = shell.clock.now_us()
    days = _sweep_if_due(shell, agent, Operation.LIST, now_us)
    sql = shell.engine.sql
    if category_stored is None:
        rows = shell.engine.rows(sql.list_entries, (agent.ref, now_us))
    else:
        rows = shell.engine.rows(sql.list_category, (agent.ref, category_stored, now_us))
    return [info_of(agent.id, Held._make(row), days) for row in rows]


def _sweep_if_due(shell: Shell, agent: Agent, operation: Operation, now_us: int) -> int | None:
    """Removes what has expired where anything has, and returns the agent's days (POL-6, POL-7)."""
    _, days, next_expiry_us, *_ = _usage_row(shell, agent)
    if is_expired(next_expiry_us, now_us) and not shell.engine.read_only:
        with Change(shell, operation, agent) as change:
            change.load()
            change.commit(NOTHING, removals_may_wait=True)
    return int(days) if days is not None else None


def _usage_row(shell: Shell, agent: Agent) -> tuple[Any, ...]:
    rows = shell.engine.rows(shell.engine.sql.load_usage, (agent.ref,))
    if not rows:
        raise MemoryStorageError("the agent is not in the store any more")
    return rows[0]


def info_of(agent_id: str, entry: Held, agent_days: int | None) -> EntryInfo:
    """What a deployer sees of an entry; `agent_days` hold where it has no policy of its own (POL-4)."""
    days = effective_days(entry.own_days, entry.own_auto_delete, agent_days)
    expiry_us = expires_at_us(entry.updated_at_us, days)
    return EntryInfo(
        entry_id_of(agent_id, entry.key),
        CATEGORY_OF[entry.category_stored],
        entry.key,
        entry.size_bytes,
        entry.created_by,
        entry.created_domain,
        entry.last_accessed_by,
        _EPOCH + timedelta(microseconds=entry.created_at_us),
        _EPOCH + timedelta(microseconds=entry.updated_at_us),
        own_access(entry.read_scope_stored, entry.write_scope_stored, entry.share_policy_stored),
        own_retention(entry.own_days, entry.own_auto_delete, entry.own_anonymization),
        None if expiry_us is None or expiry_us > _LATEST_US else _EPOCH + timedelta(microseconds=expiry_us),
        expiry_us,
    )


def memory_usage(shell: Shell, agent: Agent) -> MemoryUsage:
    """Bytes and entries of what is live, from counters; what has expired does not count (POL-5)."""
    now_us = shell.clock.now_us()
    with shell.engine.snapshot() as execute:
        row = execute(shell.engine.sql.load_usage, (agent.ref,)).fetchone()
        if row is None:
            raise MemoryStorageError("the agent is not in the store any more")
        quota_bytes, _, next_expiry_us, *numbers = row
        counters = Counters._make(numbers)
        if is_expired(next_expiry_us, now_us):
            expired = execute(shell.engine.sql.load_expired, (agent.ref, now_us)).fetchall()
            counters = counters_after(counters, map(Leaving._make, expired))
    by_category = {
        row.category: Usage(counters[2 * row.stored], counters[2 * row.stored + 1]) for row in CATEGORIES
    }
    return MemoryUsage(counters.used_bytes, quota_bytes, by_category)


def peek_value(shell: Shell, agent: Agent, key: object) -> bytes:
    """The value under a key, for the deployer's eyes; changes and records nothing.

    Raises:
        MemoryNotFound: there is no such entry.
        MemoryInvalidInput: no entry can have that key.
    """
    key_size_bytes(key)
    rows = shell.engine.rows(shell.engine.sql.load_value, (agent.ref, key, shell.clock.now_us()))
    if not rows:
        raise MemoryNotFound("there is no entry of that key")
    return bytes(rows[0][0])


def delete_memory(
    shell: Shell, agent: Agent, *, key: object = None, keys: Sequence[object] | None = None, category: object
) -> int:
    """Removes one entry, several, or a category; returns how many went (AGT-4).

    Raises:
        MemoryInvalidInput: not exactly one selector, or one that no entry can have.
        MemoryNotFound: a named entry is not there; with `keys` none has gone.
        MemoryStorageError: the store or its audit log failed; nothing has gone.
    """
    if sum(selector is not None for selector in (key, keys, category)) != 1:
        raise MemoryInvalidInput("give exactly one of key, keys and category")
    category_stored = None if category is None else stored_category(category)
    wanted = list(dict.fromkeys([key] if key is not None else keys or ()))
    for each in wanted:
        key_size_bytes(each)
    with Change(shell, Operation.DELETE, agent) as change:
        head, _ = change.load()
        if category_stored is not None:
            entries = change.entries_of_category(category_stored)
        else:
            entries = change.entries_of(wanted)
        is_complete = category_stored is not None or len(entries) == len(wanted)
        change.commit(plan_deployer_delete(entries, agent, head) if is_complete else NOTHING)
    if not is_complete:
        raise MemoryNotFound(
            "there is no entry of that key" if key is not None else "an entry of those keys is not there"
        )
    if entries:
        with suppress(MemoryStorageError):
            # the entries are gone already; what the write-ahead log still holds goes at its next checkpoint
            shell.engine.forget_deleted()
    return len(entries)


def delete_seen(shell: Shell, agent: Agent, entries: Sequence[EntryInfo]) -> int:
    """Removes entries as they were seen, all or none; returns how many went (AGT-4).

    Raises:
        MemoryNotFound: one has gone, was changed, or another stands under its key; none has gone.
        MemoryStorageError: the store or its audit log failed; nothing has gone.
    """
    with Change(shell, Operation.DELETE, agent) as change:
        head, _ = change.load()
        leaving = change.entries_of(list({entry.key: None for entry in entries}))
        is_as_seen = change.are_as_seen(entries)
        change.commit(plan_deployer_delete(leaving, agent, head) if is_as_seen else NOTHING)
    if not is_as_seen:
        raise MemoryNotFound("an entry is not there as it was seen")
    if leaving:
        with suppress(MemoryStorageError):  # as above
            shell.engine.forget_deleted()
    return len(leaving)


def sweep(shell: Shell, agents: Sequence[Agent]) -> int:
    """Removes what has expired now; returns how many entries went.

    Raises:
        MemoryStorageError: the store or its audit log failed.
    """
    count = 0
    for agent in agents:
        _, _, next_expiry_us, *_ = _usage_row(shell, agent)
        if is_expired(next_expiry_us, shell.clock.now_us()):
            with Change(shell, Operation.SWEEP, agent) as change:
                change.load()
                change.commit(NOTHING)
                count += change.expired_count
    return count


def orphans(shell: Shell, agent: Agent, genome: Sequence[Gene]) -> list[EntryInfo]:
    """The live entries that no gene of a genome may read (AGT-9)."""
    callers = [Caller(checked_gene_id(gene.id), gene.domain) for gene in genome]
    now_us = shell.clock.now_us()
    days = _usage_row(shell, agent)[1]
    entries = map(Held._make, shell.engine.rows(shell.engine.sql.list_entries, (agent.ref, now_us)))
    return [info_of(agent.id, entry, days) for entry in entries if is_orphan(entry, callers)]


def preview_policy(
    shell: Shell, agent: Agent, data_policy: object, memory_quota_bytes: object
) -> PolicyPreview:
    """What a new data policy or quota would do to the live entries; None: the agent's own. Reads only.

    Raises:
        MemoryInvalidInput: it is no data policy (POL-2) or no quota (QUO-2).
        MemoryStorageError: the store failed.
    """
    from rotifer_store.preview import foresee  # a listing needs none of it

    policy = None if data_policy is None else data_policy_of(data_policy)
    quota = None if memory_quota_bytes is None else quota_bytes(memory_quota_bytes)
    now_us = shell.clock.now_us()
    with shell.engine.snapshot() as execute:
        row = execute(shell.engine.sql.load_agent, (agent.name,)).fetchone()
        if row is None:
            raise MemoryStorageError("the agent is not in the store any more")
        entries = [Held._make(held) for held in execute(shell.engine.sql.list_entries, (agent.ref, now_us))]
    current = agent_of(row)
    foreseen = foresee(entries, policy or current.data_policy, quota or current.memory_quota_bytes, now_us)
    days = current.data_policy.max_retention_days
    return PolicyPreview(
        [info_of(agent.id, entry, days) for entry in foreseen.expiring],
        [info_of(agent.id, entry, days) for entry in foreseen.outside],
        foreseen.over_quota_bytes,
    )
