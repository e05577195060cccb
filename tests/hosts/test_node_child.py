"""What a gene in TypeScript or JavaScript finds in its process: the calls, and where it is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rotifer_console import run_agent
from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.child import GeneChild
from rotifer_console.hosts.memory import NoMemory
from rotifer_console.hosts.node import node_command
from rotifer_store import Gene
from rotifer_store.gene_folder import read_gene_folder


def outcome(stage: Any, source: str, input_value: Any = None, *, file: str = "index.ts") -> Any:
    with stage.child(source, file=file) as child:
        return child.run(input_value, 30)


# The gene's source and its entry point


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("index.ts", "export function express(input: number): number { return input * 2 }"),
        ("index.ts", "export const express = async (input: number) => { await null; return input * 2 }"),
        ("index.ts", "export default (input: number) => input * 2"),
        ("index.ts", "export function main(input: number) { return input * 2 }"),
        ("index.ts", "export function main() {}\nexport default (input: number) => input * 2"),
        (
            "index.ts",
            "export const main = 0\nexport default () => 0\nexport const express = (i: number) => i * 2",
        ),
        (
            "index.ts",
            "export const express = 5\nexport function main(input: any) { return (input as number) * 2 }",
        ),
        (
            "index.ts",
            "const two = await Promise.resolve(2)\nexport const express = (input: number) => input * two",
        ),
        ("index.ts", "exports.express = (input: number) => input * 2"),
        ("index.js", "export const express = (input) => input * 2"),
        ("index.js", "module.exports = { express: function (input) { return input * 2 } }"),
        ("index.js", "module.exports = (input) => input * 2"),
        ("index.mjs", "export const express = (input) => input * 2"),
        ("index.ts", "export const express = (input: number) => ({ then: (done: any) => done(input * 2) })"),
    ],
)
def test_the_entry_point_is_express_or_else_the_default_or_else_main(
    stage: Any, file: str, source: str
) -> None:
    """GEN-1, GEN-4: in each form of module that Node has."""
    assert outcome(stage, source, 21, file=file) == 42


def test_a_gene_without_an_entry_point_says_so(stage: Any) -> None:
    """GEN-1."""
    with pytest.raises(GeneFailed, match=r"^index\.ts exports no express and no default and no main$"):
        outcome(stage, "export const other = 1")


def test_a_gene_imports_its_own_files_and_nothing_beside_its_folder(stage: Any) -> None:
    """GEN-2, HST-4: code that does not count towards its id cannot be part of it."""
    folder = stage.add_gene("", file="index.ts")
    (folder / "deep").mkdir()
    (folder / "deep" / "helper.mts").write_text("export const told: string = 'helper'")
    (folder / "table.json").write_text('{"told": "table"}')
    (folder / "old.cts").write_text("exports.told = 'old' as string")
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / "index.ts").write_text("export const told = 'other'")
    source = """
        import { told } from "./deep/helper.mts"
        import table from "./table.json" with { type: "json" }
        import old from "./old.cts"
        export async function express() {
            const found = [told, table.told, old.told]
            try {
                found.push((await import("../other/index.ts")).told)
            } catch (error) {
                found.push(error.code)
            }
            return found
        }
    """
    assert outcome(stage, source) == ["helper", "table", "old", "ERR_ACCESS_DENIED"]


@pytest.mark.parametrize("kind", ["commonjs", "module"])
@pytest.mark.parametrize("file", ["index.ts", "index.js"])
@pytest.mark.parametrize("source", ["export const express = () => 1", "exports.express = () => 1"])
def test_what_a_package_above_the_gene_says_changes_nothing(
    stage: Any, kind: str, file: str, source: str
) -> None:
    """GEN-2, HST-2: it does not count towards the gene's id."""
    (stage.root / "package.json").write_text(json.dumps({"type": kind}))
    folder = stage.add_gene(source, file=file)
    assert outcome(stage, source, file=file) == 1
    (folder / "package.json").write_text(json.dumps({"type": "module"}))  # its own does
    if source.startswith("exports"):
        with pytest.raises(GeneFailed, match="exports is not defined"):
            outcome(stage, source, file=file)
    else:
        assert outcome(stage, source, file=file) == 1


