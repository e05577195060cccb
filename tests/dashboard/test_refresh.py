"""A store that changes under the dashboard: what moves, what stays, what is said (TUI-3, TUI-6, TUI-9)."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dashboard.driving import app_of, dashboard, drive, press, screen_text, settled, shows, until
from rotifer_console.dashboard import app as app_module
from rotifer_console.dashboard.bars import Banner
from rotifer_console.dashboard.main_screen import MainScreen
from rotifer_store import FixedClock, Gene, RetentionPolicy, Store, SystemClock, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
DAY_S = 86_400


def _store(project: Path, entries: int, clock: FixedClock | SystemClock | None = None) -> None:
    (project / "rotifer.json").write_text("{}")
    with open_store(project, clock=clock or SystemClock()) as store:
        store.create_agent("main", genes=[GENE])
        _write(store, "old", entries)


def _write(store: Store, prefix: str, entries: int) -> None:
    memory = store.gene_memory("main", GENE)
    for number in range(entries):
        memory.write_memory(f"{prefix}/{number:05}", b"x", "CONTEXT")


def _main(pilot: Any) -> MainScreen:
    return app_of(pilot).main


async def _look(pilot: Any) -> None:
    app_of(pilot).look_again()
    await settled(pilot)


@pytest.mark.parametrize("newer", [3, 900], ids=["a few", "more than were read"])
def test_the_cursor_stays_on_its_entry_and_its_line_when_others_come_before_it(
    tmp_path: Path, newer: int
) -> None:
    """TUI-6: kept by entryId, never by row."""
    _store(tmp_path, 50)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, *["down"] * 7)
            entries = _main(pilot).entries
            entry, line = entries.under_cursor, entries.cursor - entries.top
            assert entry is not None
            assert entry.key == "old/00042"
            with open_store(tmp_path) as other:
                _write(other, "new", newer)
            await _look(pilot)
            assert entries.under_cursor is not None
            assert entries.under_cursor.key == entry.key
            assert entries.cursor == 7 + newer
            assert entries.cursor - entries.top == line

    drive(scenario)


def test_where_the_entry_under_the_cursor_goes_the_cursor_is_on_the_one_that_took_its_row(
    tmp_path: Path,
) -> None:
    """TUI-6."""
    _store(tmp_path, 10)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "down", "down")
            with open_store(tmp_path) as other:
                other.delete_memory("main", key="old/00007")
            await _look(pilot)
            entry = _main(pilot).entries.under_cursor
            assert entry is not None
            assert entry.key == "old/00006"

    drive(scenario)


def test_marks_stay_with_their_entries(tmp_path: Path) -> None:
    """TUI-6."""
    _store(tmp_path, 10)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "space", "down", "space")
            with open_store(tmp_path) as other:
                _write(other, "new", 4)
            await _look(pilot)
            assert sorted(entry.key for entry in _main(pilot).entries.marks.values()) == [
                "old/00007",
                "old/00009",
            ]

    drive(scenario)


def test_an_entry_that_reaches_zero_is_shown_as_expired_and_goes_at_the_next_look(tmp_path: Path) -> None:
    """TUI-3, TUI-9: looking removes nothing and leaves no audit lines."""
    clock = FixedClock(SystemClock().now_us())
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[GENE])
        day = RetentionPolicy(1, False, False)
        store.gene_memory("main", GENE).write_memory("brief", b"x", "CACHE", retention_policy=day)
        store.gene_memory("main", GENE).write_memory("lasting", b"x", "CACHE")
    log = (tmp_path / ".rotifer" / "audit.jsonl").read_bytes()

    async def scenario() -> None:
        async with dashboard(tmp_path, clock=clock) as pilot:
            app = app_of(pilot)
            app.is_paused = True
            clock.advance(DAY_S - 59)
            app.main.tick()
            await pilot.pause()
            assert shows(pilot, "00:00:59 !!")
            clock.advance(59)
            app.main.tick()
            await pilot.pause()
            assert shows(pilot, "expired")
            app.is_paused = False
            await _look(pilot)
            assert [entry.key for entry in app.main.entries.window.rows] == ["lasting"]

    drive(scenario)
    assert (tmp_path / ".rotifer" / "audit.jsonl").read_bytes() == log


@pytest.mark.parametrize("step_s", [3600, -3600, 400 * DAY_S, -400 * DAY_S])
def test_countdowns_follow_a_clock_that_steps(tmp_path: Path, step_s: int) -> None:
    """TUI-3: recomputed from the clock at each tick."""
    clock = FixedClock(SystemClock().now_us())
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[GENE])
        memory = store.gene_memory("main", GENE)
        for key, days in (("far", 2_147_483_647), ("year", 500), ("day", 1)):
            memory.write_memory(key, b"x", "CACHE", retention_policy=RetentionPolicy(days, False, False))

    async def scenario() -> None:
        async with dashboard(tmp_path, clock=clock) as pilot:
            assert shows(pilot, "5 879 610 y")
            clock.advance(step_s)
            app_of(pilot).main.tick()
            await pilot.pause()
            expected = {
                3600: "23:00:00",
                -3600: "1 d 1 h",
                400 * DAY_S: "expired",
                -400 * DAY_S: "in 1 y",
            }[step_s]
            assert shows(pilot, expected)

    drive(scenario)


class _Gate:
    """The real store, whose every call waits while the gate is shut."""

    def __init__(self, store: Store, gate: threading.Event) -> None:
        self._store, self._gate = store, gate

    def __getattr__(self, name: str) -> Any:
        self._gate.wait(30)
        return getattr(self._store, name)


def test_keys_are_answered_while_the_store_takes_its_time(tmp_path: Path) -> None:
    """TUI-9: store work never runs on the screen's thread."""
    _store(tmp_path, 30)

    async def scenario() -> None:
        gate = threading.Event()
        gate.set()
        async with dashboard(tmp_path) as pilot:
            app = app_of(pilot)
            real = app.door.store
            app.desk._store = lambda: _Gate(real(), gate)  # type: ignore[assignment, return-value]
            gate.clear()
            app.look_again()
            await pilot.press("down", "down", "space", "slash", "4", "escape")
            await pilot.pause()
            assert app.main.entries.cursor == 3
            assert app.desk._lanes
            gate.set()
            await settled(pilot)
            assert shows(pilot, "30 entries")

    drive(scenario)


