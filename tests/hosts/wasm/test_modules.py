"""The shapes that a gene's module may have, and what it gets (HST-5, HST-6)."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

from hosts.wasm.wat import (
    CALLS,
    EXPRESS,
    MEMORY,
    OUT,
    QUERY,
    READ,
    REQUEST,
    WRITE,
    Call,
    calling,
    data,
    module,
    returning,
)
from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.memory import NoMemory
from rotifer_console.hosts.wasm import WasmHost
from rotifer_console.hosts.wasm_engine import WasmEngine
from rotifer_store import MemoryNotFound

PACKED = """(func (export "express") (param $input i32) (param $length i32) (result i64)
  (i64.or
    (i64.shl (i64.extend_i32_u (local.get $input)) (i64.const 32))
    (i64.extend_i32_u (local.get $length))))"""
TERMINATED = f"""{EXPRESS}
  (i32.store8 (i32.add (local.get $input) (local.get $length)) (i32.const 0))
  (local.get $input))"""
ALLOC = '(func (export "alloc") (param i32) (result i32) (i32.const 5000))'
ECHOES = {
    "a text that ends at a NUL": module(TERMINATED),
    "a packed pointer and length": module(PACKED),
    "with an alloc, ending at a NUL": module(ALLOC + TERMINATED),
    "with an alloc, packed": module(ALLOC + PACKED),
    "without any import": f"(module {MEMORY} {PACKED})",
    "with exports of other names": module(
        PACKED + '(global (export "g") i32 (i32.const 1)) (func (export "main"))'
    ),
}
INPUTS = [None, 0, "text", [], {"a": [1, 2.5, None, True], "é": "☃ \u2028 \ud800"}, "x" * 20_000]


@pytest.mark.parametrize("value", INPUTS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("code", ECHOES.values(), ids=ECHOES)
def test_a_gene_gets_its_input_and_gives_its_output(wasm: Any, code: str, value: Any) -> None:
    """HST-6: told apart by the type of the result."""
    assert wasm.run(code, value) == value


def test_an_instance_is_fresh_for_each_run(wasm: Any) -> None:
    """HST-8: nothing of a run is left for the next."""
    code = module(
        f"""(global $runs (mut i32) (i32.const 48))
        {EXPRESS}
          (global.set $runs (i32.add (global.get $runs) (i32.const 1)))
          (i32.store8 (i32.const 3000) (i32.add (i32.load8_u (i32.const 3000)) (global.get $runs)))
          (i32.const 3000))"""
    )
    assert [wasm.run(code) for _ in range(3)] == [1, 1, 1]


def test_an_alloc_may_make_room_first(wasm: Any) -> None:
    """HST-6: an input that is larger than the memory was at the start."""
    code = module(
        """(func (export "alloc") (param $length i32) (result i32)
          (drop (memory.grow (i32.add (i32.shr_u (local.get $length) (i32.const 16)) (i32.const 1))))
          (i32.const 65536))"""
        + PACKED
    )
    value = "x" * 1_000_000
    assert wasm.run(code, value) == value


def test_an_output_may_lie_in_memory_that_grew_in_express(wasm: Any) -> None:
    """HST-6."""
    code = module(
        f"""{EXPRESS} (drop (memory.grow (i32.const 100)))
        (i32.store8 (i32.const 6000000) (i32.const 55))
        (i32.const 6000000))"""
    )
    assert wasm.run(code) == 7


@pytest.mark.parametrize("characters", [4095, 4096, 4097, 65_536, 70_000])
def test_an_output_of_any_length_ends_at_its_nul(wasm: Any, characters: int) -> None:
    """HST-6: also where nothing but the NUL is left of the memory."""
    at = 2 * 65_536 - characters - 1
    code = module(
        f"""{EXPRESS}
          (memory.fill (i32.const {at}) (i32.const 120) (i32.const {characters}))
          (i32.store8 (i32.const {at}) (i32.const 34))
          (i32.store8 (i32.const {at + characters - 1}) (i32.const 34))
          (i32.const {at}))""",
        memory='(memory (export "memory") 2)',
    )
    assert wasm.run(code) == "x" * (characters - 2)


def test_a_refusal_of_the_input_is_an_output_like_any_other(wasm: Any) -> None:
    """HST-6: what it means is told where runs are made."""
    assert wasm.run(returning('{"__rotifer_error":{"message":"no"}}')) == {
        "__rotifer_error": {"message": "no"}
    }


def test_a_gene_writes_reads_queries_and_deletes(wasm: Any) -> None:
    """HST-5: the numbers are the lengths of the answers."""
    requests = {
        WRITE: b'{"key":"k","value":"aGVsbG8=","category":"PATTERN"}',
        READ: b'{"key":"k"}',
        "queryMemory": b"{}",
        "deleteMemory": b'{"key":"k"}',
    }
    text = b"".join(requests.values())
    starts = {name: REQUEST + text.index(request) for name, request in requests.items()}
    calls = [Call(name, starts[name], len(request)) for name, request in requests.items()]
    written, read, queried, deleted = wasm.run(calling(calls, text))
    assert written == read == queried - 2 > 400
    assert deleted == 4
    assert [(line["action"], line["gene_domain"], line["bytes"]) for line in wasm.lines()] == [
        ("memory_write", "dates", 5),
        ("memory_delete", "dates", 5),
    ]
    assert {line["gene_id"] for line in wasm.lines()} == {wasm.gene(calling(calls, text)).gene_id}


def test_where_there_was_no_room_a_second_try_writes_once(wasm: Any) -> None:
    """HST-7: by the gene's own calls."""
    request = b'{"key":"k","value":"","category":"CACHE"}'
    rooms = [0, 10, 300, 4096]
    numbers = wasm.run(calling([Call(WRITE, REQUEST, len(request), OUT, room) for room in rooms], request))
    assert numbers[:3] == [-1, -1, -1]
    assert numbers[3] > 0
    assert [line["action"] for line in wasm.lines()] == ["memory_write"]


