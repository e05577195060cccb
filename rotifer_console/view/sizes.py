"""Sizes and durations, read from what people type and written for people to read (QUO-2, CLI-6)."""

from __future__ import annotations

import re
from typing import Final

from rotifer_store.tables import MAX_QUOTA_BYTES, MAX_RETENTION_DAYS

_SIZE: Final = re.compile(r"(\d+)(?:\.(\d+))?(KB|MB|GB)", re.IGNORECASE | re.ASCII)
_DAYS: Final = re.compile(r"\d{1,10}", re.ASCII)
_SPAN: Final = re.compile(
    r"(\d{1,9})(?:\.(\d{1,6}))? ?(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)", re.ASCII
)
_PERCENT: Final = re.compile(r"(\d{1,3})(?:\.(\d{1,3}))?%", re.ASCII)
_UNITS: Final = ("KB", "MB", "GB")
_FRACTION_DIGITS: Final = 30
_DAY_S: Final = 86_400
_LONGEST_CLOCK_S: Final = 100 * _DAY_S
_YEAR_TEN_THOUSANDTHS_OF_DAYS: Final = 3_652_425
_HUMANFRIENDLY_YEAR_DAYS: Final = 52 * 7

SIZE_UNITS: Final = "KB, MB or GB; 1 KB is 1024 bytes"
"""The units of sizes, for the help of options that take one."""
SIZE_FORM: Final = "a size is a number and KB, MB or GB, such as 512KB or 1.5GB"
"""QUO-2 in words, for hints."""
SPAN_FORM: Final = "a time is a number and s, m, h, d or w, such as 90m or 1.5d"
"""CLI-6 in words, for hints."""


def parse_quota_bytes(text: str) -> int:
    """The bytes that a quota's text means, rounded down: `1.5GB`, 1 KB = 1024 bytes (QUO-2).

    Exact for any number of digits. humanfriendly alone would take far more texts for sizes and rounds
    through a float, so the form is checked first and only the unit is its business.

    Raises:
        ValueError: another form, zero, or more than 2^53 - 1 bytes.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError("it is not a number with KB, MB or GB")
    from humanfriendly import parse_size  # a listing needs none of it

    whole, fraction, unit = match[1].lstrip("0"), match[2] or "", match[3]
    if len(whole) > len(str(MAX_QUOTA_BYTES)):
        raise ValueError("it is more than 2^53 - 1 bytes")
    # A multiple of 1/1024^3 has at most 30 decimals: digits beyond them cannot lift the result to it.
    fraction = fraction[:_FRACTION_DIGITS]
    unit_bytes, scale = int(parse_size(f"1{unit}", binary=True)), int(10 ** len(fraction))
    size_bytes = int(f"{whole or '0'}{fraction}") * unit_bytes // scale
    if size_bytes > MAX_QUOTA_BYTES:
        raise ValueError("it is more than 2^53 - 1 bytes")
    if size_bytes == 0:
        raise ValueError("it is less than one byte")
    return size_bytes


def parse_retention_days(text: str) -> int:
    """The whole number of days that a text means, 1 to 2147483647 (POL-1).

    Raises:
        ValueError: another form or number.
    """
    if not _DAYS.fullmatch(text) or not 1 <= int(text) <= MAX_RETENTION_DAYS:
        raise ValueError(f"it is not a whole number from 1 to {MAX_RETENTION_DAYS}")
    return int(text)


def parse_span_us(text: str) -> int:
    """The microseconds that a length of time means, rounded down: `90m`, `1.5d` (CLI-6).

    A unit is required, because humanfriendly takes a bare number for seconds; years are none, because its
    year has 364 days.

    Raises:
        ValueError: another form.
    """
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ValueError("it is not a number with s, m, h, d or w")
    from humanfriendly import parse_timespan  # a listing needs none of it

    whole, fraction, unit = match[1], match[2] or "", match[3]
    unit_us = int(parse_timespan(f"1{unit}")) * 1_000_000
    return int(f"{whole}{fraction}") * unit_us // int(10 ** len(fraction))


def parse_millipercent(text: str) -> int:
    """The thousandths of a percent that a text means: `80%`, `99.5%`.

    Raises:
        ValueError: another form.
    """
    match = _PERCENT.fullmatch(text)
    if match is None:
        raise ValueError("it is not a number with %")
    return int(match[1]) * 1000 + int((match[2] or "").ljust(3, "0"))


def format_percent(part: int, whole: int) -> str:
    """How much of a whole a part is, rounded down to a tenth: `52.7%`."""
    tenths = part * 1000 // whole
    return f"{tenths // 10}.{tenths % 10}%"


def format_size(size_bytes: int) -> str:
    """A size in the units that `--memory-quota` takes: `23 B`, `1.5 KB`, `10 MB`."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    exponent = min((size_bytes.bit_length() - 1) // 10, len(_UNITS))
    unit_bytes = 1024**exponent
    whole, rest = divmod(size_bytes, unit_bytes)
    decimal = rest * 10 // unit_bytes
    return f"{whole}.{decimal} {_UNITS[exponent - 1]}" if decimal else f"{whole} {_UNITS[exponent - 1]}"


