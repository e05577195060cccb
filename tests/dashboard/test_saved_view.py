"""How the screen was left, as a text and back (TUI-11)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.dashboard import entry_rows, looks, saved_view
from rotifer_console.dashboard.saved_view import SavedView

ORDERS = [column.order for column in entry_rows.columns_for(200)]


@given(
    st.builds(
        SavedView,
        look=st.sampled_from(list(looks.LOOKS)),
        agent=st.none() | st.text(),
        order=st.sampled_from(ORDERS),
        descending=st.booleans(),
    )
)
def test_every_view_that_a_screen_can_be_left_in_comes_back(view: SavedView) -> None:
    """TUI-11: each theme, each column, either way round."""
    assert saved_view.read(saved_view.written(view)) == view


def test_nothing_else_is_kept() -> None:
    """TUI-11: no key, no filter, no mark, no value."""
    assert json.loads(saved_view.written(SavedView())).keys() == {
        "version",
        "look",
        "agent",
        "order",
        "descending",
    }


def test_what_a_text_does_not_say_is_as_it_is_at_the_first_start() -> None:
    """TUI-11: and what it says beyond that is let be."""
    assert saved_view.read('{"version": 1, "agent": "shop", "colour": "red"}') == SavedView(agent="shop")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"version": 1}' + " " * (64 << 10), "it is too long"),
        ("[" * 60_000, "it is no JSON that a dashboard saves"),
        ("{", "it is no JSON that a dashboard saves"),
        ('{"version": 2}', "it is of another version"),
        ('{"version": "1"}', "it is of another version"),
        ('["version", 1]', "it is of another version"),
        ('{"version": 1, "order": "value"}', "it holds what no dashboard saves"),
        ('{"version": 1, "look": 3}', "it holds what no dashboard saves"),
        ('{"version": 1, "descending": null}', "it holds what no dashboard saves"),
    ],
    ids=lambda text: text[:40],
)
def test_a_text_of_another_kind_says_why_it_is_none(text: str, why: str) -> None:
    """TUI-11: the sentence that the notice ends with."""
    with pytest.raises(ValueError, match=f"^{why}$"):
        saved_view.read(text)
