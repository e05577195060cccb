"""WASM genes against a real store, and a look at what threads their host leaves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from rotifer_console.hosts.memory import Memory
from rotifer_console.hosts.wasm import WasmHost
from rotifer_store import Gene, GeneMemory, Store
from rotifer_store.gene_folder import GeneFolder, read_gene_folder

TIMEOUT_S = 20.0


class WasmStage:
    """A project with the agent `main`, whose genes a test writes in WebAssembly's text."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        self.host = WasmHost(root)

    def gene(self, code: str | bytes, name: str = "gene", domain: str = "dates") -> GeneFolder:
        folder = self.root / "genes" / name
        folder.mkdir(parents=True, exist_ok=True)
        phenotype = {"domain": domain, "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
        (folder / "phenotype.json").write_text(json.dumps(phenotype))
        (folder / "gene.wasm").write_bytes(wasmtime.wat2wasm(code) if isinstance(code, str) else code)
        return read_gene_folder(folder)

    def memory(self, gene: GeneFolder) -> GeneMemory:
        return self.store.gene_memory("main", Gene(gene.gene_id, gene.domain, gene.name))

    def run(
        self,
        code: str | bytes,
        value: Any = None,
        *,
        memory: Memory | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Any:
        """The output of a gene of `main`."""
        gene = self.gene(code)
        return self.host.run(gene, value, self.memory(gene) if memory is None else memory, timeout_s)

    def lines(self) -> list[dict[str, Any]]:
        """The audit log without its first line, which tells of the agent."""
        log = (self.root / ".rotifer" / "audit.jsonl").read_bytes()
        return [json.loads(line) for line in log.splitlines()[1:]]


@pytest.fixture
def wasm(stage: Any) -> Iterator[WasmStage]:
    """Upon the teardown of `stage`, which looks at the store."""
    made = WasmStage(stage.root, stage.store)
    yield made
    made.host.close()
    for thread in threading.enumerate():
        if thread.name.startswith("rotifer-wasm"):
            thread.join(TIMEOUT_S)
            assert not thread.is_alive(), f"{thread.name} is left"
