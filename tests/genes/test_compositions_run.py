"""Every composition with genes of every language, where some fail: what each saw, wrote, and came to."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from rotifer_console import run_agent
from rotifer_store import Gene, open_store

OWN = {"readScope": "CREATOR_GENE_ONLY", "writeScope": "CREATOR_GENE_ONLY", "sharePolicy": "PRIVATE"}
PYTHON = """
import json
def express(input, ctx):
    ctx.memory.write_memory("{name}/saw", json.dumps(input).encode(), "CONTEXT", {own!r})
    {fail}
    return {{"by": "{name}", "in": input}}
"""
TYPESCRIPT = """
export function express(input: unknown, {{ memory }}: any) {{
    memory.writeMemory("{name}/saw", Buffer.from(JSON.stringify(input)), "CONTEXT", {own})
    {fail}
    return {{ by: "{name}", in: input }}
}}
"""
WAT = """
(module
  (import "rotifer" "writeMemory" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (data (i32.const 0) "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  (data (i32.const 64) "{head}")
  (data (i32.const 512) "{before}")
  (data (i32.const 768) "{tail}")
  (func (export "alloc") (param i32) (result i32) (i32.const 131072))
  (func $digit (param $at i32) (param $bits i32)
    (i32.store8 (local.get $at) (i32.load8_u (i32.and (local.get $bits) (i32.const 63)))))
  (func (export "express") (param $in i32) (param $n i32) (result i64)
    (local $i i32) (local $o i32) (local $bits i32)
    (block $padded (loop $pad  ;; with spaces, so that the base64 needs no padding
      (br_if $padded (i32.eqz (i32.rem_u (local.get $n) (i32.const 3))))
      (i32.store8 (i32.add (local.get $in) (local.get $n)) (i32.const 32))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br $pad)))
    (memory.copy (i32.const 1024) (i32.const 64) (i32.const {head_bytes}))
    (local.set $o (i32.const {value_at}))
    (loop $next
      (local.set $bits (i32.or (i32.or
        (i32.shl (i32.load8_u (i32.add (local.get $in) (local.get $i))) (i32.const 16))
        (i32.shl (i32.load8_u offset=1 (i32.add (local.get $in) (local.get $i))) (i32.const 8)))
        (i32.load8_u offset=2 (i32.add (local.get $in) (local.get $i)))))
      (call $digit (local.get $o) (i32.shr_u (local.get $bits) (i32.const 18)))
      (call $digit (i32.add (local.get $o) (i32.const 1)) (i32.shr_u (local.get $bits) (i32.const 12)))
      (call $digit (i32.add (local.get $o) (i32.const 2)) (i32.shr_u (local.get $bits) (i32.const 6)))
      (call $digit (i32.add (local.get $o) (i32.const 3)) (local.get $bits))
      (local.set $o (i32.add (local.get $o) (i32.const 4)))
      (local.set $i (i32.add (local.get $i) (i32.const 3)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $n))))
    (memory.copy (local.get $o) (i32.const 768) (i32.const 2))
    (if (i32.lt_s (call $write (i32.const 1024) (i32.sub (local.get $o) (i32.const 1022))
                               (i32.const 65536) (i32.const 60000)) (i32.const 0))
      (then (unreachable)))
    {fail}
    (memory.copy (i32.const 196608) (i32.const 512) (i32.const {before_bytes}))
    (memory.copy (i32.const {input_at}) (local.get $in) (local.get $n))
    (i32.store8 (i32.add (i32.const {input_at}) (local.get $n)) (i32.const 125))
    (i64.or (i64.const {packed}) (i64.extend_i32_u (i32.add (local.get $n) (i32.const {around_bytes}))))))
