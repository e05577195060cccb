"""The clocks: the machine's in whole microseconds, and one that stands still."""

from __future__ import annotations

import time

import pytest

from rotifer_store import FixedClock, SystemClock
from rotifer_store.clock import Clock


def test_the_machines_clock_counts_microseconds_since_the_epoch() -> None:
    before_ns = time.time_ns()
    now_us = SystemClock().now_us()
    assert type(now_us) is int
    assert before_ns // 1000 <= now_us <= time.time_ns() // 1000


def test_a_fixed_clock_stands_still() -> None:
    clock = FixedClock(1_767_225_600_000_000)
    assert [clock.now_us(), clock.now_us()] == [1_767_225_600_000_000] * 2
    assert FixedClock().now_us() == 0


@pytest.mark.parametrize(
    ("seconds", "now_us"),
    [
        (0, 5),
        (1, 1_000_005),
        (-1, -999_995),
        (0.000001, 6),
        (1.5, 1_500_005),
        (86_400, 86_400_000_005),
        (2_147_483_647 * 86_400, 185_542_587_100_800_000_005),
    ],
)
def test_a_fixed_clock_is_moved_by_seconds(seconds: float, now_us: int) -> None:
    clock = FixedClock(5)
    clock.advance(seconds)
    assert clock.now_us() == now_us
    assert type(clock.now_us()) is int


def test_both_are_clocks() -> None:
    clocks: list[Clock] = [SystemClock(), FixedClock()]
    assert all(callable(clock.now_us) for clock in clocks)
