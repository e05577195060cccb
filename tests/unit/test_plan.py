"""Planning: what each call comes to before anything is done: events, rows, counters, or a refusal."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rotifer_store import AccessPolicy, ErrorCode, MemoryCategory, RetentionPolicy, Scope, SharePolicy
from rotifer_store.access import (
    KEPT_TOO_LONG,
    NO_ANONYMIZATION,
    NO_ID,
    NOT_THE_CREATOR,
    READ_SCOPE,
    UNGRANTABLE_SCOPE,
    WRITE_SCOPE,
)
from rotifer_store.model import Caller, Counters, Head, Held, Leaving, MemoryEntry, WriteRequest, entry_id_of
from rotifer_store.plan import (
    NEVER_US,
    NO_ENTRY,
    NO_ROOM,
    NOTHING,
    Plan,
    ReadOutcome,
    Refusal,
    plan_delete,
    plan_expiry,
    plan_no_id,
    plan_read_refusal,
    plan_write,
    read_outcome,
)
from rotifer_store.retention import MAX_STORED_US
from rotifer_store.tables import STORED_CATEGORY, Operation
from unit.samples import (
    AGENT,
    AGENT_ID,
    CREATOR,
    DAY_US,
    DOMAIN,
    HMAC_KEY,
    NOW_US,
    OPEN,
    PRIVATE,
    SIBLING,
    STRANGER,
    about,
    head,
    held,
    leaving,
    refused,
    request,
    told,
)

GENES = [CREATOR, SIBLING, STRANGER]
NEW_ENTRY = {"access": PRIVATE, "retention": (30, 1, 0)}


def write(
    request: WriteRequest,
    caller: Caller = CREATOR,
    existing: Held | None = None,
    candidates: Sequence[Leaving] = (),
    limits: Head | None = None,
    now_us: int = NOW_US,
) -> Plan:
    """A plan for AGENT, whose head counts what is given."""
    if limits is None:
        limits = head(*(entry for entry in (existing, *candidates) if entry is not None))
    return plan_write(request, caller, existing, candidates, AGENT, limits, now_us=now_us)


# Reading


def entry(**members: Any) -> MemoryEntry:
    stored = held(**members)
    return MemoryEntry(
        AGENT_ID,
        stored.key,
        stored.category_stored,
        b"v" * 9,
        stored.created_by,
        stored.last_accessed_by,
        stored.created_at_us,
        stored.updated_at_us,
        *stored[9:15],
        stored.size_bytes,
    )


@pytest.mark.parametrize("category", [None, "CONTEXT", "CACHE"])
@pytest.mark.parametrize("caller", GENES)
def test_a_read_of_what_is_not_there_comes_to_nothing(caller: Caller, category: str | None) -> None:
    """ACC-9."""
    assert read_outcome(caller, None, "", stored(category)) is ReadOutcome.NOTHING


def stored(category: str | None) -> int | None:
    return None if category is None else STORED_CATEGORY[category]


@pytest.mark.parametrize(
    ("access", "caller", "last", "category", "outcome"),
    [
        (DOMAIN, CREATOR, CREATOR, None, ReadOutcome.ENTRY),
        (DOMAIN, CREATOR, SIBLING, None, ReadOutcome.TOUCH),
        (DOMAIN, SIBLING, CREATOR, None, ReadOutcome.TOUCH),
        (DOMAIN, SIBLING, SIBLING, "CONTEXT", ReadOutcome.ENTRY),
        (DOMAIN, SIBLING, CREATOR, "CACHE", ReadOutcome.NOTHING),
        (DOMAIN, STRANGER, CREATOR, None, ReadOutcome.REFUSED),
        (DOMAIN, STRANGER, CREATOR, "CONTEXT", ReadOutcome.REFUSED),
        (DOMAIN, STRANGER, CREATOR, "CACHE", ReadOutcome.REFUSED),
        (PRIVATE, CREATOR, CREATOR, "CONTEXT", ReadOutcome.ENTRY),
        (PRIVATE, SIBLING, CREATOR, None, ReadOutcome.REFUSED),
        (OPEN, STRANGER, CREATOR, None, ReadOutcome.TOUCH),
        (OPEN, STRANGER, STRANGER, None, ReadOutcome.ENTRY),
        (OPEN, STRANGER, CREATOR, "PREFERENCE", ReadOutcome.NOTHING),
        (OPEN, Caller(None, "formatter"), CREATOR, None, ReadOutcome.REFUSED),
    ],
)
def test_access_is_looked_at_before_the_category(
    access: Any, caller: Caller, last: Caller, category: str | None, outcome: ReadOutcome
) -> None:
    """ACC-9, ENT-4."""
    found = entry(access=access, last_accessed_by=str(last.gene_id))
    assert read_outcome(caller, found, CREATOR.domain, stored(category)) is outcome


def test_a_read_asks_the_read_scope_alone() -> None:
    """ACC-2."""
    for read, outcome in ((Scope.ALL_GENES, ReadOutcome.TOUCH), (Scope.SAME_DOMAIN, ReadOutcome.REFUSED)):
        found = entry(access=(read, Scope.CREATOR_GENE_ONLY, SharePolicy.PRIVATE))
        assert read_outcome(STRANGER, found, CREATOR.domain, None) is outcome


def test_a_refused_read_is_one_line() -> None:
    """ACC-4, ACC-10, REC-4: without the value's size or hmac, or the entry's category."""
    plan = plan_read_refusal("k", STRANGER, AGENT)
    assert told(refused(plan, ErrorCode.MEMORY_ACCESS_DENIED, READ_SCOPE)) == {
        "action": "memory_access_denied",
        "actor": "gene",
        "gene_id": STRANGER.gene_id,
        "gene_domain": "linter",
        "key": "k",
        "entry_id": entry_id_of(AGENT_ID, "k"),
        "operation": "read",
        "code": "MEMORY_ACCESS_DENIED",
        "reason": READ_SCOPE,
    }


@pytest.mark.parametrize("operation", [Operation.READ, Operation.WRITE, Operation.QUERY, Operation.DELETE])
@pytest.mark.parametrize("key", ["k", None])
def test_a_gene_without_an_id_is_recorded_as_none(operation: Operation, key: str | None) -> None:
    """ACC-7, ACC-10."""
    plan = plan_no_id("formatter", key, AGENT, operation)
    about_key = {} if key is None else {"key": key, "entry_id": entry_id_of(AGENT_ID, key)}
    assert told(refused(plan, ErrorCode.MEMORY_ACCESS_DENIED, NO_ID)) == {
        "action": "memory_access_denied",
        "actor": "gene",
        "gene_domain": "formatter",
        **about_key,
        "operation": operation,
        "code": "MEMORY_ACCESS_DENIED",
        "reason": NO_ID,
    }


# Writing


def test_a_new_entry_is_its_writers() -> None:
    """ENT-3, ENT-4, ENT-7, ACC-1, POL-4."""
    plan = write(request("é", b"12345678", "PATTERN"), STRANGER)
    assert plan.refusal is None
    assert plan.removed == ()
    (put,) = plan.puts
    assert put._asdict() == {
        "ref": None,
        "key": "é",
        "category_stored": STORED_CATEGORY["PATTERN"],
        "size_bytes": 10,
        "created_by": STRANGER.gene_id,
        "created_domain": "linter",
        "last_accessed_by": STRANGER.gene_id,
        "created_at_us": NOW_US,
        "updated_at_us": NOW_US,
        "order_us": NOW_US,
        "expires_at_us": None,
        "read_scope_stored": 0,
        "write_scope_stored": 0,
        "share_policy_stored": 0,
        "own_days": None,
        "own_auto_delete": None,
        "own_anonymization": None,
        "value_hmac": hmac.digest(HMAC_KEY, b"12345678", hashlib.sha256),
        "value": b"12345678",
    }
    assert plan.counters == Counters(pattern_entries=1, pattern_bytes=10)
    assert plan.order_us == NOW_US
    (event,) = plan.events
    assert told(event) == {
        "action": "memory_write",
        "actor": "gene",
        "gene_id": STRANGER.gene_id,
        "gene_domain": "linter",
        "key": "é",
        "category": "PATTERN",
        "entry_id": entry_id_of(AGENT_ID, "é"),
        "bytes": 8,
        "value_hmac": hmac.digest(HMAC_KEY, b"12345678", hashlib.sha256).hex(),
        "operation": "write",
    }


def test_a_rewrite_keeps_what_is_the_creators() -> None:
    """ENT-3, ENT-4, ACC-5: creator, birth and policies stay; the writer was the last to use it."""
    existing = held("k", 9, "CACHE", access=OPEN, retention=(30, 1, 0), ref=7)
    plan = write(request("k", b"xx", "CACHE"), STRANGER, existing)
    (put,) = plan.puts
    assert put.ref == 7
    assert (put.created_by, put.created_domain) == (CREATOR.gene_id, CREATOR.domain)
    assert put.created_at_us == existing.created_at_us
    assert put.last_accessed_by == STRANGER.gene_id
    assert put[11:14] == existing[9:12]
    assert (put.own_days, put.own_auto_delete, put.own_anonymization) == (30, 1, 0)
    assert put.expires_at_us == NOW_US + 30 * DAY_US
    assert plan.counters == Counters(cache_entries=1, cache_bytes=3)
    assert plan.removed == ()
    (event,) = plan.events
    assert told(event) == {
        "action": "memory_update",
        "actor": "gene",
        "gene_id": STRANGER.gene_id,
        "gene_domain": "linter",
        "key": "k",
        "category": "CACHE",
        "entry_id": entry_id_of(AGENT_ID, "k"),
        "bytes": 2,
        "value_hmac": put.value_hmac.hex(),
        "operation": "write",
    }


@pytest.mark.parametrize("old", MemoryCategory)
@pytest.mark.parametrize("new", MemoryCategory)
def test_a_rewrite_may_change_the_category(old: MemoryCategory, new: MemoryCategory) -> None:
    """CAT-1: whoever may write may, and the line tells both."""
    existing = held("k", 9, old, access=OPEN)
    plan = write(request("k", b"xx", new), STRANGER, existing)
    (event,) = plan.events
    assert event.category is new
    assert event.old_category is (None if old is new else old)
    expected = Counters()._replace(**{f"{new.lower()}_entries": 1, f"{new.lower()}_bytes": 3})
    assert plan.counters == expected


def test_a_write_sets_the_policies_that_it_passes() -> None:
    """ACC-1, POL-1: on a new entry and, by its creator, on an old one."""
    passed = request(
        access=AccessPolicy(Scope.ALL_GENES, Scope.CREATOR_GENE_ONLY, SharePolicy.KNOWLEDGE_GENE),
        retention=RetentionPolicy(7, True, True),
    )
    for existing in (None, held(access=DOMAIN, retention=(30, 0, 0))):
        (put,) = write(passed, CREATOR, existing, limits=head(anonymization=1, days=30)).puts
        assert put[11:17] == (2, 1, 2, 7, 1, 1)
        assert put.expires_at_us == NOW_US + 7 * DAY_US


def test_either_policy_is_set_alone() -> None:
    """ACC-5: the one that is left out stays."""
    existing = held(access=OPEN, retention=(30, 1, 1))
    (put,) = write(request(access=AccessPolicy(*PRIVATE)), CREATOR, existing).puts
    assert put[11:17] == (1, 1, 0, 30, 1, 1)
    (put,) = write(request(retention=RetentionPolicy(None, False, False)), CREATOR, existing).puts
    assert put[11:17] == (2, 2, 0, None, 0, 0)
    (put,) = write(request(retention=None), CREATOR, existing).puts
    assert put[11:17] == (2, 2, 0, None, None, None)


@pytest.mark.parametrize(
    ("agent_days", "retention", "days"),
    [
        (None, None, None),
        (30, None, 30),
        (30, RetentionPolicy(7, False, False), 7),
        (None, RetentionPolicy(None, False, False), None),
        (None, RetentionPolicy(7, False, False), 7),
    ],
)
def test_expiry_counts_from_the_update(
    agent_days: int | None, retention: RetentionPolicy | None, days: int | None
) -> None:
    """POL-4, POL-8: a rewrite restarts it."""
    for existing in (None, held(updated_at_us=NOW_US - 20 * DAY_US)):
        plan = write(request(retention=retention), CREATOR, existing, limits=head(days=agent_days))
        assert plan.puts[0].expires_at_us == (None if days is None else NOW_US + days * DAY_US)


def test_the_most_days_fit_into_the_database() -> None:
    """POL-4."""
    plan = write(request(retention=RetentionPolicy(2_147_483_647, False, False)))
    assert plan.puts[0].expires_at_us == MAX_STORED_US


@pytest.mark.parametrize(
    ("now_us", "created_at_us", "latest_us", "updated_at_us", "order_us"),
    [
        (NOW_US, NOW_US - 10, NOW_US - 5, NOW_US, NOW_US),
        (NOW_US, NOW_US - 10, NOW_US + 5, NOW_US, NOW_US + 5),
        (NOW_US - 20, NOW_US - 10, NOW_US, NOW_US - 10, NOW_US),
        (NOW_US - 20, NOW_US + 10, NOW_US, NOW_US + 10, NOW_US + 10),
        (NOW_US - 20, NOW_US - 30, NOW_US, NOW_US - 20, NOW_US),
    ],
)
def test_a_clock_set_back_makes_no_write_old(
    now_us: int, created_at_us: int, latest_us: int, updated_at_us: int, order_us: int
) -> None:
    """ENT-7: `updatedAt` is the clock's reading, never before `createdAt`; the order only grows."""
    existing = held(created_at_us=created_at_us)
    plan = write(request(), CREATOR, existing, limits=head(existing, order_us=latest_us), now_us=now_us)
    (put,) = plan.puts
    assert (put.created_at_us, put.updated_at_us) == (created_at_us, updated_at_us)
    assert put.order_us == plan.order_us == order_us


