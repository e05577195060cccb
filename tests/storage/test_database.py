"""A database that is no database, locked, full, damaged, newer or another program's too (ERR, python-api)."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import sys
from contextlib import suppress

import pytest

from rotifer_store import MemoryNotFound, MemoryStorageError, RotiferStoreError, open_store
from storage import scenes
from storage.stage import (
    AUDIT,
    CHANGES,
    DATABASE,
    OURS,
    READS,
    SECRET,
    START_US,
    TWO_DAYS_S,
    answers,
    contents,
    failing,
    files_of,
    folder_of,
    make_store,
    open_at_start,
)


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


# What stands in its place

NO_DATABASE = {
    "a folder": lambda path: path.mkdir(),
    "a text file": lambda path: path.write_text("no database\n" * 400),
    "a short text file": lambda path: path.write_text("no"),
    "noise": lambda path: path.write_bytes(bytes(range(1, 256)) * 40),
    "a FIFO": os.mkfifo,
}


@pytest.mark.parametrize("put", NO_DATABASE.values(), ids=NO_DATABASE)
@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "read-only"])
def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path, put, read_only):
    """B86 (ERR, python-api): MEMORY_STORAGE_ERROR; never another store instead, never one in memory."""
    folder_of(tmp_path).mkdir(mode=0o700)
    path = folder_of(tmp_path) / DATABASE
    put(path)
    before = files_of(folder_of(tmp_path))[DATABASE]
    for _ in range(2):
        with failing():
            open_store(tmp_path, read_only=read_only)
    assert files_of(folder_of(tmp_path))[DATABASE] == before
    assert set(os.listdir(folder_of(tmp_path))) <= {DATABASE, "playground.lock"}


def test_an_empty_file_and_a_missing_folder_are_set_up(tmp_path):
    """B86: zero bytes are a new database; so is a folder that is not there, with its parents."""
    folder_of(tmp_path).mkdir()
    (folder_of(tmp_path) / DATABASE).touch()
    for project in (tmp_path, tmp_path / "not" / "there"):
        make_store(project)
        with open_at_start(project) as store:
            assert store.verify() == []
        assert (folder_of(project) / DATABASE).read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.parametrize("what", ["project", "state folder"])
def test_a_file_where_a_folder_should_be_is_refused(tmp_path, what):
    """ERR: the file stays as it is."""
    place = tmp_path if what == "state folder" else tmp_path / "project"
    (place / ".rotifer" if what == "state folder" else place).write_text("x")
    with failing():
        open_store(place)
    assert len(os.listdir(tmp_path)) == 1


def test_a_missing_store_is_not_created_to_be_read(tmp_path):
    """python-api: read-only; neither folder nor file appears."""
    with failing():
        open_store(tmp_path, read_only=True)
    folder_of(tmp_path).mkdir()
    with failing():
        open_store(tmp_path, read_only=True)
    assert os.listdir(folder_of(tmp_path)) == []


# Links

OWN_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "playground.lock", AUDIT)


@pytest.mark.parametrize("name", OWN_FILES)
@pytest.mark.parametrize("is_dangling", [False, True], ids=["to a file", "dangling"])
def test_no_link_is_followed_in_place_of_an_own_file(project, name, is_dangling):
    """REC-7: what it points to is not written to, and not created."""
    path, target = folder_of(project) / name, project / "target"
    if not is_dangling:
        target.write_bytes(path.read_bytes() if path.exists() else b"precious")
    before = None if is_dangling else target.read_bytes()
    path.unlink(missing_ok=True)
    path.symlink_to(target)

    with failing(), open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")

    assert (target.read_bytes() if target.exists() else None) == before
    assert path.is_symlink()


def test_no_link_is_followed_to_read_another_place_either(project, tmp_path):
    """REC-7: read-only as well."""
    elsewhere = tmp_path / "elsewhere"
    folder_of(elsewhere).mkdir(parents=True)
    (folder_of(elsewhere) / DATABASE).symlink_to(folder_of(project) / DATABASE)
    with failing():
        open_store(elsewhere, read_only=True)


# Read-only, locked, full, damaged


def test_a_folder_that_cannot_be_looked_into_is_not_taken_for_an_empty_one(project, bound_by_modes):
    """ERR: a store that may be there is not "none yet"; reading is refused as well."""
    bound_by_modes.call(scenes.ask_for_a_store_in_a_closed_folder, project)


def test_a_database_of_mode_0400_is_refused(project, bound_by_modes):
    """ERR: MEMORY_STORAGE_ERROR, nothing lost; with its mode back it is as before."""
    bound_by_modes.call(scenes.open_a_read_only_database, project)


def test_a_database_that_becomes_read_only_under_an_open_store_loses_nothing(project, bound_by_modes):
    """ERR: a folder and a file without write permission, while the store is open."""
    bound_by_modes.call(scenes.change_where_nothing_can_be_written, project)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_database_that_another_program_has_locked_takes_no_change(project, change):
    """ERR: MEMORY_STORAGE_ERROR after the busy timeout, no line, readers answer; then it goes on."""
    log = folder_of(project) / AUDIT
    with open_at_start(project) as store:
        sound, told = answers(store), log.read_bytes()
        with locked(project):
            with failing() as caught:
                change(store)
            assert "locked" in str(caught.value)
            assert answers(store) == sound
            assert log.read_bytes() == told
        change(store)
        assert store.verify() == []


class locked:
    """Another program that holds the database's write lock."""

    def __init__(self, project):
        self._connection = sqlite3.connect(folder_of(project) / DATABASE, isolation_level=None)

    def __enter__(self):
        self._connection.execute("BEGIN EXCLUSIVE")

    def __exit__(self, *_):
        self._connection.execute("ROLLBACK")
        self._connection.close()


