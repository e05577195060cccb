"""The audit and telemetry screens on real files, which others write, cut and delete meanwhile (TUI-5)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events

from cli.hostile import AUDIT_LINES
from dashboard.driving import (
    Dashboard,
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
from dashboard.log_lines import GENE, OTHER, append, audit_log, line, make_store, replace
from rotifer_console.dashboard.audit_screen import AuditScreen
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_reading import LogReading
from rotifer_console.dashboard.log_screen import LogScreen
from rotifer_store import RotiferStoreError, open_store

SIZE = (120, 24)
_HOSTILE_PARTS = 4


def the_log(pilot: Dashboard) -> LogList:
    """The list of lines on the screen."""
    return app_of(pilot).screen.query_one(LogList)


def row_of(pilot: Dashboard, text: str) -> int:
    """On which line of the screen a text stands."""
    return next((number for number, each in enumerate(screen_text(pilot)) if text in each), -1)


def status(pilot: Dashboard) -> str:
    """The line that says how things stand."""
    return screen_text(pilot)[1]


def key_under_cursor(pilot: Dashboard) -> str | None:
    """The key of the record under the cursor."""
    return getattr(the_log(pilot).record_under_cursor, "key", None)


async def told(pilot: Dashboard, text: str) -> None:
    """Waits until a text stands on the screen, and all is read."""
    await until(pilot, lambda: shows(pilot, text), text)
    await settled(pilot)


def on_log(
    project: Path,
    scenario: Callable[[Dashboard], Any],
    *,
    key: str = "a",
    size: tuple[int, int] = SIZE,
    **kw: Any,
) -> None:
    """Runs a scenario on the audit screen of a project (with `t` on the telemetry screen)."""

    async def whole() -> None:
        async with dashboard(project, size=size, **kw) as pilot:
            await press(pilot, key)
            await until(pilot, lambda: isinstance(app_of(pilot).screen, LogScreen), "the log's screen")
            await settled(pilot)
            await scenario(pilot)

    drive(whole)


# Following


def test_the_screen_follows_and_shows_a_new_line_by_itself(tmp_path: Path) -> None:
    """TUI-5."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        assert "following" in status(pilot)
        assert key_under_cursor(pilot) == "http/etag/1"
        append(audit_log(tmp_path), [line(7)])
        await told(pilot, "key/000007")
        assert key_under_cursor(pilot) == "key/000007"

    on_log(tmp_path, scenario)


@pytest.mark.parametrize("back", ["f", "end", "G"])
def test_moving_up_pauses_and_the_line_stays_on_its_row_whatever_is_appended(
    tmp_path: Path, back: str
) -> None:
    """Anchors 41; `f` and End go on."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 200)))

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "up", "up", "up")
        assert "paused" in status(pilot)
        key, row = key_under_cursor(pilot), row_of(pilot, "key/000196")
        assert (key, row > 0) == ("key/000196", True)
        append(audit_log(tmp_path), map(line, range(1000, 11_000)))
        await told(pilot, "10 000 new")
        assert (key_under_cursor(pilot), row_of(pilot, "key/000196")) == (key, row)
        await press(pilot, back)
        assert "following" in status(pilot)
        assert key_under_cursor(pilot) == "key/010999"

    on_log(tmp_path, scenario)


def test_the_wheel_pauses_too(tmp_path: Path) -> None:
    """What is in sight stays in sight."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 200)))

    async def scenario(pilot: Dashboard) -> None:
        log = the_log(pilot)
        log.post_message(events.MouseScrollUp(log, 4, 4, 0, -1, 0, False, False, False))
        await settled(pilot)
        assert "paused" in status(pilot)
        before = [each[:100].rstrip() for each in screen_text(pilot)[3:20]]
        append(audit_log(tmp_path), map(line, range(1000, 1100)))
        await told(pilot, "100 new")
        assert [each[:100].rstrip() for each in screen_text(pilot)[3:20]] == before

    on_log(tmp_path, scenario)


