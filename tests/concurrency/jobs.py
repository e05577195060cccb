"""What the processes and threads of these tests do. Module-level, so that a spawned process can import it."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

from rotifer_store import (
    AgentExists,
    FixedClock,
    Gene,
    MemoryAccessDenied,
    MemoryNotFound,
    MemoryQuotaExceeded,
    RetentionPolicy,
    open_store,
)

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
CATEGORIES = ("CACHE", "CACHE", "PATTERN", "CONTEXT", "PREFERENCE")
ONE_DAY = RetentionPolicy(1, False, False)


def gene(name, domain="formatter"):
    return Gene("v2:" + hashlib.sha256(name.encode()).hexdigest(), domain, name=name, version="1.0.0")


OURS = gene("ours")
FOREIGN = gene("foreign", "linter")


def mixed_calls(ready, project, seed, count):
    """`count` calls of every kind on shared keys, in a process of its own; the tally of what they came to."""
    clock = FixedClock(START_US)
    with open_store(project, clock=clock) as store:
        ready()
        return make_mixed_calls(store, seed, count, clock)


def make_mixed_calls(store, seed, count, clock):
    """The same on a store that is open. Moves its clock, so that entries expire meanwhile."""
    dice = random.Random(seed)
    tally = Counter()
    for _ in range(count):
        clock.advance(dice.choice((0.001, 60, 7_200)))
        tally[_one_call(store, dice)] += 1
    return dict(tally)


def _one_call(store, dice):
    """What one call of random kind came to, by the audit line it must have left (or `none`)."""
    memory = store.gene_memory("main", OURS if dice.random() < 0.9 else FOREIGN)
    key = f"key/{dice.randrange(40)}"
    kind = dice.choices(("write", "read", "query", "delete", "list"), (50, 20, 15, 10, 5))[0]
    try:
        if kind == "write":
            size = dice.choice((0, 10, 100, 100, 900, 900, 7_000))
            policies = {} if dice.random() < 0.7 else {"retention_policy": ONE_DAY}
            memory.write_memory(key, dice.randbytes(size), dice.choice(CATEGORIES), **policies)
            return "written"
        if kind == "read":
            memory.read_memory(key)
        elif kind == "query":
            memory.query_memory({"keyPrefix": key[:5], "limit": 20})
        elif kind == "delete":
            memory.delete_memory(key)
            return "deleted"
        else:
            store.list_memory("main")
    except MemoryAccessDenied:
        return "denied"
    except MemoryQuotaExceeded:
        return "refused for space"
    except MemoryNotFound:
        return "none"
    return "none"


def write_own_keys(ready, project, worker, count):
    """B01: `count` writes on keys nobody else has."""
    with open_store(project) as store:
        memory = store.gene_memory("main", OURS)
        ready()
        for number in range(count):
            memory.write_memory(f"{worker}/{number}", b"x" * 50, "PATTERN")
    return count


def write_from_threads(ready, project, worker, threads, count):
    """B11: `threads` threads share this process's store and make `count` writes each."""
    from concurrent.futures import ThreadPoolExecutor

    with open_store(project) as store, ThreadPoolExecutor(threads) as pool:
        memory = store.gene_memory("main", OURS)
        ready()

        def write_all(thread):
            for number in range(count):
                memory.write_memory(f"{worker}/{thread}\n{number}", b"x" * 20, "CONTEXT")

        list(pool.map(write_all, range(threads)))
    return threads * count


def query_until(ready, project, expected):
    """B01: queries until all `expected` entries are there; every answer is whole and never shrinks."""
    with open_store(project) as store:
        memory = store.gene_memory("main", OURS)
        ready()
        seen = 0
        while seen < expected:
            found = len(memory.query_memory({"limit": 1000, "keyPrefix": "0/"}))
            assert found >= seen
            seen = found
    return seen


def write_once(ready, project, key, size_bytes):
    """B07: one PREFERENCE write of `size_bytes` with its key; whether there was room."""
    with open_store(project) as store:
        memory = store.gene_memory("main", OURS)
        ready()
        try:
            memory.write_memory(key, bytes(size_bytes - len(key)), "PREFERENCE")
        except MemoryQuotaExceeded:
            return False
    return True


def list_again_and_again(ready, project, days, count):
    """B04: the deployer's list, `count` times, by a clock that stands `days` later."""
    with open_store(project, clock=FixedClock(START_US + days * 86_400_000_000)) as store:
        ready()
        return [len(store.list_memory("main", "CACHE")) for _ in range(count)]


def create_the_same_agent(ready, project):
    """Opens a folder that has no store yet and creates an agent; whether it was first."""
    ready()
    with open_store(project) as store:
        try:
            store.create_agent("main", genes=[OURS])
        except AgentExists:
            return False
    return True


def look_and_stay(ready, project, looked, done):
    """B02: one look through every door that reads, then idle with the store open until told otherwise."""
    with open_store(project) as store:
        memory = store.gene_memory("main", OURS)
        ready()
        memory.read_memory("k")
        memory.query_memory()
        store.list_memory("main")
        store.browse_memory("main")
        store.memory_usage("main")
        looked.set()
        done.wait(300)
    return True


def write_beside_idlers(ready, project, looked, done):
    """B02: beside idle processes a write, a deletion, and SQLite's own word that nobody is in its way."""
    import sqlite3

    with open_store(project) as store:
        ready()
        for event in looked:
            assert event.wait(300)
        try:
            store.gene_memory("main", OURS).write_memory("new", b"1", "PATTERN")
            assert store.delete_memory("main", key="k") == 1
            other = sqlite3.connect(f"{project}/.rotifer/playground.db", timeout=0, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
            busy, in_log, moved = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            other.close()
        finally:
            done.set()
    return (busy, in_log, moved)