def test_the_first_entry_of_an_agent_has_the_clocks_order() -> None:
    """ENT-7: even long before the epoch."""
    plan = write(request(), limits=head(order_us=NEVER_US), now_us=-NOW_US)
    assert plan.order_us == plan.puts[0].order_us == -NOW_US


def test_a_put_is_the_entry_that_the_write_returns() -> None:
    """ENT-1."""
    (put,) = write(request("formatter/indent", b"4", "PREFERENCE")).puts
    assert put.to_entry(AGENT_ID).to_json() == {
        "entryId": "4a7083d3d67841e641095db7f674c44174d5fa2e8633e7d8590c76ccd088788c",
        "category": "PREFERENCE",
        "key": "formatter/indent",
        "value": "NA==",
        "createdBy": CREATOR.gene_id,
        "lastAccessedBy": CREATOR.gene_id,
        "createdAt": "2026-01-01T00:00:00.000000Z",
        "updatedAt": "2026-01-01T00:00:00.000000Z",
        "accessPolicy": AccessPolicy().to_json(),
        "retentionPolicy": None,
    }


WRITE_REFUSALS = [
    (request(), STRANGER, held(access=DOMAIN), {}, WRITE_SCOPE),
    (request(), SIBLING, held(access=PRIVATE), {}, WRITE_SCOPE),
    (request(access=AccessPolicy()), SIBLING, held(access=OPEN), {}, NOT_THE_CREATOR),
    (request(retention=None), SIBLING, held(retention=(1, 0, 0)), {}, NOT_THE_CREATOR),
    (request(access=AccessPolicy(Scope.DEPLOYER_CONFIGURED)), CREATOR, None, {}, UNGRANTABLE_SCOPE),
    (
        request(access=AccessPolicy(write_scope=Scope.DEPLOYER_CONFIGURED)),
        CREATOR,
        held(),
        {},
        UNGRANTABLE_SCOPE,
    ),
    (
        request(access=AccessPolicy(share_policy=SharePolicy.ANONYMIZED_SHARE)),
        CREATOR,
        None,
        {},
        NO_ANONYMIZATION,
    ),
    (request(retention=RetentionPolicy(31, False, False)), CREATOR, None, {"days": 30}, KEPT_TOO_LONG),
    # the order of checks: scope before policies before the quota
    (request(access=AccessPolicy()), STRANGER, held(access=DOMAIN), {}, WRITE_SCOPE),
    (request(value=bytes(1000)), STRANGER, held(access=DOMAIN), {}, WRITE_SCOPE),
    (
        request(value=bytes(1000), access=AccessPolicy(Scope.DEPLOYER_CONFIGURED)),
        CREATOR,
        None,
        {},
        UNGRANTABLE_SCOPE,
    ),
]


