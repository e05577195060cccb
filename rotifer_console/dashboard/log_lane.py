"""The lane in which one screen has its log read (TUI-5, TUI-9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rotifer_console.dashboard.desk import Desk, Lane
from rotifer_console.dashboard.log_reading import LogReading, OpenStore

Result = TypeVar("Result")


class LogLane:
    """A log that is read beside the screen; what comes when the screen was left is dropped.

    A class because it remembers that it was left.
    """

    def __init__(self, reading: LogReading[Any], desk: Callable[[], Desk]) -> None:
        """Asks for nothing yet.

        Args:
            reading: the log; its methods are called in the lane only.
            desk: that of the program, which a screen has once it is shown.
        """
        self.reading = reading
        self._desk = desk
        self._is_left = False

    def ask(
        self,
        slot: str,
        work: Callable[[OpenStore], Result],
        then: Callable[[Result], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Has `work` done; of what waits in one slot only the newest is."""

        def then_here(result: Result) -> None:
            if not self._is_left:
                then(result)

        def failed_here(error: Exception) -> None:
            if not self._is_left:
                failed(error)

        self._desk().ask_without_store(Lane.LOG, f"{slot} {id(self)}", work, then_here, failed_here)

    def leave(self) -> None:
        """Lets go of the log."""
        self.ask("close", lambda _: self.reading.close(), lambda _: None, lambda _: None)
        self._is_left = True
