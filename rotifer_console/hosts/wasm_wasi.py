"""The system that a WASI program sees: its input, its output, a clock, and nothing else (HST-6).

Our own few functions rather than wasmtime's: none of them waits, so a deadline holds inside them too, and
what a program can write has a limit. There are no files, arguments, variables or sockets; whatever asks for
one is told that there is none. The numbers are those of WASI preview 1.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from typing import Final

from rotifer_console.hosts.wasm_abi import MAX_LOG_BYTES, MAX_OUTPUT_BYTES, unsigned
from rotifer_console.hosts.wasm_calls import LinearMemory
from rotifer_store import SystemClock

WASI_MODULE: Final = "wasi_snapshot_preview1"

_SUCCESS: Final = 0
_BAD_DESCRIPTOR: Final = 8
_BAD_ADDRESS: Final = 21
_TOO_LARGE: Final = 22
_INVALID: Final = 28
_NOT_THERE: Final = 52
_NO_SEEKING: Final = 70

_STDIN, _STDOUT, _STDERR = range(3)
_RIGHT_TO_READ: Final = 1 << 1
_RIGHT_TO_WRITE: Final = 1 << 6
_RIGHTS: Final = {_STDIN: _RIGHT_TO_READ, _STDOUT: _RIGHT_TO_WRITE, _STDERR: _RIGHT_TO_WRITE}
_REALTIME: Final = 0
_NS_EACH_US: Final = 1000
_BUFFER: Final = struct.Struct("<II")
_CLOCKS: Final = 4
_MOST_BUFFERS: Final = 1024
_MOST_CHANCE_BYTES: Final = 1 << 20
"""What one call may ask of the system's random numbers, which take a second for the largest memory."""

_SIGNATURES: Final = {
    "args_get": "ii",
    "args_sizes_get": "ii",
    "clock_res_get": "ii",
    "clock_time_get": "iIi",
    "environ_get": "ii",
    "environ_sizes_get": "ii",
    "fd_advise": "iIIi",
    "fd_allocate": "iII",
    "fd_close": "i",
    "fd_datasync": "i",
    "fd_fdstat_get": "ii",
    "fd_fdstat_set_flags": "ii",
    "fd_fdstat_set_rights": "iII",
    "fd_filestat_get": "ii",
    "fd_filestat_set_size": "iI",
    "fd_filestat_set_times": "iIIi",
    "fd_pread": "iiiIi",
    "fd_prestat_dir_name": "iii",
    "fd_prestat_get": "ii",
    "fd_pwrite": "iiiIi",
    "fd_read": "iiii",
    "fd_readdir": "iiiIi",
    "fd_renumber": "ii",
    "fd_seek": "iIii",
    "fd_sync": "i",
    "fd_tell": "ii",
    "fd_write": "iiii",
    "path_create_directory": "iii",
    "path_filestat_get": "iiiii",
    "path_filestat_set_times": "iiiiIIi",
    "path_link": "iiiiiii",
    "path_open": "iiiiiIIii",
    "path_readlink": "iiiiii",
    "path_remove_directory": "iii",
    "path_rename": "iiiiii",
    "path_symlink": "iiiii",
    "path_unlink_file": "iii",
    "poll_oneoff": "iiii",
    "proc_exit": "i",
    "proc_raise": "i",
    "random_get": "ii",
    "sched_yield": "",
    "sock_accept": "iii",
    "sock_recv": "iiiiii",
    "sock_send": "iiiii",
    "sock_shutdown": "ii",
}
"""Parameters of every function of preview 1, `i` for i32 and `I` for i64; all but `proc_exit` give an i32."""

_NO_RESULT: Final = "proc_exit"
_NEVER_THERE: Final = ("poll_oneoff", "proc_raise")

_Function = Callable[..., int | None]


def wasi_signature(name: str) -> tuple[str, str] | None:
    """Parameters and results of a function of preview 1; None where it has none of that name."""
    parameters = _SIGNATURES.get(name)
    return None if parameters is None else (parameters, "" if name == _NO_RESULT else "i")


class _Refused(Exception):
    """A function answers with an error number, and has done nothing."""

    def __init__(self, number: int) -> None:
        self.number = number


