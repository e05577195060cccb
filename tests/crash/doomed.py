"""What the processes of the crash tests do: prepare an agent, make one change, and die at a named step of it.

The product has no failpoints. A process arranges its death from outside: it watches the statements of every
connection, the writes to the audit log and the lock, and kills itself with SIGKILL when the step is reached.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import MappingProxyType

import rotifer_store.store
from rotifer_store import DataPolicy, FixedClock, Gene, RetentionPolicy, Store, open_store
from rotifer_store.change import Change

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
TWO_DAYS_S = 172_800
OURS = Gene("v2:" + "a" * 64, "formatter", name="ours", version="1.0.0")
ONE_DAY = RetentionPolicy(1, False, False)
MOVED_NAME = "moved.jsonl"

LOCKED = "lock taken"
BEGUN = "transaction begun"
LOADED = "head loaded"
BEFORE_LINES = "before the lines"
LINES_WRITTEN = "lines written"
APPLIED = "rows applied"
BEFORE_COMMIT = "before COMMIT"
COMMITTED = "committed, lock held"
STEPS = (LOCKED, BEGUN, LOADED, BEFORE_LINES, LINES_WRITTEN, APPLIED, BEFORE_COMMIT, COMMITTED)
UNSAVED_STEPS = frozenset({LINES_WRITTEN, APPLIED, BEFORE_COMMIT})
"""Where a death leaves lines of a change that was never saved."""


class Scene:
    """One agent of an open store."""

    def __init__(self, store: Store, name: str, project: Path):
        self.store, self.name = store, name
        self.moved = project / MOVED_NAME
        self.memory = store.gene_memory(name, OURS)

    def write(self, key, size, category="CONTEXT", **policies):
        self.memory.write_memory(key, b"v" * size, category, **policies)


Held = dict[str, tuple[str, int]]
"""Category and size of each entry."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of change: how it is prepared and made, the lines it adds, what is held before and after."""

    name: str
    prepare: Callable[[Scene], None]
    change: Callable[[Scene], object]
    told: tuple[str, ...]
    before: Held
    after: Held
    quota_bytes: int = 10_000
    passing_s: int = 0
    """What passes between preparing and the change."""


OLD: Held = {"old": ("CONTEXT", 13)}
GONE: Held = {"gone/1": ("PATTERN", 10), "gone/2": ("PREFERENCE", 12)}
CACHED: Held = {"c/1": ("CACHE", 23), "c/2": ("CACHE", 33)}
MOVED: Held = {"m/1": ("CONTEXT", 8), "m/2": ("PATTERN", 9), "m/3": ("PREFERENCE", 10)}


def _nothing(scene):
    pass


def _cached(scene):
    for key, (category, size) in CACHED.items():
        scene.write(key, size - len(key), category)


def _expired(scene):
    for key, (category, size) in GONE.items():
        scene.write(key, size - len(key), category, retention_policy=ONE_DAY)


_KINDS = (
    Kind(
        "write new",
        _nothing,
        lambda scene: scene.write("new", 20),
        ("memory_write",),
        OLD,
        OLD | {"new": ("CONTEXT", 23)},
    ),
    Kind(
        "rewrite",
        _nothing,
        lambda scene: scene.write("old", 50, "PATTERN"),
        ("memory_update",),
        OLD,
        {"old": ("PATTERN", 53)},
    ),
    Kind(
        "write that evicts",
        _cached,
        lambda scene: scene.write("new", 60),
        ("memory_evict", "memory_evict", "memory_write"),
        OLD | CACHED,
        OLD | {"new": ("CONTEXT", 63)},
        quota_bytes=80,
    ),
    Kind(
        "delete",
        _nothing,
        lambda scene: scene.memory.delete_memory("old"),
        ("memory_delete",),
        OLD,
        {},
    ),
    Kind(
        "read that sweeps",
        _expired,
        lambda scene: scene.memory.read_memory("old"),
        ("memory_expire", "memory_expire"),
        OLD | GONE,
        OLD,
        passing_s=TWO_DAYS_S,
    ),
    Kind(
        "import",
        _nothing,
        lambda scene: scene.store.import_memory(scene.name, scene.moved, copy_private=True),
        ("memory_import",) * 3,
        OLD,
        OLD | MOVED,
    ),
    Kind(
        "deployer's delete",
        _cached,
        lambda scene: scene.store.delete_memory(scene.name, category="CACHE"),
        ("memory_delete", "memory_delete"),
        OLD | CACHED,
        OLD,
    ),
    Kind(
        "data policy",
        _expired,
        lambda scene: scene.store.set_data_policy(scene.name, DataPolicy(365, False, False)),
        ("memory_expire", "memory_expire", "policy_change"),
        OLD | GONE,
        OLD,
        passing_s=TWO_DAYS_S,
    ),
    Kind(
        "new agent",
        _nothing,
        lambda scene: scene.store.create_agent(successor(scene.name)),
        ("agent_create",),
        OLD,
        OLD,
    ),
)
KINDS = MappingProxyType({kind.name: kind for kind in _KINDS})


def successor(name):
    """The name of the agent that a `new agent` change creates."""
    return f"{name}-new"


def prepared_actions(kind):
    """The lines that preparing leaves, in order."""
    return ["agent_create", *["memory_write"] * len(kind.before)]