@pytest.mark.parametrize(("write_request", "caller", "existing", "limits", "reason"), WRITE_REFUSALS)
def test_a_write_is_refused_for_one_reason(
    write_request: WriteRequest, caller: Caller, existing: Held | None, limits: dict[str, Any], reason: str
) -> None:
    """ACC-3, ACC-5, ACC-6, ACC-8, POL-3: and nothing is written, value included."""
    entries = () if existing is None else (existing,)
    plan = write(write_request, caller, existing, limits=head(*entries, **limits))
    assert told(refused(plan, ErrorCode.MEMORY_ACCESS_DENIED, reason)) == {
        "action": "memory_access_denied",
        "actor": "gene",
        "gene_id": caller.gene_id,
        "gene_domain": caller.domain,
        "key": "k",
        "entry_id": entry_id_of(AGENT_ID, "k"),
        "operation": "write",
        "code": "MEMORY_ACCESS_DENIED",
        "reason": reason,
    }


def test_a_write_without_an_id_is_never_planned() -> None:
    """ACC-7: the shell refuses such a gene before."""
    with pytest.raises(ValueError):
        write(request(), Caller(None, "formatter"))


# Room


def cached(*sizes: int, category: str = "CACHE") -> list[Leaving]:
    return [leaving(f"c{ref}", size - 2, category, ref) for ref, size in enumerate(sizes, 1)]


