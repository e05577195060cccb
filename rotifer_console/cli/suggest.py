"""Near misses and completions: what the word that was typed could have been (CLI-5)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from rotifer_console.view.safe_text import clipped

_LONGEST_COMPARED: Final = 200
_MOST_COMPARED: Final = 10_000


def did_you_mean(word: str, names: Iterable[str]) -> str | None:
    """A hint that names the nearest of `names`, or None where nothing is near.

    Case counts for nothing: a name that differs in it alone is nearer than any other.
    """
    near = nearest(word, names)
    return None if near is None else f"did you mean {clipped(near)}?"


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that is nearest to the word, None where none is near."""
    by_folded: dict[str, str] = {}
    for name in names:
        by_folded.setdefault(name.casefold(), name)
    folded = word.casefold()
    if folded in by_folded:
        return by_folded[folded]
    if len(folded) > _LONGEST_COMPARED or len(by_folded) > _MOST_COMPARED:
        return None  # to compare takes time by both
    comparable = [name for name in by_folded if len(name) <= _LONGEST_COMPARED]
    near = difflib.get_close_matches(folded, comparable, n=1)
    return by_folded[near[0]] if near else None


def complete_agent(incomplete: str) -> list[str]:
    """Agents whose names begin so, for the shell; nothing is written, and trouble completes nothing."""
    from rotifer_console.project import find_project
    from rotifer_store import RotiferStoreError, open_store

    try:
        with open_store(find_project(), read_only=True) as store:
            return [agent.name for agent in store.agents() if agent.name.startswith(incomplete)]
    except (RotiferStoreError, OSError):
        return []


def complete_category(incomplete: str) -> list[str]:
    """Categories that begin so, which are upper case (ENT-6)."""
    from rotifer_store import MemoryCategory

    return [str(category) for category in MemoryCategory if category.startswith(incomplete)]


def complete_order(incomplete: str) -> list[str]:
    """What a listing can be sorted by."""
    from rotifer_console.view.entries import ORDERS

    return [order for order in ORDERS if order.startswith(incomplete)]


def complete_gene(incomplete: str) -> list[str]:
    """The project's genes whose names begin so; trouble completes nothing."""
    from rotifer_console.project import find_project, gene_names
    from rotifer_store import RotiferStoreError

    try:
        return [name for name in gene_names(find_project()) if name.startswith(incomplete)]
    except (RotiferStoreError, OSError):
        return []


def complete_action(incomplete: str) -> list[str]:
    """Actions of the audit log that begin so."""
    from rotifer_store.tables import AuditAction

    return [str(action) for action in AuditAction if action.startswith(incomplete)]
