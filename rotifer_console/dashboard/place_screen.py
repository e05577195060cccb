"""What every full screen has: keys from the registry, bars, actions that work everywhere (TUI-8)."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, ClassVar, cast

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Resize
from textual.keys import _character_to_key
from textual.screen import Screen
from textual.widget import Widget

from rotifer_console.dashboard import absence, actions
from rotifer_console.dashboard.actions import BY_ID, Action, Place, Subject
from rotifer_console.dashboard.bars import Banner, Header, KeyBar, key_name
from rotifer_console.dashboard.drawn import Asked, LineList
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.help_screen import HelpScreen
from rotifer_console.dashboard.palette import Palette
from rotifer_console.dashboard.program import Program, program_of
from rotifer_console.dashboard.shell_line import shell_line
from rotifer_console.dashboard.tiny import Tiny
from rotifer_store import Agent, AuditRecord

_TYPED_INTO = frozenset({"filter", "search", "help", "palette", "go_to"})
"""What opens a box acts before the next key is looked at: letters that come with it are no keys here."""
_SIGNS = frozenset(map(_character_to_key, f"{string.punctuation} "))
_STEPS = frozenset({"up", "down", "page_up", "page_down", "first", "last"})
_WIDE = (112, 26)
_MEDIUM = (56, 16)
_LEAST = (20, 5)


def bindings_of(place: Place) -> list[BindingType]:
    """A binding for every action of a place; its id is the action's, so that it can be rebound (TUI-11)."""
    return [
        Binding(
            ",".join(action.keys),
            f"act('{action.id}')",
            action.title,
            show=False,
            id=action.id,
            priority=action.id in _TYPED_INTO,
        )
        for action in actions.ACTIONS
        if place in action.places
    ]