class Death:
    """Watches everything that a step can be told by; once armed, dies at the step."""

    def __init__(self, step, audit_log):
        self._step = step
        self._audit_log = audit_log
        self._statement = ""
        self.is_armed = False
        self._watch_statements()
        self._watch_lock()
        self._watch_log()
        self._watch_pieces()

    def _reached(self, step):
        if self.is_armed and step == self._step:
            os.kill(os.getpid(), signal.SIGKILL)

    def _watch_statements(self):
        connect = sqlite3.connect

        def begins(statement):
            before, self._statement = self._statement, statement
            if before == "BEGIN IMMEDIATE":
                self._reached(BEGUN)
            if statement == "COMMIT":
                self._reached(BEFORE_COMMIT)

        def watched(*arguments, **options):
            connection = connect(*arguments, **options)
            connection.set_trace_callback(begins)
            return connection

        sqlite3.connect = watched

    def _watch_lock(self):
        flock = fcntl.flock

        def watched(descriptor, operation):
            if operation == fcntl.LOCK_UN:
                self._reached(COMMITTED)
            flock(descriptor, operation)
            if operation == fcntl.LOCK_EX:
                self._reached(LOCKED)

        fcntl.flock = watched

    def _watch_log(self):
        write = os.write

        def watched(descriptor, data):
            if not self._is_log(descriptor):
                return write(descriptor, data)
            self._reached(BEFORE_LINES)
            written = write(descriptor, data)
            self._reached(LINES_WRITTEN)
            return written

        os.write = watched

    def _is_log(self, descriptor):
        return self._audit_log.exists() and os.path.samestat(os.fstat(descriptor), self._audit_log.stat())

    def _watch_pieces(self):
        for name, step in (("load", LOADED), ("load_state", LOADED), ("_apply", APPLIED)):
            setattr(Change, name, self._dying_after(getattr(Change, name), step))

    def _dying_after(self, method, step):
        @wraps(method)
        def watched(*arguments, **options):
            result = method(*arguments, **options)
            self._reached(step)
            return result

        return watched


def make_store(project):
    """A project with the agents `main`, for those who survive, and `source`, whose entries were exported."""
    project = Path(project)
    with open_store(project, clock=FixedClock(START_US)) as store:
        store.create_agent("main", genes=[OURS])
        store.create_agent("source", genes=[OURS])
        for key, (category, size) in MOVED.items():
            store.gene_memory("source", OURS).write_memory(key, b"m" * (size - len(key)), category)
        store.export_memory("source", project / MOVED_NAME)


def prepare(project, victims):
    """Prepares an agent for each victim; `victims` are pairs of an agent's name and a kind's name."""
    with open_store(project, clock=FixedClock(START_US)) as store:
        for name, kind_name in victims:
            kind = KINDS[kind_name]
            store.create_agent(name, memory_quota_bytes=kind.quota_bytes)
            scene = Scene(store, name, Path(project))
            scene.write("old", 10)
            kind.prepare(scene)


def change_and_die(project, step, name, kind_name):
    """Makes the change that an agent is prepared for; dies at the step."""
    project, kind, clock = Path(project), KINDS[kind_name], FixedClock(START_US)
    clock.advance(kind.passing_s)
    death = Death(step, project / ".rotifer" / "audit.jsonl")
    store = open_store(project, clock=clock)
    scene = Scene(store, name, project)
    death.is_armed = True
    kind.change(scene)


def open_and_die(project, step):
    """Opens the store; dies at the step of revoking what another left unsaved."""
    project = Path(project)
    death = Death(step, project / ".rotifer" / "audit.jsonl")
    recover = rotifer_store.store.recover

    def watched(shell):
        death.is_armed = True
        recover(shell)

    rotifer_store.store.recover = watched
    open_store(project, clock=FixedClock(START_US))


def rotate_and_die(project, step):
    """Rotates the audit log; dies at the step."""
    project = Path(project)
    death = Death(step, project / ".rotifer" / "audit.jsonl")
    store = open_store(project, clock=FixedClock(START_US))
    death.is_armed = True
    store.rotate_audit()


def write_until_stopped(project, worker, stop):
    """Writes on and on until the file `stop` appears; returns how many changes were made."""
    count = 0
    with open_store(project, clock=FixedClock(START_US)) as store:
        memory = store.gene_memory("main", OURS)
        while not os.path.exists(stop):
            memory.write_memory(f"w{worker}/{count % 20}", b"w" * (count % 90), "PATTERN")
            count += 1
    return count


def write_and_tell(project, name, told):
    """Writes, rewrites and deletes without end; a byte goes into the pipe after each change that returned."""
    pipe = os.open(told, os.O_WRONLY)
    store = open_store(project, clock=FixedClock(START_US))
    store.create_agent(name)
    memory = store.gene_memory(name, OURS)
    number = 0
    while True:
        change_number(memory, number)
        os.write(pipe, b".")
        number += 1


def change_number(memory, number):
    """The change of that number in an endless series on five keys."""
    key = f"k{number // 3 % 5}"
    if number % 3 == 2:
        memory.delete_memory(key)
    else:
        memory.write_memory(key, b"v" * (number % 100), "CONTEXT")


def held_after(count):
    """What the series holds after so many changes."""
    held = {}
    for number in range(count):
        key = f"k{number // 3 % 5}"
        if number % 3 == 2:
            del held[key]
        else:
            held[key] = ("CONTEXT", len(key) + number % 100)
    return held


def open_until_statement(project, count):
    """Opens the store and dies when the statement of that number begins; returns if there are fewer."""
    seen = 0
    connect = sqlite3.connect

    def begins(statement):
        nonlocal seen
        if seen == count:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    def watched(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_trace_callback(begins)
        return connection

    sqlite3.connect = watched
    open_store(project, clock=FixedClock(START_US)).close()
