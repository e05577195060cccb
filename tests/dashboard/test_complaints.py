"""What people complained of in other programs of the terminal, and what happens here instead.

What is proved beside the part that it is about is not here again.
"""

from __future__ import annotations

import ast
import asyncio
import re
import resource
import time
import tracemalloc
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Resize
from textual.geometry import Size

from dashboard.dialogs import INDENT, box_shows, is_open, keys_of, make_project, open_dialog, said, type_text
from dashboard.driving import (
    Dashboard,
    app_of,
    dashboard,
    drive,
    screen_text,
    settled,
    shows,
    type_keys,
    until,
)
from dashboard.log_lines import audit_log, line
from dashboard.test_museum import SCREENS
from rotifer_console import dashboard as product
from rotifer_console.dashboard.bars import KeyBar
from rotifer_console.dashboard.cells import Piece, cell_text, fit, width_of, wrapped
from rotifer_console.dashboard.drawn import strip_of
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.glyphs import ASCII, UNICODE, Glyphs
from rotifer_console.dashboard.log_reading import WINDOW_LINES, LogReading
from rotifer_console.dashboard.looks import LOOKS
from rotifer_store import FixedClock, RetentionPolicy, Store, SystemClock, open_store

FOLDER = Path(product.__file__).parent
MODULES = sorted([*FOLDER.glob("*.py"), *(FOLDER.parent / "view").glob("*.py")])
DAY_S = 86_400
PLACES = {
    "entries": None,
    "audit": "a",
    "telemetry": "t",
    "why": "w",
    "access": "g",
    "review": "r",
    "orphans": "o",
}
"""The key that leads to each full screen."""

# Markup and escapes


@pytest.mark.parametrize(
    "text",
    [
        '{"a":[true,false]}',
        "[type=x, v={'a[0]'}]",
        "[/",
        "[/items] [red]x",
        "[@click=app.quit]x[/]",
        "\\[b]",
        "${x} {0} %s",
    ],
)
def test_what_is_said_names_things_as_they_are(tmp_path: Path, text: str) -> None:
    """Brackets in notices, refusals and the lines below are no markup."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, agent=text) as pilot:
            assert said(pilot) == f"there is no agent {text}"
            assert shows(pilot, f"there is no agent {text}")
            await open_dialog(pilot, "i")
            await type_text(pilot, text)
            await type_keys(pilot, "enter")
            assert box_shows(pilot, f"there is no file {Path(text)}")
            await type_keys(pilot, "escape")
            app_of(pilot).main.hold(text)
            await settled(pilot, 0.02)
            assert shows(pilot, text)

    drive(scenario)


def test_a_notice_of_the_settings_is_shown_as_it_is(tmp_path: Path) -> None:
    """It may quote a file that anybody wrote."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(
            tmp_path, notices=["console.toml: [/] \x1b[31m: there is no such action"]
        ) as pilot:
            assert shows(pilot, "console.toml: [/] ␛[31m: there is no such action")

    drive(scenario)


_RAW = {
    *("Static", "Label", "DataTable", "RichLog", "Log", "Markdown", "Tree", "OptionList", "Digits", "Pretty"),
    *("from_markup", "tooltip", "print", "add_row", "render_str", "escape"),
}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_no_widget_that_reads_markup_is_used(path: Path) -> None:
    """CLI-4: data reaches the screen as pieces, and by no other road."""
    used = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("app.notify", "self.notify")):
            used.add("Markdown")
        if isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual.widgets"):
            used.update(alias.name for alias in node.names)
        elif isinstance(node, ast.keyword) and node.arg is not None:
            used.add(node.arg)
    assert used & _RAW == set()


# Width


