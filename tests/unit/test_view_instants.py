"""Instants in narrow columns: what is left, and how long ago (TUI-3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.view.instants import clock_of, countdown_words, since_words

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOW_US = 1_767_225_600_000_000
DAY_S = 86_400


@pytest.mark.parametrize(
    ("left_s", "words"),
    [
        (-2_147_483_647 * DAY_S, "expired"),
        (-1, "expired"),
        (0, "expired"),
        (1, "00:00:01"),
        (59, "00:00:59"),
        (2467, "00:41:07"),
        (3600, "01:00:00"),
        (DAY_S - 1, "23:59:59"),
        (DAY_S, "1 d 0 h"),
        (7 * DAY_S - 1, "6 d 23 h"),
        (30 * DAY_S - 1, "29 d 23 h"),
        (30 * DAY_S, "30 d"),
        (366 * DAY_S - 1, "365 d"),
        (366 * DAY_S, "in 1 y"),
        (1000 * 366 * DAY_S, "in 1 002 y"),
        (2_147_483_647 * DAY_S, "in 5 879 610 y"),
        (10**15, "in 31 688 738 y"),
    ],
)
def test_what_is_left_in_words(left_s: int, words: str) -> None:
    """TUI-3: whole seconds of any number, a clock under a day."""
    assert countdown_words(NOW_US + left_s * 1_000_000, NOW_US) == words


def test_what_never_expires_says_so() -> None:
    """TUI-3."""
    assert countdown_words(None, NOW_US) == "never"


@pytest.mark.parametrize(
    ("left_us", "words"),
    [(-1, "expired"), (999_999, "expired"), (1_000_000, "00:00:01"), (1_999_999, "00:00:01")],
)
def test_a_part_of_a_second_is_none(left_us: int, words: str) -> None:
    """TUI-3: integer seconds, rounded down on either side."""
    assert countdown_words(NOW_US + left_us, NOW_US) == words


@given(st.integers(-(10**18), 10**24), st.integers(-(10**18), 10**18))
def test_any_two_instants_are_some_words_that_fit_their_column(instant_us: int, now_us: int) -> None:
    """TUI-3: no instant is beyond it; a clock that steps back is only another one."""
    words = countdown_words(instant_us, now_us)
    assert (words == "expired") == (instant_us - now_us < 1_000_000)
    assert len(words) <= 14 or instant_us - now_us > 2_147_483_648 * DAY_S * 1_000_000


@given(st.integers(1, DAY_S - 1))
def test_a_second_takes_a_second_off_the_clock(left_s: int) -> None:
    """TUI-3: whatever a zone does with its hours; only seconds since the epoch are told."""
    hours, minutes, seconds = map(int, countdown_words(NOW_US + left_s * 1_000_000, NOW_US).split(":"))
    assert hours * 3600 + minutes * 60 + seconds == left_s


@pytest.mark.parametrize(
    ("past_s", "words"),
    [
        (-400 * DAY_S, "just now"),
        (-1, "just now"),
        (0, "just now"),
        (59, "just now"),
        (60, "1 m ago"),
        (3599, "59 m ago"),
        (3600, "1 h ago"),
        (DAY_S - 1, "23 h ago"),
        (DAY_S, "1 d ago"),
        (30 * DAY_S - 1, "29 d ago"),
        (30 * DAY_S, "2025-12-02"),
        (1100 * 365 * DAY_S, "0926-09-25"),
    ],
)
def test_how_long_ago_in_words(past_s: int, words: str) -> None:
    """An instant still to come, where a clock stepped back, is just now."""
    assert since_words(NOW - timedelta(seconds=past_s), NOW_US) == words


@pytest.mark.parametrize("instant", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_the_ends_of_the_calendar_are_told(instant: datetime) -> None:
    """ENT-5: the years 1 and 9999."""
    assert since_words(instant, NOW_US) in ("0001-01-01", "just now")


@pytest.mark.parametrize(
    ("now_us", "words"), [(0, "00:00:00Z"), (NOW_US + 61_999_999, "00:01:01Z"), (-1, "23:59:59Z")]
)
def test_the_time_of_day_has_its_zone(now_us: int, words: str) -> None:
    """ENT-5."""
    assert clock_of(now_us) == words
