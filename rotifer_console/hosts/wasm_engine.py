"""Running modules in wasmtime: the only place that knows it.

A run has a thread of its own, so that whoever waits for it can be interrupted, and an instance of its own, so
that nothing is left of it. Three things end what does not end itself: fuel, the epoch, and, while a module is
being compiled, which neither of them stops, the waiting thread's patience.

No function that a module can call may raise: the Python side of wasmtime keeps an exception in one place for
all threads, and would hand it to another gene's run.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import wasmtime

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.channel import MEMORY_CALLS
from rotifer_console.hosts.memory import Memory
from rotifer_console.hosts.values import decode_output
from rotifer_console.hosts.wasm_abi import (
    ABORT_FUNCTION,
    ABORT_SIGNATURE,
    ALLOC_EXPORT,
    ALLOC_SIGNATURE,
    CALL_SIGNATURE,
    EXPRESS_EXPORT,
    EXPRESS_SIGNATURES,
    FAULTY,
    HOST_MODULE,
    LOG_FUNCTION,
    LOG_SIGNATURE,
    MAX_FUEL,
    MAX_LINKS,
    MAX_MEMORY_BYTES,
    MAX_OUTPUT_BYTES,
    MAX_STACK_BYTES,
    MAX_TABLE_ELEMENTS,
    MAX_TABLES,
    MEMORY_EXPORT,
    NUMBER_OF,
    PACKED_SIGNATURE,
    START_EXPORT,
    START_SIGNATURE,
    TOO_LONG,
    has_too_many_links,
    unpacked,
    unsigned,
    up_to_nul,
    why_trapped,
)
from rotifer_console.hosts.wasm_cache import ModuleCache
from rotifer_console.hosts.wasm_calls import HostCalls
from rotifer_console.hosts.wasm_epoch import EpochClock, ticks_of
from rotifer_console.hosts.wasm_voice import Voice
from rotifer_console.hosts.wasm_wasi import WASI_MODULE, WasiProgram, wasi_signature
from rotifer_store.gene_folder import GeneFolder
from rotifer_store.gene_id import v2_id

_MAGIC: Final = b"\0asm"
_LONGEST_MESSAGE: Final = 300
_STOPPED_WITHIN_S: Final = 1.0
_LONGEST_NAME: Final = 100
_CHUNK_BYTES: Final = 4096
_RESERVED_BYTES: Final = 1 << 32
_TYPE_OF: Final = {"i": "i32", "I": "i64"}
_LETTER_OF: Final = {spelt: letter for letter, spelt in _TYPE_OF.items()}

_HostFunction = Callable[..., int | None]
"""Takes the module's memory as it is during the call, None where it exports none, then the parameters."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """A function that a module may import: its type in letters, what it does, what it answers at a fault."""

    signature: tuple[str, str]
    function: _HostFunction
    at_fault: int | None


