"""What was chosen, marked and narrowed is as it was once a dialog has been left (TUI-6, TUI-7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.driving import app_of, dashboard, drive, press, shows, until
from rotifer_store import Gene, open_store

OURS = Gene("v2:" + "a" * 64, "formatter", name="ours", version="1.0.0")
LOG = Path(".rotifer", "audit.jsonl")


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize(
    "opens", ["d", "D", "e", "n", "i", "x", "exclamation_mark", "question_mark", "colon"]
)
def test_escape_leaves_a_dialog_and_nothing_else(tmp_path: Path, opens: str, size: tuple[int, int]) -> None:
    """TUI-7: marks, the filter and the open entry stay."""
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        agent = store.create_agent("main", genes=[OURS])
        for number in range(4):
            store.gene_memory(agent, OURS).write_memory(f"page/{number}", b"", "CACHE")
    with (tmp_path / LOG).open("a") as log:
        log.write("no record\n")

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            app = app_of(pilot)
            await press(pilot, "slash", *"cat:cache", "enter", "space", "j", "space", "enter")
            before = app.screen
            chosen = set(app.main.entries.marks), app.wanted, app.main.focused
            assert len(chosen[0]) == 2
            await press(pilot, opens)
            assert app.screen is not before
            await until(pilot, lambda: getattr(app.screen, "is_listening", True), "a dialog that listens")
            await press(pilot, "escape")
            assert app.screen is before
            assert (set(app.main.entries.marks), app.wanted, app.main.focused) == chosen
            assert shows(pilot, "page/")

    drive(scenario)
