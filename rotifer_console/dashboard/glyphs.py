"""The signs beside the words: one set for terminals that print Unicode, one in ASCII (CLI-3, TUI-11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rotifer_store import MemoryCategory


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of signs, each a single cell wide. `category` marks rows and tabs, `bar` fills the quota."""

    category: Mapping[str, str]
    bar: Mapping[str, str]
    free: str
    new: str
    cursor: str
    marked: str
    warning: str
    down: str
    up: str
    ellipsis: str
    separator: str
    rule: str
    border: str


UNICODE: Final = Glyphs(
    category={
        MemoryCategory.PREFERENCE: "◆",
        MemoryCategory.PATTERN: "▲",
        MemoryCategory.CONTEXT: "●",
        MemoryCategory.CACHE: "○",
    },
    bar={
        MemoryCategory.PREFERENCE: "█",
        MemoryCategory.PATTERN: "▓",
        MemoryCategory.CONTEXT: "▒",
        MemoryCategory.CACHE: "░",
    },
    free="·",
    new="▪",
    cursor="▸",
    marked="■",
    warning="!",
    down="▾",
    up="▴",
    ellipsis="…",
    separator="·",
    rule="─",
    border="round",
)
ASCII: Final = Glyphs(
    category={
        MemoryCategory.PREFERENCE: "#",
        MemoryCategory.PATTERN: "=",
        MemoryCategory.CONTEXT: "+",
        MemoryCategory.CACHE: "-",
    },
    bar={
        MemoryCategory.PREFERENCE: "#",
        MemoryCategory.PATTERN: "=",
        MemoryCategory.CONTEXT: "+",
        MemoryCategory.CACHE: "-",
    },
    free=".",
    new="o",
    cursor=">",
    marked="*",
    warning="!",
    down="v",
    up="^",
    ellipsis="~",
    separator="|",
    rule="-",
    border="ascii",
)


def bar(parts: Mapping[str, int], quota_bytes: int, width: int, glyphs: Glyphs) -> list[tuple[str, int]]:
    """A quota bar as (category or `free`, cells), from the left; the cells add up to `width` (TUI-2).

    What is there at all has at least one cell while there is room for it; what exceeds the quota has none.
    """
    left = width
    filled: list[tuple[str, int]] = []
    present = [category for category in glyphs.bar if parts.get(category, 0)]
    for at, category in enumerate(present):
        kept = len(present) - at - 1  # a cell for each that follows
        cells = min(max(1, round(parts[category] * width / quota_bytes)), max(0, left - kept))
        if cells:
            filled.append((category, cells))
        left -= cells
    return [*filled, ("free", left)] if left else filled
