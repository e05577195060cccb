"""Several processes on one store: writers side by side, and a reader beside writers.

Processes start together at a barrier. Their stores are written by the library alone, so `verify()` finds
nothing at all in a sound one: no torn line, no drift of a counter.
"""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import Any, NamedTuple

from bench.material import AGENT, GENE, VALUES, Fill, Material, key_of
from bench.ours import line_count
from rotifer_store import AgentMemoryError, MemoryCategory, open_store
from rotifer_store.tables import MAX_QUOTA_BYTES

REPEATS = 3
_WRITES_EACH = 2000
_READS = 10_000
_LOOKS_AT_THE_FLAG_EVERY = 50
_KEYS_EACH = 500
_spawn = get_context("spawn")


class Writing(NamedTuple):
    """What one set of writers did: all of them in a second, the slowest single write, refused writes."""

    writes_per_s: float
    slowest_ms: float
    failed: int


def _write(folder: Path, writer: int, barrier: Any, results: Any) -> None:
    with open_store(state_dir=folder) as store:
        memory = store.gene_memory(AGENT, GENE)
        slowest_ns = failed = 0
        barrier.wait()
        start_ns = before_ns = perf_counter_ns()
        for number in range(_WRITES_EACH):
            key = key_of(writer * _KEYS_EACH + number % _KEYS_EACH)
            try:
                memory.write_memory(key, VALUES[number % len(VALUES)], MemoryCategory.CONTEXT)
            except AgentMemoryError:
                failed += 1
            now_ns = perf_counter_ns()
            slowest_ns = max(slowest_ns, now_ns - before_ns)
            before_ns = now_ns
        results.put((start_ns, before_ns, slowest_ns, failed))


def _started(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        process.start()


def _joined(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        process.join()
        assert process.exitcode == 0


def _writers(material: Material, count: int) -> Writing:
    folder = material.empty_folder()
    with open_store(state_dir=folder) as store:
        store.create_agent(AGENT, memory_quota_bytes=MAX_QUOTA_BYTES)
    barrier, results = _spawn.Barrier(count), _spawn.Queue()
    processes = [
        _spawn.Process(target=_write, args=(folder, writer, barrier, results)) for writer in range(count)
    ]
    _started(processes)
    told = [results.get() for _ in processes]
    _joined(processes)
    with open_store(state_dir=folder) as store:
        assert store.verify() == []
    failed = sum(row[3] for row in told)
    assert line_count(folder) == 1 + count * _WRITES_EACH - failed  # one line created the agent
    seconds = (max(row[1] for row in told) - min(row[0] for row in told)) / 1e9
    return Writing((count * _WRITES_EACH - failed) / seconds, max(row[2] for row in told) / 1e6, failed)


def writers(material: Material, count: int) -> Writing:
    """`count` writers side by side: the median speed of the repeats, the slowest write of all."""
    runs = [_writers(material, count) for _ in range(REPEATS)]
    return Writing(
        median(run.writes_per_s for run in runs),
        max(run.slowest_ms for run in runs),
        sum(run.failed for run in runs),
    )


def _write_until(folder: Path, writer: int, barrier: Any, is_over: Any) -> None:
    with open_store(state_dir=folder) as store:
        memory = store.gene_memory(AGENT, GENE)
        barrier.wait()
        while not is_over.is_set():
            for number in range(_LOOKS_AT_THE_FLAG_EVERY):
                key = key_of(writer * _KEYS_EACH + number)
                memory.write_memory(key, VALUES[number % len(VALUES)], MemoryCategory.CONTEXT)


def _read(folder: Path, barrier: Any, results: Any, entries: int) -> None:
    with open_store(state_dir=folder) as store:
        memory = store.gene_memory(AGENT, GENE)
        barrier.wait()
        start_ns = perf_counter_ns()
        for number in range(_READS):
            entry = memory.read_memory(key_of(number * 7919 % entries))
            assert entry is not None
        results.put(_READS * 1e9 / (perf_counter_ns() - start_ns))


def _reader(material: Material, fill: Fill, writers_beside: int) -> float:
    folder = material.store(fill)
    barrier, results, is_over = _spawn.Barrier(writers_beside + 1), _spawn.Queue(), _spawn.Event()
    processes = [
        _spawn.Process(target=_write_until, args=(folder, writer, barrier, is_over))
        for writer in range(writers_beside)
    ]
    processes.append(_spawn.Process(target=_read, args=(folder, barrier, results, fill.entries)))
    _started(processes)
    reads_per_s = float(results.get())
    is_over.set()
    _joined(processes)
    return reads_per_s


def reader(material: Material, fill: Fill, writers_beside: int) -> float:
    """Reads in a second beside that many writers: the median of the repeats."""
    return median(_reader(material, fill, writers_beside) for _ in range(REPEATS))