def test_syntax_that_needs_more_than_stripping_is_named(stage: Any) -> None:
    """HST-2."""
    with pytest.raises(GeneFailed, match="enum is not supported"):
        outcome(stage, "enum Style { ISO }\nexport const express = () => Style.ISO")


def test_the_memory_module_gives_the_error_class_and_its_types_vanish(stage: Any) -> None:
    """GEN-4, HST-2: as `import type` and as a value, from ECMAScript and from CommonJS."""
    folder = stage.add_gene("", file="index.ts")
    (folder / "old.cjs").write_text("exports.MemoryError = require('@rotifer/playground/memory').MemoryError")
    source = """
        import type { GeneMemoryAccess } from "@rotifer/playground/memory"
        import { MemoryError, type MemoryEntry } from "@rotifer/playground/memory"
        import old from "./old.cjs"
        export function express(input: null, ctx: { memory: GeneMemoryAccess }) {
            try {
                ctx.memory.deleteMemory("none")
            } catch (error) {
                return [error instanceof MemoryError, error instanceof Error, old.MemoryError === MemoryError,
                        error.name, error.code, typeof error.message]
            }
        }
    """
    assert outcome(stage, source) == [True, True, True, "MemoryError", "MEMORY_NOT_FOUND", "string"]


# The calls


def test_an_entry_has_the_pages_members_and_bytes(stage: Any) -> None:
    """ENT-1, GEN-4: its JSON form has base64."""
    source = """
        export function express(input, { memory }) {
            const entry = memory.writeMemory("k", new Uint8Array([0, 255]), "CACHE")
            return [Object.keys(entry), entry.value instanceof Uint8Array, [...entry.value], entry,
                    memory.readMemory("k").value.constructor === Uint8Array, memory.queryMemory().length]
        }
    """
    names, is_bytes, value, members, is_plain, count = outcome(stage, source)
    assert names == list(members)
    assert len(names) == 10
    assert (is_bytes, value, members["value"], is_plain, count) == (True, [0, 255], "AP8=", True, 1)


def test_the_calls_can_be_taken_out_of_the_memory(stage: Any) -> None:
    """GEN-4: the habit of the language."""
    source = """
        export function express(input, { memory: { writeMemory, readMemory, queryMemory, deleteMemory } }) {
            writeMemory("k", new Uint8Array(), "CACHE")
            const found = [readMemory("k").value.length, queryMemory({ keyPrefix: "k" }).length]
            return [...found, deleteMemory("k") === undefined, readMemory("k")]
        }
    """
    assert outcome(stage, source) == [0, 1, True, None]


