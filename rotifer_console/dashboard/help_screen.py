"""The keys that work now, the signs, and what cannot be undone, made from the registry (TUI-8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rotifer_console.dashboard import actions
from rotifer_console.dashboard.actions import Action, Place
from rotifer_console.dashboard.bars import key_name
from rotifer_console.dashboard.cells import Line, Piece, fit, wrapped
from rotifer_console.dashboard.chooser import Choice, Chooser
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_store import MemoryCategory
from rotifer_store.tables import CATEGORIES

_MOVES: Final = frozenset(
    {"back", "next_pane", "previous_pane", "up", "down", "page_up", "page_down", "first", "last"}
)
_KEYS_WIDTH: Final = 12
_TITLE_WIDTH: Final = 18
_IDS_WIDTH: Final = 18
_WIDE: Final = 100
_MEDIUM: Final = 60
_ORDINALS: Final = ("", "first", "second", "third")

_FOR_GOOD: Final = (
    ("deleted", "A deleted entry comes back only by an import, from a file that it was exported to before."),
    ("evicted, expired", "What made room or expired is gone; the audit log keeps its key, not its value."),
    ("values", "Nothing here writes a value: genes do. What is shown of one is kept nowhere."),
    ("policy", "The agent's policy can be changed back, but what a change let expire is gone."),
)


class HelpScreen(Chooser):
    """What can be done in a place; a row that is chosen is done."""

    CAPTION = "help"
    PLACEHOLDER = "type to narrow"
    OPENED_BY = "help"

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place

    def choices(self, text: str, width: int) -> Sequence[Choice]:
        """Every row that holds the text, under its heading."""
        shown: list[Choice] = []
        for heading, choices in self._parts(width):
            kept = [choice for choice in choices if _holds(choice, text)]
            if kept:
                shown += [_heading(heading, width, is_first=not shown), *kept]
        if not shown:
            return [Choice([(Piece(fit("no key and no sign says so", width), "dim"),)], is_heading=True)]
        return shown

    def _parts(self, width: int) -> Iterator[tuple[str, list[Choice]]]:
        app = self.program
        if app.notices:
            yield "at the start", [_said("notice", notice, width) for notice in app.notices]
        offered = actions.offered(self._place, read_only=app.read_only)
        groups = (
            ("looking", [each for each in offered if not each.changes and each.id not in _MOVES]),
            ("changing", [each for each in offered if each.changes]),
            ("moving", [each for each in offered if each.id in _MOVES]),
        )
        for heading, group in groups:
            yield heading, [self._row(action, width) for action in group]
        yield "signs", [_said(sign, text, width, role) for sign, text, role in _signs(app.glyphs)]
        yield "what cannot be undone", [_said(name, text, width) for name, text in _FOR_GOOD]
        yield "keys of your own", [_said("console.toml", _REBINDING, width)]

    def _row(self, action: Action, width: int) -> Choice:
        keys = self.program.rebound.get(action.id, action.keys)
        names = fit(" ".join(map(key_name, keys)), _KEYS_WIDTH)
        first = (Piece(f" {names} ", "key"), Piece(fit(action.title, _TITLE_WIDTH), "strong"))
        if width < _MEDIUM:
            below = [(Piece(f"   {text}", "dim"),) for text in _wrapped(action.help, width - 3)]
            return Choice([first, *below], action.id)
        room = width - _KEYS_WIDTH - _TITLE_WIDTH - 3
        ids = _IDS_WIDTH if width >= _WIDE else 0
        texts = _wrapped(action.help, room - ids)
        last = (Piece(fit(action.id, ids, right=True), "dim"),) if ids else ()
        lines: list[Line] = [(*first, Piece(f" {fit(texts[0], room - ids)}"), *last)]
        indent = " " * (_KEYS_WIDTH + _TITLE_WIDTH + 3)
        return Choice([*lines, *((Piece(f"{indent}{text}"),) for text in texts[1:])], action.id)


_REBINDING: Final = (
    'In ~/.config/rotifer/console.toml, under [keys]: delete = "x". '
    "The names are those in the last column of a wide screen."
)


def _signs(glyphs: Glyphs) -> Iterator[tuple[str, str, str]]:
    rows = {row.category: row for row in CATEGORIES}
    for category in MemoryCategory:
        row = rows[category]
        goes = "never evicted" if row.eviction_rank is None else f"evicted {_ORDINALS[row.eviction_rank]}"
        yield f"{glyphs.category[category]} {category}", f"{row.holds}; {goes}", category
    bars = " ".join(glyphs.bar[category] for category in MemoryCategory)
    yield f"{bars} {glyphs.free}", "The same in the quota's bar, in this order; then what is free.", ""
    yield glyphs.marked, "A marked entry: delete and export take the marked ones.", "warning"
    yield "x", "It would be evicted by the write that is forecast.", "error"
    yield "6 d 23 h, 04:10:55", "What is left until the entry expires.", ""
    yield "00:41:07 !", "It expires within the hour.", "warning"
    yield "00:00:42 !!", "It expires within the minute.", "error"
    yield "expired", "It is hidden from genes, and goes with the next access.", "error"
    yield "never", "It does not expire.", "dim"


def _heading(text: str, width: int, *, is_first: bool) -> Choice:
    line: Line = (Piece(fit(f" {text}", width), "title"),)
    return Choice([line] if is_first else [(), line], is_heading=True)


def _said(name: str, text: str, width: int, role: str = "strong") -> Choice:
    if width < _MEDIUM:
        below = [(Piece(f"   {part}", "dim"),) for part in _wrapped(text, width - 3)]
        return Choice([(Piece(f" {fit(name, width - 1)}", role),), *below])
    column = _KEYS_WIDTH + _TITLE_WIDTH + 1
    texts = _wrapped(text, width - column - 2)
    first: Line = (Piece(f" {fit(name, column)}", role), Piece(f" {texts[0]}"))
    return Choice([first, *((Piece(f"{' ' * (column + 2)}{part}"),) for part in texts[1:])])


def _wrapped(text: str, width: int) -> list[str]:
    return [line.strip() for line in wrapped(text, max(1, width))]


def _holds(choice: Choice, text: str) -> bool:
    words = " ".join(piece.text for line in choice.lines for piece in line).casefold().split()
    shown = " ".join(words)
    return all(word in shown for word in text.casefold().split())
