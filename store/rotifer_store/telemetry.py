"""The telemetry log: one local event for each refused access, unless the deployer opts out (REC-4, REC-6).

Nothing here opens a connection; "telemetry" is a file beside the audit log.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path

from rotifer_store.audit_line import AuditEvent
from rotifer_store.private_files import open_private, write_whole

TELEMETRY_NAME = "telemetry.jsonl"
_OFF = frozenset({"0", "false", "off"})
_TRACKING_ALLOWED = frozenset({"", "0", "false"})


def switched_off_by(environment: Mapping[str, str]) -> str | None:
    """The variable that keeps events from being written, or None where they are (REC-4)."""
    if environment.get("ROTIFER_TELEMETRY", "").strip().lower() in _OFF:
        return "ROTIFER_TELEMETRY"
    if environment.get("DO_NOT_TRACK", "").strip().lower() not in _TRACKING_ALLOWED:
        return "DO_NOT_TRACK"
    return None


def is_enabled(environment: Mapping[str, str]) -> bool:
    """Whether events are written; either variable can switch them off (REC-4)."""
    return switched_off_by(environment) is None


def event_line(event: AuditEvent, ts: str, audit_seq: int | None) -> bytes:
    """The event's line, newline included. It never holds a key."""
    members = {
        "ts": ts,
        "event": event.action,
        "agent_id": event.agent_id,
        "gene_id": event.gene_id,
        "gene_domain": event.gene_domain,
        "operation": event.operation,
        "code": event.code,
        "audit_seq": audit_seq,
    }
    return json.dumps(members, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def append_event(folder: Path, line: bytes) -> None:
    """Appends one event to the folder's telemetry log; a torn line before it stays on its own.

    Raises:
        OSError: the log cannot be written.
    """
    descriptor = open_private(folder / TELEMETRY_NAME, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # until it is closed: another's half line is not a torn one
        size_bytes = os.fstat(descriptor).st_size
        is_torn = size_bytes > 0 and os.pread(descriptor, 1, size_bytes - 1) != b"\n"
        write_whole(descriptor, b"\n" + line if is_torn else line)
    finally:
        os.close(descriptor)
