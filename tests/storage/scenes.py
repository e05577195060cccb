"""What happens in child processes of the storage tests: under file modes, a limit of file size, a umask."""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

import rotifer_store
import rotifer_store.engine
from property.log_replay import LogReplay
from rotifer_store import AuditRecord, MemoryAccessDenied, MemoryStorageError, has_store
from storage.stage import (
    AUDIT,
    CHANGES,
    DATABASE,
    FOREIGN,
    OURS,
    SECRET,
    TELEMETRY,
    TWO_DAYS_S,
    answers,
    contents,
    failing,
    files_of,
    folder_of,
    open_at_start,
)

MIB = 1 << 20
rotifer_store.engine.BUSY_TIMEOUT_S = 0.05


@contextmanager
def no_file_larger_than(size_bytes):
    """A full disk, as far as files are concerned that would grow beyond `size_bytes`."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def pad(log):
    """Makes a log larger than any other file of the store, so that a limit meets it alone; its size."""
    with open(log, "ab") as file:
        file.write((b'{"event":"theirs","padding":"' + b"x" * 1_000 + b'"}\n') * 1_000)
    return log.stat().st_size


# The audit log


def change_with_a_read_only_log(project, change):
    project = Path(project)
    log = folder_of(project) / AUDIT
    log.chmod(0o400)
    with pytest.raises(PermissionError):
        os.truncate(log, 0)
    before, told = contents(project), log.read_bytes()
    with open_at_start(project) as store:
        sound = answers(store)
        with failing():
            CHANGES[change](store)
        assert answers(store) == sound
        assert contents(project) == before
        assert log.read_bytes() == told
        log.chmod(0o600)
        CHANGES[change](store)
        assert store.verify() == []


def change_where_no_log_can_be_made(project):
    project = Path(project)
    folder = folder_of(project)
    with open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory("wish", SECRET, "PREFERENCE")
        before = contents(project)
        (folder / AUDIT).unlink()
        folder.chmod(0o500)
        try:
            for change in CHANGES.values():
                with failing():
                    change(store)
            assert contents(project) == before
            assert not (folder / AUDIT).exists()
        finally:
            folder.chmod(0o700)


def change_with_a_full_log(project, change):
    project = Path(project)
    log = folder_of(project) / AUDIT
    size_bytes = pad(log)
    before = contents(project)
    with open_at_start(project) as store:
        sound = answers(store)
        with no_file_larger_than(size_bytes):
            with failing():
                CHANGES[change](store)
            assert answers(store) == sound
            assert contents(project) == before
        assert log.stat().st_size == size_bytes
        CHANGES[change](store)
        assert store.verify() == []
        assert "memory_aborted" not in {record.action for record in store.audit_records()}


def evict_with_room_for_a_part(project, room):
    project = Path(project)
    log = folder_of(project) / AUDIT
    size_bytes = pad(log)
    before = contents(project)
    change = CHANGES["write that evicts"]
    with open_at_start(project) as store:
        with no_file_larger_than(size_bytes + room):
            with failing():
                change(store)
            with failing():
                change(store)
            assert contents(project) == before
        torn = log.read_bytes()[size_bytes:]
        assert len(torn) == room

        change(store)

        added = log.read_bytes()[size_bytes:].removeprefix(torn)
        *unsaved, cut = torn.split(b"\n")
        assert added.startswith(b"\n") or not cut
        lines = [json.loads(line) for line in added.strip(b"\n").split(b"\n")]
        told = [json.loads(line)["action"] for line in unsaved] + [line["action"] for line in lines]
        first = ["memory_evict", "memory_aborted"] if unsaved else []
        assert told == [*first, "memory_evict", "memory_write"]
        if unsaved:
            assert lines[0]["txn"] == json.loads(unsaved[0])["txn"]
        number = 6 + 1_000 + len(unsaved)
        assert [(finding.kind, finding.where) for finding in store.verify()] == (
            [("audit-line", f"{AUDIT}:{number}")] if cut else []
        )


# The telemetry log


def be_refused(store):
    with failing(MemoryAccessDenied):
        store.gene_memory("main", FOREIGN).read_memory("wish")
    assert store.audit_records()[-1].action == "memory_access_denied"


def be_refused_with_a_read_only_telemetry_log(project):
    project = Path(project)
    log = folder_of(project) / TELEMETRY
    with open_at_start(project) as store:
        be_refused(store)
        told = log.read_bytes()
        log.chmod(0o400)
        be_refused(store)
        assert log.read_bytes() == told
        log.chmod(0o600)
        be_refused(store)
    assert log.read_bytes().count(b"\n") == 2


def be_refused_with_a_full_telemetry_log(project, room):
    project = Path(project)
    log = folder_of(project) / TELEMETRY
    size_bytes = pad(log)
    with open_at_start(project) as store:
        with no_file_larger_than(size_bytes + room):
            be_refused(store)
        assert log.stat().st_size == size_bytes + room
        be_refused(store)
        assert store.telemetry_records()[-1].audit_seq == store.audit_records()[-1].seq
        assert len(store.verify()) == (1 if room else 0)


def names_of_sockets_opened(project):
    """What Python's audit hooks tell of sockets while every call is made."""
    import sys

    opened = []
    sys.addaudithook(lambda event, _: opened.append(event) if event.startswith("socket.") else None)
    project = Path(project)
    with open_at_start(project) as store:
        answers(store)
        be_refused(store)
        os.environ["DO_NOT_TRACK"] = "1"
        be_refused(store)
        for name in ("update", "write that evicts", "delete", "create agent", "data policy", "quota"):
            CHANGES[name](store)
        store.rotate_audit()
        assert store.verify() == []
    return opened


