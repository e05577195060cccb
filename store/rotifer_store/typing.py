"""Types for gene authors: the four calls as a protocol, and the errors they raise.

Importable without the rest of the library: no database, no ORM.
"""

from __future__ import annotations

from typing import Protocol

from rotifer_store.errors import (
    AgentMemoryError,
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryNotFound,
    MemoryQuotaExceeded,
    MemoryStorageError,
)
from rotifer_store.model import AccessPolicy, MemoryEntry, MemoryFilter, RetentionPolicy

__all__ = [
    "AgentMemoryError",
    "GeneMemoryAccess",
    "MemoryAccessDenied",
    "MemoryInvalidInput",
    "MemoryNotFound",
    "MemoryQuotaExceeded",
    "MemoryStorageError",
]


class GeneMemoryAccess(Protocol):
    """What `ctx.memory` offers a gene (GEN-4)."""

    def read_memory(self, key: str, category: str | None = None) -> MemoryEntry | None:
        """The entry under `key`, or None."""
        ...

    def write_memory(
        self,
        key: str,
        value: bytes,
        category: str,
        access_policy: AccessPolicy | object = ...,
        retention_policy: RetentionPolicy | object | None = ...,
    ) -> MemoryEntry:
        """Creates the entry or replaces its value."""
        ...

    def query_memory(self, filter: MemoryFilter | object | None = None) -> list[MemoryEntry]:
        """The readable entries that match, newest first."""
        ...

    def delete_memory(self, key: str) -> None:
        """Removes the entry."""
        ...
