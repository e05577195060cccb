"""An audit log that cannot be written, has gone, or holds damage: the right code each time, nothing lost."""

from __future__ import annotations

import json
import os
import socket
import tracemalloc

import pytest

from property.log_replay import LogReplay
from rotifer_store import (
    MemoryAccessDenied,
    MemoryNotFound,
    MemoryQuotaExceeded,
    MemoryStorageError,
    UnreadableLine,
)
from storage import scenes
from storage.stage import (
    ANONYMOUS,
    AUDIT,
    CHANGES,
    DATABASE,
    FOREIGN,
    OURS,
    SECRET,
    TWO_DAYS_S,
    answers,
    contents,
    failing,
    folder_of,
    make_store,
    open_at_start,
)


def _socket_at(path):
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(path.parent)  # a socket's path may only be short
        try:
            listener.bind(path.name)
        finally:
            os.chdir(here)


def _link_at(path):
    path.with_name("target").write_bytes(b"precious")
    path.symlink_to("target")


IN_ITS_PLACE = {
    "a folder": lambda path: path.mkdir(),
    "a symbolic link": _link_at,
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "a FIFO": os.mkfifo,
    "a socket": _socket_at,
}
"""What can stand where the log should: nothing of it may be written to, or waited for."""


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("put", IN_ITS_PLACE.values(), ids=IN_ITS_PLACE)
@pytest.mark.parametrize("is_open", [True, False], ids=["store open", "store opened after"])
def test_without_its_line_no_change_is_made(project, put, change, is_open):
    """B18 (REC-2, REC-7): MEMORY_STORAGE_ERROR, and the database stays as it was to the last column."""
    log = folder_of(project) / AUDIT
    aside = log.with_name("aside")
    store = open_at_start(project)
    if is_open:
        store.gene_memory("main", OURS).write_memory("wish", SECRET * 2, "PREFERENCE")
    before, told = contents(project), log.read_bytes()
    log.rename(aside)
    put(log)
    if not is_open:
        store.close()
        store = open_at_start(project)

    with failing():
        change(store)

    assert contents(project) == before
    assert aside.read_bytes() == told
    target = log.with_name("target")
    assert not target.exists() or target.read_bytes() == b"precious"
    assert not log.with_name("nowhere").exists()
    _remove(log)
    aside.rename(log)
    change(store)
    assert contents(project) != before
    assert store.verify() == []
    store.close()


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()


def test_refusals_stay_what_they_are_without_their_line(project):
    """REC-4: neither the audit log nor the telemetry log can turn a refusal into anything else."""
    log = folder_of(project) / AUDIT
    log.unlink()
    log.mkdir()
    (folder_of(project) / "telemetry.jsonl").mkdir()
    with open_at_start(project) as store:
        ours, foreign = store.gene_memory("main", OURS), store.gene_memory("main", FOREIGN)
        before = contents(project)
        with failing(MemoryAccessDenied):
            foreign.read_memory("wish")
        with failing(MemoryAccessDenied):
            foreign.write_memory("wish", SECRET, "CACHE")
        with failing(MemoryAccessDenied):
            foreign.delete_memory("wish")
        with failing(MemoryAccessDenied):
            store.gene_memory("main", ANONYMOUS).query_memory()
        with failing(MemoryQuotaExceeded):
            ours.write_memory("new", SECRET * 40, "PREFERENCE")
        with failing(MemoryNotFound):
            ours.delete_memory("none")
        assert contents(project) == before


