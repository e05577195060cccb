"""Keys out of what a terminal sends: a paste is text to its end, and Ctrl-C is a key everywhere (CLI-2)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, Paste
from textual.message import Message

from rotifer_console.dashboard.key_reader import MOST_CHARACTERS, KeyReader

BEGIN, END = "\x1b[200~", "\x1b[201~"


def read(chunks: Iterable[str]) -> list[str]:
    """What comes of the chunks: the names of keys, and `text:` before what was pasted."""
    reader = KeyReader()
    return [_told(event) for chunk in chunks for event in reader.feed(chunk)]


def _told(event: Message) -> str:
    if isinstance(event, Paste):
        return f"text:{event.text}"
    assert isinstance(event, Key)
    return event.key


def cut(text: str, places: Iterable[int]) -> list[str]:
    """The text in pieces, cut at the places."""
    ends = sorted({place % len(text) for place in places} - {0})
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (f"q{BEGIN}dq\r{END}q", ["q", "text:dq\r", "q"]),
        (f"{BEGIN}{END}", ["text:"]),
        (f"{BEGIN}a{END}{BEGIN}b{END}", ["text:a", "text:b"]),
        (f"{BEGIN}a{BEGIN}b{END}", [f"text:a{BEGIN}b"]),
        (f"{BEGIN}a\x00b{END}", ["text:ab"]),
        (f"\x1b{BEGIN}a{END}", ["escape", "text:a"]),
        (f"{END}q", ["q"]),
        ("\x1b[A\x1b[1;5B", ["up", "ctrl+down"]),
        # Textual makes keys of what follows an escape in a paste
        (f"{BEGIN}\x1bd\x1b\x1b[Bq \x1b[<0;3;3M{END}", ["text:\x1bd\x1b\x1b[Bq \x1b[<0;3;3M"]),
        (f"{BEGIN}\x1b" + "d" * 40 + END, ["text:\x1b" + "d" * 40]),
        # Ctrl-C
        ("\x03", ["ctrl+c"]),
        ("a\x03b\x03", ["a", "ctrl+c", "b", "ctrl+c"]),
        (f"{BEGIN}ab\x03q", ["text:ab", "ctrl+c", "q"]),
        (f"{BEGIN}ab\x1b[99;5uq", ["text:ab", "ctrl+c", "q"]),
        ("\x1b\x03", ["escape", "ctrl+c"]),
        ("\x1b[<35;1\x03q", ["left_square_bracket", *"<35;1", "ctrl+c", "q"]),
    ],
    ids=repr,
)
@given(places=st.lists(st.integers(0, 1000), max_size=6))
def test_what_is_sent_means_the_same_however_it_comes(sent: str, told: list[str], places: list[int]) -> None:
    """CLI-2, TUI-7: whole, or cut anywhere; nothing that was pasted is a key."""
    names = {"<": "less_than_sign", ";": "semicolon"}
    assert read(cut(sent, places)) == [names.get(each, each) for each in told]


def test_a_paste_takes_no_more_memory_than_any_box_needs() -> None:
    """TUI-12: and none of the rest is a key."""
    *keys, last = read([BEGIN, *["dq" * 5000] * 100, END + "q"])
    assert keys == ["text:" + ("dq" * 1_000_000)[:MOST_CHARACTERS]]
    assert last == "q"
