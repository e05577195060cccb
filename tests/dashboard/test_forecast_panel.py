"""The forecast below the list: what a write would evict, in order (TUI-2, QUO-4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.dialogs import command, make_project, write
from dashboard.driving import Dashboard, app_of, dashboard, drive, press, settled, shows
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.forecast_panel import ForecastPanel, GoingList
from rotifer_store import open_store

KEYS = {
    "pattern": "PATTERN",
    "context": "CONTEXT",
    "cache1": "CACHE",
    "cache2": "CACHE",
    "preference": "PREFERENCE",
}
VALUE = b"x" * 20_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_project(tmp_path, quota_bytes=102_400)
    with open_store(tmp_path) as store:
        for key, category in KEYS.items():
            write(store, (key, category), value=VALUE)
    return tmp_path


def _panel(pilot: Dashboard) -> ForecastPanel:
    return app_of(pilot).main.query_one(ForecastPanel)


async def _type(pilot: Dashboard, text: str) -> None:
    await press(pilot, "ctrl+u", *text)


def _going(pilot: Dashboard) -> list[str]:
    going = app_of(pilot).main.query_one(GoingList)
    return ["".join(piece.text for piece in going.line(row, 0, 100)).split()[2] for row in range(going.rows)]


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 12)], ids=["120x36", "80x24", "40x12"])
def test_what_would_go_is_listed_in_order_and_shaded_and_the_command_is_shown(
    project: Path, size: tuple[int, int]
) -> None:
    """TUI-2, TUI-8."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            await press(pilot, "f")
            await _type(pilot, "40KB")
            with open_store(project) as store:
                evicted = store.forecast("main", 40 << 10).evicted
            assert _going(pilot) == [entry.key for entry in evicted] == ["cache1", "cache2"]
            leaving = app_of(pilot).main.entries.leaving
            assert leaving == {entry.entry_id: turn for turn, entry in enumerate(evicted, 1)}
            assert shows(pilot, "a write of 40 KB would evict 2")
            assert command(pilot) == ("agent", "memory", "forecast", "main", "--bytes", "40KB")

    drive(scenario)


def test_the_sum_runs_and_the_bars_show_before_and_after(project: Path) -> None:
    """TUI-2."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            await press(pilot, "f")
            await _type(pilot, "40KB")
            assert shows(pilot, "19.5 KB freed")
            assert shows(pilot, "39.0 KB freed")
            assert shows(pilot, "now")
            assert shows(pilot, "97.6 KB of 100 KB")
            assert shows(pilot, "98.6 KB of 100 KB")

    drive(scenario)


def test_a_write_that_would_fail_says_so(project: Path) -> None:
    """QUO-5."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            await press(pilot, "f")
            await _type(pilot, "90KB")
            assert shows(pilot, "! the write would fail: PREFERENCE holds 19.5 of 100 KB")
            assert _going(pilot) == []
            assert app_of(pilot).main.entries.leaving == {}

    drive(scenario)


def test_a_bad_size_says_so_beside_it_and_shades_nothing(project: Path) -> None:
    """QUO-2: the command line's own check."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            await press(pilot, "f")
            field = _panel(pilot).query_one("#size", Field)
            for text in ("", "5", "0KB", "1e3KB", "-1KB", "9999999GB", "２KB"):
                field.value = "40KB"
                await settled(pilot)
                assert app_of(pilot).main.entries.leaving
                field.value = text
                await settled(pilot)
                assert shows(pilot, "! a size"), text
                assert app_of(pilot).main.entries.leaving == {}, text

    drive(scenario)


@pytest.mark.parametrize("from_list", [False, True], ids=["from the box", "from the list"])
def test_escape_closes_it_and_takes_the_shades_away(project: Path, from_list: bool) -> None:
    """TUI-2."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            cursor = app_of(pilot).main.entries.place
            await press(pilot, "f")
            await _type(pilot, "40KB")
            if from_list:
                await press(pilot, "enter", "down")
            await press(pilot, "escape")
            assert not _panel(pilot).display
            assert app_of(pilot).main.entries.leaving == {}
            assert app_of(pilot).focused is app_of(pilot).main.entries
            assert app_of(pilot).main.entries.place == cursor

    drive(scenario)


def test_it_follows_the_store(project: Path) -> None:
    """TUI-9."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            await press(pilot, "f")
            await _type(pilot, "40KB")
            with open_store(project) as store:
                store.delete_memory("main", key="cache1")
            app_of(pilot).look_again()
            await settled(pilot)
            assert _going(pilot) == ["cache2"]

    drive(scenario)


def test_another_agent_closes_it(project: Path) -> None:
    """TUI-2: nobody is shown another agent's shades."""
    with open_store(project) as store:
        store.create_agent("other")

    async def scenario() -> None:
        async with dashboard(project, agent="main") as pilot:
            await press(pilot, "f")
            await _type(pilot, "40KB")
            app_of(pilot).go_to_agent("other")
            await settled(pilot)
            assert not _panel(pilot).display
            assert app_of(pilot).main.entries.leaving == {}

    drive(scenario)


def test_a_write_larger_than_one_can_be_says_that_several_come_to_it(tmp_path: Path) -> None:
    """INP-2."""
    make_project(tmp_path, ("key", "CACHE"), quota_bytes=10 << 20)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "f")
            await _type(pilot, "5MB")
            assert shows(pilot, "several together") or shows(pilot, "so several")

    drive(scenario)