def test_a_click_chooses_a_line_and_a_second_one_unfolds_it(tmp_path: Path) -> None:
    """The mouse reaches what keys reach."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        row = row_of(pilot, "api/spec")
        await pilot.click(offset=(40, row))
        await settled(pilot)
        assert key_under_cursor(pilot) == "api/spec"
        assert "paused" in status(pilot)
        await pilot.double_click(offset=(40, row))
        await told(pilot, '"action": "memory_write"')

    on_log(tmp_path, scenario)


def test_the_last_line_stays_in_sight_while_it_follows_at_any_size(tmp_path: Path) -> None:
    """TUI-1."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 200)))

    async def scenario(pilot: Dashboard) -> None:
        for size in ((80, 24), (40, 12), (20, 5), (200, 60), (10, 3), (1, 1), (60, 8)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
        assert shows(pilot, "key/000199")
        assert "following" in status(pilot)

    on_log(tmp_path, scenario)


# What can befall a log


def test_a_log_that_is_cut_begins_again_and_nothing_is_shown_twice(tmp_path: Path) -> None:
    """Anchors 31: truncated, copied and truncated, shorter and grown again."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 130)))

    async def scenario(pilot: Dashboard) -> None:
        audit_log(tmp_path).write_bytes(b"")
        await told(pilot, "was cut short")
        assert not shows(pilot, "key/000129")
        append(audit_log(tmp_path), [line(1), line(2)])
        await told(pilot, "key/000002")
        assert "2 lines" in status(pilot)
        audit_log(tmp_path).write_bytes(line(3) + b"\n" + line(4) + b"\n" + line(5) + b"\n")
        await told(pilot, "key/000005")
        assert "3 lines" in status(pilot)
        assert not shows(pilot, "key/000002")

    on_log(tmp_path, scenario)


def test_a_rotation_loses_no_line_and_is_said(tmp_path: Path) -> None:
    """Anchors 32, 33; a paused screen stays on its line."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "up")
        with open_store(tmp_path) as store:
            store.rotate_audit()
            store.gene_memory("main", GENE).write_memory("after/rotation", b"1", "CACHE")
        await told(pilot, "the log was rotated")
        assert key_under_cursor(pilot) == "api/spec"
        await told(pilot, "2 new")
        await press(pilot, "end")
        assert shows(pilot, "checkpoint")
        assert shows(pilot, "after/rotation")
        assert shows(pilot, "formatter/indent")

    on_log(tmp_path, scenario)


def test_a_deleted_log_is_said_to_be_gone_and_then_to_be_back(tmp_path: Path) -> None:
    """Anchors 32."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        audit_log(tmp_path).unlink()
        await told(pilot, "audit.jsonl is gone")
        await press(pilot, "up")
        assert shows(pilot, "audit.jsonl is gone")
        append(audit_log(tmp_path), [line(1)])
        audit_log(tmp_path).chmod(0o600)
        await told(pilot, "audit.jsonl is back")
        await press(pilot, "end")
        assert key_under_cursor(pilot) == "key/000001"
        assert not shows(pilot, "is gone")

    on_log(tmp_path, scenario)


def test_another_file_in_the_logs_place_is_read_from_its_beginning(tmp_path: Path) -> None:
    """Anchors 32."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        replace(audit_log(tmp_path), [line(1), line(2)])
        await told(pilot, "another file stands in the log's place")
        await told(pilot, "key/000002")

    on_log(tmp_path, scenario)


def test_a_log_that_is_not_there_yet_comes_into_sight_when_it_begins(tmp_path: Path) -> None:
    """Anchors 32; an empty screen says what would be there."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        assert shows(pilot, "no events")
        with open_store(tmp_path) as store, pytest.raises(RotiferStoreError):
            store.gene_memory("main", OTHER).read_memory("formatter/indent")
        await told(pilot, "MEMORY_ACCESS_DENIED")
        assert shows(pilot, "fetch")

    on_log(tmp_path, scenario, key="t")


def test_a_project_without_a_store_says_so_and_shows_the_log_when_there_is_one(tmp_path: Path) -> None:
    """No agent, no log."""
    (tmp_path / "rotifer.json").write_text("{}")

    async def scenario(pilot: Dashboard) -> None:
        assert shows(pilot, "no agents yet")
        make_store(tmp_path)
        await told(pilot, "http/etag/1")

    on_log(tmp_path, scenario)


def test_a_folder_in_the_logs_place_is_said_and_the_screen_goes_on_after_it(tmp_path: Path) -> None:
    """Anchors 32."""
    make_store(tmp_path)
    kept = tmp_path / "kept"

    async def scenario(pilot: Dashboard) -> None:
        audit_log(tmp_path).rename(kept)
        audit_log(tmp_path).mkdir()
        await told(pilot, "cannot be read")
        assert shows(pilot, "api/spec")
        audit_log(tmp_path).rmdir()
        kept.rename(audit_log(tmp_path))
        append(audit_log(tmp_path), [line(9)])
        await told(pilot, "key/000009")
        assert not shows(pilot, "cannot be read")

    on_log(tmp_path, scenario)


def test_a_line_that_comes_in_halves_is_one_line(tmp_path: Path) -> None:
    """Anchors 34: the half is said to be one."""
    make_store(tmp_path)
    whole = line(8)

    async def scenario(pilot: Dashboard) -> None:
        with audit_log(tmp_path).open("ab", buffering=0) as log:
            log.write(whole[:40])
            await told(pilot, "a line is being written, 40 B so far")
            assert "5 lines" in status(pilot)
            log.write(whole[40:] + b"\n")
        await told(pilot, "key/000008")
        assert "5 lines" in status(pilot)
        assert not shows(pilot, "being written")
        assert "unreadable" not in status(pilot)
        assert "of other programs" not in status(pilot)

    on_log(tmp_path, scenario)


def test_lines_of_other_programs_are_flagged_and_counted_while_they_come(tmp_path: Path) -> None:
    """REC-9: those that look like lines, and those that do not; a filter changes nothing of the count."""
    make_store(tmp_path)
    others = [b"{}", b'{"level":"info","msg":"up"}', b'{"ts": "x", "action": "boot"}', b'{"action":["a"]}']
    nested = b'{"of":{"action":"memory_write"}}'
    ours_of_another_form = b'{ "action": "memory_write", "key": "spaced" }'
    append(audit_log(tmp_path), [*others, ours_of_another_form])

    async def scenario(pilot: Dashboard) -> None:
        await until(pilot, lambda: "! 4 of other programs" in status(pilot), "the count")
        assert sum("another program's line" in each for each in screen_text(pilot)) == 3
        assert shows(pilot, "! boot")
        append(audit_log(tmp_path), [nested, line(9)])
        await until(pilot, lambda: "! 5 of other programs" in status(pilot), "the count")
        await press(pilot, "slash", *"spaced", "enter")
        assert "! 5 of other programs" in status(pilot)

    on_log(tmp_path, scenario)


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_a_log_that_has_lost_its_lines_is_said_to_be_missing(tmp_path: Path, how: str) -> None:
    """REC-9: it was not always empty, for the store has agents; only one without them never had a line."""
    make_store(tmp_path)
    if how == "deleted":
        audit_log(tmp_path).unlink()
    else:
        audit_log(tmp_path).write_bytes(b"")

    async def scenario(pilot: Dashboard) -> None:
        assert shows(pilot, "the audit log is missing")
        assert not shows(pilot, "cut short")
        await press(pilot, "escape")
        await told(pilot, "! the audit log is missing")
        append(audit_log(tmp_path), [line(1)])
        await press(pilot, "a")
        assert not shows(pilot, "missing")

    on_log(tmp_path, scenario)


def test_events_tell_whose_they_are_where_there_is_room(tmp_path: Path) -> None:
    """TUI-5: several agents share the file."""
    make_store(tmp_path)
    with open_store(tmp_path) as store:
        store.create_agent("second", genes=[GENE, OTHER])
        store.gene_memory("second", GENE).write_memory("k", b"v", "CACHE")
        for agent, key in (("main", "formatter/indent"), ("second", "k")):
            with pytest.raises(RotiferStoreError):
                store.gene_memory(agent, OTHER).read_memory(key)

    async def scenario(pilot: Dashboard) -> None:
        lines = screen_text(pilot)
        at = next(each for each in lines if "time UTC" in each).index("agent")
        shown = [each[at : at + 12].strip() for each in lines if "refused" in each]
        assert shown == ["main", "second"]
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert not any("agent" in each for each in screen_text(pilot)[:3])

    on_log(tmp_path, scenario, key="t")


@pytest.mark.parametrize("end", [b"\n", b""], ids=["with a newline", "without"])
def test_the_count_of_lines_does_not_hang_on_the_last_newline(tmp_path: Path, end: bytes) -> None:
    """Anchors 35."""
    make_store(tmp_path)
    audit_log(tmp_path).write_bytes(line(1) + b"\n" + line(2) + end)

    async def scenario(pilot: Dashboard) -> None:
        assert "2 lines" in status(pilot)

    on_log(tmp_path, scenario)


def test_lines_that_are_no_records_are_shown_and_counted(tmp_path: Path) -> None:
    """Anchors 37, 38, 39: the lines around them stay readable, and following goes on."""
    make_store(tmp_path)
    odd = [b"", b"\xff\xfe broken", b"null", b"[]", b"1", b"{}", b"\xef\xbb\xbf" + line(3), line(4) + b"\r"]
    append(audit_log(tmp_path), odd)

    async def scenario(pilot: Dashboard) -> None:
        await until(pilot, lambda: " unreadable" in status(pilot), "the count")
        text = "\n".join(screen_text(pilot))
        assert len(re.findall(r"unreadable: line \d+ of audit.jsonl", text)) == int(
            re.search(r"(\d+) unreadable", status(pilot))[1]  # type: ignore[index]
        )
        assert "! another program's line" in text
        assert "1 of other programs" in status(pilot)
        assert "formatter/indent" in text
        append(audit_log(tmp_path), [line(9)])
        await told(pilot, "key/000009")
        audit_log(tmp_path).write_bytes(line(1) + b"\n")
        await told(pilot, "key/000001")
        assert "unreadable" not in status(pilot)

    on_log(tmp_path, scenario)


def test_a_line_of_five_mebibytes_is_a_row_and_its_beginning_is_shown(tmp_path: Path) -> None:
    """Anchors 36."""
    make_store(tmp_path)
    append(audit_log(tmp_path), [line(1, key="k" * (5 << 20)), line(2)])

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "up", "enter")
        await told(pilot, "the first 64 KB of 5 MB")
        await press(pilot, "end")
        assert shows(pilot, "the rest of the line is not shown")

    on_log(tmp_path, scenario)


def test_a_paused_screen_stays_on_its_line_when_an_older_file_is_deleted(tmp_path: Path) -> None:
    """The numbers of all lines change, the line in sight does not."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100, 200)))
    with open_store(tmp_path) as store:
        rotated = store.rotate_audit()
    append(audit_log(tmp_path), map(line, range(300, 900)))

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, *["pageup"] * 3)
        key = key_under_cursor(pilot)
        assert rotated is not None
        rotated.unlink()
        the_log(pilot).scroll_to(y=0, animate=False, immediate=True)  # reads from the file that has gone
        await told(pilot, f"{rotated.name} is gone")
        assert key_under_cursor(pilot) == key
        assert "601 lines" in status(pilot)

    on_log(tmp_path, scenario)


