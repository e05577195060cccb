"""The library's side of each comparison, through its public calls, with its work counted afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from bench.material import AGENT, GENE, KEY_BYTES, VALUES, key_of
from bench.measure import Variant
from rotifer_store import (
    AuditRecord,
    GeneMemory,
    MemoryCategory,
    MemoryEntry,
    Page,
    Store,
    SystemClock,
    UnreadableLine,
    open_store,
)
from rotifer_store.audit_file import AUDIT_NAME, AuditFile
from rotifer_store.change import Shell
from rotifer_store.engine import DATABASE_NAME, SqliteEngine
from rotifer_store.model import MemoryFilter, MemoryUsage

PAGE_ROWS = 200
"""What a dashboard asks for at a time."""


def full_without_synced_log(folder: Path) -> Store:
    """A store whose commits are FULL and whose log is not synced: no setting that the library offers.

    It shows what the rules add to a FULL write; `durability="power-loss"` adds the log's own sync.
    """
    engine = SqliteEngine(folder, syncs=True, read_only=False)
    return Store(Shell(engine, AuditFile(folder, syncs=False), SystemClock(), folder))


def _commits(folder: Path) -> int:
    """The committed `seq`: one for each line that the store knows."""
    connection = sqlite3.connect(folder / DATABASE_NAME)
    (seq,) = connection.execute("SELECT seq FROM rotifer_state").fetchone()
    connection.close()
    return int(seq)


def line_count(folder: Path) -> int:
    """The lines of the audit log."""
    with (folder / AUDIT_NAME).open("rb") as log:
        return sum(line.endswith(b"\n") for line in log)


def _closing(store: Store, folder: Path, lines_each: int) -> Callable[[int], None]:
    before = _commits(folder)

    def finish(operations: int) -> None:
        findings = {finding.kind for finding in store.verify()} if lines_each else set()
        store.close()
        assert findings <= {"replay"}, f"the store is not sound: {findings}"  # filled without lines
        added = _commits(folder) - before
        assert added == operations * lines_each, f"{added} lines for {operations} operations"
        assert line_count(folder) == _commits(folder)

    return finish


def _memory(store: Store) -> GeneMemory:
    return store.gene_memory(AGENT, GENE)


def write(
    folder: Path,
    *,
    store: Store | None = None,
    category: MemoryCategory = MemoryCategory.CONTEXT,
    value: bytes | None = None,
    evicted_each: int = 0,
) -> Variant:
    """`writeMemory` of the entry of a number, new or not, which evicts as many as said."""
    store = open_store(state_dir=folder) if store is None else store
    memory = _memory(store)
    call = memory.write_memory

    def run(number: int) -> MemoryEntry:
        return call(key_of(number), VALUES[number % len(VALUES)] if value is None else value, category)

    def check(number: int, entry: object) -> None:
        assert isinstance(entry, MemoryEntry)
        expected = VALUES[number % len(VALUES)] if value is None else value
        assert store.peek_value(AGENT, key_of(number)) == entry.value == expected
        assert entry.size_bytes == KEY_BYTES + len(expected)

    return Variant("write_memory", run, check, _closing(store, folder, 1 + evicted_each))


def read(folder: Path) -> Variant:
    """`readMemory` of the entry of a number, by the gene that used it last."""
    store = open_store(state_dir=folder)
    call = _memory(store).read_memory

    def run(number: int) -> MemoryEntry | None:
        return call(key_of(number))

    def check(number: int, entry: object) -> None:
        assert isinstance(entry, MemoryEntry)
        assert entry.value == VALUES[number % len(VALUES)]

    return Variant("read_memory", run, check, _closing(store, folder, 0))


def query(folder: Path, name: str = "query_memory") -> Variant:
    """`queryMemory` without a filter: the 100 newest, as objects."""
    store = open_store(state_dir=folder)
    call = _memory(store).query_memory

    def run(_: object) -> list[MemoryEntry]:
        return call()

    return Variant(name, run, _hundred, _closing(store, folder, 0))


def prefix_query(folder: Path) -> Variant:
    """`queryMemory` of the 100 newest under a prefix."""
    store = open_store(state_dir=folder)
    call = _memory(store).query_memory

    def run(prefix: str) -> list[MemoryEntry]:
        return call(MemoryFilter(key_prefix=prefix))

    def check(prefix: str, entries: object) -> None:
        _hundred(prefix, entries)
        assert isinstance(entries, list)
        assert all(entry.key.startswith(prefix) for entry in entries)

    return Variant("query_memory", run, check, _closing(store, folder, 0))


def usage(folder: Path, name: str, entries: int) -> Variant:
    """memory_usage: counters, and whether anything has expired."""
    store = open_store(state_dir=folder)
    agent = store.agent(AGENT)

    def run(_: object) -> MemoryUsage:
        return store.memory_usage(agent)

    def check(_: object, usage: object) -> None:
        assert isinstance(usage, MemoryUsage)
        assert sum(part.entries for part in usage.by_category.values()) == entries

    return Variant(name, run, check, _closing(store, folder, 0))


def browse(folder: Path, name: str, entries: int) -> Variant:
    """browse_memory: the first page in the default order, and how many entries there are."""
    store = open_store(state_dir=folder)
    agent = store.agent(AGENT)

    def run(_: object) -> Page:
        return store.browse_memory(agent)

    def check(_: object, page: object) -> None:
        assert isinstance(page, Page)
        assert page.total == entries
        assert [row.key for row in page.rows] == [key_of(entries - 1 - at) for at in range(PAGE_ROWS)]

    return Variant(name, run, check, _closing(store, folder, 0))


def log_page(folder: Path, lines: int) -> Variant:
    """audit_view: opened, its newest page shown before anything is counted, all counted, the page again."""
    store = open_store(state_dir=folder)

    def run(_: object) -> list[AuditRecord | UnreadableLine]:
        with store.audit_view() as view:
            page = view.newest(PAGE_ROWS)
            while view.is_behind:
                view.poll()
            assert view.records(view.line_count - PAGE_ROWS, PAGE_ROWS) == page
            return page

    def check(_: object, page: object) -> None:
        assert isinstance(page, list)
        assert [record.seq for record in page] == list(range(lines + 1 - PAGE_ROWS, lines + 1))

    return Variant("audit_view", run, check, _closing(store, folder, 0))


def _hundred(_: object, entries: object) -> None:
    assert isinstance(entries, list)
    assert len(entries) == 100
    assert isinstance(entries[0], MemoryEntry)
