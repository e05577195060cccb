"""What may be handed to the terminal's clipboard, and what is said of it (TUI-8)."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dashboard.dialogs import (
    box_shows,
    dialog_in,
    is_open,
    make_project,
    open_dialog,
    said,
)
from dashboard.driving import app_of, dashboard, drive, press, type_keys
from rotifer_console.dashboard.clipboard import refusal
from rotifer_console.dashboard.field import Field

LIMIT_BYTES = 8 << 10


@pytest.mark.parametrize(
    "text",
    ["", "formatter/indent", "rotifer agent memory delete main --key='a b'", "键 é [/]", "k" * LIMIT_BYTES],
    ids=lambda text: text[:20],
)
def test_a_text_that_hides_nothing_is_sent(text: str) -> None:
    assert refusal(text) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [("k" * (LIMIT_BYTES + 1), "8 KB"), ("é" * (LIMIT_BYTES // 2 + 1), "8 KB"), ("\x1b" * 9000, "8.7 KB")],
    ids=["one byte more", "of two bytes each", "of control characters"],
)
def test_a_text_that_terminals_would_cut_is_not_sent(text: str, size: str) -> None:
    """Bytes count, not characters; the text itself is not repeated."""
    assert refusal(text) == f"{size} is more than terminals take: nothing was sent"


@pytest.mark.parametrize(
    "text",
    [
        "a\nrm -rf",
        "a\r",
        "\x1b]52;c;AAAA\x07",
        "\x9b31m",
        "a\u202eb",
        "\u200dkey",
        "\ufeffkey",
        "\ud800",
        "\x7f",
    ],
    ids=ascii,
)
def test_a_text_that_would_steer_or_deceive_where_it_is_pasted_is_not_sent(text: str) -> None:
    """CLI-4."""
    assert refusal(text) == "it holds hidden or control characters: nothing was sent"


@pytest.mark.parametrize("key", ["dates/[style]", "k" * 1024], ids=["plain", "the longest key"])
def test_a_key_is_sent_as_it_is_and_nobody_says_that_it_was_copied(tmp_path: Path, key: str) -> None:
    """TUI-8."""
    make_project(tmp_path, (key, "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, "y")
            assert app_of(pilot).clipboard == key
            assert said(pilot) == "the key was sent to the terminal's clipboard"

    drive(scenario)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
def test_a_key_that_would_steer_where_it_is_pasted_is_offered_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """TUI-8: what is written is the key itself, never its marks, and for its owner alone."""
    monkeypatch.chdir(tmp_path)
    make_project(tmp_path, ("two\nlines\x1b[2J", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            await open_dialog(pilot, "y")
            assert app_of(pilot).clipboard == ""
            assert box_shows(pilot, "it holds hidden or control characters: nothing was sent")
            await press(pilot, "escape")
            assert not is_open(pilot)
            assert not (tmp_path / "key.txt").exists()
            (tmp_path / "key.txt").write_text("mine")
            await open_dialog(pilot, "y")
            await press(pilot, "enter")
            assert not is_open(pilot)
            assert said(pilot) == "the key was written into key-2.txt"

    drive(scenario)
    assert (tmp_path / "key.txt").read_text() == "mine"
    assert (tmp_path / "key-2.txt").read_bytes() == b"two\nlines\x1b[2J"
    assert stat.S_IMODE((tmp_path / "key-2.txt").stat().st_mode) == 0o600


def test_a_command_line_that_terminals_would_cut_is_offered_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-8: the whole line, so that a shell does from the file what was done; a bad name says why."""
    monkeypatch.chdir(tmp_path)
    keys = [f"{number}/{'k' * 900}" for number in range(10)]
    make_project(tmp_path, *((key, "CACHE") for key in keys))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, *["space"] * 10)
            await open_dialog(pilot, "d")
            dialog_in(pilot).query_one("#word", Field).value = "delete"
            dialog_in(pilot).query_one("#delete").focus()
            await press(pilot, "enter")
            assert "10 entries deleted" in said(pilot)
            await open_dialog(pilot, "c")
            assert box_shows(pilot, "is more than terminals take: nothing was sent")
            dialog_in(pilot).query_one("#file", Field).value = "no/such/folder"
            await press(pilot, "enter")
            assert box_shows(pilot, "there is no folder no/such")
            dialog_in(pilot).query_one("#file", Field).value = "again.sh"
            await press(pilot, "enter")
            assert said(pilot) == "the command line was written into again.sh"

    drive(scenario)
    text = (tmp_path / "again.sh").read_text()
    assert text.startswith("printf '%s\\n' '\"9/kkk")
    assert text.endswith(" | rotifer agent memory delete main --keys-from -\n")
    assert all(key in text for key in keys)


def test_where_there_is_nothing_to_copy_that_is_said(tmp_path: Path) -> None:
    """TUI-8: an empty memory."""
    make_project(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, "y")
            assert app_of(pilot).clipboard == ""
            assert said(pilot) == "there is no entry here"

    drive(scenario)