class WasmEngine:
    """Compiles modules, each content once, and runs them; for many threads at once."""

    def __init__(self, project: Path | None) -> None:
        self.engine = wasmtime.Engine(_config())
        self.epoch = EpochClock(self.engine.increment_epoch)
        self.is_stopping = False
        self._cache = None if project is None else ModuleCache(project)
        self._modules: dict[str, wasmtime.Module] = {}

    def run(self, gene: GeneFolder, content: bytes, memory: Memory, timeout_s: float) -> Any:
        """The gene's output for an input of that JSON.

        Raises:
            GeneFailed: it has none.
        """
        return _Run(self, gene, content, memory, timeout_s).outcome()

    def stop(self) -> None:
        """Ends whatever runs."""
        self.is_stopping = True
        self.epoch.pass_all()

    def module(self, gene: GeneFolder) -> wasmtime.Module:
        """The gene's module, compiled; what runs is what its v2 id was taken from (GEN-2).

        Raises:
            GeneFailed: it cannot be read, has changed, or is none that wasmtime takes.
        """
        try:
            content = gene.source.read_bytes()
        except OSError as error:
            raise GeneFailed(f"its module cannot be read ({error.strerror})") from None
        digest = hashlib.sha256(content).hexdigest()
        if v2_id(gene.phenotype, [(gene.source.name, digest)]) != gene.gene_id:
            raise GeneFailed("its module has changed since its v2 id was taken")
        if has_too_many_links(content):
            raise GeneFailed(f"its module has more than {MAX_LINKS} imports or exports")
        module = self._modules.get(digest)
        if module is None:
            module = self._modules[digest] = self._kept(digest) or self._compiled(digest, content)
        return module

    def _kept(self, digest: str) -> wasmtime.Module | None:
        kept = None if self._cache is None else self._cache.load(digest)
        if kept is None:
            return None
        try:
            return wasmtime.Module.deserialize(self.engine, kept)
        except wasmtime.WasmtimeError:  # another wasmtime's, or one with other settings
            return None

    def _compiled(self, digest: str, content: bytes) -> wasmtime.Module:
        if not content.startswith(_MAGIC):  # wasmtime would take it for WebAssembly's text
            raise GeneFailed("its module is not WebAssembly")
        try:
            module = wasmtime.Module(self.engine, content)
        except wasmtime.WasmtimeError as error:
            raise GeneFailed(f"its module is none that runs here: {_told(error)}") from None
        if self._cache is not None:
            self._cache.save(digest, bytes(module.serialize()))
        return module


