"""Planning the deployer's changes: deletions, imports, and what concerns an agent or the log as a whole."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest

from rotifer_store import ErrorCode
from rotifer_store.access import KEPT_TOO_LONG, NO_ANONYMIZATION
from rotifer_store.deployer_plan import (
    NO_ROOM_TO_IMPORT,
    PRIVATE_STAYS,
    agent_event,
    plan_agent_import,
    plan_checkpoint,
    plan_deployer_delete,
    plan_import,
)
from rotifer_store.model import Counters
from rotifer_store.plan import NEVER_US, NOTHING, Plan, Put, plan_write
from rotifer_store.tables import AuditAction, Operation
from unit.samples import (
    AGENT,
    AGENT_ID,
    CREATOR,
    DAY_US,
    HMAC_KEY,
    NOW_US,
    OTHER_AGENT_ID,
    about,
    head,
    held,
    leaving,
    refused,
    request,
    told,
)


def test_the_deployer_deletes_whatever_the_policies_say() -> None:
    """AGT-4, REC-8: one line each, in the order given."""
    first, second, kept = leaving("b"), leaving("a", 4, "PREFERENCE", 2), leaving("kept", ref=3)
    plan = plan_deployer_delete([first, second], AGENT, head(first, second, kept))
    assert [told(event) for event in plan.events] == [
        {"action": "memory_delete", "actor": "deployer", "operation": "delete", **about("b")},
        {
            "action": "memory_delete",
            "actor": "deployer",
            "operation": "delete",
            **about("a", 4, "PREFERENCE"),
        },
    ]
    assert list(plan.removed) == [first, second]
    assert plan.counters == Counters(context_entries=1, context_bytes=13)
    assert (plan.order_us, plan.refusal) == (head().order_us, None)


def put(key: str = "k", value: bytes = b"v" * 9, category: str = "CONTEXT", **members: Any) -> Put:
    """An entry on its way in, as it was written elsewhere a day ago."""
    new, limits = request(key, value, category), head(order_us=NEVER_US, quota_bytes=10_000)
    (made,) = plan_write(new, CREATOR, None, (), AGENT, limits, now_us=NOW_US - DAY_US).puts
    return made._replace(**members)


def imported(key: str, value_bytes: int, category: str, **members: object) -> dict[str, object]:
    hmac_of_value = hmac.digest(HMAC_KEY, b"v" * value_bytes, hashlib.sha256).hex()
    return {
        "action": "memory_import",
        "actor": "deployer",
        **about(key, value_bytes, category),
        "value_hmac": hmac_of_value,
        "operation": "import",
        **members,
    }


def test_an_agents_own_entries_come_back_as_they_were() -> None:
    """AGT-6, ENT-7: one line each; a later instant of theirs raises the agent's."""
    puts = [put("a"), put("b", b"v" * 4, "PREFERENCE", order_us=NOW_US + 5)]
    before = head(held("kept"))
    plan = plan_import(puts, AGENT, before, AGENT_ID, "main", copy_private=False)
    assert [told(event) for event in plan.events] == [
        imported("a", 9, "CONTEXT"),
        imported("b", 4, "PREFERENCE"),
    ]
    assert list(plan.puts) == puts
    assert (plan.removed, plan.refusal) == ((), None)
    assert plan.counters == Counters(0, 0, 0, 0, 2, 23, 1, 5)
    assert plan.order_us == NOW_US + 5
    earlier = plan_import(puts[:1], AGENT, before, AGENT_ID, "main", copy_private=False)
    assert earlier.order_us == before.order_us


def test_an_import_of_nothing_changes_nothing() -> None:
    """AGT-6."""
    before = head(held())
    plan = plan_import([], AGENT, before, AGENT_ID, "main", copy_private=False)
    assert (list(plan.events), plan.counters, plan.order_us) == ([], before.counters, before.order_us)


def import_refused(plan: Plan, code: ErrorCode, reason: str) -> dict[str, object]:
    return told(refused(plan, code, reason))


def test_another_agents_entries_stay_inside_it() -> None:
    """AGT-6: unless the deployer says so; then each line names where it came from."""
    puts = [put("a"), put("b")]
    plan = plan_import(puts, AGENT, head(), OTHER_AGENT_ID, "old", copy_private=False)
    assert import_refused(plan, ErrorCode.MEMORY_ACCESS_DENIED, PRIVATE_STAYS) == {
        "action": "memory_access_denied",
        "actor": "deployer",
        "operation": "import",
        "code": "MEMORY_ACCESS_DENIED",
        "reason": PRIVATE_STAYS,
    }
    plan = plan_import(puts, AGENT, head(), OTHER_AGENT_ID, "old", copy_private=True)
    assert [told(event) for event in plan.events] == [
        imported(key, 9, "CONTEXT", reason=f"copied from agent old ({OTHER_AGENT_ID})") for key in ("a", "b")
    ]


