"""The form "memory-cases/1": reads case files into steps and refuses whatever the form does not name.

A member that nobody reads would be a check that nobody makes, so an unknown member, step or value form is
a ``CaseFileError``. Names are resolved here (keys and values written out, ``@a`` replaced by the gene's id),
so the runner meets plain data. Knows nothing of the product.
"""

import enum
import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

FORMAT: Final = "memory-cases/1"
DEFAULT_START: Final = "2026-01-01T00:00:00Z"
DEFAULT_AGENT: Final = "main"

ENTRY_MEMBERS: Final = (
    "entryId",
    "category",
    "key",
    "value",
    "createdBy",
    "lastAccessedBy",
    "createdAt",
    "updatedAt",
    "accessPolicy",
    "retentionPolicy",
)
LISTED_MEMBERS: Final = tuple(name for name in ENTRY_MEMBERS if name != "value")
AUDIT_MEMBERS: Final = (
    "ts",
    "seq",
    "txn",
    "action",
    "actor",
    "agent_id",
    "agent",
    "gene_id",
    "gene_domain",
    "key",
    "category",
    "old_category",
    "entry_id",
    "bytes",
    "value_hmac",
    "operation",
    "code",
    "reason",
    "prev_hash",
    "hash",
)
ERROR_CODES: Final = frozenset(
    {
        "MEMORY_NOT_FOUND",
        "MEMORY_ACCESS_DENIED",
        "MEMORY_QUOTA_EXCEEDED",
        "MEMORY_INVALID_INPUT",
        "MEMORY_STORAGE_ERROR",
    }
)


class CaseFileError(Exception):
    """A case file says something that the form does not name, or leaves out what it asks for."""


class Missing(enum.Enum):
    """Stands for a member that a step leaves out, which null does not."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


@dataclass(frozen=True, slots=True)
class NotBytes:
    """A value that no door may accept, handed over as it is."""

    value: Any


@dataclass(frozen=True, slots=True)
class CaseGene:
    """A gene of a case; ``gene_id`` is None, or any text, where the case gives it."""

    name: str
    gene_id: str | None
    domain: str


@dataclass(frozen=True, slots=True)
class CaseAgent:
    """An agent of a case; None stands for the store's default."""

    name: str
    quota_bytes: int | None
    data_policy: Mapping[str, Any] | None

    @property
    def agent_id(self) -> str:
        """The UUID v4 made of the first 16 bytes of the SHA-256 of the name."""
        return str(uuid.UUID(bytes=hashlib.sha256(self.name.encode()).digest()[:16], version=4))


@dataclass(frozen=True, slots=True)
class Write:
    """A gene writes; ``policies`` holds those of the two that the step gives."""

    agent: str
    gene: str
    key: str
    value: bytes | NotBytes
    category: Any
    policies: Mapping[str, Any]
    expect: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Read:
    """A gene reads; an ``expect`` of None means that null must come back."""

    agent: str
    gene: str
    key: str
    category: Any
    expect: Mapping[str, Any] | Missing | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Query:
    """A gene queries."""

    agent: str
    gene: str
    filter: Mapping[str, Any]
    keys: Sequence[str] | None
    entries: Sequence[Mapping[str, Any]] | None
    count: int | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    """A gene deletes."""

    agent: str
    gene: str
    key: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Advance:
    """The clock moves by that many seconds, also backwards."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reopen:
    """The store is closed and opened again at the same clock."""


@dataclass(frozen=True, slots=True)
class DeployerList:
    """The deployer lists an agent's entries."""

    agent: str
    category: str | None
    keys: Sequence[str]
    sizes: Sequence[int] | None
    entries: Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True, slots=True)
class DeployerDelete:
    """The deployer deletes one key or a whole category."""

    agent: str
    key: str | None
    category: str | None
    removed: int | None
    error: str | None


@dataclass(frozen=True, slots=True)
class DeployerUsage:
    """The deployer looks at the bytes in use."""

    agent: str
    used_bytes: int


@dataclass(frozen=True, slots=True)
class SetDataPolicy:
    """The deployer changes an agent's data policy."""

    agent: str
    data_policy: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SetQuota:
    """The deployer changes an agent's quota."""

    agent: str
    quota_bytes: int


@dataclass(frozen=True, slots=True)
class Export:
    """The deployer exports an agent into a file of the case."""

    agent: str
    file: str
    include_cache: bool