# The database


def ask_for_a_store_in_a_closed_folder(project):
    folder = folder_of(Path(project))
    folder.chmod(0)
    try:
        with pytest.raises(PermissionError):
            os.listdir(folder)
        with failing():
            has_store(project)
        with failing():
            open_at_start(Path(project), read_only=True)
    finally:
        folder.chmod(0o700)
    assert has_store(project)


def open_a_read_only_database(project):
    project = Path(project)
    database = folder_of(project) / DATABASE
    before = contents(project)
    database.chmod(0o400)
    with pytest.raises(PermissionError):
        os.truncate(database, 0)
    with failing():
        open_at_start(project)
    database.chmod(0o600)
    assert contents(project) == before
    with open_at_start(project) as store:
        assert store.verify() == []


def change_where_nothing_can_be_written(project):
    project = Path(project)
    folder = folder_of(project)
    before = contents(project)
    for name in os.listdir(folder):
        (folder / name).chmod(0o400)
    folder.chmod(0o500)
    try:
        with failing():
            open_at_start(project)
        with open_at_start(project, read_only=True) as store:
            assert answers(store)["list"]
            for change in CHANGES.values():
                with failing():
                    change(store)
    finally:
        folder.chmod(0o700)
        for name in os.listdir(folder):
            (folder / name).chmod(0o600)
    assert contents(project) == before


def write_to_a_full_disk(project, change):
    project = Path(project)
    with open_at_start(project) as store:
        store.set_memory_quota("main", 10 * MIB)
        memory = store.gene_memory("main", OURS)
        if change == "write large over an old one":
            memory.write_memory("large", SECRET, "PREFERENCE")
        before = [statement for statement in contents(project) if "rotifer_state" not in statement]
        sound = answers(store)
        with no_file_larger_than(MIB // 2):
            with failing():
                memory.write_memory("large", SECRET * 60_000, "PREFERENCE")
            assert answers(store) == sound
            records = store.audit_records()
            assert [record.action for record in records][-1] == "memory_aborted"
            assert records[-1].txn == records[-2].seq
        assert [statement for statement in contents(project) if "rotifer_state" not in statement] == before
        assert store.verify() == []
        memory.write_memory("large", SECRET * 60_000, "PREFERENCE")
        assert store.verify() == []
        told = [record["action"] for record in LogReplay(folder_of(project) / AUDIT).catch_up()]
        assert told.count("memory_aborted") == 1


def delete_on_a_full_disk(project):
    """The write-ahead log has room for the deletion, the database none for what must be moved into it."""
    project = Path(project)
    with open_at_start(project) as store:
        store.set_memory_quota("main", 10 * MIB)
        memory = store.gene_memory("main", OURS)
        memory.write_memory("first", SECRET * 16_000, "PATTERN")
        assert store.delete_memory("main", key="wish") == 1
        memory.write_memory("second", SECRET * 16_000, "PATTERN")
        limit = (folder_of(project) / DATABASE).stat().st_size + MIB // 16
        assert limit > (folder_of(project) / f"{DATABASE}-wal").stat().st_size
        with no_file_larger_than(limit):
            try:
                assert store.delete_memory("main", key="pattern") == 1
                is_there = False
            except MemoryStorageError:
                is_there = True
        assert ("pattern" in {info.key for info in store.list_memory("main")}) == is_there
        assert store.verify() == []


# Modes


def modes_of(folder):
    """The modes of the folder and of all that stands in it, by name."""
    paths = [folder, *folder.iterdir()]
    return {path.name: oct(stat.S_IMODE(path.lstat().st_mode)) for path in paths}


def modes_after_each_step(project, umask, durability):
    os.umask(umask)
    project, steps = Path(project), []
    folder = folder_of(project)

    def look(step):
        steps.append((step, modes_of(folder)))

    store = open_at_start(project, durability=durability)
    look("open")
    store.create_agent("main", genes=[OURS], memory_quota_bytes=400)
    look("create agent")
    memory = store.gene_memory("main", OURS)
    memory.write_memory("cached", SECRET * 5, "CACHE")
    memory.write_memory("pattern", SECRET, "PATTERN")
    look("write")
    be_refused_here(store)
    look("refused access")
    CHANGES["write that evicts"](store)
    look("evict")
    store.delete_memory("main", category="CONTEXT")
    look("deployer's delete")
    store.rotate_audit()
    look("rotate")
    memory.write_memory("pattern", SECRET, "PATTERN")
    store.export_memory("main", folder / "exported.jsonl")
    look("export")
    store.close()
    look("close")
    with open_at_start(project, durability=durability) as store:
        store.gene_memory("main", OURS).write_memory("pattern", SECRET, "PATTERN")
        look("reopen")
        assert store.verify() == []
    with open_at_start(project, read_only=True) as store:
        answers(store)
        look("read-only")
    (folder / AUDIT).unlink()
    with open_at_start(project, durability=durability) as store:
        CHANGES["update"](store)
        look("log begun anew")
    return steps


def be_refused_here(store):
    with failing(MemoryAccessDenied):
        store.gene_memory("main", FOREIGN).read_memory("pattern")


def modes_beside_another_program(project):
    os.umask(0o022)
    project = Path(project) / "not" / "there"
    folder_of(project).mkdir(parents=True)
    (folder_of(project) / DATABASE).touch()
    with open_at_start(project) as store:
        store.create_agent("main")
    above = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in (project, project.parent)}
    return above | modes_of(folder_of(project))


