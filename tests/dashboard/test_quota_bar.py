"""The quota's bar and tabs (TUI-1, TUI-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.dashboard.cells import width_of
from rotifer_console.dashboard.glyphs import ASCII, UNICODE, Glyphs, bar
from rotifer_console.dashboard.quota_bar import quota_line, tabs
from rotifer_store import MemoryCategory, MemoryUsage, Usage

SIZES = st.dictionaries(st.sampled_from(list(MemoryCategory)), st.integers(0, 10**12))


def usage(sizes: dict[MemoryCategory, int], quota_bytes: int) -> MemoryUsage:
    parts = {each: Usage(int(sizes.get(each, 0) > 0), sizes.get(each, 0)) for each in MemoryCategory}
    return MemoryUsage(sum(part.bytes for part in parts.values()), quota_bytes, parts)


@given(SIZES, st.integers(1, 10**12), st.integers(4, 120))
def test_a_bar_fills_its_width_whatever_is_used(
    sizes: dict[MemoryCategory, int], quota_bytes: int, width: int
) -> None:
    """A quota may be below what is used (QUO-3)."""
    filled = bar(sizes, quota_bytes, width, UNICODE)
    assert sum(cells for _, cells in filled) == width
    assert all(cells > 0 for _, cells in filled)


@given(SIZES, st.integers(10**12, 10**13), st.integers(8, 120))
def test_what_is_there_at_all_is_seen(sizes: dict[MemoryCategory, int], quota_bytes: int, width: int) -> None:
    """A few bytes of PREFERENCE in a large quota still have a cell."""
    seen = {name for name, _ in bar(sizes, quota_bytes, width, UNICODE)}
    room = sum(size > 0 for size in sizes.values()) <= 4
    assert not room or {each for each, size in sizes.items() if size} <= seen


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@given(sizes=SIZES, width=st.integers(40, 160))
def test_tabs_and_bar_fit_their_line(glyphs: Glyphs, sizes: dict[MemoryCategory, int], width: int) -> None:
    """Tabs abbreviate before they wrap."""
    seen = usage(sizes, 10**12)
    assert sum(width_of(piece.text) for piece in quota_line(seen, width, glyphs)) <= width
    assert sum(width_of(piece.text) for piece in tabs(seen, None, width, glyphs)) <= width


def test_every_sign_is_one_cell() -> None:
    """A sign of two cells would shift every row."""
    for glyphs in (UNICODE, ASCII):
        signs = [*glyphs.category.values(), *glyphs.bar.values(), glyphs.free, glyphs.cursor, glyphs.marked]
        assert {width_of(sign) for sign in signs} == {1}
