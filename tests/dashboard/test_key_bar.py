"""The bar of keys: the way back, help and leaving first, the command line in what is left (TUI-1, TUI-8)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dashboard.dialogs import make_project
from dashboard.driving import Dashboard, dashboard, drive, press, screen_text, type_keys

FIRST = " esc back  ? help  q quit  "
NO_WAY_BACK = " ? help  q quit  "


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_project(tmp_path, ("formatter/indent", "PREFERENCE"), ("http/etag/one", "CACHE"))
    return tmp_path


def bar(pilot: Dashboard) -> str:
    return f"{screen_text(pilot)[-1]}  "


@pytest.mark.parametrize("width", [80, 60, 40, 120])
@pytest.mark.parametrize("key", ["w", "r", "o", "g", "a", "t", "enter", "v"])
def test_the_way_back_help_and_leaving_stay_where_they_are_beside_a_command_line(
    project: Path, key: str, width: int
) -> None:
    """On the screen that a key leads to, before the next key and after it."""

    async def scenario() -> None:
        async with dashboard(project, size=(width, 24)) as pilot:
            await press(pilot, key)
            assert bar(pilot).startswith(FIRST)
            if width >= 60:
                assert re.search(r"  rotifer \S", bar(pilot)), bar(pilot)
            await press(pilot, "f10")
            assert bar(pilot).startswith(FIRST)
            await press(pilot, "escape")
            assert bar(pilot).startswith(NO_WAY_BACK)
            if width >= 60:
                assert "/ filter" in bar(pilot)

    drive(scenario)


@pytest.mark.parametrize(
    ("keys", "leads_back"),
    [
        ((), False),
        (("right_square_bracket",), True),
        (("space",), True),
        (("slash", *"http", "enter"), True),
        (("f", "enter"), True),
        (("tab",), True),
        (("tab", "escape"), False),
        (("space", "u"), False),
        (("right_square_bracket", "left_square_bracket"), False),
    ],
)
def test_the_way_back_is_named_where_there_is_one(
    project: Path, keys: tuple[str, ...], leads_back: bool
) -> None:
    """On the main screen escape closes, unmarks, or shows all entries again."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            for key in keys:
                await type_keys(pilot, key)
            assert bar(pilot).startswith(FIRST if leads_back else NO_WAY_BACK)

    drive(scenario)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("slash",), " enter keeps it  esc clears it  "),
        (("f",), " enter goes to the list  esc closes  "),
        (("a", "slash"), " enter keeps it  esc clears it  "),
        (("a", "s"), " enter searches  esc closes  "),
    ],
    ids=["filter", "forecast", "log filter", "log search"],
)
def test_in_a_box_the_bar_says_what_enter_and_escape_do_there(
    project: Path, keys: tuple[str, ...], said: str, width: int
) -> None:
    """No letter that would only be typed."""

    async def scenario() -> None:
        async with dashboard(project, size=(width, 24)) as pilot:
            for key in keys:
                await type_keys(pilot, key)
            assert bar(pilot).startswith(said)
            assert " q quit" not in bar(pilot)
            await type_keys(pilot, "escape")
            assert " q quit" in bar(pilot)

    drive(scenario)


def test_where_the_bar_has_no_room_for_a_key_it_is_left_out_whole(project: Path) -> None:
    """TUI-1: at the smallest size."""

    async def scenario() -> None:
        async with dashboard(project, size=(20, 5)) as pilot:
            await press(pilot, "w")
            assert screen_text(pilot)[-1] == " esc back  ? help"

    drive(scenario)
