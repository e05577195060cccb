"""The goals, in the order of the table: what is compared with what, and what is asked.

Each `measure` builds both sides on files of their own, runs the blocks and returns one row's numbers.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench import channel, commands, dashboard, floor, ours, peers, processes, wasm
from bench.material import ENTRY_BYTES, KEY_BYTES, PREFIXES, VALUES, Fill, Material
from bench.measure import Ratio, Timed, Variant, ratio, run_blocks
from rotifer_store import MemoryCategory, open_store

OPERATIONS = 100
TEN_THOUSAND = Fill(10_000)


class Bench(NamedTuple):
    """One run: its files, how many blocks, the seed of every random choice."""

    material: Material
    blocks: int
    seed: int

    def compare(self, ours: Variant, floor: Variant, arguments: Callable[[], Sequence[Any]]) -> Measured:
        """Both sides over the same blocks."""
        ours_timed, floor_timed = run_blocks((ours, floor), arguments, blocks=self.blocks, seed=self.seed)
        return Measured(
            ratio(ours_timed, floor_timed), f"{ours_timed.median_us:.1f}", f"{floor_timed.median_us:.1f}"
        )

    def some(self, entries: int) -> Callable[[], list[int]]:
        """Numbers of entries that are there, all over the store."""
        choose = random.Random(self.seed)
        return lambda: [choose.randrange(entries) for _ in range(OPERATIONS)]

    def prefixes(self) -> Callable[[], list[str]]:
        """Prefixes, each of a fiftieth of the entries."""
        choose = random.Random(self.seed)
        return lambda: [f"{choose.randrange(PREFIXES):02d}/" for _ in range(OPERATIONS)]


class Measured(NamedTuple):
    """One row's numbers. Without a ratio of blocks `value` stands for it."""

    ratio: Ratio | None
    ours: str
    floor: str
    value: float | None = None

    @property
    def gated(self) -> float:
        """What the target is held against: the median of the paired ratios."""
        if self.ratio is not None:
            return self.ratio.paired
        assert self.value is not None
        return self.value


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal. `target` bounds the ratio from above, or with `at_least` from below; None: for the record."""

    name: str
    text: str
    floor: str
    target: float | None
    measure: Callable[[Bench], Measured]
    at_least: bool = False
    needs: str | None = None

    def is_met(self, measured: Measured) -> bool | None:
        """Whether the target is kept; None where there is none."""
        if self.target is None:
            return None
        return measured.gated >= self.target if self.at_least else measured.gated <= self.target


def new_numbers(first: int, count: int = OPERATIONS) -> Callable[[], list[int]]:
    """Numbers that no entry has yet."""
    numbers = itertools.count(first)
    return lambda: list(itertools.islice(numbers, count))


def _nothing() -> list[None]:
    return [None] * OPERATIONS


def overwrite(bench: Bench) -> Measured:
    store = bench.material.store
    return bench.compare(
        ours.write(store(TEN_THOUSAND)), floor.overwrite(store(TEN_THOUSAND)), bench.some(10_000)
    )


def overwrite_full(bench: Bench) -> Measured:
    folder = bench.material.store(TEN_THOUSAND)
    return bench.compare(
        ours.write(folder, store=ours.full_without_synced_log(folder)),
        floor.overwrite(bench.material.store(TEN_THOUSAND), synchronous="FULL"),
        bench.some(10_000),
    )


def _power_loss(bench: Bench) -> Variant:
    folder = bench.material.store(TEN_THOUSAND)
    return ours.write(folder, store=open_store(state_dir=folder, durability="power-loss"))


def power_loss(bench: Bench) -> Measured:
    raw = floor.overwrite(bench.material.store(TEN_THOUSAND), synchronous="FULL")
    return bench.compare(_power_loss(bench), raw, bench.some(10_000))


def power_loss_after_line(bench: Bench) -> Measured:
    raw = floor.overwrite_after_line(bench.material.store(TEN_THOUSAND))
    return bench.compare(_power_loss(bench), raw, bench.some(10_000))


def new_key(bench: Bench) -> Measured:
    store = bench.material.store
    return bench.compare(
        ours.write(store(TEN_THOUSAND)), floor.insert(store(TEN_THOUSAND)), new_numbers(10_000)
    )


def at_quota(bench: Bench) -> Measured:
    full = Fill(10_000, MemoryCategory.CACHE, is_full=True)
    return bench.compare(
        ours.write(bench.material.store(full), category=MemoryCategory.CACHE, evicted_each=1),
        _of_the_same_numbers(floor.overwrite(bench.material.store(TEN_THOUSAND)), 10_000),
        new_numbers(10_000),
    )


def _of_the_same_numbers(variant: Variant, entries: int) -> Variant:
    """For new keys on one side: the other overwrites the entries that it has, one after the other."""
    return Variant(
        variant.name,
        lambda number: variant.run(number % entries),
        lambda number, result: variant.check(number % entries, result),
        variant.finish,
    )


def evict(count: int) -> Callable[[Bench], Measured]:
    """One write that needs the room of `count` entries of 1 KiB."""

    def measure(bench: Bench) -> Measured:
        each_block = max(1, min(20, 500 // count))
        entries = max(10_000, count * each_block * (bench.blocks + 2))
        full = Fill(entries, MemoryCategory.CACHE, is_full=True)
        value = (VALUES[0] * (count + count // 50 + 1))[: count * ENTRY_BYTES - KEY_BYTES]
        folder = bench.material.store(full)
        return bench.compare(
            ours.write(folder, category=MemoryCategory.CACHE, value=value, evicted_each=count),
            floor.evict(bench.material.store(full), count, value),
            new_numbers(entries, each_block),
        )

    return measure


def read(bench: Bench) -> Measured:
    store = bench.material.store
    return bench.compare(ours.read(store(TEN_THOUSAND)), floor.read(store(TEN_THOUSAND)), bench.some(10_000))


def query(bench: Bench) -> Measured:
    store = bench.material.store
    return bench.compare(ours.query(store(TEN_THOUSAND)), floor.newest(store(TEN_THOUSAND)), _nothing)


def query_growth(bench: Bench) -> Measured:
    store = bench.material.store
    return bench.compare(
        ours.query(store(Fill(100_000)), "of 100k"), ours.query(store(Fill(1000)), "of 1k"), _nothing
    )


def prefix(entries: int) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        store = bench.material.store
        return bench.compare(
            ours.prefix_query(store(Fill(entries))),
            floor.prefix_newest(store(Fill(entries))),
            bench.prefixes(),
        )

    return measure


def expiry_probe(bench: Bench) -> Measured:
    many, few = Fill(100_000, expires=True), Fill(1000, expires=True)
    return bench.compare(
        ours.usage(bench.material.store(many), "of 100k", many.entries),
        ours.usage(bench.material.store(few), "of 1k", few.entries),
        _nothing,
    )


def browse_growth(bench: Bench) -> Measured:
    store = bench.material.store
    return bench.compare(
        ours.browse(store(Fill(100_000)), "of 100k", 100_000),
        ours.browse(store(Fill(1000)), "of 1k", 1000),
        lambda: [None] * 10,
    )


def log_page(bench: Bench) -> Measured:
    """Both sides only read, so one file serves both."""
    folder = bench.material.log(1_000_000)
    return bench.compare(
        ours.log_page(folder, 1_000_000), floor.count_newlines(folder, 1_000_000), lambda: [None]
    )


def put_diskcache(bench: Bench) -> Measured:
    peer = peers.diskcache_set(bench.material.empty_folder(), 10_000)
    return bench.compare(ours.write(bench.material.store(TEN_THOUSAND)), peer, bench.some(10_000))


def get_diskcache(bench: Bench) -> Measured:
    peer = peers.diskcache_get(bench.material.empty_folder(), 10_000)
    return bench.compare(ours.read(bench.material.store(TEN_THOUSAND)), peer, bench.some(10_000))


def put_langgraph(*, same_pragmas: bool) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        peer = peers.langgraph_put(bench.material.empty_folder(), 10_000, same_pragmas=same_pragmas)
        return bench.compare(ours.write(bench.material.store(TEN_THOUSAND)), peer, bench.some(10_000))

    return measure


def get_langgraph(bench: Bench) -> Measured:
    peer = peers.langgraph_get(bench.material.empty_folder(), 10_000)
    return bench.compare(ours.read(bench.material.store(TEN_THOUSAND)), peer, bench.some(10_000))


def query_langgraph(bench: Bench) -> Measured:
    peer = peers.langgraph_search(bench.material.empty_folder(), 10_000)
    return bench.compare(ours.query(bench.material.store(TEN_THOUSAND)), peer, lambda: [None] * 10)


def eight_writers(bench: Bench) -> Measured:
    one, eight = processes.writers(bench.material, 1), processes.writers(bench.material, 8)
    assert one.failed == eight.failed == 0, "a writer was refused"
    return Measured(
        None,
        f"{eight.writes_per_s:.0f}/s",
        f"{one.writes_per_s:.0f}/s",
        eight.writes_per_s / one.writes_per_s,
    )


def slowest_write(bench: Bench) -> Measured:
    eight = processes.writers(bench.material, 8)
    assert eight.failed == 0, "a writer was refused"
    return Measured(None, f"{eight.slowest_ms:.0f} ms", "", eight.slowest_ms / 1000)


def reader_beside_writers(bench: Bench) -> Measured:
    beside = processes.reader(bench.material, TEN_THOUSAND, 2)
    alone = processes.reader(bench.material, TEN_THOUSAND, 0)
    return Measured(None, f"{beside:.0f}/s", f"{alone:.0f}/s", beside / alone)


def command_start(bench: Bench) -> Measured:
    folder = bench.material.empty_folder
    return bench.compare(commands.listing(folder()), commands.empty_program(folder()), lambda: [None])


def over_channel(call: str, language: channel.Language) -> Callable[[Bench], Measured]:
    """A hundred calls a run, told for one."""

    def measure(bench: Bench) -> Measured:
        material, numbers = bench.material, bench.some(10_000)
        through = channel.through(call, language, material.store(TEN_THOUSAND), material.empty_folder())
        here = channel.here(call, language, material.store(TEN_THOUSAND))
        timed = run_blocks((through, here), lambda: [numbers()], blocks=bench.blocks, seed=bench.seed)
        ours_each, here_each = (Timed([us / OPERATIONS for us in each.blocks_us]) for each in timed)
        return Measured(
            ratio(ours_each, here_each), f"{ours_each.median_us:.1f}", f"{here_each.median_us:.1f}"
        )

    return measure


DashboardVariant = Callable[[Path, int, asyncio.AbstractEventLoop], Variant]


def dashboard_growth(
    variant: DashboardVariant, arguments: Callable[[], Sequence[Any]]
) -> Callable[[Bench], Measured]:
    """The dashboard on 100 000 entries against the same on 1 000 (TUI-10)."""

    def measure(bench: Bench) -> Measured:
        loop = asyncio.new_event_loop()
        many, few = (
            variant(dashboard.project(bench.material, entries), entries, loop) for entries in (100_000, 1000)
        )
        measured = bench.compare(many, few, arguments)
        loop.close()
        return measured

    return measure


def idle_cpu(bench: Bench) -> Measured:
    percent = dashboard.idle_cpu(dashboard.project(bench.material, 1000))
    return Measured(None, f"{percent:.2f} %", "", percent)


def typescript_run(bench: Bench) -> Measured:
    return bench.compare(
        channel.empty_run(bench.material.empty_folder()), channel.empty_round_trip(), _nothing
    )


def by_wasm(bench: Bench) -> Measured:
    """A thousand calls a run, told for one."""
    material = bench.material
    choose = random.Random(bench.seed)
    through = wasm.through(material.store(TEN_THOUSAND), material.empty_folder())
    timed = run_blocks(
        (through, wasm.here(material.store(TEN_THOUSAND))),
        lambda: [[choose.randrange(10_000) for _ in range(wasm.CALLS)]],
        blocks=bench.blocks,
        seed=bench.seed,
    )
    ours_each, here_each = (Timed([us / wasm.CALLS for us in each.blocks_us]) for each in timed)
    return Measured(ratio(ours_each, here_each), f"{ours_each.median_us:.1f}", f"{here_each.median_us:.1f}")


GOALS: tuple[Goal, ...] = (
    Goal("overwrite", "overwrite, all rules, NORMAL", "raw upsert", 2.0, overwrite),
    Goal("overwrite-full", "the same, FULL commits", "raw upsert, FULL", 1.8, overwrite_full),
    Goal("power-loss", 'overwrite, durability="power-loss"', "raw upsert, FULL", None, power_loss),
    Goal(
        "power-loss-line",
        'overwrite, durability="power-loss"',
        "fdatasync of a line, raw upsert, FULL",
        None,
        power_loss_after_line,
    ),
    Goal("new-key", "new key", "raw insert", 2.2, new_key),
    Goal("at-quota", "write at quota, evicting 1", "raw upsert", 3.0, at_quota),
    *(
        Goal(f"evict-{count}", f"one write evicting {count}", "raw select, delete, insert", 1.8, evict(count))
        for count in (1, 10, 100, 1000)
    ),
    Goal("read", "read, by the gene that read last", "raw select", 1.8, read),
    Goal("query", "query newest 100, objects", "raw tuples", 1.3, query),
    Goal("query-growth", "query newest 100 of 100k entries", "the same of 1k", 1.5, query_growth),
    Goal("prefix", "prefix newest 100, 10k entries", "one-step raw", 1.0, prefix(10_000)),
    Goal("prefix-100k", "prefix newest 100, 100k entries", "one-step raw", 1.0, prefix(100_000)),
    Goal("expiry-probe", "usage of 100k entries, none expired", "the same of 1k", 1.5, expiry_probe),
    Goal("browse-page", "browse first page of 100k entries", "the same of 1k", 1.5, browse_growth),
    Goal("log-page", "audit first page, 1 000 000 lines", "one pass that counts newlines", 2.0, log_page),
    Goal("diskcache-put", "put", "diskcache set", 1.5, put_diskcache, needs=peers.DISKCACHE),
    Goal("diskcache-get", "get", "diskcache get", 1.6, get_diskcache, needs=peers.DISKCACHE),
    Goal(
        "langgraph-put",
        "put",
        "langgraph SqliteStore put, same pragmas",
        1.2,
        put_langgraph(same_pragmas=True),
        needs=peers.LANGGRAPH,
    ),
    Goal(
        "langgraph-put-shipped",
        "put",
        "langgraph SqliteStore put, as shipped",
        0.25,
        put_langgraph(same_pragmas=False),
        needs=peers.LANGGRAPH,
    ),
    Goal("langgraph-get", "get", "langgraph SqliteStore get", 0.6, get_langgraph, needs=peers.LANGGRAPH),
    Goal(
        "langgraph-query",
        "unfiltered query of 100, 10k entries",
        "langgraph SqliteStore search",
        0.05,
        query_langgraph,
        needs=peers.LANGGRAPH,
    ),
    Goal("writers", "8 writers, writes/s", "1 writer", 0.5, eight_writers, at_least=True),
    Goal("slowest-write", "8 writers, slowest write in s", "", 1.0, slowest_write),
    Goal("reader", "reader beside 2 writers, reads/s", "alone", 0.5, reader_beside_writers, at_least=True),
    *(
        Goal(
            f"{name}-{call}",
            f"{call} by a {text} gene in its own process",
            f"{call} in process + an empty round trip",
            3.0,
            over_channel(call, language),
        )
        for name, text, language in (
            ("channel", "Python", channel.PYTHON),
            ("typescript", "TypeScript", channel.TYPESCRIPT),
        )
        for call in ("read", "write")
    ),
    Goal(
        "typescript-run", "an empty run of a warm TypeScript gene", "an empty round trip", 5.0, typescript_run
    ),
    Goal(
        "wasm-read",
        "readMemory by a WASM gene",
        "read_memory in process",
        4.0,
        by_wasm,
        needs=wasm.WASMTIME,
    ),
    Goal("command", "rotifer agent memory list, piped", "empty Typer program", 1.3, command_start),
    *(
        Goal(f"dashboard-{name}", f"dashboard, {text}, 100k entries", "the same of 1k", 1.5, measure)
        for name, text, measure in (
            ("paint", "start to first paint", dashboard_growth(dashboard.first_paint, lambda: [None])),
            (
                "key",
                "key press to paint",
                dashboard_growth(dashboard.key_press, lambda: list(dashboard.STEPS)),
            ),
            ("refresh", "refresh to paint", dashboard_growth(dashboard.refresh, new_numbers(500, 1))),
        )
    ),
    Goal("dashboard-idle", "dashboard, processor time idle in %", "", 1.0, idle_cpu),
)
