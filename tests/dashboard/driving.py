"""The dashboard driven by tests: on a real store, without a terminal, waiting as long as it takes."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot

from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.glyphs import UNICODE

Dashboard = Pilot[int]
LONGEST_WAIT_S = 20.0


def drive(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs one scenario to its end."""
    asyncio.run(asyncio.wait_for(scenario(), 120))


def app_of(pilot: Dashboard) -> ConsoleApp:
    """The program that is driven."""
    app = pilot.app
    assert isinstance(app, ConsoleApp)
    return app


@asynccontextmanager
async def dashboard(
    project: Path, size: tuple[int, int] = (120, 36), **arguments: Any
) -> AsyncIterator[Dashboard]:
    """The dashboard on a project's store, once it has shown its first look."""
    app = ConsoleApp(project, **{"glyphs": UNICODE, **arguments})
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield pilot


async def until(pilot: Dashboard, holds: Callable[[], bool], what: str = "") -> None:
    """Waits until something holds; fails loudly where it never does."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + LONGEST_WAIT_S
    while not holds():
        assert loop.time() < deadline, f"it did not come to that: {what or holds}"
        await pilot.pause(0.01)


async def settled(pilot: Dashboard, rest_s: float = 0.09) -> None:
    """Waits until nothing is being looked up or changed, and all of it is shown.

    What waits for the cursor to rest begins after `rest_s`.
    """
    app = app_of(pilot)
    for _ in range(2):  # what one lane brings may ask another, after a moment
        await _delivered(app)
        await until(pilot, lambda: not any(app.desk.is_busy(lane) for lane in Lane), "a quiet desk")
        await asyncio.sleep(rest_s)
    await _delivered(app)


async def _delivered(app: ConsoleApp) -> None:
    """Waits until every message has been handled, and what it asks to be drawn is drawn."""
    quiet = 0
    while quiet < 3:
        await asyncio.sleep(0.005)
        pumps = [app, *(each for screen in app.screen_stack for each in screen.walk_children(with_self=True))]
        quiet = quiet + 1 if all(pump._message_queue.empty() for pump in pumps) else 0
        if not app.is_running:
            return


async def press(pilot: Dashboard, *keys: str) -> None:
    """Presses keys, and waits for what they do.

    Textual's own press waits for the processor to rest, twice a key; here every message has been handled.
    """
    app = app_of(pilot)
    for key in keys:
        send(app, key)
        await _delivered(app)
    await settled(pilot)


async def type_keys(pilot: Dashboard, *keys: str) -> None:
    """The same without the rest that waits for what a resting cursor begins; a dialog is heard out first."""
    app = app_of(pilot)
    for key in keys:
        await until(pilot, lambda: getattr(app.screen, "is_listening", True), "a dialog that listens")
        send(app, key)
        await _delivered(app)
    await settled(pilot, 0.02)


def send(app: ConsoleApp, key: str) -> None:
    """A key as the terminal's driver sends it."""
    if len(key) == 1 and not key.isalnum():
        key = _character_to_key(key)
    try:
        character = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key)))
    except KeyError:
        character = key if len(key) == 1 else None
    event = Key(key, character)
    event.set_sender(app)
    assert app._driver is not None
    app._driver.send_message(event)


def screen_text(pilot: Dashboard) -> list[str]:
    """What the screen shows, a line each, blanks at the ends cut off."""
    strips = app_of(pilot).screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def shows(pilot: Dashboard, text: str) -> bool:
    """Whether a line of the screen holds the text."""
    return any(text in line for line in screen_text(pilot))
