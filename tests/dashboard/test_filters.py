"""What is typed to narrow a listing (TUI-6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.view.filters import parse_filter
from rotifer_store import BrowseFilter


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", BrowseFilter()),
        ("  ", BrowseFilter()),
        ("indent", BrowseFilter(text="indent")),
        ("two words", BrowseFilter(text="two words")),
        ("re:^a.b$", BrowseFilter(pattern="^a.b$")),
        ("cat:CACHE", BrowseFilter(category="CACHE")),
        ("cat:pref", BrowseFilter(category="PREFERENCE")),
        ("gene:indent", BrowseFilter(gene="indent")),
        ("size>10k", BrowseFilter(min_bytes=10_241)),
        ("size>=10KB", BrowseFilter(min_bytes=10_240)),
        ("size<1.5m", BrowseFilter(max_bytes=1_572_863)),
        ("size<=7", BrowseFilter(max_bytes=7)),
        ("expires<1h", BrowseFilter(expires_within_s=3600.0)),
        ("expires<90m cat:context x", BrowseFilter(text="x", category="CONTEXT", expires_within_s=5400.0)),
        ("http://x size", BrowseFilter(text="http://x size")),
        ("[red] :", BrowseFilter(text="[red] :")),
    ],
)
def test_a_filter_means(text: str, meant: BrowseFilter) -> None:
    """TUI-6: substring, re:, cat:, gene:, size, expires."""
    assert parse_filter(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "re:(",
        "re:",
        "cat:",
        "cat:C",
        "cat:none",
        "gene:",
        "size>",
        "size>x",
        "expires<",
        "expires<1y",
        "re:a{99999999999}",
    ],
)
def test_a_filter_that_cannot_be_read_says_so(text: str) -> None:
    """The list keeps the last good one."""
    with pytest.raises(ValueError, match=r"."):
        parse_filter(text)


@given(st.text())
def test_any_text_is_a_filter_or_refused_with_a_sentence(text: str) -> None:
    """Nothing else comes out of it while someone types."""
    said = "a filter"
    try:
        parse_filter(text)
    except ValueError as error:
        said = str(error)
    assert said
