"""A picture of the dashboard without a terminal: it goes to a screen, waits for all of it, is drawn.

The picture shows keys, never a value (TUI-13).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from textual.message_pump import MessagePump
from textual.pilot import Pilot

from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.desk import Lane

SCREENS: Final[Mapping[str, Sequence[str]]] = {
    "entries": (),
    "agents": ("previous_pane",),
    "detail": ("open",),
    "forecast": ("forecast",),
    "delete": ("delete",),
    "audit": ("audit",),
    "telemetry": ("telemetry",),
    "why": ("why",),
    "access": ("access",),
    "review": ("review",),
    "orphans": ("orphans",),
    "create": ("create",),
    "policy": ("policy",),
    "help": ("help",),
    "palette": ("palette",),
}
"""The actions that lead to each screen from the first one."""
USUAL_SIZE: Final = (120, 36)
LEAST_SIZE: Final = (20, 5)
MOST_SIZE: Final = (400, 200)
FONT: Final = "DejaVu Sans Mono, Menlo, Consolas, monospace"

_LONGEST_WAIT_S: Final = 30.0
_FONT_FACES: Final = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)
_IDS: Final = re.compile(r"terminal-\d+")


class NotSettled(Exception):
    """The screen did not come to rest."""


def picture(app: ConsoleApp, screen: str, size: tuple[int, int]) -> str:
    """The screen as SVG.

    Raises:
        NotSettled: the store did not answer in time.
        Exception: the defect that ended the program; only its class may be told.
    """
    drawn: list[str] = []

    async def take(pilot: Pilot[Any]) -> None:
        try:
            await settled(pilot)
            for action_id in SCREENS[screen]:
                app.main.act(action_id)
                await settled(pilot)
            drawn.append(svg_of(app))
        finally:
            app.exit(0)

    try:
        asyncio.run(app.run_async(headless=True, size=size, auto_pilot=take))
    except NotSettled:
        if app.defect is None:
            raise
    if app.defect is not None:
        raise app.defect
    return drawn[0]


async def settled(pilot: Pilot[Any]) -> None:
    """Waits until nothing is asked of the store, nothing is about to be, and all of it is drawn.

    Raises:
        NotSettled: that did not happen in time.
    """
    app = cast("ConsoleApp", pilot.app)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _LONGEST_WAIT_S
    quiet = 0
    while quiet < 2:  # what one answer brings may ask for another
        await pilot.pause()
        quiet = 0 if _is_busy(app) else quiet + 1
        if loop.time() > deadline or app.defect is not None:
            raise NotSettled


def _is_busy(app: ConsoleApp) -> bool:
    return any(app.desk.is_busy(lane) for lane in Lane) or any(map(_is_about_to_act, _pumps(app)))


def _pumps(app: ConsoleApp) -> Iterator[MessagePump]:
    yield app
    for screen in app.screen_stack:
        yield screen
        yield from screen.query("*")


def _is_about_to_act(pump: MessagePump) -> bool:
    """Whether something was set to happen once, a moment later."""
    return any(timer._repeat == 0 and timer._task and not timer._task.done() for timer in pump._timers)


def svg_of(app: ConsoleApp) -> str:
    """What is on the screen now, the same for the same cells, with fonts that the viewer has."""
    svg = app.export_screenshot(title="rotifer console", simplify=True)
    svg = _IDS.sub("rotifer", _FONT_FACES.sub("", svg))
    return svg.replace("Fira Code", FONT)