def test_what_fits_evicts_nothing() -> None:
    """QUO-1, QUO-4: candidates are not even looked at."""

    def none_is_read() -> Iterator[Leaving]:
        raise AssertionError("nothing is to be evicted")
        yield leaving()

    limits = head(*cached(30, 30))
    plan = plan_write(request(value=b"v" * 39), CREATOR, None, none_is_read(), AGENT, limits, now_us=NOW_US)
    assert plan.removed == ()
    assert plan.counters is not None
    assert plan.counters.used_bytes == 100


def test_room_is_made_and_told_before_the_write() -> None:
    """QUO-4, REC: evictions in their order, by the system for the writing gene; then the change."""
    first, second, third = cached(30, 30, 30)
    plan = write(request(value=b"v" * 69), STRANGER, None, [first, second, third])
    assert list(plan.removed) == [first, second]
    assert [told(event) for event in plan.events[:2]] == [
        {
            "action": "memory_evict",
            "actor": "system",
            "gene_id": STRANGER.gene_id,
            "gene_domain": "linter",
            **about(entry.key, 28, "CACHE"),
            "operation": "write",
        }
        for entry in (first, second)
    ]
    assert [event.action for event in plan.events[2:]] == ["memory_write"]
    assert plan.counters == Counters(1, 30, 0, 0, 1, 70)
    assert plan.counters.used_bytes == 100


