"""What the deployer's changes will do: deletions, imports, what concerns an agent or the log as a whole.

Pure, as `plan` is, and of the same plans. The deployer owns the agent, so scopes do not count here; quota and
data policy do, where another agent's entries come in (AGT-4, AGT-6).
"""

from __future__ import annotations

from collections.abc import Sequence

from rotifer_store.access import days_refusal, share_refusal
from rotifer_store.audit_line import AuditEvent
from rotifer_store.model import Agent, Counters, Head, Leaving, entry_id_of
from rotifer_store.plan import NEVER_US, Plan, Put, Refusal, entry_gone
from rotifer_store.quota import counters_after
from rotifer_store.tables import (
    CATEGORY_OF,
    SHARE_POLICY_OF,
    Actor,
    AuditAction,
    ErrorCode,
    Operation,
)

PRIVATE_STAYS = "another agent's entries stay inside it; the deployer can copy them on purpose"
NO_ROOM_TO_IMPORT = "the entries do not fit into the quota; nothing is cleaned up for an import"


def plan_deployer_delete(entries: Sequence[Leaving], agent: Agent, head: Head) -> Plan:
    """The deployer's delete of entries, whatever their policies say (AGT-4, REC-8)."""
    return Plan(
        [
            entry_gone(AuditAction.MEMORY_DELETE, Actor.DEPLOYER, Operation.DELETE, entry, agent)
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
        AuditAction.AUDIT_CHECKPOINT, Actor.DEPLOYER, Operation.ROTATE, reason=f"continues {closed_name}"
    )
    return Plan([event])


def agent_event(
    action: AuditAction, operation: Operation, agent_id: str, name: str, reason: str | None = None
) -> AuditEvent:
    """The line of something that the deployer did to an agent as a whole."""
    return AuditEvent(action, Actor.DEPLOYER, operation, agent_id, name, reason=reason)


def _import_refused(agent: Agent, action: AuditAction, refusal: Refusal) -> Plan:
    event = agent_event(action, Operation.IMPORT, agent.id, agent.name, refusal.reason)
    return Plan([event._replace(code=refusal.code)], refusal=refusal)


def _imported(put: Put, agent_id: str, name: str, source: str | None) -> AuditEvent:
    return AuditEvent(
        AuditAction.MEMORY_IMPORT,
        Actor.DEPLOYER,
        Operation.IMPORT,
        agent_id,
        name,
        key=put.key,
        category=CATEGORY_OF[put.category_stored],
        entry_id=entry_id_of(agent_id, put.key),
        bytes=len(put.value),
        value_hmac=put.value_hmac.hex(),
        reason=source,
    )