def test_a_locked_database_opens_and_answers(project):
    """ERR, POL-7: opening needs no write lock where nothing is to be put right."""
    with locked(project), open_at_start(project) as store:
        assert answers(store)["list"]
        with failing():
            store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")


@pytest.mark.parametrize("reads_only", [False, True])
def test_a_store_that_another_program_holds_without_end_opens_and_answers(project, reads_only):
    """ERR: a program that was stopped in the middle of a change stops the changes of others, and no look."""
    looks = (
        "import sys; from rotifer_store import FixedClock, open_store\n"
        f"clock = FixedClock({START_US})\n"
        f"with open_store(sys.argv[1], clock=clock, read_only={reads_only}) as store:\n"
        "    print(len(store.list_memory('main')))"
    )
    with (folder_of(project) / "playground.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        finished = subprocess.run(
            [sys.executable, "-c", looks, project], capture_output=True, text=True, timeout=30, check=False
        )
    assert (finished.stdout, finished.stderr) == ("4\n", "")


def test_a_locked_database_that_does_not_exist_yet_is_refused(tmp_path):
    """ERR: the schema cannot be made now; later it can."""
    folder_of(tmp_path).mkdir()
    with locked(tmp_path), failing():
        open_store(tmp_path)
    make_store(tmp_path)


@pytest.mark.parametrize("change", ["write large", "write large over an old one"])
def test_a_full_disk_takes_no_change(project, processes, change):
    """ERR, REC-3: MEMORY_STORAGE_ERROR; what the log already told is revoked at once."""
    processes.call(scenes.write_to_a_full_disk, project, change)


def test_a_full_disk_lets_the_deployer_delete_or_says_that_nothing_went(project, processes):
    """REC-10, AGT-4: an error means that the entries are still there."""
    processes.call(scenes.delete_on_a_full_disk, project)


def _overwrite(path, start, size):
    data = bytearray(path.read_bytes())
    data[start : start + size] = b"\xa5" * len(data[start : start + size])
    path.write_bytes(data)


PAGE = 4096
CORRUPTIONS = {
    "first page": lambda path: _overwrite(path, 0, PAGE),
    "schema": lambda path: _overwrite(path, 100, PAGE - 100),
    **{
        f"page {number}": lambda path, number=number: _overwrite(path, (number - 1) * PAGE, PAGE)
        for number in range(2, 12)
    },
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "cut to a page": lambda path: os.truncate(path, PAGE),
    "cut within a page": lambda path: os.truncate(path, path.stat().st_size - 1_000),
}


@pytest.mark.parametrize("corrupt", CORRUPTIONS.values(), ids=CORRUPTIONS)
def test_a_damaged_database_gives_a_storage_error_or_the_right_answer(project, corrupt):
    """ERR: no error of the driver escapes, no value shows, no wrong answer is given."""
    with open_at_start(project) as store:
        sound = answers(store)
    corrupt(folder_of(project) / DATABASE)
    failed = 0
    try:
        store = open_at_start(project)
    except MemoryStorageError:
        return
    with store:
        for name, read in READS.items():
            try:
                assert read(store) == sound[name]
            except MemoryStorageError:
                failed += 1
        try:
            findings = store.verify()
        except MemoryStorageError:
            failed += 1
        else:
            assert findings or failed == 0
            failed += len(findings)
        for change in CHANGES.values():
            try:
                change(store)
            except MemoryStorageError:
                failed += 1
            except MemoryNotFound:
                # it went with an earlier change
                continue
        assert failed


def test_a_damaged_index_is_found(project):
    """python-api: verify compares indexes with the entries."""
    connection = sqlite3.connect(folder_of(project) / DATABASE)
    with connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'order_us, seq', 'seq, order_us') "
            "WHERE name = 'rotifer_entry_recent'"
        )
    connection.close()
    with open_at_start(project) as store:
        assert "index" in {finding.kind for finding in store.verify()}


# Newer schemas, strange versions


