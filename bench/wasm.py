"""A WASM gene's reads through the host's functions, and the same reads made here."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from bench import ours
from bench.material import AGENT, GENE, KEY_BYTES, VALUES, key_of
from bench.measure import Variant
from rotifer_console.hosts.wasm import WasmHost
from rotifer_store import open_store
from rotifer_store.gene_folder import read_gene_folder

WASMTIME = "wasmtime"
CALLS = 1000
"""In one run: what starting a run costs is not what is asked here."""

_TIMEOUT_S = 600.0
_GENE = f"""\
;; Reads the entry of each key of its input, a list of texts of {KEY_BYTES} bytes, and gives the last one.
(module
  (import "rotifer" "readMemory" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 65536) "{{\\22key\\22:\\22{"." * KEY_BYTES}\\22}}")
  (func (export "express") (param $input i32) (param $length i32) (result i64)
    (local $key i32) (local $end i32) (local $size i32)
    (local.set $key (i32.add (local.get $input) (i32.const 2)))
    (local.set $end (i32.add (local.get $input) (local.get $length)))
    (loop $each
      (memory.copy (i32.const 65544) (local.get $key) (i32.const {KEY_BYTES}))
      (local.set $size
        (call $read (i32.const 65536) (i32.const {KEY_BYTES + 10}) (i32.const 70000) (i32.const 4096)))
      (if (i32.lt_s (local.get $size) (i32.const 0)) (then unreachable))
      (local.set $key (i32.add (local.get $key) (i32.const {KEY_BYTES + 3})))
      (br_if $each (i32.lt_u (local.get $key) (local.get $end))))
    (i64.or (i64.const {70000 << 32}) (i64.extend_i32_u (local.get $size)))))
"""


def through(folder: Path, gene_folder: Path) -> Variant:
    """Reads of the entries of some numbers, in one run of a gene."""
    import wasmtime

    (gene_folder / "phenotype.json").write_text(
        '{"domain": "benchmark", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}'
    )
    (gene_folder / "gene.wasm").write_bytes(wasmtime.wat2wasm(_GENE))
    store = open_store(state_dir=folder)
    memory, gene, host = store.gene_memory(AGENT, GENE), read_gene_folder(gene_folder), WasmHost()
    finish_store = ours._closing(store, folder, 0)

    def run(numbers: Sequence[int]) -> object:
        return host.run(gene, [key_of(number) for number in numbers], memory, _TIMEOUT_S)

    def check(numbers: Sequence[int], last: object) -> None:
        assert isinstance(last, dict)
        assert base64.b64decode(last["value"]) == VALUES[numbers[-1] % len(VALUES)]

    def finish(batches: int) -> None:
        host.close()
        finish_store(batches * CALLS)

    return Variant("readMemory by WASM", run, check, finish)


def here(folder: Path) -> Variant:
    """The same calls in this process, from Python."""
    variant = ours.read(folder)

    def run(numbers: Sequence[int]) -> object:
        result = None
        for number in numbers:
            result = variant.run(number)
        return result

    return Variant(
        "read_memory",
        run,
        lambda numbers, last: variant.check(numbers[-1], last),
        lambda batches: variant.finish(batches * CALLS),
    )
