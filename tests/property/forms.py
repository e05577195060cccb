"""Between the model's plain words and the library's types: genes, policies, entries, and bad calls."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

from property.reference import expires_at, size_of
from rotifer_store import AccessPolicy, Gene, MemoryFilter, RetentionPolicy

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
HIDDEN_FROM_GENES = ("creator_domain", "instant", "change")


def _v2(name):
    return "v2:" + hashlib.sha256(name.encode()).hexdigest()


GENES = {"a": (_v2("a"), "formatter"), "b": (_v2("b"), "formatter"), "o": (_v2("o"), "linter")}
GENES_WITHOUT_ID = {"none": (None, "formatter"), "malformed": ("v2:" + "A" * 64, "formatter")}


def gene_of(name):
    gene_id, domain = {**GENES, **GENES_WITHOUT_ID}[name]
    return Gene(gene_id, domain, name=name, version="1.0.0")


def at(instant_us):
    return EPOCH + timedelta(microseconds=instant_us)


def access_form(access, *, as_json):
    if as_json:
        return {"readScope": access[0], "writeScope": access[1], "sharePolicy": access[2]}
    return AccessPolicy(*access)


def retention_form(retention, *, as_json, kind=RetentionPolicy):
    if retention is None:
        return None
    if as_json:
        return {
            "maxRetentionDays": retention[0],
            "autoDeleteOnTermination": retention[1],
            "anonymizationSupported": retention[2],
        }
    return kind(*retention)


def days_of(policy):
    if policy is None:
        return None
    return (policy.max_retention_days, policy.auto_delete_on_termination, policy.anonymization_supported)


def scopes_of(policy):
    return (policy.read_scope, policy.write_scope, policy.share_policy)


def seen_by_gene(entry):
    """The ten members of an entry that a call returned, in the model's words."""
    return {
        "entry_id": entry.entry_id,
        "category": entry.category,
        "key": entry.key,
        "value": entry.value,
        "created_by": entry.created_by,
        "last_accessed_by": entry.last_accessed_by,
        "created": (entry.created_at - EPOCH) // MICROSECOND,
        "updated": (entry.updated_at - EPOCH) // MICROSECOND,
        "access": scopes_of(entry.access_policy),
        "retention": days_of(entry.retention_policy),
    }


def told_to_gene(entry):
    """The same ten members as the model has them."""
    return {member: value for member, value in entry.items() if member not in HIDDEN_FROM_GENES}


def seen_by_deployer(info):
    """A row of a listing, in the model's words."""
    return {
        "entry_id": info.entry_id,
        "category": info.category,
        "key": info.key,
        "size_bytes": info.size_bytes,
        "created_by": info.created_by,
        "last_accessed_by": info.last_accessed_by,
        "created_at": info.created_at,
        "updated_at": info.updated_at,
        "access": scopes_of(info.access_policy),
        "retention": days_of(info.retention_policy),
        "expires_at_us": info.expires_at_us,
    }


def told_to_deployer(entry, data_policy):
    """The same row as the model has it."""
    return {
        "entry_id": entry["entry_id"],
        "category": entry["category"],
        "key": entry["key"],
        "size_bytes": size_of(entry),
        "created_by": entry["created_by"],
        "last_accessed_by": entry["last_accessed_by"],
        "created_at": at(entry["created"]),
        "updated_at": at(entry["updated"]),
        "access": entry["access"],
        "retention": entry["retention"],
        "expires_at_us": expires_at(entry, data_policy),
    }


HALF_A_DAY = {"maxRetentionDays": 0.5, "autoDeleteOnTermination": False, "anonymizationSupported": False}
BAD_CALLS = {
    "empty key": lambda memory: memory.read_memory(""),
    "NUL in the key": lambda memory: memory.delete_memory("a\0"),
    "key too long": lambda memory: memory.write_memory("é" * 512 + "x", b"", "CACHE"),
    "surrogate in the key": lambda memory: memory.read_memory("\ud800"),
    "category in lower case": lambda memory: memory.write_memory("k", b"", "cache"),
    "value is text": lambda memory: memory.write_memory("k", "text", "CACHE"),
    "value too long": lambda memory: memory.write_memory("k", bytes(1_048_577), "CACHE"),
    "access policy null": lambda memory: memory.write_memory("k", b"", "CACHE", None),
    "access policy short": lambda memory: memory.write_memory("k", b"", "CACHE", {"readScope": "ALL_GENES"}),
    "half a day": lambda memory: memory.write_memory("k", b"", "CACHE", retention_policy=HALF_A_DAY),
    "limit 0": lambda memory: memory.query_memory(MemoryFilter(limit=0)),
    "unknown filter": lambda memory: memory.query_memory({"prefix": "k"}),
    "time without a zone": lambda memory: memory.query_memory({"since": "2026-01-01T00:00:00"}),
}
GOOD_CALLS = {
    "read": lambda memory: memory.read_memory("k"),
    "write": lambda memory: memory.write_memory("k", b"1", "CACHE"),
    "query": lambda memory: memory.query_memory(),
    "delete": lambda memory: memory.delete_memory("k"),
}