@pytest.mark.parametrize("put", IN_ITS_PLACE.values(), ids=IN_ITS_PLACE)
def test_reading_calls_answer_while_the_log_is_out_of_order(project, put):
    """POL-7: what has expired is as good as gone; its line and its removal follow when they can."""
    log = folder_of(project) / AUDIT
    with open_at_start(project) as store:
        sound = answers(store)
        told = log.read_bytes()
        log.unlink()
        put(log)
        assert answers(store) == sound
        store._shell.clock.advance(TWO_DAYS_S)
        before = contents(project)

        memory = store.gene_memory("main", OURS)
        assert memory.read_memory("context") is None
        assert memory.read_memory("pattern").value == SECRET
        assert {entry.key for entry in memory.query_memory()} == {"cached", "pattern", "wish"}
        assert {info.key for info in store.list_memory("main")} == {"cached", "pattern", "wish"}
        assert store.memory_usage("main").used_bytes == sound["usage"] - len("context") - len(SECRET)
        with failing():
            store.sweep()
        with failing():
            memory.write_memory("pattern", SECRET * 2, "PATTERN")
        assert contents(project) == before

        _remove(log)
        log.write_bytes(told)
        assert store.sweep("main") == 1
        assert store.verify() == []
        last = LogReplay(log).catch_up()[-1]
        assert (last["action"], last["key"], last["operation"]) == ("memory_expire", "context", "sweep")


def test_a_read_that_moves_last_accessed_by_needs_no_line(project):
    """ENT-4, POL-7: the reader is remembered though what has expired could not be removed."""
    other = type(OURS)("v2:" + "c" * 64, OURS.domain)
    log = folder_of(project) / AUDIT
    log.unlink()
    log.mkdir()
    with open_at_start(project) as store:
        store._shell.clock.advance(TWO_DAYS_S)
        assert store.gene_memory("main", other).read_memory("pattern").last_accessed_by == other.id
        assert {info.key: info.last_accessed_by for info in store.list_memory("main")} == {
            "cached": OURS.id,
            "pattern": other.id,
            "wish": OURS.id,
        }


@pytest.mark.parametrize("change", CHANGES)
def test_a_log_of_mode_0400_takes_no_change(project, bound_by_modes, change):
    """B18 (REC-2): read-only, as an ordinary user."""
    bound_by_modes.call(scenes.change_with_a_read_only_log, project, change)


def test_a_folder_that_takes_no_new_file_takes_no_change_once_the_log_has_gone(project, bound_by_modes):
    """REC-2: the log cannot be begun anew."""
    bound_by_modes.call(scenes.change_where_no_log_can_be_made, project)


@pytest.mark.parametrize("change", CHANGES)
def test_a_full_log_takes_no_change(project, processes, change):
    """REC-2, REC-3: not a byte fits; with room again all goes on as if nothing had been tried."""
    processes.call(scenes.change_with_a_full_log, project, change)


@pytest.mark.parametrize("room", [1, 200, 700, 1_000])
def test_a_line_that_fits_only_in_part_makes_the_change_fail(project, processes, room):
    """REC-3: the torn bytes stay on their own line, a whole line before them is revoked first of all."""
    processes.call(scenes.evict_with_room_for_a_part, project, room)


# A log that has gone


def _cut_in_the_middle(log):
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:2]))


LOSSES = {
    "removed": (lambda log: log.unlink(), {"audit-start"}),
    "emptied": (lambda log: log.write_bytes(b""), {"audit-start"}),
    "moved": (lambda log: log.rename(log.with_name("moved")), {"audit-start"}),
    "cut": (_cut_in_the_middle, {"audit-chain"}),
}


