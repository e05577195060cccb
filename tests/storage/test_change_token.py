"""The token by which a dashboard learns that the store has changed, or is the store no more (TUI-9)."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading

import pytest

from rotifer_store import MemoryStorageError, open_store
from storage.stage import DATABASE, OURS, folder_of, make_store, open_at_start


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path / "project")


@pytest.fixture
def database(project):
    return folder_of(project) / DATABASE


def write(store, key="new"):
    store.gene_memory("main", OURS).write_memory(key, b"", "CACHE")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_that_was_removed_is_told(project, database, read_only):
    """TUI-9: SQLite alone would read on from the file without a name."""
    with open_at_start(project, read_only=read_only) as store:
        store.change_token()
        database.unlink()
        for _ in range(2):
            with pytest.raises(MemoryStorageError, match="database is gone"):
                store.change_token()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("is_looked_at_first", [False, True])
def test_a_database_that_was_replaced_is_told(project, database, tmp_path, read_only, is_looked_at_first):
    """TUI-9: a copy of the same bytes is another database too; so is a link to the old one."""
    copy = tmp_path / "copy"
    with open_at_start(project, read_only=read_only) as store:
        if is_looked_at_first:
            store.change_token()
        shutil.copy(database, copy)
        copy.replace(database)
        with pytest.raises(MemoryStorageError, match="another database"):
            store.change_token()


def test_a_database_that_was_moved_away_and_back_is_the_same(project, database, tmp_path):
    moved = tmp_path / "moved"
    with open_at_start(project) as store:
        token = store.change_token()
        database.rename(moved)
        with pytest.raises(MemoryStorageError, match="database is gone"):
            store.change_token()
        database.symlink_to(moved)
        with pytest.raises(MemoryStorageError, match="another database"):
            store.change_token()
        moved.rename(database)
        assert store.change_token() == token


def test_a_store_whose_folder_was_removed_says_so(project):
    with open_at_start(project) as store:
        shutil.rmtree(folder_of(project))
        with pytest.raises(MemoryStorageError, match="database is gone"):
            store.change_token()


def test_changes_of_the_stores_own_threads_count(project):
    """python-api: a dashboard's worker writes through the store that the dashboard watches."""
    with open_at_start(project) as store:
        tokens = [store.change_token()]
        for number in range(3):
            worker = threading.Thread(target=write, args=(store, f"k{number}"))
            worker.start()
            worker.join()
            tokens.append(store.change_token())
        assert len(set(tokens)) == 4


def test_a_token_costs_none_of_the_process_locks(project):
    """QUO-6: a look that opened and closed the file would drop them, and others would clear the log away."""
    log = folder_of(project) / f"{DATABASE}-wal"
    program = "import sys\nfrom rotifer_store import open_store\nopen_store(sys.argv[1]).close()\n"
    with open_at_start(project) as store:
        write(store)
        store.change_token()
        subprocess.run([sys.executable, "-c", program, str(project)], check=True)
        assert log.exists()
        write(store, "later")
    with open_at_start(project) as store:
        assert store.verify() == []


def test_a_change_during_a_fork_is_not_missed(project):
    """python-api: connections are opened anew after a fork, and SQLite numbers each one's view apart."""
    program = (
        "import os, sys\n"
        "from rotifer_store import Gene, open_store\n"
        "gene = Gene('v2:' + 'a' * 64, 'formatter')\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    memory = store.gene_memory('main', gene)\n"
        "    tokens = [store.change_token()]\n"
        "    for number in range(4):\n"
        "        child = os.fork()\n"
        "        if child == 0:\n"
        "            memory.write_memory(f'k{number}', b'', 'CACHE')\n"
        "            os._exit(0)\n"
        "        assert os.waitpid(child, 0)[1] == 0\n"
        "        tokens.append(store.change_token())\n"
        "    print(len(set(tokens)))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(project)], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "5\n"


def test_a_store_that_is_opened_anew_goes_on_where_the_old_one_cannot(project, database):
    """TUI-9: what a dashboard does when the banner is answered."""
    with open_at_start(project) as store:
        database.unlink()
        with pytest.raises(MemoryStorageError):
            store.change_token()
    with open_store(project) as again:
        assert again.agents() == []
        assert again.change_token() == again.change_token()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_written_into_a_database_without_a_name(project, database, tmp_path, is_replaced):
    """ERR, REC-2: it would be lost; no line is logged for it, and the other database stays as it is."""
    log = folder_of(project) / "audit.jsonl"
    with open_at_start(project) as store:
        write(store, "before")
        copy = tmp_path / "copy"
        shutil.copy(database, copy)
        database.unlink()
        if is_replaced:
            copy.rename(database)
        bytes_before, lines = database.read_bytes() if is_replaced else b"", log.read_bytes()
        with pytest.raises(MemoryStorageError, match="database"):
            write(store, "after")
        assert log.read_bytes() == lines
        assert database.exists() == is_replaced
        assert not is_replaced or database.read_bytes() == bytes_before


def test_a_thread_that_comes_later_does_not_read_another_database(project, database, tmp_path):
    """ERR: a new connection would open whatever stands under the name now."""
    with open_at_start(project) as store, store._shell.engine.reading():  # the only connection is in use
        copy = tmp_path / "copy"
        shutil.copy(database, copy)
        copy.replace(database)
        with pytest.raises(MemoryStorageError, match="another database"):
            store.agents()
