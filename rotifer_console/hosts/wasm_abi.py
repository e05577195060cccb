"""What a gene's module and its host agree on: names, numbers, limits and the arithmetic of pointers.

Pure. It knows no wasmtime and no store; `wasm_calls` and `wasm_engine` read the tables here (HST-5 to HST-8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rotifer_console.hosts.channel import MAX_FRAME_BYTES, MAX_NESTING, encode_json
from rotifer_console.hosts.values import MAX_PARTS
from rotifer_store import AgentMemoryError, ErrorCode
from rotifer_store.tables import ERRORS

HOST_MODULE: Final = "rotifer"
LOG_FUNCTION: Final = "log"
"""Where a gene imports the four memory calls and `log` from (HST-5)."""

ABORT_FUNCTION: Final = ("env", "abort")
"""What AssemblyScript's compiler imports unless it is told not to."""

MEMORY_EXPORT: Final = "memory"
ALLOC_EXPORT: Final = "alloc"
EXPRESS_EXPORT: Final = "express"
START_EXPORT: Final = "_start"
"""What a module exports (HST-6). One with a `_start` is a WASI program, and the rest is not looked at."""

CALL_SIGNATURE: Final = ("iiii", "i")
LOG_SIGNATURE: Final = ("iii", "")
ABORT_SIGNATURE: Final = ("iiii", "")
START_SIGNATURE: Final = ("", "")
ALLOC_SIGNATURE: Final = ("i", "i")
TERMINATED_SIGNATURE: Final = ("ii", "i")
PACKED_SIGNATURE: Final = ("ii", "I")
EXPRESS_SIGNATURES: Final = (TERMINATED_SIGNATURE, PACKED_SIGNATURE)
"""Parameters and results, `i` for i32 and `I` for i64: the forms of `express` are told apart by theirs."""

TOO_SMALL: Final = -1
"""The answer of a call whose `out` has no room: nothing has happened (HST-7)."""

SPENT: Final = -4
"""The answer of every call once the deadline has passed or too many calls were made; it has no body."""

NUMBER_OF: Final[Mapping[str, int]] = {row.code: row.wasm_result for row in ERRORS}
"""What a call answers for each code (ERR)."""

INVALID: Final = NUMBER_OF[ErrorCode.MEMORY_INVALID_INPUT]
FAULTY: Final = NUMBER_OF[ErrorCode.MEMORY_STORAGE_ERROR]

ADDRESS_BITS: Final = 32
ADDRESSES: Final = (1 << ADDRESS_BITS) - 1
_NUL: Final = b"\0"

_HEAD_BYTES: Final = 8
_LINKING_SECTIONS: Final = (2, 7)
_MOST_SECTIONS: Final = 1000
_MOST_NUMBER_BYTES: Final = 5

MAX_MEMORY_BYTES: Final = 256 * 1024 * 1024
MAX_FUEL: Final = 5 * 10**10
MAX_HOST_CALLS: Final = 100_000
MAX_STACK_BYTES: Final = 512 * 1024
MAX_TABLES: Final = 4
MAX_TABLE_ELEMENTS: Final = 10_000
MAX_LINKS: Final = 1000
MAX_REQUEST_BYTES: Final = MAX_FRAME_BYTES
MAX_OUTPUT_BYTES: Final = MAX_FRAME_BYTES
MAX_LOG_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class RunLimit:
    """One limit of a run: the name of its constant here, its value and unit, and what it bounds."""

    constant: str
    value: int
    unit: str
    bounds: str


