"""Several stores on one folder in one process, beside other processes (python-api, QUO-6)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rotifer_store import Gene, Store, open_store

GENE = Gene("v2:" + "a" * 64, "keeping")
OTHER_PROCESS = """
import sys
from rotifer_store import Gene, open_store

with open_store(sys.argv[1]) as store:
    store.gene_memory("main", Gene("v2:" + "a" * 64, "keeping")).write_memory(sys.argv[2], b"1", "CONTEXT")
    print(sorted(entry.key for entry in store.list_memory("main")))
"""


def written_elsewhere(folder: Path, key: str) -> str:
    """Writes the key in a process of its own and returns what that process then lists."""
    ran = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, str(folder), key], capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def write(store: Store, key: str) -> None:
    store.gene_memory("main", GENE).write_memory(key, b"1", "CONTEXT")


@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "to read"])
@pytest.mark.parametrize("closes", [True, False], ids=["closed again", "left open"])
def test_a_second_store_in_the_process_leaves_the_first_ones_locks_alone(
    tmp_path: Path, *, closes: bool, read_only: bool
) -> None:
    """QUO-6, REC-3: closing a descriptor of the database drops a process's locks, and its log with them."""
    with open_store(tmp_path) as first:
        first.create_agent("main")
        write(first, "k0")
        second = open_store(tmp_path, read_only=read_only)
        if closes:
            second.close()
        assert written_elsewhere(tmp_path, "child1") == "['child1', 'k0']"
        write(first, "k1")
        assert written_elsewhere(tmp_path, "child2") == "['child1', 'child2', 'k0', 'k1']"
        write(first, "k2")
        second.close()
    with open_store(tmp_path) as store:
        assert sorted(entry.key for entry in store.list_memory("main")) == [
            "child1",
            "child2",
            "k0",
            "k1",
            "k2",
        ]
        assert store.verify() == []
