"""Reads the two log files and checks what every line of them must be, whatever the case.

Written from the rules (REC-1, REC-4, REC-5), on the bytes of the files: the library's own readers are not
asked.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from conformance.case_file import AUDIT_MEMBERS

OPERATIONS: Final = frozenset(
    [
        "read",
        "write",
        "query",
        "delete",
        "list",
        "sweep",
        "import",
        "create",
        "policy",
        "genome",
        "rotate",
        "open",
    ]
)
ACTIONS: Final = frozenset(
    {
        "memory_write",
        "memory_update",
        "memory_delete",
        "memory_evict",
        "memory_expire",
        "memory_quota_refused",
        "memory_access_denied",
        "memory_aborted",
        "memory_import",
        "audit_checkpoint",
        "agent_create",
        "policy_change",
        "genome_change",
    }
)
TELEMETRY_MEMBERS: Final = (
    "ts",
    "event",
    "agent_id",
    "gene_id",
    "gene_domain",
    "operation",
    "code",
    "audit_seq",
)
SHARED_MEMBERS: Final = ("ts", "agent_id", "gene_id", "gene_domain", "operation", "code")
SHORTEST_TEXT_CHARACTERS: Final = 16


class LogFault(AssertionError):
    """A line of a log is not what the rules say."""


def read_audit(file: Path) -> list[Mapping[str, Any]]:
    """Returns the lines of an audit log that holds ours alone, each checked and chained to its forerunner."""
    records: list[Mapping[str, Any]] = []
    for number, line in enumerate(_lines(file), 1):
        where = f"{file.name}, line {number}"
        record = _record(line, where)
        if len(record) != len(AUDIT_MEMBERS) or set(record) != set(AUDIT_MEMBERS):
            raise LogFault(f"{where}: the members are {sorted(record)}")
        if record["operation"] not in OPERATIONS or record["action"] not in ACTIONS:
            raise LogFault(f"{where}: {record['action']} in {record['operation']} is not known")
        if record["hash"] != _hash_of(line, where):
            raise LogFault(f"{where}: the hash is not that of the line")
        if records and record["seq"] <= records[-1]["seq"]:
            raise LogFault(f"{where}: seq {record['seq']} follows {records[-1]['seq']}")
        if records and record["prev_hash"] != records[-1]["hash"]:
            raise LogFault(f"{where}: prev_hash is not the hash of the line before")
        records.append(record)
    return records


def read_telemetry(file: Path, audit: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns the events, each checked against the audit line that it names (REC-4)."""
    audit_by_seq = {record["seq"]: record for record in audit}
    events: list[Mapping[str, Any]] = []
    for number, line in enumerate(_lines(file), 1):
        where = f"{file.name}, line {number}"
        event = _record(line, where)
        if set(event) != set(TELEMETRY_MEMBERS):
            raise LogFault(f"{where}: the members are {sorted(event)}")
        record = audit_by_seq.get(event["audit_seq"])
        if record is None or record["action"] != "memory_access_denied":
            raise LogFault(f"{where}: audit_seq {event['audit_seq']} names no refusal")
        for name in SHARED_MEMBERS:
            if event[name] != record[name]:
                raise LogFault(f"{where}: {name} is not the audit line's")
        _check_holds_no_key(event, line, record["key"], where)
        events.append(event)
    return events


def check_holds_no_value(
    lines: Iterable[bytes], values: Iterable[bytes], *, gene_ids: Iterable[str], keys: set[str]
) -> None:
    """Passes where no line shows one of ``values``: neither a text of it nor its bare SHA-256 (REC-1).

    ``gene_ids`` and ``keys`` of the case are looked away from: an id is a SHA-256 too, and a key may read
    like a value.
    """
    text = "\n".join(_without_key(line, keys) for line in lines)
    for gene_id in gene_ids:
        text = text.replace(gene_id, "")
    for value in values:
        for shown in _ways_to_show(value):
            if shown in text:
                raise LogFault(f"the logs show a value of {len(value)} bytes that was written")


def raw_lines(file: Path) -> list[bytes]:
    """Returns the physical lines of a file that may not be there."""
    return file.read_bytes().split(b"\n") if file.exists() else []


def _lines(file: Path) -> list[bytes]:
    lines = raw_lines(file)
    if lines and lines.pop() != b"":
        raise LogFault(f"{file.name}: the last line has no end")
    return lines


def _record(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_unique_members)
    except ValueError as error:
        raise LogFault(f"{where}: {error}") from error
    if not isinstance(record, dict):
        raise LogFault(f"{where}: not an object")
    return record


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise LogFault("a member stands twice")
    return members


def _hash_of(line: bytes, where: str) -> str:
    """Returns the SHA-256 of the line as it would be without its last member, the hash."""
    body = re.fullmatch(rb'(.*),"hash":"[0-9a-f]{64}"\}', line, re.DOTALL)
    if body is None:
        raise LogFault(f"{where}: the hash is not the last member")
    return hashlib.sha256(body[1] + b"}").hexdigest()


def _check_holds_no_key(event: Mapping[str, Any], line: bytes, key: Any, where: str) -> None:
    # All other members are the audit line's own, so a short key can only stand in `event`;
    # a long one is looked for everywhere.
    if key is None:
        return
    if event["event"] == key or (len(key) >= SHORTEST_TEXT_CHARACTERS and key in json.dumps(event)):
        raise LogFault(f"{where}: the event holds the key")
    if len(key) >= SHORTEST_TEXT_CHARACTERS and json.dumps(key)[1:-1].encode() in line:
        raise LogFault(f"{where}: the event holds the key")


def _without_key(line: bytes, keys: set[str]) -> str:
    text = line.decode("utf-8", "replace")
    try:
        record = json.loads(text)
    except ValueError:
        return text
    if isinstance(record, dict) and record.get("key") in keys:
        return json.dumps({**record, "key": None}, ensure_ascii=False)
    return json.dumps(record, ensure_ascii=False)


def _ways_to_show(value: bytes) -> Iterable[str]:
    digest = hashlib.sha256(value)
    yield digest.hexdigest()
    yield digest.hexdigest().upper()
    yield base64.b64encode(digest.digest()).decode()
    if len(value) >= SHORTEST_TEXT_CHARACTERS:
        yield base64.b64encode(value).decode()
        yield value.hex()
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return
    if len(text) >= SHORTEST_TEXT_CHARACTERS:
        # A line is JSON, where a quote or a control character in the text is written as an escape.
        yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield json.dumps(text)[1:-1]
