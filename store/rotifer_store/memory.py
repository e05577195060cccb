"""An agent's memory as one gene sees it: the four calls (not a store in RAM).

The shell of the calls: it checks the caller, then the arguments, and leads each call through `Change`; what
is allowed and what must happen is decided in `plan`. Reads and queries run outside the lock and take it only
where something has to change: an expired entry, a moved `lastAccessedBy`, a refusal to record.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable

from rotifer_store.access import NO_ID
from rotifer_store.change import Change, Shell
from rotifer_store.engine import Row
from rotifer_store.errors import (
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryStorageError,
    ResponseTooLarge,
    memory_error,
)
from rotifer_store.model import (
    UNSET,
    AccessPolicy,
    Agent,
    Caller,
    Gene,
    MemoryEntry,
    MemoryFilter,
    Query,
    RetentionPolicy,
    entry_of_row,
)
from rotifer_store.plan import (
    NOTHING,
    Plan,
    ReadOutcome,
    plan_delete,
    plan_no_id,
    plan_read_refusal,
    plan_write,
    read_outcome,
)
from rotifer_store.retention import MAX_STORED_US, is_expired
from rotifer_store.rfc3339 import format_us
from rotifer_store.tables import AUDIT_ACTIONS, MAX_QUERY_BYTES, Operation
from rotifer_store.telemetry import append_event, event_line, is_enabled
from rotifer_store.validate import (
    acting_gene,
    checked_gene_id,
    key_size_bytes,
    query_of,
    stored_category,
    write_request,
)
from rotifer_store.wire import Result, decode_value, encode_result, parse_request, take_members

Fits = Callable[[Result], None]
"""Raises ResponseTooLarge where the JSON form of a call's result would not fit its caller."""

_FIRST_US, _LAST_US = -MAX_STORED_US, MAX_STORED_US
_OPERATION_OF = {
    "readMemory": Operation.READ,
    "writeMemory": Operation.WRITE,
    "queryMemory": Operation.QUERY,
    "deleteMemory": Operation.DELETE,
}
_READ, _WRITE, _QUERY, _DELETE = _OPERATION_OF.values()
_NOTHING, _, _TOUCH, _REFUSED = ReadOutcome
"""Looked up once: in Python 3.11 a member of an Enum costs a call."""
_TELEMETRY_ACTIONS = frozenset(row.action for row in AUDIT_ACTIONS if row.telemetry)
_AFTER_ALL_KEYS = "\U0010ffff" * 257
"""Greater than any key: a key has at most 1024 bytes, this has 1028."""


