"""The one road of every change: lock, begin, load, plan, append the lines, apply, commit.

Theory of operation. A `Change` is what stands between the engine's `begin` and `end`. `load` reads the agent
and the entry under a key and sets aside what has expired; a planner decides; `commit` writes the audit lines
and then, in the same transaction, the rows, counters and the chain's end. The lines come first (REC-2);
whatever fails after them leaves lines that the store does not know, and those are revoked at once, or by
whoever holds the lock next (REC-3). The lock is taken first, so the order of lines is the order of commits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from rotifer_store.audit_file import AuditFile, Tail
from rotifer_store.audit_line import AuditEvent, Link, aborted, encode_line, encode_lines
from rotifer_store.clock import Clock
from rotifer_store.engine import Connection, SqliteEngine
from rotifer_store.errors import MemoryStorageError
from rotifer_store.model import (
    Agent,
    EntryInfo,
    Gene,
    Head,
    Held,
    Leaving,
    counters_of,
    held_of_row,
    leaving_of_row,
)
from rotifer_store.plan import Plan, Put, plan_expiry
from rotifer_store.quota import counters_after
from rotifer_store.retention import is_expired
from rotifer_store.rfc3339 import format_us
from rotifer_store.tables import Operation
from rotifer_store.translate import FOREIGN_ERRORS, damaged, storage_error
from rotifer_store.validate import checked_gene_id

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MANY_ENTRIES = 32
"""From about here one statement removes rows faster than one for each."""


class Shell(NamedTuple):
    """What a store's calls work with."""

    engine: SqliteEngine
    audit: AuditFile
    clock: Clock
    folder: Path


