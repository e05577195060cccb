"""The check of a log against its store: every kind of finding, and silence where all is sound."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

from rotifer_store.audit_line import (
    GENESIS_HASH,
    AuditEvent,
    Link,
    aborted,
    chained_line,
    encode_line,
    parse_object,
)
from rotifer_store.deployer_plan import agent_event, plan_checkpoint
from rotifer_store.plan import plan_delete, plan_expiry, plan_read_refusal, plan_write
from rotifer_store.replay import EntryName, Implied, LogCheck
from rotifer_store.tables import AuditAction, Operation
from unit.samples import (
    AGENT,
    AGENT_ID,
    CREATOR,
    NOW_US,
    OTHER_AGENT_ID,
    STRANGER,
    head,
    held,
    leaving,
    request,
)

TS = "2026-01-01T00:00:00.000000Z"
START = Link(0, GENESIS_HASH)


class Log:
    """A log that is written line by line; `link` is its end and `stored` what a sound store then holds."""

    def __init__(self, link: Link = START) -> None:
        self.link = link
        self.lines: list[bytes] = []
        self.stored: dict[EntryName, Implied] = {}

    def add(self, *events: AuditEvent, txn: int | None = None) -> int:
        """Appends one transaction's lines; returns its number."""
        txn = self.link.seq + 1 if txn is None else txn
        for event in events:
            line, self.link = encode_line(event, TS, self.link, txn)
            self.lines.append(line)
        return txn

    def write(self, key: str, value: bytes = b"1", agent_id: str = AGENT_ID) -> int:
        event = written(key, value)._replace(agent_id=agent_id)
        self.stored[agent_id, key] = Implied(event.category, event.bytes, event.value_hmac)
        return self.add(event)

    def delete(self, key: str) -> int:
        entry = held(key)
        self.stored.pop((AGENT_ID, key), None)
        return self.add(*plan_delete(key, CREATOR, entry, AGENT, head(entry)).events)

    def revoke(self, txn: int) -> None:
        (line,) = (line for line in self.lines if json.loads(line)["txn"] == txn)
        members = parse_object(line)
        assert members is not None
        revoked = chained_line(line, members)
        assert revoked is not None
        self.add(aborted(revoked, Operation.OPEN), txn=txn)


def written(key: str, value: bytes = b"1") -> AuditEvent:
    plan = plan_write(request(key, value), CREATOR, None, (), AGENT, head(), now_us=NOW_US)
    return plan.events[-1]


def findings(
    lines: Sequence[bytes],
    stored: Mapping[EntryName, Implied],
    committed: Link,
    revoked: Collection[int] = (),
) -> list[tuple[str, str]]:
    check = LogCheck(committed, revoked)
    for number, line in enumerate(lines, 1):
        check.feed(f"audit.jsonl:{number}", line)
    return [(finding.kind, finding.where) for finding in check.close(stored)]


def test_a_log_that_tells_the_stores_state_is_sound() -> None:
    """REC-3: writes, rewrites, removals of every kind, refusals and the deployer's own lines."""
    log = Log()
    log.add(agent_event(AuditAction.AGENT_CREATE, Operation.CREATE, AGENT.id, AGENT.name))
    for key in ("a", "b", "c", "d"):
        log.write(key)
    log.write("a", b"another")
    log.write("a", b"theirs", OTHER_AGENT_ID)
    log.delete("b")
    log.add(*plan_expiry([leaving("c")], AGENT, head(held("c")), Operation.READ).events)
    del log.stored[AGENT_ID, "c"]
    log.add(*plan_read_refusal("d", STRANGER, AGENT).events)
    log.add(agent_event(AuditAction.POLICY_CHANGE, Operation.POLICY, AGENT.id, AGENT.name, "quota is 1"))
    log.add(written("e")._replace(action=AuditAction.MEMORY_IMPORT))
    log.stored[AGENT_ID, "e"] = Implied("CONTEXT", 1, written("e").value_hmac)
    log.delete("d")
    log.write("d")
    assert sorted(key for _, key in log.stored) == ["a", "a", "d", "e"]
    assert findings(log.lines, log.stored, log.link) == []


def test_an_empty_log_of_an_empty_store_is_sound() -> None:
    """REC-9."""
    assert findings([], {}, START) == []


