"""The program `rotifer console`: state that every screen shares, its themes, and how it ends (TUI)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.console import RenderableType
from rich.style import Style
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import Event, Key, Paste
from textual.filter import Monochrome, NoColor
from textual.message_pump import MessagePump
from textual.screen import Screen

from rotifer_console.dashboard import actions, clipboard, looks
from rotifer_console.dashboard.absence import Absence
from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.audit_screen import AuditScreen
from rotifer_console.dashboard.bars import Header
from rotifer_console.dashboard.desk import Desk, Lane
from rotifer_console.dashboard.door import Door, NoStoreYet
from rotifer_console.dashboard.drawn import Asked
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.dashboard.handing_over import offer_file
from rotifer_console.dashboard.key_turns import KeyTurns
from rotifer_console.dashboard.looking import Seen, Wanted, look
from rotifer_console.dashboard.main_screen import MainScreen
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.saved_view import SavedView
from rotifer_console.dashboard.telemetry_screen import TelemetryScreen
from rotifer_console.dashboard.why_screen import WhyScreen
from rotifer_console.view.instants import clock_of
from rotifer_store import Agent, Store, SystemClock

_LOOK_EVERY_S: Final = 0.5
"""How soon a change of the file is seen; a look that finds none costs next to nothing (TUI-9)."""
_TICK_S: Final = 1.0
_BUSY_AFTER_S: Final = 1.0
"""How long a look may be without an answer before a banner says that the store is busy."""
_BUSY: Final = "the store is busy: waiting for it"
INTERRUPTED: Final = 130
_LOGS: Final[Mapping[Place, type[PlaceScreen]]] = {Place.AUDIT: AuditScreen, Place.TELEMETRY: TelemetryScreen}


class ConsoleApp(App[int], inherit_bindings=False):
    """The dashboard on one project."""

    CSS_PATH = "dashboard.tcss"
    TITLE = "rotifer"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Leave", show=False, system=True, priority=True),
    ]

    def __init__(
        self,
        project: Path,
        *,
        read_only: bool = False,
        agent: str | None = None,
        clock: SystemClock | None = None,
        glyphs: Glyphs,
        keys: Mapping[str, tuple[str, ...]] | None = None,
        saved: SavedView | None = None,
        save: Callable[[SavedView], None] = lambda _: None,
        notices: Sequence[str] = (),
        colourless: bool = False,
        driver: type[Driver] | None = None,
    ) -> None:
        """Opens nothing yet.

        Args:
            project: the project's root.
            read_only: every change is hidden, and the store is opened so that nothing can be written.
            agent: whose memory to begin with.
            clock: what the countdowns are told by.
            glyphs: the signs that the terminal can print.
            keys: the keys of actions that were rebound.
            saved: how the screen was left last time.
            save: keeps how the screen is left now.
            notices: what was found wrong with the files of the last two.
            colourless: whether all must be told without colour.
            driver: what draws at a terminal.
        """
        self.glyphs = glyphs  # the theme's frames are made of it
        super().__init__(driver_class=driver)
        self.project = project
        self.read_only = read_only
        self.clock = clock if clock is not None else SystemClock()
        self.colourless = colourless
        self.saved = saved if saved is not None else SavedView()
        self._save = save
        self.notices = list(notices)
        self.rebound = dict(keys or {})
        self.keys_of = {action.id: self.rebound.get(action.id, action.keys)[0] for action in actions.ACTIONS}
        self.look_title = looks.COLOURLESS if colourless else self.saved.look
        self.door = Door(project, read_only=read_only, clock=self.clock)
        self.desk = Desk(self.door.store, self.from_any_thread, self.break_down)
        self.wanted = Wanted(agent=agent or self.saved.agent)
        self.asked_for = agent
        self.seen: Seen | None = None
        self.is_paused = False
        self.trouble: str | None = None
        self.facts: tuple[tuple[str, str], ...] = ()
        self._main: MainScreen | None = None
        self._is_looking = False
        self._was_busy = False
        self._is_leaving = False
        self._turns = KeyTurns(self, self._give)
        self._failures = 0
        self._skips = 0
        self.animation_level = "none"
        if colourless:
            # Textual would keep greys, and decides before a theme is known
            self.no_color = True
            self._filters = [each for each in self._filters if not isinstance(each, Monochrome)] + [NoColor()]

    # Look

    @property
    def styles_of_roles(self) -> Mapping[str, Style]:
        """The style of each role in today's look."""
        return looks.LOOKS[self.look_title].styles

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours, for the moment before a look is worn."""
        return {
            **looks.LOOKS[looks.COLOURLESS].theme.variables,
            **looks.LOOKS[looks.DEFAULT].theme.variables,
            "frame": self.glyphs.border,
        }

    def next_look(self) -> None:
        """Another theme."""
        self.wear(self.look_title if self.colourless else looks.after(self.look_title))

    def wear(self, title: str) -> None:
        """Shows everything in the look of that title."""
        self.look_title = title
        self.theme = looks.LOOKS[self.look_title].theme.name
        self.refresh_all()

    def refresh_all(self) -> None:
        """Draws everything anew."""
        for screen in self.screen_stack:
            screen.refresh(layout=True)
            for widget in screen.query("*"):
                widget.refresh()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Draws, but on no terminal that is behind: it gets all of the screen once it caught up."""
        is_behind: Callable[[], bool] | None = getattr(self._driver, "is_behind", None)
        if is_behind is None or not is_behind():
            super()._display(screen, renderable)

    def draw_again(self) -> None:
        """Draws the whole screen, whatever of it the terminal has."""
        self.refresh()

    # Keys

    async def on_event(self, event: Event) -> None:
        """Takes what the terminal sends; keys and pastes one at a time."""
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._turns.take(event)
        else:
            await super().on_event(event)

    async def _give(self, event: Event) -> MessagePump | None:
        hearer = self.focused or self.screen
        await super().on_event(event)
        return hearer

    # Life

    def on_mount(self) -> None:
        """Opens the main screen and looks for the first time."""
        for each in looks.LOOKS.values():
            self.register_theme(each.theme)
        self.wear(self.look_title)
        if self.rebound:
            self.set_keymap({action_id: ",".join(keys) for action_id, keys in self.rebound.items()})
        self.push_screen(self.main)

    def begin(self) -> None:
        """The main screen stands: looks for the first time, and from now on in time."""
        self.look_again()
        self.set_interval(_TICK_S, self._tick)
        self.set_interval(_LOOK_EVERY_S, self._look_in_time)

    def leave(self, status: int = 0) -> None:
        """Ends the program; what is being changed or written is finished first, unless it is asked again."""
        doing = self.main.under_way
        if status == 0 and doing is not None and not self._is_leaving:
            self._is_leaving = True
            for screen in self.place_screens:
                screen.hold(f"finishing first: {doing}; once more leaves at once")
            return
        self.exit(status, return_code=status)

    def leave_when_done(self) -> None:
        """Ends the program where that was asked for while something was being changed or written."""
        if self._is_leaving:
            self.exit(0, return_code=0)

    async def _shutdown(self) -> None:
        self._save(self._view_to_save())
        self._exit = True  # however it ends, nothing that comes from now on is shown
        is_doing = bool(self.screen_stack) and self.main.under_way is not None
        await super()._shutdown()
        if self.desk.leave(Lane.CHANGE, *([Lane.LONG] if is_doing else []), at_once=self._is_leaving):
            self.door.close()

    def action_interrupt(self) -> None:
        """Ctrl-C leaves, as it does anywhere else (CLI-2)."""
        self.leave(INTERRUPTED)

    def _view_to_save(self) -> SavedView:
        return SavedView(
            look=self.saved.look if self.colourless else self.look_title,
            agent=self.agent_name,
            order=self.wanted.order,
            descending=self.wanted.descending,
        )

    @property
    def defect(self) -> Exception | None:
        """What ended the program, if it was no one's wish."""
        return self._exception

    @property
    def driver(self) -> Driver | None:
        """What draws; None before it does."""
        return self._driver

    def break_down(self, error: Exception) -> None:
        """Ends the program for a defect; the first one counts, and none once it is ending anyway."""
        if self._exit:
            return
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    # Textual would print what variables hold, memory values too; whoever started us tells the class (TUI-12).

    def _handle_exception(self, error: Exception) -> None:
        self.break_down(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:
        """Ends the program for trouble that Textual has already made a picture of, which nobody sees."""
        self.break_down(RuntimeError())

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()

    def from_any_thread(self, do: Callable[[], None]) -> None:
        """Has something done on the screen's thread; forgotten where the program is ending."""
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        try:
            loop.call_soon_threadsafe(self._do_here, do)
        except RuntimeError:  # closed between the two lines: nobody waits for it any more
            return

    def _do_here(self, do: Callable[[], None]) -> None:
        if not self.is_running or self._exit:
            return
        with self._context():
            try:
                do()
            except Exception as error:
                self.break_down(error)

    # Looking

    @property
    def main(self) -> MainScreen:
        """The screen below all others."""
        if self._main is None:
            self._main = MainScreen()
        return self._main

    @property
    def absence(self) -> Absence:
        """Why no agent's memory is shown, where none is."""
        return self.main.absence

    @property
    def agent_name(self) -> str | None:
        """Whose memory is shown."""
        return None if self.seen is None or self.seen.agent is None else self.seen.agent.agent.name

    def want(self, wanted: Wanted) -> None:
        """Shows something else."""
        self.wanted = wanted
        self.look_again()

    def look_again(self) -> None:
        """Looks now, whatever has changed or not."""
        self._ask(None)

    def _look_in_time(self) -> None:
        if self._is_looking and self.desk.doing_s(Lane.LOOK) >= _BUSY_AFTER_S:
            self._was_busy = True
            if self.trouble is None:
                self._say_trouble(_BUSY, "warning")
                self.refresh_bars()
        if self.is_paused or self._exit:
            return
        if self._skips < min(self._failures, 4):  # what fails is asked less often
            self._skips += 1
            return
        self._skips = 0
        if not self._is_looking:
            self._ask(self.seen)

    def _ask(self, before: Seen | None) -> None:
        wanted = replace(self.wanted, cursor_key=self.main.key_to_find)
        self._is_looking = True
        clock = self.clock

        def work(store: Store) -> Seen | None:
            return look(store, wanted, before, clock.now_us())

        self.desk.ask(Lane.LOOK, "look", work, lambda seen: self._saw(wanted, seen), self._saw_nothing)

    def _saw(self, wanted: Wanted, seen: Seen | None) -> None:
        self._is_looking = False
        self._failures = 0
        is_slow, self._was_busy = self._was_busy and not self.is_paused, False
        if self.trouble is not None and not (self.trouble == _BUSY and is_slow):  # else it would come and go
            self.trouble = None
            for screen in self.place_screens:
                screen.hold(None)
        if seen is not None and wanted.lists_the_same(self.wanted):
            place = self.main.entries.place
            if self.main.key_to_find != wanted.cursor_key and seen.window.place_of(place.entry_id) is None:
                self.look_again()  # the cursor went on meanwhile, to an entry that this look did not find
                return
            self.seen = seen
            self.main.show(seen)
        self.refresh_bars()

    def _saw_nothing(self, error: Exception) -> None:
        self._is_looking = self._was_busy = False
        self._failures += 1
        trouble = "the store is gone" if isinstance(error, NoStoreYet) else str(error)
        if isinstance(error, NoStoreYet) and self.seen is None:
            self.trouble = trouble
            self.main.show_no_store()
        else:
            self.door.close()
            if self.seen is None:
                self.main.show_unread()
            self._say_trouble(trouble, "error")
        self.refresh_bars()

    def _say_trouble(self, trouble: str, role: str) -> None:
        self.trouble = trouble
        since = "" if self.seen is None else f"; shown as of {clock_of(self.seen.as_of_us)}"
        for screen in self.place_screens:
            screen.hold(f"{trouble}{since}", role)

    @property
    def place_screens(self) -> list[PlaceScreen]:
        """Every full screen that is open, and has its bars already."""
        return [screen for screen in self.screen_stack if isinstance(screen, PlaceScreen) and screen.has_bars]

    def pause(self) -> None:
        """Stops refreshing, or goes on."""
        self.is_paused = not self.is_paused
        if not self.is_paused:
            self.look_again()
        self.refresh_bars()

    def _tick(self) -> None:
        in_sight = self.place_screens[-1:]  # a dialog may stand before it
        for screen in in_sight:
            screen.query_one(Header).refresh()
        if self.main in in_sight:
            self.main.tick()

    def refresh_bars(self) -> None:
        """Shows whose memory it is and how things stand, on every screen."""
        seen = self.seen
        names = [] if seen is None else [each.agent.name for each in seen.agents]
        name = self.agent_name
        state = ("paused", "warning") if self.is_paused else ("", "")
        if self.trouble is not None and seen is not None:
            state = ("stale", "error")
        if self.read_only:
            state = (f"read-only {state[0]}".strip(), state[1] or "dim")
        for screen in self.place_screens:
            header = screen.query_one(Header)
            was = (header.agent, header.of_agents, header.facts, header.state)
            header.agent = name
            header.of_agents = (names.index(name) + 1 if name in names else 0, len(names))
            header.facts = self.facts
            header.state = state
            if was != (header.agent, header.of_agents, header.facts, header.state):
                header.refresh()

    # Other screens

    def copy(self, text: str, what: str) -> None:
        """Hands a text to the terminal's clipboard, or offers it a file and says why (TUI-8)."""
        refusal = clipboard.refusal(text)
        screen = self.screen
        if refusal is None:
            self.copy_to_clipboard(text)
            if isinstance(screen, PlaceScreen):
                screen.say(f"{what} was sent to the terminal's clipboard")
        elif isinstance(screen, PlaceScreen):
            offer_file(screen, text, what, refusal)

    def go_back(self) -> None:
        """Back to the screen before."""
        self.pop_screen()
        self.place_screens[-1].returned_to()

    def go_to_agent(self, name: str) -> None:
        """Shows another agent's memory."""
        self._uncover(MainScreen)
        self.main.choose_agent(name)

    def go_to_entry(self, key: str) -> None:
        """Shows an entry on the main screen."""
        self._uncover(MainScreen)
        self.main.returned_to()
        self.main.go_to_key(key)

    def open_log(self, place: Place) -> None:
        """Opens a log's screen; one that is open already is gone back to."""
        log = _LOGS[place]
        if any(isinstance(screen, log) for screen in self.screen_stack):
            self._uncover(log)
        elif self.screen is self.main:
            self.push_screen(log())
        else:
            self.switch_screen(log())

    def tell_life(self, agent: Agent, key: str | None) -> None:
        """Opens the life of a key; without one, of a key that is typed."""
        if isinstance(self.screen, WhyScreen):
            self.screen.tell_of(key)
        else:
            self.push_screen(WhyScreen(agent, key))

    def _uncover(self, kind: type[PlaceScreen]) -> None:
        while not isinstance(self.screen, kind):
            self.pop_screen()

    def on_asked(self, message: Asked) -> None:
        """A click that no screen took."""
        message.stop()