def test_a_store_that_cannot_be_opened_is_said_and_the_log_goes_on(tmp_path: Path) -> None:
    """TUI-9: the log is a file beside the database."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        for name in ("playground.db", "playground.db-wal", "playground.db-shm"):
            (tmp_path / ".rotifer" / name).unlink(missing_ok=True)
        (tmp_path / ".rotifer" / "playground.db").write_bytes(b"no database at all" * 100)
        app_of(pilot).look_again()
        await until(pilot, lambda: app_of(pilot).trouble is not None, "trouble with the store")
        assert shows(pilot, app_of(pilot).trouble or "nothing")
        append(audit_log(tmp_path), [line(9)])
        await told(pilot, "key/000009")
        await press(pilot, "slash", *"key/000009", "enter")
        await told(pilot, "1 match of")

    on_log(tmp_path, scenario)


@pytest.mark.parametrize("part", range(_HOSTILE_PARTS))
def test_hostile_lines_are_shown_without_steering_the_terminal(tmp_path: Path, part: int) -> None:
    """Anchors 10, 25: each as a row, and each unfolded."""
    make_store(tmp_path)
    hostile = [line(1), *list(AUDIT_LINES.values())[part::_HOSTILE_PARTS], line(2)]
    append(audit_log(tmp_path), hostile)

    async def scenario(pilot: Dashboard) -> None:
        _assert_safe(screen_text(pilot))
        assert shows(pilot, "key/000001")
        await type_keys(pilot, "enter")
        for number in reversed(range(len(hostile))):
            assert shows(pilot, f"audit.jsonl, line {number + 5},")
            _assert_safe(screen_text(pilot))
            await type_keys(pilot, "escape", "up", "enter")
        await type_keys(pilot, "escape")
        assert key_under_cursor(pilot) == "http/etag/1"
        _assert_safe(screen_text(pilot))

    on_log(tmp_path, scenario, size=(100, 40))


def _assert_safe(text: list[str]) -> None:
    for each in text:
        assert not [c for c in each if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")], each


# How much is read and drawn


def test_nothing_is_drawn_again_while_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anchors 28: an idle screen looks, and does nothing else."""
    make_store(tmp_path)
    looks, drawn = _counted(monkeypatch, LogReading, "poll"), _counted(monkeypatch, LogList, "line")

    async def scenario(pilot: Dashboard) -> None:
        del drawn[:], looks[:]
        await until(pilot, lambda: len(looks) >= 3, "three looks")
        assert drawn == []

    on_log(tmp_path, scenario)


