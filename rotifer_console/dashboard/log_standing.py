"""How things stand with a log, in the words above its lines (TUI-5). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rotifer_console.dashboard.cells import Piece
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.sizes import format_part


@dataclass(frozen=True, slots=True)
class Matches:
    """How many lines match among the newest `looked_at`; `is_all` once no line is left to look at."""

    number: int
    looked_at: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What there is to say of a log.

    `line_count` is None before the first look. `counting` are the bytes counted and those still to count,
    while that is not done. `new_rows` have come since it stopped following; None while it follows. `matches`
    is None where the log is not narrowed.
    """

    log_name: str
    line_count: int | None
    counting: tuple[int, int] | None
    new_rows: int | None
    matches: Matches | None
    is_searching: bool
    unreadable: int
    is_unreadable_all: bool
    foreign: int = 0


def standing_pieces(standing: Standing, glyphs: Glyphs) -> list[Piece]:
    """Which log it is, whether it is followed, and how many lines of it are shown."""
    separator = f" {glyphs.separator} "
    pieces = [Piece(f" {standing.log_name}", "title")]
    if standing.line_count is None:
        return pieces
    if standing.counting is not None:
        counted, uncounted = standing.counting
        return [
            *pieces,
            Piece(f"{separator}counting, {format_part(counted, counted + uncounted)}", "accent"),
        ]
    if standing.new_rows is None:
        pieces += [Piece(separator, "dim"), Piece("following", "success")]
    else:
        paused = f"paused, {_number(standing.new_rows)} new" if standing.new_rows else "paused"
        pieces += [Piece(separator, "dim"), Piece(paused, "warning", "follow")]
    pieces.append(Piece(f"{separator}{_lines_in_words(standing.line_count, standing.matches)}", "dim"))
    if standing.is_searching:
        pieces.append(Piece(f"{separator}searching, esc ends it", "accent"))
    return pieces


def unreadable_pieces(standing: Standing, glyphs: Glyphs) -> list[Piece]:
    """How many lines cannot be read, and how many other programs wrote; nothing where none (REC-9)."""
    counts = ((standing.unreadable, "unreadable"), (standing.foreign, "of other programs"))
    parts = [f"{_number(number)} {what}" for number, what in counts if number]
    if not parts:
        return []
    so_far = "" if standing.is_unreadable_all else " so far"
    return [Piece(f"{glyphs.warning} {', '.join(parts)}{so_far} ", "warning")]


def _lines_in_words(line_count: int, matches: Matches | None) -> str:
    if matches is None:
        return _lines_of(line_count)
    found = f"{_number(matches.number)} {'match' if matches.number == 1 else 'matches'}"
    if not matches.is_all:
        return f"looking, {found} in the newest {_number(matches.looked_at)} lines"
    return f"{found} of {_lines_of(line_count)}"


def _number(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _lines_of(count: int) -> str:
    return f"{_number(count)} {'line' if count == 1 else 'lines'}"