@pytest.mark.parametrize(
    "text",
    [
        "\x00start",
        "\ufe0fstart",
        "\u200dstart",
        "end\u200d",
        "end\ufe0f",
        "\u200d",
        "\ufe0f" * 1024,
        "\u0301" * 1024,
        "\u200d\ufe0f" * 512,
        "a\u0301" * 512,
        "\U0001f468\u200d" * 300,
    ],
    ids=ascii,
)
def test_text_of_joiners_and_marks_is_drawn_at_once(text: str) -> None:
    """As key and as value; seen as processor time, which no load of the machine adds to."""
    begun = time.process_time()
    for width in range(60):
        line = (Piece(fit(text, width)), Piece(cell_text(text)))
        strip_of(line, width, LOOKS["dark"].styles)
        wrapped(text, max(2, width))
    assert time.process_time() - begun < 1


def test_a_screen_of_joiners_and_marks_comes_up(tmp_path: Path) -> None:
    """First, last and nothing else; with a value that begins with NUL."""
    keys = ["\ufe0fstart", "\u200dstart", "end\u200d", "\ufe0f", "\u0301", "a\u0301\u0302"]
    make_project(tmp_path)
    with open_store(tmp_path) as store:
        for key in keys:
            store.gene_memory("main", INDENT).write_memory(key, b"\x00\xef\xb8\x8f", "CACHE")

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            for shown in ("<U+FE0F>start", "<U+200D>start", "end<U+200D>", "a\u0301\u0302"):
                assert shows(pilot, shown)
            for _ in keys:
                await type_keys(pilot, "v", "v", "down")

    drive(scenario)


@given(st.text("ab\u0301\u0302\u20d0键\U0001f600", max_size=40), st.integers(1, 20))
def test_no_mark_is_parted_from_its_letter_where_a_text_is_cut(text: str, width: int) -> None:
    """Neither before the ellipsis nor after it."""
    cut = fit(text, width)
    shown = cell_text(text)
    if "…" not in cut:
        return
    head, _, tail = cut.partition("…")
    tail = tail.rstrip(" ")
    assert shown.startswith(head)
    assert shown.endswith(tail)
    assert not head or not unicodedata.combining(shown[len(head)])
    assert not tail or not unicodedata.combining(tail[0])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_our_own_words_and_signs_hold_no_emoji(path: Path) -> None:
    """Terminals disagree about how wide they are. Ranges of characters that are marked are no words."""
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    words = [text for text in texts if isinstance(text, str) and not text.startswith("[\x7f-")]
    found = [each for text in words for each in text if 0x2600 <= ord(each) <= 0x27BF or ord(each) >= 0x1F000]
    assert list(map(ascii, found)) == []


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_sign_takes_one_cell_and_ascii_has_a_set_of_its_own(glyphs: Glyphs) -> None:
    """CLI-3, TUI-11."""
    signs = [
        *(sign for mapping in (glyphs.category, glyphs.bar) for sign in mapping.values()),
        *(
            value
            for name in Glyphs.__slots__
            if isinstance(value := getattr(glyphs, name), str) and name != "border"
        ),
    ]
    assert [sign for sign in signs if width_of(cell_text(sign)) != 1] == []
    assert len(set(glyphs.category.values())) == len(set(glyphs.bar.values())) == 4
    if glyphs is ASCII:
        assert "".join(signs).isascii()


# Time

_ABSOLUTE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?!\d)(.?)")


_TELLING = ("entries", "entry", "delete", "why", "audit", "telemetry", "access", "review", "policy", "help")