class Change:
    """One change, from taking the lock to letting go of it, used in a `with` block.

    A class because the pieces of a change share a transaction and the chain's end.
    """

    __slots__ = (
        "_agent",
        "_execute",
        "_is_line_written",
        "_link",
        "_operation",
        "_shell",
        "_sql",
        "_sweep",
        "connection",
        "is_committed",
        "last_seq",
        "now_us",
    )

    def __init__(self, shell: Shell, operation: Operation, agent: Agent | None = None) -> None:
        self._shell = shell
        self._sql = shell.engine.sql
        self._operation = operation
        self._agent = agent
        self._sweep: Plan | None = None
        self._is_line_written = False
        self.is_committed = False
        self.last_seq: int | None = None
        """The `seq` of this change's last line, once committed."""

    def __enter__(self) -> Change:
        """Takes the lock and begins.

        Raises:
            MemoryStorageError: the store is locked, closed or read-only.
        """
        self.connection = self._shell.engine.begin()
        try:
            self._execute = self.connection.cursor().execute  # a connection makes one for each execute
            self.now_us = self._shell.clock.now_us()
        except BaseException:
            self._shell.engine.end(self.connection)
            raise
        return self

    def load(self, key: str | None = None) -> tuple[Head, Held | None]:
        """The agent and the live entry under `key`, as they are without what has expired (POL-5)."""
        agent = self.agent
        row = self._execute(self._sql.load_head, (key, agent.ref)).fetchone()
        if row is None:
            raise MemoryStorageError("the agent is not in the store any more")
        seq, digest, quota_bytes, days, anonymization, order_us, hmac_key, next_expiry_us = row[:8]
        self._link = Link(seq, digest)
        counters = counters_of(row[8:16])
        head = Head(quota_bytes, days, anonymization, order_us, hmac_key, next_expiry_us, counters)
        existing = held_of_row(row[16:]) if row[16] is not None else None
        if not is_expired(next_expiry_us, self.now_us):
            return head, existing
        expired = self._leaving(self._sql.load_expired, (agent.ref, self.now_us))
        self._sweep = plan_expiry(expired, agent, head, self._operation)
        if existing is not None and any(entry.ref == existing.ref for entry in expired):
            existing = None
        return head._replace(counters=counters_after(counters, expired)), existing

    def load_state(self) -> Link:
        """Reads the chain's committed end alone, for a change that concerns no entry."""
        row = self._execute(self._sql.load_state).fetchone()
        if row is None:
            raise damaged()
        _, seq, digest = row
        self._link = Link(seq, digest)
        return self._link

    def revoke_unsaved(self) -> None:
        """Compares the log's end with the store's, revokes what was never saved and catches up (REC-3)."""
        self.load_state()
        if self._shell.audit.tail(self._link).link != self._link:
            self._write_lines(())
            self._shell.engine.commit(self.connection)
            self.is_committed = True

    def set_log_aside(self, name: str) -> None:
        """Renames the log; the lines of this change begin the next one (REC-9).

        Raises:
            MemoryStorageError: the log ends with lines that must be revoked first, or cannot be renamed.
        """
        try:
            if self._shell.audit.tail(self._link).link != self._link:
                raise MemoryStorageError("the audit log ends with an unsaved change: try again")
            self._shell.audit.set_aside(name)
        except OSError as error:
            raise storage_error(error, "the audit log cannot be rotated") from error

    @property
    def expired_count(self) -> int:
        """How many entries `load` found expired; they go with the commit."""
        return len(self._sweep.removed) if self._sweep is not None else 0

    def eviction_candidates(self) -> Iterator[Leaving]:
        """Evictable live entries in eviction order, read as they are asked for (QUO-4)."""
        gone = {entry.ref for entry in self._sweep.removed} if self._sweep is not None else ()
        rows = self.connection.execute(self._sql.load_evictable, (self.agent.ref,))
        if not gone:
            yield from map(leaving_of_row, rows)
            return
        for row in rows:
            if row[0] not in gone:
                yield leaving_of_row(row)

    def entries_of_category(self, category_stored: int) -> list[Leaving]:
        """The live entries of a category, in order of update (AGT-4)."""
        return self._leaving(self._sql.load_category, (self.agent.ref, category_stored, self.now_us))

    def entries_of(self, keys: Sequence[object]) -> list[Leaving]:
        """The live entries of those keys that are there, in order of update (AGT-4)."""
        return self._leaving(self._sql.load_by_keys, (self.agent.ref, json.dumps(keys), self.now_us))

    def are_as_seen(self, entries: Sequence[EntryInfo]) -> bool:
        """Whether each entry is there, created and updated as it was when it was seen."""
        keys = json.dumps([entry.key for entry in entries])
        rows = self._execute(self._sql.load_seen, (self.agent.ref, keys, self.now_us))
        found = {
            key: (created_by, created_us, updated_us) for key, created_by, created_us, updated_us in rows
        }
        return all(
            found.get(entry.key) == (entry.created_by, _us(entry.created_at), _us(entry.updated_at))
            for entry in entries
        )

    def _leaving(self, statement: str, parameters: Sequence[object]) -> list[Leaving]:
        return list(map(leaving_of_row, self._execute(statement, parameters)))

    def save_gene(self, gene: Gene) -> None:
        """Remembers the acting gene's name, version and domain with this change (AGT-10)."""
        gene_id = checked_gene_id(gene.id)
        if gene_id is not None:
            self._execute(
                self._sql.save_gene, (self.agent.ref, gene_id, gene.name, gene.version, gene.domain)
            )

    @property
    def agent(self) -> Agent:
        """Whose memory this change concerns; a new agent once `commit` has written its row."""
        if self._agent is None:
            raise MemoryStorageError("this change concerns no agent")
        return self._agent

    def touch(self, key: str, gene_id: str) -> None:
        """Remembers who read the entry last; needs no line (ENT-4, REC-1)."""
        self._execute(self._sql.touch, (gene_id, self.agent.ref, key))

    def commit(
        self,
        plan: Plan,
        *,
        rows: Callable[[Connection], Agent] | None = None,
        removals_may_wait: bool = False,
    ) -> None:
        """Writes the lines, then the change.

        Args:
            plan: what the call itself comes to.
            rows: writes an agent's own row in this transaction, after the lines and before the plan's
                entries, and returns the agent.
            removals_may_wait: where the lines of what has expired cannot be written, go on without
                removing it; readers hide it anyway (POL-7).

        Raises:
            MemoryStorageError: a line could not be written or the change not saved; nothing has changed.
                A refusal is left as it is, unrecorded (REC-4).
        """
        try:
            sweep = self._append(plan, removals_may_wait=removals_may_wait)
            if rows is not None:
                self._agent = rows(self.connection)
            if sweep is not None:
                self._remove(sweep.removed)
            self._apply(plan, sweep)
            self._shell.engine.commit(self.connection)
            self.is_committed = True
        except (MemoryStorageError, *FOREIGN_ERRORS):
            self.last_seq = None
            if plan.refusal is None:
                raise

    def _append(self, plan: Plan, *, removals_may_wait: bool) -> Plan | None:
        """Writes the lines of what has expired and of the plan; returns the sweep that may be applied."""
        sweep = self._sweep
        events = plan.events if sweep is None else [*sweep.events, *plan.events]
        if not events:
            return sweep
        try:
            self._write_lines(events)
        except OSError as error:
            self._revoke()
            if removals_may_wait and not plan.events:
                return None
            raise storage_error(error, "the audit log cannot be written") from error
        return sweep

    def _write_lines(self, events: Sequence[AuditEvent]) -> None:
        audit, ts = self._shell.audit, format_us(self.now_us)
        tail = audit.tail(self._link)
        parts, link = _opening(tail, ts, self._operation) if tail.is_behind else ([], tail.link)
        lines, link = encode_lines(events, ts, link, link.seq + 1)
        parts += lines
        self._is_line_written = True
        audit.append(b"".join(parts), link)
        self._execute(self._sql.save_state, link)
        self.last_seq = link.seq

    def _apply(self, plan: Plan, sweep: Plan | None) -> None:
        agent = self._agent
        if agent is None:
            return
        _, counters, order_us, removed, puts, _ = plan
        self._remove(removed)
        if puts and self.last_seq is not None:
            # the lines of puts are a plan's last ones, in the same order (ENT-7)
            for seq, put in enumerate(puts, self.last_seq - len(puts) + 1):
                self._put(agent, put, seq)
        if counters is None and sweep is not None:
            counters, order_us = sweep.counters, sweep.order_us
        if counters is not None:
            self._execute(self._sql.save_agent_counters, (order_us, *counters, agent.ref))

    def _put(self, agent: Agent, put: Put, seq: int) -> None:
        if put.ref is None:
            self._execute(self._sql.insert_entry, (agent.ref, *put[1:10], seq, *put[10:]))
        else:
            self._execute(self._sql.rewrite_entry, (*put[2:4], put[6], *put[8:], seq, put.ref))

    def _remove(self, entries: Sequence[Held | Leaving]) -> None:
        if len(entries) >= _MANY_ENTRIES:
            self._execute(self._sql.delete_entries, (json.dumps([entry.ref for entry in entries]),))
        elif entries:
            self.connection.executemany(self._sql.delete_entry, [(entry.ref,) for entry in entries])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Undoes what was not committed, revokes its lines, lets go of the lock."""
        try:
            if self._is_line_written and not self.is_committed:
                self._shell.engine.roll_back(self.connection)
                self._revoke()
        finally:
            self._shell.engine.end(self.connection)
        if isinstance(error, FOREIGN_ERRORS):
            raise storage_error(error, "the store cannot be changed") from error

    def _revoke(self) -> None:
        """Says in the log that the lines just written came to nothing (REC-3)."""
        try:
            tail = self._shell.audit.tail(self._link)
            parts, link = _opening(tail, format_us(self.now_us), self._operation)
            if tail.unsaved:
                self._shell.audit.append(b"".join(parts), link)
            self._is_line_written = False
        except OSError:
            # a log that takes no line now is put right by whoever next finds it ahead of the store
            return


def _opening(tail: Tail, ts: str, operation: Operation) -> tuple[list[bytes], Link]:
    """What must precede new lines: the end of a torn line, and the revoking of what was never saved."""
    parts, link = [b"\n"] if tail.is_torn else [], tail.link
    for unsaved in tail.unsaved:
        line, link = encode_line(aborted(unsaved, operation), ts, link, unsaved.txn)
        parts.append(line)
    return parts, link


def recover(shell: Shell) -> None:
    """At opening: revokes what a process that died had written but not saved (REC-3)."""
    if shell.engine.read_only or not shell.audit.exists():
        return
    with Change(shell, Operation.OPEN) as change:
        change.revoke_unsaved()


def _us(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)
