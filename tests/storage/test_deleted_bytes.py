"""What is deleted, evicted or expired leaves the files (REC-10)."""

from __future__ import annotations

import pytest

from rotifer_store import FixedClock, RetentionPolicy, open_store
from storage.stage import OURS, START_US, TWO_DAYS_S, folder_of

MARK = b"bury-me-5f0c"
SIZES = {"within a page": 300, "over several pages": 20_000}


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def value(request):
    return MARK * (request.param // len(MARK))


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path, clock=FixedClock(START_US)) as store:
        store.create_agent("main", memory_quota_bytes=60_000)
        memory = store.gene_memory("main", OURS)
        for number in range(20):
            memory.write_memory(f"other/{number}", b"o" * 500, "PREFERENCE")
        yield store


def files_that_hold(folder, mark):
    return sorted(path.name for path in folder.iterdir() if mark in path.read_bytes())


DELETIONS = {
    "by key": {"key": "burial/1"},
    "by keys": {"keys": ["burial/1", "burial/2"]},
    "by category": {"category": "CONTEXT"},
}


@pytest.mark.parametrize("selector", DELETIONS.values(), ids=DELETIONS)
@pytest.mark.parametrize("others", ["alone", "beside a reader"])
def test_nothing_of_it_is_left_once_the_deployer_has_deleted_it(tmp_path, store, value, selector, others):
    """The value is in no file, the key in none but the audit log; also while others have the store open."""
    memory = store.gene_memory("main", OURS)
    memory.write_memory("burial/1", value, "CONTEXT")
    if selector != DELETIONS["by key"]:
        memory.write_memory("burial/2", value, "CONTEXT")
    reader = open_store(tmp_path, clock=FixedClock(START_US)) if others != "alone" else None
    if reader is not None:
        assert reader.peek_value("main", "burial/1") == value
    assert files_that_hold(folder_of(tmp_path), MARK)

    store.delete_memory("main", **selector)

    assert files_that_hold(folder_of(tmp_path), MARK) == []
    assert files_that_hold(folder_of(tmp_path), b"burial/") == ["audit.jsonl"]
    assert store.verify() == []
    if reader is not None:
        reader.close()


def free_bytes(store):
    """The largest value that fits under the key `new` once all but PREFERENCE has gone."""
    usage = store.memory_usage("main")
    return usage.quota_bytes - usage.by_category["PREFERENCE"].bytes - len("new")


REMOVALS = {
    "a gene's delete": lambda store, memory: memory.delete_memory("burial/1"),
    "a rewrite": lambda store, memory: memory.write_memory("burial/1", b"", "CACHE"),
    "an eviction": lambda store, memory: memory.write_memory("new", bytes(free_bytes(store)), "PREFERENCE"),
    "an expiry": lambda store, memory: store._shell.clock.advance(TWO_DAYS_S) or store.sweep(),
}


@pytest.mark.parametrize("remove", REMOVALS.values(), ids=REMOVALS)
def test_nothing_of_it_is_left_once_the_store_is_closed(tmp_path, store, value, remove):
    """`secure_delete` is on: the freed pages hold zeros, and the write-ahead log goes with the last one."""
    memory = store.gene_memory("main", OURS)
    memory.write_memory("burial/1", value, "CACHE", retention_policy=RetentionPolicy(1, False, False))

    remove(store, memory)

    assert store.verify() == []
    store.close()
    assert files_that_hold(folder_of(tmp_path), MARK) == []
