"""Instants as people and scripts read them: UTC, always with a zone (ENT-5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from rotifer_console.view.sizes import format_countdown, years_of

NEVER = "never"
TIME_FORM: Final = "a time has a date, a clock with seconds and a zone, such as 2026-11-30T17:02:21Z"
"""RFC 3339 in words, for hints (INP-4)."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S: Final = 86_400
_FAR_DAYS: Final = 30
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


def countdown_words(instant_us: int | None, now_us: int) -> str:
    """How long until an instant, in a narrow column: `00:41:07`, `6 d 23 h`, `in 5 879 610 y` (TUI-3).

    Whole seconds of any number; under a day it is a clock, and it stands still while a day or more is left.
    """
    if instant_us is None:
        return NEVER
    left_s = (instant_us - now_us) // 1_000_000
    if left_s <= 0:
        return "expired"
    if left_s < _DAY_S:
        return f"{left_s // 3600:02}:{left_s // 60 % 60:02}:{left_s % 60:02}"
    days, hours = left_s // _DAY_S, left_s % _DAY_S // 3600
    years = years_of(days)
    if years == 0:
        return f"{days} d {hours} h" if days < _FAR_DAYS else f"{days} d"
    return f"in {_grouped(years)} y"


def since_words(instant: datetime, now_us: int) -> str:
    """How long ago, in a narrow column: `just now`, `12 m ago`, `3 h ago`; a date from thirty days on.

    It reads the same for a minute at least, so that a list stands still. An instant that is still to come,
    where a clock stepped back, is `just now`.
    """
    past_s = (now_us - (instant - _EPOCH) // timedelta(microseconds=1)) // 1_000_000
    if past_s < 60:
        return "just now"
    if past_s < 3600:
        return f"{past_s // 60} m ago"
    if past_s < _DAY_S:
        return f"{past_s // 3600} h ago"
    if past_s < _FAR_DAYS * _DAY_S:
        return f"{past_s // _DAY_S} d ago"
    return instant.strftime("%Y-%m-%d") if instant.year >= 1000 else f"{instant.year:04}-{instant:%m-%d}"


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def clock_of(now_us: int) -> str:
    """The time of day alone: `17:02:21Z`."""
    seconds = now_us // 1_000_000 % _DAY_S
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