CALLS: dict[str, Any] = {
    # what a value is
    "memory.writeMemory('w', new Uint8Array([1, 2]), 'CACHE')": "AQI=",
    "memory.writeMemory('w', Buffer.from('ab'), 'CACHE')": "YWI=",
    "memory.writeMemory('w', new TextEncoder().encode('é'), 'CACHE')": "w6k=",
    "memory.writeMemory('w', new Uint8Array([1, 2, 3, 4]).subarray(1, 3), 'CACHE')": "AgM=",
    "memory.writeMemory('w', new Uint8Array(new SharedArrayBuffer(2)), 'CACHE')": "AAA=",
    "memory.writeMemory('w', vm.runInNewContext('new Uint8Array([9])'), 'CACHE')": "CQ==",
    "memory.writeMemory('w', new (class extends Uint8Array {})([7]), 'CACHE')": "Bw==",
    "memory.writeMemory('w', new Uint8Array(1_048_576), 'CACHE')": "A" * 1_398_100 + "AA==",
    "memory.writeMemory('w', new Uint8Array(1_048_577), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', new Uint8Array(30_000_000), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', detached(), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', 'text', 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', '', 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', [1], 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', new ArrayBuffer(2), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', new Uint16Array(2), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', new Uint8ClampedArray(2), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', { toJSON() { return 'AQI=' } }, 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', Object.create(Uint8Array.prototype), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', new Proxy(new Uint8Array(1), {}), 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', undefined, 'CACHE')": "MEMORY_INVALID_INPUT",
    "memory.writeMemory('w', null, 'CACHE')": "MEMORY_INVALID_INPUT",
    # keys and categories
    "memory.readMemory('\\ud800')": "MEMORY_INVALID_INPUT",
    "memory.readMemory('')": "MEMORY_INVALID_INPUT",
    "memory.readMemory('a\\0b')": "MEMORY_INVALID_INPUT",
    "memory.readMemory('k'.repeat(30_000_000))": "MEMORY_INVALID_INPUT",
    "memory.readMemory('\\u2028'.repeat(6_000_000))": "MEMORY_INVALID_INPUT",
    "memory.readMemory()": "MEMORY_INVALID_INPUT",
    "memory.readMemory(null)": "MEMORY_INVALID_INPUT",
    "memory.readMemory(5)": "MEMORY_INVALID_INPUT",
    "memory.readMemory(5n)": "MEMORY_INVALID_INPUT",
    "memory.readMemory(Symbol('k'))": "MEMORY_INVALID_INPUT",
    "memory.readMemory(new String('k'))": "MEMORY_INVALID_INPUT",
    "memory.readMemory({ toJSON: () => 'k' })": "MEMORY_INVALID_INPUT",
    "memory.readMemory(() => 'k')": "MEMORY_INVALID_INPUT",
    "memory.readMemory('k', 'cache')": "MEMORY_INVALID_INPUT",
    "memory.readMemory('k', null)": "MEMORY_INVALID_INPUT",
    "memory.readMemory('k', 1n)": "MEMORY_INVALID_INPUT",
    "memory.readMemory('k', ['CACHE'])": "MEMORY_INVALID_INPUT",
    "memory.readMemory('k', undefined)": "AQ==",
    "memory.readMemory('k', 'CACHE')": "AQ==",
    "memory.readMemory('k', 'PATTERN')": None,
    "memory.writeMemory('w', new Uint8Array())": "MEMORY_INVALID_INPUT",
    "memory.deleteMemory(undefined)": "MEMORY_INVALID_INPUT",
    "memory.deleteMemory('none')": "MEMORY_NOT_FOUND",
    "memory.deleteMemory('k')": None,
    # policies: left out, undefined and null
    "write(undefined, undefined)": "",
    "write(null)": "MEMORY_INVALID_INPUT",
    "write(undefined, null)": "",
    "write(OPEN)": "",
    "write({ ...OPEN, more: 1 })": "MEMORY_INVALID_INPUT",
    "write({ ...OPEN, sharePolicy: undefined })": "MEMORY_INVALID_INPUT",
    "write(new Map(Object.entries(OPEN)))": "MEMORY_INVALID_INPUT",
    "write([OPEN])": "MEMORY_INVALID_INPUT",
    "write(undefined, KEPT)": "",
    "write(undefined, { ...KEPT, maxRetentionDays: NaN })": "",
    "write(undefined, { ...KEPT, maxRetentionDays: 1.5 })": "MEMORY_INVALID_INPUT",
    "write(undefined, { ...KEPT, maxRetentionDays: 1n })": "MEMORY_INVALID_INPUT",
    "write(undefined, cyclic())": "MEMORY_INVALID_INPUT",
    "write(undefined, deep())": "MEMORY_INVALID_INPUT",
    # filters
    "memory.queryMemory()": 1,
    "memory.queryMemory(undefined)": 1,
    "memory.queryMemory({})": 1,
    "memory.queryMemory(Object.create(null))": 1,
    "memory.queryMemory({ category: undefined, limit: 1 })": 1,
    "memory.queryMemory({ keyPrefix: 'x' })": 0,
    "memory.queryMemory(null)": "MEMORY_INVALID_INPUT",
    "memory.queryMemory([])": "MEMORY_INVALID_INPUT",
    "memory.queryMemory('')": "MEMORY_INVALID_INPUT",
    "memory.queryMemory(new Map())": "MEMORY_INVALID_INPUT",
    "memory.queryMemory({ more: 1 })": "MEMORY_INVALID_INPUT",
    "memory.queryMemory({ category: null })": "MEMORY_INVALID_INPUT",
    "memory.queryMemory({ limit: Infinity })": "MEMORY_INVALID_INPUT",
    "memory.queryMemory({ limit: 0 })": "MEMORY_INVALID_INPUT",
    "memory.queryMemory({ limit: 2n })": "MEMORY_INVALID_INPUT",
    "memory.queryMemory({ get limit() { throw new Error('mine') } })": "MEMORY_INVALID_INPUT",
    "memory.queryMemory(cyclic())": "MEMORY_INVALID_INPUT",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_takes_what_the_page_says_and_refuses_the_rest(stage: Any, call: str) -> None:
    """GEN-4, INP, POL-1, ACC-1, ACC-5: with the same code as everywhere, and the run goes on."""
    source = f"""
        import * as vm from "node:vm"
        const OPEN = {{ readScope: "ALL_GENES", writeScope: "ALL_GENES", sharePolicy: "PRIVATE" }}
        const KEPT = {{ maxRetentionDays: 1, autoDeleteOnTermination: false, anonymizationSupported: false }}
        function detached() {{
            const bytes = new Uint8Array(4)
            structuredClone(bytes.buffer, {{ transfer: [bytes.buffer] }})
            return bytes
        }}
        export function express(input, {{ memory }}) {{
            const write = (...policies) => memory.writeMemory("k", new Uint8Array(), "CACHE", ...policies)
            memory.writeMemory("k", new Uint8Array([1]), "CACHE")
            try {{
                const result = {call}
                return Array.isArray(result) ? result.length : (result?.toJSON().value ?? null)
            }} catch (error) {{
                return error.code
            }}
        }}
        function cyclic() {{ const made: any = {{}}; made.made = made; return made }}
        function deep() {{ let made = {{}}; for (let i = 0; i < 1e5; i++) made = {{ made }}; return made }}
    """
    assert outcome(stage, source) == CALLS[call]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("memory.writeMemory('k', 'text', 'CACHE')", "a value is a Uint8Array"),
        ("memory.readMemory({})", "a key is text"),
        ("memory.readMemory('')", "key"),
        ("memory.deleteMemory('none')", "no entry"),
    ],
)
def test_a_refusal_says_what_is_wrong_with_the_arguments(stage: Any, call: str, says: str) -> None:
    source = f"""
        export function express(input, {{ memory }}) {{
            try {{ {call} }} catch (error) {{ return error.message }}
        }}
    """
    assert says in outcome(stage, source)


