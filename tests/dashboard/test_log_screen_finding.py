"""A log narrowed and searched on its screen (TUI-5, TUI-6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboard.driving import Dashboard, app_of, press, settled, shows
from dashboard.log_lines import GENE, OTHER, append, audit_log, line, make_store
from dashboard.test_log_screen import key_under_cursor, on_log, row_of, status, the_log, told
from rotifer_console.cli.app import app
from rotifer_console.dashboard.bars import KeyBar
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_store import RotiferStoreError, open_store

GENES = [GENE.id, OTHER.id]


def _mixed(project: Path, count: int) -> None:
    """Lines of which every tenth is an eviction, by two genes in turn."""
    make_store(project)
    append(
        audit_log(project),
        (
            line(number, "memory_evict" if number % 10 == 0 else "memory_write", gene_id=GENES[number % 2])
            for number in range(1, count + 1)
        ),
    )


@pytest.mark.parametrize(
    ("typed", "matches"),
    [
        ("action:evicted", 20),
        ("action:memory_evict", 20),
        ("action:evi", 20),
        ("gene:fetch", 101),
        (f"gene:{GENE.id}", 102),
        ("key:key/000007", 1),
        ("action:evicted key:key/000010", 1),
        ("agent:main", 4),
        ("KEY/00001", 10),
        ("action:evicted 00015", 1),
        ("evicted", 20),
        ("evict", 20),
        ("WRITTEN", 183),
        ("action:evicted evicted", 20),
        ("action:evicted written", 0),
    ],
)
def test_a_filter_shows_the_lines_that_match_and_says_how_many(
    tmp_path: Path, typed: str, matches: int
) -> None:
    """The words of the rows, and the names in the log."""
    _mixed(tmp_path, 200)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *typed, "enter")
        found = "1 match" if matches == 1 else f"{matches} matches"
        assert f"{found} of 204 lines" in status(pilot)
        assert the_log(pilot).rows == matches

    on_log(tmp_path, scenario)


def test_a_word_for_an_action_finds_texts_too_and_both_doors_find_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-5, TUI-8: what a row shows is found, and what a key holds."""
    make_store(tmp_path)
    append(audit_log(tmp_path), [line(1, key="expired/x"), line(2, "memory_expire"), line(3)])
    with open_store(tmp_path) as store, pytest.raises(RotiferStoreError):
        store.gene_memory("main", OTHER).read_memory("formatter/indent")
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        for typed, keys in (("expired", ["expired/x", "key/000002"]), ("refused", ["formatter/indent"])):
            await press(pilot, "slash", *typed, "enter")
            assert the_log(pilot).rows == len(keys)
            line_shown = app_of(pilot).screen.query_one(KeyBar).command
            assert line_shown is not None
            for more in ((), ("-n", "9")):
                outcome = CliRunner().invoke(app, [*line_shown.words, *more, "--json"])
                assert [record["key"] for record in json.loads(outcome.stdout)] == keys
            await press(pilot, "escape")

    on_log(tmp_path, scenario)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("action:nothing", "action: none is called nothing"),
        ("action:e", "action: e begins evicted and expired"),
        ("agent:nobody", "agent: none is called nobody"),
        ("key:", "key: needs something after it"),
    ],
)
def test_a_filter_that_means_nothing_says_so_and_the_last_good_one_stays(
    tmp_path: Path, typed: str, said: str
) -> None:
    """TUI-6."""
    _mixed(tmp_path, 50)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"action:evicted")
        assert "5 matches" in status(pilot)
        field = app_of(pilot).screen.query_one("#filter", Field)
        field.value = f"action:evicted {typed}"
        await settled(pilot)
        assert shows(pilot, said)
        assert "5 matches" in status(pilot)
        field.value = "action:written"
        await settled(pilot)
        assert not shows(pilot, said)

    on_log(tmp_path, scenario)


def test_new_lines_that_match_come_in_and_others_do_not(tmp_path: Path) -> None:
    """The filter goes on while the log grows."""
    _mixed(tmp_path, 50)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"action:evicted", "enter")
        append(audit_log(tmp_path), [line(900), line(901, "memory_evict"), line(902)])
        await told(pilot, "key/000901")
        assert not shows(pilot, "key/000902")
        assert key_under_cursor(pilot) == "key/000901"
        assert "6 matches of 57 lines" in status(pilot)

    on_log(tmp_path, scenario)


def test_a_paused_screen_keeps_its_line_when_it_is_narrowed_and_when_matches_come(tmp_path: Path) -> None:
    """Anchors 43."""
    _mixed(tmp_path, 300)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, *["pageup"] * 3)
        while key_under_cursor(pilot) is None or not (key_under_cursor(pilot) or "").endswith("0"):
            await press(pilot, "up")
        key = key_under_cursor(pilot)
        await press(pilot, "slash", *"action:evicted", "enter")
        assert key_under_cursor(pilot) == key
        row = row_of(pilot, key or "")
        append(audit_log(tmp_path), (line(number, "memory_evict") for number in range(900, 960)))
        await told(pilot, "60 new")
        assert (key_under_cursor(pilot), row_of(pilot, key or "")) == (key, row)
        await press(pilot, "escape")
        assert key_under_cursor(pilot) == key
        assert "paused" in status(pilot)

    on_log(tmp_path, scenario)


def test_the_box_opens_again_with_what_was_typed_last(tmp_path: Path) -> None:
    """Anchors 43; escape takes the filter away, then leaves the screen."""
    _mixed(tmp_path, 50)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"action:evicted", "enter", "slash")
        assert app_of(pilot).screen.query_one("#filter", Field).value == "action:evicted"
        await press(pilot, "enter", "escape")
        assert "54 lines" in status(pilot)
        await press(pilot, "escape")
        assert app_of(pilot).screen is app_of(pilot).main

    on_log(tmp_path, scenario)


