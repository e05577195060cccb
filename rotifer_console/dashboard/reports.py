"""The ways from the main screen to its reports (TUI-8)."""

from __future__ import annotations

from rotifer_console.dashboard.access_screen import AccessScreen
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.review_screen import OrphansScreen, ReviewScreen


class Reports(PlaceScreen):
    """The actions that open a report on the agent whose memory is shown."""

    def do_why(self) -> None:
        """The life of the key under the cursor; without one, of a key that is typed."""
        keys = self.subject().keys
        self.tell_life(keys[0] if keys else None)

    def do_access(self) -> None:
        """Which gene may do what with which entry."""
        agent = self.agent_shown()
        if agent is not None:
            self.app.push_screen(AccessScreen(agent))

    def do_review(self) -> None:
        """The entries that deserve a look."""
        agent = self.agent_shown()
        if agent is not None:
            self.app.push_screen(ReviewScreen(agent))
            self.show_command("review")

    def do_orphans(self) -> None:
        """The entries that no gene of the genome may read."""
        agent = self.agent_shown()
        if agent is not None:
            self.app.push_screen(OrphansScreen(agent))
            self.show_command("orphans")
