"""What a filter leaves is counted where it is seen; one that cannot be read says so, once (TUI-6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.dialogs import make_project, said
from dashboard.driving import app_of, dashboard, drive, screen_text, settled, shows, type_keys


@pytest.fixture
def project(tmp_path: Path) -> Path:
    keys = [*(f"orders/{number}" for number in range(8)), *(f"page/{number}" for number in range(15))]
    make_project(tmp_path, *((key, "CACHE") for key in keys), ("orders/rule", "PREFERENCE"))
    return tmp_path


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)], ids=["80x24", "40x12", "120x36"])
@pytest.mark.parametrize(
    ("keys", "counted"),
    [
        ((), "[All 24]"),
        (("slash", *"orders"), "[All  9 of 24]"),
        (("slash", *"page", "enter"), "[All 15 of 24]"),
        (("slash", *"nothing"), "[All  0 of 24]"),
        (("slash", *"page", "escape"), "[All 24]"),
    ],
    ids=["no filter", "typed", "kept", "none", "cleared"],
)
def test_a_filter_is_counted_in_the_tab_that_it_narrows(
    project: Path, size: tuple[int, int], keys: tuple[str, ...], counted: str
) -> None:
    """As wide whatever it leaves, so that nothing moves while it is typed."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            await type_keys(pilot, *keys)
            assert shows(pilot, counted)

    drive(scenario)


def test_a_filter_within_a_category_is_counted_in_the_categorys_tab(project: Path) -> None:
    """Of its entries, not of all."""

    async def scenario() -> None:
        async with dashboard(project, size=(100, 30)) as pilot:
            await type_keys(pilot, "left_square_bracket", "slash", *"orders")
            assert shows(pilot, "CACHE  8 of 23")
            assert shows(pilot, " All 24 ")

    drive(scenario)


@pytest.mark.parametrize("typed", ["re:[", "expires<1x", "size>x"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
def test_what_cannot_be_read_is_said_once_and_the_list_is_dim_and_named(
    project: Path, typed: str, size: tuple[int, int]
) -> None:
    """The list below is not that of what is typed, and no line says that nothing matches it."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            await type_keys(pilot, "slash", *typed)
            assert "; still listed: " in said(pilot)
            assert not shows(pilot, "no entry matches")
            await type_keys(pilot, *["backspace"] * len(typed), *"page", "space", *"re:[")
            assert said(pilot).endswith("; still listed: page re")
            entries = app_of(pilot).main.entries
            assert {piece.role for row in range(entries.rows) for piece in entries.line(row, 0, 60)} <= {
                "dim"
            }
            await type_keys(pilot, "backspace", "backspace", "backspace", "backspace")
            await settled(pilot)
            assert said(pilot) == ""
            assert shows(pilot, "[All 15 of 24]")
            assert {piece.role for piece in entries.line(0, 0, 60)} > {"dim"}

    drive(scenario)


def test_where_the_last_good_filter_lets_nothing_through_only_the_error_is_said(project: Path) -> None:
    """One message."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await type_keys(pilot, "slash", *"zzz")
            assert shows(pilot, "no entry matches")
            await type_keys(pilot, "space", *"re:[")
            assert not shows(pilot, "no entry matches")
            assert sum("regular expression" in line for line in screen_text(pilot)) == 1

    drive(scenario)
