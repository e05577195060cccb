"""The first screen on a real store (TUI-1, TUI-6)."""

from __future__ import annotations

from pathlib import Path

from dashboard.driving import dashboard, drive, press, screen_text, shows
from rotifer_store import Gene, open_store

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
