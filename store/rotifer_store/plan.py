"""What a change will do, decided before anything is done.

Theory of operation. The shell holds the lock, has loaded the agent (`Head`) and the entry under the key
(`Held`, never its value) and asks here. The answer is a plan: the audit events in the order of their lines,
the rows to remove, the row to put, the counters afterwards, or a refusal. The shell appends the lines,
applies the plan and commits; it decides nothing. What has expired is planned first (`plan_expiry`) and the
rest is planned on what remains, so every rule sees only live entries (POL-5).

Order of checks (ACC-8): caller, input and expiry come before this module; here: existence, scope, policy
change, data policy, quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, NamedTuple

from rotifer_store.access import NO_ID, READ_SCOPE, admits, policy_refusal, write_refusal
from rotifer_store.audit_line import AuditEvent, value_hmac
from rotifer_store.model import (
    DEFAULT_ACCESS_POLICY,
    UNSET,
    Agent,
    Caller,
    Counters,
    Head,
    Held,
    Leaving,
    MemoryEntry,
    WriteRequest,
    entry_id_of,
    stored_access,
    stored_retention,
)
from rotifer_store.quota import counters_after, room_for
from rotifer_store.retention import MAX_STORED_US, effective_days, stored_expiry_us
from rotifer_store.tables import CATEGORY_OF, Actor, AuditAction, ErrorCode, Operation

_DEFAULT_ACCESS = stored_access(DEFAULT_ACCESS_POLICY)
_CREATED = (AuditAction.MEMORY_WRITE, Actor.GENE, Operation.WRITE)
_UPDATED = (AuditAction.MEMORY_UPDATE, Actor.GENE, Operation.WRITE)
_EVICTED = (AuditAction.MEMORY_EVICT, Actor.SYSTEM, Operation.WRITE)
"""Who does what in which call; looked up once, for in Python 3.11 a member of an Enum costs a call."""
NEVER_US: Final = -MAX_STORED_US
"""The order instant of an agent that nothing was ever written to (ENT-7)."""
NO_ENTRY = "there is no entry of that key"
NO_ROOM = "the write does not fit into the quota, whatever is cleaned up"


class Refusal(NamedTuple):
    """Why a call is refused; the shell raises it once its line is written."""

    code: ErrorCode
    reason: str


class Put(NamedTuple):
    """A row to write: new where `ref` is None, else in place of that row. The shell adds its `seq`."""

    ref: int | None
    key: str
    category_stored: int
    size_bytes: int
    created_by: str
    created_domain: str
    last_accessed_by: str
    created_at_us: int
    updated_at_us: int
    order_us: int
    expires_at_us: int | None
    read_scope_stored: int
    write_scope_stored: int
    share_policy_stored: int
    own_days: int | None
    own_auto_delete: int | None
    own_anonymization: int | None
    value_hmac: bytes
    value: bytes

    def to_entry(self, agent_id: str) -> MemoryEntry:
        """The entry that a write returns."""
        return MemoryEntry(
            agent_id,
            self.key,
            self.category_stored,
            self.value,
            self.created_by,
            self.last_accessed_by,
            self.created_at_us,
            self.updated_at_us,
            self.read_scope_stored,
            self.write_scope_stored,
            self.share_policy_stored,
            self.own_days,
            self.own_auto_delete,
            self.own_anonymization,
            self.size_bytes,
        )

    def __repr__(self) -> str:
        return f"Put(key={self.key!r}, {self.size_bytes} bytes)"


class Plan(NamedTuple):
    """The whole of a change. `counters` and `order_us` are the agent's afterwards; None: as they were."""

    events: Sequence[AuditEvent] = ()
    counters: Counters | None = None
    order_us: int = 0
    removed: Sequence[Held | Leaving] = ()
    puts: Sequence[Put] = ()
    refusal: Refusal | None = None


def plan_expiry(expired: Sequence[Leaving], agent: Agent, head: Head, operation: Operation) -> Plan:
    """Removes what has expired, one line each in order of update; no gene did it (POL-6)."""
    return Plan(
        [entry_gone(AuditAction.MEMORY_EXPIRE, Actor.SYSTEM, operation, entry, agent) for entry in expired],
        counters_after(head.counters, expired),
        head.order_us,
        removed=expired,
    )