def test_lines_of_others_are_left_alone() -> None:
    """REC-9: objects with other members are nobody's business."""
    log = Log()
    log.write("a")
    log.write("b")
    theirs = [b"{}", b'{"level":"info"}\n', b'{"seq":1,"hash":"x"}']
    assert findings([theirs[0], log.lines[0], *theirs, log.lines[1]], log.stored, log.link) == []


@pytest.mark.parametrize("line", [b"", b"{torn", b"\0\0\0", b'"text"', b"\xff\xfe", b'{"a":NaN}'], ids=repr)
def test_a_line_that_holds_no_object_is_reported(line: bytes) -> None:
    """REC-5."""
    log = Log()
    log.write("a")
    log.write("b")
    lines = [log.lines[0], line, log.lines[1]]
    assert findings(lines, log.stored, log.link) == [("audit-line", "audit.jsonl:2")]


def test_an_edited_line_is_reported_and_missed_in_the_chain() -> None:
    """REC: the line after it names what is no longer there."""
    log = Log()
    for key in ("a", "b", "c"):
        log.write(key)
    lines = [log.lines[0], log.lines[1].replace(b'"bytes":1', b'"bytes":2'), log.lines[2]]
    assert findings(lines, log.stored, log.link) == [
        ("audit-hash", "audit.jsonl:2"),
        ("audit-chain", "audit.jsonl:3"),
    ]


@pytest.mark.parametrize("missing", [1, 2])
def test_a_removed_line_is_reported_once(missing: int) -> None:
    """REC-9: what stood before the gap is taken as given."""
    log = Log()
    for key in ("a", "b", "c", "d"):
        log.write(key)
    lines = [line for at, line in enumerate(log.lines) if at != missing]
    assert findings(lines, log.stored, log.link) == [("audit-chain", f"audit.jsonl:{missing + 1}")]


def test_what_stood_before_a_gap_is_not_held_against_the_store() -> None:
    """REC-9: the missing line may have removed it, or written it anew."""
    log = Log()
    log.write("a")
    log.write("b")
    log.delete("a")
    log.write("b", b"another")
    log.write("c")
    lines = [*log.lines[:2], *log.lines[4:]]
    assert findings(lines, log.stored, log.link) == [("audit-chain", "audit.jsonl:3")]


def test_lines_in_another_order_are_reported() -> None:
    """REC: at each place where a line does not follow the one before."""
    log = Log()
    for key in ("a", "b", "c"):
        log.write(key)
    first, second, third = log.lines
    kinds = [kind for kind, _ in findings([first, third, second], log.stored, log.link)]
    assert kinds == ["audit-chain", "audit-chain", "audit-end"]


def test_a_repeated_line_is_reported() -> None:
    """REC."""
    log = Log()
    log.write("a")
    log.write("b")
    lines = [log.lines[0], log.lines[0], log.lines[1]]
    assert findings(lines, log.stored, log.link) == [("audit-chain", "audit.jsonl:2")]


def test_a_line_of_another_stores_chain_is_reported() -> None:
    """REC: the number fits and the hash does not."""
    ours, theirs = Log(), Log()
    ours.write("a")
    theirs.write("x")
    theirs.write("b")
    ours.write("b")
    lines = [ours.lines[0], theirs.lines[1]]
    assert ("audit-chain", "audit.jsonl:2") in findings(lines, ours.stored, ours.link)


def test_a_log_that_begins_later_says_so() -> None:
    """REC-9: a moved or lost file; the rest is checked from its first line on."""
    log = Log()
    for key in ("a", "b", "c"):
        log.write(key)
    assert findings(log.lines[2:], log.stored, log.link) == [("audit-start", "audit.jsonl:1")]


def test_a_log_that_begins_with_a_checkpoint_needs_no_earlier_lines() -> None:
    """REC-9: that is what rotation leaves."""
    log = Log()
    log.write("a")
    start = len(log.lines)
    log.add(*plan_checkpoint("audit-20260101-000000000001.jsonl").events)
    log.write("b")
    assert findings(log.lines[start:], log.stored, log.link) == []
    assert findings(log.lines, log.stored, log.link) == []


def test_a_log_that_ends_too_early_is_reported() -> None:
    """REC-9: the store knows the end; its entries are then not compared."""
    log = Log()
    for key in ("a", "b"):
        log.write(key)
    assert findings(log.lines[:1], log.stored, log.link) == [("audit-end", "audit.jsonl")]
    assert findings([], log.stored, log.link) == [("audit-end", "audit.jsonl")]


