"""Exporting and importing from the dashboard (TUI-7, AGT-6; complaint 55)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dashboard.dialogs import (
    box_shows,
    command,
    dialog_in,
    is_open,
    keys_of,
    locked,
    make_project,
    open_dialog,
    said,
    type_text,
)
from dashboard.driving import app_of, dashboard, drive, press, settled, shows, until
from rotifer_console.dashboard import dialog as dialog_module
from rotifer_store import open_store


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_project(tmp_path, ("a", "CACHE"), ("b", "CONTEXT"), ("p/q", "PREFERENCE"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _exported_keys(path: Path, project: Path) -> set[str]:
    other = project / "copy"
    other.mkdir()
    with open_store(other) as store:
        agent = store.import_agent(path)
        return {entry.key for entry in store.browse_memory(agent).rows}


@pytest.mark.parametrize(
    ("keys", "name", "exported"),
    [
        ([], "main.jsonl", {"b", "p/q"}),
        (["space"], "p-q.jsonl", {"p/q"}),
        (["space", "space"], "main-entries.jsonl", {"b", "p/q"}),
        (["end", "space"], "a.jsonl", {"a"}),
    ],
    ids=["all", "one", "several", "a CACHE entry by mark"],
)
@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
def test_the_marked_entries_or_all_go_into_a_new_file(
    project: Path, keys: list[str], name: str, exported: set[str], size: tuple[int, int]
) -> None:
    """AGT-6, TUI-8: for its owner alone, and the command line is the one that does the same."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            await press(pilot, *keys)
            await open_dialog(pilot, "x")
            assert box_shows(pilot, name)
            await press(pilot, "enter")
            assert not is_open(pilot)
            entries = "1 entry" if len(exported) == 1 else f"{len(exported)} entries"
            assert said(pilot) == f"{entries} exported into {name}"
            assert command(pilot)[:5] == ("agent", "memory", "export", "main", name)
        assert stat.S_IMODE((project / name).stat().st_mode) == 0o600
        assert _exported_keys(project / name, project) == exported

    drive(scenario)


def test_cache_comes_too_where_it_is_ticked(project: Path) -> None:
    """AGT-6."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await open_dialog(pilot, "x")
            await press(pilot, "tab", "space", "tab", "tab", "enter")
            assert command(pilot)[-1] == "--include-cache"
        assert _exported_keys(project / "main.jsonl", project) == {"a", "b", "p/q"}

    drive(scenario)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("taken.jsonl", "there is a file taken.jsonl already"),
        ("nowhere/x.jsonl", "there is no folder nowhere"),
        ("-", "it is no file's name"),
        ("", "it is no file's name"),
    ],
)
def test_a_name_that_cannot_be_taken_is_refused_and_another_can_be_typed(
    project: Path, name: str, refusal: str
) -> None:
    """AGT-6: nothing is overwritten."""
    (project / "taken.jsonl").write_text("another's")

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await open_dialog(pilot, "x")
            await press(pilot, "ctrl+u")
            await type_text(pilot, name)
            await press(pilot, "enter")
            assert is_open(pilot)
            assert box_shows(pilot, refusal)
            await press(pilot, "ctrl+u")
            await type_text(pilot, "-free.jsonl")
            await press(pilot, "enter")
            assert not is_open(pilot)
            assert command(pilot)[-1] == "./-free.jsonl"
        assert (project / "taken.jsonl").read_text() == "another's"
        assert (project / "-free.jsonl").exists()

    drive(scenario)


def test_what_was_exported_comes_back(project: Path) -> None:
    """AGT-6."""
    with open_store(project) as store:
        store.export_memory("main", project / "kept.jsonl")
        store.delete_memory("main", keys=["b", "p/q"])

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await open_dialog(pilot, "i")
            await type_text(pilot, "kept.jsonl")
            await press(pilot, "enter")
            assert said(pilot) == "2 entries imported from kept.jsonl"
            assert command(pilot) == ("agent", "memory", "import", "main", "kept.jsonl")
            assert shows(pilot, "p/q")
        assert keys_of(project) == {"a", "b", "p/q"}

    drive(scenario)


def test_the_librarys_refusal_says_its_code_and_what_to_do(project: Path) -> None:
    """AGT-6: another agent's private entries come only where that is ticked."""
    other = project / "other"
    other.mkdir()
    make_project(other, ("theirs", "CONTEXT"))
    with open_store(other) as store:
        store.export_memory("main", project / "theirs.jsonl")

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            dialog = await open_dialog(pilot, "i")
            await type_text(pilot, "theirs.jsonl")
            await press(pilot, "enter")
            assert box_shows(pilot, "MEMORY_ACCESS_DENIED")
            assert box_shows(pilot, "tick the line above")
            assert "theirs" not in keys_of(project)
            await pilot.click(dialog.query_one("#tick"))
            await pilot.click(dialog.query_one("#do"))
            await settled(pilot)
            assert not is_open(pilot)
            assert command(pilot)[-1] == "--copy-private"
        assert "theirs" in keys_of(project)

    drive(scenario)


@pytest.mark.parametrize("name", ["gone.jsonl", "pipe", "garbage.jsonl", ".", "main.jsonl/x"])
def test_what_is_no_export_is_refused_in_the_dialog(project: Path, name: str) -> None:
    """AGT-6: a pipe, which never ends, is not read at all."""
    os.mkfifo(project / "pipe")
    (project / "garbage.jsonl").write_bytes(b"\xff{}\n" * 10)

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await open_dialog(pilot, "i")
            await type_text(pilot, name)
            await press(pilot, "enter")
            assert is_open(pilot)
            assert box_shows(pilot, "!")
            await press(pilot, "escape")
            assert not is_open(pilot)
        assert keys_of(project) == {"a", "b", "p/q"}

    drive(scenario)


def test_leaving_during_an_import_finishes_it_first(project: Path) -> None:
    """TUI-7: complaint 55."""
    with open_store(project) as store:
        store.export_memory("main", project / "kept.jsonl")
        store.delete_memory("main", keys=["b", "p/q"])

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            with locked(project):
                await open_dialog(pilot, "i")
                for key in ["k", "e", "p", "t", "full_stop", "j", "s", "o", "n", "l"]:
                    await pilot.press(key)
                await pilot.press("enter")
                await until(pilot, lambda: box_shows(pilot, "working; esc closes this"), "a word of progress")
                await pilot.press("escape")
                await pilot.press("q")
                await until(pilot, lambda: said(pilot).startswith("finishing first: importing into main"))
            await until(pilot, lambda: app_of(pilot)._exit, "the program's end")
        assert keys_of(project) == {"a", "b", "p/q"}

    drive(scenario)


def test_what_is_typed_before_the_dialog_listens_is_no_name(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-7: complaint 50."""
    monkeypatch.setattr(dialog_module, "QUIET_S", 60.0)

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await pilot.press("x", "y", "z", "enter")
            await settled(pilot)
            assert is_open(pilot)
            assert box_shows(pilot, "main.jsonl")
            assert not dialog_in(pilot).is_listening
        assert not list(project.glob("*.jsonl"))

    drive(scenario)
