"""What there is to see in the demo's project: each screen, and how one gets there (TUI-13).

The pictures in `screenshots/` and those that tests compare are made of these, at one fixed moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, cast

from rich.style import Style
from textual._context import visible_screen_stack
from textual.pilot import Pilot

from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.glyphs import UNICODE, Glyphs
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.saved_view import SavedView
from rotifer_console.dashboard.snapshot import settled, svg_of
from rotifer_console.demo import story
from rotifer_store import FixedClock, SystemClock

NOW_US: Final = 1_796_058_141_000_000
"""2026-11-30T17:02:21Z: when it is in every picture."""

_DATABASE: Final = Path(".rotifer", "playground.db")


class Step(NamedTuple):
    """An action of the registry, a key, or a text that is typed."""

    action: str = ""
    key: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen: whose memory it begins with, and the steps that lead to it."""

    name: str
    steps: Sequence[Step] = ()
    agent: str = story.SHOP
    is_broken: bool = False


def _act(*actions: str) -> tuple[Step, ...]:
    return tuple(Step(action=action) for action in actions)


def _keys(*keys: str) -> tuple[Step, ...]:
    return tuple(Step(key=key) for key in keys)


def _filtered(text: str) -> tuple[Step, ...]:
    return (*_act("filter"), Step(text=text), *_keys("enter"))


SCENES: Final = (
    Scene("entries"),
    Scene("agents", _act("previous_pane")),
    Scene("filter", (*_act("filter"), Step(text="expires<1d"))),
    Scene("detail", (*_filtered("orders/2026-1041"), *_act("value"), *_keys("tab", "end"))),
    Scene("forecast", _act("forecast")),
    Scene("delete", (*_filtered("mail/reply-rule"), *_act("delete"))),
    Scene("audit", _act("audit")),
    Scene("telemetry", _act("telemetry")),
    Scene("why", (*_act("audit"), *_keys("up", "up", "up"), *_act("why"))),
    Scene("access", _act("access")),
    Scene("review", _act("review")),
    Scene("orphans", _act("orphans")),
    Scene("create", _act("create")),
    Scene("policy", _act("policy")),
    Scene("help", _act("help")),
    Scene("palette", (*_act("palette"), Step(text="a"))),
    Scene("empty", agent="night-shift"),
    Scene("error", is_broken=True),
)
BY_NAME: Final = {scene.name: scene for scene in SCENES}


class Drawn(NamedTuple):
    """A screen as a picture, and as rows of cells, each a text in a style."""

    svg: str
    rows: Sequence[Sequence[tuple[str, Style]]]


@contextmanager
def stage() -> Iterator[Path]:
    """The project as it is at `NOW_US`, in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="rotifer-scenes-") as folder:
        story.build(Path(folder), NOW_US, in_process=True)
        with chdir(folder):  # the names that dialogs propose depend on what is there
            yield Path(folder)


def drawn(
    project: Path,
    scene: Scene,
    size: tuple[int, int],
    looks: Sequence[str],
    *,
    glyphs: Glyphs = UNICODE,
    colourless: bool = False,
) -> list[Drawn]:
    """The scene in each of the looks."""
    if scene.is_broken:
        with TemporaryDirectory(prefix="rotifer-broken-") as folder:
            Path(folder, _DATABASE.parent).mkdir()
            Path(folder, _DATABASE).write_bytes(b"no database " * 512)
            whole = replace(scene, is_broken=False)
            return drawn(Path(folder), whole, size, looks, glyphs=glyphs, colourless=colourless)
    app = ConsoleApp(
        project,
        agent=scene.agent,
        clock=cast("SystemClock", FixedClock(NOW_US)),
        glyphs=glyphs,
        saved=SavedView(look=looks[0]),
        colourless=colourless,
    )
    taken: list[Drawn] = []

    async def play(pilot: Pilot[Any]) -> None:
        try:
            await settled(pilot)
            for step in scene.steps:
                await _take(app, pilot, step)
            for look in looks:
                app.wear(look)
                await settled(pilot)
                taken.append(Drawn(svg_of(app), _rows_of(app)))
        finally:
            app.exit(0)

    asyncio.run(app.run_async(headless=True, size=size, auto_pilot=play))
    if app.defect is not None:
        raise app.defect
    return taken


async def _take(app: ConsoleApp, pilot: Pilot[Any], step: Step) -> None:
    if step.action:
        screen = app.screen
        assert isinstance(screen, PlaceScreen), f"{step.action} is taken where no action is"
        screen.act(step.action)
    elif step.key:
        await pilot.press(step.key)
    else:
        await pilot.press(*step.text)
    await settled(pilot)


def _rows_of(app: ConsoleApp) -> list[list[tuple[str, Style]]]:
    visible_screen_stack.set(app._background_screens)
    strips = app.screen._compositor.render_strips()
    return [[(segment.text, segment.style or Style()) for segment in strip] for strip in strips]
