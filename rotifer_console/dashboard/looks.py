"""Four looks: dark, light, high contrast, and the terminal's own sixteen colours (TUI-11).

A colour never stands alone: a glyph or a word beside it says the same. Without colour at all the roles keep
what weight, underline and reverse can say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rich.style import Style
from textual.theme import Theme

from rotifer_store import MemoryCategory


@dataclass(frozen=True, slots=True)
class Look:
    """A theme for Textual's widgets, and a style for each role that our own lines have."""

    title: str
    theme: Theme
    styles: Mapping[str, Style]


@dataclass(frozen=True, slots=True)
class _Palette:
    background: str
    surface: str
    panel: str
    text: str
    dim: str
    accent: str
    warning: str
    error: str
    success: str
    preference: str
    pattern: str
    context: str
    cache: str
    cursor: str
    shade: str
    line: str


def _look(title: str, palette: _Palette, *, dark: bool) -> Look:
    theme = Theme(
        name=f"rotifer-{title.replace(' ', '-')}",
        primary=palette.accent,
        secondary=palette.accent,
        accent=palette.accent,
        warning=palette.warning,
        error=palette.error,
        success=palette.success,
        foreground=palette.text,
        background=palette.background,
        surface=palette.surface,
        panel=palette.panel,
        dark=dark,
        variables={
            "line": palette.line,
            "dim": palette.dim,
            "block-cursor-background": palette.accent,
            "block-cursor-foreground": palette.background,
            "input-cursor-background": palette.text,
            "input-selection-background": palette.cursor,
            "border": palette.accent,
            "border-blurred": palette.line,
            "scrollbar": palette.line,
            "scrollbar-hover": palette.dim,
            "scrollbar-active": palette.accent,
            "scrollbar-background": palette.background,
            "scrollbar-background-hover": palette.background,
            "scrollbar-background-active": palette.background,
            "scrollbar-corner-color": palette.background,
        },
    )
    return Look(
        title,
        theme,
        {
            "": Style(color=palette.text),
            "strong": Style(color=palette.text, bold=True),
            "dim": Style(color=palette.dim),
            "accent": Style(color=palette.accent),
            "title": Style(color=palette.accent, bold=True),
            "warning": Style(color=palette.warning),
            "error": Style(color=palette.error, bold=True),
            "success": Style(color=palette.success),
            "header": Style(color=palette.dim, underline=False),
            "free": Style(color=palette.line),
            MemoryCategory.PREFERENCE: Style(color=palette.preference),
            MemoryCategory.PATTERN: Style(color=palette.pattern),
            MemoryCategory.CONTEXT: Style(color=palette.context),
            MemoryCategory.CACHE: Style(color=palette.cache),
            "cursor": Style(bgcolor=palette.cursor, bold=True),
            "resting cursor": Style(bgcolor=palette.panel),
            "shade": Style(bgcolor=palette.shade),
            "key": Style(color=palette.accent, bold=True),
        },
    )


_DARK: Final = _Palette(
    background="#11151a",
    surface="#161b22",
    panel="#1d242d",
    text="#d3dae3",
    dim="#8793a3",
    accent="#58b8d8",
    warning="#e2b355",
    error="#f0786c",
    success="#7fbf86",
    preference="#c9a2ec",
    pattern="#7fabf2",
    context="#68c2a7",
    cache="#98a3b2",
    cursor="#244353",
    shade="#4a2f2c",
    line="#364150",
)
_LIGHT: Final = _Palette(
    background="#fbfaf7",
    surface="#f4f2ed",
    panel="#e9e6df",
    text="#22272e",
    dim="#626b76",
    accent="#0b6c8c",
    warning="#8a5a00",
    error="#b3261e",
    success="#2c6e35",
    preference="#7a3fae",
    pattern="#2459b3",
    context="#1c705a",
    cache="#5d6672",
    cursor="#c9e4ee",
    shade="#f5d5cf",
    line="#c3c0b8",
)
_CONTRAST: Final = _Palette(
    background="#000000",
    surface="#000000",
    panel="#262626",
    text="#ffffff",
    dim="#d0d0d0",
    accent="#ffff00",
    warning="#ffd700",
    error="#ff8080",
    success="#80ff80",
    preference="#ff9eff",
    pattern="#87d7ff",
    context="#80ffd0",
    cache="#e4e4e4",
    cursor="#00407a",
    shade="#7a2000",
    line="#a0a0a0",
)
_ANSI_THEME: Final = Theme(
    name="rotifer-ansi",
    primary="ansi_cyan",
    secondary="ansi_cyan",
    accent="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    luminosity_spread=0,
    text_alpha=1,
    ansi=True,
    variables={
        "line": "ansi_bright_black",
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "dim": "ansi_bright_black",
        "foreground-muted": "ansi_default",
        "foreground-disabled": "ansi_bright_black",
        "text-muted": "ansi_default",
        "text-disabled": "ansi_bright_black",
        "block-cursor-background": "ansi_cyan",
        "block-cursor-foreground": "ansi_black",
        "block-hover-background": "ansi_default",
        "input-cursor-background": "ansi_white",
        "input-cursor-foreground": "ansi_black",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "border": "ansi_cyan",
        "border-blurred": "ansi_bright_black",
        "scrollbar": "ansi_bright_black",
        "scrollbar-hover": "ansi_white",
        "scrollbar-active": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
        "surface-active": "ansi_default",
    },
)
_ANSI: Final = Look(
    "ansi",
    _ANSI_THEME,
    {
        "": Style(),
        "strong": Style(bold=True),
        "dim": Style(color="bright_black"),
        "accent": Style(color="cyan"),
        "title": Style(color="cyan", bold=True),
        "warning": Style(color="yellow"),
        "error": Style(color="red", bold=True),
        "success": Style(color="green"),
        "header": Style(color="bright_black"),
        "free": Style(color="bright_black"),
        MemoryCategory.PREFERENCE: Style(color="magenta"),
        MemoryCategory.PATTERN: Style(color="blue"),
        MemoryCategory.CONTEXT: Style(color="green"),
        MemoryCategory.CACHE: Style(),
        "cursor": Style(color="default", reverse=True, bold=True),
        "resting cursor": Style(underline=True),
        "shade": Style(color="red", underline=True),
        "key": Style(color="cyan", bold=True),
    },
)

LOOKS: Final = {
    look.title: look
    for look in (
        _look("dark", _DARK, dark=True),
        _look("light", _LIGHT, dark=False),
        _look("high contrast", _CONTRAST, dark=True),
        _ANSI,
    )
}
"""Every look by its title, in the order in which `T` goes through them."""

DEFAULT: Final = "dark"
COLOURLESS: Final = "ansi"
"""The look that still tells everything apart when its colours are taken away (NO_COLOR)."""


def after(title: str) -> str:
    """The title of the next look."""
    titles = list(LOOKS)
    return titles[(titles.index(title) + 1) % len(titles)]
