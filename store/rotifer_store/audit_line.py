"""One line of the audit log: its members, its text, and its place in the chain (REC).

Pure. A line is one compact JSON object in ASCII, so no key can break it; `hash` is its last member, the
SHA-256 of the line as it would be without it, and `prev_hash` is the `hash` of the line before.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from rotifer_store.tables import (
    AUDIT_MEMBERS,
    Actor,
    AuditAction,
    ErrorCode,
    MemoryCategory,
    Operation,
)

if TYPE_CHECKING:
    from hashlib import _Hash

GENESIS_HASH = "0" * 64
"""The `prev_hash` of a store's first line."""

_HMAC_BLOCK_BYTES = 64
"""What SHA-256 takes at a time, and HMAC pads its key to."""

_quote = json.encoder.encode_basestring_ascii


class AuditEvent(NamedTuple):
    """What happened, before it has a place in the log. Members that do not apply are None."""

    action: AuditAction
    actor: Actor
    operation: Operation
    agent_id: str | None = None
    agent: str | None = None
    gene_id: str | None = None
    gene_domain: str | None = None
    key: str | None = None
    category: MemoryCategory | None = None
    old_category: MemoryCategory | None = None
    entry_id: str | None = None
    bytes: int | None = None
    value_hmac: str | None = None
    code: ErrorCode | None = None
    reason: str | None = None


class Link(NamedTuple):
    """The end of a chain: the last line's `seq` and `hash`."""

    seq: int
    hash: str


def encode_lines(events: Iterable[AuditEvent], ts: str, link: Link, txn: int) -> tuple[list[bytes], Link]:
    """The lines of one transaction, newlines included, that follow `link`, and the chain's new end."""
    lines, (seq, digest) = [], link
    for event in events:
        seq += 1
        body = f'{{"ts":"{ts}","seq":{seq},"txn":{txn},{_members(event)},"prev_hash":"{digest}"'
        digest = sha256(f"{body}}}".encode("ascii")).hexdigest()
        lines.append(f'{body},"hash":"{digest}"}}\n'.encode("ascii"))
    return lines, Link(seq, digest)


def encode_line(event: AuditEvent, ts: str, link: Link, txn: int) -> tuple[bytes, Link]:
    """The line, newline included, that follows `link`, and the chain's new end."""
    (line,), end = encode_lines((event,), ts, link, txn)
    return line, end


def _members(event: AuditEvent) -> str:
    """What a line says of its event, in the order of its members."""
    action, actor, operation, agent_id, agent, gene_id, gene_domain, key, category, old_category = event[:10]
    entry_id, size_bytes, value_hmac, code, reason = event[10:]
    return (
        f"{_whose(action, actor, agent_id, agent, gene_id, gene_domain)}"
        f',"key":{"null" if key is None else _quote(key)},{_categories(category, old_category)}'
        f',"entry_id":{"null" if entry_id is None else _quote(entry_id)}'
        f',"bytes":{"null" if size_bytes is None else size_bytes}'
        f',"value_hmac":{"null" if value_hmac is None else _quote(value_hmac)}'
        f",{_outcome(operation, code, reason)}"
    )


@lru_cache(maxsize=256)
def _whose(
    action: AuditAction,
    actor: Actor,
    agent_id: str | None,
    agent: str | None,
    gene_id: str | None,
    gene_domain: str | None,
) -> str:
    """The members that say who did what to whom: most lines repeat them, so their text is kept."""
    return (
        f'"action":{_quote(action)},"actor":{_quote(actor)},"agent_id":{_text(agent_id)},"agent":{_text(agent)}'
        f',"gene_id":{_text(gene_id)},"gene_domain":{_text(gene_domain)}'
    )


@lru_cache(maxsize=64)
def _categories(category: MemoryCategory | None, old_category: MemoryCategory | None) -> str:
    return f'"category":{_text(category)},"old_category":{_text(old_category)}'


@lru_cache(maxsize=256)
def _outcome(operation: Operation, code: ErrorCode | None, reason: str | None) -> str:
    return f'"operation":{_quote(operation)},"code":{_text(code)},"reason":{_text(reason)}'


def _text(value: str | None) -> str:
    """JSON text, in ASCII whatever it holds (REC-5)."""
    return "null" if value is None else _quote(value)


