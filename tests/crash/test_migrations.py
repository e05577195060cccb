"""SIGKILL in the middle of the migration that creates the schema: the next start finishes it (B90)."""

from __future__ import annotations

import signal
import sqlite3

from crash.doomed import OURS, START_US, open_until_statement
from rotifer_store import FixedClock, open_store


def schema_of(project):
    """The tables and indexes of a store's file, as SQL."""
    connection = sqlite3.connect(project / ".rotifer" / "playground.db")
    try:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    finally:
        connection.close()


def test_a_migration_killed_at_any_statement_is_finished_by_the_next_start(tmp_path, processes):
    """B90 (python-api): half a schema is never seen; the next opening makes it whole."""
    (tmp_path / "whole").mkdir()
    open_store(tmp_path / "whole").close()
    whole = schema_of(tmp_path / "whole")
    deaths = 0
    while True:
        project = tmp_path / f"killed-{deaths}"
        project.mkdir()
        answer = processes.run(open_until_statement, project, deaths)
        if answer.signal == 0:
            assert answer.trouble is None
            break
        assert answer.signal == signal.SIGKILL
        deaths += 1

        with open_store(project, clock=FixedClock(START_US)) as store:
            store.create_agent("main")
            store.gene_memory("main", OURS).write_memory("k", b"1", "PREFERENCE")
            assert store.verify() == []
        assert schema_of(project) == whole
    assert deaths > len(whole), "a death at each statement of the migration"


def test_a_migration_killed_again_and_again_in_one_folder_is_finished_at_last(tmp_path, processes):
    """B90: each start begins again where nothing was saved."""
    deaths = 0
    while processes.run(open_until_statement, tmp_path, deaths).signal == signal.SIGKILL:
        deaths += 1
    with open_store(tmp_path) as store:
        store.create_agent("main")
        assert store.verify() == []
    assert deaths > 5
