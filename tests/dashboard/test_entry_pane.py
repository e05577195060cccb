"""The pane of one entry: where it begins, and when its value is shown (TUI-4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.dialogs import INDENT, command, make_project
from dashboard.driving import app_of, dashboard, drive, press, settled, shows
from rotifer_console.dashboard.entry_pane import EntryPane
from rotifer_store import open_store

SIZES = [(80, 24), (40, 12), (120, 36)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_project(tmp_path)
    with open_store(tmp_path) as store:
        memory = store.gene_memory("main", INDENT)
        for number in range(6):
            memory.write_memory(f"key/{number}", f"value of {number}\n".encode() * 60, "CACHE")
    return tmp_path


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_another_entry_begins_at_its_top_and_the_value_is_gone_to_once(
    project: Path, size: tuple[int, int]
) -> None:
    """What is asked for is in sight; what is shown next has not been asked for."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            pane = app_of(pilot).main.query_one(EntryPane)
            await press(pilot, "v")
            assert shows(pilot, "value of 5")
            assert pane.top > 0
            if size == (40, 12):  # one pane at a time
                await press(pilot, "escape", "j", "enter")
            else:
                await press(pilot, "j")
            assert pane.top == 0
            assert shows(pilot, "key/4")
            assert not shows(pilot, "value of")
            await settled(pilot)
            assert pane.top == 0
            await press(pilot, "v")
            assert shows(pilot, "value of 4")

    drive(scenario)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_who_leaves_an_entry_leaves_its_value_and_the_command_line_agrees(
    project: Path, size: tuple[int, int]
) -> None:
    """TUI-4, TUI-8: hidden until it is asked for again; `--reveal` only where it is revealed."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            await press(pilot, "v")
            assert command(pilot)[-1] == "--reveal"
            await press(pilot, "escape")
            assert "--reveal" not in command(pilot)
            await press(pilot, "enter", "end")
            assert "--reveal" not in command(pilot)
            assert not shows(pilot, "value of")
            await press(pilot, "v")
            assert shows(pilot, "value of 5")
            assert command(pilot)[-1] == "--reveal"
            await press(pilot, "v")
            assert not shows(pilot, "value of")
            assert "--reveal" not in command(pilot)

    drive(scenario)
