"""The runner tells right from wrong: a sound case passes, and each way of being wrong fails."""

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.case_file import CaseFileError, CaseGene, parse_case, read_cases
from conformance.doors import Door, GeneDoor, LibraryDoor
from conformance.runner import CaseFailure, run_case
from rotifer_store import Store

LONG_TEXT = "a text of more than sixteen characters"
JsonObject = dict[str, Any]

SOUND_CASE: JsonObject = {
    "id": "sound",
    "rules": ["ENT-1"],
    "agents": {"main": {"quotaBytes": 200}, "other": {}},
    "genes": {"a": {"domain": "formatter"}, "o": {"domain": "linter"}, "n": {"id": None, "domain": "x"}},
    "steps": [
        {
            "as": "a",
            "write": {"key": "k", "value": {"text": LONG_TEXT}, "category": "CONTEXT"},
            "expect": {
                "value": {"text": LONG_TEXT},
                "createdBy": "@a",
                "createdAt": "2026-01-01T00:00:00.000000Z",
                "retentionPolicy": None,
            },
        },
        {"advance": 1.5},
        {"as": "a", "write": {"key": "l", "value": {"text": "2"}, "category": "PATTERN"}},
        {"as": "a", "read": {"key": "k"}, "expect": {"value": {"text": LONG_TEXT}, "key": "k"}},
        {"as": "a", "read": {"key": "none"}, "expect": None},
        {"as": "o", "read": {"key": "k"}, "error": "MEMORY_ACCESS_DENIED"},
        {"as": "a", "query": {}, "keys": ["l", "k"], "entries": [{"category": "PATTERN"}, {}], "count": 2},
        {"deployer": "list", "keys": ["l", "k"], "sizes": [2, 39], "entries": [{"createdBy": "@a"}, {}]},
        {"deployer": "usage", "bytes": 41},
        {"reopen": True},
        {
            "audit": [
                {"action": "memory_write", "key": "k", "gene_id": "@a", "bytes": 38, "value_hmac": "long"},
                {"action": "memory_write", "key": "l", "value_hmac": "short"},
                {"action": "memory_access_denied", "gene_id": "@o", "value_hmac": None},
            ]
        },
        {"telemetry": 1},
        {"deployer": "export", "to": "f"},
        {"deployer": "import", "agent": "other", "from": "f", "copyPrivate": True},
        {"deployer": "delete", "key": "k", "removed": 1},
        {"as": "a", "delete": {"key": "l"}},
        {"as": "a", "delete": {"key": "l"}, "error": "MEMORY_NOT_FOUND"},
        {
            "audit": [
                {"action": "memory_import", "agent": "other", "key": "k"},
                {"action": "memory_import", "agent": "other", "key": "l"},
                {"action": "memory_delete", "actor": "deployer", "value_hmac": "long"},
                {"action": "memory_delete", "actor": "gene", "value_hmac": "short"},
            ]
        },
        {"deployer": "moveAgent", "from": "f"},
        {"deployer": "list", "keys": ["l", "k"]},
        {"audit": [{"action": "memory_import", "key": "k"}, {"action": "memory_import", "key": "l"}]},
        {"telemetry": 0},
    ],
}

(
    WRITE,
    ADVANCE,
    WRITE_PLAIN,
    READ,
    READ_NONE,
    READ_DENIED,
    QUERY,
    LIST,
    USAGE,
    REOPEN,
    AUDIT,
    TELEMETRY,
    EXPORT,
    IMPORT,
    DELETE_BY_DEPLOYER,
    DELETE,
    DELETE_NONE,
    AUDIT_DELETES,
    MOVE,
    LIST_MOVED,
    AUDIT_MOVED,
    TELEMETRY_MOVED,
) = range(len(SOUND_CASE["steps"]))


def at(number: int, change: Callable[[JsonObject], object]) -> Callable[[JsonObject], object]:
    return lambda case: change(case["steps"][number])


def put(number: int, **members: Any) -> Callable[[JsonObject], object]:
    return at(number, lambda step: step.update(members))


