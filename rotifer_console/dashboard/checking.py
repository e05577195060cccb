"""Whether the store and its log agree, as far as that is known, and when it was last looked at (REC-9)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from rotifer_console.view.instants import clock_of
from rotifer_store import Finding, Store

_STATE_FOLDER: Final = ".rotifer"
_LOG_FILES: Final = "audit*.jsonl"
_SMALL_ENTRIES: Final = 2000
_SMALL_LOG_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Checked:
    """What the last check found; `findings` is None where there was none yet.

    `state` is what the store and its log were like then. `is_small`: whether it is checked by itself.
    """

    findings: Sequence[Finding] | None = None
    state: tuple[object, ...] | None = None
    at_us: int = 0
    is_small: bool = True


def checked_again(store: Store, project: Path, before: Checked, now_us: int) -> Checked:
    """A check of a small store that has changed since the one before; else that one (TUI-10).

    Raises:
        MemoryStorageError: the store or the log cannot be read.
    """
    state = _state_of(store, project)
    if state == before.state and (before.findings is not None or not before.is_small):
        return before
    if not _is_small(store):
        return replace(before, state=state, is_small=False)
    return Checked(store.verify(), state, now_us)


def checked_now(store: Store, project: Path, now_us: int) -> Checked:
    """A check, however long it takes.

    Raises:
        MemoryStorageError: the store or the log cannot be read.
    """
    state = _state_of(store, project)
    return Checked(store.verify(), state, now_us, _is_small(store))


def fact_of(checked: Checked) -> tuple[str, str]:
    """What there is to say of it, and its role; what is not looked at by itself says when it was."""
    if checked.findings is None:
        return "audit not checked", "dim"
    at = "" if checked.is_small else f" at {clock_of(checked.at_us)}"
    number = len(checked.findings)
    if not number:
        return f"audit ok{at}", "success"
    return f"audit: {number} {'finding' if number == 1 else 'findings'}{at}", "error"


def _state_of(store: Store, project: Path) -> tuple[object, ...]:
    """What changes when the store or a file of its log does, by whomever."""
    files = [
        (file.name, seen.st_ino, seen.st_size, seen.st_mtime_ns)
        for file in os.scandir(project / _STATE_FOLDER)
        if fnmatch(file.name, _LOG_FILES)
        for seen in [file.stat(follow_symlinks=False)]
    ]
    return (store.change_token(), *sorted(files))


def _is_small(store: Store) -> bool:
    """Whether holding the store and its log against each other takes no more than a moment."""
    entries = sum(
        part.entries for agent in store.agents() for part in store.memory_usage(agent).by_category.values()
    )
    if entries > _SMALL_ENTRIES:
        return False
    with store.audit_view() as view:
        view.poll()
        return not view.is_behind and view.counted_bytes <= _SMALL_LOG_BYTES
