"""The functions of module `rotifer`, as a gene's module calls them (HST-5, HST-7).

Everything a module passes is hostile until it has been checked; whatever a call comes to is a number. The
module's memory is seen through `LinearMemory`, so none of this knows wasmtime.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from rotifer_console.hosts.memory import NO_REQUEST, Memory, refuse_without_id
from rotifer_console.hosts.wasm_abi import (
    INVALID,
    MAX_HOST_CALLS,
    MAX_LOG_BYTES,
    MAX_REQUEST_BYTES,
    NUMBER_OF,
    SPENT,
    TOO_SMALL,
    error_body,
    unsigned,
)
from rotifer_store import AgentMemoryError, ResponseTooLarge

_LINE_END: Final = b"\n"


class LinearMemory(Protocol):
    """A module's memory. Whoever reads or writes has asked before whether the range, unsigned, is in it."""

    def holds(self, pointer: int, length: int) -> bool:
        """Whether the range lies in the memory as it is now."""
        ...

    def read(self, pointer: int, length: int) -> bytes:
        """A copy of the range."""
        ...

    def write(self, pointer: int, content: bytes) -> None:
        """Puts the content there."""
        ...


class HostCalls:
    """The calls of one run, made for the one gene that `memory` belongs to.

    `last_refusal` is the memory error that the latest call ended with, None after one that did not.
    """

    def __init__(self, memory: Memory, deadline_s: float, say: Callable[[bytes], None]) -> None:
        """`deadline_s` is an instant of `time.monotonic()`; `say` shows a line to whoever runs the gene."""
        self._memory = memory
        self._deadline_s = deadline_s
        self._say = say
        self._made = 0
        self.last_refusal: AgentMemoryError | None = None

    def call(
        self,
        name: str,
        linear: LinearMemory | None,
        request_pointer: int,
        request_length: int,
        out_pointer: int,
        out_capacity: int,
    ) -> int:
        """The length of the answer written to `out`, or the number of what it came to instead (ERR).

        A gene without a v2 id is refused before anything is looked at; then come deadline and budget, then
        the ranges, both before anything is done, then the request (HST-7). `linear` is None where the module
        exports no memory.
        """
        self.last_refusal = None
        body_room = 0
        try:
            if self._is_spent():
                refuse_without_id(self._memory, name)
                return SPENT
            request_pointer, request_length = unsigned(request_pointer), unsigned(request_length)
            out_pointer, out_capacity = unsigned(out_pointer), unsigned(out_capacity)
            if (
                linear is None
                or not linear.holds(request_pointer, request_length)
                or not linear.holds(out_pointer, out_capacity)
            ):
                self._memory.call_json(name, NO_REQUEST, 0)
                return INVALID
            body_room = out_capacity
            is_too_long = request_length > MAX_REQUEST_BYTES
            request = NO_REQUEST if is_too_long else linear.read(request_pointer, request_length)
            response = self._memory.call_json(name, request, out_capacity)
        except ResponseTooLarge:
            return TOO_SMALL
        except AgentMemoryError as error:
            self.last_refusal = error
            body = error_body(error)
            if linear is not None and len(body) <= body_room:
                linear.write(out_pointer, body)
            return NUMBER_OF[error.code]
        linear.write(out_pointer, response)
        return len(response)

    def log(self, linear: LinearMemory | None, pointer: int, length: int) -> None:
        """Shows the first 4096 bytes of a text as one line; a range outside the memory shows nothing."""
        pointer, length = unsigned(pointer), unsigned(length)
        if not self._is_spent() and linear is not None and linear.holds(pointer, length):
            self._say(linear.read(pointer, min(length, MAX_LOG_BYTES)) + _LINE_END)

    def _is_spent(self) -> bool:
        self._made += 1
        return self._made > MAX_HOST_CALLS or time.monotonic() >= self._deadline_s