@pytest.mark.parametrize(
    ("members", "limits", "reason"),
    [
        ({"share_policy_stored": 1}, {}, NO_ANONYMIZATION),
        ({"share_policy_stored": 2}, {}, NO_ANONYMIZATION),
        ({"share_policy_stored": 2}, {"anonymization": 1}, None),
        ({"own_days": 31, "own_auto_delete": 0, "own_anonymization": 0}, {"days": 30}, KEPT_TOO_LONG),
        ({"own_days": 30, "own_auto_delete": 0, "own_anonymization": 0}, {"days": 30}, None),
        ({"own_auto_delete": 0, "own_anonymization": 0}, {"days": 30}, KEPT_TOO_LONG),
        ({"own_auto_delete": 0, "own_anonymization": 0}, {}, None),
        ({}, {"days": 1}, None),
    ],
)
def test_another_agents_entries_must_fit_the_data_policy(
    members: dict[str, Any], limits: dict[str, Any], reason: str | None
) -> None:
    """AGT-6: all or nothing; an agent's own always fit."""
    puts = [put("a"), put("b", **members)]
    plan = plan_import(puts, AGENT, head(**limits), OTHER_AGENT_ID, "old", copy_private=True)
    if reason is None:
        assert plan.refusal is None
        assert len(plan.puts) == 2
    else:
        event = import_refused(plan, ErrorCode.MEMORY_ACCESS_DENIED, reason)
        assert (event["actor"], event["action"]) == ("deployer", "memory_access_denied")
        assert "key" not in event
    own = plan_import(puts, AGENT, head(**limits), AGENT_ID, "main", copy_private=False)
    assert own.refusal is None


def test_nothing_is_evicted_for_an_import() -> None:
    """AGT-6: what fits to the byte comes in, one byte more refuses the whole."""
    kept = held("c", 79, "CACHE")
    fits = plan_import([put("a"), put("b")], AGENT, head(kept), AGENT_ID, "main", copy_private=False)
    assert fits.refusal is None
    assert fits.removed == ()
    assert fits.counters is not None
    assert fits.counters.used_bytes == 100
    plan = plan_import(
        [put("a"), put("b", b"v" * 10)], AGENT, head(kept), AGENT_ID, "main", copy_private=False
    )
    assert import_refused(plan, ErrorCode.MEMORY_QUOTA_EXCEEDED, NO_ROOM_TO_IMPORT) == {
        "action": "memory_quota_refused",
        "actor": "deployer",
        "operation": "import",
        "code": "MEMORY_QUOTA_EXCEEDED",
        "reason": NO_ROOM_TO_IMPORT,
    }


@pytest.mark.parametrize("copy_private", [False, True])
def test_where_entries_may_not_come_room_is_not_looked_at(copy_private: bool) -> None:
    """ACC-8, AGT-6."""
    puts = [put("a", b"v" * 1000, share_policy_stored=1)]
    plan = plan_import(puts, AGENT, head(), OTHER_AGENT_ID, "old", copy_private=copy_private)
    assert plan.refusal is not None
    assert plan.refusal.code is ErrorCode.MEMORY_ACCESS_DENIED


def test_an_agent_comes_with_all_it_has() -> None:
    """AGT-6: first the agent's line, then one for each entry; it brings its own limits, so all fit."""
    puts = [put("a", b"v" * 1000, share_policy_stored=1), put("b", order_us=NOW_US)]
    plan = plan_agent_import(puts, AGENT_ID, "main")
    assert [told(event) for event in plan.events] == [
        {"action": "agent_create", "actor": "deployer", "operation": "import"},
        imported("a", 1000, "CONTEXT"),
        imported("b", 9, "CONTEXT"),
    ]
    assert list(plan.puts) == puts
    assert plan.counters == Counters(context_entries=2, context_bytes=1011)
    assert (plan.order_us, plan.refusal, plan.removed) == (NOW_US, None, ())


def test_an_agent_without_entries_has_no_order_yet() -> None:
    """ENT-7."""
    plan = plan_agent_import([], AGENT_ID, "main")
    assert (plan.order_us, plan.counters) == (NEVER_US, Counters())


# The deployer's other lines


def test_a_checkpoint_names_the_closed_file_and_no_agent() -> None:
    """REC-9."""
    plan = plan_checkpoint("audit-20260101-000000000007.jsonl")
    (event,) = plan.events
    assert {name: value for name, value in event._asdict().items() if value is not None} == {
        "action": "audit_checkpoint",
        "actor": "deployer",
        "operation": "rotate",
        "reason": "continues audit-20260101-000000000007.jsonl",
    }
    assert plan[1:] == NOTHING[1:]


@pytest.mark.parametrize(
    ("action", "operation"),
    [
        (AuditAction.AGENT_CREATE, Operation.CREATE),
        (AuditAction.POLICY_CHANGE, Operation.POLICY),
        (AuditAction.GENOME_CHANGE, Operation.GENOME),
    ],
)
def test_a_line_about_an_agent_is_the_deployers(action: AuditAction, operation: Operation) -> None:
    """REC, AGT-9."""
    assert told(agent_event(action, operation, AGENT_ID, "main", "why")) == {
        "action": action,
        "actor": "deployer",
        "operation": operation,
        "reason": "why",
    }
