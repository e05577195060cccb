"""Whatever the driver or the system raises: MEMORY_STORAGE_ERROR, and nothing has changed (ERR)."""

from __future__ import annotations

import builtins
import errno
import io
import os
import sqlite3
import traceback

import pytest

import rotifer_store
from rotifer_store import MemoryStorageError, RotiferStoreError
from rotifer_store.translate import FOREIGN_ERRORS, storage_error
from storage.stage import (
    AUDIT,
    CHANGES,
    FOREIGN,
    OURS,
    READS,
    SECRET,
    SECRET_FORMS,
    TWO_DAYS_S,
    contents,
    failing,
    folder_of,
    make_store,
    open_at_start,
)

DRIVER_ERRORS = sorted(
    {kind for kind in vars(sqlite3).values() if isinstance(kind, type) and issubclass(kind, Exception)},
    key=lambda kind: kind.__name__,
)
SYSTEM_ERRORS = sorted(
    {kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, OSError)},
    key=lambda kind: kind.__name__,
)


def test_the_drivers_error_classes_are_those_that_are_documented():
    """A class that a later version of the driver adds fails here first."""
    assert [kind.__name__ for kind in DRIVER_ERRORS] == [
        *("DataError", "DatabaseError", "Error", "IntegrityError", "InterfaceError", "InternalError"),
        *("NotSupportedError", "OperationalError", "ProgrammingError", "Warning"),
    ]


@pytest.mark.parametrize("kind", [*DRIVER_ERRORS, *SYSTEM_ERRORS], ids=lambda kind: kind.__name__)
def test_each_class_of_the_driver_and_the_system_is_translated(kind):
    """ERR: one map for them all; the message says nothing of the foreign one's text."""
    foreign = kind(SECRET.decode())
    assert isinstance(foreign, FOREIGN_ERRORS)
    error = storage_error(foreign, "the store cannot be read")
    assert type(error) is MemoryStorageError
    assert error.code == "MEMORY_STORAGE_ERROR"
    assert str(error).startswith("the store cannot be read: ")
    assert SECRET.decode() not in str(error)


# A driver that fails at a chosen statement


class FaultyDriver:
    """Connections whose statement of a chosen number fails with a chosen error. ROLLBACK always works."""

    def __init__(self):
        self.error = None
        self.fails_at = -1
        self.seen = 0

    def arm(self, error, fails_at):
        self.error, self.fails_at, self.seen = error, fails_at, 0

    def disarm(self):
        self.error, self.fails_at = None, -1

    @property
    def has_failed(self):
        return self.seen > self.fails_at >= 0

    def passes(self, statement):
        if statement == "ROLLBACK" or self.error is None:
            return
        number, self.seen = self.seen, self.seen + 1
        if number == self.fails_at:
            raise self.error

    def factory(self):
        driver = self

        class Cursor(sqlite3.Cursor):
            def execute(self, statement, *parameters):
                driver.passes(statement)
                return super().execute(statement, *parameters)

        class Connection(sqlite3.Connection):
            def execute(self, statement, *parameters):
                driver.passes(statement)
                return super().execute(statement, *parameters)

            def executemany(self, statement, *parameters):
                driver.passes(statement)
                return super().executemany(statement, *parameters)

            def cursor(self):
                return super().cursor(Cursor)

        return Connection


@pytest.fixture
def driver(monkeypatch):
    faulty, connect = FaultyDriver(), sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda database, **options: connect(database, factory=faulty.factory(), **options),
    )
    return faulty


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


def _import(store):
    return store.import_memory("target", io.BytesIO(store.moved), copy_private=True)


MORE_CHANGES = {
    "import": _import,
    "import agent": lambda store: store.import_agent(io.BytesIO(store.moved_agent)),
}
SWEEPS = {
    "read of what has expired": lambda store: store.gene_memory("main", OURS).read_memory("context"),
    "query with expired entries": lambda store: store.gene_memory("main", OURS).query_memory(),
    "list with expired entries": lambda store: store.list_memory("main"),
    "sweep": lambda store: store.sweep(),
    "read that moves lastAccessedBy": lambda store: store.gene_memory(
        "main", type(OURS)("v2:" + "c" * 64, OURS.domain)
    ).read_memory("pattern"),
}
REFUSALS = {
    "refused read": lambda store: store.gene_memory("main", FOREIGN).read_memory("wish"),
    "refused write": lambda store: store.gene_memory("main", OURS).write_memory(
        "wish", SECRET * 50, "PREFERENCE"
    ),
}
OTHERS = {
    "verify": lambda store: store.verify(),
    "rotate": lambda store: store.rotate_audit(),
    "change token": lambda store: store.change_token(),
}


