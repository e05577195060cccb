"""The numbers of a log's lines that a search has found, while it goes back and the log grows (TUI-5). Pure.

A search begins at the log's end and goes towards its beginning; what is appended meanwhile comes at the other
end. So there are two lists, and none of them is ever moved.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence


class FoundLines:
    """Lines among those from `first` up to before `last`, which have all been looked at.

    A class because it grows at both ends.
    """

    __slots__ = ("_newer", "_older", "first", "last")

    def __init__(self, end: int) -> None:
        """Nothing has been looked at; the search begins before the line `end`."""
        self.begin(end)

    def begin(self, end: int) -> None:
        """Forgets everything: the search begins anew before the line `end`."""
        self.first = self.last = end
        self._older = array("Q")  # newest first
        self._newer = array("Q")

    def __len__(self) -> int:
        """How many were found."""
        return len(self._older) + len(self._newer)

    def line_at(self, place: int) -> int:
        """The line at a place, the oldest at 0."""
        back = len(self._older)
        return self._older[back - 1 - place] if place < back else self._newer[place - back]

    def place_of(self, line: int) -> int:
        """How many of the found lines stand before a line."""
        return bisect_left(range(len(self)), line, key=self.line_at)

    def add_older(self, first: int, newest_first: Sequence[int]) -> None:
        """All lines from `first` up to those looked at before have been looked at."""
        self.first = first
        self._older.extend(newest_first)

    def add_newer(self, last: int, oldest_first: Sequence[int]) -> None:
        """All lines from those looked at before up to before `last` have been looked at."""
        self.last = last
        self._newer.extend(oldest_first)

    def forget_from(self, line: int) -> None:
        """Lines from that one on are others than they were, or have gone."""
        if line >= self.last:
            return
        if line <= self.first:
            self.begin(line)
            return
        kept = self.place_of(line)
        back = len(self._older)
        del self._newer[max(0, kept - back) :]
        if kept < back:
            self._older = self._older[back - kept :]
        self.last = line