WRONG_EXPECTATIONS: Mapping[str, Callable[[JsonObject], object]] = {
    "another value": put(READ, expect={"value": {"text": "3"}}),
    "another value on a write": at(WRITE, lambda step: step["expect"].update(value={"hex": "00"})),
    "another creator": at(WRITE, lambda step: step["expect"].update(createdBy="@o")),
    "another creation time": at(
        WRITE, lambda step: step["expect"].update(createdAt="2026-01-01T00:00:00.000001Z")
    ),
    "a retention policy for null": at(WRITE, lambda step: step["expect"].update(retentionPolicy={})),
    "null for an entry": put(READ, expect=None),
    "an entry for null": put(READ_NONE, expect={}),
    "an error for a success": lambda case: case["steps"].insert(
        0, {"as": "a", "read": {"key": "k"}, "error": "MEMORY_ACCESS_DENIED"}
    ),
    "a success for an error": at(READ_DENIED, lambda step: step.pop("error")),
    "another error": put(READ_DENIED, error="MEMORY_NOT_FOUND"),
    "a write that is refused": at(WRITE_PLAIN, lambda step: step["write"].update(category="pattern")),
    "a value that is not bytes": at(WRITE_PLAIN, lambda step: step["write"].update(value={"notBytes": "2"})),
    "a caller without an id": put(WRITE_PLAIN, **{"as": "n"}),
    "keys of a query in another order": put(QUERY, keys=["k", "l"]),
    "a key too few": put(QUERY, keys=["l"]),
    "entries of a query in another order": put(QUERY, entries=[{}, {"category": "PATTERN"}]),
    "an entry of a query too few": put(QUERY, entries=[{}]),
    "another count": put(QUERY, count=1),
    "keys of a listing in another order": put(LIST, keys=["k", "l"]),
    "another size": put(LIST, sizes=[2, 38]),
    "true for a size of one": lambda case: case["steps"].insert(
        0, {"deployer": "usage", "agent": "other", "bytes": 1}
    ),
    "another creator in a listing": put(LIST, entries=[{}, {"createdBy": "@o"}]),
    "other bytes in use": put(USAGE, bytes=40),
    "a clock that went on": put(ADVANCE, advance=-1.5),
    "an audit line too few": at(AUDIT, lambda step: step["audit"].pop()),
    "an audit line too many": at(AUDIT, lambda step: step["audit"].append({})),
    "audit lines in another order": at(AUDIT, lambda step: step["audit"].reverse()),
    "another gene in an audit line": at(AUDIT, lambda step: step["audit"][0].update(gene_id="@o")),
    "text for a number in an audit line": at(AUDIT, lambda step: step["audit"][0].update(bytes="38")),
    "a float for a number in an audit line": at(AUDIT, lambda step: step["audit"][0].update(bytes=38.0)),
    "one digest under two names": at(
        AUDIT_DELETES, lambda step: step["audit"][2].update(value_hmac="long again")
    ),
    "two digests under one name": at(AUDIT, lambda step: step["audit"][1].update(value_hmac="long")),
    "digests of two values swapped": at(
        AUDIT_DELETES, lambda step: step["audit"][2].update(value_hmac="short")
    ),
    "a digest where there is none": at(AUDIT, lambda step: step["audit"][2].update(value_hmac="short")),
    "no digest where there is one": at(AUDIT, lambda step: step["audit"][0].update(value_hmac=None)),
    "an audit step that sees lines again": lambda case: case["steps"].insert(
        AUDIT + 1, copy.deepcopy(case["steps"][AUDIT])
    ),
    "an event too few": put(TELEMETRY, telemetry=0),
    "an event too many": put(TELEMETRY, telemetry=2),
    "an import that is refused": at(IMPORT, lambda step: step.pop("copyPrivate")),
    "an import that should be refused": put(IMPORT, error="MEMORY_ACCESS_DENIED"),
    "another number of deletions": put(DELETE_BY_DEPLOYER, removed=2),
    "a deletion of nothing": at(DELETE_NONE, lambda step: step.pop("error")),
    "entries left behind by a move": put(LIST_MOVED, keys=[]),
    "a telemetry log that moved along": put(TELEMETRY_MOVED, telemetry=1),
    "a quota that never held": lambda case: case["agents"]["main"].update(quotaBytes=40),
}

