"""Foreign errors: every class that the driver or the system can raise becomes one of ours."""

from __future__ import annotations

import builtins
import errno
import os
import sqlite3
from pathlib import Path

import pytest

from rotifer_store import ErrorCode, MemoryStorageError
from rotifer_store.translate import FOREIGN_ERRORS, storage_error

SECRET = "hunter2-do-not-tell"
SQLITE_CLASSES = sorted(
    {kind for kind in vars(sqlite3).values() if isinstance(kind, type) and issubclass(kind, Exception)},
    key=lambda kind: kind.__name__,
)
OS_CLASSES = sorted(
    {kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, OSError)},
    key=lambda kind: kind.__name__,
)
SYSTEM_NUMBERS = sorted(errno.errorcode)


def test_the_lists_are_whole() -> None:
    """ERR: by name, so that a class that Python adds is looked at."""
    assert {kind.__name__ for kind in SQLITE_CLASSES} == {
        "DataError",
        "DatabaseError",
        "Error",
        "IntegrityError",
        "InterfaceError",
        "InternalError",
        "NotSupportedError",
        "OperationalError",
        "ProgrammingError",
        "Warning",
    }
    assert {"BlockingIOError", "FileNotFoundError", "PermissionError", "TimeoutError"} < {
        kind.__name__ for kind in OS_CLASSES
    }


@pytest.mark.parametrize("kind", [*SQLITE_CLASSES, *OS_CLASSES])
def test_every_foreign_class_is_caught_and_told_without_its_text(kind: type[Exception]) -> None:
    """ERR, REC-1: a driver's message may quote what a caller passed."""
    assert issubclass(kind, FOREIGN_ERRORS)
    error = storage_error(kind(f"near {SECRET}"), "the store cannot be read")
    assert type(error) is MemoryStorageError
    assert error.code is ErrorCode.MEMORY_STORAGE_ERROR
    assert error.message.startswith("the store cannot be read: ")
    assert SECRET not in error.message


@pytest.mark.parametrize("number", SYSTEM_NUMBERS, ids=errno.errorcode.get)
def test_an_error_of_the_system_is_told_in_its_words(number: int) -> None:
    """ERR: whatever class Python makes of the number, and without the file's name."""
    error = storage_error(OSError(number, os.strerror(number), f"/tmp/{SECRET}"), "opening")
    assert error.message.lower() == f"opening: {os.strerror(number)}".lower()


@pytest.mark.parametrize("error", [OSError(), OSError(None, None), OSError(None, ""), sqlite3.Warning()])
def test_an_error_that_says_nothing_is_told_all_the_same(error: Exception) -> None:
    """ERR."""
    assert storage_error(error, "opening").message == "opening: the system failed"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("SQLITE_BUSY", "the store is locked by another program"),
        ("SQLITE_BUSY_SNAPSHOT", "the store is locked by another program"),
        ("SQLITE_LOCKED", "the store is locked by another program"),
        ("SQLITE_CANTOPEN", "the store's file cannot be opened"),
        ("SQLITE_CANTOPEN_ISDIR", "the store's file cannot be opened"),
        ("SQLITE_CORRUPT", "the store's file is damaged"),
        ("SQLITE_CORRUPT_INDEX", "the store's file is damaged"),
        ("SQLITE_NOTADB", "the store's file is not a database"),
        ("SQLITE_FULL", "the disk is full"),
        ("SQLITE_IOERR", "the disk failed"),
        ("SQLITE_IOERR_WRITE", "the disk failed"),
        ("SQLITE_READONLY", "the store's file is read-only"),
        ("SQLITE_READONLY_DBMOVED", "the store's file is read-only"),
        ("SQLITE_PERM", "the store's file may not be used"),
        ("SQLITE_CONSTRAINT_UNIQUE", "the store refused a row that breaks one of its constraints"),
        ("SQLITE_MISUSE", "the database failed"),
        ("SQLITE_SOMETHING_NEW", "the database failed"),
        ("", "the database failed"),
        (None, "the database failed"),
    ],
)
def test_sqlites_own_names_are_told_as_sentences(name: str | None, reason: str) -> None:
    """ERR."""
    error = sqlite3.OperationalError(SECRET)
    error.sqlite_errorname = name  # type: ignore[assignment]
    assert storage_error(error, "reading").message == f"reading: {reason}"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("INSERT INTO t VALUES (1)", "the store refused a row that breaks one of its constraints"),
        ("INSERT INTO t VALUES (NULL)", "the store refused a row that breaks one of its constraints"),
        ("SELECT x FROM nothing", "the database failed"),
        ("SELEC", "the database failed"),
    ],
)
def test_errors_of_the_real_driver_are_named(statement: str, reason: str) -> None:
    """ERR."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE t (x INTEGER NOT NULL UNIQUE)")
        connection.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(sqlite3.Error) as caught:
            connection.execute(statement)
        assert storage_error(caught.value, "writing").message == f"writing: {reason}"
    finally:
        connection.close()


def test_real_files_that_are_no_stores_are_named(tmp_path: Path) -> None:
    """ERR."""
    (tmp_path / "text").write_bytes(b"no database " * 100)
    for path, reason in (
        (tmp_path / "text", "the store's file is not a database"),
        (tmp_path / "none" / "file", "the store's file cannot be opened"),
        (tmp_path, "the store's file cannot be opened"),
    ):
        with pytest.raises(sqlite3.Error) as caught:
            read_with_sqlite(path)
        assert storage_error(caught.value, "opening").message == f"opening: {reason}"


def read_with_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.execute("SELECT * FROM sqlite_master").fetchall()
    finally:
        connection.close()
