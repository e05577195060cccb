"""WASI programs: input on stdin, output on stdout, and nothing else of the system (HST-6)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hosts.wasm.wat import IMPORTS, MEMORY, QUERY, Call, data
from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.wasm_wasi import _SIGNATURES

TYPES = {"i": "i32", "I": "i64"}
BAD_DESCRIPTOR, BAD_ADDRESS, INVALID, NOT_THERE, NO_SEEKING = 8, 21, 28, 52, 70
AT, BUFFERS, COUNT, TEXT = 4096, 64, 96, 1024
"""Where a program has its input, its list of buffers, the number that a call answers, and a text."""


def imported(name: str) -> str:
    parameters = "".join(f" (param {TYPES[letter]})" for letter in _SIGNATURES[name])
    result = "" if name == "proc_exit" else " (result i32)"
    return f'(import "wasi_snapshot_preview1" "{name}" (func ${name}{parameters}{result}))'


def program(body: str, before: str = "", *, memory: str = MEMORY, also: tuple[str, ...] = ()) -> str:
    names = dict.fromkeys(("fd_read", "fd_write", "proc_exit", *also))
    imports = " ".join(map(imported, names))
    start = f'(func (export "_start") (local $n i32) {body})'
    return f"(module {IMPORTS} {imports} {memory} {before} {HELP} {start})"


HELP = f"""
  (func $write (param $to i32) (param $at i32) (param $length i32)
    (i32.store (i32.const {BUFFERS}) (local.get $at))
    (i32.store (i32.const {BUFFERS + 4}) (local.get $length))
    (drop (call $fd_write (local.get $to) (i32.const {BUFFERS}) (i32.const 1) (i32.const {COUNT}))))
  (func $read (param $at i32) (param $length i32) (result i32)
    (i32.store (i32.const {BUFFERS}) (local.get $at))
    (i32.store (i32.const {BUFFERS + 4}) (local.get $length))
    (drop (call $fd_read (i32.const 0) (i32.const {BUFFERS}) (i32.const 1) (i32.const {COUNT})))
    (i32.load (i32.const {COUNT})))
  (func $tell (param $number i32) ;; in two digits
    (i32.store8 (i32.const {TEXT})
      (i32.add (i32.const 48) (i32.div_u (local.get $number) (i32.const 10))))
    (i32.store8 (i32.const {TEXT + 1})
      (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
    (call $write (i32.const 1) (i32.const {TEXT}) (i32.const 2)))
"""
ECHO = f"""(loop $more
  (local.set $n (call $read (i32.const {AT}) (i32.const 1000)))
  (call $write (i32.const 1) (i32.const {AT}) (local.get $n))
  (br_if $more (local.get $n)))"""


@pytest.mark.parametrize("value", [None, {"a": [1, "é"]}, "x" * 30_000], ids=["null", "object", "long text"])
@pytest.mark.parametrize(
    "end", ["", "(call $proc_exit (i32.const 0))", "(call $proc_exit (i32.const 0)) unreachable"]
)
def test_a_program_reads_its_input_and_writes_its_output(wasm: Any, value: Any, end: str) -> None:
    """HST-6: whichever way it ends."""
    assert wasm.run(program(ECHO + end), value) == value


def test_a_module_with_a_start_is_a_program_whatever_else_it_exports(wasm: Any) -> None:
    """HST-6."""
    also = '(func (export "express") (param i32 i32) (result i32) (i32.const -5))'
    assert wasm.run(program(ECHO, also), 7) == 7


def test_nothing_after_the_exit_is_done(wasm: Any) -> None:
    """HST-6: a program that goes on is stopped."""
    goes_on = "(loop $l (call $write (i32.const 2) (i32.const 0) (i32.const 0)) (br $l))"
    began_s = time.monotonic()
    assert wasm.run(program(f"{ECHO} (call $proc_exit (i32.const 0)) {goes_on}"), 7, timeout_s=60.0) == 7
    assert time.monotonic() - began_s < 30


def test_a_program_may_call_the_memory(wasm: Any) -> None:
    """HST-5: the four functions are there for it too."""
    query = f"(local.set $n {Call(QUERY, 0, 0, 8192, 100).code})"
    told = "(call $write (i32.const 1) (i32.const 8192) (local.get $n))"
    assert wasm.run(program(query + told)) == []


def test_what_goes_to_stderr_is_shown_and_is_no_output(wasm: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """HST-4: and a write says how much of it was."""
    line = b"a line of seventy\n"
    body = f"""(call $write (i32.const 2) (i32.const {AT}) (i32.const {len(line)}))
      (call $tell (i32.load (i32.const {COUNT})))"""
    assert wasm.run(program(body, data(AT, line))) == len(line)
    assert capfd.readouterr() == ("", line.decode())


def test_a_write_to_stderr_may_be_of_a_part(wasm: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """HST-4: a program writes the rest again, and each part is a call."""
    body = f"""(memory.fill (i32.const {AT}) (i32.const 120) (i32.const 60000))
      (call $write (i32.const 2) (i32.const {AT}) (i32.const 60000))
      (call $tell (i32.div_u (i32.load (i32.const {COUNT})) (i32.const 100)))"""
    assert wasm.run(program(body)) == 4096 // 100
    assert capfd.readouterr().err == "x" * 4096


@pytest.mark.parametrize(("status", "told"), [(1, 1), (-1, 4294967295), (70, 70)])
def test_a_status_that_is_not_0_is_a_failure(wasm: Any, status: int, told: int) -> None:
    """HST-6: whatever was written before."""
    with pytest.raises(GeneFailed, match=rf"^its program exited with status {told}$"):
        wasm.run(program(f"{ECHO} (call $proc_exit (i32.const {status}))"), 7)


FAILURES = {
    "no output": ("", "^its output is not JSON$"),
    "an output that is not JSON": ("(call $tell (i32.const 100))", "^its output is not JSON$"),
    "a trap": ("unreachable", "^it trapped: it reached what its compiler"),
    "a start that takes something": (None, r"^its _start is not \(\) -> \(\)$"),
    "17 MiB of output": (
        f"(loop $l (call $write (i32.const 1) (i32.const {AT}) (i32.const 60000)) (br $l))",
        "^its output is larger than 16777216 bytes$",
    ),
}


@pytest.mark.parametrize(("body", "says"), FAILURES.values(), ids=FAILURES)
def test_a_program_that_comes_to_no_output_fails(wasm: Any, body: str | None, says: str) -> None:
    """HST-6."""
    code = f'(module {MEMORY} (func (export "_start") (param i32)))' if body is None else program(body)
    with pytest.raises(GeneFailed, match=says):
        wasm.run(code, 7)


NUMBERS = {
    "a folder": (
        "path_open",
        "(i32.const 3)" + "(i32.const 0)" * 4 + "(i64.const 0)" * 2 + "(i32.const 0)" * 2,
        8,
    ),
    "a folder that was given": ("fd_prestat_get", "(i32.const 3)(i32.const 0)", BAD_DESCRIPTOR),
    "a socket": ("sock_accept", "(i32.const 4)(i32.const 0)(i32.const 0)", BAD_DESCRIPTOR),
    "a sleep": ("poll_oneoff", "(i32.const 0)(i32.const 0)(i32.const 1)(i32.const 0)", NOT_THERE),
    "a signal": ("proc_raise", "(i32.const 9)", NOT_THERE),
    "a seek in its output": ("fd_seek", "(i32.const 1)(i64.const 0)(i32.const 0)(i32.const 0)", NO_SEEKING),
    "a seek elsewhere": ("fd_seek", "(i32.const 9)(i64.const 0)(i32.const 0)(i32.const 0)", BAD_DESCRIPTOR),
    "closing its output": ("fd_close", "(i32.const 1)", 0),
    "closing another": ("fd_close", "(i32.const 9)", BAD_DESCRIPTOR),
    "the state of its output": ("fd_fdstat_get", "(i32.const 1)(i32.const 200)", 0),
    "the state of another": ("fd_fdstat_get", "(i32.const 3)(i32.const 200)", BAD_DESCRIPTOR),
    "a state far away": ("fd_fdstat_get", "(i32.const 1)(i32.const -8)", BAD_ADDRESS),
    "its arguments": ("args_sizes_get", "(i32.const 200)(i32.const 204)", 0),
    "its variables": ("environ_sizes_get", "(i32.const 200)(i32.const 204)", 0),
    "variables far away": ("environ_sizes_get", "(i32.const -1)(i32.const 204)", BAD_ADDRESS),
    "a yield": ("sched_yield", "", 0),
    "a clock": ("clock_time_get", "(i32.const 0)(i64.const 0)(i32.const 200)", 0),
    "a clock that there is not": ("clock_time_get", "(i32.const 9)(i64.const 0)(i32.const 200)", INVALID),
    "a clock's grain": ("clock_res_get", "(i32.const 1)(i32.const 200)", 0),
    "chance": ("random_get", "(i32.const 200)(i32.const 16)", 0),
    "a megabyte of chance": ("random_get", "(i32.const 65536)(i32.const 1048576)", 0),
    "more chance than that": ("random_get", "(i32.const 65536)(i32.const 1048577)", INVALID),
    "chance far away": ("random_get", "(i32.const 200)(i32.const -1)", BAD_ADDRESS),
    "reading from its output": (
        "fd_read",
        "(i32.const 1)(i32.const 0)(i32.const 1)(i32.const 96)",
        BAD_DESCRIPTOR,
    ),
    "writing to its input": (
        "fd_write",
        "(i32.const 0)(i32.const 0)(i32.const 1)(i32.const 96)",
        BAD_DESCRIPTOR,
    ),
    "buffers far away": ("fd_write", "(i32.const 1)(i32.const -8)(i32.const 2)(i32.const 96)", BAD_ADDRESS),
    "a buffer far away": ("fd_write", "(i32.const 1)(i32.const 300)(i32.const 1)(i32.const 96)", BAD_ADDRESS),
    "a buffer to fill far away": (
        "fd_read",
        "(i32.const 0)(i32.const 300)(i32.const 1)(i32.const 96)",
        BAD_ADDRESS,
    ),
    "millions of buffers": (
        "fd_write",
        "(i32.const 1)(i32.const 0)(i32.const 4000000)(i32.const 96)",
        INVALID,
    ),
    "a count far away": ("fd_write", "(i32.const 1)(i32.const 400)(i32.const 0)(i32.const -1)", BAD_ADDRESS),
}


@pytest.mark.parametrize(("name", "parameters", "number"), NUMBERS.values(), ids=NUMBERS)
def test_the_system_is_what_a_program_may_have_of_it(
    wasm: Any, name: str, parameters: str, number: int
) -> None:
    """HST-6: no files, no environment, no network; hostile pointers are told so (HST-7)."""
    far = data(300, (0xFFFFFFF0).to_bytes(4, "little") + (32).to_bytes(4, "little"))
    called = f"(local.set $n (call ${name} {parameters}))"
    # 10 in front, so that it is JSON
    told = "(call $tell (i32.const 10)) (call $tell (local.get $n))"
    code = program(f"{called} {told}", far, memory='(memory (export "memory") 18)', also=(name,))
    assert wasm.run(code) == 1000 + number


def test_every_function_of_the_interface_can_be_imported(wasm: Any) -> None:
    """HST-6: a program built for more than it uses still runs."""
    assert wasm.run(program(ECHO, also=tuple(_SIGNATURES)), 7) == 7


def test_a_program_without_a_memory_reaches_nothing(wasm: Any) -> None:
    """HST-7: each function that would write says so."""
    code = program(ECHO, memory="(memory 1)")
    with pytest.raises(GeneFailed, match=r"^its output is not JSON$"):
        wasm.run(code, 7)


def test_the_clock_is_the_real_one(wasm: Any) -> None:
    """HST-6: in nanoseconds, of which a program here shows the years."""
    body = f"""(drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 200)))
      (call $tell (i32.wrap_i64 (i64.sub
        (i64.div_u (i64.load (i32.const 200)) (i64.const {31_556_952 * 10**9})) (i64.const 0))))"""
    before = time.clock_gettime_ns(time.CLOCK_REALTIME) // (31_556_952 * 10**9)
    assert before <= wasm.run(program(body, also=("clock_time_get",))) <= before + 1