@pytest.mark.parametrize("size", [(120, 50), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_time_of_day_names_its_zone(tmp_path: Path, size: tuple[int, int]) -> None:
    """ENT-5: beside it, or above its column, or on its frame."""
    make_project(tmp_path, *((f"k/{number}", "CACHE") for number in range(5)))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            for name in _TELLING:
                for key in SCREENS[name]:
                    await type_keys(pilot, key)
                    lines = screen_text(pilot)
                    for number, line in enumerate(lines):
                        for match in _ABSOLUTE.finditer(line):
                            zoned = match[1] in ("Z", ".")
                            above = any("UTC" in each for each in lines[: number + 1])
                            assert zoned or above, (name, key, line)

    drive(scenario)


def test_no_line_of_the_log_is_without_a_zone_where_there_is_room_for_one(tmp_path: Path) -> None:
    """The strip below the entries has no title where it is a single line: the line says it."""
    make_project(tmp_path, ("k", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(80, 24)) as pilot:
            assert any(re.search(r"last, UTC \d\d:\d\d:\d\d ", line) for line in screen_text(pilot))
        async with dashboard(tmp_path, size=(120, 36)) as pilot:
            assert shows(pilot, "audit · following · time UTC")

    drive(scenario)


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clocks are put forward in March and back in October."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    assert time.localtime(datetime(2026, 7, 1, tzinfo=UTC).timestamp()).tm_isdst == 1
    yield
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize("month_and_day", [(3, 29), (10, 25)], ids=["March", "October"])
def test_a_countdown_loses_a_second_a_second_while_clocks_are_changed(
    tmp_path: Path, month_and_day: tuple[int, int]
) -> None:
    """TUI-3, POL-4: over the switch, and the day that holds it is as long as any other."""
    switch_us = int(datetime(2026, *month_and_day, 1, tzinfo=UTC).timestamp()) * 1_000_000
    clock = FixedClock(switch_us - 2_000_000)
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[INDENT])
        day = RetentionPolicy(1, False, False)
        store.gene_memory("main", INDENT).write_memory("k", b"x", "CACHE", retention_policy=day)

    async def scenario() -> None:
        async with dashboard(tmp_path, clock=clock) as pilot:
            app_of(pilot).is_paused = True
            told = []
            for _ in range(4):
                clock.advance(1)
                app_of(pilot).main.tick()
                await settled(pilot, 0.01)
                (row,) = (line for line in screen_text(pilot) if "○ k " in line)
                told += re.findall(r"23:59:5\d", row)[:1]
            assert told == ["23:59:59", "23:59:58", "23:59:57", "23:59:56"]
            clock.advance(DAY_S - 5)
            app_of(pilot).main.tick()
            await settled(pilot, 0.01)
            assert shows(pilot, "00:00:01 !!")

    drive(scenario)


def test_no_zone_is_ever_looked_up() -> None:
    """No database of zones is needed, and no local day moves anything."""
    local = re.compile(r"\b(zoneinfo|astimezone|fromtimestamp|localtime|mktime|strptime)\b")
    assert [path.name for path in MODULES if local.search(path.read_text())] == []


# What fails


def test_a_change_that_the_store_refuses_is_told_by_its_code_and_nothing_is_lost(tmp_path: Path) -> None:
    """TUI-9, REC-2: the log cannot be written, so nothing is deleted, and the program goes on."""
    make_project(tmp_path, ("one", "CACHE"))
    log = tmp_path / ".rotifer" / "audit.jsonl"

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            log.rename(log.with_name("aside"))
            log.mkdir()
            await pilot.press("y")
            await settled(pilot)
            assert "MEMORY_STORAGE_ERROR" in said(pilot) or box_shows(pilot, "MEMORY_STORAGE_ERROR")
            log.rmdir()
            log.with_name("aside").rename(log)
            await type_keys(pilot, *(["escape"] if is_open(pilot) else []))
            assert keys_of(tmp_path) == {"one"}
            await open_dialog(pilot, "d")
            await pilot.press("y")
            await settled(pilot)
            assert said(pilot).startswith("1 entry deleted, audit line ")

    drive(scenario)


def test_a_full_disk_is_told_by_its_code_and_nothing_is_lost(tmp_path: Path) -> None:
    """TUI-9: no file may grow any more."""
    make_project(tmp_path, *((f"k/{number}", "CACHE") for number in range(40)))
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            try:
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, kept[1]))
                await pilot.press("y")
                await settled(pilot)
                told = "MEMORY_STORAGE_ERROR" in said(pilot) or box_shows(pilot, "MEMORY_STORAGE_ERROR")
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, kept)
            assert told
            await type_keys(pilot, *(["escape"] if is_open(pilot) else []), "down", "up")
            assert len(keys_of(tmp_path)) == 40

    drive(scenario)


