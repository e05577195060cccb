"""The one map of foreign errors: whatever the database or the OS raises becomes MEMORY_STORAGE_ERROR (ERR).

The original stays as the cause for a debugger; its text is not repeated, because a driver's message may
quote what a caller passed.
"""

from __future__ import annotations

import sqlite3

from rotifer_store.errors import MemoryStorageError

FOREIGN_ERRORS = (sqlite3.Error, sqlite3.Warning, OSError)

_BY_SQLITE_NAME = {
    "SQLITE_BUSY": "the store is locked by another program",
    "SQLITE_LOCKED": "the store is locked by another program",
    "SQLITE_CANTOPEN": "the store's file cannot be opened",
    "SQLITE_CORRUPT": "the store's file is damaged",
    "SQLITE_NOTADB": "the store's file is not a database",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_IOERR": "the disk failed",
    "SQLITE_READONLY": "the store's file is read-only",
    "SQLITE_PERM": "the store's file may not be used",
    "SQLITE_CONSTRAINT": "the store refused a row that breaks one of its constraints",
}


def damaged() -> MemoryStorageError:
    """The error for rows that are missing or hold what nothing of ours writes there."""
    return MemoryStorageError("the store's file is damaged")


def storage_error(error: BaseException, doing: str) -> MemoryStorageError:
    """The error to raise `from` a foreign one; `doing` says what was tried."""
    if isinstance(error, sqlite3.Error):
        name = getattr(error, "sqlite_errorname", None) or ""
        reason = next(
            (text for prefix, text in _BY_SQLITE_NAME.items() if name.startswith(prefix)),
            "the database failed",
        )
    elif isinstance(error, OSError) and error.strerror:
        reason = error.strerror[0].lower() + error.strerror[1:]
    else:
        reason = "the system failed"
    return MemoryStorageError(f"{doing}: {reason}")
