"""Times: microseconds to text and back, and every form that a bound may or may not have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rotifer_store.rfc3339 import Instant, format_us, parse_rfc3339

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_US = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z
FIRST_US = -62_135_596_800_000_000  # 0001-01-01T00:00:00Z
YEAR_0_US = FIRST_US - 366 * 86_400_000_000  # year 0000 is a leap year

ACCEPTED = {
    "1970-01-01T00:00:00Z": (0, False),
    "1970-01-01t00:00:00z": (0, False),
    "1969-12-31T23:59:59Z": (-1_000_000, False),
    "2026-11-30T17:02:21.123456Z": (1_796_058_141_123_456, False),
    "2026-11-30T17:02:21Z": (1_796_058_141_000_000, False),
    "1970-01-01T00:00:00+00:00": (0, False),
    "1970-01-01T00:00:00-00:00": (0, False),
    "1970-01-01T02:30:00+02:30": (0, False),
    "1969-12-31T16:00:00-08:00": (0, False),
    "1970-01-01T23:59:00+23:59": (0, False),
    "1969-12-31T00:01:00-23:59": (0, False),
    # fractions of any length
    "1970-01-01T00:00:00.1Z": (100_000, False),
    "1970-01-01T00:00:00.000001Z": (1, False),
    "1970-01-01T00:00:00.0000010Z": (1, False),
    "1970-01-01T00:00:00.0000011Z": (1, True),
    "1970-01-01T00:00:00.0000019999Z": (1, True),
    "1969-12-31T23:59:59.9999999Z": (-1, True),
    f"1970-01-01T00:00:00.{'0' * 5000}1Z": (0, True),
    f"1970-01-01T00:00:00.{'0' * 5000}Z": (0, False),
    # second 60 in any minute
    "2016-12-31T23:59:60Z": (1_483_228_800_000_000, False),
    "1970-01-01T00:00:60Z": (60_000_000, False),
    "1970-01-01T00:00:60.5Z": (60_500_000, False),
    "1970-01-01T00:00:60.9999999Z": (60_999_999, True),
    "1970-01-01T01:00:60+01:00": (60_000_000, False),
    # the calendar's edges
    "2024-02-29T00:00:00Z": (1_709_164_800_000_000, False),
    "2000-02-29T00:00:00Z": (951_782_400_000_000, False),
    "0000-01-01T00:00:00Z": (YEAR_0_US, False),
    "0000-02-29T00:00:00Z": (YEAR_0_US + 59 * 86_400_000_000, False),
    "0000-12-31T23:59:60Z": (FIRST_US, False),
    "0000-01-01T00:00:00+23:59": (YEAR_0_US - 1439 * 60_000_000, False),
    "0001-01-01T00:00:00Z": (FIRST_US, False),
    "0001-01-01T00:00:00+23:59": (FIRST_US - 1439 * 60_000_000, False),
    "9999-12-31T23:59:59.999999Z": (LAST_US, False),
    "9999-12-31T23:59:60Z": (LAST_US + 1, False),
    "9999-12-31T23:59:59.999999-23:59": (LAST_US + 1439 * 60_000_000, False),
}
REFUSED = [
    "",
    "Z",
    "1970-01-01",
    "1970-01-01T00:00Z",
    "1970-01-01T00:00:00",
    "1970-01-01 00:00:00Z",
    "1970-01-01_00:00:00Z",
    " 1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z ",
    "1970-01-01T00:00:00Z\n",
    "1970-01-01T00:00:00 Z",
    "1970-01-01T00:00:00UTC",
    "1970-01-01T00:00:00+0000",
    "1970-01-01T00:00:00+00",
    "1970-01-01T00:00:00+0:00",
    "1970-01-01T00:00:00+24:00",
    "1970-01-01T00:00:00+00:60",
    "1970-01-01T00:00:00\u221200:00",
    "1970-01-01T00:00:00.Z",
    "1970-01-01T00:00:00,5Z",
    "1970-01-01T24:00:00Z",
    "1970-01-01T00:60:00Z",
    "1970-01-01T00:00:61Z",
    "1970-00-01T00:00:00Z",
    "1970-13-01T00:00:00Z",
    "1970-01-00T00:00:00Z",
    "1970-01-32T00:00:00Z",
    "1970-04-31T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "0000-02-30T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "-0001-01-01T00:00:00Z",
    "+1970-01-01T00:00:00Z",
    "70-01-01T00:00:00Z",
    "1970-1-01T00:00:00Z",
    "1970-W01-4T00:00:00Z",
    "1970-001T00:00:00Z",
    "19700101T000000Z",
    "١٩٧٠-01-01T00:00:00Z",
    "1970-01-01T00:00:00.٥Z",
    "0",
    "now",
]


@pytest.mark.parametrize(("text", "instant"), ACCEPTED.items(), ids=lambda value: str(value)[:40])
def test_a_valid_time_names_one_exact_instant(text: str, instant: tuple[int, bool]) -> None:
    """INP-4."""
    assert parse_rfc3339(text) == instant


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_a_text_of_another_form_is_no_time(text: str) -> None:
    """INP-4."""
    with pytest.raises(ValueError):
        parse_rfc3339(text)


@pytest.mark.parametrize(
    ("instant", "ceiling_us"), [(Instant(5, False), 5), (Instant(5, True), 6), (Instant(-1, True), 0)]
)
def test_a_bound_beyond_the_microsecond_rounds_up(instant: Instant, ceiling_us: int) -> None:
    """INP-3: whole microseconds compare with the ceiling as they do with the instant, on either side."""
    assert instant.ceiling_us() == ceiling_us


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (1_796_058_141_123_456, "2026-11-30T17:02:21.123456Z"),
        (FIRST_US, "0001-01-01T00:00:00.000000Z"),
        (LAST_US, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_a_time_is_written_in_utc_with_six_digits(us: int, text: str) -> None:
    """ENT-5: fixed width, and it reads back as the same instant."""
    assert format_us(us) == text
    assert parse_rfc3339(text) == (us, False)
    assert len(text) == 27


@pytest.mark.parametrize("us", [FIRST_US - 1, LAST_US + 1, 2**63 - 1])
def test_a_time_that_no_year_of_four_digits_holds_is_not_written(us: int) -> None:
    """ENT-5."""
    with pytest.raises(OverflowError):
        format_us(us)


def test_days_are_numbered_as_the_calendar_does() -> None:
    """INP-4: against datetime, over the years that it knows."""
    first, last = (
        date - EPOCH for date in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
    )
    for day in range(first.days, last.days + 1, 997):
        text = (EPOCH + timedelta(days=day)).replace(tzinfo=None).isoformat() + "Z"
        assert parse_rfc3339(text).us == day * 86_400_000_000