"""


def wat_text(name: str, *, fails: bool) -> str:
    head = json.dumps({"key": f"{name}/saw", "category": "CONTEXT", "accessPolicy": OWN, "value": ""})[:-2]
    before = f'{{"by": "{name}", "in": '
    return WAT.format(
        head=head.replace('"', '\\"'),
        before=before.replace('"', '\\"'),
        tail='\\"}',
        head_bytes=len(head),
        value_at=1024 + len(head),
        before_bytes=len(before),
        input_at=196_608 + len(before),
        packed=196_608 << 32,
        around_bytes=len(before) + 1,
        fail="(unreachable)" if fails else "",
    )


def lay_down(root: Path, name: str, language: str, *, fails: bool) -> Gene:
    folder = root / "genes" / name
    folder.mkdir(parents=True)
    (folder / "phenotype.json").write_text(
        json.dumps({"domain": f"of.{name}", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"})
    )
    if language == "python":
        fail = f"raise ValueError('{name} broke')" if fails else "pass"
        (folder / "index.py").write_text(PYTHON.format(name=name, own=OWN, fail=fail))
    elif language == "node":
        fail = f"throw new Error('{name} broke')" if fails else ""
        (folder / "index.ts").write_text(TYPESCRIPT.format(name=name, own=json.dumps(OWN), fail=fail))
    else:
        (folder / "gene.wasm").write_bytes(wasmtime.wat2wasm(wat_text(name, fails=fails)))
    return Gene.from_folder(folder)


INPUT = {"kind": "x", "n": 7}
PAR_FIRST = {"type": "Par", "merge": "first"}
PAR_CONCAT = {"type": "Par", "merge": "concat"}
PREDICATE = {"field": "kind", "op": "Eq", "value": "x"}
COND_THEN = {"type": "Cond", "predicate": PREDICATE}
COND_ELSE = {"type": "Cond", "predicate": {**PREDICATE, "op": "Neq"}}
A, B = {"by": "a", "in": INPUT}, {"by": "b", "in": INPUT}
A_THEN_B = {"by": "b", "in": A}
BOTH = {"branch_0": A, "branch_1": B}
FELL_BACK = "what the fallback made of the primary's error"

COURSES: list[tuple[dict[str, Any], str, str, Any]] = [
    # composition, genes that fail, genes that run, the output or the gene whose error is the run's
    ({"type": "Seq"}, "", "ab", A_THEN_B),
    ({"type": "Seq"}, "a", "a", "a"),
    ({"type": "Seq"}, "b", "ab", "b"),
    (PAR_FIRST, "", "ab", A),
    (PAR_FIRST, "a", "ab", B),
    (PAR_FIRST, "b", "ab", A),
    (PAR_FIRST, "ab", "ab", "a"),
    (PAR_CONCAT, "", "ab", BOTH),
    (PAR_CONCAT, "a", "ab", "a"),
    (PAR_CONCAT, "b", "ab", "b"),
    (PAR_CONCAT, "ab", "ab", "a"),
    (COND_THEN, "", "a", A),
    (COND_THEN, "a", "a", "a"),
    (COND_THEN, "b", "a", A),
    (COND_ELSE, "", "b", B),
    (COND_ELSE, "b", "b", "b"),
    ({"type": "Try"}, "", "a", A),
    ({"type": "Try"}, "a", "ab", FELL_BACK),
    ({"type": "Try"}, "b", "a", A),
    ({"type": "Try"}, "ab", "ab", "b"),
]


@pytest.mark.parametrize(
    "languages", list(itertools.product(("python", "node", "wasm"), repeat=2)), ids="-".join
)
@pytest.mark.parametrize(
    ("composition", "failing", "running", "comes_to"),
    COURSES,
    ids=[
        f"{course['type']}-{number}-{failing or 'none'}"
        for number, (course, failing, *_) in enumerate(COURSES)
    ],
)
def test_a_composition_means_the_same_whatever_its_genes_are_written_in(
    composition: dict[str, Any],
    failing: str,
    running: str,
    comes_to: Any,
    languages: tuple[str, str],
    tmp_path: Path,
) -> None:
    """RUN-2, RUN-3, RUN-4: each under its own id, and what a failing gene wrote stays."""
    genes = [
        lay_down(tmp_path, name, language, fails=name in failing)
        for name, language in zip("ab", languages, strict=True)
    ]
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=genes, composition=composition)
        result = run_agent(store, "main", INPUT, project=tmp_path, timeout_s=30)

        host_of = dict(zip("ab", languages, strict=True))
        assert [(step.gene, step.host, step.status == "failed") for step in result.steps] == [
            (name, host_of[name], name in failing) for name in running
        ]
        errors = {step.gene: step.error for step in result.steps}
        if comes_to in ("a", "b"):
            assert result.output is None
            assert result.failed_step is not None
            assert result.failed_step.gene == comes_to
        else:
            assert result.failed_step is None

        saw: dict[str, Any] = dict.fromkeys("ab", INPUT)
        if composition["type"] == "Seq":
            saw["b"] = A
        if composition["type"] == "Try" and "a" in failing:
            saw["b"] = {"error": errors["a"].to_json(), "original_input": INPUT}
        if comes_to == FELL_BACK:
            comes_to = {"by": "b", "in": saw["b"]}
        if comes_to not in ("a", "b"):
            assert result.output == comes_to

        written = {entry.key: entry.created_by for entry in store.list_memory("main")}
        ids = {gene.name: gene.id for gene in genes}
        assert written == {f"{name}/saw": ids[name] for name in running}
        for name in running:
            assert json.loads(store.peek_value("main", f"{name}/saw")) == saw[name]
        assert store.verify() == []


MEETING = """
(module
  (import "rotifer" "writeMemory" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "rotifer" "readMemory" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{{\\"key\\":\\"{name}\\",\\"category\\":\\"CACHE\\",\\"value\\":\\"\\"}}")
  (data (i32.const 2048) "{{\\"key\\":\\"{other}\\"}}")
  (data (i32.const 3072) "\\"{name}\\"\\00")
  (func (export "express") (param i32 i32) (result i32)
    (if (i32.lt_s (call $write (i32.const 1024) (i32.const {write_bytes}) (i32.const 4096) (i32.const 4096))
                  (i32.const 0))
      (then (unreachable)))
    (loop $until_the_other_has_come
      (br_if $until_the_other_has_come
        (i32.le_s (call $read (i32.const 2048) (i32.const {read_bytes}) (i32.const 4096) (i32.const 4096))
                (i32.const 4))))  ;; null, or no answer any more
    (i32.const 3072)))
"""


def meeting_gene(root: Path, name: str, other: str) -> Gene:
    folder = root / "genes" / name
    folder.mkdir(parents=True)
    (folder / "phenotype.json").write_text(
        json.dumps({"domain": "meeting", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"})
    )
    (folder / "gene.wasm").write_bytes(
        wasmtime.wat2wasm(
            MEETING.format(name=name, other=other, write_bytes=40 + len(name), read_bytes=10 + len(other))
        )
    )
    return Gene.from_folder(folder)


def test_branches_that_are_all_wasm_run_side_by_side(tmp_path: Path) -> None:
    """RUN-2: each waits for what the other writes."""
    genes = [meeting_gene(tmp_path, "a", "b"), meeting_gene(tmp_path, "b", "a")]
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=genes, composition=PAR_CONCAT)
        result = run_agent(store, "main", None, project=tmp_path, timeout_s=20)
        assert result.output == {"branch_0": "a", "branch_1": "b"}


def test_branches_run_one_after_another_where_one_is_not_wasm(tmp_path: Path) -> None:
    """RUN-3: in order, so the one that waits for the other waits in vain; the other runs all the same."""
    first = meeting_gene(tmp_path, "a", "b/saw")
    second = lay_down(tmp_path, "b", "python", fails=False)
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=[first, second], composition=PAR_FIRST)
        result = run_agent(store, "main", INPUT, project=tmp_path, timeout_s=1)
        assert [step.status for step in result.steps] == ["failed", "ok"]
        assert result.output == B
