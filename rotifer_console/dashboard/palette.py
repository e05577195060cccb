"""Every action and every agent by name (TUI-8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.events import Key

from rotifer_console.dashboard import actions
from rotifer_console.dashboard.actions import BY_ID, Place
from rotifer_console.dashboard.bars import key_name
from rotifer_console.dashboard.cells import Piece, fit, width_of, wrapped
from rotifer_console.dashboard.chooser import Choice, Chooser
from rotifer_console.dashboard.field import Field

_ELSEWHERE = frozenset({"audit", "telemetry", "review", "orphans", "access", "why", "forecast", "help"})
_NAME_WIDTH = 20
_LEAST_HELP = 24


class Offer(NamedTuple):
    """Something that can be asked for by name. `asks` is the action's id, or a word with a colon."""

    name: str
    help: str
    key: str
    asks: str


class Palette(Chooser):
    """What can be done here; or where one can go, agents first."""

    OPENED_BY = "palette"

    def __init__(self, place: Place, *, going: bool = False, text: str = "") -> None:
        """Offers what can be done in a place.

        Args:
            place: where it is opened.
            going: whether it offers where one can go instead.
            text: what stands in the box at first.
        """
        super().__init__()
        self._place = place
        self._going = going
        self.first_text = text
        self.CAPTION = "go to" if going else "actions"
        self.PLACEHOLDER = (
            "an agent or a screen, or a part of its name" if going else "what to do: a name, or a part of it"
        )
        self.OPENED_BY = "go_to" if going else "palette"

    def choices(self, text: str, width: int) -> Sequence[Choice]:
        """The offers that match, the best first; the way to the actions where one went for none."""
        offers = best(text, list(self._offers()))
        if offers:
            return [Choice([_line(offer, width)], offer.asks) for offer in offers]
        if not self._going:
            return [Choice([(Piece(fit("nothing is called so", width), "dim"),)], is_heading=True)]
        key = key_name(self.program.keys_of["palette"])
        hint = f"no agent and no screen is called so; enter or {key} looks among the actions"
        lines = [(Piece(f" {part}", "dim"),) for part in wrapped(hint, max(4, width - 1))]
        return [Choice(lines, f"actions:{text}")]

    def on_key(self, event: Key) -> None:
        """The key of the actions, where one went for something else, takes what is typed along."""
        palette = self.program.rebound.get("palette", BY_ID["palette"].keys)
        if self._going and event.key in palette:
            event.stop()
            self.dismiss(f"actions:{self.query_one(Field).value.strip()}")

    def _offers(self) -> Iterator[Offer]:
        app = self.program
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
    """The offers that a text stands for, by name, by the name that `console.toml` knows, by what they do.

    First those that begin so, then words, parts, letters in that order.
    """
    wanted = text.casefold()
    ranked = [(_rank(wanted, offer), at, offer) for at, offer in enumerate(offers)]
    return [offer for rank, _, offer in sorted(ranked, key=lambda each: each[:2]) if rank < _NO_MATCH]


_NO_MATCH = 7
_LEAST_OF_A_WORD = 3
"""One letter or two stand in every description."""


def _rank(wanted: str, offer: Offer) -> int:
    name, said = offer.name.casefold(), f" {offer.help.casefold()}"
    configured = offer.asks.replace("_", " ") if ":" not in offer.asks else ""
    is_told = len(wanted) >= _LEAST_OF_A_WORD
    letters = iter(name)
    ranked = (
        name.startswith(wanted),
        f" {wanted}" in f" {configured}" or configured.startswith(wanted.replace("_", " ")),
        f" {wanted}" in name,
        wanted in name,
        is_told and f" {wanted}" in said,
        is_told and wanted in said,
        all(letter in letters for letter in wanted if letter != " "),
    )
    return next((rank for rank, holds in enumerate(ranked) if holds), _NO_MATCH)


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
