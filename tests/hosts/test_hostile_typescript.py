"""Genes in TypeScript that mean harm: the list of `test_hostile_genes.py`, as far as Node lets them try.

The teardown of `stage` looks after each test: no process of the gene's group, a free lock, a sound store.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

from rotifer_console import RunResult, run_agent
from rotifer_console.errors import GeneFailed
from rotifer_store import Gene

TIMEOUT_S = 1.0
SPARE_S = 2.0
PRELUDE = """
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as v8 from "node:v8"

/** The channel's number: the one socket there is. */
function channel() {
    for (let number = 3; ; number++) {
        try {
            if (fs.fstatSync(number).isSocket()) return number
        } catch {}
    }
}

/** The run's id, seen as it goes by. */
function runOf(memory): string {
    const { write } = Buffer.prototype
    let run
    Buffer.prototype.write = function (text, ...rest) {
        run ??= JSON.parse(text).run
        return write.call(this, text, ...rest)
    }
    memory.queryMemory({ limit: 1 })
    Buffer.prototype.write = write
    return run
}

/** Past the runner, straight into the channel. */
function send(content, length?: number) {
    const body = content instanceof Uint8Array ? content : Buffer.from(
        typeof content === "string" ? content : JSON.stringify(content))
    const head = Buffer.alloc(4)
    head.writeUInt32BE(length ?? body.length)
    for (let rest = Buffer.concat([head, body]); rest.length; ) {
        rest = rest.subarray(fs.writeSync(channel(), rest))
    }
}

/** The answer to what was sent. */
function answer() {
    const buffer = Buffer.alloc(65536)
    return JSON.parse(buffer.toString("utf8", 4, fs.readSync(channel(), buffer)))
}

export function express(input, { memory }) {
    memory.writeMemory("before", Buffer.from(String(process.pid)), "CONTEXT")
    return attack(memory, input)
}
"""


class Attack(NamedTuple):
    """What a gene does, what the run's error then says, and whether the deadline is what ended it."""

    source: str
    says: str
    is_late: bool = False


LATE = f"express did not settle within {TIMEOUT_S:g} s and was ended"
BROKEN = "its process was ended, because it sent "
FORGED = "a frame that no runner sends"
ENDED = "its process exited with status {} before express settled"