class _Run:
    """One run of one gene: its thread, what it may use, and what came of it."""

    def __init__(
        self, engine: WasmEngine, gene: GeneFolder, content: bytes, memory: Memory, timeout_s: float
    ) -> None:
        self._engine = engine
        self._gene = gene
        self._content = content
        self._memory = memory
        self._timeout_s = timeout_s
        self._deadline_s = time.monotonic() + timeout_s
        self._turn = threading.Lock()  # taken once, by the run as it begins or by who no longer waits for it
        self._has_begun = threading.Event()
        self._output: Any = None
        self._error: BaseException | None = None
        self._fault: BaseException | None = None
        self._aborted_at: tuple[int, int] | None = None
        self._linear: _Linear | None = None

    def outcome(self) -> Any:
        """The output, once the thread has it or has failed."""
        thread = threading.Thread(target=self._work, name=f"rotifer-wasm-{self._gene.name}", daemon=True)
        with self._engine.epoch.running():
            thread.start()
            try:
                is_given_up = not self._has_begun.wait(self._timeout_s) and self._turn.acquire(blocking=False)
                if not is_given_up:
                    thread.join()
            except BaseException:  # somebody wants this process to end: the run goes first
                self._engine.stop()
                thread.join(_STOPPED_WITHIN_S)
                raise
        if is_given_up:
            raise self._late()
        if self._error is not None:
            raise self._error
        return self._output

    def _work(self) -> None:
        try:
            module = self._engine.module(self._gene)
            if self._turn.acquire(blocking=False):
                self._has_begun.set()
                with Voice(self._deadline_s) as voice, wasmtime.Store(self._engine.engine) as store:
                    self._output = self._run(module, store, voice)
        except BaseException as error:  # told to who waits
            self._error = error
        finally:
            self._has_begun.set()

    def _run(self, module: wasmtime.Module, store: wasmtime.Store, voice: Voice) -> Any:
        # Before anything of the module's is called: a start function may be endless too.
        store.set_limits(
            memory_size=MAX_MEMORY_BYTES,
            table_elements=MAX_TABLE_ELEMENTS,
            instances=1,
            tables=MAX_TABLES,
            memories=1,
        )
        store.set_fuel(MAX_FUEL)
        store.set_epoch_deadline(ticks_of(self._deadline_s - time.monotonic()))
        if self._engine.is_stopping:  # what stops later finds this deadline
            raise self._ended()
        calls = HostCalls(self._memory, self._deadline_s, voice.say)
        program = WasiProgram(self._content, voice.say, lambda: store.set_fuel(0))
        content = self._called(lambda: self._execute(module, store, calls, program), calls, program)
        if content is None:
            content = _written(program, calls)
        return decode_output(content)

    def _called(
        self, execute: Callable[[], bytes | None], calls: HostCalls, program: WasiProgram
    ) -> bytes | None:
        """What `execute` returns, None too where a program has exited; what else ended it is raised."""
        content, failure = None, None
        try:
            content = execute()
        except wasmtime.Trap as trap:
            failure = self._failure(trap, calls, program)
        except wasmtime.WasmtimeError as error:
            failure = GeneFailed(f"its module could not be started: {_told(error)}")
        if self._fault is not None:  # ours, and the reason of whatever came after it
            raise self._fault
        if failure is not None:
            raise failure
        return content

    def _failure(self, trap: wasmtime.Trap, calls: HostCalls, program: WasiProgram) -> GeneFailed | None:
        """Why the module was stopped; None where a program had come to its own end, which traps as well."""
        if program.status is not None or program.is_too_long:
            return None
        code = trap.trap_code
        if code is wasmtime.TrapCode.INTERRUPT:
            return self._ended() if self._engine.is_stopping else self._late()
        if self._aborted_at is not None:
            line, column = self._aborted_at
            return _given_up(f"it aborted at line {line}, column {column} of its source", calls)
        why = why_trapped(None if code is None else code.name)
        return _given_up(why, calls) if code is wasmtime.TrapCode.UNREACHABLE else GeneFailed(why)

    def _ended(self) -> GeneFailed:
        return GeneFailed("it was ended with its host")

    def _late(self) -> GeneFailed:
        return GeneFailed(f"express did not settle within {self._timeout_s:g} s and was ended")

    # What the module gets

    def _linker(
        self, module: wasmtime.Module, store: wasmtime.Store, calls: HostCalls, program: WasiProgram
    ) -> wasmtime.Linker:
        """Offers the module what it imports, and refuses one that imports anything else."""
        linker = wasmtime.Linker(self._engine.engine)
        linker.allow_shadowing = True  # a module may import a function twice
        for wanted in module.imports:
            name = f"{wanted.module}.{wanted.name}"[:_LONGEST_NAME]
            offer = self._offer(wanted.module, wanted.name or "", calls, program)
            if offer is None:
                raise GeneFailed(f"its module imports {name}, which no host here offers")
            if not isinstance(wanted.type, wasmtime.FuncType) or _letters(wanted.type) != offer.signature:
                raise GeneFailed(
                    f"its module imports {name} as something else than {_spelt(offer.signature)}"
                )
            linker.define_func(
                wanted.module, wanted.name or "", wanted.type, self._guarded(store, offer), access_caller=True
            )
        return linker

    def _offer(self, module: str, name: str, calls: HostCalls, program: WasiProgram) -> _Offer | None:
        if module == HOST_MODULE and name in MEMORY_CALLS:
            return _Offer(CALL_SIGNATURE, partial(calls.call, name), FAULTY)
        if module == HOST_MODULE and name == LOG_FUNCTION:
            return _Offer(LOG_SIGNATURE, lambda linear, _, *text: calls.log(linear, *text), None)
        if (module, name) == ABORT_FUNCTION:
            return _Offer(ABORT_SIGNATURE, self._abort, None)
        signature = wasi_signature(name) if module == WASI_MODULE else None
        if signature is None:
            return None
        return _Offer(signature, partial(program.call, name), FAULTY if signature[1] else None)

    def _guarded(self, store: wasmtime.Store, offer: _Offer) -> Callable[..., wasmtime.Val | None]:
        function, at_fault = offer.function, offer.at_fault

        def call(caller: wasmtime.Caller, *parameters: int) -> wasmtime.Val | None:
            try:
                # asked of the caller, because the instance itself is not there before its start has ended
                linear = self._linear or self._linear_of(store, caller.get(MEMORY_EXPORT))
                answer = function(linear, *parameters)
            except BaseException as error:  # see the head of this file
                if self._fault is None:
                    self._fault = error
                answer = at_fault
            return None if answer is None else _answer(answer)

        return call

    def _linear_of(self, store: wasmtime.Store, memory: object) -> _Linear | None:
        """The memory that a module exports under that name, if it is one; the same all through the run."""
        if self._linear is None and isinstance(memory, wasmtime.Memory):
            self._linear = _Linear(store, memory)
        return self._linear

    def _abort(self, _: object, __: int, ___: int, line: int, column: int) -> None:
        """AssemblyScript's way to give up; what it calls next is `unreachable`."""
        self._aborted_at = unsigned(line), unsigned(column)

    # What becomes of it

    def _execute(
        self, module: wasmtime.Module, store: wasmtime.Store, calls: HostCalls, program: WasiProgram
    ) -> bytes | None:
        """What `express` gave; None from a program, whose output is what it wrote."""
        linker = self._linker(module, store, calls, program)
        exports = linker.instantiate(store, module).exports(store)
        start = exports.get(START_EXPORT)
        if start is None:
            return self._express(store, exports, calls)
        if not isinstance(start, wasmtime.Func) or _letters(start.type(store)) != START_SIGNATURE:
            raise GeneFailed(f"its {START_EXPORT} is not {_spelt(START_SIGNATURE)}")
        start(store)
        return None

    def _express(self, store: wasmtime.Store, exports: Mapping[str, object], calls: HostCalls) -> bytes:
        linear = self._linear_of(store, exports.get(MEMORY_EXPORT))
        if linear is None:
            raise GeneFailed(f"its module exports no {MEMORY_EXPORT}")
        express = exports.get(EXPRESS_EXPORT)
        if not isinstance(express, wasmtime.Func):
            raise GeneFailed(f"its module exports no function {EXPRESS_EXPORT}")
        signature = _letters(express.type(store))
        if signature not in EXPRESS_SIGNATURES:
            spelt = " nor ".join(map(_spelt, EXPRESS_SIGNATURES))
            raise GeneFailed(f"its {EXPRESS_EXPORT} is neither {spelt}")
        pointer, length = self._place(store, exports.get(ALLOC_EXPORT)), len(self._content)
        if not linear.holds(pointer, length):
            raise GeneFailed(f"its memory has no room for an input of {length} bytes at {pointer}")
        linear.write(pointer, self._content)
        result = express(store, pointer, length)
        return (
            _packed(linear, result) if signature == PACKED_SIGNATURE else _terminated(linear, result, calls)
        )

    def _place(self, store: wasmtime.Store, alloc: object) -> int:
        """Where the module wants its input."""
        if alloc is None:
            return 0
        if not isinstance(alloc, wasmtime.Func) or _letters(alloc.type(store)) != ALLOC_SIGNATURE:
            raise GeneFailed(f"its {ALLOC_EXPORT} is not {_spelt(ALLOC_SIGNATURE)}")
        return unsigned(alloc(store, len(self._content)))


