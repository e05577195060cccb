"""The ways from the main screen to its reports (TUI-8)."""

from __future__ import annotations

from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_store import Agent, AuditRecord


class Reports(PlaceScreen):
    """The actions that open a report on the agent whose memory is shown."""

    def do_why(self) -> None:
        """The life of the key under the cursor; without one, of a key that is typed."""
        keys = self.subject().keys
        push_why(self, keys[0] if keys else None)

    def do_access(self) -> None:
        """Which gene may do what with which entry."""
        from rotifer_console.dashboard.access_screen import AccessScreen

        agent = self.agent_shown()
        if agent is not None:
            self.app.push_screen(AccessScreen(agent))

    def do_review(self) -> None:
        """The entries that deserve a look."""
        from rotifer_console.dashboard.review_screen import ReviewScreen

        agent = self.agent_shown()
        if agent is not None:
            self.app.push_screen(ReviewScreen(agent))
            self.show_command("review")

    def do_orphans(self) -> None:
        """The entries that no gene of the genome may read."""
        from rotifer_console.dashboard.review_screen import OrphansScreen

        agent = self.agent_shown()
        if agent is not None:
            self.app.push_screen(OrphansScreen(agent))
            self.show_command("orphans")


def push_why(screen: PlaceScreen, key: str | None, agent: Agent | None = None) -> None:
    """Opens the life of a key of the agent, or of the one that is shown."""
    from rotifer_console.dashboard.why_screen import WhyScreen

    of = screen.agent_shown() if agent is None else agent
    if of is None:
        return
    if key is not None:
        screen.show_command("why", Subject(agent=of.name, keys=(key,)))
    if isinstance(screen, WhyScreen):
        screen.tell_of(key)
    else:
        screen.app.push_screen(WhyScreen(of, key))


def why_of_record(screen: PlaceScreen, record: object) -> None:
    """Opens the life of the key that an audit record tells of."""
    if not isinstance(record, AuditRecord) or record.key is None:
        screen.say("that line tells of no key")
        return
    seen = screen.console_app.seen
    agents = () if seen is None else tuple(each.agent for each in seen.agents)
    agent = next((agent for agent in agents if agent.id == record.agent_id), None)
    if agent is None:
        screen.say("the record's agent is not in the store any more", "warning")
    else:
        push_why(screen, record.key, agent)
