"""The box that is typed into (TUI-6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from dashboard.driving import Dashboard, app_of, dashboard, drive, press, settled
from rotifer_console.dashboard.field import Field
from rotifer_store import open_store


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
