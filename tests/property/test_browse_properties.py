"""Pages and places of a browse against a list that is sorted and sliced (TUI-9, TUI-10)."""

from __future__ import annotations

import re
import tempfile
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_store import (
    BrowseFilter,
    FixedClock,
    Gene,
    MemoryInvalidInput,
    RetentionPolicy,
    Store,
    open_store,
)

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
DAY_US = 86_400_000_000
GENES = {
    name: Gene("v2:" + digit * 64, "formatter", name) for name, digit in (("a", "f"), ("b", "0"), ("c", "7"))
}
CATEGORIES = ["CACHE", "PATTERN", "CONTEXT", "PREFERENCE"]
ORDERS = ["updated", "key", "category", "size", "expires", "creator"]
NEVER = 2**63 - 1

WRITES = st.tuples(
    st.sampled_from(["k", "kk", "l/1", "l/2", "m", "é", "あ", "z%", "Z"]),
    st.sampled_from(sorted(GENES)),
    st.sampled_from(CATEGORIES),
    st.integers(0, 4),
    st.sampled_from([None, None, 1, 1, 2, 3]),
    st.sampled_from([0, 0, 1, -1, 40_000, -90_000]),
)
MEMBERS: dict[str, list[Any]] = {
    "category": CATEGORIES,
    "text": ["k", "l/", ""],
    "pattern": ["^..$", "[kz]"],
    "gene": ["a", GENES["b"].id, "nobody"],
    "min_bytes": [2, 4],
    "max_bytes": [3, 5],
    "expires_within_s": [0, 86_400, 200_000],
}
FILTERS = st.one_of(
    st.just(BrowseFilter()),
    st.sampled_from([BrowseFilter(**{name: value}) for name, values in MEMBERS.items() for value in values]),
    st.builds(BrowseFilter, **{name: st.sampled_from([None, *values]) for name, values in MEMBERS.items()}),
)


class Row(NamedTuple):
    """An entry as the model keeps it; `change` numbers the writes."""

    key: str
    creator: str
    category: str
    size_bytes: int
    created_at_us: int
    expires_at_us: int | None
    change: int


def expected(rows: list[Row], where: BrowseFilter, order: str, now_us: int, *, descending: bool) -> list[str]:
    """The keys of a browse, all of them, as one would find them by hand."""

    def matches(row: Row) -> bool:
        expires_at_us = NEVER if row.expires_at_us is None else row.expires_at_us
        return (
            expires_at_us > now_us
            and where.category in (None, row.category)
            and (where.text is None or where.text in row.key)
            and (where.pattern is None or re.search(where.pattern, row.key) is not None)
            and where.gene in (None, row.creator, GENES[row.creator].id)
            and (where.min_bytes is None or row.size_bytes >= where.min_bytes)
            and (where.max_bytes is None or row.size_bytes <= where.max_bytes)
            and (
                where.expires_within_s is None
                or (row.expires_at_us or NEVER) <= now_us + where.expires_within_s * 1_000_000
            )
        )

    def place(row: Row) -> tuple[Any, ...]:
        return {
            "updated": (row.change,),
            "key": (row.key.encode(),),
            "category": (CATEGORIES.index(row.category), row.change),
            "size": (row.size_bytes, row.key.encode()),
            "expires": (NEVER if row.expires_at_us is None else row.expires_at_us, row.key.encode()),
            "creator": (GENES[row.creator].name, row.key.encode()),
        }[order]

    return [row.key for row in sorted(filter(matches, rows), key=place, reverse=descending)]


def written(store: Store, clock: FixedClock, writes: list[Any]) -> list[Row]:
    """Does the writes and returns what a model makes of them."""
    rows: dict[str, Row] = {}
    for change, (name, gene, category, size, days, seconds) in enumerate(writes):
        key = f"{name}{gene}"  # a rewrite by another gene keeps the creator's retention
        clock.advance(seconds)
        now_us = clock.now_us()
        rows = {row.key: row for row in rows.values() if (row.expires_at_us or NEVER) > now_us}
        retention = None if days is None else RetentionPolicy(days, False, False)
        store.gene_memory("main", GENES[gene]).write_memory(
            key, bytes(size), category, retention_policy=retention
        )
        created_at_us = rows[key].created_at_us if key in rows else now_us
        expires_at_us = None if days is None else max(now_us, created_at_us) + days * DAY_US  # ENT-7
        size_bytes = size + len(key.encode())
        rows[key] = Row(key, gene, category, size_bytes, created_at_us, expires_at_us, change)
    return list(rows.values())


@given(
    st.lists(WRITES, min_size=3, max_size=20),
    st.lists(st.tuples(FILTERS, st.sampled_from(ORDERS), st.booleans()), min_size=6, max_size=12),
    st.sampled_from([0, 3_600, 90_000, 180_000]),
    st.integers(0, 8),
    st.integers(0, 5),
)
def test_a_browse_is_a_slice_of_what_was_sorted_by_hand(
    writes: list[Any],
    browses: list[tuple[BrowseFilter, str, bool]],
    later_s: int,
    offset: int,
    limit: int,
) -> None:
    """python-api: browse_memory, entry_place; every order, both directions, expired entries among them."""
    clock = FixedClock(START_US)
    with tempfile.TemporaryDirectory() as project, open_store(project, clock=clock) as store:
        store.create_agent("main")
        rows = written(store, clock, writes)
        clock.advance(later_s)
        for where, order, descending in browses:
            keys = expected(rows, where, order, clock.now_us(), descending=descending)
            asked: dict[str, Any] = {"where": where, "order": order, "descending": descending}
            for skipped in {offset, max(0, len(keys) - offset)}:
                page = store.browse_memory("main", offset=skipped, limit=limit, **asked)
                assert page.total == len(keys)
                assert [row.key for row in page.rows] == keys[skipped : skipped + limit]
            places = {row.key: store.entry_place("main", row.key, **asked) for row in rows}
            assert places == {row.key: keys.index(row.key) if row.key in keys else None for row in rows}
        assert store.entry_place("main", "nowhere") is None
        assert store.verify() == []


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        ("", {}),
        ("\ud800", {}),
        ("k", {"order": "value"}),
        ("k", {"where": BrowseFilter(category="cache")}),
        ("k", {"where": BrowseFilter(pattern="(")}),
    ],
)
def test_a_place_of_another_form_is_invalid(tmp_path: Any, key: str, asked: dict[str, Any]) -> None:
    """ERR: as a browse refuses it."""
    with open_store(tmp_path) as store:
        store.create_agent("main")
        with pytest.raises(MemoryInvalidInput):
            store.entry_place("main", key, **asked)
