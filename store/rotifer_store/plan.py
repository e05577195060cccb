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

import hmac
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from rotifer_store.access import (
    NO_ID,
    READ_SCOPE,
    admits,
    days_refusal,
    policy_refusal,
    share_refusal,
    write_refusal,
)
from rotifer_store.audit_line import AuditEvent
from rotifer_store.model import (
    UNSET,
    Agent,
    Caller,
    Counters,
    Head,
    Held,
    MemoryEntry,
    RetentionPolicy,
    WriteRequest,
    entry_id_of,
)
from rotifer_store.quota import can_make_room, counters_after, shortfall_bytes, victims
from rotifer_store.retention import MAX_STORED_US, effective_days, stored_expiry_us
from rotifer_store.tables import (
    CATEGORY_OF,
    SHARE_POLICY_OF,
    STORED_SCOPE,
    STORED_SHARE_POLICY,
    Actor,
    AuditAction,
    ErrorCode,
    Operation,
    Scope,
    SharePolicy,
)

_DEFAULT_ACCESS = (
    STORED_SCOPE[Scope.SAME_DOMAIN],
    STORED_SCOPE[Scope.SAME_DOMAIN],
    STORED_SHARE_POLICY[SharePolicy.PRIVATE],
)
NEVER_US: Final = -MAX_STORED_US
"""The order instant of an agent that nothing was ever written to (ENT-7)."""
NO_ENTRY = "there is no entry of that key"
PRIVATE_STAYS = "another agent's entries stay inside it; the deployer can copy them on purpose"
NO_ROOM_TO_IMPORT = "the entries do not fit into the quota; nothing is cleaned up for an import"
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
    removed: Sequence[Held] = ()
    puts: Sequence[Put] = ()
    refusal: Refusal | None = None


