"""Rows in columns: none is cut, and figures stand below each other (TUI-1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rotifer_console.dashboard import entry_rows
from rotifer_console.dashboard.cells import Line, width_of
from rotifer_console.dashboard.glyphs import UNICODE
from rotifer_console.dashboard.review_screen import Found, found_row
from rotifer_store import AccessPolicy, EntryInfo, MemoryCategory

NOW = datetime(2026, 11, 30, 17, 0, tzinfo=UTC)
NOW_US = int(NOW.timestamp()) * 1_000_000
LONGEST_US = 2_147_483_647 * 86_400_000_000


def entry(size_bytes: int = 700, left_us: int | None = None) -> EntryInfo:
    return EntryInfo(
        entry_id="0f" * 32,
        category=MemoryCategory.CACHE,
        key="page/earl-grey",
        size_bytes=size_bytes,
        created_by="v2:" + "a1" * 32,
        created_domain="format",
        last_accessed_by="v2:" + "a1" * 32,
        created_at=NOW - timedelta(days=3),
        updated_at=NOW - timedelta(hours=2),
        access_policy=AccessPolicy(),
        retention_policy=None,
        expires_at=None,
        expires_at_us=None if left_us is None else NOW_US + left_us,
    )


def text_of(line: Line) -> str:
    return "".join(piece.text for piece in line)


def row_of(shown: EntryInfo, width: int) -> str:
    return text_of(entry_rows.row(shown, {}, width, NOW_US, UNICODE, is_marked=False))


@pytest.mark.parametrize("width", range(19, 200))
def test_a_row_and_the_titles_have_room_for_every_column_that_they_show(width: int) -> None:
    """From twenty cells on; the last is the scroll bar's."""
    titles = text_of(entry_rows.titles(width, "updated", descending=True, glyphs=UNICODE))
    for left_us in (None, 59_000_000, 30 * 60_000_000, LONGEST_US):
        row = row_of(entry(left_us=left_us), width)
        assert width_of(row.rstrip()) <= width
        assert width_of(titles.rstrip()) <= width
        if "expires" in titles:
            assert any(words in row for words in ("never", "00:00:59 !!", "00:30:00 !", "5 879 610 y"))
    assert ("expires" in titles) or width < 39


@pytest.mark.parametrize("width", [50, 80, 120])
def test_sizes_stand_with_their_decimals_and_units_below_each_other(width: int) -> None:
    """From KB on there is always a decimal."""
    rows = [row_of(entry(size_bytes), width) for size_bytes in (13 << 10, 14_541, 1 << 20, 1024)]
    assert {row.index(".") for row in rows} == {rows[0].index(".")}
    assert "13.0 KB" in rows[0]
    assert row_of(entry(23), width).index(" B ") == rows[0].index("B ") - 1


@pytest.mark.parametrize("width", [39, 79, 119])
@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (Found(entry(), "preference outside genome", (), 2), "preference outside genome +2"),
        (Found(entry(), "burst after refusals", (), 0), "burst after refusals"),
    ],
)
def test_the_first_reason_is_whole_and_the_others_are_counted(found: Found, shown: str, width: int) -> None:
    """In forty cells the longest is cut, and the count never is."""
    row = text_of(found_row(found, {}, width, UNICODE)).rstrip()
    assert row.endswith(shown if width > 39 or not found.others else " +2")
    assert width_of(row) <= width