@pytest.mark.parametrize(("lose", "kinds"), LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("is_open", [True, False], ids=["store open", "store opened after"])
def test_a_lost_log_is_begun_anew_where_the_chain_ended(project, lose, kinds, is_open):
    """REC-9: with the last seq and hash that the store keeps; verify says that lines are elsewhere."""
    log = folder_of(project) / AUDIT
    last = LogReplay(log).catch_up()[-1]
    store = open_at_start(project)
    if not is_open:
        store.close()
    else:
        store.gene_memory("main", OURS).write_memory("wish", SECRET, "PREFERENCE")
        last = LogReplay(log).catch_up()[-1]
    lose(log)
    left = log.read_bytes() if log.exists() else b""
    if not is_open:
        store = open_at_start(project)
    assert {finding.kind for finding in store.verify()} == {"audit-end"}

    store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")
    store.gene_memory("main", OURS).write_memory("newer", b"", "CACHE")

    assert log.read_bytes().startswith(left)
    first, second = map(json.loads, log.read_bytes()[len(left) :].splitlines())
    assert (first["seq"], first["prev_hash"]) == (last["seq"] + 1, last["hash"])
    assert (second["seq"], second["prev_hash"]) == (first["seq"] + 1, first["hash"])
    assert {finding.kind for finding in store.verify()} == kinds
    assert sorted(info.key for info in store.list_memory("main")) == [
        *("cached", "context", "new", "newer", "pattern", "wish"),
    ]
    store.close()


def test_the_log_of_another_store_is_left_alone_and_told_of(project, tmp_path):
    """REC-9: its lines stay, ours follow them with our own chain."""
    other = make_store(tmp_path / "other")
    strange = (folder_of(other) / AUDIT).read_bytes()
    log = folder_of(project) / AUDIT
    last = LogReplay(log).catch_up()[-1]
    log.write_bytes(strange)
    with open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory("new", b"", "CACHE")
        added = log.read_bytes().removeprefix(strange)
        assert json.loads(added)["prev_hash"] == last["hash"]
        assert "audit-chain" in {finding.kind for finding in store.verify()}


def test_a_long_log_of_others_is_looked_through_in_little_memory(project):
    """REC-3, REC-9: nothing in it follows our chain, and none of it is kept to find that out."""
    log = folder_of(project) / AUDIT
    log.write_bytes(b'{"event":"theirs"}\n' * 2_000_000)
    tracemalloc.start()
    try:
        with open_at_start(project) as store:
            assert store.memory_usage("main").used_bytes > 0
            store.gene_memory("main", OURS).write_memory("new", b"", "CACHE")
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 8_000_000 < log.stat().st_size


_CHUNK_BYTES = 1 << 20


@pytest.mark.parametrize("within", ["prev_hash", "hash"])
@pytest.mark.parametrize("offset", [-1, 0, 1, 32, 63, 64, 65])
@pytest.mark.parametrize("whose", ["the last saved line", "the unsaved line", "the log's first line"])
def test_an_unsaved_line_is_found_wherever_a_read_of_the_log_begins(project, whose, within, offset):
    """REC-3: others' lines after it push the bounds of reads through the two lines, or through it alone."""
    log, database = folder_of(project) / AUDIT, folder_of(project) / DATABASE
    if whose == "the log's first line":
        log.unlink()
    saved, lines_before = database.read_bytes(), log.read_bytes() if log.exists() else b""
    with open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory("new", b"", "PREFERENCE")
    database.write_bytes(saved)
    lines = log.read_bytes()
    begin = lines_before[:-1].rfind(b"\n") if whose == "the last saved line" else len(lines_before)
    bound = lines.index(f'"{within}":"'.encode(), begin) + len(f'"{within}":"') + offset
    padding_bytes = bound + _CHUNK_BYTES - len(lines)
    log.write_bytes(lines + b"x" * (padding_bytes - 1) + b"\n")

    with open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory("newer", b"", "PREFERENCE")

    added = [json.loads(line) for line in log.read_bytes()[len(lines) + padding_bytes :].splitlines()]
    unsaved = json.loads(lines[len(lines_before) :])
    assert [(line["action"], line["txn"] == unsaved["txn"]) for line in added] == [
        ("memory_aborted", True),
        ("memory_write", False),
    ]


# A log that holds damage

DAMAGE = {
    "a torn line": b'{"ts":"2026-01-01T00:0',
    "torn inside a UTF-8 sequence": '{"key":"€'.encode()[:-1],
    "512 NULs": bytes(512),
    "garbage": b"no JSON at all",
    "a number": b"17",
    "an endless number": b'{"a":' + b"9" * 6_000 + b"}",
    "deep nesting": b"[" * 60_000,
    "not UTF-8": b'{"key":"\xff\xfe"}',
    "an empty line": b"",
    "a lone carriage return": b"\r",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_in_the_middle_is_passed_over_and_named(project, damage):
    """B16 (REC-5): every call works, the reader reports the line, verify names it, its bytes stay."""
    log = folder_of(project) / AUDIT
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:2], damage + b"\n", *lines[2:]]))
    with open_at_start(project) as store:
        assert answers(store)["usage"] > 0
        store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")
        records = store.audit_records()
        assert records[2] == UnreadableLine(AUDIT, 3, len(damage))
        assert [record.seq for record in records if record is not records[2]] == [1, 2, 3, 4, 5, 6]
        assert [(finding.kind, finding.where) for finding in store.verify()] == [("audit-line", f"{AUDIT}:3")]
        for change in ("update", "write that evicts", "delete", "deployer's delete of a category", "quota"):
            CHANGES[change](store)
    assert log.read_bytes().startswith(b"".join([*lines[:2], damage + b"\n", *lines[2:]]))


