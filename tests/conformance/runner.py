"""Runs one case through one door and fails at the first thing that is not as the case says.

The runner owns the store, its clock and its folders; the door makes the calls. What the form asks for beyond
the steps themselves (ten members and the right entryId on every returned entry, sound log lines, an empty
``verify()``, no written value in the logs) is checked for every case.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance import logs
from conformance.case_file import (
    ENTRY_MEMBERS,
    MISSING,
    Advance,
    Audit,
    Case,
    CaseAgent,
    Delete,
    DeployerDelete,
    DeployerList,
    DeployerUsage,
    Export,
    Import,
    MoveAgent,
    NotBytes,
    Query,
    Read,
    Reopen,
    SetDataPolicy,
    SetQuota,
    Step,
    Telemetry,
    Write,
)
from conformance.doors import Door, GeneDoor, Refused
from rotifer_store import FixedClock, Store, open_store


class CaseFailure(AssertionError):
    """A case did not come out as it says."""


def run_case(case: Case, door: Door, folder: Path) -> None:
    """Passes where every step and every closing check of ``case`` holds, in the empty ``folder``.

    Raises:
        CaseFailure: something came out otherwise; the message names the step.
    """
    run = _CaseRun(case, door, folder)
    try:
        run.run()
    finally:
        run.close()


class _CaseRun:
    """The state of one running case: the store it stands in, and what the log steps have seen so far."""

    def __init__(self, case: Case, door: Door, folder: Path) -> None:
        self._case = case
        self._door = door
        self._folder = folder
        self._clock = FixedClock(case.start_us)
        self._agents: dict[str, CaseAgent] = dict(case.agents)
        self._projects: list[Path] = []
        self._store: Store | None = None
        self._genes: dict[tuple[str, str], GeneDoor] = {}
        self._audit_seen = 0
        self._telemetry_seen = 0
        self._hmac_of_name: dict[str, str] = {}

    def run(self) -> None:
        self._open_new_project()
        for agent in self._agents.values():
            self._create_agent(agent)
        for number, step in enumerate(self._case.steps, 1):
            where = f"step {number} ({type(step).__name__})"
            try:
                self._take(step)
            except (AssertionError, Refused) as error:
                raise CaseFailure(f"{self._case.case_id}, {where}: {error}") from error
        try:
            self._close_the_books()
        except AssertionError as error:
            raise CaseFailure(f"{self._case.case_id}, at the end: {error}") from error

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    # The store and its folders.

    @property
    def _open(self) -> Store:
        assert self._store is not None
        return self._store

    @property
    def _audit_file(self) -> Path:
        return self._projects[-1] / ".rotifer" / "audit.jsonl"

    @property
    def _telemetry_file(self) -> Path:
        return self._projects[-1] / ".rotifer" / "telemetry.jsonl"

    def _open_new_project(self) -> None:
        project = self._folder / f"project-{len(self._projects)}"
        project.mkdir()
        self._projects.append(project)
        self._audit_seen = self._telemetry_seen = 0
        self._open_store()

    def _open_store(self) -> None:
        self.close()
        self._genes = {}
        self._store = open_store(self._projects[-1], clock=self._clock)

    def _create_agent(self, agent: CaseAgent) -> None:
        given: dict[str, Any] = {}
        if agent.quota_bytes is not None:
            given["memory_quota_bytes"] = agent.quota_bytes
        if agent.data_policy is not None:
            given["data_policy"] = agent.data_policy
        self._open.create_agent(agent.name, agent_id=agent.agent_id, **given)

    def _check_agents_stand(self) -> None:
        ids = {agent.name: agent.id for agent in self._open.agents()}
        _same("the agents", ids, {agent.name: agent.agent_id for agent in self._agents.values()})

    def _gene(self, agent: str, gene: str) -> GeneDoor:
        if (agent, gene) not in self._genes:
            self._genes[agent, gene] = self._door.gene(self._open, agent, self._case.genes[gene])
        return self._genes[agent, gene]

    # The steps.

    def _take(self, step: Step) -> None:
        match step:
            case Write():
                self._write(step)
            case Read():
                self._read(step)
            case Query():
                self._query(step)
            case Delete():
                _outcome(step.error, lambda: self._gene(step.agent, step.gene).delete(step.key))
            case Advance():
                self._clock.advance(step.seconds)
            case Reopen():
                self._open_store()
                self._check_agents_stand()
            case Audit():
                self._check_audit(step)
            case Telemetry():
                self._check_telemetry(step)
            case _:
                self._take_as_deployer(step)

    def _take_as_deployer(self, step: Step) -> None:
        deployer = self._door.deployer(self._open)
        match step:
            case DeployerList():
                self._list(step)
            case DeployerDelete(agent=agent, key=key, category=category):
                removed = _outcome(step.error, lambda: deployer.delete_memory(agent, key, category))
                if step.error is None:
                    _same("removed", removed, step.removed)
            case DeployerUsage():
                _same("bytes", deployer.used_bytes(step.agent), step.used_bytes)
            case SetDataPolicy():
                deployer.set_data_policy(step.agent, step.data_policy)
            case SetQuota():
                deployer.set_quota(step.agent, step.quota_bytes)
            case Export():
                deployer.export_memory(
                    step.agent, self._export_file(step.file), include_cache=step.include_cache
                )
            case Import(agent=agent, file=file, copy_private=copy_private):
                source = self._export_file(file)
                _outcome(step.error, lambda: deployer.import_memory(agent, source, copy_private=copy_private))
            case MoveAgent():
                self._move_agent(step)
            case _:
                raise AssertionError(f"the runner knows no step {type(step).__name__}")

    def _write(self, step: Write) -> None:
        value = step.value.value if isinstance(step.value, NotBytes) else step.value
        gene = self._gene(step.agent, step.gene)
        entry = _outcome(step.error, lambda: gene.write(step.key, value, step.category, step.policies))
        if step.error is None:
            self._check_entry(step.agent, entry, step.expect, key=step.key)

    def _read(self, step: Read) -> None:
        gene = self._gene(step.agent, step.gene)
        entry = _outcome(step.error, lambda: gene.read(step.key, step.category))
        if step.error is not None:
            return
        if entry is not None:
            self._check_entry(step.agent, entry, {}, key=step.key)
        if step.expect is MISSING:
            return
        if step.expect is None or entry is None:
            _same("the entry", entry, step.expect)
        else:
            self._check_entry(step.agent, entry, step.expect, key=step.key)

    def _query(self, step: Query) -> None:
        gene = self._gene(step.agent, step.gene)
        entries = _outcome(step.error, lambda: gene.query(step.filter))
        if step.error is not None:
            return
        for entry in entries:
            self._check_entry(step.agent, entry, {}, key=entry.get("key"))
        self._check_rows(step.agent, entries, step.keys, step.entries, self._check_entry)
        if step.count is not None:
            _same("count", len(entries), step.count)

    def _list(self, step: DeployerList) -> None:
        rows = self._door.deployer(self._open).list_memory(step.agent, step.category)
        for row in rows:
            self._check_listed(step.agent, row, {}, key=row["key"])
        self._check_rows(step.agent, rows, step.keys, step.entries, self._check_listed)
        if step.sizes is not None:
            _same("sizes", [row["sizeBytes"] for row in rows], list(step.sizes))

    def _move_agent(self, step: MoveAgent) -> None:
        _same("verify() of the store left behind", list(self._open.verify()), [])
        self._agents = {step.agent: self._agents[step.agent]}
        self._open_new_project()
        self._door.deployer(self._open).import_agent(self._export_file(step.file))
        self._check_agents_stand()

    def _export_file(self, name: str) -> Path:
        return self._folder / f"export-{hashlib.sha256(name.encode()).hexdigest()[:16]}.jsonl"

    # Entries.

    def _check_rows(
        self,
        agent: str,
        rows: Sequence[Mapping[str, Any]],
        keys: Sequence[str] | None,
        expected: Sequence[Mapping[str, Any]] | None,
        check: Callable[..., None],
    ) -> None:
        if keys is not None:
            _same("keys", [row["key"] for row in rows], list(keys))
        if expected is not None:
            _same("the number of entries", len(rows), len(expected))
            for row, members in zip(rows, expected, strict=True):
                check(agent, row, members, key=row["key"])

    def _check_entry(self, agent: str, entry: Any, expect: Mapping[str, Any] | None, *, key: Any) -> None:
        if not isinstance(entry, Mapping) or set(entry) != set(ENTRY_MEMBERS):
            raise AssertionError("a returned entry has other members than the ten of ENT-1")
        decoded = {**entry, "value": _value_bytes(entry["value"])}
        self._check_members(agent, decoded, expect or {}, key=key)

    def _check_listed(self, agent: str, row: Any, expect: Mapping[str, Any], *, key: Any) -> None:
        self._check_members(agent, row, expect, key=key)

    def _check_members(self, agent: str, entry: Any, expect: Mapping[str, Any], *, key: Any) -> None:
        _same("key", entry["key"], key)
        name = f"{self._agents[agent].agent_id}\0{key}".encode()
        _same("entryId", entry["entryId"], hashlib.sha256(name).hexdigest())
        for member, expected in expect.items():
            _same(member, entry[member], expected)

    # The logs.

    def _check_audit(self, step: Audit) -> None:
        records = logs.read_audit(self._audit_file)
        lines = [record for record in records[self._audit_seen :] if record["action"] != "agent_create"]
        self._audit_seen = len(records)
        shown = [(line["action"], line["key"]) for line in lines]
        if len(lines) != len(step.lines):
            raise AssertionError(f"{len(step.lines)} audit lines expected, there are {_short(shown)}")
        for number, (line, expected) in enumerate(zip(lines, step.lines, strict=True), 1):
            for member, value in expected.items():
                what = f"audit line {number} of {_short(shown)}, {member}"
                if member == "value_hmac" and value is not None:
                    self._check_hmac(what, line[member], value)
                else:
                    _same(what, line[member], value)

    def _check_hmac(self, what: str, actual: Any, name: str) -> None:
        if not isinstance(actual, str) or not re.fullmatch(r"[0-9a-f]{64}", actual):
            raise AssertionError(f"{what}: not 64 lower-case hex digits")
        if self._hmac_of_name.setdefault(name, actual) != actual:
            raise AssertionError(f"{what}: differs from the one before of the same name")
        if any(actual == other for other_name, other in self._hmac_of_name.items() if other_name != name):
            raise AssertionError(f"{what}: equals one of another name")

    def _check_telemetry(self, step: Telemetry) -> None:
        events = logs.read_telemetry(self._telemetry_file, logs.read_audit(self._audit_file))
        _same("telemetry events", len(events) - self._telemetry_seen, step.count)
        self._telemetry_seen = len(events)

    def _close_the_books(self) -> None:
        logs.read_telemetry(self._telemetry_file, logs.read_audit(self._audit_file))
        _same("verify()", list(self._open.verify()), [])
        steps = self._case.steps
        lines = [
            line
            for project in self._projects
            for name in ("audit.jsonl", "telemetry.jsonl")
            for line in logs.raw_lines(project / ".rotifer" / name)
        ]
        logs.check_holds_no_value(
            lines,
            {step.value for step in steps if isinstance(step, Write) and isinstance(step.value, bytes)},
            gene_ids=[gene.gene_id for gene in self._case.genes.values() if gene.gene_id],
            keys={step.key for step in steps if isinstance(step, Write | Read | Delete | DeployerDelete)},
        )


def _outcome(error: str | None, call: Callable[[], Any]) -> Any:
    """Returns what the call returns, or None where it is refused with the code that the step expects."""
    try:
        result = call()
    except Refused as refusal:
        if error is None:
            raise
        _same("the code", refusal.code, error)
        return None
    if error is not None:
        raise AssertionError(f"{error} expected, but the call succeeded")
    return result


def _value_bytes(text: Any) -> bytes:
    """Returns the bytes that padded standard base64 stands for (ENT-1)."""
    try:
        value = base64.b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise AssertionError("a value is not base64") from error
    if base64.b64encode(value).decode() != text:
        raise AssertionError("a value is not padded standard base64")
    return value


def _same(what: str, actual: Any, expected: Any) -> None:
    if not _is_same(actual, expected):
        raise AssertionError(f"{what}: {_short(expected)} expected, there is {_short(actual)}")


def _is_same(actual: Any, expected: Any) -> bool:
    """Equality that keeps true and 1, and 1 and 1.0, apart, as JSON texts do."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return set(actual) == set(expected) and all(_is_same(actual[name], expected[name]) for name in actual)
    if isinstance(actual, list) and isinstance(expected, list):
        return len(actual) == len(expected) and all(map(_is_same, actual, expected))
    if isinstance(actual, str) and isinstance(expected, str):
        return actual == expected
    return type(actual) is type(expected) and actual == expected


def _short(item: Any) -> str:
    text = repr(item) if isinstance(item, bytes) else json.dumps(item, default=repr)
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"
