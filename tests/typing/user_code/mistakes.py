"""Mistakes that the checker must find: each ignore would be reported if its mistake were let through."""

from __future__ import annotations

import rotifer_store
import rotifer_store.typing
from rotifer_store import (
    AccessPolicy,
    Gene,
    GeneMemory,
    MemoryCategory,
    RetentionPolicy,
    Scope,
    Store,
    open_store,
)
from rotifer_store.typing import GeneMemoryAccess


def name_what_is_not_there() -> None:
    print(rotifer_store.open_stores)  # type: ignore[attr-defined]
    print(rotifer_store.Caller)  # type: ignore[attr-defined]
    print(rotifer_store.typing.Memory)  # type: ignore[attr-defined]
    print(rotifer_store.typing.RetentionPolicy)  # type: ignore[attr-defined]


def call_wrongly(memory: GeneMemory, access: GeneMemoryAccess) -> None:
    memory.write_memory("k", "text", "CACHE")  # type: ignore[arg-type]
    access.write_memory("k", "text", "CACHE")  # type: ignore[arg-type]
    memory.write_memory("k", b"")  # type: ignore[call-arg]
    memory.read_memory(b"k")  # type: ignore[arg-type]
    memory.delete_memory()  # type: ignore[call-arg]
    memory.call_json("readMemory", "{}")  # type: ignore[arg-type]
    print(memory.read_memory("k").value)  # type: ignore[union-attr]
    memory.forget("k")  # type: ignore[attr-defined]


def change_what_is_fixed(memory: GeneMemory) -> None:
    entry = memory.write_memory("k", b"", MemoryCategory.CACHE)
    entry.value = b"other"  # type: ignore[misc]
    entry.category = MemoryCategory.CACHE  # type: ignore[misc]
    AccessPolicy().read_scope = Scope.ALL_GENES  # type: ignore[misc]


def make_wrongly(store: Store) -> None:
    AccessPolicy("ALL_GENES")  # type: ignore[arg-type]
    RetentionPolicy(7)  # type: ignore[call-arg]
    Gene("v2:")  # type: ignore[call-arg]
    open_store(url="postgresql://")  # type: ignore[call-arg]
    store.create_agent("main", [])  # type: ignore[call-arg]
    store.delete_memory("main", "k")  # type: ignore[call-arg]
    store.browse_memory("main", limit="1")  # type: ignore[arg-type]
    store.repos()  # type: ignore[attr-defined]


class NoMemory:
    """Lacks three calls."""

    def read_memory(self, key: str) -> None:
        return None


def take_no_memory() -> GeneMemoryAccess:
    return NoMemory()  # type: ignore[return-value]
