"""What fresh hands broke: keys that come together, small screens, a store that goes (TUI-1, TUI-7)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual._compositor import LayoutUpdate
from textual.app import App

from dashboard.dialogs import typed
from dashboard.driving import app_of, dashboard, drive, press, settled, shows, type_keys, until
from rotifer_console.dashboard import deleting
from rotifer_console.dashboard.deleting import Deletion
from rotifer_store import Gene, Store, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")


def _store(project: Path, entries: int = 30) -> None:
    (project / "rotifer.json").write_text("{}")
    with open_store(project) as store:
        store.create_agent("main", genes=[GENE])
        memory = store.gene_memory("main", GENE)
        for number in range(entries):
            memory.write_memory(f"key/{number:03}", b"the value", "CACHE")


@pytest.mark.parametrize(
    ("opener", "key"),
    [("d", "enter"), ("d", "escape"), ("i", "escape"), ("n", "escape"), ("question_mark", "escape")],
)
def test_two_keys_that_come_together_close_one_screen(tmp_path: Path, opener: str, key: str) -> None:
    """TUI-7: the second one finds nothing to close; the screen beneath stays."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            app = app_of(pilot)
            await press(pilot, opener)
            await until(pilot, lambda: getattr(app.screen, "is_listening", True), "a dialog that listens")
            closes = getattr(app.screen, "leave", app.screen.dismiss)
            closes()
            closes()
            closes()
            await settled(pilot)
            assert app.screen is app.main
            await type_keys(pilot, key)
            assert app.screen is app.main

    drive(scenario)


def test_what_the_cursor_is_on_stays_in_sight_when_the_list_gets_shorter(tmp_path: Path) -> None:
    """TUI-1: keys act on it."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(80, 24)) as pilot:
            await type_keys(pilot, *["down"] * 15)
            await pilot.resize_terminal(80, 17)
            await settled(pilot)
            entries = app_of(pilot).main.entries
            assert entries.top <= entries.cursor < entries.top + entries.height_rows
            await type_keys(pilot, "enter")
            assert entries.top <= entries.cursor < entries.top + entries.height_rows

    drive(scenario)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_value_that_was_asked_for_is_in_sight(tmp_path: Path, size: tuple[int, int]) -> None:
    """TUI-4."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            await press(pilot, "v")
            assert shows(pilot, "the value")

    drive(scenario)


def test_on_a_small_screen_the_command_line_of_what_was_done_stands_until_the_next_key(
    tmp_path: Path,
) -> None:
    """TUI-8."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(80, 24)) as pilot:
            await press(pilot, "v")
            assert shows(pilot, " rotifer agent memory show main -")
            assert shows(pilot, "/029 --reveal")
            assert typed(pilot) == "rotifer agent memory show main --key=key/029 --reveal"
            assert shows(pilot, "? help")
            await press(pilot, "down")
            assert not shows(pilot, "--reveal")
            assert shows(pilot, "? help")

    drive(scenario)


def test_marks_are_counted_on_every_screen_those_that_are_not_listed_too(tmp_path: Path) -> None:
    """TUI-6: what `d` would ask about is never out of sight."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(80, 24)) as pilot:
            await press(pilot, "space", "space")
            assert shows(pilot, "2 marked")
            await press(pilot, "right_square_bracket")
            assert shows(pilot, "2 marked, 2 not listed")

    drive(scenario)


def test_a_store_that_goes_away_whole_is_a_banner_beside_what_was_seen(tmp_path: Path) -> None:
    """TUI-9: old numbers are never shown as fresh."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            shutil.rmtree(tmp_path / ".rotifer")
            for _ in range(3):
                app_of(pilot).look_again()
                await settled(pilot)
            assert shows(pilot, "the store is gone; shown as of")
            assert shows(pilot, "stale")
        assert not (tmp_path / ".rotifer").exists()

    drive(scenario)


class _Meddler:
    """The real store, in which another program rewrites a key between the look and the deletion."""

    def __init__(self, store: Store, key: str, category: str) -> None:
        self._store, self._key, self._category = store, key, category

    def __getattr__(self, name: str) -> object:
        if name == "delete_entries":
            self._store.delete_memory("main", key=self._key)
            self._store.gene_memory("main", GENE).write_memory(self._key, b"another", self._category)
        return getattr(self._store, name)


@pytest.mark.parametrize("category", ["CACHE", "PREFERENCE"])
def test_an_entry_written_anew_in_the_last_moment_stays(tmp_path: Path, category: str) -> None:
    """TUI-7: the entry that was chosen goes or is reported gone, never another."""
    _store(tmp_path, 3)
    with open_store(tmp_path) as store:
        agent = store.agent("main")
        entry = store.list_memory(agent)[0]
        deletion = Deletion(agent, (entry,), export_to=tmp_path / "kept.jsonl")
        deleted = deleting.delete(_Meddler(store, entry.key, category), deletion)  # type: ignore[arg-type]
        assert deleted.removed is None
        assert store.peek_value(agent, entry.key) == b"another"
        assert "nothing was deleted" in deleting.describe(deleted, deletion)[0]
        assert store.verify() == []


def test_nothing_is_drawn_for_a_terminal_that_is_behind_until_it_caught_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-9: keys count meanwhile; then all of the screen is drawn."""
    _store(tmp_path)
    drawn: list[object] = []
    monkeypatch.setattr(App, "_display", lambda self, screen, renderable: drawn.append(renderable))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            app = app_of(pilot)
            monkeypatch.setattr(app.driver, "is_behind", lambda: True, raising=False)
            drawn.clear()
            await press(pilot, "down", "space")
            assert shows(pilot, "1 marked")
            assert drawn == []
            monkeypatch.setattr(app.driver, "is_behind", lambda: False)
            app.draw_again()
            await until(pilot, lambda: any(isinstance(each, LayoutUpdate) for each in drawn), "all of it")

    drive(scenario)
