"""What is said where there is no agent to show: why, and what to do about it (TUI-9). Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

_CREATE: Final = "rotifer agent create NAME --genes GENE"
_WHAT_TO_DO: Final = (
    "it is tried again by itself, with f5 at once",
    "its file is .rotifer/playground.db: rotifer doctor looks at it",
    "where it is broken, put a copy of it back",
)


class Absence(StrEnum):
    """Why no agent's memory is shown."""

    READING = "reading"
    UNREADABLE = "unreadable"
    NO_AGENT = "no agent"


def sentence(absence: Absence, create_key: str | None) -> str | None:
    """Why a key does nothing now, and what to do; None where a banner says so for as long as it is so.

    Args:
        absence: why there is no agent.
        create_key: the key that creates one; None where the dashboard only looks.
    """
    match absence:
        case Absence.READING:
            return "the store is still being read: try again in a moment"
        case Absence.UNREADABLE:
            return None
        case Absence.NO_AGENT:
            how = f"{create_key} creates one" if create_key is not None else f"create one: {_CREATE}"
            return f"there is no agent yet: {how}"


def texts(absence: Absence, create_key: str | None) -> tuple[str, ...]:
    """The same where the list would be."""
    match absence:
        case Absence.READING:
            return ("reading the store",)
        case Absence.UNREADABLE:
            return ("nothing can be shown while the store cannot be read", *_WHAT_TO_DO)
        case Absence.NO_AGENT:
            here = (
                "this creates one:" if create_key is None else f"{create_key} creates one here, as this does:"
            )
            return ("no agents yet", here, _CREATE)


def useful(absence: Absence) -> tuple[str, ...]:
    """The ids of the actions that lead anywhere now, as a key bar has them."""
    match absence:
        case Absence.READING:
            return ("help", "quit")
        case Absence.UNREADABLE:
            return ("help", "quit", "refresh")
        case Absence.NO_AGENT:
            return ("help", "quit", "create")
