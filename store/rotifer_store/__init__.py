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
    from rotifer_store.follow import LogTail
    from rotifer_store.health import FileHealth, StoreHealth
    from rotifer_store.log_view import LogChange, LogFilter, LogMatches, LogView, RawLine
    from rotifer_store.logs import AuditRecord, LifeEvent, TelemetryRecord, UnreadableLine
    from rotifer_store.memory import GeneMemory
    from rotifer_store.model import (
        UNSET,
        AccessPolicy,
        AccessVerdict,
        Agent,
        BrowseFilter,
        DataPolicy,
        Decision,
        EntryInfo,
        Finding,
        Forecast,
        Gene,
        GeneSeen,
        MemoryEntry,
        MemoryFilter,
        MemoryUsage,
        Page,
        PolicyPreview,
        Reason,
        RetentionPolicy,
        Suspicion,
        Usage,
    )
    from rotifer_store.store import Store, has_store, open_store
    from rotifer_store.tables import ErrorCode, MemoryCategory, ReviewKind, Scope, SharePolicy
    from rotifer_store.tail import LogNotice, LogNoticeKind

_HOME = {
    "AccessPolicy": "model",
    "AccessVerdict": "model",
    "Agent": "model",
    "AgentExists": "errors",
    "AgentMemoryError": "errors",
    "AgentNotFound": "errors",
    "AuditRecord": "logs",
    "BrowseFilter": "model",
    "DataPolicy": "model",
    "Decision": "model",
    "EntryInfo": "model",
    "ErrorCode": "tables",
    "FileHealth": "health",
    "Finding": "model",
    "FixedClock": "clock",
    "Forecast": "model",
    "Gene": "model",
    "GeneMemory": "memory",
    "GeneNotFound": "errors",
    "GeneSeen": "model",
    "InvalidAgent": "errors",
    "InvalidGene": "errors",
    "LifeEvent": "logs",
    "LogChange": "log_view",
    "LogFilter": "log_view",
    "LogMatches": "log_view",
    "LogNotice": "tail",
    "LogNoticeKind": "tail",
    "LogTail": "follow",
    "LogView": "log_view",
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
    "PolicyPreview": "model",
    "RawLine": "log_view",
    "Reason": "model",
    "ResponseTooLarge": "errors",
    "RetentionPolicy": "model",
    "ReviewKind": "tables",
    "RotiferStoreError": "errors",
    "Scope": "tables",
    "SharePolicy": "tables",
    "Store": "store",
    "StoreHealth": "health",
    "Suspicion": "model",
    "SystemClock": "clock",
    "TelemetryRecord": "logs",
    "UNSET": "model",
    "UnreadableLine": "logs",
    "Usage": "model",
    "has_store": "store",
    "open_store": "store",
}

__all__ = [
    "UNSET",
    "AccessPolicy",
    "AccessVerdict",
    "Agent",
    "AgentExists",
    "AgentMemoryError",
    "AgentNotFound",
    "AuditRecord",
    "BrowseFilter",
    "DataPolicy",
    "Decision",
    "EntryInfo",
    "ErrorCode",
    "FileHealth",
    "Finding",
    "FixedClock",
    "Forecast",
    "Gene",
    "GeneMemory",
    "GeneNotFound",
    "GeneSeen",
    "InvalidAgent",
    "InvalidGene",
    "LifeEvent",
    "LogChange",
    "LogFilter",
    "LogMatches",
    "LogNotice",
    "LogNoticeKind",
    "LogTail",
    "LogView",
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
    "PolicyPreview",
    "RawLine",
    "Reason",
    "ResponseTooLarge",
    "RetentionPolicy",
    "ReviewKind",
    "RotiferStoreError",
    "Scope",
    "SharePolicy",
    "Store",
    "StoreHealth",
    "Suspicion",
    "SystemClock",
    "TelemetryRecord",
    "UnreadableLine",
    "Usage",
    "has_store",
    "open_store",
]


if not TYPE_CHECKING:  # a checker must find a name that is not there

    def __getattr__(name: str) -> object:
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value
