"""Instants as people and scripts read them: UTC, always with a zone (ENT-5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from rotifer_console.view.sizes import format_countdown

NEVER = "never"
TIME_FORM: Final = "a time has a date, a clock with seconds and a zone, such as 2026-11-30T17:02:21Z"
"""RFC 3339 in words, for hints (INP-4)."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


def exact(instant: datetime) -> str:
    """RFC 3339 with six fraction digits and `Z`: `2026-11-30T17:02:21.123456Z`."""
    return instant.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def exact_or_earliest(instant_us: int) -> str:
    """The same of microseconds since the epoch; the first instant of year 1 for any before it."""
    try:
        return exact(_EPOCH + timedelta(microseconds=instant_us))
    except OverflowError:
        return exact(datetime.min)  # noqa: DTZ901 -- `exact` writes UTC


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


def cut_to_the_second(text: str) -> str | None:
    """A time as `exact` writes it, for a table; None where the text is another."""
    if not _EXACT.fullmatch(text):
        return None
    return f"{text[:10]} {text[11:19]}Z"
