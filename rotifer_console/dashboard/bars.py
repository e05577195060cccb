"""The lines above and below everything: whose memory, what is wrong, which keys there are (TUI-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from textual.geometry import Size

from rotifer_console.dashboard.actions import Action
from rotifer_console.dashboard.cells import Line, Piece, cell_text, fit, width_of
from rotifer_console.dashboard.drawn import Drawn, drawing
from rotifer_console.dashboard.entry_lines import fit_text
from rotifer_console.dashboard.shell_line import ShellLine
from rotifer_console.view.instants import clock_of

_MOST_KEYS = ((100, 7), (160, 8))
"""Below a width, so many keys: the rest of the line is the command's (TUI-1)."""

_LEAST_COMMAND = 24
_LEAST_NEWS = 8
_MOST_NEWS = 48
_BETWEEN = 3
"""The cells between a key and what it does, and after that."""
_TYPED = {
    "filter": (("enter", "keeps it"), ("esc", "clears it")),
    "search": (("enter", "searches"), ("esc", "closes")),
    "size": (("enter", "goes to the list"), ("esc", "closes")),
}
"""What enter and escape do in the boxes of the screens, by the boxes' ids."""
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
            between = f" {app.glyphs.separator} "
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
    """Whether the command is that of what was just done: on a small screen other keys make room for it."""
    typed_into: str | None = None
    """The box that is typed into: letters are no keys then."""

    def tell(self, command: ShellLine) -> None:
        """Shows the command line of what was just done, until the next key."""
        self.command, self.is_news = command, True
        self.refresh()

    def hush(self) -> None:
        """What was just done has been seen."""
        if self.is_news:
            self.is_news = False
            self.refresh()

    def offer(self, actions: Sequence[Action], typed_into: str | None) -> None:
        """Shows these keys, or those of the box that is typed into."""
        if (actions, typed_into) != (self.actions, self.typed_into):
            self.actions, self.typed_into = actions, typed_into
            self.refresh()

    def lines(self, size: Size) -> list[Line]:
        """The way back, help and quit first, where they always are; then as many keys as fit (TUI-1).

        The command line gets what is left. On a small screen that of what was just done gets more of it.
        """
        line: list[Piece] = [Piece(" ")]
        room = size.width - 1
        for word, title, action in self._named(size.width):
            cells = width_of(word) + width_of(title) + _BETWEEN
            if cells - _BETWEEN + 1 > room:
                break
            line += [Piece(word, "key", action), Piece(f" {title}  ", "dim", action)]
            room -= cells
        words = "" if self.command is None else self.command.text
        if words and room > (_LEAST_NEWS if self._is_alone(size.width) else _LEAST_COMMAND):
            words = fit_text(words, room - 1)
            line.append(Piece(" " * (room - 1 - width_of(words))))
            line.append(Piece(words, "accent", "copy_command"))
        return [tuple(line)]

    def _is_alone(self, width: int) -> bool:
        return self.is_news and width < _MOST_KEYS[0][0]

    def _named(self, width: int) -> list[tuple[str, str, str]]:
        """Keys, what they do, and the actions that a click asks for."""
        if self.typed_into is not None:
            return [(key, title, "") for key, title in _TYPED.get(self.typed_into, ())]
        first = sorted(
            (each for each in self.actions if each.rank in (0, 1)), key=lambda each: -(each.rank or 0)
        )
        others = [each for each in self.actions if each not in first]
        most = next((keys for below, keys in _MOST_KEYS if width < below), len(self.actions))
        room = width - 1 - sum(map(self._cells_of, first))
        if self._is_alone(width) and self.command is not None:
            room -= min(width_of(cell_text(self.command.text)) + 2, _MOST_NEWS)
        shown = list(first)
        for action in others:
            room -= self._cells_of(action)
            if len(shown) >= most or room < 0:
                break
            shown.append(action)
        return [(self._key_word(action), action.title, action.id) for action in shown]

    def _key_word(self, action: Action) -> str:
        return key_name(self.keys_of.get(action.id, action.keys[0]))

    def _cells_of(self, action: Action) -> int:
        return width_of(self._key_word(action)) + width_of(action.title) + _BETWEEN
