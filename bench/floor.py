"""The floor: bare sqlite3 on the library's tables, with its indexes and pragmas, and none of its rules.

A floor writes the same row that the library would, so that both pay for the same pages; it looks nothing up,
counts nothing, records nothing.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from bench.material import KEY_BYTES, VALUES, key_of, row_of
from bench.measure import Variant
from rotifer_store import SystemClock
from rotifer_store.audit_file import AUDIT_NAME
from rotifer_store.engine import DATABASE_NAME
from rotifer_store.schema import EntryRow
from rotifer_store.statements import SQLITE
from rotifer_store.tables import MemoryCategory

AUDIT_LINE_BYTES = 800
"""About what one line of the library's log has."""

_KEPT = {"ref", "agent_ref", "key", "created_by", "created_domain", "created_at_us"}
_REWRITTEN = [name for name in EntryRow.model_fields if name not in _KEPT]
UPSERT = f"{SQLITE.insert_entry} ON CONFLICT (agent_ref, key) DO UPDATE SET " + ", ".join(
    f"{column} = excluded.{column}" for column in _REWRITTEN
)
_ENTRY = (
    "SELECT key, category, value, created_by, last_accessed_by, created_at_us, updated_at_us, read_scope, "
    "write_scope, share_policy, own_days, own_auto_delete, own_anonymization, size_bytes "
    "FROM rotifer_entry WHERE agent_ref = ? "
)
READ = _ENTRY + "AND key = ?"
NEWEST = _ENTRY + "ORDER BY order_us DESC, seq DESC LIMIT 100"
PREFIX_NEWEST = _ENTRY + "AND key >= ? AND key < ? ORDER BY order_us DESC, seq DESC LIMIT 100"
OLDEST = (
    "SELECT ref, size_bytes FROM rotifer_entry WHERE agent_ref = ? AND category <= 2 "
    "ORDER BY category, order_us, seq LIMIT ?"
)
DELETE = "DELETE FROM rotifer_entry WHERE ref = ?"


def connect(folder: Path, *, synchronous: str = "NORMAL") -> sqlite3.Connection:
    """A connection with the library's settings."""
    connection = sqlite3.connect(folder / DATABASE_NAME, isolation_level=None, cached_statements=256)
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("PRAGMA wal_autocheckpoint=4000")
    connection.execute("PRAGMA secure_delete=ON")
    return connection


def _closing(connection: sqlite3.Connection, changes_each: int) -> Callable[[int], None]:
    before = connection.total_changes

    def finish(operations: int) -> None:
        changed = connection.total_changes - before
        connection.close()
        assert changed == operations * changes_each, f"the floor changed {changed} rows"

    return finish


def _stored(connection: sqlite3.Connection) -> Callable[[int, object], None]:
    def check(number: int, _: object) -> None:
        (row,) = connection.execute(READ, (1, key_of(number))).fetchall()
        assert row[2] == VALUES[number % len(VALUES)]

    return check


def overwrite(folder: Path, *, synchronous: str = "NORMAL") -> Variant:
    """`BEGIN IMMEDIATE; upsert; COMMIT` of the entry of a number that is there."""
    connection = connect(folder, synchronous=synchronous)
    execute, clock, seq = connection.execute, SystemClock(), itertools.count(1)

    def run(number: int) -> None:
        execute("BEGIN IMMEDIATE")
        execute(UPSERT, row_of(1, number, at_us=clock.now_us(), seq=next(seq)))
        execute("COMMIT")

    return Variant("raw upsert", run, _stored(connection), _closing(connection, 1))


def overwrite_after_line(folder: Path) -> Variant:
    """The least that durability against power loss can cost: a line on the disk, then a FULL commit."""
    plain = overwrite(folder, synchronous="FULL")
    log = os.open(folder / "floor.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    line = b"x" * (AUDIT_LINE_BYTES - 1) + b"\n"

    def run(number: int) -> None:
        os.write(log, line)
        os.fdatasync(log)
        plain.run(number)

    def finish(operations: int) -> None:
        plain.finish(operations)
        os.close(log)
        assert (folder / "floor.log").stat().st_size == operations * AUDIT_LINE_BYTES

    return Variant("raw FULL after a synced line", run, plain.check, finish)


def insert(folder: Path) -> Variant:
    """`BEGIN IMMEDIATE; INSERT; COMMIT` of the entry of a new number."""
    connection = connect(folder)
    execute, clock, seq = connection.execute, SystemClock(), itertools.count(1)

    def run(number: int) -> None:
        execute("BEGIN IMMEDIATE")
        execute(SQLITE.insert_entry, row_of(1, number, at_us=clock.now_us(), seq=next(seq)))
        execute("COMMIT")

    return Variant("raw insert", run, _stored(connection), _closing(connection, 1))


def evict(folder: Path, count: int, value: bytes) -> Variant:
    """In one transaction: selects the `count` oldest entries, deletes them, inserts one of that value."""
    connection = connect(folder)
    execute, clock, seq = connection.execute, SystemClock(), itertools.count(1)

    def run(number: int) -> None:
        execute("BEGIN IMMEDIATE")
        oldest = execute(OLDEST, (1, count)).fetchall()
        connection.executemany(DELETE, [(ref,) for ref, _ in oldest])
        row = row_of(
            1, number, at_us=clock.now_us(), seq=next(seq), category=MemoryCategory.CACHE, value=value
        )
        execute(SQLITE.insert_entry, row)
        execute("COMMIT")

    def check(number: int, _: object) -> None:
        (row,) = execute(READ, (1, key_of(number))).fetchall()
        assert row[-1] == KEY_BYTES + len(value)

    return Variant("raw select + delete + insert", run, check, _closing(connection, count + 1))


def read(folder: Path) -> Variant:
    """One select of the entry of a number."""
    connection = connect(folder)
    execute = connection.execute

    def run(number: int) -> object:
        return execute(READ, (1, key_of(number))).fetchone()

    def check(number: int, row: object) -> None:
        assert isinstance(row, tuple)
        assert row[2] == VALUES[number % len(VALUES)]

    return Variant("raw select", run, check, _closing(connection, 0))


def newest(folder: Path) -> Variant:
    """The 100 newest rows as tuples."""
    connection = connect(folder)
    execute = connection.execute

    def run(_: object) -> object:
        return execute(NEWEST, (1,)).fetchall()

    return Variant("raw select of 100", run, _hundred, _closing(connection, 0))


def prefix_newest(folder: Path) -> Variant:
    """The 100 newest rows of a prefix as tuples, in one statement that sorts whole rows."""
    connection = connect(folder)
    execute = connection.execute
    plan = execute(f"EXPLAIN QUERY PLAN {PREFIX_NEWEST}", (1, "", "")).fetchall()
    assert any("TEMP B-TREE" in step[-1] for step in plan), "the one-step query does not sort"

    def run(prefix: str) -> object:
        return execute(PREFIX_NEWEST, (1, prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))).fetchall()

    return Variant("one-step raw", run, _hundred, _closing(connection, 0))


def _hundred(_: object, rows: object) -> None:
    assert isinstance(rows, list)
    assert len(rows) == 100


def count_newlines(folder: Path, lines: int) -> Variant:
    """One pass over the audit log, a MiB at a time."""

    def run(_: object) -> int:
        descriptor = os.open(folder / AUDIT_NAME, os.O_RDONLY)
        count = start = 0
        while piece := os.pread(descriptor, 1 << 20, start):
            count += piece.count(b"\n")
            start += len(piece)
        os.close(descriptor)
        return count

    def check(_: object, count: object) -> None:
        assert count == lines

    return Variant("count newlines", run, check, lambda _: None)
