"""Reading the two logs, line by line, whatever they hold (REC-5, REC-9).

Lines are split on newlines only. What is no JSON object comes as an UnreadableLine; other programs' objects
come as records with the members they have. A rotated log's files are read before the current one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rotifer_store.audit_file import AUDIT_NAME
from rotifer_store.audit_line import parse_object
from rotifer_store.private_files import open_private
from rotifer_store.rfc3339 import parse_rfc3339
from rotifer_store.tables import AUDIT_MEMBERS, TELEMETRY_MEMBERS
from rotifer_store.telemetry import TELEMETRY_NAME
from rotifer_store.translate import storage_error

_WINDOW_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 18
_ROTATED = re.compile(r"audit-[0-9]{8}-([0-9]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line that holds no JSON object: where it stands and how long it is."""

    file: str
    line_number: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One record of the audit log. A member that is missing or of another type is None."""

    ts: str | None
    seq: int | None
    txn: int | None
    action: str | None
    actor: str | None
    agent_id: str | None
    agent: str | None
    gene_id: str | None
    gene_domain: str | None
    key: str | None
    category: str | None
    old_category: str | None
    entry_id: str | None
    bytes: int | None
    value_hmac: str | None
    operation: str | None
    code: str | None
    reason: str | None
    prev_hash: str | None
    hash: str | None

    def to_json(self) -> dict[str, object]:
        """The record's members in the order of the log."""
        return {name: getattr(self, name) for name in AUDIT_MEMBERS}


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """One record of a key's life; `made_room_for` is the key whose write evicted it, where that is told."""

    record: AuditRecord
    made_room_for: str | None = None

    def to_json(self) -> dict[str, object]:
        """`{madeRoomFor, record}`, the record with its members as the log spells them."""
        return {"madeRoomFor": self.made_room_for, "record": self.record.to_json()}


@dataclass(frozen=True, slots=True)
class TelemetryRecord:
    """One event of the telemetry log. A member that is missing or of another type is None."""

    ts: str | None
    event: str | None
    agent_id: str | None
    gene_id: str | None
    gene_domain: str | None
    operation: str | None
    code: str | None
    audit_seq: int | None

    def to_json(self) -> dict[str, object]:
        """The event's members in the order of the log."""
        return {name: getattr(self, name) for name in TELEMETRY_MEMBERS}


_WHOLE_MEMBERS = frozenset({"seq", "txn", "bytes", "audit_seq"})


def audit_record(members: Mapping[str, object]) -> AuditRecord:
    """A record of what an object holds, as well as it can be shown."""
    return AuditRecord(**_typed(members, AUDIT_MEMBERS))


def telemetry_record(members: Mapping[str, object]) -> TelemetryRecord:
    """An event of what an object holds, as well as it can be shown."""
    return TelemetryRecord(**_typed(members, TELEMETRY_MEMBERS))


def _typed(members: Mapping[str, object], names: tuple[str, ...]) -> dict[str, Any]:
    typed: dict[str, Any] = {}
    for name in names:
        value = members.get(name)
        kind = int if name in _WHOLE_MEMBERS else str
        typed[name] = value if type(value) is kind else None
    return typed


def audit_files(folder: Path) -> list[Path]:
    """The log's files in their order: rotated ones by the `seq` they end with, then the current one."""
    rotated = [
        (int(match.group(1)), path)
        for path in folder.glob("audit-*.jsonl")
        if (match := _ROTATED.fullmatch(path.name))
    ]
    return [path for _, path in sorted(rotated)] + [folder / AUDIT_NAME]


def rotated_name(day: str, last_seq: int) -> str:
    """The name under which a log that ends with `last_seq` is set aside; `day` is YYYYMMDD (REC-9)."""
    return f"audit-{day}-{last_seq:012d}.jsonl"


def read_lines(path: Path, limit_bytes: int | None = None) -> Iterator[bytes]:
    """The file's lines without their newlines, up to `limit_bytes`; none where there is no file.

    Raises:
        MemoryStorageError: it is there and cannot be read.
    """
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error
    with os.fdopen(descriptor, "rb") as file:
        left = limit_bytes
        try:
            for line in file:
                if left is not None:
                    if left <= 0:
                        return
                    line, left = line[:left], left - len(line)
                yield line.removesuffix(b"\n")
        except OSError as error:
            raise storage_error(error, f"{path.name} cannot be read") from error