class _Linear:
    """A module's memory during a run. It stays where it is, and can only grow (`_config`)."""

    __slots__ = ("_base", "_memory", "_size_bytes", "_store")

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory) -> None:
        self._store = store
        self._memory = memory
        self._base = 0
        self._size_bytes = 0

    def holds(self, pointer: int, length: int) -> bool:
        """Whether the range lies in the memory as it is now; asks for its size only where it must."""
        end = pointer + length
        return end <= self._size_bytes or end <= self.size_bytes()

    def size_bytes(self) -> int:
        """The size that the memory has now."""
        self._size_bytes = self._memory.data_len(self._store)
        return self._size_bytes

    def read(self, pointer: int, length: int) -> bytes:
        """A copy of the range."""
        return ctypes.string_at(self._address(pointer, length), length) if length else b""

    def write(self, pointer: int, content: bytes) -> None:
        """Puts the content there. wasmtime's own way copies it twice more."""
        if content:
            ctypes.memmove(self._address(pointer, len(content)), content, len(content))

    def _address(self, pointer: int, length: int) -> int:
        # whoever calls has asked; past this line a mistake would be anybody's memory
        if not 0 <= pointer <= self._size_bytes - length:
            raise IndexError("a range outside the module's memory")
        if not self._base:
            self._base = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        return self._base + pointer


