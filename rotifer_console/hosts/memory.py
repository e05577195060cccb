"""The memory that a host hands to a gene: an agent's, none, or one whose calls are watched."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final, NoReturn, Protocol, TypeVar

from rotifer_console.hosts.channel import MEMORY_CALLS, decode_json
from rotifer_console.hosts.values import has_too_many_parts
from rotifer_store import (
    UNSET,
    AgentMemoryError,
    GeneMemory,
    MemoryAccessDenied,
    MemoryEntry,
    MemoryFilter,
    MemoryInvalidInput,
    ResponseTooLarge,
)

_READ, _WRITE, _QUERY, _DELETE = MEMORY_CALLS
Result = TypeVar("Result")

NO_REQUEST: Final = b"null"
"""Refused by every call as its input: it stands for a request that cannot be looked at, so that what comes
before the input still does (ACC-8)."""


class Memory(Protocol):
    """The four calls as Python has them, and the JSON door of other processes (GEN-4, HST-5)."""

    def read_memory(self, key: str, category: str | None = None) -> MemoryEntry | None:
        """The entry under `key`, or None."""
        ...

    def write_memory(
        self,
        key: str,
        value: bytes,
        category: str,
        access_policy: object = ...,
        retention_policy: object | None = ...,
    ) -> MemoryEntry:
        """Creates the entry or replaces its value."""
        ...

    def query_memory(self, filter: object | None = None) -> list[MemoryEntry]:
        """The readable entries that match, newest first."""
        ...

    def delete_memory(self, key: str) -> None:
        """Removes the entry."""
        ...

    def call_json(self, name: str, request: bytes, max_response_bytes: int | None = None) -> bytes:
        """One of the four, by the page's name; ResponseTooLarge where the answer would be longer."""
        ...


class NoMemory:
    """Outside an agent there is none: every call is refused, and nothing is recorded (AGT-8, REC-4)."""

    def read_memory(self, *_: object, **__: object) -> NoReturn:
        """Refused, whatever the arguments: the caller comes before them (ACC-7)."""
        raise MemoryAccessDenied("a gene that runs without an agent has no memory")

    write_memory = query_memory = delete_memory = call_json = read_memory
    readMemory = writeMemory = queryMemory = deleteMemory = read_memory


@dataclass(frozen=True, slots=True)
class MemoryCall:
    """One call that a gene made and what came of it: never a value (REC-1, RUN-5).

    `of` is the key as the gene gave it, or the members of a query's filter as JSON; None where it gave none.
    """

    gene: str
    call: str
    of: str | None
    outcome: str


class TracedMemory:
    """An agent's memory that tells of each call once it has ended."""

    def __init__(self, memory: GeneMemory, gene: str, trace: Callable[[MemoryCall], None]) -> None:
        self.untraced = memory
        self._gene = gene
        self._trace = trace

    def read_memory(self, key: str, category: str | None = None) -> MemoryEntry | None:
        """The same as the memory's own, and so the others."""
        return self._traced(_READ, key, lambda: self.untraced.read_memory(key, category))

    def write_memory(
        self,
        key: str,
        value: bytes,
        category: str,
        access_policy: object = UNSET,
        retention_policy: object | None = UNSET,
    ) -> MemoryEntry:
        """See `read_memory`."""
        return self._traced(
            _WRITE,
            key,
            lambda: self.untraced.write_memory(key, value, category, access_policy, retention_policy),
        )

    def query_memory(self, filter: object | None = None) -> list[MemoryEntry]:
        """See `read_memory`."""
        return self._traced(_QUERY, filter, lambda: self.untraced.query_memory(filter))

    def delete_memory(self, key: str) -> None:
        """See `read_memory`."""
        self._traced(_DELETE, key, lambda: self.untraced.delete_memory(key))

    readMemory = read_memory
    writeMemory = write_memory
    queryMemory = query_memory
    deleteMemory = delete_memory

    def call_json(self, name: str, request: bytes, max_response_bytes: int | None = None) -> bytes:
        """See `read_memory`."""
        answers: list[bytes] = []

        def call() -> Any:
            answers.append(self.untraced.call_json(name, request, max_response_bytes))
            return decode_json(answers[0])

        self._traced(name, _asked_of(name, request), call)
        return answers[0]

    def _traced(self, name: str, of: object, call: Callable[[], Result]) -> Result:
        shown = _told(of)
        try:
            result = call()
        except (AgentMemoryError, ResponseTooLarge) as error:
            self._trace(MemoryCall(self._gene, name, shown, str(error.code)))
            raise
        self._trace(MemoryCall(self._gene, name, shown, _outcome(name, result)))
        return result


def refuse_without_id(memory: Memory, call: str) -> None:
    """Refuses a gene without a v2 id, as each call does first, and does nothing for any other (ACC-7).

    For hosts that answer a call without asking the memory; so none of it is traced either.

    Raises:
        MemoryAccessDenied: the gene has none.
    """
    asked = memory.untraced if isinstance(memory, TracedMemory) else memory
    with contextlib.suppress(MemoryInvalidInput):
        asked.call_json(call, NO_REQUEST)


def _asked_of(name: str, request: bytes) -> object:
    """What a request is about, as far as it can be read in no time: a gene's module may send anything."""
    if has_too_many_parts(request):
        return None
    try:
        of = decode_json(request)
        if name != _QUERY and isinstance(of, dict):
            of = of.get("key")
        return of if isinstance(of, str) else json.dumps(of) if of else None
    except (ValueError, RecursionError):
        return None


def _told(of: object) -> str | None:
    """A key, or what JSON says of anything else; None where it says nothing: bytes may be a value."""
    if of is None or isinstance(of, str):
        return of
    if isinstance(of, MemoryFilter):
        of = {name: member for name, member in asdict(of).items() if member is not None}
    try:
        return json.dumps(of)
    except (TypeError, ValueError, RecursionError):
        return None


def _outcome(name: str, result: object) -> str:
    if name == _READ:
        return "nothing there" if result is None else "read"
    if name == _QUERY:
        assert isinstance(result, list)
        return "1 entry" if len(result) == 1 else f"{len(result)} entries"
    return "written" if name == _WRITE else "deleted"