@pytest.mark.parametrize("call", ["readMemory()", "writeMemory()", "queryMemory(5)", "deleteMemory('')"])
def test_a_gene_without_an_agent_is_refused_before_its_arguments_are_looked_at(stage: Any, call: str) -> None:
    """ACC-7, AGT-8."""
    source = f"""
        export function express(input, {{ memory }}) {{
            try {{ memory.{call} }} catch (error) {{ return error.code }}
        }}
    """
    folder = read_gene_folder(stage.add_gene(source, file="index.ts"))
    with GeneChild(node_command(folder), NoMemory()) as child:
        assert child.run(None, 30) == "MEMORY_ACCESS_DENIED"


def test_the_largest_answer_has_room_in_a_frame(stage: Any) -> None:
    """INP-5: 1000 entries whose keys are spelt six times as long in JSON."""
    source = """
        export function express(input, { memory }) {
            for (let number = 0; number < 1000; number++) {
                const key = String(number).padStart(4, "0") + "\\x01".repeat(1020)
                memory.writeMemory(key, new Uint8Array(3000), "CACHE")
            }
            return memory.queryMemory({ limit: 1000 }).length
        }
    """
    with stage.child(source, file="index.ts") as child:
        assert child.run(None, 120) == 1000


# What comes of it


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("undefined", None),
        ("null", None),
        ("NaN", None),
        ("() => 1", None),
        ("Symbol('x')", None),
        ("[undefined, NaN, Infinity, -0]", [None, None, None, 0]),
        ("({ a: undefined, b: () => 1, c: 1 })", {"c": 1}),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("new Map([[1, 2]])", {}),
        ("new Error('x')", {}),
        ("'\\ud800é\\u2028'", "\ud800é\u2028"),
        ("2 ** 53", 2**53),
        ("({ ['__proto__']: 1 })", {"__proto__": 1}),
        ("Promise.resolve([1])", [1]),
    ],
)
def test_an_output_is_what_json_makes_of_it(stage: Any, output: str, expected: object) -> None:
    """HST-6, GEN-4."""
    assert outcome(stage, f"export const express = () => ({output})") == expected


