"""What the page on genes in WebAssembly shows is built and run as it stands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rotifer_console.hosts.channel import MEMORY_CALLS
from rotifer_console.hosts.wasm import WasmHost
from rotifer_console.hosts.wasm_abi import NUMBER_OF, RUN_LIMITS, SPENT, TOO_SMALL
from rotifer_store import Gene, GeneMemory, open_store
from rotifer_store.gene_folder import GeneFolder, read_gene_folder

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "genes-wasm.md").read_text()
ECHO, MEMORIES = re.findall(r"```wat\n(.*?)```", PAGE, re.DOTALL)
(BUILD,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def built(folder: Path, source: str) -> GeneFolder:
    folder.mkdir(parents=True)
    phenotype = {"domain": "doc", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
    (folder / "phenotype.json").write_text(json.dumps(phenotype))
    (folder / "gene.wat").write_text(source)
    subprocess.run([sys.executable, "-c", BUILD], cwd=folder, check=True)
    return read_gene_folder(folder)


@pytest.mark.parametrize("entries", [0, 1, 300])
def test_its_genes_do_what_it_says(tmp_path: Path, entries: int) -> None:
    """HST-5, HST-6: the second one has to ask again, where much is remembered."""
    with open_store(tmp_path) as store, WasmHost() as host:
        store.create_agent("main")

        def memory_of(gene: GeneFolder) -> GeneMemory:
            return store.gene_memory("main", Gene(gene.gene_id, gene.domain))

        echo = built(tmp_path / "genes" / "echo", ECHO)
        assert host.run(echo, {"a": [1]}, memory_of(echo), 20.0) == {"a": [1]}
        memories = built(tmp_path / "genes" / "memories", MEMORIES)
        memory = memory_of(memories)
        for number in range(entries):
            memory.write_memory(f"doc/{number}", b"v" * 1000, "CONTEXT")
        found = [entry.to_json() for entry in memory.query_memory()]
        assert host.run(memories, None, memory, 20.0) == found


def test_its_numbers_are_the_tables() -> None:
    """ERR."""
    numbers = {
        code: -int(number)
        for number, code in re.findall(r"^\| −(\d+) \| (MEMORY_[A-Z_]+)", PAGE, re.MULTILINE)
    }
    assert numbers == dict(NUMBER_OF)
    all_numbers = {-int(number) for number in re.findall(r"^\| −(\d+) \|", PAGE, re.MULTILINE)}
    assert all_numbers == {*NUMBER_OF.values(), TOO_SMALL, SPENT}
    assert re.findall(r"^\| `(\w+Memory)` \|", PAGE, re.MULTILINE) == list(MEMORY_CALLS)


def test_its_limits_are_those_that_hold() -> None:
    """HST-8."""
    limits = PAGE[PAGE.index("## Limits") :]
    told = sorted(int(number) for number in re.findall(r"\b\d+\b", limits[: limits.index("| time |")]))
    assert told == sorted([*(row.value for row in RUN_LIMITS), 32])
