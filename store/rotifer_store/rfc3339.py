"""Times as integer microseconds since the epoch, to and from RFC 3339 text (ENT-5, INP-4).

Pure and exact: no float, no time zone database, years 0000 to 9999. A bound may carry more fraction digits
than an entry's time has, so parsing keeps what lies beyond the microsecond as a flag instead of rounding.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - arithmetic on UTC without the cost of a zone
_EPOCH_DAY = _EPOCH.toordinal()
_DAYS_IN_400_YEARS = 146_097
_TEXT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_LEAP_SECOND = 60
FIRST_US = (datetime.min - _EPOCH) // timedelta(microseconds=1)  # noqa: DTZ901
LAST_US = (datetime.max - _EPOCH) // timedelta(microseconds=1)  # noqa: DTZ901
"""The years 0001 to 9999, which entries' own times lie in: they have a text and a datetime (ENT-5)."""


class Instant(NamedTuple):
    """A point in time: whole microseconds since the epoch, and whether a fraction lies beyond them."""

    us: int
    beyond: bool

    def ceiling_us(self) -> int:
        """The first whole microsecond that is not before this instant.

        Entries' times are whole microseconds, so `time >= instant` and `time < instant` are both exact
        when compared with this number (INP-3).
        """
        return self.us + 1 if self.beyond else self.us


def parse_rfc3339(text: str) -> Instant:
    """The instant that `text` names.

    A second of 60 is the start of the next minute, whatever the minute (INP-4).

    Raises:
        ValueError: the text is not a calendar-valid RFC 3339 time with seconds and a zone.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError("not an RFC 3339 time")
    year, month, day, hour, minute, second = (int(part) for part in match.group(1, 2, 3, 4, 5, 6))
    fraction = match.group(7) or ""
    offset_minutes = 0
    if match.group(8):
        offset_hour, offset_minute = int(match.group(9)), int(match.group(10))
        if offset_hour > 23 or offset_minute > 59:
            raise ValueError("not an RFC 3339 zone")
        offset_minutes = (offset_hour * 60 + offset_minute) * (-1 if match.group(8) == "-" else 1)
    if hour > 23 or minute > 59 or second > _LEAP_SECOND:
        raise ValueError("not an RFC 3339 time of day")
    seconds = (hour * 60 + minute - offset_minutes) * 60 + second
    us = (_day_number(year, month, day) * 86_400 + seconds) * 1_000_000 + int(fraction[:6].ljust(6, "0"))
    return Instant(us, any(digit != "0" for digit in fraction[6:]))


def _day_number(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01. Year 0000, which datetime lacks, has the calendar of the year 400."""
    if year == 0:
        return datetime(400, month, day).toordinal() - _DAYS_IN_400_YEARS - _EPOCH_DAY  # noqa: DTZ001
    return datetime(year, month, day).toordinal() - _EPOCH_DAY  # noqa: DTZ001 - a calendar day has no zone


def format_us(us: int) -> str:
    """RFC 3339 text in UTC with six fraction digits and `Z` (ENT-5).

    Raises:
        OverflowError: the instant lies outside the years 0001 to 9999.
    """
    second, fraction_us = divmod(us, 1_000_000)
    return f"{_second_text(second)}.{fraction_us:06d}Z"


@lru_cache(maxsize=1024)
def _second_text(second: int) -> str:
    """The text down to the second, which lines and entries of one second share."""
    return (_EPOCH + timedelta(seconds=second)).isoformat()