def audit_blocks(folder: Path) -> Iterator[bytes]:
    """The audit log in blocks of whole lines, rotated files first, for who looks for few lines in many.

    A line that is far longer than any of ours is passed over, so that memory stays bounded. A rotation
    meanwhile loses and doubles no line.

    Raises:
        MemoryStorageError: the log cannot be read.
    """
    # The current file first: where it is renamed from now on, it is still the one that is held here.
    current = _opened(folder / AUDIT_NAME)
    try:
        for path in audit_files(folder)[:-1]:
            rotated = _opened(path)
            if rotated is not None:
                with rotated:
                    if current is None or not os.path.sameopenfile(rotated.fileno(), current.fileno()):
                        yield from _blocks(rotated, path.name)
        if current is not None:
            yield from _blocks(current, AUDIT_NAME)
    finally:
        if current is not None:
            current.close()


def _opened(path: Path) -> BinaryIO | None:
    try:
        return os.fdopen(open_private(path, os.O_RDONLY), "rb", buffering=0)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error


def _blocks(file: BinaryIO, name: str) -> Iterator[bytes]:
    begun, is_passing_over = b"", False
    try:
        while data := file.read(_BLOCK_BYTES):
            if is_passing_over:
                _, newline, data = data.partition(b"\n")
                is_passing_over = not newline
            end = data.rfind(b"\n") + 1
            if end:
                yield begun + data[:end]
                begun = data[end:]
            elif len(begun) + len(data) > _BLOCK_BYTES:
                begun, is_passing_over = b"", True
            else:
                begun += data
    except OSError as error:
        raise storage_error(error, f"{name} cannot be read") from error
    if begun:
        yield begun


def read_audit(folder: Path) -> Iterator[AuditRecord | UnreadableLine]:
    """Every line of the audit log, rotated files first."""
    for path in audit_files(folder):
        for number, line in enumerate(read_lines(path), 1):
            members = parse_object(line)
            if members is None:
                yield UnreadableLine(path.name, number, len(line))
            else:
                yield audit_record(members)


def read_telemetry(folder: Path) -> Iterator[TelemetryRecord | UnreadableLine]:
    """Every line of the telemetry log."""
    for number, line in enumerate(read_lines(folder / TELEMETRY_NAME), 1):
        members = parse_object(line)
        if members is None:
            yield UnreadableLine(TELEMETRY_NAME, number, len(line))
        else:
            yield telemetry_record(members)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which records of the audit log are asked for; None means that the member is absent."""

    agent_id: str | None = None
    action: str | None = None
    key: str | None = None
    gene_ids: Collection[str] | None = None
    since_us: int | None = None

    def passes(self, record: AuditRecord) -> bool:
        """Whether the record matches all that is given."""
        return (
            (self.agent_id is None or record.agent_id == self.agent_id)
            and (self.action is None or record.action == self.action)
            and (self.key is None or record.key == self.key)
            and (self.gene_ids is None or record.gene_id in self.gene_ids)
            and (self.since_us is None or _is_since(record.ts, self.since_us))
        )


def audit_records(folder: Path, wanted: AuditFilter) -> list[AuditRecord | UnreadableLine]:
    """The records that are wanted; lines that cannot be read come whatever is asked for.

    Raises:
        MemoryStorageError: the log cannot be read.
    """
    return [
        record for record in read_audit(folder) if isinstance(record, UnreadableLine) or wanted.passes(record)
    ]


def newest_record(folder: Path) -> AuditRecord | None:
    """The last record that can be read in the audit log's newest file; None where it holds none.

    Raises:
        MemoryStorageError: the log cannot be read.
    """
    path = audit_files(folder)[-1]
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error
    try:
        size_bytes = start = os.fstat(descriptor).st_size
        while start > 0:
            start = max(0, size_bytes - max(_WINDOW_BYTES, 2 * (size_bytes - start)))
            lines = os.pread(descriptor, size_bytes - start, start).split(b"\n")
            for line in reversed(lines if start == 0 else lines[1:]):
                members = parse_object(line)
                if members is not None:
                    return audit_record(members)
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error
    finally:
        os.close(descriptor)
    return None


def _is_since(ts: str | None, since_us: int) -> bool:
    try:
        return ts is not None and parse_rfc3339(ts).us >= since_us
    except ValueError:
        return False