TORN = {name: damage for name, damage in DAMAGE.items() if damage}


@pytest.mark.parametrize("damage", TORN.values(), ids=TORN)
@pytest.mark.parametrize("is_open", [True, False], ids=["store open", "store opened after"])
def test_a_new_record_stands_on_its_own_line_after_a_torn_one(project, damage, is_open):
    """B12, B13, B15 (REC-5): the torn bytes stay as they were, and nothing stops at them."""
    log = folder_of(project) / AUDIT
    store = open_at_start(project)
    if is_open:
        store.gene_memory("main", OURS).write_memory("wish", SECRET, "PREFERENCE")
    else:
        store.close()
    whole = log.read_bytes()
    log.write_bytes(whole + damage)
    if not is_open:
        store = open_at_start(project)
    assert [info.key for info in store.list_memory("main")]
    assert store.audit_records()[-1] == UnreadableLine(AUDIT, whole.count(b"\n") + 1, len(damage))

    store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")

    assert log.read_bytes().startswith(whole + damage + b"\n")
    added = log.read_bytes().removeprefix(whole + damage + b"\n")
    assert json.loads(added)["key"] == "new"
    assert added.count(b"\n") == 1
    assert store.audit_records(key="new")[-1].seq == whole.count(b"\n") + 1
    assert [finding.kind for finding in store.verify()] == ["audit-line"]
    store.close()


def test_a_last_line_that_was_cut_stays_cut(project):
    """B12 (REC-5, REC-9): what is left of it keeps its line; the chain goes on, verify tells of the loss."""
    log = folder_of(project) / AUDIT
    whole = log.read_bytes()
    cut = whole[:-100]
    log.write_bytes(cut)
    with open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory("new", SECRET, "CACHE")
        added = log.read_bytes().removeprefix(cut + b"\n")
        lost = json.loads(whole.splitlines()[-1])
        assert json.loads(added)["prev_hash"] == lost["hash"]
        assert [finding.kind for finding in store.verify()] == ["audit-line", "audit-chain"]


def test_lines_of_other_programs_are_counted_and_left_alone(project):
    """REC-9: they are no part of the chain, wherever they stand."""
    log = folder_of(project) / AUDIT
    theirs = b'{"event":"theirs","seq":4,"hash":"x"}\n'
    with open_at_start(project) as store:
        for number in range(3):
            with open(log, "ab") as file:
                file.write(theirs)
            store.gene_memory("main", OURS).write_memory(f"n{number}", b"", "CACHE")
        assert store.verify() == []
        records = store.audit_records()
    assert [record.action for record in records].count(None) == 3
    assert log.read_bytes().count(theirs) == 3


@pytest.mark.parametrize(
    "key",
    ['a\n{"action":"memory_delete","actor":"deployer"}', "a\rb", "a\u2028b", "a\x85b", "a\x0bb", "a\x1b[2Jb"],
    ids=["B17", "CR", "U+2028", "U+0085", "U+000B", "ESC"],
)
def test_a_key_cannot_forge_a_line(project, key):
    """B17 (REC-5): one physical line for each change, and the key comes back as it was written."""
    log = folder_of(project) / AUDIT
    before = log.read_bytes()
    with open_at_start(project) as store:
        store.gene_memory("main", OURS).write_memory(key, SECRET, "CACHE")
        store.gene_memory("main", OURS).delete_memory(key)
        assert [record.action for record in store.audit_records(key=key)] == ["memory_write", "memory_delete"]
    added = log.read_bytes().removeprefix(before)
    assert added.count(b"\n") == len(added.splitlines()) == 2
    assert [json.loads(line)["key"] for line in added.split(b"\n")[:2]] == [key, key]
    assert added.isascii()


