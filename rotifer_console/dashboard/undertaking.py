"""What may not be left half done: one thing at a time, and leaving waits for it (TUI-7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol, TypeVar

from textual.events import Key

from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.entry_list import EntryList
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_store import Store

Result = TypeVar("Result")
_SAY_AFTER_S: Final = 0.6
"""How long something may take before the banner says that it is being done."""


class Failing(Protocol):
    """A dialog that stays open until its deed is done, and says where it could not be."""

    @property
    def is_attached(self) -> bool:
        """Whether it is open still."""
        ...

    def failed(self, text: str) -> None:
        """Says why it could not be done."""
        ...


class Undertaking(PlaceScreen):
    """A screen that changes the store or writes files."""

    under_way: str | None = None
    """What is being done, and must be finished before leaving."""
    shows_deed = False
    """Whether the key bar shows the command line of what was done last, until the next key."""

    @property
    def entries(self) -> EntryList:
        """The list of entries."""
        return self.query_one(EntryList)

    @property
    def creators(self) -> Mapping[str, str]:
        """The names of genes by v2 id."""
        seen = self.program.seen
        return {} if seen is None else seen.creators

    def show_deed(self, action_id: str, subject: Subject | None = None) -> bool:
        """Shows the command line of what was done; what is listed next does not take its place.

        False where no line does the same: then none is shown for it.
        """
        self.shows_deed = self.show_command(action_id, subject)
        return self.shows_deed

    def on_key(self, event: Key) -> None:
        """What was done has been seen."""
        self.shows_deed = False

    # One thing at a time

    def undertake(
        self,
        lane: Lane,
        what: str,
        work: Callable[[Store], Result],
        then: Callable[[Result], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Has something done that is not to be left half done; one at a time.

        Args:
            lane: where it is done.
            what: what is being done, in words: `deleting 1 entry`.
            work: does it.
            then: told what it brought.
            failed: told why it could not be done.
        """
        if self.under_way is not None:
            failed(BusyError(f"{self.under_way} still goes on; try again after it"))
            return
        self.under_way = what
        timer = self.set_timer(_SAY_AFTER_S, lambda: self.hold(f"{what}: waiting for the store", "accent"))

        def finished() -> None:
            timer.stop()
            self.under_way = None
            self.hold(None)

        def done(result: Result) -> None:
            finished()
            then(result)
            self.program.leave_when_done()

        def refused(error: Exception) -> None:
            finished()
            failed(error)
            self.program.leave_when_done()

        self.program.desk.ask(lane, what, work, done, refused)

    def failed_in(self, dialog: Failing, text: str) -> None:
        """Says it in the dialog, or where that was closed, below."""
        if dialog.is_attached:
            dialog.failed(text)
        else:
            self.say(text, "error")

    def choose_agent(self, name: str) -> None:
        """Shows another agent's memory."""
        raise NotImplementedError


class BusyError(Exception):
    """Something else is being done."""


def told(error: Exception) -> str:
    """An error for people: its code and what it says; of the system's, what failed and where."""
    if isinstance(error, FileExistsError):
        return f"there is a file {Path(str(error.filename)).name} already"
    if isinstance(error, OSError):
        return (error.strerror or "the system failed").lower()
    code = getattr(error, "code", None)
    return str(error) if code is None else f"{code}, {error}"