def test_the_entry_being_rewritten_is_never_evicted_for_itself() -> None:
    """QUO-3: though it is the oldest candidate."""
    existing, other = held("k", 49, "CACHE", ref=1), leaving("o", 49, "CACHE", 2)
    limits, candidates = head(existing, other), [leaving("k", 49, "CACHE", 1), other]
    plan = write(request("k", b"v" * 59, "CACHE"), CREATOR, existing, candidates, limits)
    assert list(plan.removed) == [other]
    assert [event.action for event in plan.events] == ["memory_evict", "memory_update"]
    assert plan.counters == Counters(1, 60)


@pytest.mark.parametrize(
    ("existing", "candidates", "value_bytes"),
    [
        (None, [], 100),
        (None, cached(10), 100),
        (None, cached(90, category="PREFERENCE"), 10),
        (held("k", 98, "CACHE", ref=9), [leaving("k", 98, "CACHE", 9)], 100),
        (held("k", 49, "CACHE", ref=9), [leaving("k", 49, "CACHE", 9), *cached(10)], 101),
    ],
)
def test_where_no_room_can_be_made_nothing_happens(
    existing: Held | None, candidates: list[Leaving], value_bytes: int
) -> None:
    """QUO-5: one line with the attempted value's size, no hmac, and nothing evicted."""
    others = [entry for entry in candidates if existing is None or entry.ref != existing.ref]
    limits = head(*others, *(() if existing is None else (existing,)))
    evictable = [entry for entry in candidates if entry.category_stored != STORED_CATEGORY["PREFERENCE"]]
    plan = write(request("k", bytes(value_bytes), "CACHE"), CREATOR, existing, evictable, limits)
    assert told(refused(plan, ErrorCode.MEMORY_QUOTA_EXCEEDED, NO_ROOM)) == {
        "action": "memory_quota_refused",
        "actor": "gene",
        "gene_id": CREATOR.gene_id,
        "gene_domain": "formatter",
        "key": "k",
        "category": "CACHE",
        "entry_id": entry_id_of(AGENT_ID, "k"),
        "bytes": value_bytes,
        "operation": "write",
        "code": "MEMORY_QUOTA_EXCEEDED",
        "reason": NO_ROOM,
    }


