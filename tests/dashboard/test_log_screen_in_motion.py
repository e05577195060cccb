"""A log's screen while all moves at once: the log, the search through it, the keys (TUI-5, TUI-9)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dashboard.driving import Dashboard, app_of, press, screen_text, settled, shows, type_keys, until
from dashboard.log_lines import OTHER, append, audit_log, line, make_store, replace
from dashboard.test_log_screen import key_under_cursor, on_log, row_of, status, the_log, told
from rotifer_console.dashboard.audit_screen import AuditScreen
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_reading import WINDOW_LINES, LogReading
from rotifer_console.dashboard.panes import EmptyPlace
from rotifer_store import Gene, RotiferStoreError, log_view, open_store

NOBODY_YET = Gene("v2:" + "c" * 64, "note", "newcomer", "1.0.0")


def _evictions(first: int, last: int) -> Iterator[bytes]:
    """Lines of which every tenth is an eviction."""
    for number in range(first, last):
        yield line(number, "memory_evict" if number % 10 == 0 else "memory_write")


def the_screen(pilot: Dashboard) -> AuditScreen:
    """The audit screen."""
    screen = app_of(pilot).screen
    assert isinstance(screen, AuditScreen)
    return screen


class Gate:
    """Holds a method of the log's reading in its lane."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._passes = threading.Semaphore(0)
        self._is_shut = False
        really = getattr(LogReading, name)

        def held(*arguments: Any) -> Any:
            self.calls.append(arguments[2:])
            assert not self._is_shut or self._passes.acquire(timeout=20)
            return really(*arguments)

        monkeypatch.setattr(LogReading, name, held)

    @contextmanager
    def shut(self) -> Iterator[None]:
        """Nothing passes until the end of the block, unless it is let through."""
        self._is_shut = True
        try:
            yield
        finally:
            self._is_shut = False
            self._passes.release()

    def let_one_through(self) -> None:
        """One call passes."""
        self._passes.release()

    def asked(self, times: int) -> Callable[[], bool]:
        """Whether it has been asked so many times."""
        return lambda: len(self.calls) >= times


# Following through a filter


def test_a_list_that_runs_empty_gives_its_keys_to_no_box(tmp_path: Path) -> None:
    """TUI-9: a key that was meant for the list is no letter of the filter when the log was cut."""
    make_store(tmp_path)
    append(audit_log(tmp_path), _evictions(1, 50))

    async def scenario(pilot: Dashboard) -> None:
        await type_keys(pilot, "slash", *"action:evicted", "enter")
        audit_log(tmp_path).write_bytes(line(1) + b"\n")
        await told(pilot, "no line matches")
        await press(pilot, "f", "home")
        assert the_screen(pilot).query_one("#filter", Field).value == "action:evicted"
        append(audit_log(tmp_path), _evictions(60, 90))
        await told(pilot, "3 matches of 31 lines")
        await press(pilot, "up")
        assert "paused" in status(pilot)
        assert key_under_cursor(pilot) == "key/000070"

    on_log(tmp_path, scenario)


def test_a_paused_line_stays_on_its_row_through_a_burst_of_lines_under_a_filter(tmp_path: Path) -> None:
    """Anchors 41: however much comes between two looks."""
    make_store(tmp_path)
    append(audit_log(tmp_path), _evictions(1, 600))

    async def scenario(pilot: Dashboard) -> None:
        await type_keys(pilot, "slash", *"action:evicted", "enter")
        await press(pilot, *["up"] * 7)
        key = key_under_cursor(pilot)
        row, rows = row_of(pilot, f" {key} "), _rows_shown(pilot)
        append(audit_log(tmp_path), _evictions(1000, 26_000))
        await told(pilot, "2 500 new")
        assert (key_under_cursor(pilot), row_of(pilot, f" {key} ")) == (key, row)
        assert _rows_shown(pilot) == rows

    on_log(tmp_path, scenario)


def _rows_shown(pilot: Dashboard) -> list[str]:
    """The rows below the titles, without the scroll bar."""
    return [each[:90].rstrip() for each in screen_text(pilot)[3:20]]


def test_that_nothing_matches_is_said_when_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands in the place of the lines is so, also for a moment."""
    make_store(tmp_path)
    append(audit_log(tmp_path), _evictions(1, 50))
    said: list[tuple[str, ...]] = []
    really = EmptyPlace.say
    monkeypatch.setattr(EmptyPlace, "say", lambda self, *texts: said.append(texts) or really(self, *texts))

    async def scenario(pilot: Dashboard) -> None:
        await type_keys(pilot, "slash", *"action:evicted", "enter")
        del said[:]
        audit_log(tmp_path).write_bytes(line(1) + b"\n")
        await told(pilot, "no line matches")
        assert said[0] == ("looking",)

    on_log(tmp_path, scenario)


def test_a_filter_over_an_empty_log_lets_nothing_through_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not match is never in sight."""
    make_store(tmp_path)
    rows: list[int] = []
    really = LogList.set_rows
    monkeypatch.setattr(LogList, "set_rows", lambda self, count: rows.append(count) or really(self, count))

    async def scenario(pilot: Dashboard) -> None:
        await type_keys(pilot, "slash", *"gene:nobody", "enter")
        del rows[:]
        with open_store(tmp_path) as store, pytest.raises(RotiferStoreError):
            store.gene_memory("main", OTHER).read_memory("formatter/indent")
        await told(pilot, "0 matches of 1 line")
        assert set(rows) == {0}

    on_log(tmp_path, scenario, key="t")