@pytest.mark.parametrize("output", ["5n", "cyclic", "({ toJSON() { throw 1 } })", "deep"])
def test_an_output_that_is_not_json_fails_the_run(stage: Any, output: str) -> None:
    """HST-6: never a silent null; and the process runs on."""
    source = f"""
        const cyclic: any = []
        cyclic.push(cyclic)
        let deep: any = []
        for (let i = 0; i < 100_000; i++) deep = [deep]
        export const express = (input) => input ? {output} : process.pid
    """
    with stage.child(source, file="index.ts") as child:
        before = child.run(0, 30)
        with pytest.raises(GeneFailed, match=r"^its output is not JSON$"):
            child.run(1, 30)
        assert child.run(0, 30) == before


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("throw new TypeError('no')", "TypeError: no (index.ts, line 2)"),
        ("throw new Error()", "Error (index.ts, line 2)"),
        ("throw new (class Odd extends Error { name = 'Odd' })('x')", "Odd: x (index.ts, line 2)"),
        ("throw 'text'", "it threw text"),
        ("throw undefined", "it threw undefined"),
        ("throw { toString() { throw 1 } }", "it threw what cannot be told"),
        ("throw Object.create(null)", "it threw what cannot be told"),
        ("return Promise.reject(new Error('late'))", "Error: late (index.ts, line 2)"),
        (
            "ctx.memory.deleteMemory('none')",
            "MEMORY_NOT_FOUND: there is no entry of that key (index.ts, line 2)",
        ),
        ("null.x", "TypeError: Cannot read properties of null (reading 'x') (index.ts, line 2)"),
        ("(function f() { f() })()", "RangeError: Maximum call stack size exceeded (index.ts, line 2)"),
        ("return helped()", "Error: helper (deep/a helper.ts, line 3)"),
        (
            "setTimeout(() => { throw new Error('timer') }); return new Promise(() => {})",
            "Error: timer (index.ts, line 2)",
        ),
        (
            "Promise.reject(new Error('loose')); return new Promise((done) => setTimeout(done, 100))",
            "Error: loose (index.ts, line 2)",
        ),
        (
            "return new Promise(() => {})",
            "express never settled, and nothing is left that could settle it",
        ),
    ],
)
def test_a_gene_that_fails_ends_the_run_with_one_sentence(stage: Any, source: str, says: str) -> None:
    """CLI-2: the class, what it said, and the line in the gene; and its process runs on."""
    folder = stage.add_gene("", file="index.ts")
    (folder / "deep").mkdir()
    (folder / "deep" / "a helper.ts").write_text(
        "interface Gone { x: 1 }\nexport function helped() {\n  throw new Error('helper')\n}\n"
    )
    gene = (
        'import { helped } from "./deep/a helper.ts"; export function express(input, ctx: any) {'
        f"if (input) return process.pid;\n{source} }}"
    )
    with stage.child(gene, file="index.ts") as child:
        before = child.run(1, 30)
        with pytest.raises(GeneFailed) as raised:
            child.run(0, 30)
        assert str(raised.value) == says
        assert child.run(1, 30) == before


def test_a_module_that_cannot_be_loaded_says_where(stage: Any) -> None:
    """CLI-2."""
    with pytest.raises(GeneFailed, match=r"^SyntaxError: .*\(index\.ts, line 2\)$"):
        outcome(stage, "export const express =\n) => 1")


def test_a_module_that_never_loads_is_reported_as_such(stage: Any) -> None:
    """HST-4."""
    with pytest.raises(GeneFailed, match="never settled"):
        outcome(stage, "await new Promise(() => {})\nexport const express = () => 1")


def test_a_refusal_that_a_gene_lets_through_is_the_runs_error(stage: Any) -> None:
    """CLI-1: the step tells the code."""
    gene = Gene.from_folder(
        stage.add_gene("export const express = (input, ctx) => ctx.memory.readMemory('')", file="index.ts")
    )
    stage.store.set_genome("main", [gene], {"type": "Single"})
    (step,) = run_agent(stage.store, "main", None, project=stage.root).steps
    assert (step.host, step.status, step.error.code) == ("node", "failed", "MEMORY_INVALID_INPUT")