class ReadOutcome(Enum):
    """What a read comes to."""

    NOTHING = "null"
    ENTRY = "the entry, which this gene was the last to use"
    TOUCH = "the entry, and lastAccessedBy moves"
    REFUSED = "refused"


_NOTHING, _ENTRY, _TOUCH, _REFUSED = ReadOutcome


def read_outcome(
    caller: Caller, entry: MemoryEntry | None, created_domain: str, category_stored: int | None
) -> ReadOutcome:
    """Access is looked at first; then an entry of another category gives null (ACC-9, ENT-4)."""
    if entry is None:
        return _NOTHING
    if not admits(entry.read_scope_stored, caller, entry.created_by, created_domain):
        return _REFUSED
    if category_stored is not None and entry.category_stored != category_stored:
        return _NOTHING
    return _ENTRY if entry.last_accessed_by == caller.gene_id else _TOUCH


NOTHING: Final = Plan()
"""No change of its own: what has expired goes all the same."""


def plan_read_refusal(key: str, caller: Caller, agent: Agent) -> Plan:
    """A read by a gene that the read scope excludes (ACC-4)."""
    return _refused(caller, key, agent, Operation.READ, READ_SCOPE)


def plan_no_id(domain: str, key: str | None, agent: Agent, operation: Operation) -> Plan:
    """A call by a gene that has no v2 id (ACC-7)."""
    return _refused(Caller(None, domain), key, agent, operation, NO_ID)


def plan_write(
    request: WriteRequest,
    caller: Caller,
    existing: Held | None,
    candidates: Iterable[Leaving],
    agent: Agent,
    head: Head,
    *,
    now_us: int,
) -> Plan:
    """The write, with what must be evicted for it, or its refusal.

    Args:
        request: the checked arguments.
        caller: has a v2 id.
        existing: the live entry under the key.
        candidates: evictable entries in eviction order, read only where room is needed (QUO-4).
        agent: whose memory it is.
        head: the agent's limits and counters without what has expired.
        now_us: the clock's reading.
    """
    reason = write_refusal(caller, existing) if existing is not None else None
    if reason is None:
        reason = policy_refusal(request, caller, existing, head)
    if reason is not None:
        return _refused(caller, request.key, agent, Operation.WRITE, reason)
    evicted = room_for(request.size_bytes, existing, candidates, head)
    if evicted is None:
        return _no_room(request, caller, agent)
    put = _put(request, caller, existing, head, now_us)
    events = [entry_gone(*_EVICTED, entry, agent, caller) for entry in evicted]
    events.append(_written(put, caller, existing, agent))
    gone: Sequence[Held | Leaving] = evicted if existing is None else (*evicted, existing)
    after = counters_after(head.counters, gone, ((put.category_stored, put.size_bytes),))
    return Plan(events, after, put.order_us, evicted, (put,))


def plan_delete(key: str, caller: Caller, existing: Held | None, agent: Agent, head: Head) -> Plan:
    """A gene's delete: needs the write scope; a missing entry adds no line (ACC-6, ERR)."""
    if existing is None:
        return Plan(refusal=Refusal(ErrorCode.MEMORY_NOT_FOUND, NO_ENTRY))
    reason = write_refusal(caller, existing)
    if reason is not None:
        return _refused(caller, key, agent, Operation.DELETE, reason)
    return Plan(
        [entry_gone(AuditAction.MEMORY_DELETE, Actor.GENE, Operation.DELETE, existing, agent, caller)],
        counters_after(head.counters, (existing,)),
        head.order_us,
        removed=(existing,),
    )