class GeneMemory:
    """The four calls as one gene of one agent (python-api).

    Every call can raise the five AgentMemoryErrors. One object may serve many threads.
    """

    def __init__(self, shell: Shell, agent: Agent, gene: Gene) -> None:
        gene_id = checked_gene_id(gene.id)
        self._shell = shell
        self._agent = agent
        self._gene = acting_gene(gene)
        self._caller = Caller(gene_id, gene.domain)
        self._is_gene_saved = False

    def read_memory(self, key: str, category: str | None = None) -> MemoryEntry | None:
        """The entry under `key`, or None; with `category`, only an entry of that category.

        Raises:
            MemoryAccessDenied: the entry exists and this gene may not read it (ACC-9).
            MemoryInvalidInput: the key or category is none (INP-1, ENT-6).
            MemoryStorageError: the store failed.
        """
        return self._read(key, category, None)

    def write_memory(
        self,
        key: str,
        value: bytes,
        category: str,
        access_policy: AccessPolicy | object = UNSET,
        retention_policy: RetentionPolicy | object | None = UNSET,
    ) -> MemoryEntry:
        """Creates the entry or replaces its value; returns what is stored.

        A policy left out is the default on a new entry and stays on an old one; `retention_policy=None`
        follows the agent's data policy (ACC-5).

        Raises:
            MemoryAccessDenied: scope, policy change or data policy forbid it (ACC).
            MemoryInvalidInput: an argument is not of its form (INP, ACC-1, POL-1).
            MemoryQuotaExceeded: there is no room even after cleanup (QUO-5).
            MemoryStorageError: the store or its audit log failed; nothing was written (REC-2).
        """
        return self._write(key, value, category, access_policy, retention_policy, None)

    def query_memory(self, filter: MemoryFilter | object | None = None) -> list[MemoryEntry]:
        """The readable entries that match, most recently updated first; complete or an error (INP-5).

        Raises:
            MemoryInvalidInput: the filter is not of its form, or the answer is over 4 MiB (INP-3, INP-5).
            MemoryAccessDenied: the gene has no v2 id (ACC-7).
            MemoryStorageError: the store failed.
        """
        return self._query(filter, None)

    def delete_memory(self, key: str) -> None:
        """Removes the entry; whoever may write it may delete it (ACC-6).

        Raises:
            MemoryNotFound: there is no such entry.
            MemoryAccessDenied: the write scope excludes the gene.
            MemoryInvalidInput: the key is none (INP-1).
            MemoryStorageError: the store or its audit log failed; nothing was deleted (REC-2).
        """
        self._delete(key, None)

    readMemory = read_memory
    writeMemory = write_memory
    queryMemory = query_memory
    deleteMemory = delete_memory

    def call_json(self, name: str, request: bytes, max_response_bytes: int | None = None) -> bytes:
        """One of the four calls, by the page's name, with JSON in and out (HST-5).

        Args:
            name: readMemory, writeMemory, queryMemory or deleteMemory.
            request: a JSON object in UTF-8; empty has no members.
            max_response_bytes: the most that the caller can take; None for any.

        Raises:
            ResponseTooLarge: the response would not fit, and nothing has happened (HST-7).
            AgentMemoryError: as the call itself; without a v2 id before the request is looked at.
        """
        response = b""

        def within_limit(result: Result) -> None:
            nonlocal response
            response = encode_result(result)
            if max_response_bytes is not None and len(response) > max_response_bytes:
                raise ResponseTooLarge("the response does not fit; nothing has happened")

        def encoded(result: Result) -> bytes:
            return encode_result(result) if fits is None else response

        fits = None if max_response_bytes is None else within_limit
        operation = _OPERATION_OF.get(name)
        if operation is None:
            raise MemoryInvalidInput("there is no memory call of that name")
        self._require_id(operation, None)
        members = parse_request(request)
        if operation is Operation.READ:
            key, category = take_members(members, ("key",), ("category",))
            if category is None:
                raise MemoryInvalidInput("the category is not text")
            return encoded(self._read(key, None if category is UNSET else category, fits))
        if operation is Operation.WRITE:
            key, value, category, access, retention = take_members(
                members, ("key", "value", "category"), ("accessPolicy", "retentionPolicy")
            )
            return encoded(self._write(key, decode_value(value), category, access, retention, fits))
        if operation is Operation.QUERY:
            return encoded(self._query(members, fits))
        (key,) = take_members(members, ("key",), ())
        self._delete(key, fits)
        return encoded(None)

    # The calls

    def _read(self, key: object, category: object, fits: Fits | None) -> MemoryEntry | None:
        self._require_id(_READ, key)
        key_size_bytes(key)
        category_stored = None if category is None else stored_category(category)
        engine = self._shell.engine
        now_us = self._shell.clock.now_us()
        next_expiry_us, entry, created_domain = self._find(key, now_us, engine.rows)
        outcome = read_outcome(self._caller, entry, created_domain, category_stored)
        if outcome is not _REFUSED and (
            engine.read_only or (outcome is not _TOUCH and not is_expired(next_expiry_us, now_us))
        ):
            result = None if outcome is _NOTHING else entry
            if fits is not None:
                fits(result)
            return result
        if self._shell.engine.read_only:
            raise MemoryAccessDenied("the read scope excludes the gene")
        return self._read_with_change(key, category_stored, fits)

    def _read_with_change(
        self, key: object, category_stored: int | None, fits: Fits | None
    ) -> MemoryEntry | None:
        """A read that leaves a trace, decided again on what is there once the lock is held."""
        with Change(self._shell, _READ, self._agent) as change:
            change.load()
            execute = change.connection.execute
            _, entry, created_domain = self._find(
                key, change.now_us, lambda sql, parameters: execute(sql, parameters).fetchall()
            )
            outcome = read_outcome(self._caller, entry, created_domain, category_stored)
            plan, result = NOTHING, None
            if outcome is _REFUSED:
                plan = plan_read_refusal(str(key), self._caller, self._agent)
            elif outcome is not _NOTHING and entry is not None:
                result = MemoryEntry._make(entry._replace(last_accessed_by=str(self._caller.gene_id)))
            if fits is not None and plan.refusal is None:
                fits(result)
            if outcome is _TOUCH:
                change.touch(str(key), str(self._caller.gene_id))
            self._commit(change, plan, removals_may_wait=True)
        self._raise_refusal(plan, change)
        return result

    def _find(
        self, key: object, now_us: int, rows: Callable[[str, tuple[object, ...]], list[Row]]
    ) -> tuple[int | None, MemoryEntry | None, str]:
        """The agent's next expiry, the live entry under the key, its creator's domain."""
        agent = self._agent
        found = rows(self._shell.engine.sql.load_entry, (key, agent.ref))
        if not found:
            raise MemoryStorageError("the agent is not in the store any more")
        row, owner = found[0], (agent.id,)
        next_expiry_us, expires_at_us, created_domain, stored_key = row[:4]
        if stored_key is None or is_expired(expires_at_us, now_us):
            return next_expiry_us, None, ""
        return next_expiry_us, entry_of_row(owner + row[3:]), created_domain

    def _write(
        self,
        key: object,
        value: object,
        category: object,
        access: object,
        retention: object,
        fits: Fits | None,
    ) -> MemoryEntry:
        self._require_id(_WRITE, key)
        request = write_request(key, value, category, access, retention)
        with Change(self._shell, _WRITE, self._agent) as change:
            head, existing = change.load(request.key)
            plan = plan_write(
                request,
                self._caller,
                existing,
                change.eviction_candidates(),
                self._agent,
                head,
                now_us=change.now_us,
            )
            if fits is not None and plan.refusal is None:
                fits(plan.puts[0].to_entry(self._agent.id))
            self._commit(change, plan)
        if plan.refusal is not None:
            self._raise_refusal(plan, change)
        return plan.puts[0].to_entry(self._agent.id)

    def _delete(self, key: object, fits: Fits | None) -> None:
        self._require_id(_DELETE, key)
        key_size_bytes(key)
        with Change(self._shell, _DELETE, self._agent) as change:
            head, existing = change.load(str(key))
            plan = plan_delete(str(key), self._caller, existing, self._agent, head)
            if fits is not None and plan.refusal is None:
                fits(None)
            self._commit(change, plan)
        self._raise_refusal(plan, change)

    def _query(self, filter: object, fits: Fits | None) -> list[MemoryEntry]:
        self._require_id(_QUERY, None)
        query = query_of(filter)
        now_us = self._shell.clock.now_us()
        ((next_expiry_us,),) = self._shell.engine.rows(
            self._shell.engine.sql.load_next_expiry, (self._agent.ref,)
        )
        entries = self._matching(query, now_us)
        if fits is not None and entries is not None:
            fits(entries)
        if is_expired(next_expiry_us, now_us) and not self._shell.engine.read_only:
            with Change(self._shell, _QUERY, self._agent) as change:
                change.load()
                change.commit(NOTHING, removals_may_wait=True)
        if entries is None:
            raise MemoryInvalidInput(
                f"the matching entries are larger than {MAX_QUERY_BYTES} bytes: "
                "lower the limit or narrow the filter"
            )
        return entries

    def _matching(self, query: Query, now_us: int) -> list[MemoryEntry] | None:
        """The live, readable, matching entries, newest first; None where they exceed 4 MiB (INP-5)."""
        sql, agent = self._shell.engine.sql, self._agent
        category = () if query.category_stored is None else (query.category_stored,)
        rest = (
            now_us,
            self._caller.domain,
            self._caller.gene_id,
            _FIRST_US if query.since_us is None else query.since_us,
            _LAST_US if query.until_us is None else query.until_us,
            query.limit,
        )
        if not query.key_prefix:
            statement = sql.query_category if category else sql.query_newest
            with self._shell.engine.reading() as execute:
                return _within_limit(agent.id, execute(statement, (agent.ref, *category, *rest)))
        with self._shell.engine.snapshot() as execute:
            statement = sql.query_prefix_category_refs if category else sql.query_prefix_refs
            span = (query.key_prefix, _after_prefix(query.key_prefix))
            newest = execute(statement, (agent.ref, *span, *category, *rest)).fetchall()
            if sum(size_bytes for _, size_bytes in newest) > MAX_QUERY_BYTES:
                return None
            refs = [ref for ref, _ in newest]
            rows = execute(sql.load_entries_by_ref, (json.dumps(refs),))
            found = {row[0]: entry_of_row((agent.id, *row[1:])) for row in rows}
            return [found[ref] for ref in refs]

    # What the calls share

    def _require_id(self, operation: Operation, key: object) -> None:
        """Refuses, and records, a gene without a v2 id before anything else is looked at (ACC-7)."""
        if self._caller.gene_id is not None:
            return
        if self._shell.engine.read_only:
            raise MemoryAccessDenied(NO_ID)
        plan = plan_no_id(self._caller.domain, _loggable(key), self._agent, operation)
        now_us, audit_seq = self._shell.clock.now_us(), None
        try:
            with Change(self._shell, operation, self._agent) as change:
                change.load_state()
                change.commit(plan)
            audit_seq = change.last_seq
        except MemoryStorageError:
            # a refusal is never turned into anything else (REC-4); its event goes without a seq
            audit_seq = None
        self._send_event(plan, audit_seq, now_us)
        raise MemoryAccessDenied(NO_ID)

    def _commit(self, change: Change, plan: Plan, *, removals_may_wait: bool = False) -> None:
        if not self._is_gene_saved:
            change.save_gene(self._gene)
        change.commit(plan, removals_may_wait=removals_may_wait)
        if change.is_committed:
            self._is_gene_saved = True

    def _raise_refusal(self, plan: Plan, change: Change) -> None:
        refusal = plan.refusal
        if refusal is None:
            return
        self._send_event(plan, change.last_seq, change.now_us)
        raise memory_error(refusal.code, refusal.reason)

    def _send_event(self, plan: Plan, audit_seq: int | None, now_us: int) -> None:
        """One telemetry event for a refused access, where the deployer lets it (REC-4)."""
        for event in plan.events:
            if event.action in _TELEMETRY_ACTIONS and is_enabled(os.environ):
                try:
                    append_event(self._shell.folder, event_line(event, format_us(now_us), audit_seq))
                except OSError:
                    # the refusal stands whether or not it can be told of (REC-4)
                    return


def _loggable(key: object) -> str | None:
    """The key for a refusal's line, where it is one that an entry can have."""
    try:
        key_size_bytes(key)
    except MemoryInvalidInput:
        return None
    return str(key)


def _within_limit(agent_id: str, rows: Iterable[Row]) -> list[MemoryEntry] | None:
    """The rows as entries; None once they exceed 4 MiB, without reading the rest (INP-5)."""
    owner, entries, total_bytes = (agent_id,), [], 0
    for row in rows:
        total_bytes += row[-1]
        if total_bytes > MAX_QUERY_BYTES:
            return None
        entries.append(entry_of_row(owner + row))
    return entries


def _after_prefix(prefix: str) -> str:
    """The least text that is greater than every text beginning with `prefix`, by code points (INP-3)."""
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return _AFTER_ALL_KEYS
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if following == 0xD800 else following)
