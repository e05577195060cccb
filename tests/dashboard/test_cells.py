"""Text cut into cells: nothing steers, nothing shifts the frame (CLI-4, TUI-1)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rotifer_console.dashboard.cells import cell_text, fit, width_of, wrapped

SINGLE_LINE = st.text()


@given(SINGLE_LINE, st.integers(0, 40))
def test_a_fitted_text_takes_exactly_its_width(text: str, width: int) -> None:
    """The frame beside it stays where it is, and Textual counts the same."""
    fitted = fit(text, width)
    assert width_of(fitted) == width
    assert cell_len(fitted) == width


@given(SINGLE_LINE)
def test_a_shown_text_holds_nothing_that_steers_joins_or_hides(text: str) -> None:
    """CLI-4; made safe again it stays as it is."""
    shown = cell_text(text)
    assert not any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Cn") for each in shown)
    assert not any("\ufe00" <= each <= "\ufe0f" or each == "\u20e3" for each in shown)
    assert cell_text(shown) == shown


@given(SINGLE_LINE, st.integers(2, 30))
def test_wrapping_loses_no_character(text: str, width: int) -> None:
    """At any width; each line fits."""
    lines = wrapped(text, width)
    assert "".join(lines) == cell_text(text)
    assert all(width_of(line) <= width for line in lines)


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=12), st.integers(6, 11))
def test_a_cut_text_keeps_its_beginning_and_its_end(text: str, width: int) -> None:
    """Keys differ in either."""
    cut = fit(text, width)
    head, tail = cut.split("…", 1) if "…" not in text else (cut[:2], cut[-2:])
    assert text.startswith(head)
    assert text.endswith(tail)
    assert head
    assert tail


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a␛[31mb"),
        ("line\nfeed\ttab\r", "line␊feed␉tab␍"),
        ("\u202egpj.exe", "<U+202E>gpj.exe"),
        ("\u200d", "<U+200D>"),
        ("\ufe0fstart", "<U+FE0F>start"),
        ("\U0001f1e9\U0001f1ea", "<U+1F1E9><U+1F1EA>"),
        ("\U0001f44d\U0001f3fd", "\U0001f44d<U+1F3FD>"),
        ("1\ufe0f\u20e3", "1<U+FE0F><U+20E3>"),
        ("[/items] [red]x", "[/items] [red]x"),
        ("文書", "文書"),
        ("é", "é"),
        ("\ue000", "<U+E000>"),
    ],
)
def test_known_troublemakers_are_shown_as_marks(text: str, shown: str) -> None:
    """Other people's bugs: joiners first or last, selectors, flags, bidi, markup."""
    assert cell_text(text) == shown


def test_a_text_of_megabytes_is_cut_before_it_is_looked_at() -> None:
    """A log line may be of any length: only its ends are read."""
    text = "a" * 5_000_000 + "z"
    assert fit(text, 11) == "aaaaaaa…aaz"
