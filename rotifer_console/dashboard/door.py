"""The store behind the dashboard, opened when first needed and again when it came back (TUI-9)."""

from __future__ import annotations

import threading
from pathlib import Path

from rotifer_store import MemoryStorageError, Store, SystemClock, has_store, open_store


class NoStoreYet(MemoryStorageError):
    """The project has no store: no agent was ever created there."""


class Door:
    """Keeps the open store; safe to ask from any thread."""

    def __init__(self, project: Path, *, read_only: bool, clock: SystemClock) -> None:
        """Opens nothing yet."""
        self._project = project
        self._read_only = read_only
        self._clock = clock
        self._lock = threading.Lock()
        self._store: Store | None = None
        self.creates = False
        """Whether a project that has no store gets one: only to create its first agent."""

    def store(self) -> Store:
        """The open store.

        Raises:
            NoStoreYet: there is none, and looking must not make one.
            MemoryStorageError: it cannot be opened now.
        """
        with self._lock:
            if self._store is None:
                if not self.creates and not has_store(self._project):
                    raise NoStoreYet("this project has no agents yet")
                self._store = open_store(self._project, read_only=self._read_only, clock=self._clock)
            return self._store

    def close(self) -> None:
        """Closes the store; the next who asks opens it anew. One that is being opened is left alone."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            store, self._store = self._store, None
        finally:
            self._lock.release()
        if store is not None:
            store.close()
