"""Modules that mean harm: the host lives, time holds, and the store is whole (HST-7, HST-8).

The teardown of `stage` verifies the store after each test, that of `wasm` that no thread is left.
"""

from __future__ import annotations

import re
import time
from typing import Any, NamedTuple

import pytest

from hosts.wasm.wat import (
    CALLS,
    DELETE,
    EXPRESS,
    IMPORTS,
    MEMORY,
    OUT,
    QUERY,
    READ,
    REQUEST,
    ROOM,
    WRITE,
    Call,
    calling,
    data,
    module,
    returning,
)
from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.wasm_abi import MAX_REQUEST_BYTES

TIMEOUT_S = 0.5
SPARE_S = 2.0
PAGES = 4096
LATE = f"^express did not settle within {TIMEOUT_S:g} s and was ended$"
ENDLESS = "(loop $l (br $l))"


class Attack(NamedTuple):
    """A module, what the run's error then says, and whether the deadline is what ended it."""

    code: str | bytes
    says: str
    is_late: bool = False


def express(body: str, before: str = "", *, memory: str = MEMORY) -> str:
    return module(f"{before}{EXPRESS} {body})", memory=memory)


def packed(pointer: int, length: int) -> str:
    number = pointer << 32 | length
    return module(f'(func (export "express") (param i32 i32) (result i64) (i64.const {number}))')


def locals_of(count: int) -> str:
    return " ".join(["i64"] * count)