class Stage:
    """A store with a second agent, and the files that imports read; passes all calls on."""

    def __init__(self, project):
        self.project = project
        elsewhere = project / "elsewhere"
        make_store(elsewhere)
        lines = (elsewhere / "exported.jsonl").read_bytes()
        self.moved = lines
        self.moved_agent = lines.replace(b'"name":"main"', b'"name":"moved"')
        self.store = open_at_start(project)
        self.store.create_agent("target")

    def __getattr__(self, name):
        return getattr(self.store, name)


def outcome_of_a_fault(stage, driver, call, error, number):
    """The call with a fault at that statement: 'no fault' where it has fewer, 'done', or what it raised."""
    driver.arm(error, number)
    try:
        call(stage)
    except RotiferStoreError as raised:
        return raised
    finally:
        has_failed = driver.has_failed
        driver.disarm()
    return "done" if has_failed else "no fault"


@pytest.mark.parametrize("change", (CHANGES | MORE_CHANGES).values(), ids=CHANGES | MORE_CHANGES)
def test_a_change_that_fails_at_any_statement_has_not_happened(project, driver, change):
    """REC-2, REC-3, ERR: MEMORY_STORAGE_ERROR, the rows as they were, the log revoked; then it works.

    What can only fail once the change is saved (the checkpoint of REC-10) may not fail the call.
    """
    stage, number = Stage(project), 0
    while True:
        before = without_chain_end(contents(project))
        outcome = outcome_of_a_fault(stage, driver, change, sqlite3.OperationalError(SECRET.decode()), number)
        if outcome in ("no fault", "done"):
            break
        assert_storage_error(outcome)
        assert without_chain_end(contents(project)) == before, f"statement {number}"
        assert stage.verify() == [], f"statement {number}"
        number += 1
    assert number >= 4, "begin, load, apply, commit"
    assert without_chain_end(contents(project)) != before
    assert stage.verify() == []
    stage.close()


def without_chain_end(statements):
    """All rows but the chain's end, which moves with a line that revokes another."""
    return [statement for statement in statements if not statement.startswith('INSERT INTO "rotifer_state"')]


def assert_storage_error(error):
    assert type(error) is MemoryStorageError, error
    shown = str(error) + repr(error)
    assert all(form not in shown for form in SECRET_FORMS)


@pytest.mark.parametrize("call", (READS | SWEEPS | OTHERS).values(), ids=READS | SWEEPS | OTHERS)
def test_a_call_that_fails_at_any_statement_gives_a_storage_error(project, driver, call):
    """ERR: no error of the driver escapes, the connections stay usable, the store stays sound."""
    stage, number = Stage(project), 0
    while True:
        if call in SWEEPS.values() and number == 0:
            stage._shell.clock.advance(TWO_DAYS_S)
        outcome = outcome_of_a_fault(stage, driver, call, sqlite3.OperationalError(SECRET.decode()), number)
        if outcome == "no fault":
            break
        assert_storage_error(outcome)
        assert stage.verify() == [], f"statement {number}"
        number += 1
    assert number >= 1
    stage.close()


@pytest.mark.parametrize("call", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_that_cannot_be_recorded_is_still_a_refusal(project, driver, call):
    """REC-4: from the moment that it is one; before that the store has failed."""
    stage, number, outcomes = Stage(project), 0, []
    while True:
        outcome = outcome_of_a_fault(stage, driver, call, sqlite3.OperationalError("no"), number)
        outcomes.append(outcome.code)
        if not stage_failed(driver, number):
            break
        assert stage.verify() == [], f"statement {number}"
        number += 1
    refusal = outcomes[-1]
    assert refusal in ("MEMORY_ACCESS_DENIED", "MEMORY_QUOTA_EXCEEDED")
    assert set(outcomes) <= {refusal, "MEMORY_STORAGE_ERROR"}
    assert outcomes[-2] == refusal, "a failing COMMIT of the refusal's line"
    stage.close()


def stage_failed(driver, number):
    """Whether the call that has just been made had a statement of that number."""
    return driver.seen > number


@pytest.mark.parametrize("kind", DRIVER_ERRORS, ids=lambda kind: kind.__name__)
def test_no_class_of_the_driver_escapes_a_public_call(project, driver, kind):
    """ERR: each class at the first statements of each call, sessions of the ORM included."""
    stage = Stage(project)
    for name, call in (CHANGES | READS | OTHERS).items():
        for number in range(6):
            outcome = outcome_of_a_fault(stage, driver, call, kind(SECRET.decode()), number)
            if outcome in ("no fault", "done"):
                break
            assert isinstance(outcome, RotiferStoreError), name
            assert SECRET.decode() not in str(outcome)
    stage.close()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ENOSPC, errno.EINTR, errno.ESTALE])