def test_a_start_function_may_use_the_memory(wasm: Any) -> None:
    """HST-5: its module's memory is there before the instance is."""
    request = b'{"key":"k","value":"","category":"CACHE"}'
    started = f"(func $begin (drop {Call(WRITE, REQUEST, len(request)).code})) (start $begin)"
    numbers = wasm.run(calling([Call(QUERY, 0, 0)], request, also=started))
    assert numbers[0] > 2
    assert len(wasm.lines()) == 1


def test_what_a_gene_wrote_before_it_failed_stays(wasm: Any) -> None:
    """RUN-4."""
    request = b'{"key":"k","value":"","category":"CACHE"}'
    code = calling([Call(WRITE, REQUEST, len(request))], request).replace("(call $list)", "(unreachable)")
    with pytest.raises(GeneFailed):
        wasm.run(code)
    assert len(wasm.lines()) == 1


def test_a_number_that_a_call_came_to_carries_the_memory_error_as_cause(wasm: Any) -> None:
    """HST-6: an express that hands on the number of its last call has let the error through."""
    request = b'{"key":"none"}'
    call = Call("deleteMemory", REQUEST, len(request))
    code = calling([], request).replace("(call $list)", call.code)
    with pytest.raises(GeneFailed, match=r"^express returned -12: MEMORY_NOT_FOUND: ") as failed:
        wasm.run(code)
    assert isinstance(failed.value.__cause__, MemoryNotFound)


def test_a_refusal_that_a_gene_got_over_is_not_the_cause(wasm: Any) -> None:
    """HST-6: its last call went well, so the number is its own."""
    request = b'{"key":"none"}'
    calls = [Call("deleteMemory", REQUEST, len(request)), Call(QUERY, 0, 0)]
    code = calling(calls, request).replace("(call $list)", "(i32.const -12)")
    with pytest.raises(GeneFailed, match=r"^express returned -12$") as failed:
        wasm.run(code)
    assert failed.value.__cause__ is None


NOTHING_THERE = data(REQUEST, b'{"key":"none"}')
START = '(func (export "_start")'
REFUSED = Call("deleteMemory", REQUEST, len(b'{"key":"none"}'))
WASI_EXIT = '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))'
ABORT = '(import "env" "abort" (func $abort (param i32 i32 i32 i32)))'


