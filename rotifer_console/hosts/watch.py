"""A watch on deadlines: one thread for as long as a gene's process lives (HST-4).

A thread for each run would cost several times what an empty run does. This one sleeps until the deadline that
it saw last; a run with a later one, as the next run of a process mostly has, need not wake it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable


class Watch:
    """Calls `end` once for each `begin` that is not followed by `rest` in time; never after `rest`."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self._changed = threading.Condition()
        self._deadline_s = math.inf
        self._wakes_at_s = math.inf
        self._is_closed = False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def begin(self, timeout_s: float) -> None:
        """From now on, that long."""
        with self._changed:
            self._deadline_s = time.monotonic() + timeout_s
            if self._deadline_s < self._wakes_at_s:
                self._changed.notify()

    def rest(self) -> None:
        """Until the next `begin` nothing is late; what was has been ended when this returns."""
        with self._changed:
            self._deadline_s = math.inf

    def close(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_closed:
                left_s = self._deadline_s - time.monotonic()
                if left_s <= 0:
                    self._deadline_s = math.inf
                    self._end()
                    continue
                self._wakes_at_s = self._deadline_s
                self._changed.wait(None if math.isinf(left_s) else left_s)