@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "read-only"])
def test_a_newer_schema_is_refused_and_the_files_stay_untouched(project, read_only):
    """B90 (python-api): byte for byte."""
    set_state(project, "schema_version = 2")
    before = files_of(folder_of(project))
    for _ in range(2):
        with failing() as caught:
            open_store(project, read_only=read_only)
        assert "newer" in str(caught.value)
    after = files_of(folder_of(project))
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) <= {f"{DATABASE}-wal", f"{DATABASE}-shm"}


@pytest.mark.parametrize("state", ["schema_version = -1", "schema_version = 0"])
def test_a_schema_that_never_was_is_refused(project, state):
    """ERR: MEMORY_STORAGE_ERROR, the database untouched."""
    set_state(project, state)
    before = files_of(folder_of(project))[DATABASE]
    with failing():
        open_at_start(project)
    assert files_of(folder_of(project))[DATABASE] == before


def set_state(project, assignment):
    connection = sqlite3.connect(folder_of(project) / DATABASE)
    with connection:
        connection.execute(f"UPDATE rotifer_state SET {assignment}")
    connection.close()


@pytest.mark.parametrize("table", ["rotifer_state", "rotifer_agent", "rotifer_entry", "rotifer_gene"])
@pytest.mark.parametrize("how", ["DELETE FROM", "DROP TABLE"])
def test_a_table_that_another_program_emptied_or_dropped_gives_storage_errors_at_worst(project, table, how):
    """ERR: whatever is called, with the store open and opened anew."""
    agent = open_at_start(project).agent("main")
    store = open_at_start(project)
    connection = sqlite3.connect(folder_of(project) / DATABASE)
    with connection:
        connection.execute(f"{how} {table}")
    connection.close()
    for current in (store, None):
        try:
            current = current or open_at_start(project)
            calls = [*READS.values(), *CHANGES.values(), lambda s: s.verify(), lambda s: s.sweep()]
            for call in calls:
                try_out(lambda call=call, current=current: call(ByAgent(current, agent)))
            current.close()
        except MemoryStorageError:
            assert current is None


class ByAgent:
    """A store whose calls get the agent that was found while all was well, instead of looking it up."""

    def __init__(self, store, agent):
        self._store, self._agent = store, agent

    def __getattr__(self, name):
        method = getattr(self._store, name)
        return lambda first=None, *rest, **named: method(
            *((self._agent if first == "main" else first,) if first is not None else ()), *rest, **named
        )


def try_out(call):
    """The call answers or fails with MEMORY_STORAGE_ERROR or a refusal of its own; nothing else escapes."""
    with suppress(RotiferStoreError):
        call()


# Another program's tables

THEIRS = """
    CREATE TABLE genes (id TEXT PRIMARY KEY, source BLOB);
    CREATE TABLE agents (id INTEGER PRIMARY KEY, name TEXT, memory TEXT);
    CREATE TABLE arena_entries (gene TEXT REFERENCES genes, score REAL);
    CREATE INDEX by_score ON arena_entries (score);
    CREATE VIEW best AS SELECT gene FROM arena_entries ORDER BY score DESC;
    INSERT INTO genes VALUES ('g', x'00ff');
    INSERT INTO agents VALUES (1, 'main', 'theirs');
    INSERT INTO arena_entries VALUES ('g', 0.5);
"""


def theirs_in(project):
    return [
        statement
        for statement in contents(project)
        if any(name in statement for name in ("genes", "agents", "arena", "by_score", "best"))
        and "rotifer" not in statement
    ]


def test_tables_of_another_program_in_the_same_file_stay_untouched(tmp_path):
    """python-api: `genes`, `agents`, `arena_entries`; theirs before ours, and beside ours in use."""
    folder_of(tmp_path).mkdir()
    connection = sqlite3.connect(folder_of(tmp_path) / DATABASE)
    connection.executescript(THEIRS)
    before = theirs_in(tmp_path)
    assert len(before) == 8

    make_store(tmp_path)
    with open_at_start(tmp_path) as store:
        for change in ("update", "write that evicts", "delete", "create agent", "data policy"):
            CHANGES[change](store)
            with connection:
                connection.execute("UPDATE arena_entries SET score = score + 0.0")
        assert store.verify() == []
        assert [agent.name for agent in store.agents()] == ["main", "second"]
    connection.close()
    assert theirs_in(tmp_path) == before


def test_expired_entries_wait_where_the_database_is_locked(project):
    """POL-5, ERR: hidden from listings that change nothing, never shown again."""
    with open_at_start(project) as store:
        store._shell.clock.advance(TWO_DAYS_S)
        with locked(project):
            assert "context" not in {info.key for info in store.browse_memory("main").rows}
            assert store.memory_usage("main").by_category["CONTEXT"].entries == 0
            with failing():
                store.sweep()
        assert store.sweep() == 1
        assert store.verify() == []