@pytest.mark.parametrize(
    ("imported", "giving_up", "says"),
    [
        ("", "unreachable", "it trapped: it reached what its compiler or author marked as unreachable"),
        (
            ABORT,
            "(call $abort (i32.const 0) (i32.const 0) (i32.const 7) (i32.const 3)) unreachable",
            "it aborted at line 7, column 3 of its source",
        ),
    ],
    ids=["unreachable", "abort"],
)
def test_a_gene_that_gives_up_after_a_refusal_has_let_it_through(
    wasm: Any, imported: str, giving_up: str, says: str
) -> None:
    """HST-6: a module has no exceptions; what comes between a call that went well and the end is its own."""
    for calls, cause in [([REFUSED], MemoryNotFound), ([REFUSED, Call(QUERY, 0, 0)], None), ([], None)]:
        made = " ".join(f"(drop {call.code})" for call in calls)
        code = module(f"{NOTHING_THERE} {EXPRESS} {made} {giving_up})")
        with pytest.raises(GeneFailed) as failed:
            wasm.run(code.replace("(module", f"(module {imported}"))
        told = f"{says}, after MEMORY_NOT_FOUND: there is no entry of that key" if cause else says
        assert str(failed.value) == told
        assert type(failed.value.__cause__) is (cause or type(None))


def test_a_program_that_exits_after_a_refusal_has_let_it_through(wasm: Any) -> None:
    """HST-6."""
    body = f"(drop {REFUSED.code}) (call $exit (i32.const 1))"
    code = module(f"{NOTHING_THERE} {START} {body})")
    with pytest.raises(
        GeneFailed, match=r"^its program exited with status 1, after MEMORY_NOT_FOUND: "
    ) as failed:
        wasm.run(code.replace("(module", f"(module {WASI_EXIT}"))
    assert isinstance(failed.value.__cause__, MemoryNotFound)


def test_a_trap_that_nobody_meant_is_its_own_reason(wasm: Any) -> None:
    """HST-6: whatever was refused before."""
    code = module(f"{NOTHING_THERE} {EXPRESS} (drop {REFUSED.code}) (i32.div_u (i32.const 1) (i32.const 0)))")
    with pytest.raises(GeneFailed, match=r"^it trapped: it divided by zero$") as failed:
        wasm.run(code)
    assert failed.value.__cause__ is None


@pytest.mark.parametrize("number", [-1, -2, -12, -100, -(2**31)])
def test_a_negative_result_is_a_failure(wasm: Any, number: int) -> None:
    """HST-6: and no memory error, where no call has come to it."""
    with pytest.raises(GeneFailed, match=f"^express returned {number}$") as failed:
        wasm.run(module(f"{EXPRESS} (i32.const {number}))"))
    assert failed.value.__cause__ is None


def test_without_an_agent_every_call_is_refused(wasm: Any) -> None:
    """AGT-8, HST-9."""
    assert wasm.run(calling([Call(name, 0, 0) for name in CALLS]), memory=NoMemory()) == [-2] * 4
    assert wasm.lines() == []