@pytest.mark.parametrize("function", ["open", "write", "fstat", "pread"])
def test_no_error_of_the_system_escapes_a_public_call(project, monkeypatch, number, function):
    """ERR: whichever system call on the log fails."""
    with open_at_start(project) as store:
        before = contents(project)
        log = folder_of(project) / AUDIT
        whole = log.read_bytes()
        log.unlink()
        log.write_bytes(whole + b"torn")

        def fails(*_, **__):
            raise OSError(number, os.strerror(number), str(log))

        with monkeypatch.context() as patch:
            patch.setattr(os, function, fails)
            for change in CHANGES.values():
                with failing() as caught:
                    change(store)
                assert os.strerror(number)[1:] in str(caught.value)
        assert contents(project) == before
        CHANGES["update"](store)


def test_an_error_of_the_orm_shows_no_parameter(project, driver):
    """ERR, REC-1: SQLAlchemy's own messages quote parameters, the agent's key for HMACs among them."""
    stage, number = Stage(project), 0
    while True:
        outcome = outcome_of_a_fault(
            stage, driver, CHANGES["create agent"], sqlite3.IntegrityError("no"), number
        )
        if outcome == "no fault":
            break
        assert_storage_error(outcome)
        assert "parameters" not in str(outcome)
        number += 1
    assert number > 4
    stage.close()


# Values in hand


def test_no_value_shows_in_any_error_or_repr(project):
    """B95 (REC-1): a fault while a secret is in hand; what a console would print holds none of it."""
    with open_at_start(project) as store:
        memory = store.gene_memory("main", OURS)
        entry = memory.read_memory("pattern")
        shown = [repr(entry), str(entry), repr(memory), repr(store), *map(repr, store.list_memory("main"))]
        shown += [repr(store.agent("main")), repr(store.memory_usage("main"))]
        shown += map(repr, (store.audit_records(), store.browse_memory("main"), memory.query_memory()))
        for text in shown:
            assert all(form not in text for form in SECRET_FORMS)
        for broken in BROKEN_ARGUMENTS:
            try:
                broken(memory)
            except RotiferStoreError as error:
                told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.args)
                assert all(form not in told for form in SECRET_FORMS)
            else:
                pytest.fail("the argument was taken")


BROKEN_ARGUMENTS = [
    lambda memory: memory.write_memory("k", SECRET.decode(), "CACHE"),
    lambda memory: memory.write_memory("k", [SECRET], "CACHE"),
    lambda memory: memory.write_memory("k", SECRET * 70_000, "CACHE"),
    lambda memory: memory.write_memory("", SECRET, "CACHE"),
    lambda memory: memory.write_memory("k", SECRET, "cache"),
    lambda memory: memory.write_memory("k", SECRET, "CACHE", {"readScope": SECRET.decode()}),
    lambda memory: memory.write_memory("k", SECRET, "CACHE", retention_policy=SECRET.decode()),
    lambda memory: memory.write_memory("k", SECRET * 50, "PREFERENCE"),
    lambda memory: memory.call_json("writeMemory", b'{"key":"k","category":"CACHE","value":"' + SECRET),
    lambda memory: memory.call_json(
        "writeMemory", b'{"key":"k","category":"CACHE","value":"' + SECRET + b'"}'
    ),
]


def test_an_internal_fault_shows_no_value(project, monkeypatch):
    """B95: any fault, even one of ours, with its traceback as Python prints it."""

    def fault(*_, **__):
        raise RuntimeError("a fault of our own")

    monkeypatch.setattr("rotifer_store.change.encode_lines", fault)
    with open_at_start(project) as store:
        before = contents(project)
        with pytest.raises(RuntimeError) as caught:
            store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")
        told = "".join(traceback.format_exception(caught.value))
        assert all(form not in told for form in SECRET_FORMS)
        assert contents(project) == before
        monkeypatch.undo()
        store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")
        assert store.verify() == []


def test_a_closed_store_fails_with_a_storage_error(project):
    """python-api: every call, twice, and closing again is no error."""
    store = open_at_start(project)
    memory = store.gene_memory("main", OURS)
    store.close()
    store.close()
    for call in (CHANGES | READS | OTHERS).values():
        with failing():
            call(store)
    with failing():
        memory.read_memory("pattern")
    assert rotifer_store.open_store(project).verify() == []
