"""What a screen may ask of the program that it is part of; so no screen needs to know `app`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, cast

from textual.dom import DOMNode

from rotifer_console.dashboard.absence import Absence
from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.desk import Desk
from rotifer_console.dashboard.door import Door
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.dashboard.looking import Seen, Wanted
from rotifer_console.dashboard.saved_view import SavedView
from rotifer_store import Agent, SystemClock


class Program(Protocol):
    """The state that all screens share, and the ways between them."""

    project: Path
    read_only: bool
    clock: SystemClock
    glyphs: Glyphs
    keys_of: Mapping[str, str]
    rebound: Mapping[str, tuple[str, ...]]
    saved: SavedView
    notices: list[str]
    desk: Desk
    door: Door
    wanted: Wanted
    seen: Seen | None
    facts: tuple[tuple[str, str], ...]
    is_paused: bool
    look_title: str

    @property
    def agent_name(self) -> str | None:
        """Whose memory is shown."""

    @property
    def absence(self) -> Absence:
        """Why no agent's memory is shown, where none is."""

    def begin(self) -> None:
        """The main screen stands: looks for the first time, and from now on in time."""

    def want(self, wanted: Wanted) -> None:
        """Shows something else."""

    def look_again(self) -> None:
        """Looks now, whatever has changed or not."""

    def pause(self) -> None:
        """Stops refreshing, or goes on."""

    def refresh_bars(self) -> None:
        """Shows whose memory it is and how things stand, on every screen."""

    def next_look(self) -> None:
        """Another theme."""

    def copy(self, text: str, what: str) -> None:
        """Hands a text to the terminal's clipboard, or offers it a file and says why (TUI-8)."""

    def leave(self, status: int = 0) -> None:
        """Ends the program; what is being changed or written is finished first, unless it is asked again."""

    def leave_when_done(self) -> None:
        """Ends the program where that was asked for while something was being changed or written."""

    def go_back(self) -> None:
        """Back to the screen before."""

    def go_to_agent(self, name: str) -> None:
        """Shows another agent's memory."""

    def go_to_entry(self, key: str) -> None:
        """Shows an entry on the main screen."""

    def open_log(self, place: Place) -> None:
        """Opens a log's screen; one that is open already is gone back to."""

    def tell_life(self, agent: Agent, key: str | None) -> None:
        """Opens the life of a key; without one, of a key that is typed."""


def program_of(node: DOMNode) -> Program:
    """The program that a screen or a part of it stands in."""
    return cast("Program", node.app)
