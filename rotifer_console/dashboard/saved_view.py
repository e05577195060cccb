"""How the screen was left: read and written as JSON, never a key or a value of memory (TUI-11). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from rotifer_console.dashboard import looks

_VERSION: Final = 1
_ORDERS: Final = ("updated", "key", "category", "size", "expires", "creator")
_LONGEST: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class SavedView:
    """The look, whose memory was shown, and in which order."""

    look: str = looks.DEFAULT
    agent: str | None = None
    order: str = "updated"
    descending: bool = True


def read(text: str) -> SavedView:
    """What a saved text says.

    Raises:
        ValueError: it is none of ours, or of another version.
    """
    if len(text) > _LONGEST:
        raise ValueError("it is too long")
    try:
        members: Any = json.loads(text)
    except (RecursionError, ValueError):
        raise ValueError("it is no JSON that a dashboard saves") from None
    if not isinstance(members, dict) or members.get("version") != _VERSION:
        raise ValueError("it is of another version")
    look, agent = members.get("look", looks.DEFAULT), members.get("agent")
    order, descending = members.get("order", "updated"), members.get("descending", True)
    if not (
        isinstance(look, str)
        and look in looks.LOOKS
        and (agent is None or isinstance(agent, str))
        and order in _ORDERS
        and isinstance(descending, bool)
    ):
        raise ValueError("it holds what no dashboard saves")
    return SavedView(look, agent, order, descending)


def written(view: SavedView) -> str:
    """The text that `read` takes."""
    return json.dumps(
        {
            "version": _VERSION,
            "look": view.look,
            "agent": view.agent,
            "order": view.order,
            "descending": view.descending,
        },
        indent=2,
    )
