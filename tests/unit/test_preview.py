"""What new settings would do to the entries: foreseen, and then seen to happen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rotifer_store import (
    Agent,
    DataPolicy,
    FixedClock,
    Gene,
    MemoryAccessDenied,
    MemoryCategory,
    MemoryInvalidInput,
    MemoryStorageError,
    PolicyPreview,
    Scope,
    SharePolicy,
    Store,
    open_store,
)
from rotifer_store.preview import foresee
from unit.samples import DAY_US, NOW_US, held

SCOPES = (Scope.SAME_DOMAIN, Scope.SAME_DOMAIN)
SHARED = (*SCOPES, SharePolicy.ANONYMIZED_SHARE)
KNOWLEDGE = (*SCOPES, SharePolicy.KNOWLEDGE_GENE)
MAX_DAYS = 2_147_483_647
LARGEST_QUOTA_BYTES = 2**53 - 1
FOLLOWS = (None, None, None)
OWN_UNLIMITED = (None, 0, 0)


def own(days: int) -> tuple[int, int, int]:
    return (days, 0, 0)


@pytest.mark.parametrize(
    ("retention", "age_us", "days", "expires"),
    [
        (FOLLOWS, DAY_US - 1, 1, False),
        (FOLLOWS, DAY_US, 1, True),
        (FOLLOWS, 400 * DAY_US, None, False),
        (FOLLOWS, 400 * DAY_US, MAX_DAYS, False),
        (FOLLOWS, -DAY_US, 1, False),
        (own(7), 6 * DAY_US, 1, False),
        (OWN_UNLIMITED, 400 * DAY_US, 1, False),
    ],
)
def test_what_follows_the_agent_expires_by_the_new_days(
    retention: Any, age_us: int, days: int | None, expires: bool
) -> None:
    """POL-4: at the instant itself; an entry's own days are its own."""
    entry = held(retention=retention, updated_at_us=NOW_US - age_us)
    foreseen = foresee([entry], DataPolicy(days), LARGEST_QUOTA_BYTES, NOW_US)
    assert foreseen.expiring == ([entry] if expires else [])


@pytest.mark.parametrize(
    ("retention", "access", "policy", "outside"),
    [
        (own(8), SCOPES, DataPolicy(7), True),
        (own(7), SCOPES, DataPolicy(7), False),
        (OWN_UNLIMITED, SCOPES, DataPolicy(MAX_DAYS), True),
        (OWN_UNLIMITED, SCOPES, DataPolicy(None), False),
        (own(MAX_DAYS), SCOPES, DataPolicy(None), False),
        (FOLLOWS, SCOPES, DataPolicy(7), False),
        (FOLLOWS, SHARED, DataPolicy(7), True),
        (FOLLOWS, KNOWLEDGE, DataPolicy(None), True),
        (FOLLOWS, SHARED, DataPolicy(7, anonymization_supported=True), False),
        (own(8), SHARED, DataPolicy(7, anonymization_supported=True), True),
        ((7, 1, 1), SCOPES, DataPolicy(7), False),
    ],
)
def test_what_a_gene_could_not_write_today_no_longer_fits(
    retention: Any, access: Any, policy: DataPolicy, outside: bool
) -> None:
    """ACC-3, POL-3: days and shareability; the other members of a retention policy bind nothing."""
    entry = held(retention=retention, access=access if len(access) == 3 else (*access, SharePolicy.PRIVATE))
    foreseen = foresee([entry], policy, LARGEST_QUOTA_BYTES, NOW_US)
    assert foreseen.outside == ([entry] if outside else [])
    assert foreseen.expiring == []


def test_what_expires_is_not_counted_against_anything_else() -> None:
    """POL-5: it would be gone, so it neither fails to fit nor takes room."""
    gone = held("gone", 100, access=SHARED, updated_at_us=NOW_US - 2 * DAY_US)
    stays = held("stays", 5, retention=own(3), updated_at_us=NOW_US - 2 * DAY_US)
    foreseen = foresee([gone, stays], DataPolicy(1), 10, NOW_US)
    assert (foreseen.expiring, foreseen.outside, foreseen.over_quota_bytes) == ([gone], [stays], 0)


@pytest.mark.parametrize(("quota_bytes", "over_bytes"), [(1, 29), (29, 1), (30, 0), (31, 0)])
def test_the_quota_lacks_what_is_used_beyond_it(quota_bytes: int, over_bytes: int) -> None:
    """QUO-1, QUO-3."""
    entries = [held("a", 9), held("bb", 18)]
    assert foresee(entries, DataPolicy(), quota_bytes, NOW_US).over_quota_bytes == over_bytes


def test_nothing_is_foreseen_of_no_entries() -> None:
    assert foresee([], DataPolicy(1), 1, NOW_US) == ([], [], 0)


GENE = Gene("v2:" + "a1" * 32, "formatter")


def kept_for(days: int | None) -> dict[str, object]:
    return {"maxRetentionDays": days, "autoDeleteOnTermination": False, "anonymizationSupported": False}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW_US)


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[Store]:
    """An agent whose entries are of one, two and three days ago; the oldest of all has expired."""
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", data_policy=kept_for(None) | {"anonymizationSupported": True})
        memory = store.gene_memory("main", GENE)
        memory.write_memory("expired", b"1", "CACHE", retention_policy=kept_for(1))
        for number, key in enumerate(["old", "middle", "young"]):
            memory.write_memory(key, b"22", "CONTEXT")
            share = {"readScope": "ALL_GENES", "writeScope": "ALL_GENES", "sharePolicy": "ANONYMIZED_SHARE"}
            memory.write_memory(f"own-{number}", b"333", "PREFERENCE", share, kept_for(number + 4))
            clock.advance(24 * 60 * 60)
        yield store
        assert store.verify() == []


