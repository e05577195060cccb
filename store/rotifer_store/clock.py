"""The clock: the only reader of the time. Rules take `now_us` as an argument instead."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Anything that tells microseconds since the epoch."""

    def now_us(self) -> int:
        """Whole microseconds since 1970-01-01T00:00:00Z."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_us(self) -> int:
        """Whole microseconds since 1970-01-01T00:00:00Z."""
        return time.time_ns() // 1000

    def __repr__(self) -> str:
        return "SystemClock()"


class FixedClock:
    """A clock that stands still until it is moved, for tests and rehearsals."""

    def __init__(self, start: int = 0) -> None:
        self._now_us = start

    def now_us(self) -> int:
        """Where the clock stands, in microseconds since the epoch."""
        return self._now_us

    def advance(self, seconds: float) -> None:
        """Moves the clock by `seconds`, rounded to whole microseconds; negative steps back."""
        self._now_us += round(seconds * 1_000_000)