# Searching


def test_a_search_that_outruns_the_filter_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that has not been looked at yet is no line that does not match."""
    monkeypatch.setattr(log_view, "_SLICE_BYTES", 1 << 16)
    make_store(tmp_path)
    append(audit_log(tmp_path), [line(1, "memory_evict", "needle/1")])
    append(audit_log(tmp_path), _evictions(1000, 40_000))

    async def scenario(pilot: Dashboard) -> None:
        screen = the_screen(pilot)
        await press(pilot, "home", *["down"] * 9)
        screen.query_one("#filter", Field).value = "action:evicted"
        await until(pilot, lambda: screen.matching.matches is not None, "the filter")
        screen.searching.text = "needle"
        screen.act("search_next")
        await until(pilot, lambda: not screen.searching.is_on_its_way, "the search's end")
        await settled(pilot)
        assert not shows(pilot, "no line holds")
        assert key_under_cursor(pilot) == "needle/1"

    on_log(tmp_path, scenario)


def test_a_key_that_repeats_does_not_begin_the_search_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No stretch of the log is searched twice, so a held key arrives."""
    make_store(tmp_path)
    append(audit_log(tmp_path), [line(1, key="needle/1")])
    append(audit_log(tmp_path), map(line, range(1000, 40_000)))
    seeks = Gate(monkeypatch, "seek")

    async def scenario(pilot: Dashboard) -> None:
        screen = the_screen(pilot)
        screen.searching.text = "needle"
        screen.act("search_next")
        for asked in (2, 4):
            await until(pilot, seeks.asked(asked), "some stretches")
            screen.act("search_next")
        await until(pilot, lambda: not screen.searching.is_on_its_way, "the search's end")
        await settled(pilot)
        assert key_under_cursor(pilot) == "needle/1"
        stretches = [call[1:] for call in seeks.calls]
        assert len(stretches) == len(set(stretches))

    on_log(tmp_path, scenario)


@pytest.mark.parametrize("key", ["f", "home", "up"])
def test_whoever_moves_on_is_not_fetched_back_by_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Nothing jumps: the cursor stays where a key has put it."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 400)))
    seeks = Gate(monkeypatch, "seek")

    async def scenario(pilot: Dashboard) -> None:
        screen, lines = the_screen(pilot), the_log(pilot)
        await press(pilot, "up", "up")
        screen.searching.text = "api/spec"
        with seeks.shut():
            screen.act("search_next")
            await until(pilot, seeks.asked(1), "the search")
            await pilot.press(key)
            at = lines.cursor
        await settled(pilot)
        assert lines.cursor == at
        assert key_under_cursor(pilot) != "api/spec"
        assert "searching" not in status(pilot)

    on_log(tmp_path, scenario)


def test_a_search_goes_on_from_the_line_that_is_shown(tmp_path: Path) -> None:
    """Where the filter hides the line that the cursor was on, it stands on another one."""
    make_store(tmp_path)
    append(audit_log(tmp_path), _evictions(1, 100))

    async def scenario(pilot: Dashboard) -> None:
        await type_keys(pilot, "s", *"key/", "enter")
        assert key_under_cursor(pilot) == "key/000099"
        await type_keys(pilot, "slash", *"action:evicted", "enter")
        assert key_under_cursor(pilot) == "key/000090"
        await press(pilot, "n")
        assert key_under_cursor(pilot) == "key/000080"

    on_log(tmp_path, scenario)


# What is looked at


def test_what_was_read_of_a_log_that_is_followed_for_long_is_forgotten(tmp_path: Path) -> None:
    """TUI-10: a screen that follows over night holds what is near, and no more."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        screen = the_screen(pilot)
        for turn in range(12):
            append(audit_log(tmp_path), map(line, range(turn * WINDOW_LINES, (turn + 1) * WINDOW_LINES)))
            wanted = 4 + (turn + 1) * WINDOW_LINES
            screen.following.look()
            await until(pilot, lambda wanted=wanted: the_log(pilot).line_count == wanted, "the lines")
        assert len(the_log(pilot)._records) < 10 * WINDOW_LINES
        await settled(pilot)
        assert key_under_cursor(pilot) == f"key/{12 * WINDOW_LINES - 1:06}"
        assert not shows(pilot, "···")

    on_log(tmp_path, scenario)


def test_the_cursor_stays_on_its_line_when_the_count_of_a_long_log_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where lines were appended while it was counted."""
    monkeypatch.setattr(log_view, "_POLL_BYTES", 1 << 20)
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(20_000)))
    polls = Gate(monkeypatch, "poll")

    async def scenario(pilot: Dashboard) -> None:
        screen = AuditScreen()
        with polls.shut():
            first = len(polls.calls) + 1
            app_of(pilot).push_screen(screen)
            await until(pilot, polls.asked(first), "the first look")
            polls.let_one_through()
            await until(pilot, lambda: screen.lines.is_uncounted, "the newest lines")
            await pilot.press("up", "up", "up")
            key = key_under_cursor(pilot)
            append(audit_log(tmp_path), map(line, range(90_000, 90_007)))
        await until(pilot, lambda: not screen.lines.is_uncounted, "the count")
        await settled(pilot)
        assert key == "key/019996"
        assert key_under_cursor(pilot) == key
        assert "paused, 7 new · 20 011 lines" in status(pilot)

    on_log(tmp_path, scenario)


