"""Genes in processes of their own, against a real store, and a look at what processes they leave."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rotifer_console.hosts.child import GeneChild
from rotifer_console.hosts.node import node_command
from rotifer_console.hosts.python_child import python_command
from rotifer_store import Gene, Store, open_store
from rotifer_store.gene_folder import GeneLanguage, read_gene_folder


class Stage:
    """A project with the agent `main`, whose genes a test writes.

    Each gene notes the ids of the processes that it is or starts in the file `pids` of its input, so that
    afterwards a test can see that none of their groups is left.
    """

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        self.pids = root / "pids"
        self.lock = root / ".rotifer" / "playground.lock"
        store.create_agent("main")

    def add_gene(
        self, source: str, name: str = "gene", domain: str = "dates", *, file: str = "index.py"
    ) -> Path:
        folder = self.root / "genes" / name
        folder.mkdir(parents=True, exist_ok=True)
        phenotype = {"domain": domain, "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
        (folder / "phenotype.json").write_text(json.dumps(phenotype))
        (folder / file).write_text(dedent(source))
        return folder

    def child(self, source: str, name: str = "gene", *, file: str = "index.py") -> GeneChild:
        """A gene of `main` in its own process; to be closed by the test, as a context manager."""
        folder = read_gene_folder(self.add_gene(source, name, file=file))
        memory = self.store.gene_memory("main", Gene(folder.gene_id, folder.domain, name))
        is_python = folder.language is GeneLanguage.PYTHON
        return GeneChild(python_command(folder) if is_python else node_command(folder), memory)

    def input(self, **members: Any) -> dict[str, Any]:
        return {"pids": str(self.pids), "lock": str(self.lock), **members}

    def noted_pids(self) -> list[int]:
        return [int(line) for line in self.pids.read_text().split()] if self.pids.exists() else []

    def processes_left(self) -> list[int]:
        """Of the noted processes and their groups, those that still run after a moment."""
        noted = self.noted_pids()
        until = time.monotonic() + 2
        while (left := _running(noted)) and time.monotonic() < until:
            time.sleep(0.01)
        return left

    def is_lock_free(self) -> bool:
        descriptor = os.open(self.lock, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True


def _running(noted: list[int]) -> list[int]:
    """Noted processes, and members of groups that one of them leads, that are no zombies."""
    stats = list(Path("/proc").glob("[0-9]*/stat"))
    if not stats:  # no such file system here: ask by signal, which finds zombies too until they are reaped
        return [pid for pid in noted if _answers(pid)]
    found = []
    for stat in stats:
        try:
            pid, rest = stat.read_text().split(" (", 1)
        except OSError:
            continue
        state, _, group = rest.rpartition(") ")[2].split()[:3]
        if state not in "ZX" and (int(pid) in noted or int(group) in noted):
            found.append(int(pid))
    return found


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with open_store(tmp_path) as store:
        made = Stage(tmp_path, store)
        yield made
        assert made.processes_left() == []
        assert made.is_lock_free()
        assert store.verify() == []