@dataclass(frozen=True, slots=True)
class Import:
    """The deployer imports a file of the case into an agent that stands."""

    agent: str
    file: str
    copy_private: bool
    error: str | None


@dataclass(frozen=True, slots=True)
class MoveAgent:
    """The case goes on in a new store that holds the file's agent alone."""

    agent: str
    file: str


@dataclass(frozen=True, slots=True)
class Audit:
    """Exactly these lines since the last such step."""

    lines: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Telemetry:
    """That many events since the last such step."""

    count: int


Step = (
    Write
    | Read
    | Query
    | Delete
    | Advance
    | Reopen
    | DeployerList
    | DeployerDelete
    | DeployerUsage
    | SetDataPolicy
    | SetQuota
    | Export
    | Import
    | MoveAgent
    | Audit
    | Telemetry
)


@dataclass(frozen=True, slots=True)
class Case:
    """One case, ready to run."""

    case_id: str
    rules: Sequence[str]
    agents: Mapping[str, CaseAgent]
    genes: Mapping[str, CaseGene]
    start_us: int
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class RawCase:
    """A case as its file gives it: its name is known, its members are not yet looked at."""

    file_name: str
    case_id: str
    members: Mapping[str, Any]


def read_cases(folder: Path) -> list[RawCase]:
    """Returns the cases of ``folder``, or of its ``memory`` folder where it has one, by file and place.

    Raises:
        CaseFileError: a file is not of the form, an id is no name or stands twice, or there is no case.
    """
    cases: list[RawCase] = []
    seen: set[str] = set()
    home = folder / "memory" if (folder / "memory").is_dir() else folder
    for path in sorted(home.glob("*.json")):
        for members in _read_case_file(path):
            case_id = members.get("id") if isinstance(members, dict) else None
            if not isinstance(case_id, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case_id):
                raise CaseFileError(f"{path.name}: {case_id!r} is not a kebab-case id")
            if case_id in seen:
                raise CaseFileError(f"{path.name}: the id {case_id} stands twice")
            seen.add(case_id)
            cases.append(RawCase(path.name, case_id, members))
    if not cases:
        raise CaseFileError(f"{home} holds no case of the form {FORMAT}")
    return cases


def parse_case(members: Mapping[str, Any]) -> Case:
    """Returns the case that ``members`` describe.

    Raises:
        CaseFileError: a member is unknown, missing or of the wrong type.
    """
    return _CaseParser(members).case()