def ends_with(tail: bytes, link: Link) -> bool:
    """Whether the bytes at a log's end are those of the line that `link` names."""
    return tail.endswith(b'"hash":"%s"}\n' % link.hash.encode("ascii"))


class ChainedLine(NamedTuple):
    """A line of ours whose own hash is right, with the members that recovery and replay look at."""

    seq: int
    txn: int
    action: str
    agent_id: str | None
    agent: str | None
    key: str | None
    category: str | None
    bytes: int | None
    value_hmac: str | None
    prev_hash: str
    hash: str

    @property
    def link(self) -> Link:
        """The chain's end after this line."""
        return Link(self.seq, self.hash)


def parse_object(line: bytes) -> dict[str, object] | None:
    """The JSON object that a line holds, or None where it holds none; NaN and infinities are not JSON."""
    try:
        parsed = _decoder.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)


_decoder = json.JSONDecoder(parse_constant=_no_number)
"""Made once: a log has many lines."""


def is_ours(members: Mapping[str, object]) -> bool:
    """Whether an object claims to be an audit line of this store; other programs may write beside it."""
    return members.keys() == set(AUDIT_MEMBERS)


def chained_line(line: bytes, members: Mapping[str, object]) -> ChainedLine | None:
    """The line as a link of the chain, or None where its hash or the type of a member is wrong."""
    digest = members["hash"]
    end = b',"hash":"' + str(digest).encode("ascii", "replace") + b'"}'
    body = line.rstrip(b"\n")
    if not body.endswith(end) or sha256(body[: -len(end)] + b"}").hexdigest() != digest:
        return None
    seq, txn, prev_hash = members["seq"], members["txn"], members["prev_hash"]
    if type(seq) is not int or type(txn) is not int or not isinstance(prev_hash, str):
        return None
    return ChainedLine(
        seq,
        txn,
        str(members["action"]),
        _text_or_none(members["agent_id"]),
        _text_or_none(members["agent"]),
        _text_or_none(members["key"]),
        _text_or_none(members["category"]),
        members["bytes"] if type(members["bytes"]) is int else None,
        _text_or_none(members["value_hmac"]),
        prev_hash,
        str(digest),
    )


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def lines_after(link: Link, lines: Iterable[bytes]) -> list[ChainedLine]:
    """The lines of a log that continue the chain from `link`: written, but not known to the store (REC-3).

    Lines of others, torn ones and those before `link` are passed over. A line names the one that it follows,
    so most of them need no parsing.
    """
    found: list[ChainedLine] = []
    for line in lines:
        if link.hash.encode("ascii") not in line:
            continue
        members = parse_object(line)
        if members is None or not is_ours(members):
            continue
        chained = chained_line(line, members)
        if chained is not None and (chained.prev_hash, chained.seq) == (link.hash, link.seq + 1):
            found.append(chained)
            link = chained.link
    return found


def unrevoked(lines: Sequence[ChainedLine]) -> list[ChainedLine]:
    """The first line of each transaction among `lines` that no aborted line revokes yet (REC-3)."""
    revoked = {line.txn for line in lines if line.action == AuditAction.MEMORY_ABORTED}
    first: dict[int, ChainedLine] = {}
    for line in lines:
        if line.txn not in revoked:
            first.setdefault(line.txn, line)
    return list(first.values())


def aborted(line: ChainedLine, operation: Operation) -> AuditEvent:
    """The event that revokes the transaction of `line`; `operation` is the call that found it (REC-3)."""
    return AuditEvent(
        AuditAction.MEMORY_ABORTED,
        Actor.SYSTEM,
        operation,
        line.agent_id,
        line.agent,
        reason="the change of that txn was never saved",
    )


def value_hmac(key: bytes, value: bytes) -> bytes:
    """What the log says of a value: a bare hash of a short one would give it away (REC-1)."""
    inner, outer = _keyed(key)
    hashed = inner.copy()
    hashed.update(value)
    keyed = outer.copy()
    keyed.update(hashed.digest())
    return keyed.digest()


@lru_cache(maxsize=64)
def _keyed(key: bytes) -> tuple[_Hash, _Hash]:
    """The two sums of an agent's HMAC before any value; setting them up costs as much as hashing a kilobyte.

    An agent's key fits into one block.
    """
    block = key.ljust(_HMAC_BLOCK_BYTES, b"\0")
    return sha256(block.translate(hmac.trans_36)), sha256(block.translate(hmac.trans_5C))
