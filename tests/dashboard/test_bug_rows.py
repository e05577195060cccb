"""Faults reported of products like this one, as the dashboard would have them (`bugs/manifest.py`)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region

from dashboard.dialogs import (
    FETCH,
    INDENT,
    box_shows,
    is_open,
    keys_of,
    make_project,
    open_dialog,
    said,
    type_text,
)
from dashboard.driving import Dashboard, app_of, dashboard, drive, settled, shows, type_keys, until
from dashboard.log_lines import audit_log
from rotifer_console.dashboard.bars import Banner
from rotifer_console.dashboard.entry_list import EntryList
from rotifer_console.dashboard.why_screen import WhyScreen
from rotifer_store import (
    AccessPolicy,
    FixedClock,
    Gene,
    RetentionPolicy,
    Scope,
    SharePolicy,
    Store,
    SystemClock,
    engine,
    open_store,
)

PROGRAM = Path(sys.executable).with_name("rotifer")
STRANGER = Gene("v2:" + "c" * 64, "elsewhere", "gone", "1.0.0")
DAY_S = 86_400
KEYS_WITH_BRACKETS = ("[bold]x", "[/]", "[/magenta]", "a[b", "\\[x", ":smile:", "[type=x, v={'a[0]'}]")


def rotifer(project: Path, *arguments: str) -> str:
    """What a command prints, run beside the dashboard."""
    finished = subprocess.run(
        [PROGRAM, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return finished.stdout


def rows_of(pilot: Dashboard) -> list[str]:
    """The keys that are listed."""
    return [entry.key for entry in app_of(pilot).main.entries.window.rows]


async def look(pilot: Dashboard) -> None:
    app_of(pilot).look_again()
    await settled(pilot)


def text_in(pilot: Dashboard, selector: str) -> list[str]:
    """What a widget of the screen shows, a line each, its frame aside."""
    region: Region = app_of(pilot).screen.query_one(selector).region
    strips = app_of(pilot).screen._compositor.render_strips()[region.y : region.bottom]
    lines = [strip.crop(region.x, region.right) for strip in strips]
    return ["".join(segment.text for segment in each).strip(" │") for each in lines]


_NOTHING_HELD = """
import fcntl, sqlite3, sys
with open(sys.argv[1] + "/playground.lock") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    database = sqlite3.connect(sys.argv[1] + "/playground.db", timeout=0)
    print(*database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
"""


def test_a_dashboard_that_waits_for_its_user_holds_nothing_back(tmp_path: Path) -> None:
    """B02: a gene writes, a command deletes, and the whole write-ahead log can be taken in."""
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))

    def beside() -> tuple[str, str]:
        with open_store(tmp_path) as store:
            store.gene_memory("main", INDENT).write_memory("three", b"3", "CACHE")
        deleted = rotifer(tmp_path, "agent", "memory", "delete", "main", "--key", "one")
        store_folder = str(tmp_path / ".rotifer")
        held = subprocess.run(
            [sys.executable, "-c", _NOTHING_HELD, store_folder], capture_output=True, text=True, check=True
        )
        return deleted, held.stdout

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            assert shows(pilot, "2 entries")
            assert await asyncio.to_thread(beside) == ("1 entry removed\n", "0 0 0\n")
            await look(pilot)
            assert rows_of(pilot) == ["three", "two"]

    drive(scenario)


class _Meeting:
    """The real store, whose next look and next deletion begin at the same moment."""

    def __init__(self, store: Store) -> None:
        self._store, self._barrier = store, threading.Barrier(2, timeout=20)
        self.met: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name in ("browse_memory", "delete_entries") and name not in self.met:
            self._barrier.wait()
            self.met.add(name)
        return getattr(self._store, name)


def test_a_look_during_a_deletion_shows_the_state_after_it(tmp_path: Path) -> None:
    """B09: two threads on one store, both at it; four times."""
    keys = [f"k/{number}" for number in range(5)]
    make_project(tmp_path, *((key, "CACHE") for key in keys))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            app = app_of(pilot)
            for left in range(4, 0, -1):
                await open_dialog(pilot, "d")
                meeting = _Meeting(app.door.store())
                app.desk._store = lambda meeting=meeting: meeting
                app.look_again()
                await pilot.press("y")
                await until(pilot, lambda meeting=meeting: len(meeting.met) == 2, "both at the store")
                await settled(pilot)
                app.desk._store = app.door.store
                await look(pilot)
                assert rows_of(pilot) == keys[:left][::-1]
                assert said(pilot).startswith("1 entry deleted, audit line ")
                assert app.trouble is None
        with open_store(tmp_path) as store:
            assert store.verify() == []

    drive(scenario)


def test_a_log_that_ends_in_a_torn_line_is_shown_and_gone_on_with(tmp_path: Path) -> None:
    """B13: the dashboard starts, counts what it cannot read, and writes on a line of its own."""
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))
    log = audit_log(tmp_path)
    log.write_bytes(log.read_bytes()[:-40])

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            assert rows_of(pilot) == ["two", "one"]
            assert not app_of(pilot).main.query_one(Banner).display
            await type_keys(pilot, "a")
            await until(pilot, lambda: shows(pilot, "3 lines"), "the count of lines")
            assert shows(pilot, "one")
            await type_keys(pilot, "escape")
            await open_dialog(pilot, "d")
            await pilot.press("y")
            await settled(pilot)
            assert said(pilot).startswith("1 entry deleted, audit line ")
            await type_keys(pilot, "a")
            await until(pilot, lambda: shows(pilot, "1 unreadable"), "the count of unreadable lines")
            assert shows(pilot, "unreadable: line 3 of audit.jsonl")
        *_, torn, last = log.read_bytes().splitlines()
        assert not torn.endswith(b"}")
        assert (json.loads(last)["action"], json.loads(last)["key"]) == ("memory_delete", "two")

    drive(scenario)


def test_an_expired_entry_is_gone_from_every_part_of_the_dashboard(tmp_path: Path) -> None:
    """B25: listing in each order, figures, filters, forecast, matrix, reports; its history stays."""
    clock = FixedClock(SystemClock().now_us())
    (tmp_path / "rotifer.json").write_text("{}")
    hidden = "gone\u202e"
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[INDENT, FETCH], memory_quota_bytes=1 << 20)
        memory = store.gene_memory("main", STRANGER)
        closed = AccessPolicy(Scope.CREATOR_GENE_ONLY, Scope.CREATOR_GENE_ONLY, SharePolicy.PRIVATE)
        day = RetentionPolicy(1, False, False)
        memory.write_memory(hidden, b"x" * 900_000, "CACHE", access_policy=closed, retention_policy=day)
        store.gene_memory("main", INDENT).write_memory("stays", b"x", "CACHE")
    clock.advance(DAY_S)
    log = audit_log(tmp_path).read_bytes()

    async def scenario() -> None:
        async with dashboard(tmp_path, clock=clock) as pilot:
            app = app_of(pilot)
            for _ in range(6):
                assert rows_of(pilot) == ["stays"]
                await type_keys(pilot, "s")
            assert shows(pilot, "1 entry")
            assert shows(pilot, "quota 0% used")
            await type_keys(pilot, "slash", *"gone")
            assert shows(pilot, "no entry matches")
            await type_keys(pilot, "escape", "f", *"900KB", "enter")
            assert app.main.entries.leaving == {}
            await type_keys(pilot, "escape")
            for key in ("g", "r", "o"):
                await type_keys(pilot, key)
                assert app.screen is not app.main
                assert not shows(pilot, "gone"), key
                await type_keys(pilot, "escape")
            await type_keys(pilot, "a")
            assert shows(pilot, "gone<U+202E>")

    drive(scenario)
    assert audit_log(tmp_path).read_bytes() == log


def test_a_retention_that_a_gene_set_is_the_expiry_that_dashboard_and_command_show(tmp_path: Path) -> None:
    """B39, B44: seven days, none, and more days than a calendar has."""
    clock = FixedClock(1_900_000_000_000_000)
    (tmp_path / "rotifer.json").write_text("{}")
    days = {"week": 7, "always": None, "ages": 2_147_483_647}
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[INDENT])
        for key, kept in days.items():
            policy = None if kept is None else RetentionPolicy(kept, False, False)
            store.gene_memory("main", INDENT).write_memory(key, b"x", "PATTERN", retention_policy=policy)
        listed = {entry.key: entry.expires_at for entry in store.list_memory("main")}
    week = listed["week"]
    assert week is not None

    async def scenario() -> None:
        async with dashboard(tmp_path, clock=clock, size=(120, 50)) as pilot:
            told: dict[str, list[str]] = {}
            for _ in days:
                entry = app_of(pilot).main.entry
                assert entry is not None
                told[entry.key] = text_in(pilot, "#entry")
                await open_dialog(pilot, "d")
                assert box_shows(pilot, entry.key)
                await type_keys(pilot, "escape", "down")
            assert "expires  7 d 0 h" in told["week"]
            assert f"{week:%Y-%m-%d %H:%M:%S}Z" in told["week"]
            assert "keep     7 days" in told["week"]
            assert "expires  never" in told["always"]
            assert "expires  in 5 879 610 y" in told["ages"]
            assert "keep     2147483647 days" in told["ages"]

    drive(scenario)
    by_command = json.loads(rotifer(tmp_path, "agent", "memory", "list", "main", "--json"))
    assert {row["key"]: row["expiresAt"] for row in by_command} == {
        "week": f"{week:%Y-%m-%dT%H:%M:%S}.000000Z",
        "always": None,
        "ages": None,
    }


@pytest.mark.parametrize("key", KEYS_WITH_BRACKETS)
def test_brackets_in_a_key_are_shown_as_they_are_wherever_it_stands(tmp_path: Path, key: str) -> None:
    """B93: listing, pane, filter box, dialogs, what is said, the key's life, the log and its filter."""
    make_project(tmp_path, ("other", "CACHE"), (key, "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            assert any(key in text for text in text_in(pilot, "#entries"))
            assert text_in(pilot, "#entry")[1] == key
            assert any(key in text for text in text_in(pilot, "#strip"))
            await type_keys(pilot, "slash")
            await type_text(pilot, key)
            assert any(key in text for text in text_in(pilot, "#filter"))
            assert rows_of(pilot) == [key]
            await type_keys(pilot, "enter", "w")
            assert isinstance(app_of(pilot).screen, WhyScreen)
            assert shows(pilot, key)
            await type_keys(pilot, "escape", "a")
            assert any(key in text for text in text_in(pilot, "LogList"))
            await type_keys(pilot, "escape")
            await open_dialog(pilot, "d")
            assert box_shows(pilot, key)
            with open_store(tmp_path) as store:
                store.delete_memory("main", key=key)
            await pilot.press("y")
            await settled(pilot)
            assert not is_open(pilot)
            assert said(pilot) == f"gone already, nothing was deleted: {key}"
            assert shows(pilot, f"gone already, nothing was deleted: {key}")

    drive(scenario)
    assert keys_of(tmp_path) == {"other"}


_EXCLUSIVE = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA locking_mode=EXCLUSIVE")
database.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_store_that_another_program_has_locked_is_a_banner_and_shown_once_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B101: in ten rows; keys answer meanwhile, and what comes after is right."""
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_S", 0.1)
    make_project(tmp_path, *((f"k/{number:02}", "CACHE") for number in range(30)))

    async def scenario() -> None:
        database = str(tmp_path / ".rotifer" / "playground.db")
        with subprocess.Popen(
            [sys.executable, "-c", _EXCLUSIVE, database],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            assert holder.stdout.readline() == "locked\n"
            async with dashboard(tmp_path, size=(80, 10)) as pilot:
                await until(pilot, lambda: "locked" in said(pilot), "a banner")
                await type_keys(pilot, "question_mark", "escape", "down", "d", "v", "slash", "x", "escape")
                assert "locked" in said(pilot)
                await pilot.resize_terminal(70, 10)
                holder.stdin.close()
                await until(pilot, lambda: app_of(pilot).seen is not None, "the entries")
                await settled(pilot)
                assert not app_of(pilot).main.query_one(Banner).display
                assert shows(pilot, "k/29")
                assert shows(pilot, "30 entries")

    drive(scenario)


def _many(project: Path, entries: int) -> None:
    make_project(project)
    with open_store(project) as store:
        memory = store.gene_memory("main", INDENT)
        for number in range(entries):
            memory.write_memory(f"k/{number:05}", b"x", "CACHE" if number % 2 else "CONTEXT")


def test_entries_that_go_by_the_thousand_beneath_a_small_screen_leave_it_on_what_is_there(
    tmp_path: Path,
) -> None:
    """B101: ten rows, the cursor at the end, half of the entries deleted, then all; resized in between."""
    _many(tmp_path, 3000)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(80, 10)) as pilot:
            entries = app_of(pilot).main.entries
            await type_keys(pilot, "end")
            assert entries.under_cursor is not None
            assert entries.under_cursor.key == "k/00000"
            with open_store(tmp_path) as other:
                other.delete_memory("main", category="CONTEXT")
            await look(pilot)
            assert (entries.window.total, entries.cursor) == (1500, 1499)
            assert entries.under_cursor is not None
            assert entries.under_cursor.key == "k/00001"
            await pilot.resize_terminal(40, 12)
            await settled(pilot)
            assert shows(pilot, "k/00001")
            with open_store(tmp_path) as other:
                other.delete_memory("main", category="CACHE")
            await look(pilot)
            assert shows(pilot, "main remembers nothing yet")
            await type_keys(pilot, "up", "end", "enter", "d", "v", "space", "escape")

    drive(scenario)


@pytest.mark.parametrize("entries", [1000, 10_000])
def test_a_key_reads_a_window_and_draws_a_screen_however_many_entries_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    """B101, TUI-10: the same bounds for few and many; the times are the benchmark's."""
    _many(tmp_path, entries)
    read: list[int] = []
    drawn: list[int] = []
    monkeypatch.setattr(
        Store, "browse_memory", _told_to(read, Store.browse_memory, lambda page: len(page.rows))
    )
    monkeypatch.setattr(EntryList, "line", _told_to(drawn, EntryList.line, lambda _: 1))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(100, 30)) as pilot:
            for key in ("down", "pagedown", "end", "pageup", "up", "home", "space"):
                del read[:], drawn[:]
                await type_keys(pilot, key)
                assert sum(drawn) <= 6 * 30, key
                assert sum(read) <= 1200, key
            assert app_of(pilot).main.entries.window.total == entries

    drive(scenario)


def _told_to(counts: list[int], call: Callable[..., Any], size: Callable[[Any], int]) -> Callable[..., Any]:
    def counted(*arguments: Any, **named: Any) -> Any:
        result = call(*arguments, **named)
        counts.append(size(result))
        return result

    return counted