def test_thousands_that_expire_at_once_go_with_one_look(tmp_path: Path) -> None:
    """TUI-3, TUI-9: what lasts is there, the cursor on it, and no line is written."""
    clock = FixedClock(SystemClock().now_us())
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[INDENT])
        memory = store.gene_memory("main", INDENT)
        memory.write_memory("lasting", b"x", "CACHE")
        for number in range(2000):
            day = RetentionPolicy(1, False, False)
            memory.write_memory(f"k/{number:04}", b"x", "CACHE", retention_policy=day)
    log = (tmp_path / ".rotifer" / "audit.jsonl").read_bytes()

    async def scenario() -> None:
        async with dashboard(tmp_path, clock=clock) as pilot:
            entries = app_of(pilot).main.entries
            await type_keys(pilot, *["pagedown"] * 3)
            assert shows(pilot, "2001 entries")
            clock.advance(DAY_S)
            await until(pilot, lambda: entries.window.total == 1, "the next look")
            assert entries.under_cursor is not None
            assert entries.under_cursor.key == "lasting"
            assert shows(pilot, "1 entry")

    drive(scenario)
    assert (tmp_path / ".rotifer" / "audit.jsonl").read_bytes() == log


# Logs


def test_a_log_that_grows_by_the_hundred_thousand_is_counted_exactly_and_takes_little_memory(
    tmp_path: Path,
) -> None:
    """TUI-5: a screen that follows reads what it can show, and keeps a place for every so many lines."""
    make_project(tmp_path)
    burst = b"".join(line(number) + b"\n" for number in range(10_000))
    log = audit_log(tmp_path)
    with open_store(tmp_path) as store:
        reading = LogReading(Store.audit_view)
        first = reading.poll(lambda: store, None)
        assert first is not None
        tracemalloc.start()
        try:
            for bursts in range(1, 11):
                with log.open("ab") as grown:
                    grown.write(burst)
                while (seen := reading.poll(lambda: store, None)) is not None:
                    assert len(seen.lines) <= WINDOW_LINES
                    counted = seen.line_count
                assert counted == first.line_count + bursts * 10_000
            assert tracemalloc.get_traced_memory()[0] < 2 << 20
        finally:
            tracemalloc.stop()
            reading.close()


# Terminals of any size


@pytest.mark.parametrize("place", ["entries", "audit", "access"])
def test_a_hundred_changes_of_size_end_in_the_layout_of_the_last(tmp_path: Path, place: str) -> None:
    """TUI-1: the screen is what it is where it was opened at that size."""
    make_project(tmp_path, *((f"k/{number:02}", "CACHE") for number in range(30)))
    clock = FixedClock(SystemClock().now_us())

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(100, 30), clock=clock) as pilot:
            await _go(pilot, place)
            for number in range(50):
                _resize(pilot, 20, 5)
                if number % 10 == 0:
                    await asyncio.sleep(0.02)  # drawn, then and now
                _resize(pilot, 200 - number, 60 - number % 3)
                if number % 10 == 5:
                    await asyncio.sleep(0.02)
            await pilot.resize_terminal(100, 30)
            await settled(pilot)
            resized = screen_text(pilot)
        async with dashboard(tmp_path, size=(100, 30), clock=clock) as pilot:
            await _go(pilot, place)
            assert resized == screen_text(pilot)

    drive(scenario)


def _resize(pilot: Dashboard, width: int, height: int) -> None:
    """What a window that is dragged tells, without a pause for what it does."""
    driver = app_of(pilot)._driver
    assert isinstance(driver, HeadlessDriver)
    driver._size = Size(width, height)
    app_of(pilot).post_message(Resize(Size(width, height), Size(width, height)))


