"""A line of the audit log: its members, its hash computed anew, its place in the chain."""

from __future__ import annotations

import hashlib
import hmac
import json
from itertools import product
from typing import Any

import pytest

from rotifer_store.audit_line import (
    GENESIS_HASH,
    AuditEvent,
    ChainedLine,
    Link,
    aborted,
    chained_line,
    encode_line,
    ends_with,
    is_ours,
    lines_after,
    parse_object,
    unrevoked,
    value_hmac,
)
from rotifer_store.tables import (
    AUDIT_MEMBERS,
    Actor,
    AuditAction,
    ErrorCode,
    MemoryCategory,
    Operation,
)
from unit.samples import AGENT_ID, CREATOR, HMAC_KEY

TS = "2026-01-01T00:00:00.000000Z"
START = Link(0, GENESIS_HASH)
HOSTILE = [
    "a\nb",
    "a\r\nb",
    "\u2028\u2029\x85\x0b\x0c\x1c",
    '"},{"hash":"x"}',
    '","hash":"' + "0" * 64 + '"}',
    '\\\\"\\u0000\\',
    "\x01\x1b[2J\x7f",
    "\ud800",
    "\udfff\ud83d",
    "é😀\U0010ffff\ufffe",
    "\u202eabc\u202c",
    "</script>",
    "k" * 1024,
    "",
]


def event(**members: Any) -> AuditEvent:
    whole = AuditEvent(
        action=AuditAction.MEMORY_UPDATE,
        actor=Actor.GENE,
        operation=Operation.WRITE,
        agent_id=AGENT_ID,
        agent="main",
        gene_id=CREATOR.gene_id,
        gene_domain=CREATOR.domain,
        key="k",
        category=MemoryCategory.CACHE,
        old_category=MemoryCategory.CONTEXT,
        entry_id="e" * 64,
        bytes=9,
        value_hmac="5a" * 32,
        code=ErrorCode.MEMORY_ACCESS_DENIED,
        reason="a sentence",
    )
    return whole._replace(**members)


EMPTY = AuditEvent(AuditAction.AUDIT_CHECKPOINT, Actor.DEPLOYER, Operation.ROTATE)


def chain(*events: AuditEvent, link: Link = START, txns: list[int] | None = None) -> list[bytes]:
    """The lines of events that follow `link`, each its own transaction if `txns` does not say another."""
    lines = []
    for at, each in enumerate(events):
        line, link = encode_line(each, TS, link, txns[at] if txns else link.seq + 1)
        lines.append(line)
    return lines


def linked(line: bytes) -> ChainedLine:
    members = parse_object(line)
    assert members is not None
    found = chained_line(line, members)
    assert found is not None
    return found


def test_a_line_has_the_twenty_members_in_order() -> None:
    """REC."""
    line, _ = encode_line(event(), TS, START, 1)
    assert tuple(json.loads(line)) == AUDIT_MEMBERS
    assert sorted(AuditEvent._fields) == sorted(AUDIT_MEMBERS[3:18])


@pytest.mark.parametrize("each", [event(), EMPTY, event(bytes=0, code=None)], ids=["full", "empty", "mixed"])
def test_a_line_reads_back_as_its_event(each: AuditEvent) -> None:
    """REC: members that do not apply are null."""
    line, link = encode_line(each, TS, Link(41, "ab" * 32), 40)
    members = json.loads(line)
    assert (members.pop("ts"), members.pop("seq"), members.pop("txn")) == (TS, 42, 40)
    assert (members.pop("prev_hash"), members.pop("hash")) == ("ab" * 32, link.hash)
    assert members == each._asdict()
    assert link.seq == 42


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:24])
@pytest.mark.parametrize("member", ["key", "gene_domain", "agent", "reason"])
def test_no_text_breaks_its_line(text: str, member: str) -> None:
    """REC-5: one physical line of ASCII, which reads back as it was."""
    line, link = encode_line(event(**{member: text}), TS, START, 1)
    assert line.isascii()
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert len(line.decode().splitlines()) == 1
    assert b"\0" not in line
    members = parse_object(line)
    assert members is not None
    assert members[member] == text
    assert is_ours(members)
    assert linked(line).link == link
    assert ends_with(line, link)


def test_a_line_is_compact() -> None:
    """REC: as JSON itself would write the members."""
    line, _ = encode_line(event(), TS, START, 1)
    again = json.dumps(json.loads(line), separators=(",", ":")) + "\n"
    assert line == again.encode()


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:24])
def test_the_hash_is_that_of_the_line_without_it(text: str) -> None:
    """REC: SHA-256, closing brace included; computed here from the members alone."""
    line, link = encode_line(event(key=text), TS, Link(6, "cd" * 32), 7)
    members = json.loads(line)
    digest = members.pop("hash")
    bare = json.dumps(members, separators=(",", ":"), ensure_ascii=True).encode()
    assert digest == link.hash == hashlib.sha256(bare).hexdigest()


