"""A deletion as the dialog confirmed it: what was chosen goes, or is said to be gone (TUI-7).

Runs on a lane's thread. Between the dialog and the store time passes: an entry may have gone, or another may
have been written under its key. Such a one is not what the person looked at, and stays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rotifer_console.file_names import reserved
from rotifer_console.view.entries import count
from rotifer_store import (
    Agent,
    AgentNotFound,
    AuditRecord,
    EntryInfo,
    MemoryCategory,
    MemoryNotFound,
    MemoryStorageError,
    Store,
)
from rotifer_store.tables import AuditAction

_MOST_LINES_READ: Final = 2000


@dataclass(frozen=True, slots=True)
class Deletion:
    """What was confirmed. `entries` are as the dialog showed them; `category` means all of it instead.

    `export_to` is the file that takes them first; `is_spelt`: the word was typed.
    """

    agent: Agent
    entries: tuple[EntryInfo, ...] = ()
    category: MemoryCategory | None = None
    export_to: Path | None = None
    is_spelt: bool = False


@dataclass(frozen=True, slots=True)
class Deleted:
    """What became of it. Where `removed` is None nothing was deleted, and one of the others says why.

    `exported_keys` are those of the entries that a file took before they went.
    """

    removed: int | None = None
    exported: int | None = None
    exported_keys: tuple[str, ...] = ()
    first_seq: int | None = None
    last_seq: int | None = None
    gone: tuple[EntryInfo, ...] = ()
    protected: EntryInfo | None = None


def agent_now(store: Store, agent: Agent) -> Agent:
    """The agent as it is now, in the store that stands there now.

    Raises:
        MemoryStorageError: another store has taken its place, or it has no such agent any more.
    """
    store.change_token()
    try:
        current = store.agent(agent.name)
    except AgentNotFound:
        current = None
    if current is None or current.id != agent.id:
        raise MemoryStorageError(f"another store stands here now, without this {agent.name}")
    return current


def delete(store: Store, deletion: Deletion) -> Deleted:
    """Deletes what was confirmed, all or none; first exports it where that was asked for.

    Raises:
        MemoryStorageError: the store or the export failed; nothing was deleted.
        OSError: the export's file cannot be made; nothing was deleted.
    """
    agent = agent_now(store, deletion.agent)
    going: list[EntryInfo] = []
    if deletion.category is not None:
        going = _of_category(store, agent, deletion.category) if deletion.export_to is not None else []
        keys = [entry.key for entry in going]
    else:
        keys = [entry.key for entry in deletion.entries]
        now = entries_now(store, agent, keys)
        gone = tuple(entry for entry in deletion.entries if not _is_same(entry, now))
        if gone:
            return Deleted(gone=gone)
        became = [now[key] for key in keys if now[key].category is MemoryCategory.PREFERENCE]
        if became and not deletion.is_spelt:
            return Deleted(protected=became[0])
        going = [now[key] for key in keys]
    exported = None
    try:
        if deletion.export_to is not None and keys:
            exported = export(store, agent, deletion.export_to, keys=keys)
        if deletion.category is not None and deletion.export_to is None:
            removed = store.delete_memory(agent, category=deletion.category)
        else:  # what was looked at and exported goes, and nothing that came in between
            removed = store.delete_entries(agent, going)
    except MemoryNotFound:  # gone or changed since they were looked at
        now = entries_now(store, agent, keys)
        return Deleted(
            exported=exported, gone=tuple(entry for entry in deletion.entries if not _is_same(entry, now))
        )
    first, last = _lines_of(store, agent, removed, keys, deletion.category) if removed else (None, None)
    return Deleted(removed, exported, () if exported is None else tuple(keys), first, last)


def export(
    store: Store,
    agent: Agent,
    path: Path,
    *,
    keys: Collection[str] | None = None,
    include_cache: bool = False,
) -> int:
    """Writes entries into a new file, for its owner alone; returns how many.

    Raises:
        MemoryNotFound: one of the keys is not there.
        MemoryStorageError: the store or the file failed; no file is left.
        OSError: the file's name is taken, or nothing can be written there.
    """
    with reserved(path):
        wanted = None if keys is None else list(keys)
        return store.export_memory(agent, path, include_cache=include_cache, keys=wanted)


def entries_now(store: Store, agent: Agent, keys: Collection[str]) -> Mapping[str, EntryInfo]:
    """The live entries of those keys as they are now, by key."""
    wanted = frozenset(keys)
    text = next(iter(wanted)) if len(wanted) == 1 else ""
    return {entry.key: entry for entry in store.find(agent, text) if entry.key in wanted}


def _is_same(entry: EntryInfo, now: Mapping[str, EntryInfo]) -> bool:
    """Whether it stands there still; it may have been updated, but not deleted and written anew (ENT-7)."""
    found = now.get(entry.key)
    return found is not None and (found.created_at, found.created_by) == (entry.created_at, entry.created_by)


def _of_category(store: Store, agent: Agent, category: MemoryCategory) -> list[EntryInfo]:
    return [entry for entry in store.find(agent, "") if entry.category is category]


def _lines_of(
    store: Store, agent: Agent, removed: int, keys: Collection[str], category: MemoryCategory | None
) -> tuple[int | None, int | None]:
    """The first and the last audit line of a deletion just made; None where the log does not show them."""
    wanted = frozenset(keys)
    try:
        with store.audit_view() as view:
            lines = view.newest(min(_MOST_LINES_READ, 2 * removed + 100))
    except MemoryStorageError:  # the entries are gone all the same
        return None, None
    seqs = [
        line.seq
        for line in lines
        if isinstance(line, AuditRecord)
        and line.action == AuditAction.MEMORY_DELETE
        and (line.agent_id, line.actor) == (agent.id, "deployer")
        and (line.key in wanted if category is None else line.category == category)
        and line.seq is not None
    ][-removed:]
    if not seqs:
        return None, None
    return (seqs[0] if len(seqs) == removed else None), seqs[-1]


def describe(deleted: Deleted, deletion: Deletion) -> tuple[str, str]:
    """What became of it, for people, and the role that it has on a screen."""
    if deleted.protected is not None:
        return "it has become PREFERENCE since: nothing was deleted, ask again", "warning"
    if deleted.removed is None:
        return _describe_gone(deleted, deletion), "warning"
    if deleted.removed == 0:
        return f"{deletion.category} was empty already, nothing was deleted", "warning"
    text = f"{count(deleted.removed)} deleted, {_line_words(deleted)}"
    if deletion.export_to is None:
        return text, "success"
    if deleted.exported != deleted.removed:  # another program wrote in between
        return f"{text}; {deleted.exported or 0} of them are in {deletion.export_to.name}", "warning"
    return f"{text}; undo: import {deletion.export_to.name}", "success"


def _describe_gone(deleted: Deleted, deletion: Deletion) -> str:
    kept = "" if deleted.exported is None else f"; {count(deleted.exported)} exported"
    if not deleted.gone:
        return f"it was changed meanwhile: nothing was deleted, ask again{kept}"
    if len(deletion.entries) == 1:
        return f"gone already, nothing was deleted: {deletion.entries[0].key}{kept}"
    gone = ", ".join(entry.key for entry in deleted.gone[:3])
    more = f" and {len(deleted.gone) - 3} more" if len(deleted.gone) > 3 else ""
    of = f"{len(deleted.gone)} of {len(deletion.entries)}"
    return f"nothing was deleted: {of} gone already: {gone}{more}{kept}"


def _line_words(deleted: Deleted) -> str:
    if deleted.last_seq is None:
        return "the audit line could not be read"
    if deleted.removed == 1:
        return f"audit line {deleted.last_seq}"
    if deleted.first_seq is None:
        return f"up to audit line {deleted.last_seq}"
    return f"audit lines {deleted.first_seq} to {deleted.last_seq}"