@pytest.mark.parametrize(
    ("thrown", "code", "says"),
    [
        ("new MemoryError('MEMORY_NOT_FOUND', 'mine')", "MEMORY_NOT_FOUND", "MEMORY_NOT_FOUND: mine"),
        ("new MemoryError('MINE', 'mine')", "GENE_FAILED", "MemoryError: mine"),
        ("new MemoryError()", "GENE_FAILED", "MemoryError"),
        ("new MemoryError(5, 'mine')", "GENE_FAILED", "MemoryError: mine"),
        (
            "Object.defineProperty(new MemoryError('MINE', 'mine'), 'code', { get() { throw 1 } })",
            "GENE_FAILED",
            "MemoryError: mine",
        ),
        (
            "new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
            "GENE_FAILED",
            "it threw what cannot be told",
        ),
    ],
    ids=["a code of ours", "one of its own", "none", "a number", "one that throws", "what is nothing"],
)
def test_whatever_a_gene_throws_is_a_failure_and_no_breach(
    stage: Any, thrown: str, code: str, says: str
) -> None:
    """HST-3, CLI-1: it can import the class, and make errors of its own."""
    source = f"""
        import {{ MemoryError }} from "@rotifer/playground/memory"
        export const express = () => {{ throw {thrown} }}
    """
    gene = Gene.from_folder(stage.add_gene(source, file="index.ts"))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    (step,) = run_agent(stage.store, "main", None, project=stage.root).steps
    assert (step.error.code, step.error.message.partition(" (index.ts")[0]) == (code, says)


def test_a_gene_keeps_its_module_from_run_to_run_of_its_process(stage: Any) -> None:
    """HST-3: one process, reused."""
    with stage.child("let count = 0\nexport const express = () => ++count", file="index.ts") as child:
        assert [child.run(None, 30) for _ in range(3)] == [1, 2, 3]


# Where it is kept


