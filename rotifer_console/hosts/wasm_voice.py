"""What a WASM gene says, by `log` or on stderr, goes to this process's stderr (HST-4)."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from contextlib import ExitStack
from typing import Final

from rotifer_console.hosts.prints import Prints

_WHOLE_WRITE_BYTES: Final = 512
"""What a pipe that is ready takes without waiting, on every system."""


class Voice:
    """Shows lines for one run, and is silent where nobody reads: a full pipe must not outlast the deadline.

    Nothing is opened before there is something to say.
    """

    def __init__(self, deadline_s: float) -> None:
        """`deadline_s` is an instant of `time.monotonic()`."""
        self._deadline_s = deadline_s
        self._open = ExitStack()
        self._prints: Prints | None = None

    def __enter__(self) -> Voice:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
        if self._prints is not None:
            self._prints.wait()

    def say(self, line: bytes) -> None:
        """Shows it."""
        if self._prints is None:
            self._prints = self._open.enter_context(Prints())
        descriptor = self._prints.descriptor
        if descriptor == subprocess.DEVNULL:
            return
        with contextlib.suppress(OSError):  # nobody reads any more
            while line and self._is_ready(descriptor):
                line = line[os.write(descriptor, line[:_WHOLE_WRITE_BYTES]) :]

    def _is_ready(self, descriptor: int) -> bool:
        remaining_s = max(0.0, self._deadline_s - time.monotonic())
        return bool(select.select([], [descriptor], [], remaining_s)[1])
