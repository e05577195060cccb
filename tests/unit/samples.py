"""Sample values of the core for the unit tests: one agent, its limits, entries and requests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rotifer_store import UNSET, AccessPolicy, DataPolicy, ErrorCode, MemoryCategory, Scope, SharePolicy
from rotifer_store.audit_line import AuditEvent
from rotifer_store.model import Agent, Caller, Counters, Head, Held, Leaving, WriteRequest, entry_id_of
from rotifer_store.plan import Plan, Refusal
from rotifer_store.quota import counters_after
from rotifer_store.tables import STORED_CATEGORY, STORED_SCOPE, STORED_SHARE_POLICY

AGENT_ID = "00000000-0000-4000-8000-000000000000"
OTHER_AGENT_ID = "00000000-0000-4000-8000-000000000001"
AGENT = Agent(
    AGENT_ID, "main", ("formatter",), {"type": "Single"}, 100, DataPolicy(), datetime(2026, 1, 1, tzinfo=UTC)
)
NOW_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
DAY_US = 24 * 60 * 60 * 1_000_000
HMAC_KEY = b"\x07" * 32

CREATOR = Caller("v2:" + "a1" * 32, "formatter")
SIBLING = Caller("v2:" + "b2" * 32, "formatter")
STRANGER = Caller("v2:" + "c3" * 32, "linter")

PRIVATE = (Scope.CREATOR_GENE_ONLY, Scope.CREATOR_GENE_ONLY, SharePolicy.PRIVATE)
DOMAIN = (Scope.SAME_DOMAIN, Scope.SAME_DOMAIN, SharePolicy.PRIVATE)
OPEN = (Scope.ALL_GENES, Scope.ALL_GENES, SharePolicy.PRIVATE)

Access = tuple[Scope, Scope, SharePolicy]
Retention = tuple[int | None, int | None, int | None]


def held(
    key: str = "k",
    value_bytes: int = 9,
    category: str = MemoryCategory.CONTEXT,
    access: Access = DOMAIN,
    retention: Retention = (None, None, None),
    **members: Any,
) -> Held:
    """A stored entry of CREATOR whose key and value count `len(key) + value_bytes`."""
    read, write, share = access
    entry = Held(
        ref=1,
        key=key,
        category_stored=STORED_CATEGORY[category],
        size_bytes=len(key.encode()) + value_bytes,
        created_by=str(CREATOR.gene_id),
        created_domain=CREATOR.domain,
        last_accessed_by=str(CREATOR.gene_id),
        created_at_us=NOW_US - 1000,
        updated_at_us=NOW_US - 500,
        read_scope_stored=STORED_SCOPE[read],
        write_scope_stored=STORED_SCOPE[write],
        share_policy_stored=STORED_SHARE_POLICY[share],
        own_days=retention[0],
        own_auto_delete=retention[1],
        own_anonymization=retention[2],
        value_hmac=bytes.fromhex("5a" * 32),
    )
    return entry._replace(**members)


def leaving(
    key: str = "k", value_bytes: int = 9, category: str = MemoryCategory.CONTEXT, ref: int = 1
) -> Leaving:
    """What is read of `held(key, value_bytes, category)` where it is to go."""
    entry = held(key, value_bytes, category, ref=ref)
    return Leaving(entry.ref, entry.key, entry.category_stored, entry.size_bytes, entry.value_hmac)


def request(
    key: str = "k",
    value: bytes = b"v" * 9,
    category: str = MemoryCategory.CONTEXT,
    access: AccessPolicy | object = UNSET,
    retention: object = UNSET,
) -> WriteRequest:
    """A write whose arguments have been checked."""
    return WriteRequest(
        key,
        value,
        len(key.encode()) + len(value),
        STORED_CATEGORY[category],
        access,  # type: ignore[arg-type]
        retention,  # type: ignore[arg-type]
    )


def head(*entries: Held | Leaving, quota_bytes: int = 100, **members: Any) -> Head:
    """The limits and counters of an agent that holds `entries`."""
    counters = counters_after(
        Counters(), (), [(entry.category_stored, entry.size_bytes) for entry in entries]
    )
    return Head(quota_bytes, None, 0, NOW_US - 500, HMAC_KEY, None, counters)._replace(**members)


def told(event: AuditEvent) -> dict[str, object]:
    """The members that apply; AGENT's own go without saying."""
    members = {name: value for name, value in event._asdict().items() if value is not None}
    assert (members.pop("agent_id"), members.pop("agent")) == (AGENT_ID, "main")
    return members


def about(key: str, value_bytes: int = 9, category: str = "CONTEXT") -> dict[str, object]:
    """What every line of `held(key, value_bytes, category)` says of the entry."""
    return {
        "key": key,
        "category": category,
        "entry_id": entry_id_of(AGENT_ID, key),
        "bytes": value_bytes,
        "value_hmac": "5a" * 32,
    }


def refused(plan: Plan, code: ErrorCode, reason: str) -> AuditEvent:
    """The one line of a plan that refuses and changes nothing."""
    assert plan.refusal == Refusal(code, reason)
    assert (plan.counters, plan.removed, plan.puts) == (None, (), ())
    (event,) = plan.events
    assert (event.code, event.reason) == (code, reason)
    return event
