"""The SQLite engine: connections, the lock, transactions. All that is peculiar to SQLite stands here.

Theory of operation. Every change stands between `begin` and `end`: a thread lock (an open file description is
shared by a process's threads), then `flock` on a file beside the database (fair, where SQLite's own busy wait
lets a writer starve), then BEGIN IMMEDIATE (so that check and change are one, QUO-6). Reads run on
connections of a pool, outside the lock; an idle store holds no transaction. Nothing here knows an entry, a
scope or a line.

Another engine offers the same methods and its own `sql`; the shell above knows no dialect.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rotifer_store.errors import MemoryStorageError
from rotifer_store.migrations import MIGRATIONS
from rotifer_store.private_files import make_private_folder, open_private, require_regular
from rotifer_store.statements import SCHEMA_VERSION, SQLITE, Statements
from rotifer_store.translate import FOREIGN_ERRORS, damaged, storage_error

DATABASE_NAME = "playground.db"
LOCK_NAME = "playground.lock"
BUSY_TIMEOUT_S = 5.0
_MIN_SQLITE = (3, 37)
_MAX_IDLE_CONNECTIONS = 8
_VERSION_BITS = 32
"""SQLite's own number of a database's version has as many."""

Connection = sqlite3.Connection
Row = tuple[Any, ...]
Parameters = Sequence[object]

_engines: weakref.WeakSet[SqliteEngine] = weakref.WeakSet()
_FORK_WAIT_S = 5.0
_FORK_STEP_S = 0.001
_inherited: list[object] = []
"""Connections that were in use while a process forked: closing one in the child would harm the parent."""


class SqliteEngine:
    """One database file, for all threads of a process, beside other processes.

    A class because connections and locks are held between calls.
    """

    sql: Statements = SQLITE

    def __init__(self, folder: Path, *, syncs: bool, read_only: bool, vfs: str | None = None) -> None:
        self._folder = folder
        self._path = folder / DATABASE_NAME
        self._syncs = syncs
        self.read_only = read_only
        self._vfs = vfs
        self._path_text = str(self._path)
        self._identity = (0, 0)
        self._is_immutable = False
        self._watches = 0
        self.journal_mode = ""
        self._closed = False
        self._reset()
        if sqlite3.sqlite_version_info < _MIN_SQLITE:
            raise MemoryStorageError("the store needs SQLite 3.37 or newer")
        try:
            self._open_files()
        except FOREIGN_ERRORS as error:
            self.close()
            raise storage_error(error, "the store cannot be opened") from error
        except MemoryStorageError:
            self.close()
            raise
        _engines.add(self)

    def _reset(self) -> None:
        self._thread_lock = threading.Lock()
        self._watch_lock = threading.Lock()
        self._is_forking = self._has_fork_lock = False
        self._reading: list[None] = []
        self._idle: list[sqlite3.Connection] = []
        self._watch: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._lock_descriptor = -1

    # Opening

    def _open_files(self) -> None:
        if self.read_only:
            try:
                require_regular(self._path, create=False)
            except FileNotFoundError:
                raise MemoryStorageError("there is no store to read") from None
            connection = self._connect_read_only()
            self._idle.append(connection)
            self._remember_file()
            version = self._schema_version(connection)
            if version == 0:
                raise MemoryStorageError("there is no store to read")
            if version > SCHEMA_VERSION:
                raise _newer(version)
            return
        make_private_folder(self._folder)
        require_regular(self._path, create=True)
        connection = self._writing_connection()  # nobody else has it yet
        self._remember_file()
        self.journal_mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
        if self._schema_version(connection) == SCHEMA_VERSION and self.journal_mode == "wal":
            return  # so that a store opens that somebody else is changing all the while
        with self._locked():
            self._migrate(connection)
            self.journal_mode = str(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0])

    def _remember_file(self) -> None:
        status = self._path.lstat()
        self._identity = (status.st_dev, status.st_ino)

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self.read_only else "rw"
        options = f"mode={mode}" + (f"&vfs={self._vfs}" if self._vfs else "")
        if self._is_immutable:
            options += "&immutable=1"
        connection = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?{options}",
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA wal_autocheckpoint=4000")
        connection.execute(f"PRAGMA synchronous={'FULL' if self._syncs else 'NORMAL'}")
        connection.create_function("matches", 2, _matches, deterministic=True)
        return connection

    def _connect_read_only(self) -> sqlite3.Connection:
        """A reading connection; where the folder cannot be written, SQLite needs the file to stand still."""
        try:
            connection = self._connect()
            self._schema_version(connection)
        except sqlite3.OperationalError:
            if self._path.with_name(DATABASE_NAME + "-wal").exists():
                raise
            self._is_immutable = True
            connection = self._connect()
        return connection

    def _schema_version(self, connection: sqlite3.Connection) -> int:
        """The schema's version in the file; 0 where it has none of our tables."""
        found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'rotifer_state'").fetchone()
        if found is None:
            return 0
        row = connection.execute(self.sql.load_state).fetchone()
        if row is None or type(row[0]) is not int or row[0] < 1:
            raise damaged()
        return int(row[0])

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Brings the schema to this program's version, one step and one transaction at a time."""
        while (version := self._schema_version(connection)) != SCHEMA_VERSION:
            if version > SCHEMA_VERSION:
                raise _newer(version)
            connection.execute("BEGIN IMMEDIATE")
            try:
                for statement in MIGRATIONS[version]:
                    connection.execute(statement)
                connection.execute("COMMIT")
            except BaseException:
                self.roll_back(connection)
                raise

    # Reading

    def rows(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of one statement, on one state of the database.

        Raises:
            MemoryStorageError: the database failed.
        """
        try:
            connection = self._borrow()
            try:
                return connection.execute(statement, parameters).fetchall()
            finally:
                self._give_back(connection)
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the store cannot be read") from error

    @contextmanager
    def reading(self) -> Iterator[Callable[[str, Parameters], sqlite3.Cursor]]:
        """Yields a function that executes one statement, whose rows need not all be fetched.

        Raises:
            MemoryStorageError: the database failed.
        """
        try:
            connection = self._borrow()
            try:
                yield connection.execute
            finally:
                self.roll_back(connection)
                self._give_back(connection)
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the store cannot be read") from error

    @contextmanager
    def snapshot(self) -> Iterator[Callable[[str, Parameters], sqlite3.Cursor]]:
        """Several statements on one state of the database: yields a function that executes one.

        Raises:
            MemoryStorageError: the database failed.
        """
        with self.reading() as execute:
            execute("BEGIN", ())
            yield execute

    def _begin_reading(self) -> None:
        """Announces a use of a connection outside the lock; waits where the process is about to fork."""
        self._reading.append(None)
        while self._is_forking:
            self._reading.pop()
            with self._thread_lock:  # held until the fork is over
                self._reading.append(None)
        if self._closed:
            self._reading.pop()
            raise MemoryStorageError("the store is closed")

    def _borrow(self) -> sqlite3.Connection:
        self._begin_reading()
        try:
            return self._idle.pop()
        except IndexError:
            try:
                self._require_own_file()  # else some would read one database and some another
                return self._connect()
            except BaseException:
                self._reading.pop()
                raise

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed or len(self._idle) >= _MAX_IDLE_CONNECTIONS:
            connection.close()
        else:
            self._idle.append(connection)
        self._reading.pop()

    def change_token(self) -> int:
        """A number that a commit of any other connection changes (python-api: change_token).

        The connection that watches commits nothing, so changes of this process count as others' do. SQLite
        numbers what a connection has seen: a connection opened anew, after a fork, begins numbers of its own.

        Raises:
            MemoryStorageError: the database failed, or its name leads to another file or none.
        """
        self._begin_reading()
        try:
            self._require_own_file()
            with self._watch_lock:
                if self._watch is None:
                    self._watch = self._connect()
                    self._watches += 1
                version = int(self._watch.execute("PRAGMA data_version").fetchone()[0])
                return self._watches << _VERSION_BITS | version
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the store cannot be read") from error
        finally:
            self._reading.pop()

    def _require_own_file(self) -> None:
        """Refuses where the database's name leads elsewhere: SQLite reads on from a file without a name.

        The file is not opened for this: closing it would drop the process's locks on it.
        """
        try:
            status = os.lstat(self._path_text)
        except FileNotFoundError:
            raise MemoryStorageError("the store's database is gone") from None
        if (status.st_dev, status.st_ino) != self._identity:
            raise MemoryStorageError("another database stands in the place of the store's own")

    def integrity_problems(self) -> list[str]:
        """What SQLite's own check says of tables and indexes; empty where they agree."""
        rows = self.rows("PRAGMA integrity_check")
        return [str(row[0]) for row in rows if row[0] != "ok"]

    # Changing

    def begin(self) -> sqlite3.Connection:
        """Takes the lock and begins a transaction; returns the connection to change the store on.

        Whoever begins calls `end`, whatever happens in between.

        Raises:
            MemoryStorageError: the store is read-only or closed, or another program holds the database for
                longer than the busy timeout; the lock is not held then.
        """
        if self.read_only:
            raise MemoryStorageError("the store was opened read-only")
        try:
            self._lock()
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the store cannot be locked") from error
        try:
            self._require_own_file()  # SQLite would change a file without a name, and the change be lost
            connection = self._writing_connection()
            connection.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            self._unlock()
            if isinstance(error, FOREIGN_ERRORS):
                raise storage_error(error, "the store cannot be changed") from error
            raise
        return connection

    @staticmethod
    def commit(connection: sqlite3.Connection) -> None:
        """Saves what was changed since `begin`; an error of the driver's here leaves it undone."""
        connection.execute("COMMIT")

    @staticmethod
    def roll_back(connection: sqlite3.Connection) -> None:
        """Undoes what was changed since `begin`, with the lock still held."""
        if connection.in_transaction:
            connection.execute("ROLLBACK")

    def end(self, connection: sqlite3.Connection) -> None:
        """Undoes what was not committed, and lets go of the lock."""
        try:
            self.roll_back(connection)
        finally:
            self._unlock()

    def is_busy(self) -> bool:
        """Whether somebody holds the lock now; never waits for it.

        Raises:
            MemoryStorageError: the lock cannot be tried.
        """
        try:
            with self._locked(waits=False):
                return False
        except BlockingIOError:
            return True
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the store cannot be locked") from error

    @contextmanager
    def _locked(self, *, waits: bool = True) -> Iterator[None]:
        self._lock(waits=waits)
        try:
            yield
        finally:
            self._unlock()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Keeps every writer out meanwhile; a store that is read-only can only hope.

        Raises:
            MemoryStorageError: the lock cannot be had.
        """
        if self.read_only:
            yield
            return
        try:
            with self._locked():
                yield
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the store cannot be locked") from error

    def _lock(self, *, waits: bool = True) -> None:
        self._thread_lock.acquire()
        if self._closed:
            self._thread_lock.release()
            raise MemoryStorageError("the store is closed")
        try:
            if self._lock_descriptor < 0:
                self._lock_descriptor = open_private(self._folder / LOCK_NAME, os.O_RDWR | os.O_CREAT)
            fcntl.flock(self._lock_descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            self._thread_lock.release()
            raise

    def _unlock(self) -> None:
        try:
            fcntl.flock(self._lock_descriptor, fcntl.LOCK_UN)
        finally:
            self._thread_lock.release()

    def _writing_connection(self) -> sqlite3.Connection:
        """The connection of changes; used under the lock only."""
        if self._writer is None:
            if self._closed:
                raise MemoryStorageError("the store is closed")
            self._writer = self._connect()
        return self._writer

    def forget_deleted(self) -> None:
        """Moves everything from the write-ahead log into the file, so that no deleted bytes stay (REC-10)."""
        try:
            with self._locked():
                self._writing_connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except FOREIGN_ERRORS as error:
            raise storage_error(error, "the write-ahead log cannot be emptied") from error

    # Ending

    def close(self) -> None:
        """Closes every connection; calls that come later fail with MemoryStorageError."""
        with self._thread_lock:
            self._closed = True
            self._close_connections()
            if self._lock_descriptor >= 0:
                os.close(self._lock_descriptor)
                self._lock_descriptor = -1

    def _close_connections(self) -> None:
        """Closes what is idle; the next call opens anew. Used under the thread lock."""
        while self._idle:
            self._idle.pop().close()
        for connection in (self._writer, self._watch):
            if connection is not None:
                connection.close()
        self._writer = self._watch = None

    # Forking

    def before_fork(self) -> None:
        """Lets calls under way finish, then closes every connection, so that a child inherits none.

        SQLite keeps a process's locks and mutexes in memory that a child would inherit: it would wait for
        threads that it does not have, and believe in locks that only its parent holds.
        """
        self._is_forking = True
        self._has_fork_lock = self._thread_lock.acquire(timeout=_FORK_WAIT_S)
        for _ in range(round(_FORK_WAIT_S / _FORK_STEP_S)):
            if not self._reading:
                break
            time.sleep(_FORK_STEP_S)
        if self._has_fork_lock and not self._reading:
            self._close_connections()

    def after_fork_in_parent(self) -> None:
        """Goes on as before."""
        self._is_forking = False
        if self._has_fork_lock:
            self._thread_lock.release()

    def after_fork_in_child(self) -> None:
        """Begins with a lock and connections of its own."""
        _inherited.extend(c for c in (*self._idle, self._writer, self._watch) if c is not None)
        if self._lock_descriptor >= 0:
            os.close(self._lock_descriptor)
        self._reset()


def _newer(version: int) -> MemoryStorageError:
    return MemoryStorageError(
        f"the store's schema {version} is newer than this program knows ({SCHEMA_VERSION})"
    )


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


def _for_each_engine(deed: Callable[[SqliteEngine], None]) -> Callable[[], None]:
    def run() -> None:
        for engine in sorted(_engines, key=id):
            deed(engine)

    return run


os.register_at_fork(
    before=_for_each_engine(SqliteEngine.before_fork),
    after_in_parent=_for_each_engine(SqliteEngine.after_fork_in_parent),
    after_in_child=_for_each_engine(SqliteEngine.after_fork_in_child),
)
