"""Following the logs of a real store through rotation, truncation, deletion and damage (REC-5, REC-9)."""

from __future__ import annotations

import os
import threading

import pytest

from rotifer_store import (
    AuditRecord,
    Gene,
    LogNotice,
    LogNoticeKind,
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryStorageError,
    UnreadableLine,
)
from storage.stage import (
    AUDIT,
    FOREIGN,
    OURS,
    TELEMETRY,
    folder_of,
    make_store,
    open_at_start,
)


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


@pytest.fixture
def store(project):
    with open_at_start(project) as opened:
        yield opened


@pytest.fixture
def tail(store):
    """A follower of the audit log that has read what there is."""
    with store.audit_tail() as follower:
        assert [record.seq for record in follower.poll()] == [1, 2, 3, 4, 5]
        assert follower.poll() == []
        yield follower


@pytest.fixture
def log(project):
    return folder_of(project) / AUDIT


def write(store, key="k", gene=OURS):
    store.gene_memory("main", gene).write_memory(key, b"", "CACHE")


def told(items):
    """Sequence numbers of records, kinds of notices, numbers of unreadable lines."""
    return [
        item.seq
        if isinstance(item, AuditRecord)
        else item.kind
        if isinstance(item, LogNotice)
        else f"line {item.line_number}"
        for item in items
    ]


def test_a_poll_gives_what_is_new(store, tail):
    write(store, "a")
    write(store, "b")
    assert [(record.seq, record.key) for record in tail.poll()] == [(6, "a"), (7, "b")]
    assert tail.poll() == []


def test_a_rotation_is_told_and_followed(store, tail):
    """REC-9: the checkpoint is the first record of the new file."""
    write(store)
    closed = store.rotate_audit()
    write(store)
    notice, sixth, *others = tail.poll()
    assert (notice, sixth.seq) == (LogNotice(closed.name, LogNoticeKind.ROTATED), 6)
    assert [record.action for record in others] == ["audit_checkpoint", "memory_update"]


def test_rotations_between_two_polls_lose_no_record(store, tail):
    """REC-9."""
    for _ in range(3):
        write(store)
        store.rotate_audit()
    assert [item.seq for item in tail.poll() if isinstance(item, AuditRecord)] == [6, 7, 8, 9, 10, 11]


def test_a_new_follower_begins_with_the_oldest_rotated_file(store):
    store.rotate_audit()
    write(store)
    store.rotate_audit()
    with store.audit_tail() as follower:
        assert told(follower.poll()) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_deleted_log_is_told_and_the_next_one_read(store, tail, log):
    """REC-9."""
    write(store, "a")
    log.unlink()
    assert told(tail.poll()) == [6, LogNoticeKind.GONE]
    assert tail.poll() == []
    write(store, "b")
    assert told(tail.poll()) == [LogNoticeKind.REPLACED, 7]


def test_a_deleted_log_sends_nobody_back_to_a_rotated_one(store, tail, log):
    """REC-9: each record comes once, though the newest file that is left has been read already."""
    store.rotate_audit()
    tail.poll()
    write(store, "b")
    tail.poll()
    log.unlink()
    assert [item for item in tail.poll() if isinstance(item, AuditRecord)] == []
    write(store, "c")
    assert [item.key for item in tail.poll() if isinstance(item, AuditRecord)] == ["c"]


def test_a_log_that_another_tool_moved_away_is_read_to_its_end(store, tail, log):
    """REC-9: whatever it is called now."""
    write(store, "a")
    log.rename(log.with_name("audit.jsonl.1"))
    write(store, "b")
    assert told(tail.poll()) == [6, LogNoticeKind.REPLACED, 7]


@pytest.mark.parametrize("size_bytes", [0, 10])
def test_a_log_that_was_cut_is_read_from_its_beginning(store, tail, log, size_bytes):
    """REC-5: what is left of the first line is reported."""
    os.truncate(log, size_bytes)
    write(store)
    assert told(tail.poll()) == [LogNoticeKind.CUT, *(["line 1"] if size_bytes else []), 6]


def test_a_log_that_was_rewritten_in_place_is_read_from_its_beginning(store, tail, log):
    """REC-5: its size alone would not show it."""
    with log.open("r+b") as file:
        file.write(b"#" * 4096 + b"\n")
        file.truncate()
    os.truncate(log, 4097)
    for number in range(10):
        write(store, f"k{number}")
    assert told(tail.poll())[:2] == [LogNoticeKind.CUT, "line 1"]


def test_a_torn_line_is_reported_once_its_end_has_come(store, tail, log):
    """REC-5: the next record starts on its own line."""
    with log.open("ab") as file:
        file.write('{"key":"あ'.encode()[:-1])
    assert tail.poll() == []
    write(store)
    assert told(tail.poll()) == ["line 6", 6]


def test_the_last_poll_gives_a_torn_line_too(store, tail, log):
    with log.open("ab") as file:
        file.write(b"{torn")
    assert tail.poll(is_last=True) == [UnreadableLine(AUDIT, 6, 5)]