def keys(entries: Any) -> list[str]:
    return [entry.key for entry in entries]


def test_entries_come_as_a_listing_shows_them_now(store: Store) -> None:
    """python-api: the newest first, with the expiry that they have before the change."""
    preview = store.preview_policy("main", data_policy=DataPolicy(2), memory_quota_bytes=1)
    assert isinstance(preview, PolicyPreview)
    assert keys(preview.expiring) == ["middle", "old"]
    assert keys(preview.outside) == ["own-2", "own-1", "own-0"]
    assert preview.over_quota_bytes == len("young" + "22") + 3 * len("own-0" + "333") - 1
    listed = {entry.key: entry for entry in store.list_memory("main")}
    assert all(entry == listed[entry.key] for entry in [*preview.expiring, *preview.outside])


def test_what_is_left_out_stays_as_the_store_has_it(store: Store) -> None:
    """python-api: also where the Agent in hand is older than the store's."""
    before = store.agent("main")
    assert store.preview_policy(before) == PolicyPreview([], [], 0)
    store.set_data_policy("main", DataPolicy(4))
    store.set_memory_quota("main", 10)
    preview = store.preview_policy(before)
    assert keys(preview.outside) == ["own-2", "own-1", "own-0"]
    assert preview.over_quota_bytes > 0
    assert store.preview_policy("main", memory_quota_bytes=1000).over_quota_bytes == 0
    assert keys(store.preview_policy("main", data_policy=DataPolicy(3)).expiring) == ["old"]


@pytest.mark.parametrize("read_only", [False, True])
def test_looking_ahead_changes_nothing(
    store: Store, tmp_path: Path, clock: FixedClock, read_only: bool
) -> None:
    """POL-6: not even what has expired goes."""
    log = tmp_path / ".rotifer" / "audit.jsonl"
    before = (log.read_bytes(), store.agents())
    with open_store(tmp_path, clock=clock, read_only=read_only) as looking:
        looking.preview_policy("main", data_policy=DataPolicy(1), memory_quota_bytes=1)
    assert (log.read_bytes(), store.agents()) == before


@pytest.mark.parametrize(
    "given_settings",
    [
        {"data_policy": {"maxRetentionDays": 0}},
        {"data_policy": kept_for(0)},
        {"data_policy": 7},
        {"memory_quota_bytes": 0},
        {"memory_quota_bytes": True},
        {"memory_quota_bytes": 2**53},
    ],
    ids=str,
)
def test_settings_that_could_not_be_set_are_refused(store: Store, given_settings: dict[str, Any]) -> None:
    """POL-2, QUO-2."""
    with pytest.raises(MemoryInvalidInput):
        store.preview_policy("main", **given_settings)


def test_an_agent_of_another_store_is_refused(store: Store) -> None:
    agent = store.agent("main")
    stranger = Agent(
        agent.id, "other", agent.genes, agent.composition, 1, agent.data_policy, agent.created_at, 99
    )
    with pytest.raises(MemoryStorageError):
        store.preview_policy(stranger)


@pytest.mark.parametrize("days", [None, 1, 2, 4, 6])
@pytest.mark.parametrize(("anonymization", "quota_bytes"), [(True, 20), (False, 1000)])
def test_what_was_foreseen_is_what_happens(
    tmp_path: Path, days: int | None, anonymization: bool, quota_bytes: int
) -> None:
    """POL-3a, POL-4, QUO-1: against the change itself, and against what a gene may then write."""
    clock = FixedClock(NOW_US)
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", data_policy=DataPolicy(None, False, True))
        memory = store.gene_memory("main", GENE)
        policies: dict[str, tuple[str, dict[str, object] | None]] = {}
        for number in range(6):
            share = str(SharePolicy.ANONYMIZED_SHARE if number % 2 else SharePolicy.PRIVATE)
            retention = None if number % 3 == 0 else kept_for(None if number == 5 else number + 4)
            policies[f"k{number}"] = (share, retention)
            memory.write_memory(f"k{number}", b"123456", MemoryCategory.CACHE, access(share), retention)
            clock.advance(24 * 60 * 60)
        policy = DataPolicy(days, False, anonymization)
        preview = store.preview_policy("main", data_policy=policy, memory_quota_bytes=quota_bytes)
        before = keys(store.list_memory("main"))
        store.set_data_policy("main", policy)
        store.set_memory_quota("main", quota_bytes)
        after = keys(store.list_memory("main"))
        assert keys(preview.expiring) == [key for key in before if key not in after]
        assert preview.over_quota_bytes == max(0, store.memory_usage("main").used_bytes - quota_bytes)
        refused = []
        for key in after:
            share, retention = policies[key]
            try:
                memory.write_memory(key, b"123456", MemoryCategory.CACHE, access(share), retention)
            except MemoryAccessDenied:
                refused.append(key)
        assert keys(preview.outside) == refused


def access(share: str) -> dict[str, object]:
    return {"readScope": "SAME_DOMAIN", "writeScope": "SAME_DOMAIN", "sharePolicy": share}
