"""The one road from data to a terminal, and JSON that keeps the true text."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.view.safe_text import ascii_text, clipped, json_text, safe_text

HOSTILE = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text())
KEYS = {
    case["name"]: case["key"]
    if isinstance(case["key"], str)
    else case["key"]["repeat"] * case["key"]["count"]
    for case in HOSTILE["keys"]
}
any_text = st.text(st.characters())  # lone surrogates too


def steers(text: str) -> bool:
    return any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dates/style", "dates/style"),
        ("[bold]x[/]", "[bold]x[/]"),
        ("a\tb\r\n", "a␉b␍␊"),
        ("\x1b[2J", "␛[2J"),
        ("\x7f", "␡"),
        ("\x9b31m", "<U+009B>31m"),
        ("user\u202egpj.exe", "user<U+202E>gpj.exe"),
        ("a\u2028b\u2029", "a<U+2028>b<U+2029>"),
        ("in\u200bdent\ufeff\xad", "in<U+200B>dent<U+FEFF><U+00AD>"),
        ("\ud800", "<U+D800>"),
        ("\U000e0041", "<U+E0041>"),
        ("\u3164", "<U+3164>"),
        ("\ufe0fq", "<U+FE0F>q"),
        ("q\ufe0f", "q<U+FE0F>"),
        ("☺\ufe0f\ufe01", "☺\ufe0f<U+FE01>"),
        ("\u200b\ufe0f", "<U+200B><U+FE0F>"),
        ("葛\U000e0100", "葛<U+E0100>"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("café مفتاح 键 😀", "café مفتاح 键 😀"),
        ("a\u0301", "a\u0301"),
        ("", ""),
    ],
)
def test_what_steers_or_hides_is_marked_and_the_rest_stays(text: str, shown: str) -> None:
    """CLI-4."""
    assert safe_text(text) == shown


@pytest.mark.parametrize("name", KEYS)
def test_every_hostile_key_is_shown_without_a_character_that_steers(name: str) -> None:
    """CLI-4."""
    assert not steers(safe_text(KEYS[name]))


@given(any_text)
def test_safe_text_steers_nothing_is_one_line_and_stays_as_it_is(text: str) -> None:
    """CLI-4."""
    shown = safe_text(text)
    assert not steers(shown)
    assert len(shown.splitlines()) <= 1
    assert safe_text(shown) == shown


@given(any_text)
def test_ascii_text_can_be_printed_anywhere(text: str) -> None:
    """CLI-3."""
    shown = ascii_text(safe_text(text))
    assert shown.isascii()
    assert not steers(shown)


@given(any_text, st.booleans())
def test_json_keeps_the_true_text_and_steers_nothing(text: str, ascii_only: bool) -> None:
    """CLI-4: `--json` keeps the true key."""
    printed = json_text({text: [text]}, ascii_only=ascii_only)
    assert json.loads(printed) == {text: [text]}
    assert not steers(printed.replace("\n", ""))
    assert printed.isascii() or not ascii_only


def test_json_leaves_other_scripts_readable() -> None:
    assert json_text("键 é 😀") == '"键 é 😀"'


@given(st.text(st.characters(), max_size=30), st.integers(3, 30))
def test_what_is_cut_is_the_beginning_of_what_would_be_shown(text: str, characters: int) -> None:
    """CLI-4."""
    shown = safe_text(text)
    cut = shown if len(shown) <= characters else f"{shown[: characters - 3]}..."
    assert clipped(text, characters) == cut


def test_what_is_not_shown_costs_nothing() -> None:
    """HST-4: a gene's key, told of by a trace, may be megabytes of what steers a terminal."""
    began_s = time.thread_time()
    for _ in range(10):
        assert len(clipped("\x1b" * 8_000_000)) == 200
    assert time.thread_time() - began_s < 1


@pytest.mark.parametrize(("length", "shown"), [(200, "a" * 200), (201, "a" * 197 + "...")])
def test_a_quoted_argument_is_cut(length: int, shown: str) -> None:
    assert clipped("a" * length) == shown
