"""What the deployer is told without anything being touched: forecast, access, review, find, a key's life.

Reads only: no audit line, nothing is removed, what has expired is hidden; a store that was opened read-only
answers too. What a call would do is decided by the rules that the call itself asks (`quota`, `access`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rotifer_store.access import decisions
from rotifer_store.audit_line import is_ours, parse_object
from rotifer_store.change import Shell
from rotifer_store.deployer import info_of
from rotifer_store.errors import MemoryInvalidInput, MemoryStorageError
from rotifer_store.logs import AuditRecord, LifeEvent, audit_blocks, audit_record
from rotifer_store.model import (
    AccessVerdict,
    Agent,
    Caller,
    Counters,
    EntryInfo,
    Forecast,
    Gene,
    Head,
    Held,
    Leaving,
    Suspicion,
    entry_id_of,
)
from rotifer_store.quota import counters_after, room_for
from rotifer_store.retention import effective_days, is_expired, stored_expiry_us
from rotifer_store.review import BurstWatch, reasons_to_look
from rotifer_store.rfc3339 import parse_rfc3339
from rotifer_store.tables import CATEGORY_OF, MAX_QUOTA_BYTES, REVIEWED_VALUE_BYTES, AuditAction
from rotifer_store.translate import damaged
from rotifer_store.validate import acting_gene, checked_gene_id, is_text, key_size_bytes, whole_number

_REVIEWED_AT_ONCE: Final = 64
_WRITES: Final = (AuditAction.MEMORY_WRITE, AuditAction.MEMORY_UPDATE)


def forecast(shell: Shell, agent: Agent, incoming_bytes: object) -> Forecast:
    """What a write of a new key of that size would evict, in order, or that it would fail (QUO-4, QUO-5).

    Raises:
        MemoryInvalidInput: it is no whole number of bytes from 0 to 2^53 - 1.
        MemoryStorageError: the store failed.
    """
    size_bytes = whole_number(incoming_bytes)
    if size_bytes is None or not 0 <= size_bytes <= MAX_QUOTA_BYTES:
        raise MemoryInvalidInput(f"a size is a whole number of bytes from 0 to {MAX_QUOTA_BYTES}")
    sql, now_us = shell.engine.sql, shell.clock.now_us()
    with shell.engine.snapshot() as execute:
        row = execute(sql.load_usage, (agent.ref,)).fetchone()
        if row is None:
            raise _gone()
        quota_bytes, days, _, *numbers = row
        expired = [Leaving._make(each) for each in execute(sql.load_expired, (agent.ref, now_us))]
        counters = counters_after(Counters._make(numbers), expired)
        head = Head(quota_bytes, days, 0, 0, b"", None, counters)
        gone = {entry.ref for entry in expired}
        candidates = execute(sql.load_evictable, (agent.ref,))
        evicted = room_for(
            size_bytes, None, (Leaving._make(each) for each in candidates if each[0] not in gone), head
        )
        refs = [entry.ref for entry in evicted or ()]
        held = {each[0]: Held._make(each) for each in execute(sql.load_held_by_ref, (json.dumps(refs),))}
    used_bytes = counters.used_bytes
    return Forecast(
        size_bytes,
        quota_bytes,
        used_bytes,
        used_bytes - counters.evictable_bytes,
        [info_of(agent.id, held[ref], days) for ref in refs],
        used_bytes
        if evicted is None
        else used_bytes - sum(entry.size_bytes for entry in evicted) + size_bytes,
        fits=evicted is not None,
    )


def access(shell: Shell, agent: Agent, gene: Gene, key: object) -> list[AccessVerdict]:
    """What a gene may do with every live entry, or with one key, and by which rule (ACC).

    Raises:
        MemoryInvalidInput: no entry can have that key.
        MemoryStorageError: the store failed.
    """
    caller = Caller(checked_gene_id(gene.id), acting_gene(gene).domain)
    if key is not None:
        key_size_bytes(key)
        return [_verdict(agent, caller, str(key), _live_entry(shell, agent, str(key)))]
    return [_verdict(agent, caller, entry.key, entry) for entry in _live_entries(shell, agent)[0]]


def _verdict(agent: Agent, caller: Caller, key: str, entry: Held | None) -> AccessVerdict:
    category = None if entry is None else CATEGORY_OF[entry.category_stored]
    return AccessVerdict(key, entry_id_of(agent.id, key), category, *decisions(caller, entry))


def review(shell: Shell, agent: Agent, genome: Sequence[Gene]) -> list[Suspicion]:
    """The live entries worth a person's look, most recently updated first, with reasons.

    Raises:
        MemoryStorageError: the store or the audit log cannot be read.
    """
    genes = {gene_id: gene for gene in genome if (gene_id := checked_gene_id(gene.id)) is not None}
    bursts = _bursts(shell, agent)
    entries, days = _live_entries(shell, agent)
    suspicions = []
    for entry, value_start in _with_value_starts(shell, entries):
        info = info_of(agent.id, entry, days)
        burst = bursts.burst_of(entry.key, entry.created_at_us, entry.updated_at_us)
        reasons = tuple(reasons_to_look(info, value_start, genes, burst))
        if reasons:
            suspicions.append(Suspicion(info, reasons))
    return suspicions


def _with_value_starts(shell: Shell, entries: Sequence[Held]) -> Iterator[tuple[Held, bytes]]:
    """The entries, few at a time, with what a review sees of their values; without those gone meanwhile.

    No transaction stays open over them all: where there is no write-ahead log it would keep writers waiting.
    """
    for start in range(0, len(entries), _REVIEWED_AT_ONCE):
        some = entries[start : start + _REVIEWED_AT_ONCE]
        rows = shell.engine.rows(
            shell.engine.sql.load_value_starts,
            (REVIEWED_VALUE_BYTES, json.dumps([entry.ref for entry in some])),
        )
        # SQLite has NULL for the beginning of an empty value
        starts = {(ref, key): bytes(value_start or b"") for ref, key, value_start in rows}
        for entry in some:
            if (entry.ref, entry.key) in starts:
                yield entry, starts[entry.ref, entry.key]


def _bursts(shell: Shell, agent: Agent) -> BurstWatch:
    """The bursts that the log tells of; its lines are looked into only where one could be."""
    watch = BurstWatch()
    denied = _member("action", AuditAction.MEMORY_ACCESS_DENIED)
    writes = [_member("action", action) for action in _WRITES]
    for block in audit_blocks(shell.folder):
        if not watch.is_alert and denied not in block:
            continue
        for line in block.split(b"\n"):
            is_write = watch.is_alert and any(write in line for write in writes)
            record = _record_of(line) if is_write or denied in line else None
            if record is None or record.agent_id != agent.id or record.gene_id is None or record.ts is None:
                continue
            try:
                at_us = parse_rfc3339(record.ts).us
            except (ValueError, OverflowError):
                continue
            if record.action == AuditAction.MEMORY_ACCESS_DENIED:
                watch.refused(record.gene_id, at_us)
            elif record.key is not None:
                watch.wrote(record.gene_id, record.key, at_us)
    return watch


def find(shell: Shell, agent: Agent, text: object, *, values: bool) -> list[EntryInfo]:
    """The live entries whose key, or with `values` whose value too, holds a text; newest first.

    Raises:
        MemoryInvalidInput: it is no text, or holds a lone surrogate.
        MemoryStorageError: the store failed.
    """
    if not isinstance(text, str) or not is_text(text):
        raise MemoryInvalidInput("the text to find is not text, or holds a lone surrogate")
    sql, now_us = shell.engine.sql, shell.clock.now_us()
    with shell.engine.snapshot() as execute:
        days = _days(execute(sql.load_usage, (agent.ref,)).fetchone())
        rows = (
            execute(sql.find_anywhere, (agent.ref, text, text.encode(), now_us))
            if values
            else execute(sql.find_in_keys, (agent.ref, text, now_us))
        )
        return [info_of(agent.id, Held._make(row), days) for row in rows]


def life(shell: Shell, agent: Agent, key: object) -> list[LifeEvent]:
    """A key's records in the audit log, oldest first, each eviction with what it made room for.

    Lines of other programs are none. Lines that an aborted line revokes are left out with it, and so are
    those after the chain's end as it was saved when the call began: they may yet come to nothing (REC-3).

    Raises:
        MemoryInvalidInput: no entry can have that key.
        MemoryStorageError: the store or the log cannot be read.
    """
    key_size_bytes(key)
    state = shell.engine.rows(shell.engine.sql.load_state)
    if not state:
        raise damaged()
    saved_seq = state[0][1]
    of_key = _member("key", str(key))
    aborted = _member("action", AuditAction.MEMORY_ABORTED)
    events: list[LifeEvent] = []
    revoked: set[int | None] = set()
    evicting: int | None = None
    """The transaction of the last event, an eviction, while the write that it made room for is to come."""
    for block in audit_blocks(shell.folder):
        if evicting is None and of_key not in block and aborted not in block:
            continue
        for line in block.split(b"\n"):
            if evicting is None and of_key not in line and aborted not in line:
                continue
            record = _record_of(line)
            if record is None or record.seq is None or record.seq > saved_seq:
                continue
            if evicting is not None and (record.txn != evicting or record.action in _WRITES):
                if record.txn == evicting:
                    events[-1] = LifeEvent(events[-1].record, record.key)
                evicting = None
            if record.action == AuditAction.MEMORY_ABORTED:
                revoked.add(record.txn)
            elif record.agent_id == agent.id and record.key == key:
                events.append(LifeEvent(record))
                evicting = record.txn if record.action == AuditAction.MEMORY_EVICT else None
    return [event for event in events if event.record.txn not in revoked]


def _member(name: str, value: str) -> bytes:
    """A member as our lines spell it, to look for lines before they are parsed."""
    return f'"{name}":{json.dumps(value)}'.encode("ascii")


def _record_of(line: bytes) -> AuditRecord | None:
    members = parse_object(line)
    return audit_record(members) if members is not None and is_ours(members) else None


def _live_entries(shell: Shell, agent: Agent) -> tuple[list[Held], int | None]:
    """The live entries, most recently updated first, and the days that hold for those without a policy."""
    sql, now_us = shell.engine.sql, shell.clock.now_us()
    with shell.engine.snapshot() as execute:
        days = _days(execute(sql.load_usage, (agent.ref,)).fetchone())
        return [Held._make(row) for row in execute(sql.list_entries, (agent.ref, now_us))], days


def _live_entry(shell: Shell, agent: Agent, key: str) -> Held | None:
    rows = shell.engine.rows(shell.engine.sql.load_head, (key, agent.ref))
    if not rows:
        raise _gone()
    days, found = rows[0][3], rows[0][-len(Held._fields) :]
    if found[0] is None:
        return None
    entry = Held._make(found)
    own_days = effective_days(entry.own_days, entry.own_auto_delete, days)
    is_gone = is_expired(stored_expiry_us(entry.updated_at_us, own_days), shell.clock.now_us())
    return None if is_gone else entry


def _days(usage: Sequence[Any] | None) -> int | None:
    if usage is None:
        raise _gone()
    return None if usage[1] is None else int(usage[1])


def _gone() -> MemoryStorageError:
    return MemoryStorageError("the agent is not in the store any more")
