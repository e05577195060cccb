"""Keys one at a time: what one has done counts for the next, however fast they come (TUI-7, TUI-8).

Textual gives a key to the widget that has the focus when the key arrives, and does what it means later, when
it has gone from the widget up to the program. Keys that arrive together, as over a slow line, would all go to
the widget that the first of them leaves. Here the second waits until the first one has gone all the way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from textual.events import Event
from textual.message_pump import MessagePump
from textual.timer import Timer

_LONGEST_TURN_S: Final = 0.25
"""A widget that is removed under a key never says that it is done with it."""


class KeyTurns:
    """The keys that wait for their turn. A class because it remembers whose turn it is."""

    def __init__(self, app: MessagePump, give: Callable[[Event], Awaitable[MessagePump | None]]) -> None:
        """No key yet.

        Args:
            app: the program, which hears a key last.
            give: gives a key to whom it belongs now, and says to whom.
        """
        self._app = app
        self._give = give
        self._waiting: deque[Event] = deque()
        self._turn = 0
        self._watch: Timer | None = None

    async def take(self, event: Event) -> None:
        """Gives the key now, or when those before it have been heard by everybody."""
        self._waiting.append(event)
        if self._watch is None:
            await self._next()

    async def _next(self) -> None:
        self._turn += 1
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if self._waiting:
            turn = self._turn
            self._watch = self._app.set_timer(_LONGEST_TURN_S, lambda: self._over(turn))
            self._follow(await self._give(self._waiting.popleft()), turn)

    def _follow(self, hearer: MessagePump | None, turn: int) -> None:
        """Asks everybody who hears the key, from the focus up, to say so once it is done with it."""
        while hearer is not None and hearer is not self._app:
            if hearer.call_later(self._heard, hearer, turn):
                return
            hearer = hearer._parent
        self._app.call_later(self._over, turn)

    def _heard(self, hearer: MessagePump, turn: int) -> None:
        # Once more through its queue: what it told itself of the key, as that a box is filled in, is first.
        if not hearer.call_later(self._follow, hearer._parent, turn):
            self._follow(hearer._parent, turn)

    async def _over(self, turn: int) -> None:
        if turn == self._turn:
            await self._next()
