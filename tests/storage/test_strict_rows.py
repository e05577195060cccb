"""The file itself refuses rows that cannot be, by whomever they are written (B30, B91).

Tables are STRICT and checked, so a time that is no number or a category that nobody knows never gets in, and
no reader has to guess what it means.
"""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing

import pytest

from rotifer_store import MemoryInvalidInput, MemoryStorageError
from rotifer_store.tables import CATEGORIES
from storage.stage import (
    DATABASE,
    OURS,
    READS,
    SECRET,
    answers,
    failing,
    folder_of,
    make_store,
    open_at_start,
)

TIMES = ("created_at_us", "updated_at_us", "order_us", "expires_at_us")
NO_TIMES = {
    "text without a zone": "2026-01-01T00:00:00",
    "RFC 3339": "2026-01-01T00:00:00.000000Z",
    "garbage": "garbage",
    "empty text": "",
    "a fraction": 1.5,
    "bytes": b"\x00",
}
LATEST_US = 253_402_300_799_999_999
"""The end of the year 9999."""


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


def edit(project, statement, *parameters):
    with closing(sqlite3.connect(folder_of(project) / DATABASE)) as connection, connection:
        return connection.execute(statement, parameters).fetchall()


@pytest.mark.parametrize("column", TIMES)
@pytest.mark.parametrize("value", NO_TIMES.values(), ids=NO_TIMES)
def test_a_time_that_is_no_whole_number_is_refused_by_the_file(project, column, value):
    """B30 (ENT-5): so nothing ever lives without an expiry because its time cannot be read."""
    with open_at_start(project) as store:
        sound = answers(store)
    with pytest.raises(sqlite3.IntegrityError):
        edit(project, f"UPDATE rotifer_entry SET {column} = ? WHERE key = 'context'", value)
    with open_at_start(project) as store:
        assert answers(store) == sound
        assert store.verify() == []


@pytest.mark.parametrize("column", ["created_at_us", "updated_at_us", "order_us"])
def test_a_missing_time_is_refused_by_the_file(project, column):
    """ENT-5: only an expiry may be null, and means never."""
    with pytest.raises(sqlite3.IntegrityError):
        edit(project, f"UPDATE rotifer_entry SET {column} = NULL")


@pytest.mark.parametrize("column", ["created_at_us", "updated_at_us"])
@pytest.mark.parametrize("value", [LATEST_US + 1, -(1 << 62)], ids=["after 9999", "before 0001"])
def test_a_time_that_no_calendar_has_fails_alone_or_cannot_be_stored(project, column, value):
    """B30 (ERR): MEMORY_STORAGE_ERROR for that entry, other entries answer, verify names it."""
    try:
        edit(project, f"UPDATE rotifer_entry SET {column} = ? WHERE key = 'context'", value)
    except sqlite3.IntegrityError:
        return
    with open_at_start(project) as store:
        memory = store.gene_memory("main", OURS)
        assert memory.read_memory("pattern").value == SECRET
        with failing():
            getattr(memory.read_memory("context"), column.removesuffix("_us"))
        assert any("context" in finding.where for finding in store.verify())
        assert {info.key for info in store.list_memory("main")} >= {"cached", "pattern", "wish"}


@pytest.mark.parametrize("column", ["category", "read_scope", "write_scope", "share_policy"])
@pytest.mark.parametrize("value", [-1, 4, 17, "CACHE", None], ids=repr)
def test_an_unknown_category_scope_or_share_policy_is_refused_by_the_file(project, column, value):
    """B91 (ENT-6): the rest is listed, because there is no such row."""
    with pytest.raises(sqlite3.IntegrityError):
        edit(project, f"UPDATE rotifer_entry SET {column} = ? WHERE key = 'context'", value)
    with open_at_start(project) as store:
        assert len(store.list_memory("main")) == 4


def test_a_category_is_stored_in_one_form(project):
    """B91: by the number of its row in the table, and shown by its name on the page."""
    stored = dict(edit(project, "SELECT key, category FROM rotifer_entry"))
    numbers = {row.category: row.stored for row in CATEGORIES}
    with open_at_start(project) as store:
        shown = {info.key: info.category for info in store.list_memory("main")}
    assert shown == {"cached": "CACHE", "pattern": "PATTERN", "context": "CONTEXT", "wish": "PREFERENCE"}
    assert stored == {key: numbers[category] for key, category in shown.items()}
    assert edit(
        project, "SELECT DISTINCT typeof(created_at_us), typeof(updated_at_us) FROM rotifer_entry"
    ) == [("integer", "integer")]


