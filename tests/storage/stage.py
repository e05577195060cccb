"""What the storage tests are made of: a prepared store, its whole state, every call, failures."""

from __future__ import annotations

import base64
import io
import sqlite3
import traceback
from contextlib import contextmanager

import pytest

from rotifer_store import (
    DataPolicy,
    FixedClock,
    Gene,
    MemoryNotFound,
    MemoryStorageError,
    RetentionPolicy,
    open_store,
)

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
TWO_DAYS_S = 172_800
SECRET = b"tell-nobody-8c1f"
SECRET_FORMS = (SECRET.decode(), base64.b64encode(SECRET).decode().rstrip("="), SECRET.hex())
OURS = Gene("v2:" + "a" * 64, "formatter", name="ours", version="1.0.0")
FOREIGN = Gene("v2:" + "b" * 64, "linter", name="foreign", version="2.0.0")
ANONYMOUS = Gene(None, "formatter")
ONE_DAY = RetentionPolicy(1, False, False)
QUOTA_BYTES = 400
AUDIT = "audit.jsonl"
TELEMETRY = "telemetry.jsonl"
DATABASE = "playground.db"


def folder_of(project):
    """The folder that holds a project's store."""
    return project / ".rotifer"


def open_at_start(project, **options):
    """The store, with a clock of its own that stands at the start."""
    return open_store(project, clock=FixedClock(START_US), **options)


def make_store(project):
    """A store whose agent `main` holds one entry of each category; nothing has expired yet.

    Every log line is written, and the database is closed and whole.
    """
    with open_at_start(project) as store:
        store.create_agent("main", genes=[OURS], memory_quota_bytes=QUOTA_BYTES)
        memory = store.gene_memory("main", OURS)
        memory.write_memory("cached", SECRET * 5, "CACHE")
        memory.write_memory("pattern", SECRET, "PATTERN")
        memory.write_memory("context", SECRET, "CONTEXT", retention_policy=ONE_DAY)
        memory.write_memory("wish", SECRET * 2, "PREFERENCE")
        store.export_memory("main", project / "exported.jsonl")
    return project


def contents(project):
    """Everything in the database, as SQL, read by no code of ours."""
    connection = sqlite3.connect(folder_of(project) / DATABASE)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def files_of(folder):
    """Name, mode and bytes of every file of a folder."""
    return {
        path.name: (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in folder.iterdir()
    }


@contextmanager
def failing(kind=MemoryStorageError):
    """The block fails with exactly that class, and nothing that is shown of it holds a value."""
    with pytest.raises(kind) as caught:
        yield caught
    assert type(caught.value) is kind
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    for form in SECRET_FORMS:
        assert form not in shown


def _peek(store):
    try:
        return store.peek_value("main", "wish")
    except MemoryNotFound:
        return None


CHANGES = {
    "write": lambda store: store.gene_memory("main", OURS).write_memory("new", SECRET, "CONTEXT"),
    "update": lambda store: store.gene_memory("main", OURS).write_memory("pattern", SECRET * 2, "PATTERN"),
    "write that evicts": lambda store: store.gene_memory("main", OURS).write_memory(
        "new", SECRET * 15, "CONTEXT"
    ),
    "delete": lambda store: store.gene_memory("main", OURS).delete_memory("wish"),
    "deployer's delete of a key": lambda store: store.delete_memory("main", key="wish"),
    "deployer's delete of keys": lambda store: store.delete_memory("main", keys=["wish", "cached"]),
    "deployer's delete of a category": lambda store: store.delete_memory("main", category="PATTERN"),
    "create agent": lambda store: store.create_agent("second"),
    "data policy": lambda store: store.set_data_policy("main", DataPolicy(5, False, True)),
    "quota": lambda store: store.set_memory_quota("main", 5_000),
    "genome": lambda store: store.set_genome("main", [FOREIGN]),
}
"""Changes of a store as `make_store` leaves it; each adds lines to the log."""

READS = {
    "read": lambda store: getattr(store.gene_memory("main", OURS).read_memory("pattern"), "value", None),
    "query": lambda store: {entry.key for entry in store.gene_memory("main", OURS).query_memory()},
    "list": lambda store: [info.key for info in store.list_memory("main")],
    "browse": lambda store: store.browse_memory("main").total,
    "usage": lambda store: store.memory_usage("main").used_bytes,
    "peek": _peek,
    "agents": lambda store: [agent.name for agent in store.agents()],
    "agent": lambda store: store.agent("main").name,
    "genes seen": lambda store: store.genes_seen("main"),
    "orphans": lambda store: len(store.orphans("main", [FOREIGN])),
    "forecast": lambda store: [info.key for info in store.forecast("main", 300).evicted],
    "access": lambda store: store.access("main", FOREIGN),
    "access to a key": lambda store: store.access("main", OURS, "wish"),
    "find": lambda store: {info.key for info in store.find("main", "tell", values=True)},
    "export": lambda store: store.export_memory("main", io.StringIO()),
}
"""Calls that change nothing where nothing has expired."""


def answers(store):
    """What every reading call answers."""
    return {name: read(store) for name, read in READS.items()}