WRONG_FORMS: Mapping[str, Callable[[JsonObject], object]] = {
    "an unknown member of the case": lambda case: case.update(note="x"),
    "no rules": lambda case: case.pop("rules"),
    "an empty list of rules": lambda case: case.update(rules=[]),
    "an unknown member of an agent": lambda case: case["agents"]["main"].update(quota=1),
    "an unknown member of a gene": lambda case: case["genes"]["a"].update(name="x"),
    "a start without a zone": lambda case: case.update(start="2026-01-01T00:00:00"),
    "a step that is no object": lambda case: case["steps"].append("reopen"),
    "an empty step": lambda case: case["steps"].append({}),
    "an unknown step": lambda case: case["steps"].append({"wait": 1}),
    "two steps in one": put(ADVANCE, reopen=True),
    "two calls in one": put(READ, delete={"key": "k"}),
    "no call": at(READ, lambda step: step.pop("read")),
    "an unknown deployer's step": put(USAGE, deployer="browse"),
    "an unknown member of a step": put(READ, expects={}),
    "an unknown member of a call": at(READ, lambda step: step["read"].update(keyPrefix="k")),
    "an unknown member of an expectation": put(READ, expect={"created_by": "@a"}),
    "a value expected of a listing": put(LIST, entries=[{"value": {"text": "2"}}, {}]),
    "an unknown member of an audit line": at(AUDIT, lambda step: step["audit"][0].update(gene="@a")),
    "an unknown form of a value": at(
        WRITE_PLAIN, lambda step: step["write"].update(value={"base64": "Mg=="})
    ),
    "two forms of a value": at(WRITE_PLAIN, lambda step: step["write"]["value"].update(hex="32")),
    "a value in odd hex": at(WRITE_PLAIN, lambda step: step["write"].update(value={"hex": "3"})),
    "a key that is no text": at(READ, lambda step: step["read"].update(key=7)),
    "an error and an expectation": put(READ_DENIED, expect=None),
    "an unknown error": put(READ_DENIED, error="MEMORY_DENIED"),
    "an unknown gene": put(READ, **{"as": "z"}),
    "an unknown gene in an expectation": put(READ, expect={"createdBy": "@z"}),
    "an unknown agent": put(READ, agent="third"),
    "an agent that was left behind": put(LIST_MOVED, agent="other"),
    "a file that nobody wrote": put(IMPORT, **{"from": "g"}),
    "a deletion of a key and a category": put(DELETE_BY_DEPLOYER, category="CACHE"),
    "a deletion without an outcome": at(DELETE_BY_DEPLOYER, lambda step: step.pop("removed")),
    "a reopening that is false": put(REOPEN, reopen=False),
    "an advance that is a truth value": put(ADVANCE, advance=True),
    "a negative count": put(TELEMETRY, telemetry=-1),
}


def changed(change: Callable[[JsonObject], object]) -> JsonObject:
    case = copy.deepcopy(SOUND_CASE)
    change(case)
    assert json.dumps(case) != json.dumps(SOUND_CASE)
    return case


def test_the_sound_case_passes(tmp_path: Path) -> None:
    """The control: what follows fails for its fault alone."""
    run_case(parse_case(SOUND_CASE), LibraryDoor(), tmp_path)


@pytest.mark.parametrize("change", WRONG_EXPECTATIONS.values(), ids=WRONG_EXPECTATIONS)
def test_a_wrong_expectation_fails(change: Callable[[JsonObject], object], tmp_path: Path) -> None:
    case = parse_case(changed(change))
    with pytest.raises(CaseFailure):
        run_case(case, LibraryDoor(), tmp_path)


@pytest.mark.parametrize("change", WRONG_FORMS.values(), ids=WRONG_FORMS)
def test_what_the_form_does_not_name_is_an_error(change: Callable[[JsonObject], object]) -> None:
    with pytest.raises(CaseFileError):
        parse_case(changed(change))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"format": "memory-cases/2", "cases": [{"id": "a"}]}', id="another-format"),
        pytest.param('{"cases": [{"id": "a"}]}', id="no-format"),
        pytest.param('{"format": "memory-cases/1", "cases": [{"id": "a"}], "note": 1}', id="unknown-member"),
        pytest.param('{"format": "memory-cases/1", "cases": []}', id="no-case"),
        pytest.param('{"format": "memory-cases/1", "cases": [{"id": "A b"}]}', id="no-kebab-case"),
        pytest.param('{"format": "memory-cases/1", "cases": [{}]}', id="no-id"),
        pytest.param('{"format": "memory-cases/1", "cases": [{"id": "a"}, {"id": "a"}]}', id="id-twice"),
        pytest.param('{"format": "memory-cases/1", "cases": [{"id": "a", "id": "b"}]}', id="member-twice"),
        pytest.param('{"format": "memory-cases/1", "cases": [{"id": "a", "x": NaN}]}', id="not-json"),
        pytest.param('{"format": "memory-cases/1", "cases": [', id="torn"),
    ],
)
def test_a_file_of_another_form_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(text)
    with pytest.raises(CaseFileError):
        read_cases(tmp_path)