class PlaceScreen(Screen[None], inherit_bindings=False):
    """A full screen of one place; a subclass has a `do_` method for each action of it."""

    PLACE: ClassVar[Place]
    AUTO_FOCUS = "LineList"
    has_bars = False

    @property
    def program(self) -> Program:
        """The program that the screen is part of."""
        return program_of(self)

    def compose(self) -> ComposeResult:
        """The bars, and between them what the screen is about."""
        yield Header(id="header")
        yield from self.compose_body()
        yield Banner(id="banner")
        yield KeyBar(id="keys")
        yield Tiny(id="tiny")

    def compose_body(self) -> ComposeResult:
        """What stands between the bars."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Shows the keys of the place."""
        self.has_bars = True
        app = self.program
        self.query_one(KeyBar).keys_of = app.keys_of
        self.query_one(Banner).display = False
        self.mounted()
        self.show_keys()
        app.refresh_bars()

    def mounted(self) -> None:
        """What a subclass does when it is mounted."""

    def on_resize(self, event: Resize) -> None:
        """Chooses the layout that the terminal has room for (TUI-1)."""
        width, height = event.size
        sizes = {
            "-wide": width >= _WIDE[0] and height >= _WIDE[1],
            "-narrow": width < _MEDIUM[0] or height < _MEDIUM[1],
            "-tiny": width < _LEAST[0] or height < _LEAST[1],
        }
        for name, holds in sizes.items():
            self.set_class(holds, name)
        self.set_class(not sizes["-wide"] and not sizes["-narrow"], "-medium")
        self.resized()

    def uncover_list(self) -> None:
        """Where one pane is shown at a time, shows the list: what opens beneath it is to be seen."""
        if self.has_class("-narrow"):
            self.remove_class("-unfolded", "-choosing")

    def resized(self) -> None:
        """What a subclass does when there is another amount of room."""

    @property
    def has_way_back(self) -> bool:
        """Whether escape leads anywhere."""
        return True

    def show_keys(self) -> None:
        """Shows the keys of the place as it is now; in a box, what enter and escape do there."""
        if not self.has_bars:
            return
        app = self.program
        offered = actions.in_key_bar(self.PLACE, read_only=app.read_only, has_way_back=self.has_way_back)
        if self.PLACE is Place.MAIN and app.agent_name is None:  # the others only say why they do nothing
            useful = [BY_ID[action_id] for action_id in absence.useful(app.absence)]
            offered = [action for action in useful if self.offers(action)]
        focused = self.focused
        self.query_one(KeyBar).offer(offered, focused.id if isinstance(focused, Field) else None)

    def watch_focused(self) -> None:
        """Letters are keys, or are typed."""
        self.show_keys()

    def on_key(self, event: Key) -> None:
        """What was just said has been read."""
        self.query_one(Banner).hush()
        self.query_one(KeyBar).hush()

    # Actions

    def subject(self) -> Subject:
        """What the screen is about now."""
        return Subject(agent=self.program.agent_name)

    @property
    def create_key(self) -> str | None:
        """The key that creates an agent, as people call it; None where the dashboard only looks."""
        return None if self.program.read_only else key_name(self.program.keys_of["create"])

    def agent_shown(self) -> Agent | None:
        """The agent whose memory is shown; where there is none, the screen says why and what to do."""
        app = self.program
        if app.seen is None or app.seen.agent is None:
            why = absence.sentence(app.absence, self.create_key)
            if why is not None:
                self.say(why)
            return None
        return app.seen.agent.agent

    def offers(self, action: Action) -> bool:
        """Whether the action can be taken here."""
        return self.PLACE in action.places and not (self.program.read_only and action.changes)

    def action_act(self, action_id: str) -> None:
        """Takes an action: the one road from key, click and palette.

        Raises:
            SkipAction: the key is a letter for the box that is typed into.
        """
        keys = self.program.rebound.get(action_id, BY_ID[action_id].keys)
        if isinstance(self.focused, Field) and any(len(key) == 1 or key in _SIGNS for key in keys):
            raise SkipAction
        self.act(action_id)

    def act(self, action_id: str) -> None:
        """Takes the action of that id, if it is offered here."""
        action = BY_ID[action_id]
        if not self.offers(action):
            if action.changes and self.program.read_only:
                self.say(
                    "this dashboard only looks: start it without --read-only to change things", "warning"
                )
            return
        self._do(action_id)
        self.show_keys()

    def _do(self, action_id: str) -> None:
        if action_id in _STEPS:
            focused = self.focused
            if isinstance(focused, LineList):
                focused.step(action_id)
            return
        method = cast("Callable[[], Any]", getattr(self, f"do_{action_id}"))
        method()

    def on_asked(self, message: Asked) -> None:
        """A click on a piece: an action's id, or a word with a colon that the screen knows."""
        message.stop()
        self.take(message.action)

    def take(self, asked: str | None) -> None:
        """Does what a click, the help or the palette asks for; None asks for nothing."""
        if asked is None:
            return
        if asked in BY_ID:
            self.act(asked)
        else:
            word, _, argument = asked.partition(":")
            getattr(self, f"asked_{word}")(argument)

    def asked_agent(self, name: str) -> None:
        """Shows an agent's memory."""
        self.program.go_to_agent(name)

    def asked_actions(self, text: str) -> None:
        """The actions that a text may stand for."""
        self.app.push_screen(Palette(self.PLACE, text=text), self.take)

    def show_command(self, action_id: str, subject: Subject | None = None) -> bool:
        """Shows the command line that equals an action; `c` copies it. False where there is none."""
        line = shell_line(action_id, self.subject() if subject is None else subject)
        if line is not None:
            self.query_one(KeyBar).tell(line)
        return line is not None

    def say(self, text: str, role: str = "accent") -> None:
        """Says something until the next key."""
        self.query_one(Banner).say(text, role)

    def hold(self, text: str | None, role: str = "warning") -> None:
        """Says something for as long as it is so."""
        self.query_one(Banner).hold(text, role)

    def do_quit(self) -> None:
        """Leaves."""
        self.program.leave()

    def do_help(self) -> None:
        """The keys of this screen."""
        self.app.push_screen(HelpScreen(self.PLACE), self.take)

    def do_palette(self) -> None:
        """Every action by name."""
        self.app.push_screen(Palette(self.PLACE), self.take)

    def do_go_to(self) -> None:
        """An agent or a screen by name."""
        self.app.push_screen(Palette(self.PLACE, going=True), self.take)

    def do_look(self) -> None:
        """Another theme."""
        self.program.next_look()
        self.say(f"theme: {self.program.look_title}")

    def do_pause(self) -> None:
        """Stops refreshing, or goes on."""
        self.program.pause()

    def do_refresh(self) -> None:
        """Looks again now."""
        self.program.look_again()

    def do_back(self) -> None:
        """Back to the screen before."""
        if self.is_current and self.PLACE is not Place.MAIN:
            self.program.go_back()

    def returned_to(self) -> None:
        """The screen above was left: what led there is no news any more."""
        self.query_one(KeyBar).hush()

    def do_audit(self) -> None:
        """The audit log."""
        self.program.open_log(Place.AUDIT)

    def do_telemetry(self) -> None:
        """The events of refused accesses."""
        self.program.open_log(Place.TELEMETRY)

    def tell_life(self, key: str | None, agent: Agent | None = None) -> None:
        """Opens the life of a key of an agent, or of the one that is shown."""
        of = self.agent_shown() if agent is None else agent
        if of is None:
            return
        if key is not None:
            self.show_command("why", Subject(agent=of.name, keys=(key,)))
        self.program.tell_life(of, key)

    def tell_life_of(self, record: object) -> None:
        """Opens the life of the key that an audit record tells of."""
        if not isinstance(record, AuditRecord) or record.key is None:
            self.say("that line tells of no key")
            return
        seen = self.program.seen
        agents = () if seen is None else tuple(each.agent for each in seen.agents)
        agent = next((agent for agent in agents if agent.id == record.agent_id), None)
        if agent is None:
            self.say("the record's agent is not in the store any more", "warning")
        else:
            self.tell_life(record.key, agent)

    def do_copy_command(self) -> None:
        """Copies the command line that is shown."""
        line = self.query_one(KeyBar).command
        if line is None:
            self.say("there is no command line to copy yet")
        else:
            self.program.copy(line.text, "the command line")

    def focus_on(self, selector: str) -> None:
        """Gives the keys to a widget."""
        self.query_one(selector, Widget).focus()