def test_seq_rises_whatever_the_clock_does(project):
    """B21 (REC): the clock goes back one hour between two writes; the order can still be told."""
    with open_at_start(project) as store:
        memory = store.gene_memory("main", OURS)
        for seconds in (0, -3_600, -3_600, 7_300):
            store._shell.clock.advance(seconds)
            memory.write_memory("pattern", SECRET, "PATTERN")
        assert store.verify() == []
    records = LogReplay(folder_of(project) / AUDIT).catch_up()
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert [record["ts"] for record in records] != sorted(record["ts"] for record in records)


def test_an_edited_line_and_a_removed_one_show(project):
    """REC: `hash` chains each line to the one before it."""
    log = folder_of(project) / AUDIT
    whole = log.read_bytes()
    lines = whole.splitlines(keepends=True)
    with open_at_start(project) as store:
        log.write_bytes(whole.replace(b'"key":"pattern"', b'"key":"Pattern"'))
        assert "audit-hash" in {finding.kind for finding in store.verify()}
        log.write_bytes(b"".join(lines[:2] + lines[3:]))
        assert "audit-chain" in {finding.kind for finding in store.verify()}
        log.write_bytes(whole)
        assert store.verify() == []


def test_no_line_of_the_log_holds_a_value(project):
    """REC-1: its size and an HMAC, never the value, whatever happened to it."""
    with open_at_start(project) as store:
        for change in ("update", "write that evicts", "delete", "deployer's delete of a category"):
            CHANGES[change](store)
        with failing(MemoryAccessDenied):
            store.gene_memory("main", FOREIGN).write_memory("new", SECRET, "CACHE")
    told = b"".join(path.read_bytes() for path in folder_of(project).glob("*.jsonl"))
    assert SECRET not in told
    assert SECRET.hex().encode() not in told
    assert b"dGVsbC1ub2JvZHk" not in told


def test_a_rotation_that_cannot_begin_leaves_the_log_as_it_is(project):
    """REC-9: MEMORY_STORAGE_ERROR where the log is no file, and nothing is renamed."""
    log = folder_of(project) / AUDIT
    log.unlink()
    log.mkdir()
    with open_at_start(project) as store:
        with pytest.raises(MemoryStorageError):
            store.rotate_audit()
        with pytest.raises(MemoryStorageError):
            store.audit_records()
    assert log.is_dir()
    assert [path.name for path in folder_of(project).glob("audit*")] == [AUDIT]


@pytest.mark.parametrize("room", [0, 10, 300])
def test_a_rotation_on_a_full_disk_can_be_tried_again_and_loses_no_line(project, processes, room):
    """REC-9: a closed log is never written over, and the chain goes on from file to file."""
    processes.call(scenes.rotate_on_a_full_disk, project, room)


def test_no_file_is_written_over_by_a_rotation(project):
    """REC-9: several on one day, each under a name of its own."""
    with open_at_start(project) as store:
        closed = [store.rotate_audit() for _ in range(3)]
        assert len({path.name for path in closed}) == 3
        assert [record.seq for record in store.audit_records()] == list(range(1, 9))
        assert store.verify() == []


@pytest.mark.parametrize("count", [1, 31, 32, 33, 300])
def test_however_many_make_room_each_has_its_line_and_no_other_goes(tmp_path, count):
    """QUO-4, REC-1: many rows are removed by one statement, few by one each; either way they alone go."""
    with open_at_start(tmp_path) as store:
        agent = store.create_agent("main", memory_quota_bytes=10 * (count + 5))
        memory = store.gene_memory(agent, OURS)
        for number in range(count + 5):
            memory.write_memory(f"{number:03d}", b"seven b", "CACHE")
        memory.write_memory("big", bytes(10 * count - len("big")), "PATTERN")
        evicted = [record.key for record in store.audit_records() if record.action == "memory_evict"]
        assert evicted == [f"{number:03d}" for number in range(count)]
        left = {entry.key for entry in store.list_memory(agent)}
        assert left == {"big", *(f"{number:03d}" for number in range(count, count + 5))}
        assert store.verify() == []
