"""What a store runs on, for the deployer's check-up: SQLite, files and their modes, telemetry (REC-7)."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rotifer_store.change import Shell
from rotifer_store.engine import DATABASE_NAME, LOCK_NAME
from rotifer_store.logs import audit_files, newest_record
from rotifer_store.rfc3339 import parse_rfc3339
from rotifer_store.telemetry import TELEMETRY_NAME, switched_off_by
from rotifer_store.translate import storage_error


@dataclass(frozen=True, slots=True)
class FileHealth:
    """One file of the store. `mode` is None where it does not exist; that is no fault (REC-7).

    `is_private`: it is a regular file, or the folder, of this user's, and nobody else may use it.
    """

    name: str
    exists: bool
    mode: int | None
    is_private: bool
    is_writable: bool


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """What a store runs on. `telemetry_off_by` names the variable that switches events off (REC-4).

    `newest_audit_us` is the time of the audit log's last record, where it has one that can be read.
    """

    sqlite_version: str
    journal_mode: str
    schema_version: int
    telemetry_off_by: str | None
    newest_audit_us: int | None
    files: tuple[FileHealth, ...]


def store_health(shell: Shell) -> StoreHealth:
    """The store as it is now; nothing is changed.

    Raises:
        MemoryStorageError: the store or the log cannot be read.
    """
    engine = shell.engine
    try:
        files = tuple(_file_health(path) for path in _paths(shell.folder))
    except OSError as error:
        raise storage_error(error, "a file cannot be looked at") from error
    return StoreHealth(
        sqlite3.sqlite_version,
        str(engine.rows("PRAGMA journal_mode")[0][0]),
        int(engine.rows(engine.sql.load_state)[0][0]),
        switched_off_by(os.environ),
        _newest_audit_us(shell.folder),
        files,
    )


def _paths(folder: Path) -> Iterator[Path]:
    yield folder
    yield folder / DATABASE_NAME
    for ending in ("-wal", "-shm"):  # there only while somebody uses the store
        path = folder / (DATABASE_NAME + ending)
        if os.path.lexists(path):
            yield path
    yield folder / LOCK_NAME
    yield from audit_files(folder)
    yield folder / TELEMETRY_NAME


def _file_health(path: Path) -> FileHealth:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return FileHealth(path.name, False, None, True, os.access(path.parent, os.W_OK | os.X_OK))
    mode = stat.S_IMODE(status.st_mode)
    is_ours = (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)) and status.st_uid == os.getuid()
    return FileHealth(path.name, True, mode, is_ours and not mode & 0o077, os.access(path, os.W_OK))


def _newest_audit_us(folder: Path) -> int | None:
    record = newest_record(folder)
    try:
        return None if record is None or record.ts is None else parse_rfc3339(record.ts).us
    except ValueError:
        return None
