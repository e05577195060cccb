"""Without wasmtime: one clear line, and everything else works (ERR)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hosts.wasm.wat import returning

PROGRAM = """
import sys
from pathlib import Path
from rotifer_console import run_agent
from rotifer_console.hosts.memory import NoMemory
from rotifer_console.hosts.wasm import WasmHost, require_wasm_support
from rotifer_console.errors import GeneFailed
from rotifer_store import AgentMemoryError
from rotifer_store.gene_folder import read_gene_folder

assert "wasmtime" not in sys.modules
sys.modules["wasmtime"] = None
try:
    require_wasm_support()
except AgentMemoryError as error:
    print(error.code, error)
gene = read_gene_folder(sys.argv[1])
with WasmHost(Path(sys.argv[2])) as host:
    for _ in range(2):
        try:
            host.run(gene, None, NoMemory(), 5.0)
        except GeneFailed as error:
            print(error.__cause__.code, error)
"""
LINE = (
    "MEMORY_STORAGE_ERROR WASM genes need wasmtime, which is not installed; "
    "pip install 'rotifer-console[wasm]' brings it\n"
)


def test_a_gene_that_needs_wasmtime_says_what_to_install(wasm: Any) -> None:
    """ERR: MEMORY_STORAGE_ERROR, in one line, each time it is asked for."""
    gene = wasm.gene(returning("1"))
    words = [sys.executable, "-c", PROGRAM, str(gene.path), str(wasm.root)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == (LINE * 3, "")


def test_nothing_loads_wasmtime_before_a_gene_needs_it(tmp_path: Path) -> None:
    """CLI-6: not even the host that will."""
    program = (
        "import sys; from rotifer_console import run_agent; from rotifer_console.hosts.wasm import WasmHost; "
        "host = WasmHost(); host.close(); assert not [name for name in sys.modules if 'wasmtime' in name]"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
