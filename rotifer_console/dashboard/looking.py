"""One look at the store: everything that the main screen shows, read together (TUI-9, TUI-10).

Reads only: what has expired is hidden and stays, so looking leaves no audit lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from rotifer_console.dashboard.entry_window import WINDOW_ROWS, Window
from rotifer_console.view.entries import creator_names
from rotifer_store import Agent, BrowseFilter, MemoryUsage, Store

_LONGEST_REST_US: Final = 30_000_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the screen wants to see: whose entries, which, in which order, from where on.

    `cursor_key` is the key of the entry under the cursor, whose new place is asked for.
    """

    agent: str | None = None
    where: BrowseFilter = field(default_factory=BrowseFilter)
    order: str = "updated"
    descending: bool = True
    offset: int = 0
    cursor_key: str | None = None

    def shows_the_same(self, other: Wanted) -> bool:
        """Whether the other shows the same rows; where the cursor is does not matter."""
        return replace(self, cursor_key=None) == replace(other, cursor_key=None)

    def lists_the_same(self, other: Wanted) -> bool:
        """Whether the other shows the same listing, perhaps another part of it."""
        return self.shows_the_same(replace(other, offset=self.offset))


class AgentSeen(NamedTuple):
    """An agent and what its live entries take."""

    agent: Agent
    usage: MemoryUsage


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look brought. `agent` is None where there is none; `found_at`: where the cursor's entry is."""

    wanted: Wanted
    as_of_us: int
    token: int
    agents: tuple[AgentSeen, ...]
    agent: AgentSeen | None
    window: Window
    found_at: int | None
    creators: Mapping[str, str]

    def is_stale(self, now_us: int) -> bool:
        """Whether time alone has changed it: an entry in sight has expired, or the look is long ago."""
        if now_us < self.as_of_us or now_us - self.as_of_us > _LONGEST_REST_US:
            return True
        return any(
            entry.expires_at_us is not None and self.as_of_us < entry.expires_at_us <= now_us
            for entry in self.window.rows
        )


def look(store: Store, wanted: Wanted, before: Seen | None, now_us: int) -> Seen | None:
    """What is there now; None where it is what `before` says.

    The page is read before the token is compared again: what changes in between is seen at the next look.

    Raises:
        MemoryStorageError: the store failed.
    """
    token = store.change_token()
    if (
        before is not None
        and (before.token, before.wanted) == (token, wanted)
        and not before.is_stale(now_us)
    ):
        return None
    agents = tuple(AgentSeen(agent, store.memory_usage(agent)) for agent in store.agents())
    chosen = next((seen for seen in agents if seen.agent.name == wanted.agent), None)
    if chosen is None and agents:
        chosen = agents[0]
    if chosen is None:
        return Seen(wanted, now_us, token, agents, None, Window(), None, {})
    agent = chosen.agent
    window = _window(store, agent, wanted, wanted.offset)
    if not window.rows and window.total:  # what was there went: the end of what is left
        window = _window(store, agent, wanted, max(0, window.total - WINDOW_ROWS))
    found_at = None
    if wanted.cursor_key is not None and all(row.key != wanted.cursor_key for row in window.rows):
        found_at = store.entry_place(
            agent,
            wanted.cursor_key,
            where=wanted.where,
            order=wanted.order,
            descending=wanted.descending,
        )
    return Seen(
        wanted, now_us, token, agents, chosen, window, found_at, creator_names(store.genes_seen(agent))
    )


def _window(store: Store, agent: Agent, wanted: Wanted, offset: int) -> Window:
    page = store.browse_memory(
        agent,
        where=wanted.where,
        order=wanted.order,
        descending=wanted.descending,
        offset=offset,
        limit=WINDOW_ROWS,
    )
    return Window(offset, tuple(page.rows), page.total)
