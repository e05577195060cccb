"""The wall clock of WASM: one thread that counts an engine's epoch up while genes run (HST-8)."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

TICK_S: Final = 0.01

_MOST_TICKS_TO_STOP: Final = 1_000_000
"""Every run of up to two and a half hours is over then, in about a second; fuel ends the others."""


def ticks_of(remaining_s: float) -> int:
    """Ticks after which that time has passed for sure: the present one has begun already."""
    return max(1, math.ceil(remaining_s / TICK_S) + 1)


class EpochClock:
    """Counts `tick` up every 10 ms while somebody runs, and rests while nobody does.

    A class because it owns the thread.
    """

    def __init__(self, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._lock = threading.Lock()
        self._running = 0
        self._thread: threading.Thread | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time passes inside."""
        with self._lock:
            self._running += 1
            if self._thread is None or not self._thread.is_alive():  # or it stayed behind at a fork
                self._thread = threading.Thread(target=self._count, name="rotifer-wasm-epoch", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def pass_all(self) -> None:
        """Lets every deadline pass at once."""
        for _ in range(_MOST_TICKS_TO_STOP):
            with self._lock:
                if self._running == 0:
                    return
            self._tick()

    def _count(self) -> None:
        began_s, counted = time.monotonic(), 0
        while True:
            time.sleep(TICK_S)
            with self._lock:
                if self._running == 0:
                    self._thread = None
                    return
            # a thread that was kept waiting makes good for it: each tick stands for 10 ms that have passed
            for _ in range(int((time.monotonic() - began_s) / TICK_S) - counted):
                self._tick()
                counted += 1