def test_a_key_draws_a_screen_and_reads_a_window_however_long_the_log_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-10: 100 000 lines."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100_000)))
    read: list[int] = []
    really = LogReading._read
    monkeypatch.setattr(
        LogReading,
        "_read",
        staticmethod(lambda view, first, last: read.append(last - first) or really(view, first, last)),
    )
    drawn = _counted(monkeypatch, LogList, "line")

    async def scenario(pilot: Dashboard) -> None:
        assert "100 004 lines" in status(pilot)
        for key in ("up", "pageup", "home", "pagedown", "end"):
            del drawn[:], read[:]
            await press(pilot, key)
            assert len(drawn) <= 6 * SIZE[1], key
            assert sum(read) <= 600, key
        await press(pilot, "home")
        assert shows(pilot, "formatter/indent")

    on_log(tmp_path, scenario)


def _counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[int]:
    calls: list[int] = []
    really = getattr(owner, name)

    def counting(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        return really(*arguments, **named)

    monkeypatch.setattr(owner, name, counting)
    return calls


def test_rows_that_have_not_been_read_are_dots_and_are_read(tmp_path: Path) -> None:
    """The window moves with what is in sight."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(5_000)))

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "home")
        await told(pilot, "formatter/indent")
        assert not shows(pilot, "···")
        await press(pilot, *["pagedown"] * 12)
        assert not shows(pilot, "···")

    on_log(tmp_path, scenario)


# Actions on a record


def test_enter_unfolds_the_record_as_it_stands_and_escape_comes_back_to_it(tmp_path: Path) -> None:
    """TUI-5: the raw record on Enter."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "up", "enter")
        assert shows(pilot, '"key": "api/spec"')
        assert shows(pilot, "audit.jsonl, line 3")
        await press(pilot, "escape")
        assert isinstance(app_of(pilot).screen, AuditScreen)
        assert key_under_cursor(pilot) == "api/spec"

    on_log(tmp_path, scenario)


def test_why_tells_the_life_of_the_records_key(tmp_path: Path) -> None:
    """TUI-4, REC-1."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "w")
        await told(pilot, "written by fetch as CACHE")
        await press(pilot, "c")
        assert app_of(pilot).clipboard == "rotifer agent memory why main --key=http/etag/1"

    on_log(tmp_path, scenario)


def test_a_key_and_the_command_line_are_copied(tmp_path: Path) -> None:
    """TUI-8."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "y")
        assert app_of(pilot).clipboard == "http/etag/1"
        await press(pilot, "slash", *"action:updated", "enter", "c")
        assert app_of(pilot).clipboard == "rotifer audit tail --action=memory_update"

    on_log(tmp_path, scenario)


def test_an_eviction_tells_what_it_made_room_for(tmp_path: Path) -> None:
    """QUO-4: the lines of one transaction stand together."""
    make_store(tmp_path)
    append(
        audit_log(tmp_path),
        [
            line(10, "memory_evict", "old/1", txn=10),
            line(11, "memory_evict", "old/2", txn=10),
            line(12, "memory_write", "new/entry", txn=10),
            line(13, "memory_evict", "old/3", txn=13),
            line(14, "memory_write", "another/entry", txn=14),
        ],
    )

    async def scenario(pilot: Dashboard) -> None:
        rows = {key: screen_text(pilot)[row_of(pilot, key)] for key in ("old/1", "old/2", "old/3")}
        assert "to make room for new/entry" in rows["old/1"]
        assert "to make room for new/entry" in rows["old/2"]
        assert "to make room" in rows["old/3"]
        assert "another" not in rows["old/3"]

    on_log(tmp_path, scenario)
