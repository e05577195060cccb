"""What may be handed to the terminal's clipboard, and what is said of it (TUI-8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.dialogs import make_project, said
from dashboard.driving import app_of, dashboard, drive, type_keys
from rotifer_console.dashboard.clipboard import refusal

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
    assert refusal(text) == f"{size} is more than terminals take; nothing was sent"


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
    assert refusal(text) == "it holds hidden or control characters; nothing was sent"


@pytest.mark.parametrize(
    ("key", "sent", "told"),
    [
        ("dates/[style]", "dates/[style]", "the key was sent to the terminal's clipboard"),
        ("two\nlines", "", "it holds hidden or control characters; nothing was sent"),
        ("k" * 1024, "k" * 1024, "the key was sent to the terminal's clipboard"),
    ],
    ids=["plain", "two lines", "the longest key"],
)
def test_a_key_is_sent_as_it_is_or_not_at_all_and_which_is_said(
    tmp_path: Path, key: str, sent: str, told: str
) -> None:
    """TUI-8: what is sent is the key itself, never its marks; nobody says that it was copied."""
    make_project(tmp_path, (key, "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, "y")
            assert app_of(pilot).clipboard == sent
            assert said(pilot) == told

    drive(scenario)


def test_where_there_is_nothing_to_copy_that_is_said(tmp_path: Path) -> None:
    """TUI-8: an empty memory."""
    make_project(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await type_keys(pilot, "y")
            assert app_of(pilot).clipboard == ""
            assert said(pilot) == "there is no key to copy"

    drive(scenario)