ENDLESS_CALLS = {
    "that read nothing": Call(READ, REQUEST, 11),
    "that query": Call(QUERY, 0, 0),
    "with hostile pointers": Call(WRITE, -1, -1),
    "of an entry too large for out": Call(WRITE, REQUEST + 100, 41, OUT, 0),
}
ATTACKS = {
    # never coming to an end
    "an endless loop": Attack(express(f"{ENDLESS} (i32.const 0)"), LATE, True),
    "an endless start function": Attack(
        express("(i32.const 0)", f"(func $begin {ENDLESS}) (start $begin)"), LATE, True
    ),
    "an endless alloc": Attack(
        express("(i32.const 0)", f'(func (export "alloc") (param i32) (result i32) {ENDLESS} (i32.const 0))'),
        LATE,
        True,
    ),
    "an endless loop of growing by nothing": Attack(
        express("(loop $l (drop (memory.grow (i32.const 0))) (br $l)) (i32.const 0)"), LATE, True
    ),
    "an endless loop of filling all of the memory": Attack(
        express(
            "(drop (memory.grow (i32.const 4000))) (loop $l "
            "(memory.fill (i32.const 0) (i32.const 7) (i32.const 262000000)) (br $l)) (i32.const 0)"
        ),
        LATE,
        True,
    ),
    "endless recursion in a loop that never returns": Attack(
        express(
            "(loop $l (call $f (i32.const 1000)) (br $l)) (i32.const 0)",
            "(func $f (param i32) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1))))))",
        ),
        LATE,
        True,
    ),
    **{
        f"endless calls {what}": Attack(
            module(
                data(REQUEST, b'{"key":"k"}')
                + data(REQUEST + 100, b'{"key":"k","value":"","category":"CACHE"}')
                + f"{EXPRESS} (loop $l (drop {call.code}) (br $l)) (i32.const 0))"
            ),
            LATE,
            True,
        )
        for what, call in ENDLESS_CALLS.items()
    },
    "endless logs": Attack(
        f'(module (import "rotifer" "log" (func $log (param i32 i32 i32))) {MEMORY} {EXPRESS} '
        "(loop $l (call $log (i32.const 0) (i32.const 0) (i32.const 65536)) (br $l)) (i32.const 0)))",
        LATE,
        True,
    ),
    # more than there is
    "a stack that overflows": Attack(
        express("(call $f)", "(func $f (result i32) (call $f))"), "^its stack grew over 524288 bytes$"
    ),
    "a start function whose stack overflows": Attack(
        express("(i32.const 0)", "(func $f (call $f)) (start $f)"), "^its stack grew over 524288 bytes$"
    ),
    "a function with 50 000 locals that calls itself": Attack(
        express("(call $f) (i32.const 0)", f"(func $f (local {locals_of(49_999)}) (call $f))"),
        "^its stack grew over 524288 bytes$",
    ),
    "a memory larger than its limit": Attack(
        express("(i32.const 0)", memory=f'(memory (export "memory") {PAGES + 1})'),
        "^its module could not be started: memory minimum size of 4097 pages exceeds memory limits$",
    ),
    "a memory of 4 GiB": Attack(
        express("(i32.const 0)", memory='(memory (export "memory") 65536)'), "exceeds memory limits$"
    ),
    "a table of 4 000 000 000": Attack(
        express("(i32.const 0)", "(table 4000000000 funcref)"), "exceeds table limits$"
    ),
    "a table one larger than its limit": Attack(
        express("(i32.const 0)", "(table 10001 funcref)"), "exceeds table limits$"
    ),
    "five tables": Attack(express("(i32.const 0)", "(table 1 funcref)" * 5), "table count too high"),
    "a table that grows without end": Attack(
        express(
            "(loop $l (drop (table.grow (ref.null func) (i32.const 100000))) (br $l)) (i32.const 0)",
            "(table $t 1 funcref)",
        ),
        LATE,
        True,
    ),
    "a data segment outside the memory": Attack(
        express("(i32.const 0)", data(65_530, b"ten bytes!")), "^it trapped: it reached outside its memory$"
    ),
    "an element outside its table": Attack(
        express("(i32.const 0)", "(table 1 funcref) (func $f) (elem (i32.const 1) $f)"),
        "^it trapped: it reached outside a table$",
    ),
    # what no module here may be
    "no module": Attack(b"hello", "^its module is not WebAssembly$"),
    "nothing": Attack(b"", "^its module is not WebAssembly$"),
    "WebAssembly's text": Attack(express("(i32.const 0)").encode(), "^its module is not WebAssembly$"),
    "a module cut short": Attack(b"\0asm\1\0\0\0\1\xff", "^its module is none that runs here: "),
    "a component": Attack(b"\0asm\x0d\0\1\0", "^its module is none that runs here: "),
    "64-bit memory": Attack(
        express("(i32.const 0)", memory='(memory (export "memory") i64 1)'), "memory64 must be enabled"
    ),
    "two memories": Attack(express("(i32.const 0)", "(memory $second 1)"), "multiple memories"),
    "shared memory": Attack(
        express("(i32.const 0)", memory='(memory (export "memory") 1 2 shared)'), "threads must be enabled"
    ),
    "an atomic wait": Attack(
        express(
            "(memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))",
        ),
        "threads support is not enabled",
    ),
    "a structure of a collected heap": Attack(
        express("(i32.const 0)", "(type (struct (field i32)))"), "^its module is none that runs here: "
    ),
    # imports and exports that are not there, or not so
    "an import that nobody offers": Attack(
        module("", memory='(import "rotifer" "remember" (func))').replace(IMPORTS, ""),
        r"^its module imports rotifer\.remember, which no host here offers$",
    ),
    "an import of another module": Attack(
        f'(module (import "env" "readMemory" (func)) {MEMORY})',
        r"^its module imports env\.readMemory, which no host here offers$",
    ),
    "a memory call with another signature": Attack(
        f'(module (import "rotifer" "readMemory" (func (param i32 i32 i32 i64) (result i32))) {MEMORY})',
        r"^its module imports rotifer\.readMemory as something else than "
        r"\(i32, i32, i32, i32\) -> \(i32\)$",
    ),
    "a memory call as a global": Attack(
        f'(module (import "rotifer" "readMemory" (global i32)) {MEMORY})',
        r"^its module imports rotifer\.readMemory as something else than ",
    ),
    "an import of a memory": Attack(
        '(module (import "env" "memory" (memory 1)))', r"^its module imports env\.memory, which no host here"
    ),
    "imports without end": Attack(
        '(module (import "rotifer" "log" (func (param i32 i32 i32)))'.ljust(60)
        + '(import "rotifer" "log" (func (param i32 i32 i32)))' * 100_000
        + f"{MEMORY} {EXPRESS} (i32.const 0)))",
        "^its module has more than 1000 imports or exports$",
    ),
    "exports without end": Attack(
        express(
            "(i32.const 0)",
            "(func $f)" + "".join(f'(export "{number}" (func $f))' for number in range(100_000)),
        ),
        "^its module has more than 1000 imports or exports$",
    ),
    "an import with a very long name": Attack(
        f'(module (import "{"m" * 5000}" "f" (func)))',
        "^its module imports m{100}, which no host here offers$",
    ),
    "no memory": Attack(express("(i32.const 0)", memory="(memory 1)"), "^its module exports no memory$"),
    "a memory that is a function": Attack(
        express("(i32.const 0)", memory='(func (export "memory"))'), "^its module exports no memory$"
    ),
    "no express": Attack(module(""), "^its module exports no function express$"),
    "an express that is a global": Attack(
        module('(global (export "express") i32 (i32.const 0))'), "^its module exports no function express$"
    ),
    "an express of another type": Attack(
        module('(func (export "express") (param i32) (result i32) (i32.const 0))'),
        r"^its express is neither \(i32, i32\) -> \(i32\) nor \(i32, i32\) -> \(i64\)$",
    ),
    "an express with two results": Attack(
        module('(func (export "express") (param i32 i32) (result i32 i32) (i32.const 0) (i32.const 0))'),
        "^its express is neither ",
    ),
    "an alloc of another type": Attack(
        express("(i32.const 0)", '(func (export "alloc") (param i64) (result i32) (i32.const 0))'),
        r"^its alloc is not \(i32\) -> \(i32\)$",
    ),
    "an alloc that is a memory": Attack(
        module(f"{EXPRESS} (i32.const 0))", memory='(memory (export "memory") (export "alloc") 1)'),
        "^its alloc is not ",
    ),
    "an alloc outside the memory": Attack(
        express("(i32.const 0)", '(func (export "alloc") (param i32) (result i32) (i32.const -1))'),
        "^its memory has no room for an input of 4 bytes at 4294967295$",
    ),
    "an alloc at the very end": Attack(
        express("(i32.const 0)", '(func (export "alloc") (param i32) (result i32) (i32.const 65533))'),
        "^its memory has no room for an input of 4 bytes at 65533$",
    ),
    "a memory of no pages": Attack(
        express("(i32.const 0)", memory='(memory (export "memory") 0)'),
        "^its memory has no room for an input",
    ),
    # outputs
    "a result outside the memory": Attack(
        express("(i32.const 0x7fffffff)"), "^its output has no NUL at its end, or lies outside its memory$"
    ),
    "a result at the end": Attack(express("(i32.const 65536)"), "^its output has no NUL"),
    "no NUL": Attack(
        express("(memory.fill (i32.const 9) (i32.const 49) (i32.const 65527)) (i32.const 9)"),
        "^its output has no NUL",
    ),
    "a packed result outside the memory": Attack(
        packed(65_000, 1000), "^its output lies outside its memory$"
    ),
    "a packed result of a negative length": Attack(
        packed(0, 0xFFFFFFFF), "^its output lies outside its memory$"
    ),
    "a packed result at a negative pointer": Attack(
        packed(0xFFFFFFFF, 16), "^its output lies outside its memory$"
    ),
    "a packed result of nothing": Attack(packed(0, 0), "^its output is not JSON$"),
    "an output of 17 MiB": Attack(
        module(
            '(func (export "express") (param i32 i32) (result i64) (i64.const 17825792))',
            memory='(memory (export "memory") 300)',
        ),
        "^its output is larger than 16777216 bytes$",
    ),
    "an output of 17 MiB before a NUL": Attack(
        express(
            "(memory.fill (i32.const 0) (i32.const 49) (i32.const 17825792)) (i32.const 0)",
            memory='(memory (export "memory") 300)',
        ),
        "^its output is larger than 16777216 bytes$",
    ),
    "an output that is not JSON": Attack(returning("hello"), "^its output is not JSON$"),
    "an output of NaN": Attack(returning("NaN"), "^its output is not JSON$"),
    "an output that is no UTF-8": Attack(
        module(data(2048, b'"\xff"\0') + f"{EXPRESS} (i32.const 2048))"), "^its output is not JSON$"
    ),
    "an output of 200 000 brackets": Attack(
        express(
            "(memory.fill (i32.const 0) (i32.const 91) (i32.const 200000)) (i32.const 0)",
            memory='(memory (export "memory") 4)',
        ),
        "^its output nests deeper than 500 levels$",
    ),
    "an output that nests one level too deep": Attack(
        returning("[" * 501 + "]" * 501), "^its output nests deeper than 500 levels$"
    ),
    "an output of brackets alone": Attack(
        express(
            "(memory.fill (i32.const 0) (i32.const 91) (i32.const 1000001)) (i32.const 0)",
            memory='(memory (export "memory") 16)',
        ),
        "^its output has more than 1000000 lists and objects$",
    ),
    "an output that no double holds": Attack(returning("1e999"), "^its output is not JSON$"),
    "an output of nothing": Attack(returning(""), "^its output is not JSON$"),
    # traps
    "what must not be reached": Attack(express("unreachable"), "^it trapped: it reached what its compiler"),
    "a division by zero": Attack(
        express(
            "(i32.div_u (i32.const 1) (local.get $length)) (drop) (i32.div_u (i32.const 1) (i32.const 0))"
        ),
        "^it trapped: it divided by zero$",
    ),
    "a store outside the memory": Attack(
        express("(i32.store (i32.const -4) (i32.const 1)) (i32.const 0)"),
        "^it trapped: it reached outside its memory$",
    ),
    "a call of nothing": Attack(
        express("(call_indirect (result i32) (i32.const 0))", "(table 1 funcref)"),
        "^it trapped: it called what is not there$",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_hostile_module_harms_nothing_and_ends_in_time(
    wasm: Any, attack: Attack, capfd: pytest.CaptureFixture[str]
) -> None:
    """HST-4, HST-6, HST-8: its failure is one sentence, and the host runs the next gene."""
    gene = wasm.gene(attack.code)
    began_s = time.monotonic()
    with pytest.raises(GeneFailed, match=attack.says) as failed:
        wasm.host.run(gene, None, wasm.memory(gene), TIMEOUT_S)
    took_s = time.monotonic() - began_s
    assert took_s < TIMEOUT_S + SPARE_S
    assert took_s >= TIMEOUT_S or not attack.is_late
    assert "\n" not in str(failed.value)
    assert len(str(failed.value)) < 500
    assert wasm.run(returning("1")) == 1
    assert capfd.readouterr().out == ""


HEAVY = {
    "of lists": b"[],",
    "of objects": b"{},",
    "of objects with members": b'{"a":1},',
    "of numbers": b"1.5,",
    "of members": b'"a":1,',
    "of one string": rb"\u0041",
    "of quotes": b'"',
}


@pytest.mark.parametrize("piece", HEAVY.values(), ids=HEAVY)
def test_the_largest_request_holds_the_deadline_too(wasm: Any, piece: bytes) -> None:
    """HST-4: what a call does with a request cannot be interrupted, so it must not last."""
    start = b'{"key":"' if piece.startswith(b"\\") else b'{"key":['
    first = REQUEST + len(start)
    size = MAX_REQUEST_BYTES - len(start)
    doubled = [len(piece) << times for times in range(30) if len(piece) << times < size]
    copies = (
        f"(memory.copy (i32.const {first + had}) (i32.const {first}) (i32.const {min(had, size - had)}))"
        for had in doubled
    )
    code = module(
        data(REQUEST, start + piece)
        + f"""{EXPRESS} {" ".join(copies)}
        (loop $l (drop {Call(READ, REQUEST, MAX_REQUEST_BYTES, 20_000_000, ROOM).code}) (br $l))
        (i32.const 0))""",
        memory='(memory (export "memory") 400)',
    )
    gene = wasm.gene(code)
    began_s = time.monotonic()
    with pytest.raises(GeneFailed, match=LATE):
        wasm.host.run(gene, None, wasm.memory(gene), TIMEOUT_S)
    assert time.monotonic() - began_s < TIMEOUT_S + SPARE_S


def test_a_module_that_is_long_to_compile_is_given_up(wasm: Any) -> None:
    """HST-4: compiling cannot be interrupted, but nobody waits for it longer than for a gene."""
    steps = "(local.set 0 (i32.mul (i32.add (local.get 0) (local.get 1)) (i32.popcnt (local.get 0))))" * 400
    functions = f"(func (param i32 i32) (result i32) {steps} (local.get 0))" * 400
    gene = wasm.gene(express("(i32.const 0)", functions))
    began_s = time.monotonic()
    with pytest.raises(GeneFailed, match=r"^express did not settle within 0\.05 s and was ended$"):
        wasm.host.run(gene, None, wasm.memory(gene), 0.05)
    assert time.monotonic() - began_s < SPARE_S


def test_memory_grows_to_its_limit_and_no_further(wasm: Any) -> None:
    """HST-8: the gene is told -1 and goes on."""
    grown = "".join(f"(call $number (memory.grow (i32.const {pages})))" for pages in (PAGES, PAGES - 1, 1, 0))
    code = calling([]).replace("(call $list)", f"{grown} (call $list)")
    assert wasm.run(code) == [-1, 1, -1, PAGES]


def test_a_table_grows_to_its_limit_and_no_further(wasm: Any) -> None:
    """HST-8."""
    grown = "".join(
        f"(call $number (table.grow $t (ref.null func) (i32.const {more})))" for more in (10_000, 9999, 1)
    )
    code = calling([], also="(table $t 1 funcref)").replace("(call $list)", f"{grown} (call $list)")
    assert wasm.run(code) == [-1, 1, -1]


def test_fuel_ends_what_the_deadline_would_let_go_on(wasm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """HST-8: with less of it, for the full fuel lasts most of a minute."""
    monkeypatch.setattr("rotifer_console.hosts.wasm_engine.MAX_FUEL", 1_000_000)
    with pytest.raises(GeneFailed, match=r"^it computed too long: its fuel of 50000000000 was used up$"):
        wasm.run(express(f"{ENDLESS} (i32.const 0)"))


HOSTILE = {
    "a negative pointer": (-1, 10, OUT, ROOM),
    "a negative length": (16, -1, OUT, ROOM),
    "a start at the end": (65_536, 1, OUT, ROOM),
    "an end one byte behind the memory": (65_527, 10, OUT, ROOM),
    "two halves that make a whole": (0x7FFFFFFF, 0x7FFFFFFF, OUT, ROOM),
    "out at a negative pointer": (0, 2, -16, 16),
    "out with a negative room": (0, 2, OUT, -1),
    "out behind the end": (0, 2, 65_537, 0),
}


@pytest.mark.parametrize("numbers", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pointers_are_invalid_input_to_all_four_calls(wasm: Any, numbers: tuple[int, ...]) -> None:
    """HST-7: as wasmtime hands them over."""
    code = calling([Call(name, *numbers) for name in CALLS])
    assert wasm.run(code) == [-10] * 4
    assert wasm.lines() == []


def test_a_call_past_the_memorys_old_end_is_served_where_it_has_grown(wasm: Any) -> None:
    """HST-7: the bounds are those of the moment."""
    far = [Call(QUERY, 0, 0, 100_000, 100)]
    grow = "(drop (memory.grow (i32.const 1)))"
    made = f"(call $number {far[0].code}) {grow} (call $number {far[0].code}) (call $list)"
    assert wasm.run(calling([]).replace("(call $list)", made)) == [-10, 2]


def test_a_start_function_of_a_module_without_memory_calls_in_vain(wasm: Any) -> None:
    """HST-7."""
    request = b'{"key":"k","value":"","category":"CACHE"}'
    begin = f"(func $begin (drop {Call(WRITE, REQUEST, len(request)).code})) (start $begin)"
    code = module(data(REQUEST, request) + begin + f"{EXPRESS} (i32.const 0))", memory="(memory 1)")
    with pytest.raises(GeneFailed, match=r"^its module exports no memory$"):
        wasm.run(code)
    assert wasm.lines() == []


def test_past_its_call_budget_a_gene_is_told_minus_four(wasm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """HST-8: with a smaller one, for `test_calls` counts the whole."""
    monkeypatch.setattr("rotifer_console.hosts.wasm_calls.MAX_HOST_CALLS", 1000)
    spend = f"""(local $left i32) (local.set $left (i32.const 1000))
      (loop $l
        (drop {Call(DELETE, -1, -1).code})
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $l (local.get $left)))"""
    code = calling([Call(QUERY, 0, 0), Call(READ, -1, -1)]).replace(EXPRESS, f"{EXPRESS} {spend}")
    assert wasm.run(code) == [-4, -4]


def test_a_module_that_changed_since_its_id_was_taken_does_not_run(wasm: Any) -> None:
    """GEN-2: nothing acts under another code's id."""
    gene = wasm.gene(returning("1"))
    wasm.gene(returning("2"))
    with pytest.raises(GeneFailed, match=r"^its module has changed since its v2 id was taken$"):
        wasm.host.run(gene, None, wasm.memory(gene), 20.0)
    gene.source.unlink()
    with pytest.raises(GeneFailed, match=r"^its module cannot be read \("):
        wasm.host.run(gene, None, wasm.memory(gene), 20.0)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1, 2}, b"bytes"], ids=["nan", "infinity", "set", "bytes"]
)
def test_an_input_that_is_not_json_is_refused_here(wasm: Any, value: Any) -> None:
    """HST-6."""
    with pytest.raises(GeneFailed, match=r"^its input is not JSON$"):
        wasm.run(returning("1"), value)


def test_an_input_that_is_too_large_is_refused_here(wasm: Any) -> None:
    """HST-3's limit."""
    with pytest.raises(GeneFailed, match=r"^its input is larger than 16777216 bytes$"):
        wasm.run(returning("1"), "x" * (16 * 1024 * 1024))


def test_a_fault_on_this_side_is_told_as_itself(wasm: Any) -> None:
    """HST-8: no host function raises into wasmtime; the run does, with what went wrong."""

    class Broken:
        def call_json(self, *_: object) -> bytes:
            raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError, match=re.escape("ours")):
        wasm.run(calling([Call(QUERY, 0, 0)]), memory=Broken())
    assert wasm.run(calling([Call(QUERY, 0, 0)])) == [2]
