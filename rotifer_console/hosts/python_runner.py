"""The program inside a Python gene's process: it serves runs until its channel closes (HST-3).

It holds no identity: which agent and gene the calls are made for is known at the other end alone. Whatever a
gene does to this program, it can only send what the other end takes from that gene anyway. It must start
fast, so the store's classes are loaded when a gene first needs one.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final

from rotifer_console.hosts.channel import (
    LENGTH_BYTES,
    MAX_FRAME_BYTES,
    MEMORY_CALLS,
    TOO_DEEP,
    decode_members,
    encode_json,
    framed,
)
from rotifer_console.hosts.python_gene import call_entry_point, describe, load_entry_point, memory_code

if TYPE_CHECKING:
    from datetime import datetime

    from rotifer_store.model import AccessPolicy, RetentionPolicy
    from rotifer_store.tables import MemoryCategory

_READ, _WRITE, _QUERY, _DELETE = MEMORY_CALLS
_UNSENDABLE: Final = b"null"
"""Stands for a request with no JSON form: the other end refuses it as it would the arguments (ACC-8)."""

_FRAME_SPARE_BYTES: Final = 1024
_CHUNK_BYTES: Final = 65_536
_LONGEST_MESSAGE: Final = 10_000
_CHANNEL_GONE: Final = 74
"""The status with which the process ends where its gene has closed the channel."""

_LEFT_OUT: Final = object()


class Entry:
    """One entry as the four calls return it, with the library's attributes (ENT-1)."""

    __slots__ = ("_members", "value")

    _members: dict[str, Any]
    value: bytes

    def __init__(self, members: dict[str, Any]) -> None:
        object.__setattr__(self, "_members", members)
        object.__setattr__(self, "value", a2b_base64(members["value"]))

    @property
    def entry_id(self) -> str:
        """64 hex digits, the same for as long as agent and key are (ENT-2)."""
        return str(self._members["entryId"])

    @property
    def key(self) -> str:
        """The key."""
        return str(self._members["key"])

    @property
    def category(self) -> MemoryCategory:
        """The category."""
        from rotifer_store.tables import MemoryCategory

        return MemoryCategory(self._members["category"])

    @property
    def created_by(self) -> str:
        """The creator's v2 id (ENT-3)."""
        return str(self._members["createdBy"])

    @property
    def last_accessed_by(self) -> str:
        """The v2 id of the gene that read or wrote it last (ENT-4)."""
        return str(self._members["lastAccessedBy"])

    @property
    def created_at(self) -> datetime:
        """Aware, UTC."""
        return _instant(self._members["createdAt"])

    @property
    def updated_at(self) -> datetime:
        """Aware, UTC."""
        return _instant(self._members["updatedAt"])

    @property
    def access_policy(self) -> AccessPolicy:
        """Scopes and share policy."""
        from rotifer_store.model import AccessPolicy
        from rotifer_store.tables import Scope, SharePolicy

        policy = self._members["accessPolicy"]
        return AccessPolicy(
            Scope(policy["readScope"]), Scope(policy["writeScope"]), SharePolicy(policy["sharePolicy"])
        )

    @property
    def retention_policy(self) -> RetentionPolicy | None:
        """The entry's own policy; None follows the agent's."""
        from rotifer_store.model import RetentionPolicy

        policy = self._members["retentionPolicy"]
        if policy is None:
            return None
        return RetentionPolicy(
            policy["maxRetentionDays"], policy["autoDeleteOnTermination"], policy["anonymizationSupported"]
        )

    def to_json(self) -> dict[str, object]:
        """The page's ten members; `value` is padded standard base64."""
        return {
            name: dict(member) if isinstance(member, dict) else member
            for name, member in self._members.items()
        }

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an entry is what was stored: {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        return self._members == other._members if isinstance(other, Entry) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.entry_id)

    def __repr__(self) -> str:
        return f"Entry(key={self.key!r}, category={self._members['category']}, {len(self.value)} bytes)"


