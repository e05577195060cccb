"""The first screen on a real store (TUI-1, TUI-6)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dashboard.dialogs import said
from dashboard.driving import (
    app_of,
    dashboard,
    drive,
    press,
    screen_text,
    settled,
    shows,
    type_keys,
    until,
)
from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.glyphs import UNICODE
from rotifer_store import Gene, MemoryStorageError, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")


def _store(project: Path) -> None:
    (project / "rotifer.json").write_text("{}")
    with open_store(project) as store:
        store.create_agent("main", genes=[GENE])
        memory = store.gene_memory("main", GENE)
        memory.write_memory("formatter/indent", b"four", "PREFERENCE")
        memory.write_memory("http/etag/1", b"x" * 5000, "CACHE")


def test_the_first_screen_shows_agents_entries_and_the_entry_without_a_key_pressed(tmp_path: Path) -> None:
    """TUI-1."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            text = "\n".join(screen_text(pilot))
            for expected in ("main", "formatter/indent", "http/etag/1", "2 entries", "who in the genome"):
                assert expected in text
            assert "four" not in text

    drive(scenario)


def test_a_value_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    """TUI-4."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "down")
            assert not shows(pilot, "four")
            await press(pilot, "v")
            await press(pilot, "tab", "end")
            assert shows(pilot, "four")

    drive(scenario)


KEYS_THAT_WANT_AN_AGENT = ["w", "g", "r", "o", "f", "d", "D", "x", "i", "e", "v", "y", "space", "enter"]


@pytest.mark.parametrize(
    ("read_only", "how"),
    [(False, "n creates one"), (True, "create one: rotifer agent create NAME --genes GENE")],
)
def test_without_an_agent_a_key_says_why_it_does_nothing_and_what_to_do(
    tmp_path: Path, read_only: bool, how: str
) -> None:
    """TUI-9: nothing is being read; a dashboard that only looks names the command line."""
    (tmp_path / "rotifer.json").write_text("{}")
    keys = [key for key in KEYS_THAT_WANT_AN_AGENT if not (read_only and key in "dDie")]

    async def scenario() -> None:
        async with dashboard(tmp_path, read_only=read_only) as pilot:
            for key in keys:
                await type_keys(pilot, key)
                assert said(pilot) == f"there is no agent yet: {how}", key
                assert len(app_of(pilot).screen_stack) == 2, key
            assert shows(pilot, "rotifer agent create NAME --genes GENE")
            assert shows(pilot, "n creates one here") is not read_only

    drive(scenario)


def test_while_the_store_is_being_read_a_key_says_that_and_where_it_cannot_be_read_too(
    tmp_path: Path,
) -> None:
    """TUI-9."""
    _store(tmp_path)
    gate = threading.Event()

    def refused(*_: object) -> None:
        gate.wait(20)
        raise MemoryStorageError("the store is locked")

    async def scenario() -> None:
        app = ConsoleApp(tmp_path, glyphs=UNICODE)
        app.desk._store = refused  # type: ignore[assignment]
        async with app.run_test(size=(120, 36)) as pilot:
            try:
                await pilot.press("w")
                assert said(pilot) == "the store is still being read: try again in a moment"
            finally:
                gate.set()
            await until(pilot, lambda: shows(pilot, "while the store cannot be read"), "the refusal")
            await pilot.press("g")
            assert said(pilot) == "the store is locked"

    drive(scenario)


def test_on_an_agent_that_remembers_nothing_a_key_says_that_there_is_no_entry(tmp_path: Path) -> None:
    """TUI-9."""
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=[GENE])

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            for key in ("v", "y", "space", "enter"):
                await type_keys(pilot, key)
                assert said(pilot) == "there is no entry here", key
            await type_keys(pilot, "d")
            assert said(pilot) == "there is no entry to delete"

    drive(scenario)


def test_choosing_another_agent_takes_the_filter_of_the_one_before_away(tmp_path: Path) -> None:
    """TUI-6: the box, what is typed in it, and what was wrong with it."""
    _store(tmp_path)
    with open_store(tmp_path) as store:
        store.create_agent("other", genes=[GENE])

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, "slash", *"re:(")
            assert "pattern" in said(pilot)
            app_of(pilot).go_to_agent("other")
            await settled(pilot)
            assert said(pilot) == ""
            main = app_of(pilot).main
            assert not main.filter_box.display
            assert main.focused is main.entries

    drive(scenario)


@pytest.mark.parametrize("before", ["enter", "shift+tab"], ids=["the entry", "the agents"])
@pytest.mark.parametrize(
    ("key", "typed", "shown"), [("f", "9KB", "9KB"), ("slash", "etag", "etag")], ids=["forecast", "filter"]
)
def test_on_a_small_screen_what_opens_beneath_the_list_is_seen_whichever_pane_was_shown(
    tmp_path: Path, before: str, key: str, typed: str, shown: str
) -> None:
    """TUI-1: one pane at a time."""
    _store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(40, 12)) as pilot:
            await type_keys(pilot, before)
            assert not app_of(pilot).main.entries.region
            await type_keys(pilot, key, *typed)
            assert app_of(pilot).main.entries.region
            assert shows(pilot, shown)
            await type_keys(pilot, "escape")
            assert shows(pilot, "formatter/indent")

    drive(scenario)