async def _go(pilot: Dashboard, place: str) -> None:
    key = PLACES[place]
    if key is not None:
        await type_keys(pilot, key)
        await until(pilot, lambda: app_of(pilot).screen is not app_of(pilot).main, place)
        await settled(pilot)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_help_and_leaving_are_in_sight_on_every_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    """TUI-1: also in forty columns; below, as many keys as fit, and at most seven in eighty."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            for place in PLACES:
                await _go(pilot, place)
                await type_keys(pilot, "f10")  # the command line of what was done has been seen
                last = screen_text(pilot)[-1]
                assert "? help" in last, place
                assert "q quit" in last or "esc back" in last, place
                if size == (80, 24):
                    assert len(re.findall(r"(?:^| )\S+ [a-z][a-z ]*?  ", last)) <= 7, last
                await type_keys(pilot, "escape")
                assert app_of(pilot).screen is app_of(pilot).main, place

    drive(scenario)


@pytest.mark.parametrize("place", PLACES)
def test_every_screen_is_one_line_below_twenty_by_five_and_comes_back(tmp_path: Path, place: str) -> None:
    """TUI-1: never a wall, never a crash; keys go on working beneath it."""
    make_project(tmp_path, *((f"k/{number:02}", "CACHE") for number in range(30)))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(60, 20)) as pilot:
            await _go(pilot, place)
            before = screen_text(pilot)
            for size in ((19, 5), (20, 4), (19, 30), (100, 4), (5, 1), (1, 1)):
                await pilot.resize_terminal(*size)
                await settled(pilot, 0.01)
                shown = [line for line in screen_text(pilot) if line]
                assert len(shown) == 1, (size, shown)
                assert shown[0] == fit("rotifer: too small", size[0]).rstrip()
            await pilot.resize_terminal(20, 5)
            await settled(pilot, 0.01)
            assert len([line for line in screen_text(pilot) if line]) > 1
            await pilot.resize_terminal(60, 20)
            await settled(pilot)
            assert _still(screen_text(pilot)) == _still(before)

    drive(scenario)


def _still(lines: list[str]) -> list[str]:
    """What does not change with the time."""
    return [re.sub(r"\d\d:\d\d:\d\dZ?|\d+ [smh] ago|just now", "", line).rstrip() for line in lines]


def test_as_many_keys_as_fit_are_shown_and_none_is_cut() -> None:
    """TUI-1: from forty columns on every key that is named is named whole."""
    from rotifer_console.dashboard import actions
    from rotifer_console.dashboard.actions import Place

    for place in Place:
        bar = KeyBar()
        bar.actions = actions.in_key_bar(place, read_only=False)
        for width in range(40, 200):
            (line,) = bar.lines(Size(width, 1))
            named = [piece for piece in line if piece.role in ("key", "dim") and piece.action]
            assert sum(width_of(piece.text) for piece in line) <= width
            assert len(named) % 2 == 0
            assert {"help"} <= {piece.action for piece in named}


# Nothing moves, and the cursor is where the keys go


def test_nothing_moves_by_itself(tmp_path: Path) -> None:
    """No animation, no blinking; a picture is the same whenever it is taken."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            assert app_of(pilot).animation_level == "none"
            await type_keys(pilot, "slash")
            field = app_of(pilot).focused
            assert isinstance(field, Field)
            assert field.cursor_blink is False

    drive(scenario)


def test_the_terminals_cursor_is_in_the_box_that_is_typed_into(tmp_path: Path) -> None:
    """Whoever reads the screen aloud, or composes characters, follows it."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, "slash", "o", "n")
            field = app_of(pilot).main.query_one("#filter")
            at = app_of(pilot).cursor_position
            assert field.region.contains(*at)
            assert at.x == field.content_region.x + field.styles.padding.left + 2

    drive(scenario)
