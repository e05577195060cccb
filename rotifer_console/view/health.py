"""A check-up in sentences: what is well, what to watch, what is wrong; for any screen that asks (REC-7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rotifer_console.view.columns import Column
from rotifer_console.view.sizes import format_countdown, format_size
from rotifer_store import Agent, FileHealth, Finding, MemoryUsage, StoreHealth

COLUMNS: Final = (Column("Status", style="cyan"), Column("Check"), Column("What was found"))

_SECOND_US: Final = 1_000_000
_CLOCK_MAY_LAG_US: Final = 60 * _SECOND_US
"""Processes and machines that share a store need not agree to the second."""
_WATCHED_PERCENT: Final = 90
_SHOWN_FINDINGS: Final = 20


class Status(StrEnum):
    """What a check came to; WRONG alone makes the check-up fail."""

    OK = "ok"
    WATCH = "watch"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what was found."""

    status: Status
    name: str
    message: str

    def to_json(self) -> dict[str, str]:
        """`{status, check, message}`."""
        return {"status": str(self.status), "check": self.name, "message": self.message}

    def cells(self) -> list[str]:
        """The same for a row."""
        return [self.status, self.name, self.message]


def to_json(checks: Sequence[Check]) -> dict[str, object]:
    """`{ok, checks}`."""
    return {"ok": is_well(checks), "checks": [check.to_json() for check in checks]}


def is_well(checks: Iterable[Check]) -> bool:
    """Whether nothing is wrong."""
    return all(check.status is not Status.WRONG for check in checks)


def store_checks(health: StoreHealth, now_us: int) -> Iterator[Check]:
    """What the store runs on."""
    yield Check(Status.OK, "sqlite", f"SQLite {health.sqlite_version}")
    if health.journal_mode == "wal":
        yield Check(Status.OK, "journal", "write-ahead log")
    else:
        yield Check(
            Status.WATCH,
            "journal",
            f"{health.journal_mode}: no write-ahead log can be had here, so readers wait for writers",
        )
    yield Check(Status.OK, "schema", f"schema {health.schema_version}")
    yield from _file_checks(health.files)
    yield (
        Check(Status.OK, "telemetry", "on: one event in a local file for each refused access")
        if health.telemetry_off_by is None
        else Check(Status.OK, "telemetry", f"off, because {health.telemetry_off_by} says so")
    )
    yield _clock_check(health.newest_audit_us, now_us)


def _file_checks(files: Sequence[FileHealth]) -> Iterator[Check]:
    bad = [file for file in files if not (file.is_private and file.is_writable)]
    for file in bad:
        faults = []
        if not file.is_private:
            faults.append("it is not a file of yours alone")
        if not file.is_writable:
            faults.append("it cannot be written" if file.exists else "it cannot be made")
        mode = "" if file.mode is None else f" (mode {file.mode:04o})"
        yield Check(Status.WRONG, "files", f"{file.name}{mode}: {', and '.join(faults)}")
    if not bad:
        yield Check(Status.OK, "files", "all are yours alone and can be written")


def _clock_check(newest_audit_us: int | None, now_us: int) -> Check:
    if newest_audit_us is None or newest_audit_us - now_us <= _CLOCK_MAY_LAG_US:
        return Check(Status.OK, "clock", "not behind the newest line of the audit log")
    lag = format_countdown((newest_audit_us - now_us) // _SECOND_US)
    return Check(Status.WRONG, "clock", f"it is {lag} behind the newest line of the audit log")


def finding_checks(findings: Sequence[Finding]) -> Iterator[Check]:
    """What the store's check of itself found; a long list is cut, and that is said."""
    for finding in findings[:_SHOWN_FINDINGS]:
        yield Check(Status.WRONG, finding.kind, f"{finding.where}: {finding.message}")
    if len(findings) > _SHOWN_FINDINGS:
        more = len(findings) - _SHOWN_FINDINGS
        yield Check(Status.WRONG, "audit", f"and {more} more: `rotifer audit verify` prints them all")
    if not findings:
        yield Check(Status.OK, "audit", "the log's chain, the counters and the entries agree")


def quota_check(agent: Agent, usage: MemoryUsage) -> Check:
    """How much room an agent has left."""
    used_bytes, quota_bytes = usage.used_bytes, usage.quota_bytes
    told = f"{agent.name}: {format_size(used_bytes)} of {format_size(quota_bytes)} used"
    if used_bytes > quota_bytes:
        return Check(Status.WATCH, "quota", f"{told}: over its quota, nothing can grow")
    is_near = used_bytes * 100 >= quota_bytes * _WATCHED_PERCENT
    left = format_size(quota_bytes - used_bytes)
    return Check(Status.WATCH if is_near else Status.OK, "quota", f"{told}, {left} left")
