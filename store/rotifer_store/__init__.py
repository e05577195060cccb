"""Agent memory with access scopes, a quota, retention and an audit log.

    from rotifer_store import open_store

These names are the library's public face; everything else in the package is private. They are loaded when
first used, so that importing `rotifer_store.typing` loads no database.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rotifer_store.clock import FixedClock, SystemClock
    from rotifer_store.errors import (
        AgentExists,
        AgentMemoryError,
        AgentNotFound,
        GeneNotFound,
        InvalidAgent,
        InvalidGene,
        MemoryAccessDenied,
        MemoryInvalidInput,
        MemoryNotFound,
        MemoryQuotaExceeded,
        MemoryStorageError,
        ResponseTooLarge,
        RotiferStoreError,
    )
    from rotifer_store.logs import AuditRecord, TelemetryRecord, UnreadableLine
    from rotifer_store.memory import GeneMemory
    from rotifer_store.model import (
        UNSET,
        AccessPolicy,
        Agent,
        BrowseFilter,
        DataPolicy,
        EntryInfo,
        Finding,
        Gene,
        GeneSeen,
        MemoryEntry,
        MemoryFilter,
        MemoryUsage,
        Page,
        RetentionPolicy,
        Usage,
    )
    from rotifer_store.store import Store, open_store
    from rotifer_store.tables import ErrorCode, MemoryCategory, Scope, SharePolicy

_HOME = {
    "AccessPolicy": "model",
    "Agent": "model",
    "AgentExists": "errors",
    "AgentMemoryError": "errors",
    "AgentNotFound": "errors",
    "AuditRecord": "logs",
    "BrowseFilter": "model",
    "DataPolicy": "model",
    "EntryInfo": "model",
    "ErrorCode": "tables",
    "Finding": "model",
    "FixedClock": "clock",
    "Gene": "model",
    "GeneMemory": "memory",
    "GeneNotFound": "errors",
    "GeneSeen": "model",
    "InvalidAgent": "errors",
    "InvalidGene": "errors",
    "MemoryAccessDenied": "errors",
    "MemoryCategory": "tables",
    "MemoryEntry": "model",
    "MemoryFilter": "model",
    "MemoryInvalidInput": "errors",
    "MemoryNotFound": "errors",
    "MemoryQuotaExceeded": "errors",
    "MemoryStorageError": "errors",
    "MemoryUsage": "model",
    "Page": "model",
    "ResponseTooLarge": "errors",
    "RetentionPolicy": "model",
    "RotiferStoreError": "errors",
    "Scope": "tables",
    "SharePolicy": "tables",
    "Store": "store",
    "SystemClock": "clock",
    "TelemetryRecord": "logs",
    "UNSET": "model",
    "UnreadableLine": "logs",
    "Usage": "model",
    "open_store": "store",
}

__all__ = [
    "UNSET",
    "AccessPolicy",
    "Agent",
    "AgentExists",
    "AgentMemoryError",
    "AgentNotFound",
    "AuditRecord",
    "BrowseFilter",
    "DataPolicy",
    "EntryInfo",
    "ErrorCode",
    "Finding",
    "FixedClock",
    "Gene",
    "GeneMemory",
    "GeneNotFound",
    "GeneSeen",
    "InvalidAgent",
    "InvalidGene",
    "MemoryAccessDenied",
    "MemoryCategory",
    "MemoryEntry",
    "MemoryFilter",
    "MemoryInvalidInput",
    "MemoryNotFound",
    "MemoryQuotaExceeded",
    "MemoryStorageError",
    "MemoryUsage",
    "Page",
    "ResponseTooLarge",
    "RetentionPolicy",
    "RotiferStoreError",
    "Scope",
    "SharePolicy",
    "Store",
    "SystemClock",
    "TelemetryRecord",
    "UnreadableLine",
    "Usage",
    "open_store",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
