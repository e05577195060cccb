"""What a confirmed deletion does to a store that has changed since it was looked at (TUI-7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.dialogs import FETCH, entries_of, make_project, write
from rotifer_console.dashboard.deleting import Deleted, Deletion, delete, describe
from rotifer_store import (
    AuditRecord,
    EntryInfo,
    MemoryCategory,
    MemoryStorageError,
    Store,
    open_store,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_project(tmp_path, ("a", "CACHE"), ("b", "CACHE"), ("c", "CONTEXT"), ("p", "PREFERENCE"))
    return tmp_path


def _entries(store: Store, *keys: str) -> tuple[EntryInfo, ...]:
    return tuple(entry for entry in entries_of(store) if entry.key in keys)


def _keys(store: Store) -> set[str]:
    return {entry.key for entry in entries_of(store)}


def _seqs(store: Store) -> list[int | None]:
    records = store.audit_records(action="memory_delete")
    return [record.seq for record in records if isinstance(record, AuditRecord)]


@pytest.mark.parametrize("keys", [("a",), ("a", "b", "p")], ids=" ".join)
def test_the_receipt_names_the_audit_lines_that_the_deletion_wrote(
    project: Path, keys: tuple[str, ...]
) -> None:
    """REC-8."""
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), _entries(store, *keys), is_spelt=True)
        deleted = delete(store, deletion)
        seqs = _seqs(store)
        assert (deleted.removed, deleted.first_seq, deleted.last_seq) == (len(keys), seqs[0], seqs[-1])
        assert _keys(store) == {"a", "b", "c", "p"} - set(keys)
        text, _ = describe(deleted, deletion)
        assert text == (
            f"1 entry deleted, audit line {seqs[0]}"
            if len(keys) == 1
            else f"3 entries deleted, audit lines {seqs[0]} to {seqs[-1]}"
        )


def test_an_entry_that_was_updated_meanwhile_is_still_the_one_that_was_chosen(project: Path) -> None:
    """TUI-7, ENT-2."""
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), _entries(store, "a"))
        write(store, ("a", "CONTEXT"), value=b"other")
        assert delete(store, deletion).removed == 1
        assert _keys(store) == {"b", "c", "p"}


@pytest.mark.parametrize("keys", [("a",), ("a", "b")], ids=" ".join)
def test_an_entry_that_was_written_anew_under_the_same_key_stays(
    project: Path, keys: tuple[str, ...]
) -> None:
    """TUI-7: it is another one than was looked at."""
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), _entries(store, *keys), is_spelt=True)
        store.delete_memory("main", key="a")
        write(store, ("a", "CACHE"), gene=FETCH)
        deleted = delete(store, deletion)
        assert (deleted.removed, [entry.key for entry in deleted.gone]) == (None, ["a"])
        assert "nothing was deleted" in describe(deleted, deletion)[0]
        assert _keys(store) == {"a", "b", "c", "p"}


def test_what_became_preference_needs_the_word(project: Path) -> None:
    """TUI-7."""
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), _entries(store, "a"))
        write(store, ("a", "PREFERENCE"))
        assert delete(store, deletion).removed is None
        assert "a" in _keys(store)


def test_a_category_goes_with_what_came_since_and_says_how_many_were_exported(project: Path) -> None:
    """TUI-7, AGT-4."""
    with open_store(project) as store:
        agent = store.agent("main")
        deletion = Deletion(agent, category=MemoryCategory.CACHE, export_to=project / "cache.jsonl")
        write(store, ("d", "CACHE"))
        deleted = delete(store, deletion)
        assert (deleted.removed, deleted.exported) == (3, 3)
        assert _keys(store) == {"c", "p"}
        assert describe(deleted, deletion)[0].endswith("; undo: import cache.jsonl")
        assert store.import_memory(agent, project / "cache.jsonl") == 3


def test_an_empty_category_says_so(project: Path) -> None:
    """AGT-4."""
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), category=MemoryCategory.PATTERN)
        deleted = delete(store, deletion)
        assert deleted.removed == 0
        assert describe(deleted, deletion) == ("PATTERN was empty already, nothing was deleted", "warning")


def test_of_the_same_name_another_agent_of_another_store_is_not_touched(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """TUI-9."""
    other = tmp_path_factory.mktemp("other")
    make_project(other, ("a", "CACHE"))
    with open_store(project) as store, open_store(other) as another:
        deletion = Deletion(store.agent("main"), _entries(store, "a"))
        with pytest.raises(MemoryStorageError, match="another store"):
            delete(another, deletion)
        assert _keys(another) == {"a"}


def test_nothing_goes_where_the_exports_name_is_taken(project: Path) -> None:
    """TUI-7."""
    taken = project / "taken.jsonl"
    taken.write_text("another's")
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), _entries(store, "a"), export_to=taken)
        with pytest.raises(FileExistsError):
            delete(store, deletion)
        assert "a" in _keys(store)
    assert taken.read_text() == "another's"


def test_a_receipt_that_cannot_be_read_does_not_hide_that_the_entry_went(project: Path) -> None:
    """TUI-7."""
    with open_store(project) as store:
        deletion = Deletion(store.agent("main"), _entries(store, "a"))
    assert describe(Deleted(removed=1), deletion) == (
        "1 entry deleted, the audit line could not be read",
        "success",
    )


def test_many_that_are_gone_are_counted(project: Path) -> None:
    """TUI-7."""
    with open_store(project) as store:
        entries = _entries(store, "a", "b", "c", "p")
        deletion = Deletion(store.agent("main"), entries, is_spelt=True)
        for key in ("a", "b", "c", "p"):
            store.delete_memory("main", key=key)
        text, role = describe(delete(store, deletion), deletion)
    assert text == "nothing was deleted: 4 of 4 gone already: p, c, b and 1 more"
    assert role == "warning"
