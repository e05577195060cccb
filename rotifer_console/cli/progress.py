"""A progress bar on a terminal's stderr, for work that takes long (CLI-8)."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rotifer_console.cli import terminal

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY_S: Final = 1.0
"""Shorter work shows nothing, and loads no Rich."""


@contextlib.contextmanager
def shown(doing: str, mode: terminal.Mode) -> Iterator[None]:
    """While the body runs, and once it has run for a while, a bar says what is being done.

    The bar moves without an end in sight, because the library's calls are whole transactions. It leaves
    nothing on the screen; where stderr is no terminal, or JSON is asked for, there is none.
    """
    if mode.as_json or not terminal.is_rich(sys.stderr, mode):
        yield
        return
    bar = _LateBar(doing, mode)
    bar.start_later()
    try:
        yield
    finally:
        bar.stop()


class _LateBar:
    """A bar that a timer starts; a class because two threads meet in it."""

    def __init__(self, doing: str, mode: terminal.Mode) -> None:
        self._doing = doing
        self._colour = terminal.wants_colour(sys.stderr, mode)
        self._lock = threading.Lock()
        self._is_over = False
        self._progress: Progress | None = None
        self._timer = threading.Timer(DELAY_S, self._start)
        self._timer.daemon = True

    def start_later(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._progress is not None:
                self._progress.stop()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        class Stderr(Console):
            @property
            def encoding(self) -> str:  # Rich asks the stream, which tells less than the locale (CLI-3)
                return "utf-8" if terminal.speaks_unicode(sys.stderr) else "ascii"

        with self._lock:
            if self._is_over:
                return
            console = Stderr(file=sys.stderr, force_terminal=True, no_color=not self._colour)
            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._progress.add_task(self._doing, total=None)
            self._progress.start()
