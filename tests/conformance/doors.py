"""The doors that a case can go through, and the one there is: the library.

A door is a way into the memory: the four calls as a gene, and the deployer's steps. Whatever a door speaks
itself, here it answers in JSON with the page's member names, so one runner checks them all. A refusal is a
``Refused`` with the code that the door gave; any other exception is a fault of the door.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol

from conformance.case_file import MISSING, CaseGene
from rotifer_store import (
    AgentMemoryError,
    EntryInfo,
    Gene,
    GeneMemory,
    MemoryAccessDenied,
    MemoryEntry,
    MemoryInvalidInput,
    MemoryNotFound,
    MemoryQuotaExceeded,
    MemoryStorageError,
    Store,
)

CLASS_OF_CODE: Final[Mapping[str, type[AgentMemoryError]]] = {
    "MEMORY_NOT_FOUND": MemoryNotFound,
    "MEMORY_ACCESS_DENIED": MemoryAccessDenied,
    "MEMORY_QUOTA_EXCEEDED": MemoryQuotaExceeded,
    "MEMORY_INVALID_INPUT": MemoryInvalidInput,
    "MEMORY_STORAGE_ERROR": MemoryStorageError,
}


class Refused(Exception):
    """The door refused a call with ``code``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class GeneDoor(Protocol):
    """The four calls as one gene of one agent; entries in JSON, the value in base64."""

    def write(self, key: str, value: Any, category: Any, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the stored entry; ``policies`` holds those of the two that are passed."""

    def read(self, key: str, category: Any = MISSING) -> Mapping[str, Any] | None:
        """Returns the entry, or None where there is none."""

    def query(self, filter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Returns the entries in the door's order."""

    def delete(self, key: str) -> None:
        """Deletes the entry."""


class DeployerDoor(Protocol):
    """The deployer's steps on one open store."""

    def list_memory(self, agent: str, category: str | None) -> list[Mapping[str, Any]]:
        """Returns what the listing shows: an entry's members but the value, and ``sizeBytes``."""

    def delete_memory(self, agent: str, key: str | None, category: str | None) -> int:
        """Returns how many entries went."""

    def used_bytes(self, agent: str) -> int:
        """Returns the bytes in use."""

    def set_data_policy(self, agent: str, data_policy: Mapping[str, Any]) -> None:
        """Changes the data policy."""

    def set_quota(self, agent: str, quota_bytes: int) -> None:
        """Changes the quota."""

    def export_memory(self, agent: str, file: Path, *, include_cache: bool) -> None:
        """Writes the agent and its memory into ``file``."""

    def import_memory(self, agent: str, file: Path, *, copy_private: bool) -> None:
        """Brings the entries of ``file`` into the agent."""

    def import_agent(self, file: Path) -> None:
        """Brings the agent of ``file`` into the store."""


class Door(Protocol):
    """Makes the two halves for a store that stands open."""

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        """Returns the four calls as that gene."""

    def deployer(self, store: Store) -> DeployerDoor:
        """Returns the deployer's steps."""


class LibraryDoor:
    """Straight into ``rotifer_store``."""

    def gene(self, store: Store, agent: str, gene: CaseGene) -> GeneDoor:
        """Returns the library's GeneMemory behind the door's names."""
        caller = Gene(id=gene.gene_id, domain=gene.domain)
        return LibraryGeneDoor(store.gene_memory(store.agent(agent), caller))

    def deployer(self, store: Store) -> DeployerDoor:
        """Returns the store behind the door's names."""
        return LibraryDeployerDoor(store)


class LibraryGeneDoor:
    """The four calls of GeneMemory."""

    def __init__(self, memory: GeneMemory) -> None:
        self._memory = memory

    def write(self, key: str, value: Any, category: Any, policies: Mapping[str, Any]) -> Mapping[str, Any]:
        """Leaves out the policies that the step leaves out: null is another thing (ACC-5)."""
        named = {"accessPolicy": "access_policy", "retentionPolicy": "retention_policy"}
        passed = {named[name]: policy for name, policy in policies.items()}
        with _refusals():
            return _entry_json(self._memory.write_memory(key, value, category, **passed))

    def read(self, key: str, category: Any = MISSING) -> Mapping[str, Any] | None:
        """Names a category only where the step does."""
        passed = {} if category is MISSING else {"category": category}
        with _refusals():
            entry = self._memory.read_memory(key, **passed)
        return None if entry is None else _entry_json(entry)

    def query(self, filter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Passes the filter as a mapping with the page's names (INP-3)."""
        with _refusals():
            return [_entry_json(entry) for entry in self._memory.query_memory(filter)]

    def delete(self, key: str) -> None:
        """Deletes, and answers nothing."""
        with _refusals():
            answer = self._memory.delete_memory(key)
        if answer is not None:
            raise AssertionError("delete_memory returned something")


class LibraryDeployerDoor:
    """The deployer's methods of Store, with agents looked up by name."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def list_memory(self, agent: str, category: str | None) -> list[Mapping[str, Any]]:
        """Returns the rows of list_memory in its order."""
        with _refusals():
            return [_listed_json(info) for info in self._store.list_memory(agent, category)]

    def delete_memory(self, agent: str, key: str | None, category: str | None) -> int:
        """Passes the one of the two that the step gives."""
        passed = {"category": category} if key is None else {"key": key}
        with _refusals():
            return self._store.delete_memory(agent, **passed)

    def used_bytes(self, agent: str) -> int:
        """Returns the counter."""
        return self._store.memory_usage(agent).used_bytes

    def set_data_policy(self, agent: str, data_policy: Mapping[str, Any]) -> None:
        """Passes the mapping as it stands."""
        with _refusals():
            self._store.set_data_policy(agent, data_policy)

    def set_quota(self, agent: str, quota_bytes: int) -> None:
        """Sets the quota in bytes."""
        with _refusals():
            self._store.set_memory_quota(agent, quota_bytes)

    def export_memory(self, agent: str, file: Path, *, include_cache: bool) -> None:
        """Exports, with CACHE where asked for."""
        with _refusals():
            self._store.export_memory(agent, file, include_cache=include_cache)

    def import_memory(self, agent: str, file: Path, *, copy_private: bool) -> None:
        """Imports into an agent that stands."""
        with _refusals():
            self._store.import_memory(agent, file, copy_private=copy_private)

    def import_agent(self, file: Path) -> None:
        """Imports the agent itself."""
        with _refusals():
            self._store.import_agent(file)


@contextmanager
def _refusals() -> Iterator[None]:
    """Turns the library's errors into ``Refused``; class and code must belong together."""
    try:
        yield
    except AgentMemoryError as error:
        if type(error) is not CLASS_OF_CODE.get(error.code):
            raise AssertionError(f"{type(error).__name__} carries the code {error.code}") from error
        raise Refused(str(error.code), str(error)) from error


def _entry_json(entry: MemoryEntry) -> Mapping[str, Any]:
    """Returns ``to_json()``, which must be JSON and agree with what the attributes say."""
    members = json.loads(json.dumps(entry.to_json()))
    attributes = {
        "entryId": entry.entry_id,
        "category": entry.category,
        "key": entry.key,
        "createdBy": entry.created_by,
        "lastAccessedBy": entry.last_accessed_by,
        "createdAt": _time_text(entry.created_at),
        "updatedAt": _time_text(entry.updated_at),
        "accessPolicy": _access_json(entry.access_policy),
        "retentionPolicy": _retention_json(entry.retention_policy),
    }
    for name, value in attributes.items():
        if members.get(name) != value:
            raise AssertionError(f"to_json and the attribute disagree about {name}")
    if type(entry.value) is not bytes:
        raise AssertionError("a value is not bytes")
    return members


def _listed_json(info: EntryInfo) -> Mapping[str, Any]:
    if hasattr(info, "value"):
        raise AssertionError("a listing shows a value")
    return {
        "entryId": info.entry_id,
        "category": str(info.category),
        "key": info.key,
        "sizeBytes": info.size_bytes,
        "createdBy": info.created_by,
        "lastAccessedBy": info.last_accessed_by,
        "createdAt": _time_text(info.created_at),
        "updatedAt": _time_text(info.updated_at),
        "accessPolicy": _access_json(info.access_policy),
        "retentionPolicy": _retention_json(info.retention_policy),
    }


def _time_text(instant: datetime) -> str:
    """Returns ENT-5's form: fixed width, six fraction digits, Z."""
    if instant.utcoffset() != timedelta(0):
        raise AssertionError("a time is not UTC")
    return instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _access_json(policy: Any) -> Mapping[str, Any]:
    return {
        "readScope": str(policy.read_scope),
        "writeScope": str(policy.write_scope),
        "sharePolicy": str(policy.share_policy),
    }


def _retention_json(policy: Any) -> Mapping[str, Any] | None:
    if policy is None:
        return None
    return {
        "maxRetentionDays": policy.max_retention_days,
        "autoDeleteOnTermination": policy.auto_delete_on_termination,
        "anonymizationSupported": policy.anonymization_supported,
    }
