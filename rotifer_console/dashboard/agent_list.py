"""The agents, each with how full its memory is and a bar of what fills it (TUI-1)."""

from __future__ import annotations

from rotifer_console.dashboard.cells import Line, Piece, fit
from rotifer_console.dashboard.drawn import LineList, drawing
from rotifer_console.dashboard.glyphs import bar
from rotifer_console.dashboard.looking import AgentSeen


class AgentList(LineList):
    """Two lines an agent: its name and percentage, its bar."""

    LINES_PER_ROW = 2

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.agents: tuple[AgentSeen, ...] = ()
        self.chosen: str | None = None

    def show(self, agents: tuple[AgentSeen, ...], chosen: str | None) -> None:
        """Shows the agents; the cursor is on the chosen one unless it is being moved."""
        if (agents, chosen) == (self.agents, self.chosen):
            return
        self.agents, self.chosen = agents, chosen
        self.set_rows(len(agents))
        names = [seen.agent.name for seen in agents]
        if chosen in names and not self.has_focus:
            self.place_cursor(names.index(chosen))

    @property
    def under_cursor(self) -> str | None:
        """The agent that the cursor is on."""
        return self.agents[self.cursor].agent.name if self.agents else None

    def line(self, row: int, part: int, width: int) -> Line:
        """The name's line or the bar's."""
        glyphs = drawing(self.app).glyphs
        agent, usage = self.agents[row]
        if part == 1:
            sizes = {str(category): part.bytes for category, part in usage.by_category.items()}
            filled = bar(sizes, usage.quota_bytes, max(1, width - 4), glyphs)
            signs = {**glyphs.bar, "free": glyphs.free}
            return (Piece("  "), *(Piece(signs[name] * cells, name) for name, cells in filled))
        percent = f"{usage.used_bytes * 100 // usage.quota_bytes}%"
        is_chosen = agent.name == self.chosen
        sign = glyphs.cursor if is_chosen else " "
        full = usage.used_bytes * 10 >= usage.quota_bytes * 9
        return (
            Piece(f"{sign} ", "accent"),
            Piece(fit(agent.name, width - 9, ellipsis=glyphs.ellipsis), "strong" if is_chosen else ""),
            Piece(
                fit(f"{percent}{glyphs.warning if full else ''}", 6, right=True), "warning" if full else "dim"
            ),
        )
