"""Near misses and completions: what the word that was typed could have been (CLI-5)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from rotifer_console.view.safe_text import clipped


def did_you_mean(word: str, names: Iterable[str]) -> str | None:
    """A hint that names the nearest of `names`, or None where nothing is near."""
    near = difflib.get_close_matches(word, list(names), n=1)
    return f"did you mean {clipped(near[0])}?" if near else None


def complete_agent(incomplete: str) -> list[str]:
    """Agents whose names begin so, for the shell; nothing is written, and trouble completes nothing."""
    from rotifer_console.project import find_project
    from rotifer_store import RotiferStoreError, open_store

    try:
        with open_store(find_project(), read_only=True) as store:
            return [agent.name for agent in store.agents() if agent.name.startswith(incomplete)]
    except (RotiferStoreError, OSError):
        return []
