"""Every limit of the table at n - 1, n and n + 1, where it is enforced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rotifer_store import (
    UNSET,
    DataPolicy,
    FixedClock,
    Gene,
    InvalidAgent,
    MemoryFilter,
    MemoryInvalidInput,
    Store,
    open_store,
)
from rotifer_store.tables import LIMITS, MAX_QUERY_BYTES, MAX_VALUE_BYTES
from rotifer_store.validate import (
    agent_name,
    data_policy_of,
    key_size_bytes,
    query_of,
    quota_bytes,
    retention_policy_of,
    write_request,
)

WRITER = Gene("v2:" + "a1" * 32, "formatter")


def days_members(days: int) -> dict[str, object]:
    return {"maxRetentionDays": days, "autoDeleteOnTermination": False, "anonymizationSupported": False}


BOUNDED: dict[str, list[tuple[str, Callable[[int], object]]]] = {
    "MAX_KEY_BYTES": [
        ("key", lambda n: key_size_bytes("k" * n)),
        ("key of two-byte characters", lambda n: key_size_bytes("é" * (n // 2) + "k" * (n % 2))),
        ("key of a write", lambda n: write_request("k" * n, b"", "CACHE", UNSET, UNSET)),
    ],
    "MAX_VALUE_BYTES": [
        ("value", lambda n: write_request("k", bytes(n), "CACHE", UNSET, UNSET)),
        ("bytearray", lambda n: write_request("k", bytearray(n), "CACHE", UNSET, UNSET)),
    ],
    "MAX_QUERY_LIMIT": [
        ("limit", lambda n: query_of({"limit": n})),
        ("limit of a MemoryFilter", lambda n: query_of(MemoryFilter(limit=n))),
        ("limit as a float", lambda n: query_of({"limit": float(n)})),
    ],
    "MAX_QUOTA_BYTES": [("quota", quota_bytes)],
    "MAX_RETENTION_DAYS": [
        ("days of an entry", lambda n: retention_policy_of(days_members(n))),
        ("days of an agent", lambda n: data_policy_of(days_members(n))),
        ("days of a DataPolicy", lambda n: data_policy_of(DataPolicy(n))),
        ("days as a float", lambda n: data_policy_of(days_members(float(n)))),  # type: ignore[arg-type]
    ],
    "MAX_AGENT_NAME_CHARACTERS": [("agent's name", lambda n: agent_name("a" * n))],
}
AT_THE_STORE = {"DEFAULT_QUERY_LIMIT", "DEFAULT_QUOTA_BYTES", "MAX_QUERY_BYTES"}
AT_LEAST_ONE = ("MAX_KEY_BYTES", "MAX_QUERY_LIMIT", "MAX_QUOTA_BYTES", "MAX_RETENTION_DAYS")


def test_every_limit_has_its_boundary_tests() -> None:
    assert {row.constant for row in LIMITS} == BOUNDED.keys() | AT_THE_STORE


@pytest.mark.parametrize(
    ("limit", "check"),
    [
        pytest.param(row.value, check, id=name)
        for row in LIMITS
        for name, check in BOUNDED.get(row.constant, ())
    ],
)
def test_a_limit_includes_itself_and_no_more(limit: int, check: Callable[[int], object]) -> None:
    """INP-1, INP-2, INP-3, QUO-2, POL-1, AGT-2."""
    check(limit - 1)
    check(limit)
    with pytest.raises((MemoryInvalidInput, InvalidAgent)):
        check(limit + 1)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for constant in (*AT_LEAST_ONE, "MAX_AGENT_NAME_CHARACTERS")
        for name, check in BOUNDED[constant]
    ],
)
def test_the_least_is_one(check: Callable[[int], object]) -> None:
    """INP-1, INP-3, QUO-2, POL-1, AGT-2."""
    check(1)
    with pytest.raises((MemoryInvalidInput, InvalidAgent)):
        check(0)


def test_a_value_may_be_empty() -> None:
    """INP-2."""
    assert write_request("k", b"", "CACHE", UNSET, UNSET).size_bytes == 1


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path, clock=FixedClock(0)) as store:
        store.create_agent("main")
        yield store
        assert store.verify() == []


def test_an_agent_has_the_default_quota_to_the_byte(store: Store) -> None:
    """QUO-1."""
    (limit,) = (row.value for row in LIMITS if row.constant == "DEFAULT_QUOTA_BYTES")
    assert store.agent("main").memory_quota_bytes == limit
    memory = store.gene_memory("main", WRITER)
    for at in range(9):
        memory.write_memory(f"key-{at:04}", bytes(MAX_VALUE_BYTES - 8), "PREFERENCE")
    rest = limit - store.memory_usage("main").used_bytes
    memory.write_memory("key-last", bytes(rest - 8 - 1), "PREFERENCE")
    assert store.memory_usage("main").used_bytes == limit - 1
    memory.write_memory("key-last", bytes(rest - 8), "PREFERENCE")
    assert store.memory_usage("main").used_bytes == limit
    with pytest.raises(Exception, match="quota"):
        memory.write_memory("k", b"", "PREFERENCE")


@pytest.mark.parametrize("filter", [None, {}, MemoryFilter(key_prefix="k"), {"category": "PATTERN"}])
def test_a_query_without_a_limit_gives_the_default(store: Store, filter: object) -> None:
    """INP-3."""
    (limit,) = (row.value for row in LIMITS if row.constant == "DEFAULT_QUERY_LIMIT")
    memory = store.gene_memory("main", WRITER)
    for count in range(1, limit + 2):
        memory.write_memory(f"k{count}", b"", "PATTERN")
        if count >= limit - 1:
            assert len(memory.query_memory(filter)) == min(count, limit)


@pytest.mark.parametrize(
    "filter",
    [{}, {"category": "PATTERN"}, {"keyPrefix": "k"}, {"keyPrefix": "k", "category": "PATTERN"}],
    ids=str,
)
def test_an_answer_has_at_most_four_mib(store: Store, filter: dict[str, Any]) -> None:
    """INP-5: keys and values, as the quota measures."""
    memory = store.gene_memory("main", WRITER)
    for at in range(4):
        memory.write_memory(f"k{at}", bytes(MAX_VALUE_BYTES - 2), "PATTERN")
    assert sum(len(entry.key) + len(entry.value) for entry in memory.query_memory(filter)) == MAX_QUERY_BYTES

    memory.write_memory("k3", bytes(MAX_VALUE_BYTES - 3), "PATTERN")
    assert len(memory.query_memory(filter)) == 4

    memory.write_memory("k3", bytes(MAX_VALUE_BYTES - 1), "PATTERN")
    with pytest.raises(MemoryInvalidInput):
        memory.query_memory(filter)
    assert len(memory.query_memory({**filter, "limit": 3})) == 3