class _TamperingDoor(LibraryDoor):
    """The library's door, but each entry of a write is bent, and the log touched, before it returns."""

    def __init__(self, project: Path, bend: Callable[[JsonObject], object], lines: Callable[[Path], object]):
        self._project = project
        self._bend = bend
        self._lines = lines

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        door = super().gene(store, agent, gene)
        write = door.write

        def tampered(*arguments: Any) -> Mapping[str, Any]:
            entry = dict(write(*arguments))
            self._bend(entry)
            self._lines(self._project / ".rotifer" / "audit.jsonl")
            return entry

        door.write = tampered  # type: ignore[method-assign]
        return door


def last_line(change: Callable[[JsonObject], object], *, rehash: bool = True) -> Callable[[Path], object]:
    """Returns a deed that changes the log's last line and, unless told not to, makes its hash fit again."""

    def deed(file: Path) -> None:
        *lines, last = file.read_bytes().splitlines()
        record = json.loads(last)
        change(record)
        if rehash:
            record.pop("hash", None)
            body = json.dumps(record, separators=(",", ":")).encode()
            record["hash"] = hashlib.sha256(body).hexdigest()
        lines.append(json.dumps(record, separators=(",", ":")).encode())
        file.write_bytes(b"".join(line + b"\n" for line in lines))

    return deed


def nothing(_: Any) -> None:
    pass


WRITE_ALONE: JsonObject = {
    "id": "write-alone",
    "rules": ["ENT-1"],
    "genes": {"a": {"domain": "formatter"}},
    "steps": [
        {"as": "a", "write": {"key": "k", "value": {"text": LONG_TEXT}, "category": "CACHE"}},
        {"audit": [{"action": "memory_write"}]},
    ],
}


@pytest.mark.parametrize(
    ("bend", "lines"),
    [
        pytest.param(lambda entry: entry.pop("updatedAt"), nothing, id="nine-members"),
        pytest.param(lambda entry: entry.update(sizeBytes=1), nothing, id="eleven-members"),
        pytest.param(lambda entry: entry.update(entryId="0" * 64), nothing, id="another-entry-id"),
        pytest.param(lambda entry: entry.update(key="l"), nothing, id="another-key"),
        pytest.param(lambda entry: entry.update(value="Mg"), nothing, id="unpadded-value"),
        pytest.param(nothing, last_line(lambda line: line.pop("txn")), id="nineteen-members"),
        pytest.param(nothing, last_line(lambda line: line.update(note=1)), id="twenty-one-members"),
        pytest.param(nothing, last_line(lambda line: line.update(operation="look")), id="operation"),
        pytest.param(nothing, last_line(lambda line: line.update(action="look")), id="action"),
        pytest.param(nothing, last_line(lambda line: line.update(seq=0)), id="seq-that-falls"),
        pytest.param(nothing, last_line(lambda line: line.update(prev_hash="0" * 64)), id="chain"),
        pytest.param(nothing, last_line(lambda line: line.update(bytes=1), rehash=False), id="hash"),
        pytest.param(nothing, last_line(lambda line: line.update(bytes=1)), id="verify-finds-it"),
        pytest.param(nothing, last_line(lambda line: line.update(reason=LONG_TEXT)), id="value-in-log"),
        pytest.param(
            nothing,
            last_line(lambda line: line.update(reason=hashlib.sha256(LONG_TEXT.encode()).hexdigest())),
            id="bare-digest-in-log",
        ),
        pytest.param(nothing, lambda file: file.write_bytes(file.read_bytes()[:-1]), id="torn-log"),
        pytest.param(nothing, lambda file: file.write_bytes(file.read_bytes() + b"x\n"), id="garbage-in-log"),
    ],
)
def test_a_door_or_a_log_that_is_not_sound_fails(
    bend: Callable[[JsonObject], object], lines: Callable[[Path], object], tmp_path: Path
) -> None:
    """ENT-1, ENT-2, REC-1, REC-5: checked for every case, whatever its steps expect."""
    door: Door = _TamperingDoor(tmp_path / "project-0", bend, lines)
    with pytest.raises(CaseFailure):
        run_case(parse_case(WRITE_ALONE), door, tmp_path)


def test_the_tampering_door_passes_where_it_touches_nothing(tmp_path: Path) -> None:
    """The control of the test above."""
    run_case(parse_case(WRITE_ALONE), _TamperingDoor(tmp_path / "project-0", nothing, nothing), tmp_path)
