"""Sizes and durations: what is accepted, to the byte, and how they are shown."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rotifer_console.view.instants import countdown_words
from rotifer_console.view.sizes import (
    format_countdown,
    format_percent,
    format_size,
    parse_millipercent,
    parse_quota_bytes,
    parse_retention_days,
    parse_span_us,
    size_cell,
)

QUOTA_TEXTS = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text())["quotaTexts"]
UNIT_BYTES = {"KB": 1024, "MB": 1024**2, "GB": 1024**3}


def text_of(case: dict[str, Any]) -> str:
    text = case["text"]
    if isinstance(text, str):
        return text
    return f"{text.get('first', '')}{text['repeat'] * text['count']}{text.get('then', '')}"


@pytest.mark.parametrize("case", QUOTA_TEXTS["accepted"], ids=lambda case: case["text"])
def test_a_quota_text_means_exactly_so_many_bytes(case: dict[str, Any]) -> None:
    """QUO-2."""
    assert parse_quota_bytes(text_of(case)) == case["bytes"]


@pytest.mark.parametrize("case", QUOTA_TEXTS["refused"], ids=lambda case: case["name"])
def test_a_quota_text_of_another_form_or_size_is_refused(case: dict[str, Any]) -> None:
    """QUO-2."""
    with pytest.raises(ValueError, match="it is"):
        parse_quota_bytes(text_of(case))


@given(
    st.text("0123456789", min_size=1, max_size=12),
    st.text("0123456789", max_size=60),
    st.sampled_from(["KB", "kb", "Mb", "GB"]),
)
def test_any_number_of_digits_is_rounded_down_exactly(whole: str, fraction: str, unit: str) -> None:
    """QUO-2: against fractions, which lose nothing."""
    number = f"{whole}.{fraction}" if fraction else whole
    exact = Fraction(number) * UNIT_BYTES[unit.upper()]
    assume(1 <= exact < 2**53)
    assert parse_quota_bytes(number + unit) == exact.__floor__()


@pytest.mark.parametrize(("text", "days"), [("1", 1), ("007", 7), ("2147483647", 2147483647)])
def test_days_are_a_whole_number(text: str, days: int) -> None:
    """POL-1."""
    assert parse_retention_days(text) == days


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "+1", "1.0", "1e3", "1_0", " 1", "1\n", "٣", "2147483648", "9" * 5000, "none", "7d"],
)
def test_days_of_another_form_are_refused(text: str) -> None:
    """POL-1."""
    with pytest.raises(ValueError, match="it is"):
        parse_retention_days(text)


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KB"),
        (1536, "1.5 KB"),
        (1075, "1 KB"),
        (1024**2 - 1, "1023.9 KB"),
        (10 * 1024**2, "10 MB"),
        (1024**3, "1 GB"),
        (2**53 - 1, "8388607.9 GB"),
    ],
)
def test_a_size_is_shown_in_the_units_it_is_typed_in(size_bytes: int, shown: str) -> None:
    """CLI-6: KB means 1024 bytes here, never KiB."""
    assert format_size(size_bytes) == shown


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [
        (23, "23 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (13 * 1024, "13.0 KB"),
        (14_541, "14.2 KB"),
        (10 * 1024**2, "10.0 MB"),
        (1024**3, "1.0 GB"),
    ],
)
def test_in_a_column_a_size_has_one_decimal_from_kb_on(size_bytes: int, shown: str) -> None:
    """So that decimals stand below each other."""
    assert size_cell(size_bytes) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "expired"),
        (0, "expired"),
        (1, "00:00:01"),
        (86_399, "23:59:59"),
        (86_400, "1 d 00:00:00"),
        (604_790, "6 d 23:59:50"),
        (8_639_999, "99 d 23:59:59"),
        (8_640_000, "14 weeks and 2 days"),
        (363 * 86_400, "51 weeks and 6 days"),
        (364 * 86_400, "52 weeks"),
        (365 * 86_400, "52 weeks and 1 day"),
        (366 * 86_400, "1 year and 1 day"),
        (731 * 86_400, "2 years and 1 day"),
        (2_147_483_647 * 86_400, "5879610 years and 27 weeks"),
    ],
)
def test_a_countdown_is_a_clock_or_else_two_units(seconds: int, shown: str) -> None:
    """CLI-6."""
    assert format_countdown(seconds) == shown


@given(st.integers(1, 2**31 - 1))
def test_the_dashboard_and_a_listing_tell_of_the_same_number_of_years(days: int) -> None:
    """TUI-3, CLI-6: the calendar's, of 365.2425 days."""
    years = days * 10_000 // 3_652_425
    words = countdown_words(days * 86_400_000_000, 0)
    told = format_countdown(days * 86_400)
    assert (words.replace(" ", "") == f"in{years}y") == (years > 0)
    assert told.startswith(f"{years} year") == (years > 0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0s", 0),
        ("1s", 1),
        ("90m", 5_400),
        ("1.5d", 129_600),
        ("0.000001s", Fraction(1, 10**6)),
        ("36 hours", 129_600),
        ("1day", 86_400),
        ("2w", 1_209_600),
        ("1 week", 604_800),
        ("5min", 300),
        ("999999999w", 999_999_999 * 604_800),
    ],
)
def test_a_length_of_time_means_exactly_so_many_microseconds(text: str, seconds: Any) -> None:
    """CLI-6."""
    assert parse_span_us(text) == seconds * 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        *["", "1", "0", "d", "1y", "1year", "1 years", "1ms", "-1d", "+1d", "1D", "1d ", " 1d", "1  d"],
        *["1d12h", ".5d", "1.d", "1e3s", "1_0s", "٣d", "1M", "1month", "1,5d", "1\nd", "9" * 5000 + "d"],
    ],
)
def test_a_length_of_time_without_a_unit_or_of_another_form_is_refused(text: str) -> None:
    """CLI-6: a bare number would be seconds, and a year is none."""
    with pytest.raises(ValueError, match="it is not a number with s, m, h, d or w"):
        parse_span_us(text)


@pytest.mark.parametrize(
    ("text", "millipercent"),
    [("0%", 0), ("80%", 80_000), ("99.5%", 99_500), ("0.001%", 1), ("100.000%", 100_000), ("999%", 999_000)],
)
def test_a_share_is_a_number_with_a_percent_sign(text: str, millipercent: int) -> None:
    assert parse_millipercent(text) == millipercent


@pytest.mark.parametrize(
    "text", ["", "%", "80", "-1%", "1000%", "0.0001%", "80 %", "٣%", "8e1%", "80%%", ".5%"]
)
def test_a_share_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is not a number with %"):
        parse_millipercent(text)


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 1, "0.0%"), (1, 1, "100.0%"), (999, 1000, "99.9%"), (9999, 10_000, "99.9%"), (3, 2, "150.0%")],
)
def test_a_share_is_rounded_down(part: int, whole: int, shown: str) -> None:
    """100 % is only what has reached it."""
    assert format_percent(part, whole) == shown