# Read-only


@contextmanager
def without_write_permission(folder, *, files_are_writable):
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    for path in modes:
        if path != folder and not files_are_writable:
            path.chmod(0o400)
    folder.chmod(0o500)
    with pytest.raises(PermissionError):
        (folder / "new").touch()
    try:
        yield
    finally:
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)


def read_in_a_folder_without_write_permission(project, files_are_writable):
    project = Path(project)
    folder = folder_of(project)
    with open_at_start(project) as store:
        sound = answers(store)
    before = contents(project)
    with without_write_permission(folder, files_are_writable=files_are_writable):
        files = files_of(folder)
        for _ in range(2):
            with open_at_start(project, read_only=True) as store:
                assert answers(store) == sound
                assert store.verify() == []
                store._shell.clock.advance(TWO_DAYS_S)
                assert {info.key for info in store.list_memory("main")} == {"cached", "pattern", "wish"}
                used = sound["usage"] - len("context") - len(SECRET)
                assert store.memory_usage("main").used_bytes == used
                assert store.peek_value("main", "wish") == SECRET * 2
                for change in CHANGES.values():
                    with failing():
                        change(store)
                with failing():
                    store.sweep()
            assert files_of(folder) == files
    assert contents(project) == before


def read_beside_a_writer_in_a_folder_without_write_permission(project):
    project = Path(project)
    folder = folder_of(project)
    writer = open_at_start(project)
    writer.gene_memory("main", OURS).write_memory("pattern", b"later", "PATTERN")
    with (
        without_write_permission(folder, files_are_writable=True),
        open_at_start(project, read_only=True) as store,
    ):
        assert store.peek_value("main", "pattern") == b"later"
        writer.gene_memory("main", OURS).write_memory("pattern", b"last", "PATTERN")
        assert store.peek_value("main", "pattern") == b"last"
    writer.close()


# Without WAL


def write_without_wal(project, worker, count):
    from functools import partial

    import rotifer_store.store

    rotifer_store.engine.BUSY_TIMEOUT_S = 30.0
    rotifer_store.store.SqliteEngine = partial(rotifer_store.engine.SqliteEngine, vfs="unix-dotfile")
    with open_at_start(Path(project)) as store:
        assert store._shell.engine.journal_mode == "delete"
        store.set_memory_quota("main", 10 * MIB)
        memory = store.gene_memory("main", OURS)
        for number in range(count):
            memory.write_memory(f"w{worker}/{number}", b"v", "PREFERENCE")
            assert memory.read_memory(f"w{worker}/{number}").value == b"v"


# Rotation


def rotate_on_a_full_disk(project, room):
    project = Path(project)
    told = (folder_of(project) / AUDIT).read_bytes()
    with open_at_start(project) as store:
        with no_file_larger_than(room):
            for _ in range(3):
                with failing():
                    store.rotate_audit()
        assert told in {path.read_bytes() for path in folder_of(project).glob("audit*.jsonl")}
        store.rotate_audit()
        CHANGES["update"](store)
        seqs = [record.seq for record in store.audit_records() if isinstance(record, AuditRecord)]
        assert seqs == list(range(1, 5 + 1 + 1 + 1))
        assert {finding.kind for finding in store.verify()} <= {"audit-line"}
        assert told in {path.read_bytes() for path in folder_of(project).glob("audit-*.jsonl")}