def start_us(text: str) -> int:
    """Returns the instant as microseconds since the epoch."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", text, re.ASCII):
        raise CaseFileError(f"start: {text!r} is not a UTC time")
    instant = datetime.fromisoformat(text)
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _read_case_file(path: Path) -> list[Any]:
    text = path.read_bytes().decode("utf-8")
    try:
        document = json.loads(text, object_pairs_hook=_unique_members, parse_constant=_no_constant)
    except ValueError as error:
        raise CaseFileError(f"{path.name}: {error}") from error
    _members(document, path.name, required={"format", "cases"})
    if document["format"] != FORMAT:
        raise CaseFileError(f"{path.name}: the form {document['format']!r} is not {FORMAT}")
    return _typed(document["cases"], list, f"{path.name}: cases")


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise CaseFileError(f"a member stands twice among {[name for name, _ in pairs]}")
    return members


def _no_constant(name: str) -> Any:
    raise CaseFileError(f"{name} is not JSON")


def _members(
    item: Any, where: str, *, required: set[str] = frozenset(), optional: set[str] = frozenset()
) -> dict[str, Any]:
    _typed(item, dict, where)
    if unknown := sorted(set(item) - required - optional):
        raise CaseFileError(f"{where}: unknown members {unknown}")
    if absent := sorted(required - set(item)):
        raise CaseFileError(f"{where}: members {absent} are missing")
    return item


def _typed(item: Any, kind: type | tuple[type, ...], where: str) -> Any:
    # bool is an int to Python; to the form it is not.
    if not isinstance(item, kind) or (isinstance(item, bool) and kind is not bool):
        raise CaseFileError(f"{where}: {item!r} has the wrong type")
    return item


def _count(item: Any, where: str) -> int:
    if _typed(item, int, where) < 0:
        raise CaseFileError(f"{where}: {item} is negative")
    return item


def _text(item: Any, where: str) -> str:
    """Returns a key, or any text that may be written as a repetition."""
    if isinstance(item, str):
        return item
    _members(item, where, required={"repeat", "count"})
    return _typed(item["repeat"], str, where) * _count(item["count"], where)


def _bytes(item: Any, where: str) -> bytes:
    members = _members(item, where, optional={"text", "hex", "repeat", "count"})
    match members:
        case {"text": str(text), **rest} if not rest:
            return text.encode()
        case {"hex": str(digits), **rest} if not rest and _is_hex(digits):
            return bytes.fromhex(digits)
        case {"repeat": str(digits), "count": int(count), **rest} if not rest and _is_hex(digits):
            return bytes.fromhex(digits) * _count(count, where)
    raise CaseFileError(f"{where}: {sorted(members)} is no form of a value")


def _is_hex(digits: str) -> bool:
    return re.fullmatch(r"([0-9a-f]{2})*", digits) is not None


def _error(step: Mapping[str, Any], where: str, *, instead_of: set[str]) -> str | None:
    """Returns the code that the step expects, which leaves nothing else to expect."""
    if "error" not in step:
        return None
    if step["error"] not in ERROR_CODES:
        raise CaseFileError(f"{where}: {step['error']!r} is no error code")
    if instead_of & set(step):
        raise CaseFileError(f"{where}: an error leaves nothing to expect")
    return step["error"]


@dataclass(slots=True)
class _CaseParser:
    """Reads one case; knows which agents and files stand at each step."""

    members: Mapping[str, Any]
    agents: dict[str, CaseAgent] = field(default_factory=dict)
    genes: dict[str, CaseGene] = field(default_factory=dict)
    standing_agents: set[str] = field(default_factory=set)
    exported: dict[str, str] = field(default_factory=dict)

    def case(self) -> Case:
        case = _members(
            self.members, "case", required={"id", "rules", "genes", "steps"}, optional={"agents", "start"}
        )
        rules = _typed(case["rules"], list, "rules")
        if not rules or len({_typed(rule, str, "rules") for rule in rules}) != len(rules):
            raise CaseFileError("rules: none, or one twice")
        self._read_agents(case.get("agents", {DEFAULT_AGENT: {}}))
        self._read_genes(case["genes"])
        steps = _typed(case["steps"], list, "steps")
        return Case(
            case_id=_typed(case["id"], str, "id"),
            rules=tuple(rules),
            agents=self.agents,
            genes=self.genes,
            start_us=start_us(_typed(case.get("start", DEFAULT_START), str, "start")),
            steps=tuple(self._step(step, f"step {number}") for number, step in enumerate(steps, 1)),
        )

    def _read_agents(self, agents: Any) -> None:
        for name, agent in _typed(agents, dict, "agents").items():
            where = f"agent {name}"
            _members(agent, where, optional={"quotaBytes", "dataPolicy"})
            self.agents[name] = CaseAgent(
                name=name,
                quota_bytes=_count(agent["quotaBytes"], where) if "quotaBytes" in agent else None,
                data_policy=_typed(agent["dataPolicy"], dict, where) if "dataPolicy" in agent else None,
            )
        self.standing_agents = set(self.agents)

    def _read_genes(self, genes: Any) -> None:
        for name, gene in _typed(genes, dict, "genes").items():
            where = f"gene {name}"
            _members(gene, where, required={"domain"}, optional={"id"})
            made_id = f"v2:{hashlib.sha256(name.encode()).hexdigest()}"
            gene_id = _typed(gene.get("id", made_id), (str, type(None)), where)
            self.genes[name] = CaseGene(name, gene_id, _typed(gene["domain"], str, where))

    def _step(self, step: Any, where: str) -> Step:
        _typed(step, dict, where)
        for marker in ("as", "deployer"):
            if marker in step:
                return self._marked_step(marker, step, where)
        _members(step, where, optional={"advance", "reopen", "audit", "telemetry"})
        match step:
            case {"advance": seconds, **rest} if not rest:
                return Advance(_typed(seconds, (int, float), where))
            case {"reopen": True, **rest} if not rest:
                return Reopen()
            case {"audit": list(lines), **rest} if not rest:
                return Audit(tuple(self._audit_line(line, where) for line in lines))
            case {"telemetry": count, **rest} if not rest:
                return Telemetry(_count(count, where))
        raise CaseFileError(f"{where}: {sorted(step)} is no step")

    def _marked_step(self, marker: str, step: Mapping[str, Any], where: str) -> Step:
        forms: Mapping[str, Callable[[Mapping[str, Any], str], Step]]
        if marker == "as":
            forms = {"write": self._write, "read": self._read, "query": self._query, "delete": self._delete}
            named = [form for form in forms if form in step]
        else:
            forms = {
                "list": self._deployer_list,
                "delete": self._deployer_delete,
                "usage": self._deployer_usage,
                "setDataPolicy": self._set_data_policy,
                "setQuota": self._set_quota,
                "export": self._export,
                "import": self._import,
                "moveAgent": self._move_agent,
            }
            named = [form for form in forms if form == step["deployer"]]
        if len(named) != 1:
            raise CaseFileError(f"{where}: {sorted(step)} is no step")
        return forms[named[0]](step, f"{where} ({named[0]})")

    def _agent(self, step: Mapping[str, Any], where: str) -> str:
        name = step.get("agent", DEFAULT_AGENT)
        if name not in self.standing_agents:
            raise CaseFileError(f"{where}: there is no agent {name!r}")
        return name

    def _gene(self, step: Mapping[str, Any], where: str) -> str:
        if step["as"] not in self.genes:
            raise CaseFileError(f"{where}: there is no gene {step['as']!r}")
        return step["as"]

    def _write(self, step: Mapping[str, Any], where: str) -> Write:
        _members(step, where, required={"as", "write"}, optional={"agent", "expect", "error"})
        call = _members(
            step["write"],
            where,
            required={"key", "value", "category"},
            optional={"accessPolicy", "retentionPolicy"},
        )
        return Write(
            agent=self._agent(step, where),
            gene=self._gene(step, where),
            key=_text(call["key"], where),
            value=self._value(call["value"], where),
            category=call["category"],
            policies={name: call[name] for name in ("accessPolicy", "retentionPolicy") if name in call},
            expect=self._entry(step["expect"], ENTRY_MEMBERS, where) if "expect" in step else None,
            error=_error(step, where, instead_of={"expect"}),
        )

    def _value(self, item: Any, where: str) -> bytes | NotBytes:
        match item:
            case {"notBytes": value, **rest} if not rest:
                return NotBytes(value)
        return _bytes(item, where)

    def _read(self, step: Mapping[str, Any], where: str) -> Read:
        _members(step, where, required={"as", "read"}, optional={"agent", "expect", "error"})
        call = _members(step["read"], where, required={"key"}, optional={"category"})
        expect: Mapping[str, Any] | Missing | None = step.get("expect", MISSING)
        if expect is not None and expect is not MISSING:
            expect = self._entry(expect, ENTRY_MEMBERS, where)
        return Read(
            agent=self._agent(step, where),
            gene=self._gene(step, where),
            key=_text(call["key"], where),
            category=call.get("category", MISSING),
            expect=expect,
            error=_error(step, where, instead_of={"expect"}),
        )

    def _query(self, step: Mapping[str, Any], where: str) -> Query:
        checks = {"keys", "entries", "count"}
        _members(step, where, required={"as", "query"}, optional={"agent", "error"} | checks)
        return Query(
            agent=self._agent(step, where),
            gene=self._gene(step, where),
            filter=_typed(step["query"], dict, where),
            keys=self._keys(step["keys"], where) if "keys" in step else None,
            entries=self._entries(step, ENTRY_MEMBERS, where),
            count=_count(step["count"], where) if "count" in step else None,
            error=_error(step, where, instead_of=checks),
        )

    def _delete(self, step: Mapping[str, Any], where: str) -> Delete:
        _members(step, where, required={"as", "delete"}, optional={"agent", "error"})
        call = _members(step["delete"], where, required={"key"})
        return Delete(
            agent=self._agent(step, where),
            gene=self._gene(step, where),
            key=_text(call["key"], where),
            error=_error(step, where, instead_of=set()),
        )

    def _deployer_list(self, step: Mapping[str, Any], where: str) -> DeployerList:
        _members(
            step, where, required={"deployer", "keys"}, optional={"agent", "category", "sizes", "entries"}
        )
        sizes = step.get("sizes")
        return DeployerList(
            agent=self._agent(step, where),
            category=_typed(step["category"], str, where) if "category" in step else None,
            keys=self._keys(step["keys"], where),
            sizes=None if "sizes" not in step else [_count(n, where) for n in _typed(sizes, list, where)],
            entries=self._entries(step, LISTED_MEMBERS, where),
        )

    def _deployer_delete(self, step: Mapping[str, Any], where: str) -> DeployerDelete:
        _members(
            step, where, required={"deployer"}, optional={"agent", "key", "category", "removed", "error"}
        )
        for alternatives in ({"key", "category"}, {"removed", "error"}):
            if len(alternatives & set(step)) != 1:
                raise CaseFileError(f"{where}: exactly one of {sorted(alternatives)} is needed")
        return DeployerDelete(
            agent=self._agent(step, where),
            key=_text(step["key"], where) if "key" in step else None,
            category=_typed(step["category"], str, where) if "category" in step else None,
            removed=_count(step["removed"], where) if "removed" in step else None,
            error=_error(step, where, instead_of=set()),
        )

    def _deployer_usage(self, step: Mapping[str, Any], where: str) -> DeployerUsage:
        _members(step, where, required={"deployer", "bytes"}, optional={"agent"})
        return DeployerUsage(self._agent(step, where), _count(step["bytes"], where))

    def _set_data_policy(self, step: Mapping[str, Any], where: str) -> SetDataPolicy:
        _members(step, where, required={"deployer", "dataPolicy"}, optional={"agent"})
        return SetDataPolicy(self._agent(step, where), _typed(step["dataPolicy"], dict, where))

    def _set_quota(self, step: Mapping[str, Any], where: str) -> SetQuota:
        _members(step, where, required={"deployer", "bytes"}, optional={"agent"})
        return SetQuota(self._agent(step, where), _count(step["bytes"], where))

    def _export(self, step: Mapping[str, Any], where: str) -> Export:
        _members(step, where, required={"deployer", "to"}, optional={"agent", "includeCache"})
        agent, file = self._agent(step, where), _typed(step["to"], str, where)
        self.exported[file] = agent
        return Export(agent, file, _typed(step.get("includeCache", False), bool, where))

    def _import(self, step: Mapping[str, Any], where: str) -> Import:
        _members(step, where, required={"deployer", "agent", "from"}, optional={"copyPrivate", "error"})
        return Import(
            agent=self._agent(step, where),
            file=self._exported_file(step["from"], where),
            copy_private=_typed(step.get("copyPrivate", False), bool, where),
            error=_error(step, where, instead_of=set()),
        )

    def _move_agent(self, step: Mapping[str, Any], where: str) -> MoveAgent:
        _members(step, where, required={"deployer", "from"})
        file = self._exported_file(step["from"], where)
        self.standing_agents = {self.exported[file]}
        return MoveAgent(self.exported[file], file)

    def _exported_file(self, file: Any, where: str) -> str:
        if file not in self.exported:
            raise CaseFileError(f"{where}: nothing was exported to {file!r}")
        return file

    def _keys(self, keys: Any, where: str) -> list[str]:
        return [_text(key, where) for key in _typed(keys, list, where)]

    def _entries(
        self, step: Mapping[str, Any], known: Sequence[str], where: str
    ) -> list[Mapping[str, Any]] | None:
        if "entries" not in step:
            return None
        return [self._entry(entry, known, where) for entry in _typed(step["entries"], list, where)]

    def _entry(self, expect: Any, known: Sequence[str], where: str) -> Mapping[str, Any]:
        members = dict(_members(expect, where, optional=set(known)))
        if "value" in members:
            members["value"] = _bytes(members["value"], where)
        if "key" in members:
            members["key"] = _text(members["key"], where)
        for name in ("createdBy", "lastAccessedBy"):
            if name in members:
                members[name] = self._gene_id(members[name], where)
        return members

    def _audit_line(self, line: Any, where: str) -> Mapping[str, Any]:
        members = dict(_members(line, where, optional=set(AUDIT_MEMBERS)))
        if isinstance(members.get("key"), dict):
            members["key"] = _text(members["key"], where)
        if "gene_id" in members:
            members["gene_id"] = self._gene_id(members["gene_id"], where)
        if "value_hmac" in members:
            _typed(members["value_hmac"], (str, type(None)), where)
        return members

    def _gene_id(self, name: Any, where: str) -> Any:
        """Returns the id that ``@name`` stands for; anything else is itself."""
        if not isinstance(name, str) or not name.startswith("@"):
            return name
        if name[1:] not in self.genes:
            raise CaseFileError(f"{where}: there is no gene {name[1:]!r}")
        return self.genes[name[1:]].gene_id