def plan_expiry(expired: Sequence[Held], agent: Agent, head: Head, operation: Operation) -> Plan:
    """Removes what has expired, one line each in order of update; no gene did it (POL-6)."""
    return Plan(
        [
            _about(entry, agent, operation, action=AuditAction.MEMORY_EXPIRE, actor=Actor.SYSTEM)
            for entry in expired
        ],
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


def read_outcome(
    caller: Caller, entry: MemoryEntry | None, created_domain: str, category_stored: int | None
) -> ReadOutcome:
    """Access is looked at first; then an entry of another category gives null (ACC-9, ENT-4)."""
    if entry is None:
        return ReadOutcome.NOTHING
    if not admits(entry.read_scope_stored, caller, entry.created_by, created_domain):
        return ReadOutcome.REFUSED
    if category_stored is not None and entry.category_stored != category_stored:
        return ReadOutcome.NOTHING
    return ReadOutcome.ENTRY if entry.last_accessed_by == caller.gene_id else ReadOutcome.TOUCH


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
    candidates: Iterable[Held],
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
    needed_bytes = shortfall_bytes(request.size_bytes, existing, head)
    evicted: Sequence[Held] = ()
    if needed_bytes > 0:
        if not can_make_room(needed_bytes, existing, head):
            return _no_room(request, caller, agent)
        evicted = victims(candidates, needed_bytes, existing)
    put = _put(request, caller, existing, head, now_us)
    gone = evicted if existing is None else [*evicted, existing]
    return Plan(
        [
            *(
                _about(
                    entry,
                    agent,
                    Operation.WRITE,
                    action=AuditAction.MEMORY_EVICT,
                    actor=Actor.SYSTEM,
                    caller=caller,
                )
                for entry in evicted
            ),
            _written(put, caller, existing, agent),
        ],
        counters_after(head.counters, gone, ((put.category_stored, put.size_bytes),)),
        put.order_us,
        removed=evicted,
        puts=(put,),
    )


def plan_delete(key: str, caller: Caller, existing: Held | None, agent: Agent, head: Head) -> Plan:
    """A gene's delete: needs the write scope; a missing entry adds no line (ACC-6, ERR)."""
    if existing is None:
        return Plan(refusal=Refusal(ErrorCode.MEMORY_NOT_FOUND, NO_ENTRY))
    reason = write_refusal(caller, existing)
    if reason is not None:
        return _refused(caller, key, agent, Operation.DELETE, reason)
    return Plan(
        [
            _about(
                existing,
                agent,
                Operation.DELETE,
                action=AuditAction.MEMORY_DELETE,
                actor=Actor.GENE,
                caller=caller,
            )
        ],
        counters_after(head.counters, (existing,)),
        head.order_us,
        removed=(existing,),
    )


def plan_deployer_delete(entries: Sequence[Held], agent: Agent, head: Head) -> Plan:
    """The deployer's delete of entries, whatever their policies say (AGT-4, REC-8)."""
    return Plan(
        [
            _about(entry, agent, Operation.DELETE, action=AuditAction.MEMORY_DELETE, actor=Actor.DEPLOYER)
            for entry in entries
        ],
        counters_after(head.counters, entries),
        head.order_us,
        removed=entries,
    )


def plan_import(
    puts: Sequence[Put], agent: Agent, head: Head, source_id: str, source_name: str, *, copy_private: bool
) -> Plan:
    """Entries that come into an agent that stands, or the one refusal of them all (AGT-6).

    An agent's own entries always fit its policies; another's need the deployer's word (every entry is
    PRIVATE to its agent or shared in ways that no import is), must fit, and say where they came from.
    """
    source = None if source_id == agent.id else f"copied from agent {source_name} ({source_id})"
    if source is not None:
        if not copy_private:
            return _import_refused(
                agent,
                AuditAction.MEMORY_ACCESS_DENIED,
                Refusal(ErrorCode.MEMORY_ACCESS_DENIED, PRIVATE_STAYS),
            )
        for put in puts:
            reason = share_refusal(SHARE_POLICY_OF[put.share_policy_stored], head)
            if reason is None and put.own_auto_delete is not None:
                reason = days_refusal(put.own_days, head)
            if reason is not None:
                return _import_refused(
                    agent,
                    AuditAction.MEMORY_ACCESS_DENIED,
                    Refusal(ErrorCode.MEMORY_ACCESS_DENIED, reason),
                )
    if head.counters.used_bytes + sum(put.size_bytes for put in puts) > head.quota_bytes:
        return _import_refused(
            agent,
            AuditAction.MEMORY_QUOTA_REFUSED,
            Refusal(ErrorCode.MEMORY_QUOTA_EXCEEDED, NO_ROOM_TO_IMPORT),
        )
    return Plan(
        [_imported(put, agent.id, agent.name, source) for put in puts],
        counters_after(head.counters, (), ((put.category_stored, put.size_bytes) for put in puts)),
        max((head.order_us, *(put.order_us for put in puts))),
        puts=puts,
    )


def plan_agent_import(puts: Sequence[Put], agent_id: str, name: str) -> Plan:
    """An agent that comes with its entries; it brings its quota and policies, so all fit (AGT-6)."""
    return Plan(
        [
            agent_event(AuditAction.AGENT_CREATE, Operation.IMPORT, agent_id, name),
            *(_imported(put, agent_id, name, None) for put in puts),
        ],
        counters_after(Counters(), (), ((put.category_stored, put.size_bytes) for put in puts)),
        max((NEVER_US, *(put.order_us for put in puts))),
        puts=puts,
    )


def plan_checkpoint(closed_name: str) -> Plan:
    """The first line of a log that goes on after rotation, from which a replay can start (REC-9)."""
    event = AuditEvent(
        AuditAction.AUDIT_CHECKPOINT,
        Actor.DEPLOYER,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        Operation.ROTATE,
        None,
        f"continues {closed_name}",
    )
    return Plan([event])


def agent_event(
    action: AuditAction, operation: Operation, agent_id: str, name: str, reason: str | None = None
) -> AuditEvent:
    """The line of something that the deployer did to an agent as a whole."""
    return AuditEvent(
        action,
        Actor.DEPLOYER,
        agent_id,
        name,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        operation,
        None,
        reason,
    )


def _import_refused(agent: Agent, action: AuditAction, refusal: Refusal) -> Plan:
    event = agent_event(action, Operation.IMPORT, agent.id, agent.name, refusal.reason)
    return Plan([event._replace(code=refusal.code)], refusal=refusal)


def _imported(put: Put, agent_id: str, name: str, source: str | None) -> AuditEvent:
    return AuditEvent(
        AuditAction.MEMORY_IMPORT,
        Actor.DEPLOYER,
        agent_id,
        name,
        None,
        None,
        put.key,
        CATEGORY_OF[put.category_stored],
        None,
        entry_id_of(agent_id, put.key),
        len(put.value),
        put.value_hmac.hex(),
        Operation.IMPORT,
        None,
        source,
    )


def stored_retention(retention: RetentionPolicy | None) -> tuple[int | None, int | None, int | None]:
    """The three columns that a retention policy is stored in; all null follows the agent (POL-4)."""
    if retention is None:
        return None, None, None
    return (
        retention.max_retention_days,
        int(retention.auto_delete_on_termination),
        int(retention.anonymization_supported),
    )


def _put(request: WriteRequest, caller: Caller, existing: Held | None, head: Head, now_us: int) -> Put:
    gene_id = caller.gene_id
    if gene_id is None:
        raise ValueError("a write is planned for a gene with a v2 id")
    key, value, size_bytes, category_stored, access, retention = request
    if access is not UNSET:
        scopes = (
            STORED_SCOPE[access.read_scope],
            STORED_SCOPE[access.write_scope],
            STORED_SHARE_POLICY[access.share_policy],
        )
    elif existing is not None:
        scopes = (existing.read_scope_stored, existing.write_scope_stored, existing.share_policy_stored)
    else:
        scopes = _DEFAULT_ACCESS
    own: tuple[int | None, int | None, int | None] = (None, None, None)
    if retention is UNSET:
        if existing is not None:
            own = (existing.own_days, existing.own_auto_delete, existing.own_anonymization)
    else:
        own = stored_retention(retention)
    if existing is None:
        ref, created_by, created_domain, created_at_us = None, gene_id, caller.domain, now_us
    else:
        ref, created_by, created_domain = existing.ref, existing.created_by, existing.created_domain
        created_at_us = existing.created_at_us
    updated_at_us = max(now_us, created_at_us)
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
        max(updated_at_us, head.order_us),
        stored_expiry_us(updated_at_us, effective_days(own[0], own[1], head.days)),
        *scopes,
        *own,
        value_hmac(head.hmac_key, value),
        value,
    )


