"""`open_store(read_only=True)`: answers, hides what has expired, writes nothing (python-api)."""

from __future__ import annotations

import io

import pytest

from rotifer_store import MemoryAccessDenied
from storage import scenes
from storage.stage import (
    ANONYMOUS,
    CHANGES,
    FOREIGN,
    OURS,
    SECRET,
    TWO_DAYS_S,
    answers,
    failing,
    files_of,
    folder_of,
    make_store,
    open_at_start,
)


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


@pytest.mark.parametrize(
    "files_are_writable", [True, False], ids=["files of mode 0600", "files of mode 0400"]
)
def test_a_folder_without_write_permission_answers_and_stays_as_it_is(
    project, bound_by_modes, files_are_writable
):
    """B88: list, usage, peek and the rest, with one expired entry; a change fails; nothing is created."""
    bound_by_modes.call(scenes.read_in_a_folder_without_write_permission, project, files_are_writable)


def test_what_another_process_saved_is_seen_in_a_folder_without_write_permission(project, bound_by_modes):
    """B88: also while its write-ahead log has not been moved into the database yet."""
    bound_by_modes.call(scenes.read_beside_a_writer_in_a_folder_without_write_permission, project)


def test_every_change_is_refused_and_every_file_stays_as_it_is(project):
    """python-api: MEMORY_STORAGE_ERROR for each, MEMORY_ACCESS_DENIED for what is refused anyway."""
    with open_at_start(project) as store:
        sound = answers(store)
    before = files_of(folder_of(project))
    with open_at_start(project, read_only=True) as store:
        assert answers(store) == sound
        for change in CHANGES.values():
            with failing():
                change(store)
        for change in (
            lambda: store.sweep(),
            lambda: store.rotate_audit(),
            lambda: store.import_memory("main", project / "exported.jsonl"),
            lambda: store.import_agent(project / "exported.jsonl"),
        ):
            store._shell.clock.advance(TWO_DAYS_S)
            with failing():
                change()
        with failing(MemoryAccessDenied):
            store.gene_memory("main", FOREIGN).read_memory("wish")
        with failing(MemoryAccessDenied):
            store.gene_memory("main", ANONYMOUS).read_memory("wish")
        assert store.verify() == []
    after = files_of(folder_of(project))
    assert {name: after[name] for name in before} == before
    assert not {name for name in after if name.startswith(("audit", "telemetry"))} - set(before)


def test_what_has_expired_is_hidden_and_not_removed(project):
    """POL-5, python-api: on every path; a store that may write still finds it to remove."""
    with open_at_start(project, read_only=True) as store:
        store._shell.clock.advance(TWO_DAYS_S)
        memory = store.gene_memory("main", OURS)
        assert memory.read_memory("context") is None
        assert {entry.key for entry in memory.query_memory()} == {"cached", "pattern", "wish"}
        assert {info.key for info in store.list_memory("main")} == {"cached", "pattern", "wish"}
        assert store.browse_memory("main").total == 3
        assert store.memory_usage("main").by_category["CONTEXT"].entries == 0
        assert store.export_memory("main", io.BytesIO(), include_cache=True) == 3
    with open_at_start(project) as store:
        assert {info.key for info in store.list_memory("main")} == {"cached", "context", "pattern", "wish"}
        store._shell.clock.advance(TWO_DAYS_S)
        assert store.sweep() == 1


def test_a_read_moves_nothing(project):
    """ENT-4, python-api: a reader that may write nothing is not remembered."""
    other = type(OURS)("v2:" + "c" * 64, OURS.domain)
    with open_at_start(project, read_only=True) as store:
        assert store.gene_memory("main", other).read_memory("pattern").value == SECRET
        assert {info.last_accessed_by for info in store.list_memory("main")} == {OURS.id}


def test_another_stores_changes_are_seen_as_they_come(project):
    """python-api: change_token, and what is read, follow a writer."""
    with open_at_start(project, read_only=True) as reader, open_at_start(project) as writer:
        token = reader.change_token()
        assert reader.change_token() == token
        writer.gene_memory("main", OURS).write_memory("pattern", b"later", "PATTERN")
        assert reader.change_token() != token
        assert reader.peek_value("main", "pattern") == b"later"
