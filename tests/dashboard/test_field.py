"""The box that is typed into (TUI-6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from dashboard.driving import Dashboard, app_of, dashboard, drive, press, settled, shows, until
from rotifer_console.dashboard.chooser import Chooser
from rotifer_console.dashboard.field import Field
from rotifer_store import Gene, open_store

OURS = Gene("v2:" + "a" * 64, "formatter", name="ours", version="1.0.0")


async def type_at_once(pilot: Dashboard, *keys: str) -> None:
    """Keys that come together, as over a slow line: none waits for what the one before does."""
    driver = app_of(pilot)._driver
    assert driver is not None
    for key in keys:
        driver.send_message(events.Key(key, key if len(key) == 1 else None))
    await settled(pilot)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("a", "b", "backspace", "c"), "ac"),
        (("a", "b", "ctrl+u", "c"), "c"),
        (("a", "b", "home", "c"), "cab"),
        (("a", "b", "left", "delete", "c"), "ac"),
        (("a", "b", "home", "ctrl+k", "c"), "c"),
    ],
    ids=" ".join,
)
def test_keys_that_come_together_do_what_they_do_one_by_one(
    tmp_path: Path, keys: tuple[str, ...], text: str
) -> None:
    """TUI-6."""
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        store.create_agent("main")

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "slash")
            await type_at_once(pilot, *keys)
            assert app_of(pilot).main.query_one("#filter", Field).value == text

    drive(scenario)


def test_keys_that_come_together_go_where_the_ones_before_them_lead(tmp_path: Path) -> None:
    """TUI-7: from row to row of a form."""
    (tmp_path / "rotifer.json").write_text("{}")

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "n")
            await until(
                pilot, lambda: getattr(app_of(pilot).screen, "is_listening", False), "a form that listens"
            )
            await type_at_once(pilot, *"abc", "tab", *"tone", "tab", "tab", "ctrl+u", *"2MB", "tab", "7")
            texts = [field.value for field in app_of(pilot).screen.query(Field) if field.display]
            assert [text for text in texts if text] == ["abc", "tone", "2MB", "7"]

    drive(scenario)


def test_keys_that_come_together_do_what_they_do_alone(tmp_path: Path) -> None:
    """TUI-2, TUI-6: a size for the forecast; a filter, then an action of the list."""
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        agent = store.create_agent("main", genes=[OURS])
        for category in ("CACHE", "PREFERENCE"):
            store.gene_memory(agent, OURS).write_memory(f"the/{category.lower()}", b"", category)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_at_once(pilot, "f", "ctrl+u", *"200KB", "enter")
            assert shows(pilot, "a write of 200 KB fits")
            await press(pilot, "escape")
            await type_at_once(pilot, "slash", *"cat:pref", "enter", "d")
            assert shows(pilot, "delete 1 entry")
            assert app_of(pilot).main.query_one("#filter", Field).value == "cat:pref"

    drive(scenario)


@pytest.mark.parametrize("opens", ["slash", "question_mark", "colon", "ctrl+p"])
def test_letters_that_come_with_the_key_of_a_box_are_no_keys_of_the_list(tmp_path: Path, opens: str) -> None:
    """TUI-7: d deletes, p pauses, r reviews, q leaves."""
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        store.create_agent("main")

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            app = app_of(pilot)
            await type_at_once(pilot, opens, *"dprq")
            assert app.is_running
            assert not app.is_paused
            if opens == "slash":
                assert app.main.query_one("#filter", Field).value == "dprq"
            else:
                assert isinstance(app.screen, Chooser)

    drive(scenario)


@pytest.mark.parametrize(
    "keys", [{}, {"filter": ("F",), "help": ("plus", "f1"), "go_to": ("space",)}], ids=str
)
def test_a_key_of_the_list_is_a_letter_in_the_box(tmp_path: Path, keys: dict[str, tuple[str, ...]]) -> None:
    """TUI-6, TUI-11: keys hold slashes; a rebound letter is still one."""
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        store.create_agent("main")

    async def scenario() -> None:
        async with dashboard(tmp_path, keys=keys) as pilot:
            app = app_of(pilot)
            await press(pilot, keys.get("filter", ("slash",))[0])
            await press(pilot, "a", "slash", "question_mark", "colon", "F", "plus", "space", "x")
            assert app.main.query_one("#filter", Field).value == "a/?:F+ x"
            await press(pilot, "ctrl+p")
            assert isinstance(app.screen, Chooser)

    drive(scenario)
