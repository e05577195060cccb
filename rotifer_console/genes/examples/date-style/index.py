"""Writes a date in a style, and remembers which style was asked for last."""

from __future__ import annotations

from datetime import date
from typing import Any

# Genes of an agent share its keys: one that begins with the domain collides with no other gene's.
KEY = "dates/style"

STYLES = {"iso": "%Y-%m-%d", "short": "%d.%m.%y", "long": "%d %B %Y"}


def express(input: dict[str, str], ctx: Any) -> dict[str, Any]:
    """The date as text, in the style of the input or else the one remembered."""
    style = input.get("style")
    if style is None:
        remembered = ctx.memory.read_memory(KEY, "PREFERENCE")
        style = remembered.value.decode() if remembered else "iso"
    elif style not in STYLES:
        return {"__rotifer_error": {"message": f"a style is one of {', '.join(STYLES)}"}}
    else:
        ctx.memory.write_memory(KEY, style.encode(), "PREFERENCE")
    day = date.fromisoformat(input["date"])
    return {"text": day.strftime(STYLES[style]), "style": style}