def test_a_gene_finds_a_clean_environment_and_nothing_on_stdin(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HST-4: PATH, language, time zone; no secret, nothing for Node, no sign of the channel."""
    for name in ("SECRET_TOKEN", "HOME", "NODE_PATH", "NODE_COMPILE_CACHE", "ROTIFER_TELEMETRY"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("NODE_OPTIONS", "--no-strip-types")
    monkeypatch.setenv("TZ", "UTC")
    source = """
        import * as fs from "node:fs"
        export const express = () =>
            [process.env, fs.readFileSync(0, "utf8"), process.argv.slice(2), process.argv[1].split("/").pop()]
    """
    environment, stdin, arguments, program = outcome(stage, source)
    assert set(environment) <= {"PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}
    assert (environment["TZ"], stdin, arguments, program) == ("UTC", "", [], "index.ts")


DENIED = {
    "reading a file of the system": "fs.readFileSync('/etc/passwd')",
    "reading the store": "fs.readFileSync(new URL('../../.rotifer/playground.db', import.meta.url))",
    "opening the store": "new (require('node:sqlite').DatabaseSync)(input.store)",
    "opening it past require": "new (process.getBuiltinModule('node:sqlite').DatabaseSync)(input.store)",
    "letting the engine write": "v8.setFlagsFromString('--trace-turbo-path=/tmp')",
    "letting the engine write past import": "require('node:v8').setFlagsFromString('--trace-turbo')",
    "replacing the program": "process.execve('/bin/true', ['true'], {})",
    "a report": "process.report.writeReport('/tmp/report.json')",
    "a trace": "require('node:trace_events').createTracing({ categories: ['v8'] }).enable()",
    "another system's programs": "new (require('node:wasi').WASI)({ version: 'preview1' })",
    "reading another gene": "fs.readFileSync(new URL('../other/index.ts', import.meta.url))",
    "listing the project": "fs.readdirSync(new URL('../..', import.meta.url))",
    "writing into its folder": "fs.writeFileSync(new URL('./new.ts', import.meta.url), '')",
    "writing anywhere": "fs.writeFileSync(path.join(os.tmpdir(), 'x'), '')",
    "linking": "fs.symlinkSync('/etc', new URL('./etc', import.meta.url))",
    "starting a program": "require('node:child_process').spawnSync('/bin/true')",
    "starting a shell": "require('node:child_process').execSync('true')",
    "starting a worker": "new (require('node:worker_threads').Worker)('', { eval: true })",
    "loading machine code": "process.dlopen({ exports: {} }, '/nowhere.node')",
    "a debugger": "require('node:inspector').open(0)",
}


@pytest.mark.parametrize("deed", DENIED.values(), ids=DENIED)
def test_a_gene_is_kept_in_its_folder_and_starts_nothing(stage: Any, deed: str) -> None:
    """HST-4: Node's permission model."""
    folder = stage.add_gene("", file="index.ts")
    (folder / "own.txt").write_text("own")
    stage.add_gene("", "other", file="index.ts")
    source = f"""
        import * as fs from "node:fs"
        import * as os from "node:os"
        import * as path from "node:path"
        import * as v8 from "node:v8"
        import {{ createRequire }} from "node:module"
        const require = createRequire(import.meta.url)
        export function express(input) {{
            const own = fs.readFileSync(new URL("./own.txt", import.meta.url), "utf8")
            try {{
                return [own, String({deed})]
            }} catch (error) {{
                return [own, error.code ?? error.message]
            }}
        }}
    """
    own, told = outcome(stage, source, {"store": str(stage.root / ".rotifer" / "playground.db")})
    assert own == "own"
    denied = ("ERR_ACCESS_DENIED", "ERR_DLOPEN_DISABLED", "ERR_UNKNOWN_BUILTIN_MODULE", "is not a function")
    assert told.endswith((*denied, "(reading 'DatabaseSync')"))
    assert {path.name for path in folder.iterdir()} == {"index.ts", "own.txt", "phenotype.json"}


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("link", ".rotifer/playground.db"),
        ("deep/link.txt", ".rotifer/none"),
        (".hidden", ".rotifer"),
        ("node_modules", ".rotifer"),
    ],
)
def test_a_link_that_leads_out_of_the_folder_keeps_a_gene_from_running(
    stage: Any, name: str, target: str
) -> None:
    """HST-4: Node would follow it without asking; one that stays inside is no way out."""
    folder = stage.add_gene("export const express = () => 1", file="index.ts")
    (folder / "deep").mkdir()
    (folder / "deep" / "inside").symlink_to("../index.ts")
    assert outcome(stage, "export const express = () => 1") == 1
    (folder / name).symlink_to(stage.root / target)
    with pytest.raises(GeneFailed, match=f"^{name} is a link that leads out of its folder$"):
        outcome(stage, "export const express = () => 1")


def test_a_gene_inherits_no_descriptor_but_its_channel(stage: Any) -> None:
    """HST-3: not the store's files, and not another gene's channel."""
    source = """
        import * as fs from "node:fs"
        export function express() {
            const found = []
            for (let number = 3; number < 256; number++) {
                try {
                    const stat = fs.fstatSync(number)
                    if (stat.isFile() || stat.isSocket() || stat.isDirectory()) found.push(number)
                } catch {}
            }
            return found.length
        }
    """
    stage.store.gene_memory("main", Gene("v2:" + "a" * 64, "dates")).write_memory("k", b"1", "CACHE")
    with stage.child("export const express = () => 1", "other", file="index.ts") as other:
        other.run(None, 30)
        assert outcome(stage, source) == 1


def test_a_run_writes_nothing_into_the_genes_folder(stage: Any) -> None:
    """GEN-2."""
    folder = stage.add_gene("export const express = () => 1", file="index.ts")
    assert outcome(stage, "export const express = () => 1") == 1
    assert {path.name for path in folder.rglob("*")} == {"index.ts", "phenotype.json"}


def test_a_project_behind_a_link_is_read_where_it_is(stage: Any, tmp_path: Path) -> None:
    """HST-4: Node asks what it may read of the real path."""
    stage.add_gene("export const express = () => 1", file="index.ts")
    link = tmp_path / "link"
    link.symlink_to(stage.root)
    folder = read_gene_folder(link / "genes" / "gene")
    with GeneChild(node_command(folder), NoMemory()) as child:
        assert child.run(None, 30) == 1