def test_each_line_names_the_one_before() -> None:
    """REC-9: the first one names nothing."""
    lines = [json.loads(line) for line in chain(event(), EMPTY, event(key="other"))]
    assert [line["prev_hash"] for line in lines] == ["0" * 64, lines[0]["hash"], lines[1]["hash"]]
    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert len({line["hash"] for line in lines}) == 3


@pytest.mark.parametrize(
    ("action", "actor", "operation"), list(product(AuditAction, [Actor.GENE], [Operation.READ]))
)
def test_actions_are_spelled_as_they_are_named(
    action: AuditAction, actor: Actor, operation: Operation
) -> None:
    """REC: lower case, as plain text."""
    line, _ = encode_line(event(action=action, actor=actor, operation=operation), TS, START, 1)
    members = json.loads(line)
    assert (members["action"], members["actor"], members["operation"]) == (action, "gene", "read")


# Reading


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"null",
        b"[]",
        b"7",
        b'"text"',
        b"{",
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b"{}x",
        b"\xff{}",
        b'{"a":"\xe2\x82',
        b"\0" * 100,
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' * 200_000,
        b"[" * 200_000 + b"]" * 200_000,
        b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    ],
    ids=lambda line: repr(line)[:20],
)
def test_what_holds_no_object_is_passed_over(line: bytes) -> None:
    """REC-5."""
    assert parse_object(line) is None
    assert lines_after(START, [line, *chain(event())]) == [linked(chain(event())[0])]


def test_lines_of_others_are_told_by_their_members() -> None:
    """REC-9."""
    members = json.loads(chain(event())[0])
    assert is_ours(members)
    assert not is_ours({**members, "extra": 1})
    assert not is_ours({name: value for name, value in members.items() if name != "txn"})
    assert not is_ours({})


def test_a_line_is_a_link_with_what_recovery_looks_at() -> None:
    """REC-3."""
    (line,) = chain(event(), link=Link(6, "ab" * 32), txns=[5])
    digest = json.loads(line)["hash"]
    assert linked(line) == ChainedLine(
        7, 5, "memory_update", AGENT_ID, "main", "k", "CACHE", 9, "5a" * 32, "ab" * 32, digest
    )
    assert linked(line.rstrip(b"\n")) == linked(line)


def sealed(members: dict[str, Any]) -> bytes:
    """A line of any members whose own hash is right."""
    members = {name: value for name, value in members.items() if name != "hash"}
    bare = json.dumps(members, separators=(",", ":")).encode()
    return bare[:-1] + b',"hash":"%s"}\n' % hashlib.sha256(bare).hexdigest().encode()


@pytest.mark.parametrize("member", AUDIT_MEMBERS)
def test_a_line_with_another_member_than_was_written_is_no_link(member: str) -> None:
    """REC: an edited line shows, whatever was edited."""
    (line,) = chain(event())
    members = json.loads(line)
    members[member] = "f" * 64 if member in ("hash", "prev_hash") else "edited"
    edited = json.dumps(members, separators=(",", ":")).encode() + b"\n"
    assert edited != line
    assert chained_line(edited, members) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b",", b", "),
        lambda line: line.replace(b'{"ts"', b'{ "ts"'),
        lambda line: line.replace(b"}\n", b" }\n"),
        lambda line: line.replace(b'"k"', b'"\\u006b"'),
        lambda line: line.replace(b'"bytes":9', b'"bytes":9.0'),
        lambda line: line + b" ",
        lambda line: b" " + line,
    ],
)
def test_a_line_written_otherwise_is_no_link(change: Any) -> None:
    """REC: even where JSON reads the same from it."""
    (line,) = chain(event())
    edited = change(line)
    members = parse_object(edited)
    assert edited != line
    assert members is not None
    assert chained_line(edited, members) is None


@pytest.mark.parametrize(
    ("member", "value"),
    [
        *((name, value) for name in ("seq", "txn") for value in ("1", 1.0, True, None, [1])),
        ("prev_hash", None),
        ("prev_hash", 7),
    ],
)
def test_a_member_of_another_type_makes_no_link(member: str, value: object) -> None:
    """REC-3: even where someone sealed the line again."""
    members = {**json.loads(chain(event())[0]), member: value}
    line = sealed(members)
    assert chained_line(line, json.loads(line)) is None


def test_a_sealed_line_with_odd_members_is_read_as_well_as_it_can_be() -> None:
    """REC-5: what is no text or number counts as absent."""
    line = sealed({**json.loads(chain(event())[0]), "key": 7, "bytes": "9", "agent_id": [], "category": {}})
    found = chained_line(line, json.loads(line))
    assert found is not None
    assert (found.key, found.bytes, found.agent_id, found.category) == (None, None, None, None)


