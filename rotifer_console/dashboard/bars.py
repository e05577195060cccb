"""The lines above and below everything: whose memory, what is wrong, which keys there are (TUI-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from textual.geometry import Size

from rotifer_console.dashboard.actions import Action
from rotifer_console.dashboard.cells import Line, Piece, fit, width_of
from rotifer_console.dashboard.drawn import Drawn, drawing
from rotifer_console.dashboard.entry_lines import fit_text
from rotifer_console.dashboard.shell_line import ShellLine
from rotifer_console.view.instants import clock_of

_MOST_KEYS = ((100, 7), (160, 8))
"""Below a width, so many keys: the rest of the line is the command's (TUI-1)."""

_LEAST_COMMAND = 24
_LEAST_NEWS = 8
_KEY_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "exclamation_mark": "!",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "escape": "esc",
    "ctrl+p": "^p",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


def key_name(key: str) -> str:
    """A key as people call it."""
    return _KEY_NAMES.get(key, key)


class Header(Drawn):
    """One line: the agent, what there is to know of it, the time of the last look."""

    agent: str | None = None
    of_agents: tuple[int, int] = (0, 0)
    facts: tuple[tuple[str, str], ...] = ()
    state: tuple[str, str] = ("", "")

    def lines(self, size: Size) -> list[Line]:
        """The facts from the left, as many as fit; the clock on the right."""
        app = drawing(self.app)
        clock = clock_of(app.clock.now_us())
        right = [Piece(f"{self.state[0]}  " if self.state[0] else "", self.state[1]), Piece(clock, "dim")]
        room = size.width - sum(width_of(piece.text) for piece in right) - 2
        line: list[Piece] = [Piece(" rotifer", "title", "help"), Piece("  ")]
        if self.agent is not None:
            at, of = self.of_agents
            which = f" {app.glyphs.down} {at}/{of}" if of > 1 else ""
            line.append(Piece(fit_text(self.agent, max(8, room - 14)), "strong", "go_to"))
            line.append(Piece(which, "dim", "go_to"))
        taken = sum(width_of(piece.text) for piece in line)
        for text, role in self.facts:
            between = f"  {app.glyphs.separator} "
            if taken + width_of(between) + width_of(text) > room:
                break
            line += [Piece(between, "dim"), Piece(text, role)]
            taken += width_of(between) + width_of(text)
        line.append(
            Piece(" " * max(0, size.width - taken - sum(width_of(piece.text) for piece in right) - 1))
        )
        return [(*line, *right)]


class Banner(Drawn):
    """One line that is there only when it has something to say: a state that lasts, or what was just done."""

    lasting: tuple[str, str] | None = None
    passing: tuple[str, str] | None = None

    def say(self, text: str, role: str = "accent") -> None:
        """Says something until the next key."""
        self.passing = (text, role)
        self._settle()

    def hold(self, text: str | None, role: str = "warning") -> None:
        """Says something for as long as it is so."""
        lasting = None if text is None else (text, role)
        if lasting != self.lasting:
            self.lasting = lasting
            self._settle()

    def hush(self) -> None:
        """What was just done has been read."""
        if self.passing is not None:
            self.passing = None
            self._settle()

    def _settle(self) -> None:
        self.display = self.passing is not None or self.lasting is not None
        self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """The passing word, or the lasting one."""
        said = self.passing or self.lasting
        if said is None:
            return []
        sign = drawing(self.app).glyphs.warning if said[1] in ("warning", "error") else " "
        return [(Piece(f" {sign} ", said[1]), Piece(fit(said[0], size.width - 4), said[1]))]


class KeyBar(Drawn):
    """One line: the keys of the screen, and on the right the command line that equals what is shown."""

    actions: Sequence[Action] = ()
    keys_of: Mapping[str, str] = MappingProxyType({})
    command: ShellLine | None = None
    is_news = False
    """Whether the command is that of what was just done: on a small screen it stands beside help and quit."""

    def tell(self, command: ShellLine) -> None:
        """Shows the command line of what was just done, until the next key."""
        self.command, self.is_news = command, True
        self.refresh()

    def hush(self) -> None:
        """What was just done has been seen."""
        if self.is_news:
            self.is_news = False
            self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """As many keys as fit, the least important dropped first; help and quit always (TUI-1)."""
        kept = [action for action in self.actions if action.rank == 0]
        is_alone = self.is_news and size.width < _MOST_KEYS[0][0]
        others = [] if is_alone else [action for action in self.actions if action.rank != 0]
        most = next((keys for width, keys in _MOST_KEYS if size.width < width), len(self.actions))
        room = size.width - 1 - sum(map(self._cells_of, kept))
        shown: list[Action] = []
        for action in others:
            if len(shown) + len(kept) >= most or self._cells_of(action) > room:
                break
            shown.append(action)
            room -= self._cells_of(action)
        line: list[Piece] = [Piece(" ")]
        for action in (*shown, *kept):
            line.append(Piece(self._key_word(action), "key", action.id))
            line.append(Piece(f" {action.title}  ", "dim", action.id))
        words = "" if self.command is None else self.command.text
        if words and room > (_LEAST_NEWS if is_alone else _LEAST_COMMAND):
            line.append(Piece(" " * max(0, room - width_of(fit_text(words, room - 2)) - 1)))
            line.append(Piece(fit_text(words, room - 2), "accent", "copy_command"))
        return [tuple(line)]

    def _key_word(self, action: Action) -> str:
        return key_name(self.keys_of.get(action.id, action.keys[0]))

    def _cells_of(self, action: Action) -> int:
        return width_of(self._key_word(action)) + width_of(action.title) + 3