class WasiProgram:
    """One run of a program: what it has left to read, what it wrote, and the status with which it exited.

    `is_too_long` says that it wrote more than an output can hold.
    """

    def __init__(self, stdin: bytes, say: Callable[[bytes], None], stop: Callable[[], None]) -> None:
        """`say` shows what it writes to stderr; `stop` lets it compute no further, without raising."""
        self._unread = memoryview(stdin)
        self._say = say
        self._stop = stop
        self.stdout = bytearray()
        self.is_too_long = False
        self.status: int | None = None
        self._functions: dict[str, _Function] = {
            "args_get": self._nothing,
            "args_sizes_get": self._no_sizes,
            "clock_res_get": self._clock_res_get,
            "clock_time_get": self._clock_time_get,
            "environ_get": self._nothing,
            "environ_sizes_get": self._no_sizes,
            "fd_close": self._fd_close,
            "fd_fdstat_get": self._fd_fdstat_get,
            "fd_fdstat_set_flags": self._fd_close,
            "fd_read": self._fd_read,
            "fd_seek": self._fd_seek,
            "fd_tell": self._fd_seek,
            "fd_write": self._fd_write,
            "proc_exit": self._proc_exit,
            "random_get": self._random_get,
            "sched_yield": self._nothing,
        }

    def call(self, name: str, linear: LinearMemory | None, *parameters: int) -> int | None:
        """What the function of that name answers; None from the one that has no result."""
        function = self._functions.get(name)
        if function is None:
            return _NOT_THERE if name in _NEVER_THERE else _BAD_DESCRIPTOR
        try:
            return function(linear, *parameters)
        except _Refused as refused:
            return refused.number

    def _nothing(self, *_: object) -> int:
        return _SUCCESS

    def _no_sizes(self, linear: LinearMemory | None, count: int, size_bytes: int) -> int:
        _put(linear, count, _number(0, 4))
        return _put(linear, size_bytes, _number(0, 4))

    def _clock_res_get(self, linear: LinearMemory | None, clock: int, out: int) -> int:
        _require(0 <= clock < _CLOCKS, _INVALID)
        return _put(linear, out, _number(_NS_EACH_US, 8))

    def _clock_time_get(self, linear: LinearMemory | None, clock: int, _: int, out: int) -> int:
        _require(0 <= clock < _CLOCKS, _INVALID)
        now_ns = SystemClock().now_us() * _NS_EACH_US if clock == _REALTIME else time.monotonic_ns()
        return _put(linear, out, _number(now_ns, 8))

    def _fd_close(self, _: object, descriptor: int, *__: object) -> int:
        _require(descriptor in _RIGHTS, _BAD_DESCRIPTOR)
        return _SUCCESS

    def _fd_seek(self, _: object, descriptor: int, *__: object) -> int:
        _require(descriptor in _RIGHTS, _BAD_DESCRIPTOR)
        return _NO_SEEKING

    def _fd_fdstat_get(self, linear: LinearMemory | None, descriptor: int, out: int) -> int:
        _require(descriptor in _RIGHTS, _BAD_DESCRIPTOR)
        return _put(linear, out, _number(0, 8) + _number(_RIGHTS[descriptor], 8) + _number(0, 8))

    def _fd_read(self, linear: LinearMemory | None, descriptor: int, at: int, count: int, out: int) -> int:
        _require(descriptor == _STDIN, _BAD_DESCRIPTOR)
        read_bytes = 0
        for pointer, length in _buffers(linear, at, count):
            chunk = bytes(self._unread[:length])
            _put(linear, pointer, chunk)
            self._unread = self._unread[len(chunk) :]
            read_bytes += len(chunk)
        return _put(linear, out, _number(read_bytes, 4))

    def _fd_write(self, linear: LinearMemory | None, descriptor: int, at: int, count: int, out: int) -> int:
        _require(descriptor in (_STDOUT, _STDERR), _BAD_DESCRIPTOR)
        buffers = _buffers(linear, at, count)
        size_bytes = sum(length for _, length in buffers)
        if descriptor == _STDOUT:
            if len(self.stdout) + size_bytes > MAX_OUTPUT_BYTES:
                self.is_too_long = True
                self._stop()
                return _TOO_LARGE
            for pointer, length in buffers:
                self.stdout += _get(linear, pointer, length)
        else:  # a part at a time, as a program must expect
            shown = b"".join(_get(linear, pointer, min(length, MAX_LOG_BYTES)) for pointer, length in buffers)
            size_bytes = min(size_bytes, MAX_LOG_BYTES)
            self._say(shown[:size_bytes])
        return _put(linear, out, _number(size_bytes, 4))

    def _proc_exit(self, _: object, status: int) -> None:
        if self.status is None:
            self.status = unsigned(status)
        self._stop()

    def _random_get(self, linear: LinearMemory | None, pointer: int, length: int) -> int:
        pointer, length = unsigned(pointer), unsigned(length)
        _require(linear is not None and linear.holds(pointer, length), _BAD_ADDRESS)
        _require(length <= _MOST_CHANCE_BYTES, _INVALID)
        return _put(linear, pointer, os.urandom(length))


def _require(holds: bool, number: int) -> None:
    if not holds:
        raise _Refused(number)


def _number(number: int, size_bytes: int) -> bytes:
    return number.to_bytes(size_bytes, "little")


def _get(linear: LinearMemory | None, pointer: int, length: int) -> bytes:
    pointer, length = unsigned(pointer), unsigned(length)
    if linear is None or not linear.holds(pointer, length):
        raise _Refused(_BAD_ADDRESS)
    return linear.read(pointer, length)


def _put(linear: LinearMemory | None, pointer: int, content: bytes) -> int:
    pointer = unsigned(pointer)
    if linear is None or not linear.holds(pointer, len(content)):
        raise _Refused(_BAD_ADDRESS)
    linear.write(pointer, content)
    return _SUCCESS


def _buffers(linear: LinearMemory | None, at: int, count: int) -> list[tuple[int, int]]:
    """Pointers and lengths of a list of buffers, all of which lie in the memory."""
    count = unsigned(count)
    _require(count <= _MOST_BUFFERS, _INVALID)
    numbers = _get(linear, at, 8 * count)
    buffers = list(_BUFFER.iter_unpack(numbers))
    _require(linear is not None and all(linear.holds(*buffer) for buffer in buffers), _BAD_ADDRESS)
    return buffers
