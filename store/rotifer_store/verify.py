"""The store against itself: indexes, entries, counters, and the state that the audit log implies (REC-9).

Writers are kept out only while the database's snapshot and the log's length are taken together; reading a
long log then stops nobody. What is wrong comes as findings; nothing is put right here.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rotifer_store.audit_line import Link, is_ours, parse_object, value_hmac
from rotifer_store.change import Change, Shell, recover
from rotifer_store.deployer_plan import plan_checkpoint
from rotifer_store.errors import MemoryInvalidInput
from rotifer_store.logs import UnreadableLine, audit_files, read_lines, read_telemetry, rotated_name
from rotifer_store.model import Counters, Finding, Held
from rotifer_store.quota import counters_after
from rotifer_store.replay import EntryName, Implied, LogCheck
from rotifer_store.retention import effective_days, stored_expiry_us
from rotifer_store.rfc3339 import format_us
from rotifer_store.tables import CATEGORY_OF, AuditAction, Operation
from rotifer_store.translate import damaged
from rotifer_store.validate import key_size_bytes

_ABORTED_MARK = f'"action":"{AuditAction.MEMORY_ABORTED}"'.encode("ascii")


def verify(shell: Shell) -> list[Finding]:
    """Everything that does not agree; empty where all is sound.

    Raises:
        MemoryStorageError: the store or a log cannot be read at all.
    """
    findings = [Finding("index", "playground.db", problem) for problem in shell.engine.integrity_problems()]
    sql = shell.engine.sql
    with shell.engine.snapshot() as execute:
        with shell.engine.standing_still():
            state = execute(sql.load_state, ()).fetchone()
            if state is None:
                raise damaged()
            _, seq, digest = state
            sizes = {path: path.stat().st_size for path in audit_files(shell.folder) if path.is_file()}
        agents = {row[0]: _stored_agent(row) for row in execute(sql.verify_agents, ())}
        stored, entry_findings = _check_entries(execute(sql.verify_entries, ()), agents, seq)
    findings += entry_findings
    check = LogCheck(Link(seq, digest), _revoked(sizes))
    for path, size_bytes in sizes.items():
        for number, line in enumerate(read_lines(path, size_bytes), 1):
            check.feed(f"{path.name}:{number}", line)
    findings += check.close(stored)
    findings += [
        Finding("telemetry-line", f"{line.file}:{line.line_number}", "the line holds no JSON object")
        for line in read_telemetry(shell.folder)
        if isinstance(line, UnreadableLine)
    ]
    return findings


class _StoredAgent(NamedTuple):
    agent_id: str
    days: int | None
    hmac_key: bytes
    order_us: int
    counters: Counters


def _stored_agent(row: Sequence[Any]) -> _StoredAgent:
    _, agent_id, days, hmac_key, order_us, *numbers = row
    return _StoredAgent(agent_id, days, hmac_key, order_us, Counters._make(numbers))


def _check_entries(
    rows: Iterator[Sequence[Any]], agents: Mapping[int, _StoredAgent], last_seq: int
) -> tuple[dict[EntryName, Implied], list[Finding]]:
    """What the store says of each entry, and what of it, or of the counters, cannot be."""
    stored: dict[EntryName, Implied] = {}
    findings: list[Finding] = []
    counted = {ref: Counters() for ref in agents}
    for agent_ref, order_us, seq, expires_at_us, value, *members in rows:
        entry = Held._make(members)
        agent = agents.get(agent_ref)
        if agent is None:
            findings.append(Finding("entry", entry.key, "the entry belongs to no agent"))
            continue
        counted[agent_ref] = counters_after(
            counted[agent_ref], (), ((entry.category_stored, entry.size_bytes),)
        )
        problems = _problems(entry, agent, order_us, seq, expires_at_us, value, last_seq)
        findings += [Finding("entry", f"{agent.agent_id} {entry.key}", problem) for problem in problems]
        stored[agent.agent_id, entry.key] = Implied(
            CATEGORY_OF[entry.category_stored],
            entry.size_bytes - len(entry.key.encode()),
            entry.value_hmac.hex(),
        )
    findings += [
        Finding("counters", agent.agent_id, "the agent's counters are not the sums of its entries")
        for ref, agent in agents.items()
        if agent.counters != counted[ref]
    ]
    return stored, findings


def _problems(
    entry: Held,
    agent: _StoredAgent,
    order_us: int,
    seq: int,
    expires_at_us: int | None,
    value: bytes,
    last_seq: int,
) -> Iterator[str]:
    try:
        key_bytes = key_size_bytes(entry.key)
    except MemoryInvalidInput:
        yield "no entry can have that key"
        key_bytes = len(entry.key.encode())
    if entry.size_bytes != key_bytes + len(value):
        yield "the stored size is not that of key and value"
    if not hmac.compare_digest(value_hmac(agent.hmac_key, value), entry.value_hmac):
        yield "the value is not the one that was written"
    days = effective_days(entry.own_days, entry.own_auto_delete, agent.days)
    if expires_at_us != stored_expiry_us(entry.updated_at_us, days):
        yield "the stored expiry is not the one that its policies give"
    if entry.updated_at_us < entry.created_at_us:
        yield "it was updated before it was created"
    if order_us > agent.order_us or seq > last_seq:
        yield "its place in the order of update is ahead of the agent's"


def _revoked(sizes: Mapping[Path, int]) -> set[int]:
    """The transactions that aborted lines revoke; found first, because they follow what they revoke."""
    revoked: set[int] = set()
    for path, size_bytes in sizes.items():
        for line in read_lines(path, size_bytes):
            if _ABORTED_MARK not in line:
                continue
            members = parse_object(line)
            if members is not None and is_ours(members) and members["action"] == AuditAction.MEMORY_ABORTED:
                txn = members["txn"]
                if type(txn) is int:
                    revoked.add(txn)
    return revoked


def rotate_audit(shell: Shell) -> Path | None:
    """Closes the log under a dated name and begins the next with a checkpoint (REC-9).

    Returns the closed file's path, or None where there is no log.

    Raises:
        MemoryStorageError: the log cannot be renamed, or the checkpoint not written.
    """
    recover(shell)
    if not shell.audit.exists():
        return None
    with Change(shell, Operation.ROTATE) as change:
        end = change.load_state()
        name = rotated_name(format_us(change.now_us)[:10].replace("-", ""), end.seq)
        if not (shell.folder / name).exists():  # there already: a rotation went no further than the renaming
            change.set_log_aside(name)
        change.commit(plan_checkpoint(name))
    return shell.folder / name