ATTACKS = {
    # never coming to an end
    "an endless loop": Attack("for (;;);", LATE, True),
    "a sleep of the whole thread": Attack(
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600_000)", LATE, True
    ),
    "a timer that keeps it alive": Attack(
        "setInterval(() => {}, 1000); return new Promise(() => {})", LATE, True
    ),
    "a timer and signals that nothing hears": Attack(
        """
        for (const name of Object.keys(os.constants.signals)) {
            try { process.on(name, () => {}) } catch {}
        }
        setInterval(() => {}, 1000)
        return new Promise(() => {})
        """,
        LATE,
        True,
    ),
    "an endless chain of promises": Attack(
        "const again = () => Promise.resolve().then(again); return again()", LATE, True
    ),
    "an endless chain of turns": Attack(
        "const again = () => setImmediate(again); again(); return new Promise(() => {})", LATE, True
    ),
    "a loop of caught errors": Attack(
        "for (;;) { try { memory.deleteMemory('none') } catch {} }", LATE, True
    ),
    "an output that is asked for and never told": Attack("return { toJSON() { for (;;); } }", LATE, True),
    "a promise of its own that never settles": Attack("return { then() { for (;;); } }", LATE, True),
    "a regular expression that never ends": Attack("/^(a+)+$/.test('a'.repeat(50) + 'b')", LATE, True),
    "stopping itself": Attack("process.kill(process.pid, 'SIGSTOP'); for (;;);", LATE, True),
    "hiding the end of its thread": Attack(
        "process.removeAllListeners(); process.on('beforeExit', () => setTimeout(() => {}, 1e6));"
        "return new Promise(() => {})",
        LATE,
        True,
    ),
    # its own end
    "ending at once": Attack("process.exit(7)", ENDED.format(7)),
    "ending well": Attack("process.exit(0)", ENDED.format(0)),
    "ending past the runner": Attack("process.reallyExit(9)", ENDED.format(9)),
    "ending later": Attack(
        "setTimeout(() => process.exit(5), 10); return new Promise(() => {})", ENDED.format(5)
    ),
    "aborting": Attack("process.abort()", "its process was ended by SIGABRT"),
    "a signal": Attack("process.kill(process.pid, 'SIGSEGV'); for (;;);", "its process was ended by SIGSEGV"),
    "killing itself": Attack(
        "process.kill(process.pid, 'SIGKILL'); for (;;);", "its process was ended by SIGKILL"
    ),
    "killing its group": Attack("process.kill(0, 'SIGKILL'); for (;;);", "its process was ended by SIGKILL"),
    # the channel
    "closing the channel and returning": Attack("fs.closeSync(channel()); return 1", ENDED.format(74)),
    "closing the channel and staying": Attack(
        "fs.closeSync(channel()); for (;;);",
        "its process was ended, because it closed the channel to its memory",
    ),
    "closing the channel and calling": Attack(
        "fs.closeSync(channel()); memory.queryMemory()", ENDED.format(74)
    ),
    "junk that is no JSON": Attack("send('{')", BROKEN + "a frame that is not JSON"),
    "an empty frame": Attack("send('')", BROKEN + "a frame that is not JSON"),
    "junk that is no text": Attack("send(Buffer.from([255, 254]))", BROKEN + "a frame that is not JSON"),
    "NaN": Attack("send('{\"run\": NaN}')", BROKEN + "a frame that is not JSON"),
    "bottomless nesting": Attack("send('['.repeat(1e6))", BROKEN + "a frame that nests too deep"),
    "a list": Attack("send([])", BROKEN + "a frame that is not a JSON object"),
    "an empty object": Attack("send({})", BROKEN + "a frame of another run"),
    "a frame of a run that it made up": Attack(
        "send({ run: '0'.repeat(32), done: 1 })", BROKEN + "a frame of another run"
    ),
    "a call of a run that it made up": Attack(
        "send({ run: '0'.repeat(32), call: 'queryMemory', request: {} })", BROKEN + "a frame of another run"
    ),
    "a frame larger than any": Attack(
        "send('', 16 * 1024 * 1024 + 1)", BROKEN + "a frame larger than 16777216 bytes"
    ),
    "a frame as large as a length can say": Attack(
        "send('', 2 ** 32 - 1)", BROKEN + "a frame larger than 16777216 bytes"
    ),
    "a frame that never becomes whole": Attack("send('{', 100); for (;;);", LATE, True),
    "half a length and its end": Attack(
        "fs.writeSync(channel(), Buffer.alloc(2)); process.exit(0)", ENDED.format(0)
    ),
    "a flood of junk": Attack(
        "const junk = Buffer.alloc(65536, 120); for (;;) send(junk)", BROKEN + "a frame that is not JSON"
    ),
    "a flood of calls whose answers nobody reads": Attack(
        "const run = runOf(memory); for (;;) send({ run, call: 'queryMemory', request: {} })", LATE, True
    ),
    # forging
    "an answer to itself": Attack("send({ run: runOf(memory), ok: null })", BROKEN + FORGED),
    "a call that there is not": Attack(
        "send({ run: runOf(memory), call: 'call_json', request: {} })", BROKEN + FORGED
    ),
    "a call that is no name": Attack(
        "send({ run: runOf(memory), call: ['readMemory'], request: {} })", BROKEN + FORGED
    ),
    "an identity": Attack(
        "send({ run: runOf(memory), call: 'queryMemory', request: {}, gene: 'v2:' + '0'.repeat(64) })",
        BROKEN + FORGED,
    ),
    "a failure of another form": Attack("send({ run: runOf(memory), fail: 'x' })", BROKEN + FORGED),
    "a failure with a code that there is not": Attack(
        "send({ run: runOf(memory), fail: { code: 'X', message: '' } })", BROKEN + FORGED
    ),
    "an output and a failure at once": Attack(
        "send({ run: runOf(memory), done: 1, fail: { code: null, message: '' } })", "its output is not JSON"
    ),
    # size
    "an output larger than a frame": Attack(
        "return 'x'.repeat(16 * 1024 * 1024)", "its output is larger than 16777216 bytes"
    ),
    "an output larger than a frame in bytes": Attack(
        "return 'é'.repeat(9_000_000)", "its output is larger than 16777216 bytes"
    ),
    "an output that nests deeper than others read": Attack(
        "let deep = []; for (let i = 0; i < 3000; i++) deep = [deep]; return deep",
        "its output nests deeper than 500 levels",
    ),
    "an output that nests one level too deep": Attack(
        "let deep = []; for (let i = 0; i < 500; i++) deep = [deep]; return deep",
        "its output nests deeper than 500 levels",
    ),
    "an output of lists alone": Attack(
        "return new Array(5e6).fill([])", "its output has more than 1000000 lists and objects"
    ),
    "an output that no double holds": Attack(
        "return (JSON as any).rawJSON('1e999')", "its output is not JSON"
    ),
    "an output too long for any text": Attack(
        "const part = 'x'.repeat(2 ** 28); return [part, part, part]", "its output is not JSON"
    ),
    "a text too long for any text": Attack("'x'.repeat(2 ** 30)", "RangeError: Invalid string length"),
    # what the runner stands on
    "taking JSON away": Attack("JSON.stringify = JSON.parse = null; throw 'done'", "it threw done"),
    "taking the streams away": Attack(
        "const own = process.getBuiltinModule('fs'); own.writeSync = own.readSync = process.exit = null;"
        "throw 'done'",
        "it threw done",
    ),
    "a stack that lies": Attack("const error = new Error('x'); error.stack = 5; throw error", "Error: x"),
    "a message without end": Attack("throw new Error('x'.repeat(1e6))", "Error: " + "x" * 9993),
}