def test_a_filter_that_nothing_matches_says_so(tmp_path: Path) -> None:
    """An empty place says why it is empty; the first line that matches fills it."""
    _mixed(tmp_path, 50)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"nothing of the kind", "enter")
        assert shows(pilot, "no line matches")
        await press(pilot, "f")
        assert app_of(pilot).screen.query_one("#filter", Field).value == "nothing of the kind"
        append(audit_log(tmp_path), [line(900, key="nothing of the kind")])
        await told(pilot, "1 match of 55 lines")
        await press(pilot, "enter")
        assert shows(pilot, '"key": "nothing of the kind"')

    on_log(tmp_path, scenario)


def test_a_filter_outlives_a_log_that_is_cut(tmp_path: Path) -> None:
    """What matched and has gone is not shown any more."""
    _mixed(tmp_path, 50)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"action:evicted", "enter")
        audit_log(tmp_path).write_bytes(line(1) + b"\n" + line(2, "memory_evict") + b"\n")
        await told(pilot, "1 match of 2 lines")
        assert key_under_cursor(pilot) == "key/000002"
        assert not shows(pilot, "key/000050")

    on_log(tmp_path, scenario)


def test_a_long_log_is_looked_through_in_slices_and_the_newest_matches_come_first(tmp_path: Path) -> None:
    """Matches at both ends of 60 000 lines are found; the screen follows the newest."""
    make_store(tmp_path)
    append(audit_log(tmp_path), [line(1, key="needle/old")])
    append(audit_log(tmp_path), map(line, range(60_000)))
    append(audit_log(tmp_path), [line(2, key="needle/new")])

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"needle", "enter")
        await told(pilot, "2 matches of 60 006 lines")
        assert key_under_cursor(pilot) == "needle/new"
        assert shows(pilot, "needle/old")

    on_log(tmp_path, scenario)


def test_events_of_telemetry_are_narrowed_by_gene_and_action(tmp_path: Path) -> None:
    """They hold no keys, which the box says."""
    make_store(tmp_path)
    with open_store(tmp_path) as store:
        for gene, key in ((OTHER, "formatter/indent"), (GENE, "http/etag/1")):
            with pytest.raises(RotiferStoreError):
                store.gene_memory("main", gene).read_memory(key)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"action:refused gene:indent")
        assert "1 match of 2 lines" in status(pilot)
        await press(pilot, *" key:x")
        assert shows(pilot, "events of telemetry hold no key")

    on_log(tmp_path, scenario, key="t")


# Searching


def _needles(project: Path) -> None:
    make_store(project)
    append(
        audit_log(project),
        (line(number, key=f"needle/{number}" if number % 100 == 50 else None) for number in range(300)),
    )


def test_a_search_goes_to_the_nearest_older_line_and_n_goes_on(tmp_path: Path) -> None:
    """n and N go on, and around the log's end with a word."""
    _needles(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "s", *"needle", "enter")
        assert key_under_cursor(pilot) == "needle/250"
        assert "paused" in status(pilot)
        await press(pilot, "n")
        assert key_under_cursor(pilot) == "needle/150"
        await press(pilot, "N")
        assert key_under_cursor(pilot) == "needle/250"
        await press(pilot, "N")
        assert key_under_cursor(pilot) == "needle/50"
        assert shows(pilot, "went on from the oldest line")
        await press(pilot, "n")
        assert key_under_cursor(pilot) == "needle/250"
        assert shows(pilot, "went on from the newest line")

    on_log(tmp_path, scenario)


def test_a_search_that_finds_nothing_says_so_and_the_cursor_stays(tmp_path: Path) -> None:
    """It has been around the whole log."""
    _needles(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "up", "up")
        key = key_under_cursor(pilot)
        await press(pilot, "s", *"haystack", "enter")
        assert shows(pilot, "no line holds haystack")
        assert key_under_cursor(pilot) == key

    on_log(tmp_path, scenario)


def test_the_only_match_is_found_again_by_going_around(tmp_path: Path) -> None:
    """A search from the match itself comes back to it."""
    make_store(tmp_path)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "s", *"api/spec", "enter")
        assert key_under_cursor(pilot) == "api/spec"
        for key in ("n", "N"):
            await press(pilot, key)
            assert key_under_cursor(pilot) == "api/spec"

    on_log(tmp_path, scenario)


def test_a_search_keeps_to_the_lines_that_are_shown(tmp_path: Path) -> None:
    """A filter holds for the search too."""
    _mixed(tmp_path, 200)

    async def scenario(pilot: Dashboard) -> None:
        await press(pilot, "slash", *"action:evicted", "enter", "s", *"key/0001", "enter")
        assert key_under_cursor(pilot) == "key/000190"
        await press(pilot, "n")
        assert key_under_cursor(pilot) == "key/000180"

    on_log(tmp_path, scenario)


def test_escape_ends_a_search_that_is_on_its_way(tmp_path: Path) -> None:
    """A text that is nowhere in a long log."""
    make_store(tmp_path)
    append(audit_log(tmp_path), map(line, range(100_000)))

    async def scenario(pilot: Dashboard) -> None:
        await pilot.press("s", *"nowhere", "enter", "escape")
        await settled(pilot)
        screen = app_of(pilot).screen
        assert isinstance(screen, PlaceScreen)
        assert "searching" not in status(pilot)

    on_log(tmp_path, scenario)
