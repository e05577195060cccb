"""What is foretold comes true: a forecast against the write, a verdict against the calls (QUO, ACC)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from rotifer_store import (
    AccessPolicy,
    AgentMemoryError,
    FixedClock,
    Gene,
    GeneMemory,
    RetentionPolicy,
    Scope,
    SharePolicy,
    Store,
    open_store,
)
from rotifer_store.tables import MemoryCategory

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
DAY_S = 86_400
QUOTA_BYTES = 120
DOMAINS = ("notes", "maps")
GENES = [Gene(f"v2:{number:064x}", DOMAINS[number % 2], f"gene-{number}") for number in range(3)]
ANYONE = [*GENES, Gene(None, "notes"), Gene("v2:NOT-ONE", "notes")]
GRANTABLE = [scope for scope in Scope if scope is not Scope.DEPLOYER_CONFIGURED]

scopes = st.sampled_from(GRANTABLE)
keys = st.sampled_from("abcdefgh")
writes = st.tuples(
    st.sampled_from(GENES),
    keys,
    st.integers(0, 40),
    st.sampled_from(MemoryCategory),
    st.builds(AccessPolicy, scopes, scopes, st.just(SharePolicy.PRIVATE)),
    st.none() | st.builds(RetentionPolicy, st.integers(1, 3), st.just(False), st.just(False)),
)
days = st.integers(0, 2)


def outcome(call: Callable[[GeneMemory], object], memory: GeneMemory) -> tuple[str | None, object]:
    """The code with which a call is refused, or None and its answer."""
    try:
        return None, call(memory)
    except AgentMemoryError as refusal:
        return str(refusal.code), None


def write(
    store: Store, gene: Gene, key: str, size_bytes: int, category: str, *policies: object
) -> str | None:
    """The code with which a write is refused, or None."""
    value = b"x" * size_bytes
    return outcome(
        lambda memory: memory.write_memory(key, value, category, *policies), store.gene_memory("main", gene)
    )[0]


def filled(store: Store, clock: FixedClock, history: list[tuple[tuple[object, ...], int]]) -> None:
    """Writes a history, with days that pass; some of it has expired then and is still there."""
    store.create_agent("main", memory_quota_bytes=QUOTA_BYTES)
    for arguments, passing_days in history:
        write(store, *arguments)  # type: ignore[arg-type]
        clock.advance(1 + passing_days * DAY_S)


@given(
    st.lists(st.tuples(writes, days), max_size=12),
    st.integers(1, QUOTA_BYTES + 10),
    st.sampled_from([QUOTA_BYTES, 60, 1]),
    st.sampled_from(MemoryCategory),
)
def test_a_forecast_comes_true(
    history: list[tuple[tuple[object, ...], int]], size_bytes: int, quota_bytes: int, category: MemoryCategory
) -> None:
    """QUO-3, QUO-4, QUO-5: exactly those entries go, in that order, or the write is refused and none does."""
    with TemporaryDirectory() as folder:
        clock = FixedClock(START_US)
        with open_store(folder, clock=clock) as store:
            filled(store, clock, history)
            store.set_memory_quota("main", quota_bytes)
            forecast = store.forecast("main", size_bytes)
            used_before = store.memory_usage("main").used_bytes
            copy = shutil.copytree(folder, Path(folder) / "copy")
        assert forecast.used_bytes == used_before
        with open_store(copy, clock=clock) as store:
            seen = len(store.audit_records())
            code = write(store, GENES[0], "n", size_bytes - 1, category)
            told = store.audit_records()[seen:]
            evicted = [record.entry_id for record in told if record.action == "memory_evict"]
            assert code == (None if forecast.fits else "MEMORY_QUOTA_EXCEEDED")
            assert evicted == [entry.entry_id for entry in forecast.evicted]
            assert store.memory_usage("main").used_bytes == forecast.used_bytes_after
            assert store.verify() == []


@given(st.lists(st.tuples(writes, days), max_size=8), st.sampled_from(ANYONE), keys)
def test_a_verdict_comes_true(history: list[tuple[tuple[object, ...], int]], gene: Gene, key: str) -> None:
    """ACC: a read, a write and a delete, each made on a store as it was when they were foretold."""
    with TemporaryDirectory() as folder:
        clock = FixedClock(START_US)
        with open_store(folder, clock=clock) as store:
            filled(store, clock, history)
            (verdict,) = store.access("main", gene, key)
            verdicts = store.access("main", gene)
            live = {entry.key: entry for entry in store.browse_memory("main").rows}
        assert [each.key for each in verdicts] == list(live)
        assert verdict.category == (live[key].category if key in live else None)
        assert key not in live or verdict in verdicts
        calls = {
            "read": lambda memory: memory.read_memory(key),
            "write": lambda memory: memory.write_memory(key, b"", "CACHE"),
            "delete": lambda memory: memory.delete_memory(key),
        }
        for name, call in calls.items():
            copy = shutil.copytree(folder, Path(folder) / name, ignore=shutil.ignore_patterns(*calls))
            decision = getattr(verdict, name)
            with open_store(copy, clock=clock) as store:
                code, answer = outcome(call, store.gene_memory("main", gene))
                refusals = {"MEMORY_ACCESS_DENIED"} | ({"MEMORY_NOT_FOUND"} if key not in live else set())
                assert code is None if decision.allowed else code in refusals
                assert (code == "MEMORY_NOT_FOUND") == (decision.rule == "ERR")
                assert code is not None or name != "read" or (answer is None) == (key not in live)