def test_what_a_gene_logs_goes_to_stderr(wasm: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """HST-4: stdout stays clean."""
    code = f"""(module (import "rotifer" "log" (func $log (param i32 i32 i32))) {MEMORY}
      (data (i32.const 3000) "a line")
      (data (i32.const 2000) "1\\00")
      {EXPRESS} (call $log (i32.const 1) (i32.const 3000) (i32.const 6)) (i32.const 2000)))"""
    assert wasm.run(code) == 1
    assert capfd.readouterr() == ("", "a line\n")


def test_a_module_of_assemblyscript_may_abort(wasm: Any) -> None:
    """HST-6: it imports `env.abort`, and stops behind it."""
    code = f"""(module (import "env" "abort" (func $abort (param i32 i32 i32 i32))) {MEMORY}
      {EXPRESS} (call $abort (i32.const 0) (i32.const 0) (i32.const 12) (i32.const 5)) unreachable))"""
    with pytest.raises(GeneFailed, match=r"^it aborted at line 12, column 5 of its source$"):
        wasm.run(code)


def test_genes_run_side_by_side(wasm: Any) -> None:
    """RUN-2: while one of them computes, another one begins and ends."""
    request = b'{"key":"begun","value":"","category":"CACHE"}'
    announce = f"(drop {Call(WRITE, REQUEST, len(request)).code})"
    seek = b'{"key":"done"}'
    at = REQUEST + 100
    waiting = module(
        data(REQUEST, request)
        + data(at, seek)
        + data(2048, b"true\0")
        + f"""{EXPRESS} (local $number i32) {announce}
        (loop $again
          (local.set $number {Call(READ, at, len(seek)).code})
          (br_if $again (i32.eq (local.get $number) (i32.const 4))))
        (if (i32.lt_s (local.get $number) (i32.const 0)) (then unreachable))
        (i32.const 2048))"""
    )
    gene = wasm.gene(waiting, "waiting")
    outputs: list[Any] = []
    thread = threading.Thread(
        target=lambda: outputs.append(wasm.host.run(gene, None, wasm.memory(gene), 20.0))
    )
    thread.start()
    watched = wasm.memory(gene)
    while watched.read_memory("begun") is None:
        pass
    done = b'{"key":"done","value":"","category":"CACHE"}'
    (number,) = wasm.run(calling([Call(WRITE, REQUEST, len(done))], done))
    thread.join(20.0)
    assert number > 0
    assert outputs == [True]


def test_the_host_may_be_used_again_and_its_clock_rests_between(wasm: Any) -> None:
    """HST-8: no thread is left where nothing runs."""
    assert wasm.run(returning("1")) == 1
    for thread in threading.enumerate():
        if thread.name == "rotifer-wasm-epoch":
            thread.join(10.0)
            assert not thread.is_alive()
    assert wasm.run(returning("2")) == 2


def test_closing_a_host_ends_what_still_runs(wasm: Any) -> None:
    """HST-4: whoever waits is told."""
    request = b'{"key":"begun","value":"","category":"CACHE"}'
    announce = f"(drop {Call(WRITE, REQUEST, len(request)).code})"
    code = calling([], request).replace("(call $list)", f"{announce} (loop $l (br $l)) (i32.const 0)")
    gene = wasm.gene(code)
    errors: list[str] = []

    def run() -> None:
        try:
            host.run(gene, None, wasm.memory(gene), 600.0)
        except GeneFailed as error:
            errors.append(str(error))

    with WasmHost() as host:
        thread = threading.Thread(target=run)
        thread.start()
        while not wasm.lines():
            pass
    thread.join(10.0)
    assert errors == ["it was ended with its host"]


def test_a_host_that_was_closed_begins_nothing_more(wasm: Any) -> None:
    """HST-4: a run that was only about to begin ends too."""
    gene = wasm.gene(returning("1"))
    engine = WasmEngine(None)
    engine.stop()
    with pytest.raises(GeneFailed, match=r"^it was ended with its host$"):
        engine.run(gene, b"null", wasm.memory(gene), 20.0)


INTERRUPTED = """
import sys
import threading
from pathlib import Path
from rotifer_console.hosts.memory import NoMemory
from rotifer_console.hosts.wasm import WasmHost
from rotifer_console.hosts.wasm_engine import WasmEngine
from rotifer_store.gene_folder import read_gene_folder

with WasmHost() as host:
    try:
        host.run(read_gene_folder(sys.argv[1]), None, NoMemory(), 600.0)
    except KeyboardInterrupt:
        print([thread.name for thread in threading.enumerate() if thread.name == "rotifer-wasm-gene"])
"""


def test_an_interrupt_ends_a_gene_that_does_not_end(wasm: Any) -> None:
    """HST-4: whoever waits for it can be stopped, as with any other gene."""
    gene = wasm.gene(
        f"""(module (import "rotifer" "log" (func $log (param i32 i32 i32))) {MEMORY}
        {data(3000, b"begun")}
        {EXPRESS} (call $log (i32.const 0) (i32.const 3000) (i32.const 5))
          (loop $l (br $l)) (i32.const 0)))"""
    )
    words = [sys.executable, "-c", INTERRUPTED, str(gene.path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stderr is not None
        assert program.stderr.readline() == "begun\n"
        program.send_signal(signal.SIGINT)
        assert program.communicate(timeout=20) == ("[]\n", "")
        assert program.returncode == 0
