"""A store that was opened before a fork works on both sides of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from concurrency.crew import IN_FULL
from concurrency.jobs import OURS
from property.log_replay import LogReplay
from rotifer_store import open_store

TESTS = Path(__file__).parents[1]
COUNT = 200 if IN_FULL else 40


@pytest.mark.parametrize(
    ("scenario", "writers"),
    [("parent writes too", 7), ("threads are busy", 11), ("parent closes first", 3)],
)
def test_a_store_opened_before_a_fork_serves_parent_and_children(tmp_path, scenario, writers):
    """QUO-6, REC-1: no error on any side, one line for each write, the chain whole."""
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=[OURS])

    program = TESTS / "concurrency" / "fork_program.py"
    finished = subprocess.run(
        [sys.executable, str(program), scenario, str(tmp_path), str(COUNT)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (finished.returncode, finished.stderr) == (0, "")
    replay = LogReplay(tmp_path / ".rotifer" / "audit.jsonl")
    actions = [record["action"] for record in replay.catch_up()]
    assert actions == ["agent_create"] + ["memory_write"] * (writers * COUNT)
    with open_store(tmp_path) as store:
        assert len(store.list_memory("main")) == writers * COUNT
        assert store.verify() == []
