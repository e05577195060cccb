"""Instants as people and scripts read them: UTC, always with a zone (ENT-5)."""

from __future__ import annotations

from datetime import datetime

from rotifer_console.view.sizes import format_countdown

NEVER = "never"


def exact(instant: datetime) -> str:
    """RFC 3339 with six fraction digits and `Z`: `2026-11-30T17:02:21.123456Z`."""
    return instant.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def to_the_second(instant: datetime) -> str:
    """For a table: `2026-11-30 17:02:21Z`."""
    return instant.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds") + "Z"


def expiry(instant: datetime | None, instant_us: int | None, now_us: int) -> str:
    """When an entry goes: an instant, how long until then where no calendar reaches, or `never`."""
    if instant is not None:
        return exact(instant)
    return NEVER if instant_us is None else countdown(instant_us, now_us)


def countdown(instant_us: int | None, now_us: int) -> str:
    """How long until an instant: `in 6 d 23:59:50`, `expired`, `never`."""
    if instant_us is None:
        return NEVER
    left = format_countdown((instant_us - now_us) // 1_000_000)
    return left if left == "expired" else f"in {left}"
