"""Tabs with what each category holds, and the bar of the quota under them (TUI-1, TUI-2)."""

from __future__ import annotations

from typing import Final

from textual.geometry import Size

from rotifer_console.dashboard.cells import Line, Piece, width_of
from rotifer_console.dashboard.drawn import Drawn, drawing
from rotifer_console.dashboard.glyphs import Glyphs, bar
from rotifer_console.view.sizes import format_size
from rotifer_store import MemoryCategory, MemoryUsage

_SHORT_CHARACTERS: Final = 4


def tabs(
    usage: MemoryUsage, chosen: str | None, width: int, glyphs: Glyphs, listed: int | None = None
) -> Line:
    """Counts and bytes by category; abbreviates before it would wrap. A click shows the category.

    `listed`: how many of the chosen ones a filter lets through, where there is one.
    """
    forms = [
        [
            _tab(usage, category, glyphs, name, with_bytes, listed if category == chosen else None)
            for category in (None, *MemoryCategory)
        ]
        for name, with_bytes in (("long", True), ("long", False), ("short", False), ("sign", False))
    ]
    for form in forms:
        if sum(width_of(text) + 2 for text, _ in form) <= width or form is forms[-1]:
            break
    line = []
    for (text, role), category in zip(form, (None, *MemoryCategory), strict=True):
        action = f"category:{category or ''}"
        if category == chosen:
            line.append(Piece(f"[{text}]", "title", action))
        else:
            line.append(Piece(f" {text} ", role, action))
    return tuple(line)


def _tab(
    usage: MemoryUsage,
    category: MemoryCategory | None,
    glyphs: Glyphs,
    name: str,
    with_bytes: bool,
    listed: int | None,
) -> tuple[str, str]:
    if category is None:
        entries = sum(part.entries for part in usage.by_category.values())
        return f"All {_counted(entries, listed)}", ""
    part = usage.by_category[category]
    sign = glyphs.category[category]
    short = category if len(category) <= _SHORT_CHARACTERS + 1 else category[:_SHORT_CHARACTERS]
    title = {"long": f"{sign} {category} ", "short": f"{sign} {short} ", "sign": sign}[name]
    size = f" {format_size(part.bytes)}" if with_bytes and part.bytes else ""
    return f"{title}{_counted(part.entries, listed)}{size}", category


def _counted(entries: int, listed: int | None) -> str:
    """`36`, or ` 8 of 36`: as wide whatever the filter leaves, so nothing moves while it is typed."""
    return f"{entries}" if listed is None else f"{listed:>{len(str(entries))}} of {entries}"


def quota_line(usage: MemoryUsage, width: int, glyphs: Glyphs) -> Line:
    """The stacked bar against the quota, and used of quota in figures; says what is protected (TUI-2)."""
    protected = usage.by_category[MemoryCategory.PREFERENCE].bytes
    percent = usage.used_bytes * 100 // usage.quota_bytes
    figures = f" {format_size(usage.used_bytes)} of {format_size(usage.quota_bytes)}, {percent}%"
    more = f", {format_size(protected)} protected" if protected else ""
    if width >= 76:
        figures += more
    cells = max(4, width - width_of(figures) - 2)
    signs = {**glyphs.bar, "free": glyphs.free}
    sizes = {str(category): part.bytes for category, part in usage.by_category.items()}
    filled = bar(sizes, usage.quota_bytes, cells, glyphs)
    role = "warning" if percent >= 90 else "dim"
    return (
        Piece(" "),
        *(Piece(signs[name] * count, name) for name, count in filled),
        Piece(figures, role),
    )


class QuotaBar(Drawn):
    """Two lines: the tabs and the bar."""

    usage: MemoryUsage | None = None
    category: str | None = None
    listed: int | None = None

    def lines(self, size: Size) -> list[Line]:
        """The tabs and the bar; nothing while there is no agent."""
        if self.usage is None:
            return []
        glyphs = drawing(self.app).glyphs
        return [
            tabs(self.usage, self.category, size.width, glyphs, self.listed),
            quota_line(self.usage, size.width, glyphs),
        ]