def test_a_line_that_was_never_saved_is_reported_until_it_is_revoked() -> None:
    """REC-3."""
    log = Log()
    log.write("a")
    committed, stored = log.link, dict(log.stored)
    txn = log.write("b")
    assert findings(log.lines, stored, committed) == [("audit-unsaved", "audit.jsonl:2")]
    log.revoke(txn)
    assert findings(log.lines, stored, committed, {txn}) == []
    assert findings(log.lines, stored, log.link, {txn}) == []


def test_a_revoked_change_of_several_lines_is_revoked_whole() -> None:
    """REC-3: evictions and the write of one transaction stand or fall together."""
    log = Log()
    log.write("a")
    stored = dict(log.stored)
    entry = leaving("a", 98, "CACHE")
    plan = plan_write(request("b", b"1"), CREATOR, None, [entry], AGENT, head(entry), now_us=NOW_US)
    assert len(plan.events) == 2
    txn = log.add(*plan.events)
    log.add(plan.events[0]._replace(action=AuditAction.MEMORY_ABORTED, key=None), txn=txn)
    assert findings(log.lines, stored, log.link, {txn}) == []
    assert findings(log.lines, stored, log.link) == [
        ("replay", f"{AGENT_ID} a"),
        ("replay", f"{AGENT_ID} b"),
    ]


def test_an_entry_that_the_log_has_not_is_reported() -> None:
    """REC-3."""
    log = Log()
    log.write("a")
    stored = {**log.stored, (AGENT_ID, "b"): Implied("CACHE", 1, "00" * 32)}
    assert findings(log.lines, stored, log.link) == [("replay", f"{AGENT_ID} b")]


def test_an_entry_that_the_store_has_not_is_reported() -> None:
    """REC-3."""
    log = Log()
    log.write("a")
    log.write("b")
    del log.stored[AGENT_ID, "a"]
    assert findings(log.lines, log.stored, log.link) == [("replay", f"{AGENT_ID} a")]


@pytest.mark.parametrize(
    "change", [{"category": "CACHE"}, {"bytes": 2}, {"value_hmac": "00" * 32}, {"value_hmac": None}], ids=str
)
def test_an_entry_that_is_not_as_the_log_tells_it_is_reported(change: dict[str, Any]) -> None:
    """REC-3: category, size and value are compared."""
    log = Log()
    log.write("a")
    changed = log.stored[AGENT_ID, "a"]._replace(**change)
    assert findings(log.lines, {(AGENT_ID, "a"): changed}, log.link) == [("replay", f"{AGENT_ID} a")]


def test_one_key_of_two_agents_is_two_entries() -> None:
    """AGT-1."""
    log = Log()
    log.write("a")
    log.write("a", b"theirs", OTHER_AGENT_ID)
    del log.stored[AGENT_ID, "a"]
    assert findings(log.lines, log.stored, log.link) == [("replay", f"{AGENT_ID} a")]


def test_a_log_that_begins_later_vouches_only_for_what_it_tells() -> None:
    """REC-9: an entry that was written before may stand; one that the log removes may not."""
    log = Log()
    log.write("before")
    log.write("removed")
    start = len(log.lines)
    log.delete("removed")
    lines = log.lines[start:]
    begins = ("audit-start", "audit.jsonl:1")
    assert findings(lines, log.stored, log.link) == [begins]
    left = {**log.stored, (AGENT_ID, "removed"): Implied("CONTEXT", 1, "00" * 32)}
    assert findings(lines, left, log.link) == [begins, ("replay", f"{AGENT_ID} removed")]


@pytest.mark.parametrize("secret", ["hunter2", "päss"])
def test_no_finding_shows_more_than_agent_and_key(secret: str) -> None:
    """REC-1."""
    log = Log()
    log.write("a", secret.encode())
    check = LogCheck(log.link, ())
    check.feed("audit.jsonl:1", log.lines[0].replace(b'"a"', b'"b"'))
    check.feed("audit.jsonl:2", secret.encode())
    found = check.close(log.stored)
    assert {finding.kind for finding in found} == {"audit-hash", "audit-line", "audit-end"}
    assert all(secret not in finding.message for finding in found)