def gene_that(attack: str) -> str:
    return f"{PRELUDE}\nfunction attack(memory, input): any {{\n{dedent(attack).strip()}\n}}\n"


def run(stage: Any, attack: str, timeout_s: float = TIMEOUT_S) -> RunResult:
    gene = Gene.from_folder(stage.add_gene(gene_that(attack), file="index.ts"))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    result = run_agent(stage.store, "main", {}, project=stage.root, timeout_s=timeout_s)
    stage.pids.write_bytes(stage.store.peek_value("main", "before"))
    return result


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_ends_in_time_as_a_failed_run_that_says_why(attack: Attack, stage: Any) -> None:
    """HST-3, HST-4, RUN-4: and what the gene had written by then stays."""
    timeout_s = TIMEOUT_S if attack.is_late else 30
    start = time.monotonic()
    result = run(stage, attack.source, timeout_s)
    took_s = time.monotonic() - start
    assert result.failed_step is not None
    assert result.failed_step.error is not None
    code, message = result.failed_step.error.code, result.failed_step.error.message
    assert (code, message.partition(" (index.ts, line ")[0]) == ("GENE_FAILED", attack.says)
    assert result.output is None
    assert took_s < timeout_s + SPARE_S
    assert stage.processes_left() == []
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]
    stage.store.gene_memory("main", Gene("v2:" + "a" * 64, "dates")).write_memory("after", b"1", "CACHE")


def test_a_heap_without_end_ends_the_process(stage: Any) -> None:
    """HST-4: V8 ends it, or the deadline does."""
    result = run(stage, "const kept = []; for (;;) kept.push(new Array(1e6).fill(1.5))", 5)
    assert result.failed_step is not None
    assert result.failed_step.error is not None
    message = result.failed_step.error.message
    assert message in ("its process was ended by SIGABRT", "express did not settle within 5 s and was ended")


@pytest.mark.parametrize(
    "attack",
    [
        "setInterval(() => {}, 1000); return 'done'",
        "net.createServer().listen(0, '127.0.0.1'); return 'done'",
        "new Promise(() => {}); return 'done'",
        "process.on('exit', () => { for (;;); }); return 'done'",
    ],
)
def test_what_a_gene_left_running_ends_with_the_run_that_ended_well(attack: str, stage: Any) -> None:
    """HST-4."""
    assert run(stage, attack, 30).output == "done"
    assert stage.processes_left() == []


def test_a_channel_that_no_longer_blocks_still_carries_every_call(stage: Any) -> None:
    """HST-3: as a socket of the gene's own makes it."""
    source = gene_that(
        """
        if (input.first) new net.Socket({ fd: channel() }).pause()
        const big = new Uint8Array(1_000_000).fill(7)
        memory.writeMemory("big", big, "CACHE")
        for (let turn = 0; turn < 20; turn++) memory.writeMemory("small", new Uint8Array(turn), "CACHE")
        return [memory.readMemory("big").value.length, memory.readMemory("small").value.length]
        """
    )
    with stage.child(source, file="index.ts") as child:
        assert child.run({"first": True}, 30) == [1_000_000, 19]
        assert child.run({}, 30) == [1_000_000, 19]


def test_a_forged_output_is_the_genes_own_output_and_its_next_run_fails(stage: Any) -> None:
    """HST-3: the real one, which comes after it, belongs to no run."""
    source = gene_that("send({ run: runOf(memory), done: 'forged' }); return 'real'")
    with stage.child(source, file="index.ts") as child:
        assert child.run({}, 30) == "forged"
        with pytest.raises(GeneFailed, match="a frame of another run"):
            child.run({}, 30)
        assert child.run({}, 30) == "forged"  # in a new process