def value_hmac(key: bytes, value: bytes) -> bytes:
    """What the log says of a value: a bare hash of a short one would give it away (REC-1)."""
    keyed = _keyed(key).copy()
    keyed.update(value)
    return keyed.digest()


@lru_cache(maxsize=64)
def _keyed(key: bytes) -> hmac.HMAC:
    """An agent's HMAC before any value: setting one up costs as much as hashing a kilobyte."""
    return hmac.new(key, digestmod="sha256")


def _written(put: Put, caller: Caller, existing: Held | None, agent: Agent) -> AuditEvent:
    changed = existing is not None and existing.category_stored != put.category_stored
    return AuditEvent(
        AuditAction.MEMORY_WRITE if existing is None else AuditAction.MEMORY_UPDATE,
        Actor.GENE,
        agent.id,
        agent.name,
        caller.gene_id,
        caller.domain,
        put.key,
        CATEGORY_OF[put.category_stored],
        CATEGORY_OF[existing.category_stored] if existing is not None and changed else None,
        entry_id_of(agent.id, put.key),
        len(put.value),
        put.value_hmac.hex(),
        Operation.WRITE,
        None,
        None,
    )


def _about(
    entry: Held,
    agent: Agent,
    operation: Operation,
    *,
    action: AuditAction,
    actor: Actor,
    caller: Caller | None = None,
) -> AuditEvent:
    """The line of an entry that goes; its bytes and hmac are the value's (REC)."""
    return AuditEvent(
        action,
        actor,
        agent.id,
        agent.name,
        caller.gene_id if caller is not None else None,
        caller.domain if caller is not None else None,
        entry.key,
        CATEGORY_OF[entry.category_stored],
        None,
        entry_id_of(agent.id, entry.key),
        entry.size_bytes - len(entry.key.encode()),
        entry.value_hmac.hex(),
        operation,
        None,
        None,
    )


def _refused(caller: Caller, key: str | None, agent: Agent, operation: Operation, reason: str) -> Plan:
    """A refused access and its line: no bytes, no hmac (REC-4)."""
    event = AuditEvent(
        AuditAction.MEMORY_ACCESS_DENIED,
        Actor.GENE,
        agent.id,
        agent.name,
        caller.gene_id,
        caller.domain,
        key,
        None,
        None,
        None if key is None else entry_id_of(agent.id, key),
        None,
        None,
        operation,
        ErrorCode.MEMORY_ACCESS_DENIED,
        reason,
    )
    return Plan([event], refusal=Refusal(ErrorCode.MEMORY_ACCESS_DENIED, reason))


def _no_room(request: WriteRequest, caller: Caller, agent: Agent) -> Plan:
    """The line of a refusal for space: the attempted value's bytes, no hmac (QUO-5)."""
    return Plan(
        [
            AuditEvent(
                AuditAction.MEMORY_QUOTA_REFUSED,
                Actor.GENE,
                agent.id,
                agent.name,
                caller.gene_id,
                caller.domain,
                request.key,
                CATEGORY_OF[request.category_stored],
                None,
                entry_id_of(agent.id, request.key),
                len(request.value),
                None,
                Operation.WRITE,
                ErrorCode.MEMORY_QUOTA_EXCEEDED,
                NO_ROOM,
            )
        ],
        refusal=Refusal(ErrorCode.MEMORY_QUOTA_EXCEEDED, NO_ROOM),
    )
