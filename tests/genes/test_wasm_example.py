"""The example gene in WebAssembly: what is laid down is what its source says, and it counts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import wasmtime

from rotifer_console import run_agent
from rotifer_store import Gene, Store, open_store
from rotifer_store.gene_folder import read_gene_folder

EXAMPLE = Path(str(files("rotifer_console.genes"))) / "examples" / "visit-counter"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "genes" / "visit-counter")
    return tmp_path


@pytest.fixture
def store(project: Path) -> Iterator[Store]:
    with open_store(project) as opened:
        opened.create_agent("main", genes=[Gene.from_folder(project / "genes" / "visit-counter")])
        yield opened
        assert opened.verify() == []


def test_the_module_is_what_its_source_says() -> None:
    """GEN-2: whoever reads the source reads what runs."""
    assert (EXAMPLE / "gene.wasm").read_bytes() == wasmtime.wat2wasm((EXAMPLE / "gene.wat").read_text())


def test_it_counts_the_runs_of_its_agent(store: Store, project: Path) -> None:
    """GEN-4, RUN-4: the second run finds what the first one wrote."""
    outputs = [run_agent(store, "main", {"any": "input"}, project=project).output for _ in range(12)]
    assert outputs == [{"visits": number} for number in range(1, 13)]
    gene = read_gene_folder(project / "genes" / "visit-counter")
    (entry,) = store.gene_memory("main", Gene(gene.gene_id, gene.domain)).query_memory()
    assert (entry.key, entry.value, entry.category) == ("visits/count", b"012", "PATTERN")
    assert entry.created_by == gene.gene_id


@pytest.mark.parametrize(
    ("before", "after"), [(b"009", 10), (b"098", 99), (b"099", 100), (b"998", 999), (b"999", 999)]
)
def test_it_carries_and_ends_at_999(store: Store, project: Path, before: bytes, after: int) -> None:
    """GEN-4."""
    gene = read_gene_folder(project / "genes" / "visit-counter")
    memory = store.gene_memory("main", Gene(gene.gene_id, gene.domain))
    memory.write_memory("visits/count", before, "PATTERN")
    assert run_agent(store, "main", "x" * 200_000, project=project).output == {"visits": after}
    entry = memory.read_memory("visits/count")
    assert entry is not None
    assert entry.value == b"%03d" % after


def test_a_refused_call_ends_it_with_the_codes_number(store: Store, project: Path) -> None:
    """HST-6: the number of the call is what `express` returns."""
    store.set_memory_quota("main", 10)
    result = run_agent(store, "main", {}, project=project)
    assert result.failed_step is not None
    assert result.failed_step.error is not None
    assert result.failed_step.error.code == "MEMORY_QUOTA_EXCEEDED"
    assert result.failed_step.error.message.startswith("express returned -8: MEMORY_QUOTA_EXCEEDED: ")
