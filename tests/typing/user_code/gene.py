"""A gene, and what its author tests it with: only the protocol and the errors are imported."""

from __future__ import annotations

from typing import Protocol

from rotifer_store import Gene, MemoryEntry, Store
from rotifer_store.typing import (
    AgentMemoryError,
    GeneMemoryAccess,
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryNotFound,
    MemoryQuotaExceeded,
    MemoryStorageError,
)


class Context(Protocol):
    """What a host passes beside the input."""

    @property
    def memory(self) -> GeneMemoryAccess: ...


def express(given: dict[str, str], context: Context) -> dict[str, object]:
    memory = context.memory
    try:
        entry = memory.read_memory("formatter/indent")
        width = int(entry.value) if entry is not None else 4
        memory.write_memory("formatter/indent", b"%d" % width, "PREFERENCE")
        memory.write_memory("formatter/seen", b"", "CACHE", retention_policy={"maxRetentionDays": 1})
        known = [each.key for each in memory.query_memory({"keyPrefix": "formatter/"})]
        memory.delete_memory("formatter/seen")
    except (MemoryAccessDenied, MemoryNotFound, MemoryQuotaExceeded) as error:
        return {"error": error.code, "message": error.message}
    except (MemoryInvalidInput, MemoryStorageError) as error:
        raise RuntimeError(error.code) from error
    except AgentMemoryError:
        raise
    return {"text": given["text"], "width": width, "known": known}


class ForgetfulMemory:
    """A stand-in of the gene author's own; it fits the protocol without inheriting from it."""

    def read_memory(self, key: str, category: str | None = None) -> MemoryEntry | None:
        return None

    def write_memory(
        self,
        key: str,
        value: bytes,
        category: str,
        access_policy: object = None,
        retention_policy: object = None,
    ) -> MemoryEntry:
        raise NotImplementedError

    def query_memory(self, filter: object = None) -> list[MemoryEntry]:
        return []

    def delete_memory(self, key: str) -> None:
        return None


class Bound:
    """A context with one memory."""

    def __init__(self, memory: GeneMemoryAccess) -> None:
        self.memory = memory


def try_out(store: Store) -> dict[str, object]:
    real = Bound(store.gene_memory("main", Gene(None, "formatter")))
    fake = Bound(ForgetfulMemory())
    return {**express({"text": "a"}, real), **express({"text": "a"}, fake)}