def test_a_step_that_is_made_while_the_log_is_looked_at_counts(tmp_path: Path) -> None:
    """A file with fewer lines has taken the log's place: all numbers change, and a key comes between."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 300)))

    async def scenario(pilot: Dashboard) -> None:
        screen = the_screen(pilot)
        await press(pilot, *["up"] * 9)
        replace(audit_log(tmp_path), map(line, range(200, 300)))
        screen.following.look()
        screen.act("up")
        await told(pilot, "another file stands")
        assert key_under_cursor(pilot) == "key/000289"

    on_log(tmp_path, scenario)


def test_a_log_that_is_back_without_a_line_is_not_gone(tmp_path: Path) -> None:
    """Anchors 32: what the banner says is so."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        audit_log(tmp_path).unlink()
        await told(pilot, "audit.jsonl is gone")
        audit_log(tmp_path).touch(0o600)
        await told(pilot, "audit.jsonl is back")
        await press(pilot, "up")
        assert not shows(pilot, "is gone")
        assert shows(pilot, "the audit log is missing")

    on_log(tmp_path, scenario)


def test_a_log_that_is_deleted_with_its_last_line_is_gone(tmp_path: Path) -> None:
    """Anchors 32: the line that was still read from it is no sign of its return."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        append(audit_log(tmp_path), [line(7)])
        audit_log(tmp_path).unlink()
        await told(pilot, "key/000007")
        assert shows(pilot, "audit.jsonl is gone")

    on_log(tmp_path, scenario)


def test_a_line_that_was_written_over_is_not_unfolded_as_another_one(tmp_path: Path) -> None:
    """The sentence above a record, and the record, are of one line."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 130)))

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "up", "p")
        with audit_log(tmp_path).open("r+b") as log:  # in its place, before anybody looks
            log.truncate()
            log.write(b"".join(line(number) + b"\n" for number in range(500, 600)))
        await press(pilot, "enter")
        assert shows(pilot, "the line is gone")

    on_log(tmp_path, scenario)


def test_a_gene_that_the_store_hears_of_later_has_its_name_then(tmp_path: Path) -> None:
    """REC-2: a line stands before its gene is saved, and a look may come between."""
    make_store(tmp_path)
    append(audit_log(tmp_path), [line(5, gene_id=NOBODY_YET.id)])

    async def scenario(pilot: Dashboard) -> None:
        assert "v2:ccc" in screen_text(pilot)[row_of(pilot, "key/000005")]
        with open_store(tmp_path) as store, pytest.raises(RotiferStoreError):
            store.gene_memory("main", NOBODY_YET).read_memory("formatter/indent")
        await told(pilot, "refused")
        assert "newcomer" in screen_text(pilot)[row_of(pilot, "key/000005")]

    on_log(tmp_path, scenario)


def test_what_stood_in_the_way_of_a_filter_is_not_said_any_more_when_the_filter_is_gone(
    tmp_path: Path,
) -> None:
    """A filter by a gene's name needs the store, the log does not."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        screen = the_screen(pilot)
        for name in ("playground.db", "playground.db-wal", "playground.db-shm"):
            (tmp_path / ".rotifer" / name).unlink(missing_ok=True)
        (tmp_path / ".rotifer" / "playground.db").write_bytes(b"no database at all" * 100)
        app_of(pilot).look_again()
        await until(pilot, lambda: app_of(pilot).trouble is not None, "trouble with the store")
        await type_keys(pilot, "slash", *"gene:fetch")
        await until(pilot, lambda: screen.matching.trouble is not None, "trouble with the filter")
        await press(pilot, "escape")
        screen.hold(None)  # the store's own trouble is said by the looks
        assert not shows(pilot, "not a database")

    on_log(tmp_path, scenario)


@pytest.mark.parametrize("size", [(80, 12), (40, 8), (100, 40)])
def test_the_line_under_the_cursor_stays_in_sight_when_the_terminal_changes(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """TUI-1: also near the lower edge, and under a filter."""
    make_store(tmp_path)
    append(audit_log(tmp_path), _evictions(1, 900))

    async def scenario(pilot: Dashboard) -> None:
        await type_keys(pilot, "slash", *"action:evicted", "enter")
        await press(pilot, "up", "up")
        key = key_under_cursor(pilot)
        for each in (size, (120, 24)):
            await pilot.resize_terminal(*each)
            await settled(pilot)
            assert key_under_cursor(pilot) == key
            assert shows(pilot, str(key))

    on_log(tmp_path, scenario)
