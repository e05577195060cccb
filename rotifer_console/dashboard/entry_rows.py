"""An entry as one line of the list: which columns fit, and what stands in them (TUI-1, TUI-3). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from rotifer_console.dashboard.cells import Line, Piece, fit
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.columns import short_id
from rotifer_console.view.instants import countdown_words, since_words
from rotifer_console.view.sizes import size_cell
from rotifer_store import EntryInfo, MemoryCategory

_SOON_S: Final = 60
_HOUR_S: Final = 3600
_SIGNS_WIDTH: Final = 4
_LEAST_WITH_EXPIRY: Final = 30


class EntryColumn(NamedTuple):
    """A column: what it is called, the order it stands for, its width (0 = what is left), its side."""

    title: str
    order: str
    width: int
    right: bool = False


KEY: Final = EntryColumn("key", "key", 0)
SIZE: Final = EntryColumn("size", "size", 8, right=True)
CREATOR: Final = EntryColumn("creator", "creator", 14)
UPDATED: Final = EntryColumn("updated", "updated", 10, right=True)
EXPIRES: Final = EntryColumn("expires", "expires", 16, right=True)
EXPIRES_NARROW: Final = EXPIRES._replace(width=13)
"""Where room is dear: a year's number without its `in`."""
CATEGORY: Final = EntryColumn("category", "category", 10)


def columns_for(width: int) -> tuple[EntryColumn, ...]:
    """The columns that a width has room for, none of them cut; key and expiry from forty cells on (TUI-1)."""
    if width >= 96:
        return KEY, CATEGORY, SIZE, CREATOR, UPDATED, EXPIRES
    if width >= 72:
        return KEY, SIZE, CREATOR, UPDATED, EXPIRES
    if width >= 52:
        return KEY, SIZE, UPDATED, EXPIRES_NARROW
    if width >= 44:
        return KEY, SIZE, EXPIRES_NARROW
    return (KEY, EXPIRES_NARROW) if width >= _LEAST_WITH_EXPIRY else (KEY,)


def key_width(width: int) -> int:
    """What the fixed columns leave for the key."""
    fixed = sum(column.width + 1 for column in columns_for(width) if column.width) + 1
    return max(4, width - _SIGNS_WIDTH - fixed)


def titles(width: int, order: str, *, descending: bool, glyphs: Glyphs) -> Line:
    """The line above the list; a click on a title sorts by it."""
    line = [Piece(" " * _SIGNS_WIDTH)]
    for column in columns_for(width):
        cells = column.width or key_width(width)
        sign = (glyphs.down if descending else glyphs.up) if column.order == order else ""
        text = f"{column.title}{sign}"
        role = "accent" if sign else "header"
        if column.order == EXPIRES.order:
            text = f"{text}  "  # the signs beside the countdowns have cells of their own
        line += [Piece(fit(text, cells, right=column.right), role, f"sort:{column.order}"), Piece(" ")]
    return tuple(line)


def row(
    entry: EntryInfo,
    creators: Mapping[str, str],
    width: int,
    now_us: int,
    glyphs: Glyphs,
    *,
    is_marked: bool,
    leaves_as: int | None = None,
) -> Line:
    """One entry; `leaves_as` is its turn where a forecast would evict it."""
    line = [
        Piece(glyphs.marked if is_marked else " ", "warning"),
        Piece(" " if leaves_as is None else "x", "error"),
        Piece(glyphs.category[entry.category], entry.category),
        Piece(" "),
    ]
    for column in columns_for(width):
        cells = column.width or key_width(width)
        if column.order == EXPIRES.order:
            line += expiry_cells(entry.expires_at_us, now_us, cells)
            continue
        text, role = _cell(column, entry, creators, now_us)
        line += [Piece(fit(text, cells, right=column.right, ellipsis=glyphs.ellipsis), role), Piece(" ")]
    return tuple(line)


def _cell(column: EntryColumn, entry: EntryInfo, creators: Mapping[str, str], now_us: int) -> tuple[str, str]:
    if column is KEY:
        return entry.key, ""
    if column is CATEGORY:
        return entry.category, entry.category
    if column is SIZE:
        return size_cell(entry.size_bytes), ""
    if column is CREATOR:
        return creators.get(entry.created_by) or short_id(entry.created_by), "dim"
    return since_words(entry.updated_at, now_us), "dim"


def expiry_cells(expires_at_us: int | None, now_us: int, width: int) -> list[Piece]:
    """The countdown, and a sign of its own beside what goes soon: never colour alone (TUI-3)."""
    words, sign, role = _expiry(expires_at_us, now_us)
    if width < EXPIRES.width:
        words = words.removeprefix("in ")
    return [Piece(fit(words, width - 2, right=True), role), Piece(f" {sign:<2}", role)]


def expiry_piece(expires_at_us: int | None, now_us: int) -> tuple[str, str]:
    """The same as one text, where no column is to be filled."""
    words, sign, role = _expiry(expires_at_us, now_us)
    return f"{words} {sign}".rstrip(), role


def _expiry(expires_at_us: int | None, now_us: int) -> tuple[str, str, str]:
    words = countdown_words(expires_at_us, now_us)
    if expires_at_us is None:
        return words, "", "dim"
    left_s = (expires_at_us - now_us) // 1_000_000
    if left_s <= 0:
        return words, "", "error"
    if left_s < _SOON_S:
        return words, "!!", "error"
    return (words, "!", "warning") if left_s < _HOUR_S else (words, "", "")


def category_after(category: str | None) -> str | None:
    """The category after the one that is shown; None shows all."""
    chain: list[str | None] = [None, *MemoryCategory]
    return chain[(chain.index(category) + 1) % len(chain)]


def category_before(category: str | None) -> str | None:
    """The category before the one that is shown."""
    chain: list[str | None] = [None, *MemoryCategory]
    return chain[chain.index(category) - 1]