class RunMemory:
    """`ctx.memory` of one run: the four calls, in Python's spelling and the page's (GEN-4)."""

    __slots__ = ("_run", "_runner")

    def __init__(self, runner: Runner, run: str) -> None:
        self._runner = runner
        self._run = run

    def read_memory(self, key: str, category: str | None = None) -> Entry | None:
        """The entry under `key`, or None; with `category`, only an entry of that category."""
        request = {"key": key} if category is None else {"key": key, "category": category}
        found = self._runner.ask(self._run, _READ, request)
        return None if found is None else Entry(found)

    def write_memory(
        self,
        key: str,
        value: bytes,
        category: str,
        access_policy: object = _LEFT_OUT,
        retention_policy: object = _LEFT_OUT,
    ) -> Entry:
        """Creates the entry or replaces its value; returns what is stored."""
        is_bytes = isinstance(value, bytes | bytearray)
        request: dict[str, object] = {
            "key": key,
            "value": b2a_base64(value, newline=False).decode("ascii") if is_bytes else _LEFT_OUT,
            "category": category,
        }
        if not _is_left_out(access_policy):
            request["accessPolicy"] = access_policy
        if not _is_left_out(retention_policy):
            request["retentionPolicy"] = retention_policy
        return Entry(self._runner.ask(self._run, _WRITE, request))

    def query_memory(self, filter: object = None) -> list[Entry]:
        """The readable entries that match, most recently updated first."""
        found = self._runner.ask(self._run, _QUERY, {} if filter is None else _members_of(filter))
        return [Entry(members) for members in found]

    def delete_memory(self, key: str) -> None:
        """Removes the entry."""
        self._runner.ask(self._run, _DELETE, {"key": key})

    readMemory = read_memory
    writeMemory = write_memory
    queryMemory = query_memory
    deleteMemory = delete_memory


class Context:
    """What `express` gets beside its input."""

    __slots__ = ("memory",)

    def __init__(self, memory: RunMemory) -> None:
        self.memory = memory


class Runner:
    """Runs one gene as often as the channel says; a call of the gene's threads at a time."""

    def __init__(self, descriptor: int, source: str, name: str) -> None:
        self._descriptor = descriptor
        self._source = source
        self._name = name
        self._folder = os.path.dirname(source)  # noqa: PTH120 -- pathlib would be a sixth of the start
        self._process = os.getpid()
        self._run: str | None = None
        self._one_call_at_a_time = allocate_lock()

    def serve(self) -> None:
        """Serves runs until the channel closes."""
        sys.argv[:] = [self._source]
        sys.path.insert(0, self._folder)
        sys.dont_write_bytecode = True  # nothing is written into the gene's folder (GEN-2)
        entry_point = None
        while True:
            order = decode_members(self._receive())
            self._run = run = order["run"]
            try:
                if entry_point is None:
                    entry_point = load_entry_point(self._source, self._name)
                output = call_entry_point(entry_point, order["input"], Context(RunMemory(self, run)))
                outcome = self._done(run, output)
            except BaseException as error:  # whatever a gene raises is how its run ended
                outcome = _failed(run, describe(error, self._folder), memory_code(error))
            if os.getpid() != self._process:  # a fork of the gene's that came back from express
                os._exit(1)
            with self._one_call_at_a_time:
                self._run = None
                self._send(outcome)

    def ask(self, run: str, call: str, request: object) -> Any:
        """The answer to a memory call of the run in progress.

        Raises:
            AgentMemoryError: the call was refused, or belongs to a run that has ended.
        """
        content, is_sendable = _UNSENDABLE, False
        try:
            encoded = _encode_request(request).encode("ascii")
            if len(encoded) <= MAX_FRAME_BYTES - _FRAME_SPARE_BYTES:
                content, is_sendable = encoded, True
        except (TypeError, ValueError, RecursionError):
            pass
        with self._one_call_at_a_time:
            if run != self._run:
                from rotifer_store.errors import MemoryAccessDenied

                raise MemoryAccessDenied("this memory belongs to a run that has ended")
            self._send(b'{"run":"%s","call":"%s","request":%s}' % (run.encode(), call.encode(), content))
            answer = decode_members(self._receive())
        if "error" not in answer:
            return answer["ok"]
        from rotifer_store.errors import memory_error
        from rotifer_store.tables import ErrorCode

        code, message = answer["error"]["code"], answer["error"]["message"]
        if not is_sendable and code == ErrorCode.MEMORY_INVALID_INPUT:
            message = (
                "an argument is not what the call takes: a value is bytes, a key is text, neither is huge"
            )
        raise memory_error(ErrorCode(code), message)

    def _done(self, run: str, output: Any) -> bytes:
        try:
            encoded = encode_json(output)
        except RecursionError:
            return _failed(run, TOO_DEEP)
        except (TypeError, ValueError):
            return _failed(run, "its output is not JSON")
        if len(encoded) > MAX_FRAME_BYTES - _FRAME_SPARE_BYTES:
            return _failed(run, f"its output is larger than {MAX_FRAME_BYTES} bytes")
        return b'{"run":"%s","done":%s}' % (run.encode(), encoded)

    def _send(self, content: bytes) -> None:
        try:
            send_frame(self._descriptor, content)
        except OSError:
            os._exit(_CHANNEL_GONE)

    def _receive(self) -> bytes:
        try:
            content = receive_frame(self._descriptor)
        except OSError:
            os._exit(_CHANNEL_GONE)
        if content is None:  # the other process is gone
            os._exit(0)
        return content


