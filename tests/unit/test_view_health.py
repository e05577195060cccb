"""What a check-up calls well, to be watched, or wrong (CLI: doctor)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rotifer_console.view import health as view
from rotifer_console.view.health import Status
from rotifer_store import Agent, DataPolicy, FileHealth, Finding, MemoryUsage, StoreHealth

NOW_US = 1_900_000_000_000_000
SOUND = FileHealth("audit.jsonl", True, 0o600, True, True)
HEALTH = StoreHealth("3.45.0", "wal", 1, None, NOW_US, (SOUND,))
AGENT = Agent("id", "main", ("a",), {"type": "Single"}, 1000, DataPolicy(), datetime(2026, 1, 1, tzinfo=UTC))


def check_of(name: str, health: StoreHealth, now_us: int = NOW_US) -> tuple[Status, str]:
    (found,) = [check for check in view.store_checks(health, now_us) if check.name == name]
    return found.status, found.message


def test_a_sound_store_is_well() -> None:
    assert view.is_well(view.store_checks(HEALTH, NOW_US))


@pytest.mark.parametrize(
    ("journal_mode", "status"), [("wal", Status.OK), ("delete", Status.WATCH), ("memory", Status.WATCH)]
)
def test_a_store_without_a_write_ahead_log_is_to_be_watched(journal_mode: str, status: Status) -> None:
    """REC-7: it works."""
    found, message = check_of("journal", replace(HEALTH, journal_mode=journal_mode))
    assert found is status
    assert journal_mode == "wal" or journal_mode in message


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            replace(SOUND, is_private=False, mode=0o644),
            "audit.jsonl (mode 0644): it is not a file of yours alone",
        ),
        (replace(SOUND, is_writable=False, mode=0o400), "audit.jsonl (mode 0400): it cannot be written"),
        (FileHealth("x", False, None, True, False), "x: it cannot be made"),
        (
            FileHealth("x", True, 0o444, False, False),
            "x (mode 0444): it is not a file of yours alone, and it cannot be written",
        ),
    ],
)
def test_a_file_that_is_open_to_others_or_closed_to_us_is_wrong(file: FileHealth, message: str) -> None:
    """REC-7."""
    assert check_of("files", replace(HEALTH, files=(SOUND, file))) == (Status.WRONG, message)


@pytest.mark.parametrize(
    ("ahead_us", "status"),
    [
        (-1, Status.OK),
        (0, Status.OK),
        (60_000_000, Status.OK),
        (60_000_001, Status.WRONG),
        (86_400_000_000 * 400_000, Status.WRONG),
    ],
)
def test_a_clock_behind_the_newest_line_is_wrong(ahead_us: int, status: Status) -> None:
    found, message = check_of("clock", replace(HEALTH, newest_audit_us=NOW_US + ahead_us))
    assert found is status
    assert "expired" not in message


def test_a_log_that_tells_no_time_says_nothing_of_the_clock() -> None:
    assert check_of("clock", replace(HEALTH, newest_audit_us=None))[0] is Status.OK


@pytest.mark.parametrize(
    ("used_bytes", "status", "message"),
    [
        (0, Status.OK, "main: 0 B of 1000 B used, 1000 B left"),
        (899, Status.OK, "main: 899 B of 1000 B used, 101 B left"),
        (900, Status.WATCH, "main: 900 B of 1000 B used, 100 B left"),
        (1000, Status.WATCH, "main: 1000 B of 1000 B used, 0 B left"),
        (1001, Status.WATCH, "main: 1001 B of 1000 B used: over its quota, nothing can grow"),
    ],
)
def test_an_agent_that_has_little_room_is_to_be_watched(
    used_bytes: int, status: Status, message: str
) -> None:
    """QUO-3."""
    check = view.quota_check(AGENT, MemoryUsage(used_bytes, 1000, {}))
    assert (check.status, check.message) == (status, message)


@pytest.mark.parametrize("count", [0, 1, 20, 21, 1000])
def test_findings_are_wrong_and_a_long_list_is_cut_aloud(count: int) -> None:
    """REC-9."""
    checks = list(
        view.finding_checks([Finding("audit-line", f"audit.jsonl:{n}", "it") for n in range(count)])
    )
    assert view.is_well(checks) is (count == 0)
    assert len(checks) == max(1, min(count, 21))
    assert (count <= 20) or checks[-1].message.startswith(f"and {count - 20} more")


def test_telemetry_that_is_off_is_well_and_says_why() -> None:
    """REC-4."""
    assert check_of("telemetry", replace(HEALTH, telemetry_off_by="DO_NOT_TRACK")) == (
        Status.OK,
        "off, because DO_NOT_TRACK says so",
    )