def test_a_ctx_kept_for_a_later_run_is_refused(stage: Any) -> None:
    """HST-3: in the gene's process, and the run goes on."""
    source = """
        let kept
        export function express(input, ctx) {
            kept ??= ctx
            try {
                return kept.memory.writeMemory(input, new Uint8Array(), "CACHE").key
            } catch (error) {
                return error.code
            }
        }
    """
    with stage.child(source, file="index.ts") as child:
        assert child.run("first", 30) == "first"
        assert child.run("late", 30) == "MEMORY_ACCESS_DENIED"
    assert [entry.key for entry in stage.store.list_memory("main")] == ["first"]


def test_a_kept_run_id_past_the_runner_is_refused_by_the_other_end(stage: Any) -> None:
    """HST-3: in this process too, which ends the gene's."""
    source = f"""
        {PRELUDE}
        let kept
        function attack(memory, input) {{
            if (kept) {{
                send({{ run: kept, call: "deleteMemory", request: {{ key: "before" }} }})
                for (;;);
            }}
            kept = runOf(memory)
            return "first"
        }}
    """
    with stage.child(source, file="index.ts") as child:
        assert child.run({}, 30) == "first"
        with pytest.raises(GeneFailed, match="a frame of another run"):
            child.run({}, 30)
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]


def test_a_timer_that_outlives_its_run_has_no_memory(stage: Any) -> None:
    """HST-3: nor can it disturb the run that follows."""
    source = """
        const found: string[] = []
        export function express(input, { memory }) {
            if (input) return new Promise((done) => setTimeout(() => done(found), 50))
            setTimeout(() => {
                try { memory.queryMemory() } catch (error) { found.push(error.code) }
            }, 1)
        }
    """
    with stage.child(source, file="index.ts") as child:
        assert child.run(0, 30) is None
        assert child.run(1, 30) == ["MEMORY_ACCESS_DENIED"]


def test_forged_members_of_a_call_give_it_no_other_identity(stage: Any) -> None:
    """HST-3, ENT-3: an unknown member is refused, and every entry has the creator of the channel."""
    source = gene_that(
        """
        const request = { key: "k", value: "", category: "CACHE", createdBy: "v2:" + "0".repeat(64) }
        send({ run: runOf(memory), call: "writeMemory", request })
        const { code } = answer().error
        memory.writeMemory("own", new Uint8Array(), "CACHE")
        return code
        """
    )
    with stage.child(source, file="index.ts") as child:
        assert child.run({}, 30) == "MEMORY_INVALID_INPUT"
    own = Gene.from_folder(stage.root / "genes" / "gene").id
    assert {entry.key: entry.created_by for entry in stage.store.list_memory("main")} == {
        "before": own,
        "own": own,
    }


def test_a_gene_that_was_ended_runs_again_in_a_new_process(stage: Any) -> None:
    """HST-3."""
    source = "export const express = (input) => { while (input); return process.pid }"
    with stage.child(source, file="index.ts") as child:
        before = child.run(False, 30)
        with pytest.raises(GeneFailed, match="did not settle"):
            child.run(True, TIMEOUT_S)
        assert child.run(False, 30) != before


PROGRAM = """
    import sys
    from rotifer_console import run_agent
    from rotifer_store import open_store
    with open_store(sys.argv[1]) as store:
        run_agent(store, "main", {}, project=sys.argv[1], timeout_s=600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize(
    "attack",
    [
        "for (;;);",
        "for (;;) memory.readMemory('before')",
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600_000)",
        "setInterval(() => {}, 1000); return new Promise(() => {})",
    ],
)
def test_a_gene_does_not_outlive_the_program_that_was_ended(
    stage: Any, attack: str, how: signal.Signals
) -> None:
    """HST-4: however it was ended, and whatever the gene was doing."""
    gene = Gene.from_folder(stage.add_gene(gene_that(attack), file="index.ts"))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    program = subprocess.Popen([sys.executable, "-c", dedent(PROGRAM), stage.root], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not stage.store.list_memory("main") and time.monotonic() < until:
        time.sleep(0.01)
    stage.pids.write_bytes(stage.store.peek_value("main", "before"))
    program.send_signal(how)
    assert program.wait(30) != 0
    assert stage.processes_left() == []
