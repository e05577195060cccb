"""Many processes and threads on one store: no error, a line for each change, the quota held to the byte."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from concurrency.crew import IN_FULL, run_together
from concurrency.jobs import (
    ONE_DAY,
    OURS,
    START_US,
    create_the_same_agent,
    list_again_and_again,
    look_and_stay,
    make_mixed_calls,
    mixed_calls,
    query_until,
    write_from_threads,
    write_once,
    write_own_keys,
)
from concurrency.jobs import write_beside_idlers as write_beside
from property.log_replay import LogReplay
from rotifer_store import FixedClock, open_store

SMALL_QUOTA = 6_000
CHANGES = {
    "memory_write": "written",
    "memory_update": "written",
    "memory_delete": "deleted",
    "memory_access_denied": "denied",
    "memory_quota_refused": "refused for space",
}


@pytest.fixture(autouse=True)
def _telemetry_is_on(monkeypatch):
    monkeypatch.delenv("ROTIFER_TELEMETRY", raising=False)
    monkeypatch.delenv("DO_NOT_TRACK", raising=False)


def new_store(project, **settings):
    """A project folder whose store has the agent `main`."""
    with open_store(project, clock=FixedClock(START_US)) as store:
        store.create_agent("main", genes=[OURS], **settings)
    return project


def checked_log(project, quota_bytes=None):
    """The records of a log whose chain is whole, and which never held more than the quota allows."""
    replay = LogReplay(project / ".rotifer" / "audit.jsonl")
    records = replay.catch_up()
    assert [record["seq"] for record in records] == list(
        range(records[0]["seq"], records[0]["seq"] + len(records))
    )
    if quota_bytes is not None:
        assert most_bytes_at_once(records) <= quota_bytes
    with open_store(project, clock=FixedClock(START_US)) as store:
        assert store.verify() == []
        rows = store.browse_memory("main", limit=10_000).rows
        held = {info.key: (info.category, info.size_bytes - len(info.key.encode())) for info in rows}
        assert {
            key: (entry["category"], entry["bytes"]) for (_, key), entry in replay.entries.items()
        } == held
        assert store.memory_usage("main").used_bytes == sum(info.size_bytes for info in rows)
    return records


def most_bytes_at_once(records):
    """The peak of keys and values held at the end of any transaction, as the log tells it (QUO-1)."""
    sizes, peak = {}, 0
    for number, record in enumerate(records):
        if record["action"] in ("memory_write", "memory_update"):
            sizes[record["key"]] = len(record["key"].encode()) + record["bytes"]
        elif record["action"] in ("memory_delete", "memory_evict", "memory_expire"):
            del sizes[record["key"]]
        if number + 1 == len(records) or records[number + 1]["txn"] != record["txn"]:
            peak = max(peak, sum(sizes.values()))
    return peak


def assert_one_line_for_each_change(records, tallies):
    """REC-1: the calls' own account of what they did equals the log's."""
    told, counted = Counter(), Counter()
    for tally in tallies:
        told.update(tally)
    for record in records:
        if record["action"] in CHANGES:
            counted[CHANGES[record["action"]]] += 1
    told.pop("none", None)
    assert counted == told
    assert {record["action"] for record in records} >= {"memory_evict", "memory_expire", *CHANGES}
    assert "memory_aborted" not in {record["action"] for record in records}


def test_eight_processes_of_mixed_calls_keep_quota_and_log_exact(tmp_path):
    """REC-1, QUO-6, POL-6: nothing is lost, doubled or over the quota, whatever the calls came to."""
    count = 2_000 if IN_FULL else 250
    new_store(tmp_path, memory_quota_bytes=SMALL_QUOTA)

    tallies = run_together(*((mixed_calls, tmp_path, seed, count) for seed in range(8)))

    assert sum(sum(tally.values()) for tally in tallies) == 8 * count
    assert_one_line_for_each_change(checked_log(tmp_path, SMALL_QUOTA), tallies)


def test_thirty_two_threads_on_one_store_keep_quota_and_log_exact(tmp_path):
    """REC-1, QUO-6: the same from the threads of one process, all through one Store."""
    count = 500 if IN_FULL else 60
    new_store(tmp_path, memory_quota_bytes=SMALL_QUOTA)
    clock = FixedClock(START_US)

    with open_store(tmp_path, clock=clock) as store, ThreadPoolExecutor(32) as pool:
        jobs = [pool.submit(make_mixed_calls, store, seed, count, clock) for seed in range(32)]
        tallies = [job.result() for job in jobs]

    assert_one_line_for_each_change(checked_log(tmp_path, SMALL_QUOTA), tallies)


@pytest.mark.parametrize(
    ("quota_bytes", "filled_bytes", "each_bytes", "fitting"),
    [
        pytest.param(1_048_576, 1_038_336, 9_000, 1, id="B07: one of twenty"),
        pytest.param(20_000, 10_000, 2_000, 5, id="five fit to the byte"),
        pytest.param(20_000, 10_001, 2_000, 4, id="one byte short of five"),
        pytest.param(20_000, 0, 1_000, 20, id="all fit to the byte"),
        pytest.param(20_000, 20_000, 10, 0, id="full"),
    ],
)
def test_of_twenty_processes_racing_for_the_last_bytes_exactly_those_that_fit_succeed(
    tmp_path, quota_bytes, filled_bytes, each_bytes, fitting
):
    """QUO-6, QUO-5, B07: PREFERENCE only, so that nothing can be evicted; each refusal has its line."""
    new_store(tmp_path, memory_quota_bytes=quota_bytes)
    with open_store(tmp_path) as store:
        memory = store.gene_memory("main", OURS)
        for number, start in enumerate(range(0, filled_bytes, 500_000)):
            size = min(500_000, filled_bytes - start)
            memory.write_memory(f"f{number}", bytes(size - 2), "PREFERENCE")
        assert store.memory_usage("main").used_bytes == filled_bytes

    answers = run_together(*((write_once, tmp_path, f"w{number:02}", each_bytes) for number in range(20)))

    assert sum(answers) == fitting
    records = checked_log(tmp_path, quota_bytes)
    refused = [record["key"] for record in records if record["action"] == "memory_quota_refused"]
    assert sorted(refused) == [f"w{number:02}" for number, fits in enumerate(answers) if not fits]
    with open_store(tmp_path) as store:
        assert store.memory_usage("main").used_bytes == filled_bytes + fitting * each_bytes


def test_writers_of_different_sizes_leave_no_room_that_a_refused_one_needed(tmp_path):
    """QUO-6: nobody is refused for bytes that a later writer then got."""
    new_store(tmp_path, memory_quota_bytes=10_000)
    sizes = [400 + 90 * number for number in range(12)]

    answers = run_together(*((write_once, tmp_path, f"w{size}", size) for size in sizes))

    used = sum(size for size, fits in zip(sizes, answers, strict=True) if fits)
    records = checked_log(tmp_path, 10_000)
    held = 0
    for record in records[1:]:
        size = len(record["key"]) + record["bytes"]
        assert (record["action"] == "memory_write") == (held + size <= 10_000)
        held += size if record["action"] == "memory_write" else 0
    assert held == used


def test_writers_and_queriers_never_meet_a_busy_store(tmp_path):
    """B01 (REC-1, QUO-6): 8 writers of own keys beside 4 that query all the time."""
    count = 200 if IN_FULL else 60
    new_store(tmp_path)

    answers = run_together(
        *((write_own_keys, tmp_path, worker, count) for worker in range(8)),
        *((query_until, tmp_path, count) for _ in range(4)),
    )

    assert answers == [count] * 12
    actions = Counter(record["action"] for record in checked_log(tmp_path))
    assert actions == {"agent_create": 1, "memory_write": 8 * count}


def test_fifty_parallel_writers_leave_only_whole_lines(tmp_path):
    """B11 (REC-5, REC-1): 10 processes of 5 threads, 40 writes each, with line feeds in the keys."""
    new_store(tmp_path)

    answers = run_together(*((write_from_threads, tmp_path, worker, 5, 40) for worker in range(10)))

    assert sum(answers) == 2_000
    actions = Counter(record["action"] for record in checked_log(tmp_path))
    assert actions == {"agent_create": 1, "memory_write": 2_000}


def test_idle_processes_hold_nothing_back(tmp_path):
    """B02: two processes have read and stay; a write, a deletion and a full checkpoint go through at once."""
    new_store(tmp_path)
    with open_store(tmp_path) as store:
        store.gene_memory("main", OURS).write_memory("k", b"1", "PREFERENCE")
    context = multiprocessing.get_context("spawn")
    looked, done = [context.Event(), context.Event()], context.Event()

    *_, checkpoint = run_together(
        *((look_and_stay, tmp_path, event, done) for event in looked),
        (write_beside, tmp_path, looked, done),
    )

    assert checkpoint == (0, 0, 0)
    assert [record["key"] for record in checked_log(tmp_path)[1:]] == ["k", "new", "k"]


def test_each_expiry_is_removed_once_however_many_list_while_others_write(tmp_path):
    """B04 (POL-6, REC-1): listing is a write where something has expired, and one of many gets to do it."""
    expiring = 300 if IN_FULL else 100
    count = 100 if IN_FULL else 30
    new_store(tmp_path)
    with open_store(tmp_path, clock=FixedClock(START_US)) as store:
        memory = store.gene_memory("main", OURS)
        for number in range(expiring):
            memory.write_memory(f"e{number}", b"x", "CACHE", retention_policy=ONE_DAY)

    answers = run_together(
        *((list_again_and_again, tmp_path, 1, 40) for _ in range(4)),
        *((write_own_keys, tmp_path, worker, count) for worker in range(4)),
    )

    assert answers[:4] == [[0] * 40] * 4
    records = checked_log(tmp_path)
    expired = [record["key"] for record in records if record["action"] == "memory_expire"]
    assert sorted(expired) == sorted(f"e{number}" for number in range(expiring))
    assert sum(record["action"] == "memory_write" for record in records) == expiring + 4 * count


def test_of_many_that_open_an_empty_folder_and_create_one_agent_exactly_one_does(tmp_path):
    """AGT-2: opening races on creating the store, creation races on the name; nobody else fails."""
    answers = run_together(*((create_the_same_agent, tmp_path) for _ in range(8)))

    assert sorted(answers) == [False] * 7 + [True]
    assert [record["action"] for record in checked_log(tmp_path)] == ["agent_create"]
