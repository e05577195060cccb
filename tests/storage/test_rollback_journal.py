"""Where WAL cannot be had, the store works with a rollback journal (REC-7, B84).

SQLite's `unix-dotfile` VFS has no shared memory, like some network file systems: WAL is refused there.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import rotifer_store.engine
import rotifer_store.store
from conformance.case_file import parse_case, read_cases
from conformance.doors import LibraryDoor
from conformance.runner import run_case
from property.log_replay import LogReplay
from storage import scenes
from storage.stage import (
    AUDIT,
    CHANGES,
    DATABASE,
    OURS,
    answers,
    contents,
    failing,
    folder_of,
    make_store,
    open_at_start,
)

CASES = Path(__file__).parents[1] / "conformance" / "cases"
ROLLBACK, WAL = b"\x01\x01", b"\x02\x02"


def format_of(project):
    """The two bytes of the header that say how the file is written."""
    return (folder_of(project) / DATABASE).read_bytes()[18:20]


@pytest.fixture
def without_wal(monkeypatch):
    """The stores of this test are on a file system without shared memory."""
    engine = partial(rotifer_store.engine.SqliteEngine, vfs="unix-dotfile")
    monkeypatch.setattr(rotifer_store.store, "SqliteEngine", engine)
    monkeypatch.setattr(rotifer_store.engine, "BUSY_TIMEOUT_S", 5.0)


def test_elsewhere_the_store_uses_wal(tmp_path):
    """The other tests of this file would prove nothing if it did not."""
    make_store(tmp_path)
    assert format_of(tmp_path) == WAL


def test_the_store_says_which_mode_it_got(tmp_path, without_wal):
    """REC-7: never ignored; `doctor` can tell."""
    with open_at_start(tmp_path) as store:
        assert store._shell.engine.journal_mode == "delete"
    assert format_of(tmp_path) == ROLLBACK


@pytest.mark.parametrize(
    "raw", [pytest.param(raw, id=f"{raw.file_name}::{raw.case_id}") for raw in read_cases(CASES)]
)
def test_every_conformance_case_passes(raw, tmp_path, without_wal):
    """B84: the same cases, the same outcomes."""
    run_case(parse_case(raw.members), LibraryDoor(), tmp_path)


def test_every_change_is_saved_with_its_line(tmp_path, without_wal):
    """REC-2: reading calls between them, closing and opening in the middle."""
    make_store(tmp_path)
    for change in ("update", "write that evicts", "delete", "create agent", "data policy", "quota", "genome"):
        with open_at_start(tmp_path) as store:
            CHANGES[change](store)
            answers(store)
            assert store.verify() == []
    assert format_of(tmp_path) == ROLLBACK


def test_a_change_without_its_line_is_undone(tmp_path, without_wal):
    """REC-2: as with WAL."""
    make_store(tmp_path)
    before = contents(tmp_path)
    log = folder_of(tmp_path) / AUDIT
    log.rename(log.with_name("aside"))
    log.mkdir()
    with open_at_start(tmp_path) as store:
        for change in CHANGES.values():
            with failing():
                change(store)
    assert contents(tmp_path) == before


def test_several_processes_share_it(tmp_path, processes, without_wal):
    """QUO-6, B84: no error, no lost change, the log whole."""
    make_store(tmp_path)
    crew = [processes.start(scenes.write_without_wal, tmp_path, worker, 25) for worker in range(4)]
    for pid in crew:
        answer = processes.wait(pid)
        assert (answer.signal, answer.trouble) == (0, None)
    replay = LogReplay(folder_of(tmp_path) / AUDIT)
    writes = [record["key"] for record in replay.catch_up() if str(record["key"]).startswith("w")]
    assert len(writes) == 4 * 25 + 1
    with open_at_start(tmp_path) as store:
        assert store.verify() == []
        assert store.memory_usage("main").by_category["PREFERENCE"].entries == 4 * 25 + 1


def test_a_store_that_comes_from_there_goes_back_to_wal(tmp_path):
    """REC-7: the mode is asked for at each opening; nothing is lost on the way."""
    with pytest.MonkeyPatch.context() as patch:
        engine = partial(rotifer_store.engine.SqliteEngine, vfs="unix-dotfile")
        patch.setattr(rotifer_store.store, "SqliteEngine", engine)
        make_store(tmp_path)
        before = contents(tmp_path)
    assert format_of(tmp_path) == ROLLBACK
    with open_at_start(tmp_path) as store:
        assert store.verify() == []
    assert format_of(tmp_path) == WAL
    assert contents(tmp_path) == before


def test_a_wal_database_where_wal_cannot_be_had_is_refused(tmp_path, without_wal):
    """B84: a project moved to such a file system: MEMORY_STORAGE_ERROR, the files as they were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rotifer_store.store, "SqliteEngine", rotifer_store.engine.SqliteEngine)
        make_store(tmp_path)
    before = (folder_of(tmp_path) / DATABASE).read_bytes()
    with failing():
        open_at_start(tmp_path)
    assert (folder_of(tmp_path) / DATABASE).read_bytes() == before


def test_a_gene_and_the_deployer_share_it(tmp_path, without_wal):
    """B84: two stores of one process, reads between the writes of the other."""
    make_store(tmp_path)
    with open_at_start(tmp_path) as one, open_at_start(tmp_path) as other:
        for number in range(10):
            one.gene_memory("main", OURS).write_memory("pattern", bytes([number]), "PATTERN")
            assert other.peek_value("main", "pattern") == bytes([number])
            other.set_memory_quota("main", 400 + number)
            assert one.memory_usage("main").quota_bytes == 400 + number
        assert one.verify() == other.verify() == []