RUN_LIMITS: Final = (
    RunLimit("MAX_MEMORY_BYTES", MAX_MEMORY_BYTES, "bytes", "the module's one memory"),
    RunLimit("MAX_FUEL", MAX_FUEL, "units of fuel", "what it computes"),
    RunLimit("MAX_HOST_CALLS", MAX_HOST_CALLS, "calls", "calls of the functions of `rotifer`"),
    RunLimit("MAX_STACK_BYTES", MAX_STACK_BYTES, "bytes", "its stack"),
    RunLimit("MAX_TABLES", MAX_TABLES, "tables", "its tables"),
    RunLimit("MAX_TABLE_ELEMENTS", MAX_TABLE_ELEMENTS, "elements", "each table"),
    RunLimit("MAX_LINKS", MAX_LINKS, "names", "its imports, and its exports"),
    RunLimit("MAX_REQUEST_BYTES", MAX_REQUEST_BYTES, "bytes", "a request"),
    RunLimit("MAX_OUTPUT_BYTES", MAX_OUTPUT_BYTES, "bytes", "its output"),
    RunLimit("MAX_PARTS", MAX_PARTS, "lists and objects", "its input, its output"),
    RunLimit("MAX_NESTING", MAX_NESTING, "levels", "its output"),
    RunLimit("MAX_LOG_BYTES", MAX_LOG_BYTES, "bytes", "what of one `log` is shown"),
)
"""Limits of one run (HST-8); the last six are ours."""

TOO_LONG: Final = f"its output is larger than {MAX_OUTPUT_BYTES} bytes"

WHY_TRAPPED: Final[Mapping[str, str]] = {
    "OUT_OF_FUEL": f"it computed too long: its fuel of {MAX_FUEL} was used up",
    "STACK_OVERFLOW": f"its stack grew over {MAX_STACK_BYTES} bytes",
    "MEMORY_OUT_OF_BOUNDS": "it trapped: it reached outside its memory",
    "TABLE_OUT_OF_BOUNDS": "it trapped: it reached outside a table",
    "INDIRECT_CALL_TO_NULL": "it trapped: it called what is not there",
    "BAD_SIGNATURE": "it trapped: it called a function as one of another type",
    "INTEGER_OVERFLOW": "it trapped: an integer overflowed",
    "INTEGER_DIVISION_BY_ZERO": "it trapped: it divided by zero",
    "BAD_CONVERSION_TO_INTEGER": "it trapped: a number had no integer form",
    "UNREACHABLE": "it trapped: it reached what its compiler or author marked as unreachable",
}
"""How a run ended, by the name of wasmtime's trap code. INTERRUPT is the deadline and is told by the host."""


def why_trapped(code_name: str | None) -> str:
    """The sentence for a trap; one that no row names is told by its name."""
    if code_name is None:
        return "it trapped"
    return WHY_TRAPPED.get(code_name, f"it trapped: {code_name.lower().replace('_', ' ')}")


def unsigned(number: int) -> int:
    """A pointer or length as the module meant it: 32 bits without a sign, where wasmtime hands over one."""
    return number & ADDRESSES


def unpacked(result: int) -> tuple[int, int]:
    """Pointer and length from `pointer << 32 | length`, whatever sign the 64 bits came with."""
    return unsigned(result >> ADDRESS_BITS), unsigned(result)


def up_to_nul(content: bytes) -> bytes | None:
    """What stands before the first NUL; None where there is none."""
    end = content.find(_NUL)
    return None if end < 0 else content[:end]


def has_too_many_links(module: bytes) -> bool:
    """Whether a module imports or exports more than it may: each of them costs time that no deadline ends.

    Read from the heads of the module's sections. One that is torn has none here, and is refused as it is
    compiled.
    """
    at = _HEAD_BYTES
    try:
        for _ in range(_MOST_SECTIONS):
            if at >= len(module):
                return False
            section = module[at]
            size, at = _number_at(module, at + 1)
            if section in _LINKING_SECTIONS and _number_at(module, at)[0] > MAX_LINKS:
                return True
            at += size
    except IndexError:
        return False
    return True


def _number_at(module: bytes, at: int) -> tuple[int, int]:
    """A number in WebAssembly's spelling (LEB128), and where what follows it begins."""
    number = 0
    for place in range(_MOST_NUMBER_BYTES):
        byte = module[at + place]
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            break
    return number, at + place + 1


def error_body(error: AgentMemoryError) -> bytes:
    """What goes into `out` for a refused call, where it fits (HST-7)."""
    return encode_json({"__rotifer_error": {"code": str(error.code), "message": str(error)}})