def _put(request: WriteRequest, caller: Caller, existing: Held | None, head: Head, now_us: int) -> Put:
    gene_id = caller.gene_id
    if gene_id is None:
        raise ValueError("a write is planned for a gene with a v2 id")
    key, value, size_bytes, category_stored, access, retention = request
    scopes: tuple[int, int, int] = _DEFAULT_ACCESS
    own: tuple[int | None, int | None, int | None] = (None, None, None)
    if existing is None:
        ref, created_by, created_domain, created_at_us = None, gene_id, caller.domain, now_us
    else:
        ref, created_by, created_domain = existing.ref, existing.created_by, existing.created_domain
        created_at_us = existing.created_at_us
        scopes = (existing.read_scope_stored, existing.write_scope_stored, existing.share_policy_stored)
        own = (existing.own_days, existing.own_auto_delete, existing.own_anonymization)
    if access is not UNSET:
        scopes = stored_access(access)
    if retention is not UNSET:
        own = stored_retention(retention)
    updated_at_us = now_us if now_us > created_at_us else created_at_us
    return Put(
        ref,
        key,
        category_stored,
        size_bytes,
        created_by,
        created_domain,
        gene_id,
        created_at_us,
        updated_at_us,
        head.order_us if head.order_us > updated_at_us else updated_at_us,
        stored_expiry_us(updated_at_us, effective_days(own[0], own[1], head.days)),
        *scopes,
        *own,
        value_hmac(head.hmac_key, value),
        value,
    )


def _written(put: Put, caller: Caller, existing: Held | None, agent: Agent) -> AuditEvent:
    action, actor, operation = _CREATED if existing is None else _UPDATED
    key, category_stored = put.key, put.category_stored
    changed = existing is not None and existing.category_stored != category_stored
    return AuditEvent(
        action,
        actor,
        operation,
        agent.id,
        agent.name,
        caller.gene_id,
        caller.domain,
        key,
        CATEGORY_OF[category_stored],
        CATEGORY_OF[existing.category_stored] if existing is not None and changed else None,
        entry_id_of(agent.id, key),
        len(put.value),
        put.value_hmac.hex(),
    )


def entry_gone(
    action: AuditAction,
    actor: Actor,
    operation: Operation,
    entry: Held | Leaving,
    agent: Agent,
    caller: Caller | None = None,
) -> AuditEvent:
    """The line of an entry that goes; its bytes and hmac are the value's (REC)."""
    key, agent_id = entry.key, agent.id
    gene_id, domain = (None, None) if caller is None else caller
    return AuditEvent(
        action,
        actor,
        operation,
        agent_id,
        agent.name,
        gene_id,
        domain,
        key,
        CATEGORY_OF[entry.category_stored],
        None,
        entry_id_of(agent_id, key),
        entry.size_bytes - len(key.encode()),
        entry.value_hmac.hex(),
    )


def _refused(caller: Caller, key: str | None, agent: Agent, operation: Operation, reason: str) -> Plan:
    """A refused access and its line: no bytes, no hmac (REC-4)."""
    event = AuditEvent(
        AuditAction.MEMORY_ACCESS_DENIED,
        Actor.GENE,
        operation,
        agent.id,
        agent.name,
        caller.gene_id,
        caller.domain,
        key,
        entry_id=None if key is None else entry_id_of(agent.id, key),
        code=ErrorCode.MEMORY_ACCESS_DENIED,
        reason=reason,
    )
    return Plan([event], refusal=Refusal(ErrorCode.MEMORY_ACCESS_DENIED, reason))


def _no_room(request: WriteRequest, caller: Caller, agent: Agent) -> Plan:
    """The line of a refusal for space: the attempted value's bytes, no hmac (QUO-5)."""
    event = AuditEvent(
        AuditAction.MEMORY_QUOTA_REFUSED,
        Actor.GENE,
        Operation.WRITE,
        agent.id,
        agent.name,
        caller.gene_id,
        caller.domain,
        request.key,
        CATEGORY_OF[request.category_stored],
        entry_id=entry_id_of(agent.id, request.key),
        bytes=len(request.value),
        code=ErrorCode.MEMORY_QUOTA_EXCEEDED,
        reason=NO_ROOM,
    )
    return Plan([event], refusal=Refusal(ErrorCode.MEMORY_QUOTA_EXCEEDED, NO_ROOM))
