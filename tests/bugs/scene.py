"""What the tests of this folder share: genes, policies, the library's two doors, and a look at the logs."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from property.log_replay import LogReplay, events
from rotifer_store import UNSET, AgentMemoryError, FixedClock, Gene, Store, open_store

START_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
DAY_S = 86_400
LARGEST_DAYS = 2_147_483_647
LARGEST_VALUE_BYTES = 1_048_576

CREATOR = Gene("v2:" + "a1" * 32, "formatter", "indent", "1.0.0")
SIBLING = Gene("v2:" + "b2" * 32, "formatter", "wrap", "1.0.0")
STRANGER = Gene("v2:" + "c3" * 32, "linter", "lint", "1.0.0")
NAMELESS = Gene(None, "formatter")

Members = dict[str, Any]


def kept_for(days: object, *, auto_delete: object = False, anonymized: object = False) -> Members:
    """A retention or data policy with the page's member names."""
    return {
        "maxRetentionDays": days,
        "autoDeleteOnTermination": auto_delete,
        "anonymizationSupported": anonymized,
    }


def open_to(read: str, write: str, share: str = "PRIVATE") -> Members:
    """An access policy with the page's member names."""
    return {"readScope": read, "writeScope": write, "sharePolicy": share}


OPEN = open_to("ALL_GENES", "ALL_GENES")
CLOSED = open_to("CREATOR_GENE_ONLY", "CREATOR_GENE_ONLY")


class PythonDoor:
    """The four calls as Python has them; entries come as the page's ten members."""

    def __init__(self, store: Store, agent: str, gene: Gene) -> None:
        self._memory = store.gene_memory(agent, gene)

    def write(
        self, key: Any, value: Any, category: Any, access: Any = UNSET, retention: Any = UNSET
    ) -> Members:
        return self._memory.write_memory(key, value, category, access, retention).to_json()

    def read(self, key: Any, category: Any = None) -> Members | None:
        entry = self._memory.read_memory(key, category)
        return None if entry is None else entry.to_json()

    def query(self, filter: Any = None) -> list[Members]:
        return [entry.to_json() for entry in self._memory.query_memory(filter)]

    def delete(self, key: Any) -> None:
        self._memory.delete_memory(key)


class JsonDoor:
    """The same calls and answers through `call_json`, as hosts of other languages make them."""

    def __init__(self, store: Store, agent: str, gene: Gene) -> None:
        self._memory = store.gene_memory(agent, gene)

    def write(
        self, key: Any, value: bytes, category: Any, access: Any = UNSET, retention: Any = UNSET
    ) -> Members:
        request = {"key": key, "value": base64.b64encode(value).decode(), "category": category}
        request |= {} if access is UNSET else {"accessPolicy": access}
        request |= {} if retention is UNSET else {"retentionPolicy": retention}
        entry: Members = self._call("writeMemory", request)
        return entry

    def read(self, key: Any, category: Any = None) -> Members | None:
        request = {"key": key} | ({} if category is None else {"category": category})
        entry: Members | None = self._call("readMemory", request)
        return entry

    def query(self, filter: Any = None) -> list[Members]:
        entries: list[Members] = self._call("queryMemory", filter)
        return entries

    def delete(self, key: Any) -> None:
        assert self._call("deleteMemory", {"key": key}) is None

    def _call(self, name: str, request: Any) -> Any:
        sent = b"" if request is None else json.dumps(request).encode()
        return json.loads(self._memory.call_json(name, sent))


DOORS = {"python": PythonDoor, "json": JsonDoor}
Door = PythonDoor | JsonDoor
through_each_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


class Scene:
    """A store on disk with the agent `main`, a clock that stands still, and its logs."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.clock = FixedClock(START_US)
        self.store = self.open()
        self.log = LogReplay(project / ".rotifer" / "audit.jsonl")

    def open(self, **settings: Any) -> Store:
        """The same store once more, at the same clock."""
        return open_store(self.project, clock=self.clock, **settings)

    def new_lines(self) -> list[Members]:
        """The audit lines since the last look, of a chain that is whole."""
        records: list[Members] = self.log.catch_up()
        return records

    def new_actions(self) -> list[str]:
        """What those lines say was done."""
        return [line["action"] for line in self.new_lines()]

    def events(self) -> list[Members]:
        """All telemetry events."""
        told: list[Members] = events(self.project / ".rotifer" / "telemetry.jsonl")
        return told

    def keys(self, agent: str = "main") -> list[str]:
        """The keys that are there, newest first; looking removes nothing."""
        return [info.key for info in self.store.browse_memory(agent, limit=10_000).rows]


def entry_id(agent_id: str, key: str) -> str:
    """The id that an agent's key gives (ENT-2)."""
    return hashlib.sha256(f"{agent_id}\0{key}".encode()).hexdigest()


def code_of(call: Callable[[], object]) -> str | None:
    """The code with which the call is refused, or None."""
    try:
        call()
    except AgentMemoryError as refusal:
        return str(refusal.code)
    return None


def lines_of(file: Path) -> list[Members]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def write_lines(file: Path, lines: list[Members]) -> Path:
    """Writes a JSON Lines file."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file
