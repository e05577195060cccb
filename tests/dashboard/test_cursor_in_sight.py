"""Keys act on what is seen: whatever changes what is listed, the cursor's row is in sight (TUI-6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.dialogs import make_project, write
from dashboard.driving import Dashboard, app_of, dashboard, drive, press, screen_text, settled, type_keys
from rotifer_store import open_store

CATEGORIES = ("PREFERENCE", "PATTERN", "CONTEXT", "CACHE")
NEXT, BEFORE = "right_square_bracket", "left_square_bracket"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Sixty entries, the few of PREFERENCE the oldest of them."""
    make_project(
        tmp_path,
        *((f"rule/{number}", "PREFERENCE") for number in range(5)),
        *((f"page/{number:02}", CATEGORIES[number % 4]) for number in range(55)),
    )
    return tmp_path


def assert_seen(pilot: Dashboard) -> None:
    """The row under the cursor is one of those that are drawn, and holds the entry that keys act on."""
    main = app_of(pilot).main
    entries, entry = main.entries, main.entry
    assert entry is not None
    assert entries.top <= entries.cursor < entries.top + entries.height_rows
    drawn = screen_text(pilot)[entries.region.y + entries.cursor - entries.top]
    assert f" {entry.key} " in drawn


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)], ids=["80x24", "40x12", "120x36"])
@pytest.mark.parametrize(
    "keys",
    [
        ("home", NEXT, "j", "j", "escape"),
        ("end", NEXT, "j", "j", BEFORE),
        ("end", BEFORE, "end", BEFORE, "home", "escape"),
        ("slash", *"rule", "enter", "end", "escape"),
        ("slash", *"rule", "escape"),
        ("end", "slash", *"nothing", "escape"),
        ("end", "s", "s"),
        ("end", "S", "home", "S"),
        ("end", "f5"),
        ("end", "f", "escape"),
    ],
    ids=" ".join,
)
def test_the_cursor_is_in_sight_after_every_change_of_what_is_listed(
    project: Path, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    """TUI-6: from a short listing, which has no scroll bar, back to a long one too."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            for key in keys:
                await type_keys(pilot, key)
            assert_seen(pilot)

    drive(scenario)


def test_the_cursor_is_in_sight_after_a_resize_and_a_refresh_that_moves_its_row(project: Path) -> None:
    """TUI-1, TUI-6."""

    async def scenario() -> None:
        async with dashboard(project, size=(120, 36)) as pilot:
            await type_keys(pilot, "end")
            for size in ((80, 24), (40, 12), (200, 60), (80, 18)):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                assert_seen(pilot)
            with open_store(project) as store:
                write(store, *((f"new/{number:02}", "CACHE") for number in range(30)))
            await press(pilot, "f5")
            assert_seen(pilot)

    drive(scenario)