@pytest.mark.parametrize("name", ["with space", "it's", "a,b", "50%20", "ö", "a#b?c"])
def test_a_folder_of_an_odd_name_holds_a_gene(tmp_path: Path, name: str, stage: Any) -> None:
    """HST-3: and its errors are still told with the file's own name."""
    folder = tmp_path / name / "gene"
    folder.mkdir(parents=True)
    (folder / "phenotype.json").write_text(
        json.dumps({"domain": "dates", "inputSchema": {}, "outputSchema": {}, "version": "1"})
    )
    (folder / "index.ts").write_text("export function express() {\n  throw new Error('here')\n}")
    child = GeneChild(node_command(read_gene_folder(folder)), NoMemory())
    with child, pytest.raises(GeneFailed, match=r"^Error: here \(index\.ts, line 2\)$"):
        child.run(None, 30)


@pytest.mark.parametrize("name", [b"a*b", b"a\xffb", b"a\nb"])
def test_a_folder_that_node_could_not_be_kept_in_is_refused(tmp_path: Path, name: bytes) -> None:
    """HST-4: a `*` would let it read more than the gene's folder."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)) / "gene"
    try:
        folder.mkdir(parents=True)
    except OSError:
        pytest.skip("this file system takes no such name")
    (folder / "phenotype.json").write_text(
        json.dumps({"domain": "dates", "inputSchema": {}, "outputSchema": {}, "version": "1"})
    )
    (folder / "index.ts").write_text("export const express = () => 1")
    with pytest.raises(GeneFailed, match="Node could not be kept in it"):
        node_command(read_gene_folder(folder))


PROGRAM = """
    import sys
    from rotifer_console import run_agent
    from rotifer_store import open_store
    with open_store(sys.argv[1]) as store:
        result = run_agent(store, "main", None, project=sys.argv[1], timeout_s=float(sys.argv[2]))
    sys.stdout.write(str(result.output))
"""


def program(stage: Any, source: str, timeout_s: float) -> list[str]:
    gene = Gene.from_folder(stage.add_gene(source, file="index.ts"))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    return [sys.executable, "-c", dedent(PROGRAM), str(stage.root), str(timeout_s)]


FLOOD = """
    export function express() {
        for (let turn = 0; turn < 80; turn++) {
            (turn % 2 ? process.stdout : process.stderr).write("x".repeat(65535) + "\\n")
        }
        console.log("last words")
        END
    }
"""


@pytest.mark.parametrize(("end", "timeout_s"), [("return 'done'", 30), ("for (;;);", 3)])
def test_megabytes_of_prints_reach_a_pipe_whole_and_leave_it_as_it_was(
    stage: Any, end: str, timeout_s: float
) -> None:
    """HST-4: Node makes a pipe one that does not block, and loses what waits when it ends."""
    read_end, write_end = os.pipe()
    words = program(stage, FLOOD.replace("END", end), timeout_s)
    started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=write_end)
    with started, open(read_end, "rb", buffering=0) as pipe:
        said = bytearray()
        while b"last words\n" not in said[-100:]:
            said += pipe.read(65_536)
        out, _ = started.communicate(timeout=60)
        assert os.get_blocking(write_end)
        os.close(write_end)
    assert len(said) == 80 * 65_536 + len("last words\n")
    assert out == (b"done" if "done" in end else b"None")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_program_without_standard_streams_runs_genes_and_harms_no_file(stage: Any, closed: str) -> None:
    """HST-4: the numbers of closed streams go to other files, which no print may reach."""
    source = """
        export function express(input, { memory }) {
            console.log("printed ".repeat(1000))
            console.error("printed ".repeat(1000))
            memory.writeMemory("k", new Uint8Array(), "CACHE")
        }
    """
    words = program(stage, source, 30)
    script = f'exec "$@" {closed}'
    subprocess.run(["/bin/sh", "-c", script, "sh", *words], capture_output=True, timeout=60, check=False)
    assert [entry.key for entry in stage.store.list_memory("main")] == ["k"]
    for file in (stage.root / ".rotifer").iterdir():
        assert b"printed" not in file.read_bytes()