def size_cell(size_bytes: int) -> str:
    """The same for a column, where decimals stand below each other: `23 B`, `13.0 KB`."""
    number, unit = format_size(size_bytes).split(" ")
    return f"{number} {unit}" if unit == "B" or "." in number else f"{number}.0 {unit}"


def format_apart(size_bytes: int, other_bytes: int) -> tuple[str, str]:
    """Two different sizes that a sentence compares: to the byte where rounding would make them the same."""
    size, other = format_size(size_bytes), format_size(other_bytes)
    return (f"{size_bytes} B", f"{other_bytes} B") if size == other else (size, other)


def exact_size(size_bytes: int) -> str:
    """A size as `--memory-quota` takes it, to the byte: `10MB`, `1024.0009765625KB`."""
    for exponent in range(len(_UNITS), 0, -1):
        whole, rest = divmod(size_bytes, 1024**exponent)
        if not rest:
            return f"{whole}{_UNITS[exponent - 1]}"
    whole, rest = divmod(size_bytes, 1024)
    decimals = f"{rest * 10**10 // 1024:010}".rstrip("0")  # 1024 divides 10^10: nothing is rounded
    return f"{whole}.{decimals}KB"


def format_part(part_bytes: int, whole_bytes: int) -> str:
    """A size beside the one it is a part of, in the unit of the larger: `9.1 of 10 MB`, `12 B of 10 MB`."""
    part, whole = format_size(part_bytes), format_size(whole_bytes)
    number, unit = part.split(" ")
    return f"{number} of {whole}" if whole.endswith(f" {unit}") else f"{part} of {whole}"


def years_of(days: int) -> int:
    """How many of the calendar's years, of 365.2425 days each, so many days are; a begun one is none."""
    return days * 10_000 // _YEAR_TEN_THOUSANDTHS_OF_DAYS


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}" if number else ""


def format_countdown(seconds: int) -> str:
    """How long is left: `expired`, `00:59:59`, `6 d 23:59:50`, or the two largest units of more (CLI-6).

    Years are the calendar's.
    """
    if seconds <= 0:
        return "expired"
    days, rest = divmod(seconds, _DAY_S)
    if days >= _HUMANFRIENDLY_YEAR_DAYS:
        years = years_of(days)
        weeks, left_days = divmod(days - years * _YEAR_TEN_THOUSANDTHS_OF_DAYS // 10_000, 7)
        told = (_counted(years, "year"), _counted(weeks, "week"), _counted(left_days, "day"))
        return " and ".join([part for part in told if part][:2])
    if seconds >= _LONGEST_CLOCK_S:
        from humanfriendly import format_timespan  # rarely needed, and a listing must start fast

        return str(format_timespan(seconds, max_units=2))
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days} d {clock}" if days else clock
