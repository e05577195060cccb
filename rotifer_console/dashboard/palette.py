"""Every action and every agent by name (TUI-8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rotifer_console.dashboard import actions
from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.bars import key_name
from rotifer_console.dashboard.cells import Piece, fit, width_of, wrapped
from rotifer_console.dashboard.chooser import Choice, Chooser

_ELSEWHERE = frozenset({"audit", "telemetry", "review", "orphans", "access", "why", "forecast", "help"})
_NAME_WIDTH = 20
_LEAST_HELP = 24


class Offer(NamedTuple):
    """Something that can be asked for by name."""

    name: str
    help: str
    key: str
    asks: str


class Palette(Chooser):
    """What can be done here; or where one can go, agents first."""

    CAPTION = "commands"
    PLACEHOLDER = "what to do: a name, or a part of it"
    OPENED_BY = "palette"

    def __init__(self, place: Place, *, going: bool = False) -> None:
        super().__init__()
        self._place = place
        self._going = going

    def choices(self, text: str, width: int) -> Sequence[Choice]:
        """The offers that match, the best first."""
        offers = best(text, list(self._offers()))
        if not offers:
            return [Choice([(Piece(fit("nothing is called so", width), "dim"),)], is_heading=True)]
        return [Choice([_line(offer, width)], offer.asks) for offer in offers]

    def _offers(self) -> Iterator[Offer]:
        app = self.console_app
        acts = [
            Offer(action.title, action.help, key_name(app.keys_of[action.id]), action.id)
            for action in actions.offered(self._place, read_only=app.read_only)
            if not self._going or action.id in _ELSEWHERE
        ]
        agents = [
            Offer(f"agent {seen.agent.name}", "Show its memory.", "", f"agent:{seen.agent.name}")
            for seen in ([] if app.seen is None else app.seen.agents)
        ]
        yield from (*agents, *acts) if self._going else (*acts, *agents)


def best(text: str, offers: Sequence[Offer]) -> list[Offer]:
    """The offers that a text stands for: those that begin so, then words, parts, letters in that order."""
    wanted = text.casefold()
    ranked = [(_rank(wanted, offer.name.casefold()), at, offer) for at, offer in enumerate(offers)]
    return [offer for rank, _, offer in sorted(ranked, key=lambda each: each[:2]) if rank < _NO_MATCH]


_NO_MATCH = 4


def _rank(wanted: str, name: str) -> int:
    if name.startswith(wanted):
        return 0
    if f" {wanted}" in name:
        return 1
    if wanted in name:
        return 2
    letters = iter(name)
    return 3 if all(letter in letters for letter in wanted if letter != " ") else _NO_MATCH


def _line(offer: Offer, width: int) -> tuple[Piece, ...]:
    key = offer.key
    room = width - _NAME_WIDTH - width_of(key) - 4
    if room < _LEAST_HELP:
        return (Piece(f" {fit(offer.name, width - width_of(key) - 3)} "), Piece(f"{key} ", "key"))
    return (
        Piece(f" {fit(offer.name, _NAME_WIDTH)} "),
        Piece(f"{fit(_beginning(offer.help, room), room)} ", "dim"),
        Piece(f"{key} ", "key"),
    )


def _beginning(text: str, width: int) -> str:
    """A sentence of ours in so many cells: its end is left out, not its middle."""
    return text if width_of(text) <= width else f"{wrapped(text, width - 2)[0].strip()} …"