def test_a_rewrite_that_does_not_grow_needs_no_room() -> None:
    """QUO-3: even far above a lowered quota, and nothing is evicted for it."""
    existing, other = held("k", 49), leaving("o", 49, "CACHE", 2)
    limits = head(existing, other, quota_bytes=1)
    for value_bytes in (49, 0):
        plan = write(request("k", bytes(value_bytes)), CREATOR, existing, [other], limits)
        assert plan.refusal is None
        assert plan.removed == ()
    grown = write(request("k", bytes(50)), CREATOR, existing, [other], limits)
    assert grown.refusal == Refusal(ErrorCode.MEMORY_QUOTA_EXCEEDED, NO_ROOM)


# Deleting and expiring


@pytest.mark.parametrize(
    ("access", "caller", "allowed"),
    [
        (DOMAIN, CREATOR, True),
        (DOMAIN, SIBLING, True),
        (DOMAIN, STRANGER, False),
        (PRIVATE, SIBLING, False),
        (OPEN, STRANGER, True),
        ((Scope.ALL_GENES, Scope.CREATOR_GENE_ONLY, SharePolicy.PRIVATE), SIBLING, False),
        ((Scope.CREATOR_GENE_ONLY, Scope.ALL_GENES, SharePolicy.PRIVATE), STRANGER, True),
    ],
)
def test_whoever_may_write_may_delete(access: Any, caller: Caller, allowed: bool) -> None:
    """ACC-6."""
    existing, other = held("k", 9, "PATTERN", access=access), held("o", 9, "PATTERN", ref=2)
    plan = plan_delete("k", caller, existing, AGENT, head(existing, other))
    who = {"actor": "gene", "gene_id": caller.gene_id, "gene_domain": caller.domain, "operation": "delete"}
    if not allowed:
        assert told(refused(plan, ErrorCode.MEMORY_ACCESS_DENIED, WRITE_SCOPE)) == {
            "action": "memory_access_denied",
            **who,
            "key": "k",
            "entry_id": entry_id_of(AGENT_ID, "k"),
            "code": "MEMORY_ACCESS_DENIED",
            "reason": WRITE_SCOPE,
        }
        return
    assert plan.refusal is None
    assert (list(plan.removed), plan.puts) == ([existing], ())
    assert plan.counters == Counters(pattern_entries=1, pattern_bytes=10)
    assert plan.order_us == head().order_us
    (event,) = plan.events
    assert told(event) == {"action": "memory_delete", **who, **about("k", 9, "PATTERN")}


def test_deleting_what_is_not_there_leaves_no_line() -> None:
    """ERR."""
    plan = plan_delete("k", CREATOR, None, AGENT, head())
    assert plan == Plan(refusal=Refusal(ErrorCode.MEMORY_NOT_FOUND, NO_ENTRY))


@pytest.mark.parametrize("operation", [Operation.READ, Operation.LIST, Operation.SWEEP])
def test_what_has_expired_goes_by_the_system(operation: Operation) -> None:
    """POL-6, REC: one line each, no gene, and the call in which it happened."""
    first, second, kept = leaving("é", 9, "CACHE"), leaving("a", ref=2), leaving("kept", ref=3)
    plan = plan_expiry([first, second], AGENT, head(first, second, kept), operation)
    assert [told(event) for event in plan.events] == [
        {"action": "memory_expire", "actor": "system", "operation": operation, **about("é", 9, "CACHE")},
        {"action": "memory_expire", "actor": "system", "operation": operation, **about("a")},
    ]
    assert list(plan.removed) == [first, second]
    assert plan.counters == Counters(context_entries=1, context_bytes=13)
    assert (plan.order_us, plan.refusal, plan.puts) == (head().order_us, None, ())


def test_no_change_of_its_own_is_no_line() -> None:
    """REC-1."""
    assert NOTHING == ((), None, 0, (), (), None)