@pytest.mark.parametrize("is_there_first", [True, False])
def test_no_log_is_an_empty_one(store, log, is_there_first):
    if not is_there_first:
        log.unlink()
    with store.audit_tail() as follower:
        assert (follower.poll() == []) is not is_there_first
        write(store)
        assert told(follower.poll()) == [6]


@pytest.mark.parametrize("put", [lambda path: path.mkdir(), lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_an_error_until_it_has_gone(store, tail, log, put):
    """REC-7: a link in place of the log is not followed."""
    write(store)
    moved = log.rename(log.with_name("kept"))
    put(log)
    with pytest.raises(MemoryStorageError):
        tail.poll()
    log.rmdir() if log.is_dir() and not log.is_symlink() else log.unlink()
    moved.rename(log)
    assert told(tail.poll()) == [6]


def test_much_comes_in_several_polls(store, tail, log):
    """What a poll holds in memory is bounded, however much was written."""
    with log.open("ab") as file:
        for _ in range(12):
            file.write(b'{"seq":1,"key":"' + b"x" * (1 << 20) + b'"}\n')
    sizes = []
    while batch := tail.poll():
        sizes.append(len(batch))
    assert sum(sizes) == 12
    assert max(sizes) <= 5


def test_only_what_is_asked_for_comes(store):
    """The filters of `audit_records`; what cannot be read comes whatever is asked for."""
    with store.audit_tail("main", action="memory_write", key="wish") as follower:
        assert told(follower.poll()) == [5]
        write(store)
        assert follower.poll() == []
    with store.audit_tail(since="2026-01-01T00:00:00.000001Z") as follower:
        assert follower.poll() == []


@pytest.mark.parametrize("wanted", ["late", "v2:" + "c" * 64])
def test_a_gene_is_known_by_its_name_as_soon_as_it_acts(store, wanted):
    """AGT-10: also one that acts for the first time while the log is followed."""
    late = Gene("v2:" + "c" * 64, "formatter", name="late")
    with store.audit_tail(gene=wanted) as follower:
        assert follower.poll() == []
        write(store, "x", late)
        write(store, "y", OURS)
        assert [record.key for record in follower.poll()] == ["x"]
    assert [record.key for record in store.audit_records(gene=wanted)] == ["x"]


@pytest.mark.parametrize("key", ["", "a\0b", "x" * 1025, "\ud800"])
def test_a_key_that_no_entry_can_have_is_refused(store, key):
    """INP-1, AGT-4."""
    for ask in (store.audit_tail, store.audit_records):
        with pytest.raises(MemoryInvalidInput):
            ask(key=key)


def test_telemetry_is_followed_too(store, project):
    """REC-4."""
    with store.telemetry_tail() as follower:
        assert follower.poll() == []
        for _ in range(2):
            with pytest.raises(MemoryAccessDenied):
                store.gene_memory("main", FOREIGN).read_memory("wish")
        assert [event.operation for event in follower.poll()] == ["read", "read"]
        (folder_of(project) / TELEMETRY).unlink()
        assert told(follower.poll()) == [LogNoticeKind.GONE]


def test_a_follower_beside_writers_and_rotations_sees_every_record_once(project, store):
    """REC-9: whenever it looks."""
    done = threading.Event()

    def work():
        with open_at_start(project) as other:
            for number in range(60):
                write(other, f"k{number % 7}")
                if number % 5 == 0:
                    other.rotate_audit()
        done.set()

    worker = threading.Thread(target=work)
    with store.audit_tail() as follower:
        worker.start()
        found = []
        while not done.is_set():
            found += follower.poll()
        worker.join()
        while batch := follower.poll():
            found += batch
    seqs = [item.seq for item in found if isinstance(item, AuditRecord)]
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(seqs) == len(store.audit_records()) == 5 + 60 + 12
    assert {item.kind for item in found if isinstance(item, LogNotice)} <= {LogNoticeKind.ROTATED}


def test_a_follower_keeps_one_file_open_and_lets_go_of_it(project, store):
    store.close()
    with open_at_start(project, read_only=True) as reader, reader.audit_tail() as follower:
        assert open_logs(project) == []
        for name in ("audit-20260101-000000000005.jsonl", "audit-20260101-000000000006.jsonl"):
            follower.poll()
            assert len(open_logs(project)) == 1
            (folder_of(project) / AUDIT).rename(folder_of(project) / name)
            (folder_of(project) / AUDIT).write_bytes(b"{}\n")
    assert open_logs(project) == []


def open_logs(project):
    """The log files that this process holds open."""
    folder = f"/proc/{os.getpid()}/fd"
    held = [
        os.readlink(f"{folder}/{number}")
        for number in os.listdir(folder)
        if os.path.exists(f"{folder}/{number}")
    ]
    return [path for path in held if path.startswith(str(folder_of(project))) and ".jsonl" in path]