@pytest.mark.parametrize("digest", [None, 7, "", "é", "\ud800", [], "f" * 64])
def test_a_hash_of_another_form_is_no_hash(digest: object) -> None:
    """REC."""
    members = {**json.loads(chain(event())[0]), "hash": digest}
    line = json.dumps(members, separators=(",", ":")).encode()
    assert chained_line(line, members) is None


def test_a_log_ends_with_a_line_or_not() -> None:
    """REC-3: the quick look at a log's tail."""
    first, second = chain(event(), event(key="other"))
    assert ends_with(first + second, linked(second).link)
    assert not ends_with(first + second, linked(first).link)
    assert not ends_with(first + second[:-1], linked(second).link)
    assert not ends_with(first + second + b"{", linked(second).link)
    assert not ends_with(b"", START)


# What the store does not know yet


LINES = chain(event(key="1"), event(key="2"), event(key="3"), event(key="4"))
LINKS = [START, *(linked(line).link for line in LINES)]
STRANGE = chain(event(key="strange"), event(key="stranger"), link=Link(1, "ee" * 32))


@pytest.mark.parametrize(
    ("known", "lines", "found"),
    [
        (0, LINES, ["1", "2", "3", "4"]),
        (2, LINES, ["3", "4"]),
        (4, LINES, []),
        (2, LINES[2:], ["3", "4"]),
        (2, LINES[3:], []),
        (2, LINES[:2], []),
        (0, [], []),
        (0, LINES[1:], []),
        (2, [LINES[2], LINES[2], LINES[3]], ["3", "4"]),
        (2, [LINES[3], LINES[2]], ["3"]),
        (2, [b"\n", b"{torn", LINES[2], b'{"theirs":1}\n', b"\0\0\n", LINES[3]], ["3", "4"]),
        (2, [LINES[2][:-20] + b"\n", LINES[3]], []),
        (2, [LINES[2][:50] + LINES[2], LINES[3]], []),
        (1, [*STRANGE, *LINES], ["2", "3", "4"]),
    ],
)
def test_only_what_continues_the_chain_is_unsaved(known: int, lines: list[bytes], found: list[str]) -> None:
    """REC-3: lines of others, torn and known ones are passed over."""
    assert [line.key for line in lines_after(LINKS[known], lines)] == found


def test_of_each_unsaved_transaction_the_first_line_is_revoked() -> None:
    """REC-3."""
    lines = [linked(line) for line in chain(*(event(key=key) for key in "abcde"), txns=[1, 1, 3, 4, 4])]
    assert [line.key for line in unrevoked(lines)] == ["a", "c", "d"]
    assert unrevoked([]) == []


def test_what_is_revoked_already_is_not_revoked_again() -> None:
    """REC-3: a crash may come between the revoking lines."""
    first = [linked(line) for line in chain(event(key="a"), event(key="b"), txns=[1, 2])]
    revoking = chain(aborted(first[0], Operation.OPEN), link=first[1].link, txns=[1])
    lines = [*first, linked(revoking[0])]
    assert [line.key for line in unrevoked(lines)] == ["b"]
    second = chain(aborted(first[1], Operation.WRITE), link=lines[2].link, txns=[2])
    assert unrevoked([*lines, linked(second[0])]) == []


@pytest.mark.parametrize("operation", [Operation.OPEN, Operation.WRITE, Operation.LIST])
def test_a_revoking_line_names_the_agent_and_nothing_else(operation: Operation) -> None:
    """REC-3: `operation` is the call that found it."""
    (line,) = chain(event())
    revoking = aborted(linked(line), operation)._asdict()
    reason = revoking.pop("reason")
    assert reason
    assert {name: value for name, value in revoking.items() if value is not None} == {
        "action": "memory_aborted",
        "actor": "system",
        "agent_id": AGENT_ID,
        "agent": "main",
        "operation": operation,
    }


def test_a_revoking_line_of_a_line_without_an_agent_names_none() -> None:
    """REC-3, REC-9."""
    (line,) = chain(EMPTY)
    assert aborted(linked(line), Operation.OPEN).agent_id is None


@pytest.mark.parametrize("value", [b"", b"4", bytes(1000)])
def test_a_value_is_told_by_an_hmac_under_the_agents_key(value: bytes) -> None:
    """REC-1: computed here anew, and the same at each time; another key gives another one."""
    expected = hmac.new(HMAC_KEY, value, hashlib.sha256).digest()
    assert [value_hmac(HMAC_KEY, value) for _ in range(2)] == [expected] * 2
    assert value_hmac(b"\x08" * 32, value) != expected
    assert expected != hashlib.sha256(value).digest()