def test_a_store_that_does_not_answer_is_said_to_be_busy_and_keys_go_on(tmp_path: Path) -> None:
    """TUI-9: long before it counts as locked; the banner goes when looks are answered at once again."""
    _store(tmp_path, 30)

    async def scenario() -> None:
        gate = threading.Event()
        async with dashboard(tmp_path) as pilot:
            app, banner = app_of(pilot), _main(pilot).query_one(Banner)
            real = app.door.store
            app.desk._store = lambda: _Gate(real(), gate)  # type: ignore[assignment, return-value]
            began_s = time.monotonic()
            app.look_again()
            await until(pilot, lambda: banner.lasting is not None, "a banner")
            assert time.monotonic() - began_s < 4
            assert shows(pilot, "the store is busy: waiting for it; shown as of")
            assert shows(pilot, "stale")
            await pilot.press("down", "down")
            assert app.main.entries.cursor == 2
            gate.set()
            await until(pilot, lambda: banner.lasting is None, "no banner")
            assert not shows(pilot, "stale")

    drive(scenario)


def test_the_banner_of_a_store_that_is_slow_all_the_time_does_not_come_and_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-9: nothing jumps."""
    _store(tmp_path, 3)
    monkeypatch.setattr(app_module, "_BUSY_AFTER_S", 0.0)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            app, banner = app_of(pilot), _main(pilot).query_one(Banner)
            gate = threading.Event()
            real = app.door.store
            app.desk._store = lambda: _Gate(real(), gate)  # type: ignore[assignment, return-value]
            for _ in range(3):
                gate.clear()
                app.look_again()
                await until(pilot, lambda: app._was_busy, "a look that takes long")
                seen = app.seen
                gate.set()
                await until(pilot, lambda seen=seen: app.seen is not seen, "its answer")
                assert banner.lasting is not None

    drive(scenario)


def test_a_database_that_goes_away_is_a_banner_and_its_return_ends_it(tmp_path: Path) -> None:
    """TUI-9: a missing store is a banner, not a crash; what was seen stays in sight."""
    _store(tmp_path, 5)
    database = tmp_path / ".rotifer" / "playground.db"

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            aside = database.with_name("aside.db")
            os.rename(database, aside)
            await _look(pilot)
            banner = _main(pilot).query_one(Banner)
            await until(pilot, lambda: banner.display, "a banner")
            await press(pilot, "down")
            assert shows(pilot, "old/00003")
            os.rename(aside, database)
            await _look(pilot)
            await _look(pilot)
            await until(pilot, lambda: banner.lasting is None, "no banner")
            assert shows(pilot, "old/00003")

    drive(scenario)


def test_a_database_that_is_no_database_is_a_banner(tmp_path: Path) -> None:
    """TUI-9: a broken store."""
    _store(tmp_path, 5)
    database = tmp_path / ".rotifer" / "playground.db"

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            for name in ("playground.db-wal", "playground.db-shm"):
                database.with_name(name).unlink(missing_ok=True)
            broken = database.with_name("broken")
            broken.write_bytes(b"no database at all" * 1000)
            broken.chmod(0o600)
            os.replace(broken, database)
            await _look(pilot)
            await _look(pilot)
            banner = _main(pilot).query_one(Banner)
            await until(pilot, lambda: banner.display and banner.lasting is not None, "a banner")
            await press(pilot, "down", "question_mark", "escape")

    drive(scenario)


def test_a_project_without_a_store_says_how_to_get_one_and_gets_none_by_looking(tmp_path: Path) -> None:
    """TUI-9: looking makes nothing."""
    (tmp_path / "rotifer.json").write_text("{}")

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            assert shows(pilot, "no agents yet")
            await press(pilot, "down", "enter", "v", "space", "s", "slash", "x", "escape")
        assert not (tmp_path / ".rotifer").exists()

    drive(scenario)


def test_why_nothing_is_shown_is_said_once_beside_keys_that_lead_somewhere(tmp_path: Path) -> None:
    """TUI-9: what is wrong, what to do; a key that would only say so again is not offered."""
    broken = tmp_path / ".rotifer" / "playground.db"
    broken.parent.mkdir()
    broken.write_bytes(b"no database " * 512)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            lines = screen_text(pilot)
            assert sum("the store's file is not a database" in line for line in lines) == 1
            assert shows(pilot, "its file is .rotifer/playground.db: rotifer doctor looks")
            assert lines[-1].strip() == "? help  q quit  f5 refresh"

    drive(scenario)


@pytest.mark.parametrize(
    ("read_only", "keys"), [(False, "? help  q quit  n new agent"), (True, "? help  q quit")]
)
def test_without_an_agent_only_the_keys_that_lead_somewhere_are_offered(
    tmp_path: Path, read_only: bool, keys: str
) -> None:
    """TUI-1, TUI-8, TUI-9: with the first agent the others come."""
    (tmp_path / "rotifer.json").write_text("{}")

    async def scenario() -> None:
        async with dashboard(tmp_path, read_only=read_only) as pilot:
            assert screen_text(pilot)[-1].strip() == keys
            with open_store(tmp_path) as store:
                store.create_agent("main")
            await until(pilot, lambda: shows(pilot, "/ filter"), "the keys of a list")

    drive(scenario)