EDITS = {
    "another value": ("value = zeroblob(length(value))", "the value is not the one that was written"),
    "a longer value": (
        "value = CAST(value || x'00' AS BLOB)",
        "the stored size is not that of key and value",
    ),
    "another size": ("size_bytes = size_bytes + 1", "the stored size is not that of key and value"),
    "an expiry taken away": (
        "expires_at_us = NULL",
        "the stored expiry is not the one that its policies give",
    ),
    "an expiry put off": (
        "expires_at_us = expires_at_us + 1",
        "the stored expiry is not the one that its policies give",
    ),
    "an update before the creation": (
        "updated_at_us = created_at_us - 1",
        "it was updated before it was created",
    ),
    "an order to come": (
        "order_us = order_us + 1",
        "its place in the order of update is ahead of the agent's",
    ),
    "a seq to come": ("seq = seq + 100", "its place in the order of update is ahead of the agent's"),
    "a key that cannot be": ("key = ''", "no entry can have that key"),
}


@pytest.mark.parametrize(("assignment", "problem"), EDITS.values(), ids=EDITS)
def test_verify_names_an_edited_entry(project, assignment, problem):
    """python-api: whatever STRICT cannot see; no message holds a value."""
    edit(project, f"UPDATE rotifer_entry SET {assignment} WHERE key = 'context'")
    with open_at_start(project) as store:
        findings = store.verify()
    assert problem in {finding.message for finding in findings}
    assert all(SECRET.decode() not in f"{finding}" for finding in findings)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE rotifer_agent SET cache_bytes = cache_bytes + 1", "counters"),
        ("UPDATE rotifer_agent SET preference_entries = 0", "counters"),
        ("DELETE FROM rotifer_entry WHERE key = 'wish'", "replay"),
        ("UPDATE rotifer_entry SET category = 0 WHERE key = 'wish'", "replay"),
        ("UPDATE rotifer_entry SET key = 'wished' WHERE key = 'wish'", "replay"),
        ("UPDATE rotifer_entry SET agent_ref = 99 WHERE key = 'wish'", "entry"),
        ("UPDATE rotifer_state SET seq = seq + 1", "audit-end"),
        ("UPDATE rotifer_state SET seq = seq - 1", "audit-unsaved"),
    ],
)
def test_verify_notices_what_the_log_and_the_counters_tell_otherwise(project, statement, kind):
    """REC-9, QUO-1: rows that went, came or changed beside the store."""
    with open_at_start(project, read_only=True) as store:
        assert store.verify() == []
    edit(project, statement)
    with open_at_start(project, read_only=True) as store:
        assert kind in {finding.kind for finding in store.verify()}


@pytest.mark.parametrize("assignment", ["genes = 'x'", "composition = ''", f"created_at_us = {1 << 62}"])
def test_a_damaged_agent_gives_a_storage_error(project, assignment):
    """ERR: never an error of the parser or the calendar."""
    try:
        edit(project, f"UPDATE rotifer_agent SET {assignment}")
    except sqlite3.IntegrityError:
        return
    with open_at_start(project) as store:
        with failing():
            store.agents()
        with failing():
            store.agent("main")
        for read in READS.values():
            with pytest.raises(MemoryStorageError):
                read(store)


@pytest.mark.parametrize(
    ("line", "member", "text"),
    [
        (1, "createdAt", "0000-06-01T00:00:00.000000Z"),
        (1, "createdAt", "0001-01-01T00:00:00.000000+14:00"),
        (1, "updatedAt", "9999-12-31T23:59:60.000000Z"),
        (1, "updatedAt", "9999-12-31T23:59:59.000000-00:01"),
        (0, "createdAt", "0000-06-01T00:00:00.000000Z"),
        (0, "createdAt", "9999-12-31T23:59:60.000000Z"),
    ],
)
def test_a_time_that_no_calendar_has_does_not_come_in_with_a_moved_agent(project, line, member, text):
    """AGT-6, ENT-5: a bad record; what was imported can always be listed."""
    lines = [json.loads(part) for part in (project / "exported.jsonl").read_bytes().splitlines()]
    (lines[0]["agent"] if line == 0 else lines[line])[member] = text
    moved = io.BytesIO(b"".join(json.dumps(part).encode() + b"\n" for part in lines))
    with open_at_start(project / "elsewhere") as store:
        with failing(MemoryInvalidInput):
            store.import_agent(moved)
        assert store.agents() == []
        assert store.verify() == []