def send_frame(descriptor: int, content: bytes) -> None:
    """Writes one frame to a descriptor that blocks."""
    unsent = framed(content)
    while unsent:
        unsent = unsent[os.write(descriptor, unsent) :]


def receive_frame(descriptor: int) -> bytes | None:
    """The next frame from a descriptor that blocks; None at its end.

    The other end sends no frame before the last one has been answered, so what is there belongs to one.
    """
    received = os.read(descriptor, _CHUNK_BYTES)
    while len(received) < LENGTH_BYTES:
        if not received:
            return None
        more = os.read(descriptor, _CHUNK_BYTES)
        if not more:
            return None
        received += more
    missing = LENGTH_BYTES + int.from_bytes(received[:LENGTH_BYTES], "big") - len(received)
    if missing == 0:
        return received[LENGTH_BYTES:]
    if missing < 0:
        raise OSError("more than one frame has come")
    chunks = [received[LENGTH_BYTES:]]
    while missing > 0:
        chunk = os.read(descriptor, missing)
        if not chunk:
            return None
        chunks.append(chunk)
        missing -= len(chunk)
    return b"".join(chunks)


def main(descriptor: str, source: str, name: str) -> None:
    """Serves runs of the gene of that name over the descriptor of that number, until it closes."""
    Runner(int(descriptor), source, name).serve()


def _failed(run: str, message: str, code: str | None = None) -> bytes:
    return encode_json({"run": run, "fail": {"code": code, "message": message[:_LONGEST_MESSAGE]}})


def _plain(argument: object) -> object:
    """What JSON says of a policy, or of a mapping that is no dict."""
    if isinstance(argument, Mapping):
        return dict(argument)
    model = sys.modules.get("rotifer_store.model")  # a gene that has one of its values has loaded it
    if model is not None and isinstance(argument, model.AccessPolicy | model.RetentionPolicy):
        return argument.to_json()
    raise TypeError


_encode_request = JSONEncoder(allow_nan=False, separators=(",", ":"), default=_plain).encode


def _members_of(filter: object) -> object:
    """A MemoryFilter's members under the page's names; anything else is sent as it is (INP-3)."""
    model = sys.modules.get("rotifer_store.model")
    if model is None or not isinstance(filter, model.MemoryFilter):
        return filter
    members = {
        "category": filter.category,
        "keyPrefix": filter.key_prefix,
        "since": filter.since,
        "until": filter.until,
        "limit": filter.limit,
    }
    return {name: member for name, member in members.items() if member is not None}


def _is_left_out(policy: object) -> bool:
    model = sys.modules.get("rotifer_store.model")
    return policy is _LEFT_OUT or (model is not None and policy is model.UNSET)


def _instant(text: str) -> datetime:
    from datetime import datetime

    return datetime.fromisoformat(text)