class _Answer(wasmtime.Val):
    """An i32 that does not make its type anew each time it is asked for it."""

    _TYPE: Final = wasmtime.ValType.i32()

    @property
    def type(self) -> wasmtime.ValType:
        """See `wasmtime.Val`."""
        return self._TYPE


def _answer(number: int) -> wasmtime.Val:
    # On a plain int wasmtime tries one type after another, which costs as much as a third of a whole call.
    answer = wasmtime.Val.i32(number)
    answer.__class__ = _Answer
    return answer


def _terminated(linear: _Linear, result: int, calls: HostCalls) -> bytes:
    if result < 0:
        refusal = calls.last_refusal
        if refusal is not None and NUMBER_OF[refusal.code] == result:
            raise GeneFailed(f"express returned {result}: {refusal.code}: {refusal}") from refusal
        raise GeneFailed(f"express returned {result}")
    end = linear.size_bytes()
    length = _CHUNK_BYTES
    while True:
        length = max(0, min(length, end - result, MAX_OUTPUT_BYTES + 1))
        found = up_to_nul(linear.read(result, length))
        if found is not None:
            return found
        if length > MAX_OUTPUT_BYTES:
            raise GeneFailed(TOO_LONG)
        if result + length >= end:
            raise GeneFailed("its output has no NUL at its end, or lies outside its memory")
        length *= 16


def _packed(linear: _Linear, result: int) -> bytes:
    pointer, length = unpacked(result)
    if not linear.holds(pointer, length):
        raise GeneFailed("its output lies outside its memory")
    if length > MAX_OUTPUT_BYTES:
        raise GeneFailed(TOO_LONG)
    return linear.read(pointer, length)


def _given_up(how: str, calls: HostCalls) -> GeneFailed:
    """The failure of a gene that ended itself.

    Right after a refused call that is how a module lets the refusal through, as others do by an exception.
    """
    refusal = calls.last_refusal
    if refusal is None:
        return GeneFailed(how)
    failure = GeneFailed(f"{how}, after {refusal.code}: {refusal}")
    failure.__cause__ = refusal
    return failure


def _written(program: WasiProgram, calls: HostCalls) -> bytes:
    if program.is_too_long:
        raise GeneFailed(TOO_LONG)
    if program.status:
        raise _given_up(f"its program exited with status {program.status}", calls)
    return bytes(program.stdout)


def _config() -> wasmtime.Config:
    config = wasmtime.Config()
    config.consume_fuel = True
    config.epoch_interruption = True
    config.max_wasm_stack = MAX_STACK_BYTES
    config.wasm_memory64 = False
    config.wasm_multi_memory = False
    config.wasm_custom_page_sizes = False
    # So a memory's place need be asked for once: what it may grow to is reserved from the start.
    config.memory_may_move = False
    config.memory_reservation = _RESERVED_BYTES
    # What shares memory or has a heap of its own is not held by the limits of a store, and can wait for ever.
    config.wasm_threads = False
    config.shared_memory = False
    config.gc_support = False
    config.wasm_stack_switching = False
    config.wasm_component_model = False
    # In the thread that asks: a fork of this process would have no other.
    config.parallel_compilation = False
    return config


def _letters(kind: wasmtime.FuncType) -> tuple[str, str]:
    parameters, results = (
        "".join(_LETTER_OF.get(str(each), "?") for each in types) for types in (kind.params, kind.results)
    )
    return parameters, results


def _spelt(signature: tuple[str, str]) -> str:
    parameters, results = (", ".join(_TYPE_OF[letter] for letter in letters) for letters in signature)
    return f"({parameters}) -> ({results})"


def _told(error: wasmtime.WasmtimeError) -> str:
    return " ".join(str(error).split())[:_LONGEST_MESSAGE]
