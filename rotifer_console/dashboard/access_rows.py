"""Which gene may do what with which entry, as lines (ACC). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rotifer_console.dashboard.cells import Line, Piece, fit, width_of, wrapped
from rotifer_console.dashboard.examining import GeneVerdict
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.access import decisions, yes_or_no
from rotifer_store import EntryInfo

LEGEND: Final = "R read, W write, D delete, - no; left and right choose a gene"

_LETTERS: Final = {"read": "R", "write": "W", "delete": "D"}
_LEAST_KEY: Final = 16
_MOST_KEY: Final = 56
_MOST_NAME: Final = 14
_LEAST_NAME: Final = 6
_NARROW: Final = 56


def shown_genes(genes: Sequence[str], chosen: int, width: int) -> range:
    """The genes whose columns fit beside the keys, the chosen one among them."""
    room = width - 3 - _LEAST_KEY
    first = last = min(chosen, len(genes) - 1)
    room -= _column_cells(genes[first])
    while True:
        if last + 1 < len(genes) and _column_cells(genes[last + 1]) <= room:
            last += 1
            room -= _column_cells(genes[last])
        elif first > 0 and _column_cells(genes[first - 1]) <= room:
            first -= 1
            room -= _column_cells(genes[first])
        else:
            return range(first, last + 1)


def access_titles(genes: Sequence[str], chosen: int, width: int, glyphs: Glyphs) -> Line:
    """The genes' names above their columns; a sign stands before the chosen one, and where there are more."""
    shown = shown_genes(genes, chosen, width)
    key = _key_cells(genes, shown, width)
    line = [Piece("   "), Piece(fit("key", key), "header")]
    for number in shown:
        name = fit(genes[number], _column_cells(genes[number]) - 2, ellipsis=glyphs.ellipsis)
        is_chosen = number == chosen
        line.append(Piece(f" {glyphs.cursor if is_chosen else ' '}", "accent"))
        line.append(Piece(name, "title" if is_chosen else "header", f"gene:{number}"))
    more = len(genes) - len(shown)
    if more:
        line.append(Piece(f" +{more}", "dim"))
    return tuple(line)


def access_row(
    entry: EntryInfo, verdicts: Sequence[GeneVerdict], chosen: int, width: int, glyphs: Glyphs
) -> Line:
    """An entry and what each gene may do with it."""
    genes = [verdict.gene for verdict in verdicts]
    shown = shown_genes(genes, chosen, width)
    key = fit(entry.key, _key_cells(genes, shown, width), ellipsis=glyphs.ellipsis)
    line = [Piece(f" {glyphs.category[entry.category]} ", entry.category), Piece(key)]
    for number in shown:
        cells = _column_cells(genes[number]) - 2
        letters = letters_of(verdicts[number])
        is_nothing = not set(letters) & set(_LETTERS.values())
        role = "strong" if number == chosen else "dim" if is_nothing else ""
        line.append(Piece(f"  {fit(letters, cells)}", role, f"gene:{number}"))
    return tuple(line)


def letters_of(verdict: GeneVerdict) -> str:
    """`RWD`, with a dash for what is not allowed; a question mark where the gene cannot be read."""
    if verdict.verdict is None:
        return "?"
    decided = decisions(verdict.verdict)
    return "".join(letter if decided[call].allowed else "-" for call, letter in _LETTERS.items())


def access_lines(entry: EntryInfo, verdict: GeneVerdict, width: int, glyphs: Glyphs) -> list[Line]:
    """What one gene may do with one entry, and by which rule: a line for each call, more where it is long."""
    of = f" {glyphs.separator} "
    head = f"{verdict.gene}{of}{entry.key}"
    lines: list[Line] = [(Piece(" "), Piece(fit(head, width, ellipsis=glyphs.ellipsis), "strong"))]
    if verdict.verdict is None:
        reason = verdict.problem or "its folder cannot be read"
        return [*lines, *[(Piece(" "), Piece(part, "warning")) for part in wrapped(reason, width)]]
    for call, decision in decisions(verdict.verdict).items():
        answer = f"{call:<7} {yes_or_no(decision):<4}"
        reason = f"{decision.rule:<6} {decision.reason}"
        first, *others = wrapped(reason, max(8, width - width_of(answer) - 1))
        lines.append((Piece(" "), Piece(answer, "success" if decision.allowed else "warning"), Piece(first)))
        lines += [(Piece(" " * (width_of(answer) + 1)), Piece(part)) for part in others]
    return lines


def _column_cells(name: str) -> int:
    return min(_MOST_NAME, max(_LEAST_NAME, width_of(fit(name, _MOST_NAME).rstrip(" ")))) + 2


def _key_cells(genes: Sequence[str], shown: range, width: int) -> int:
    more = 4 if len(shown) < len(genes) else 0
    taken = sum(_column_cells(genes[number]) for number in shown)
    return max(1, min(_MOST_KEY, width - 3 - taken - more))
