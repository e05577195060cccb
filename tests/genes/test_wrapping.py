"""`rotifer wrap`'s work on a gene's folder: what is missing comes, what is there stays (GEN-2, GEN-3)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rotifer_console.genes.wrapping import wrap_gene
from rotifer_store import GeneNotFound, InvalidGene
from rotifer_store.gene_folder import counted_files, read_gene_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A gene that has only its source."""
    made = tmp_path / "new"
    made.mkdir()
    (made / "index.py").write_text("def express(input, ctx): return input")
    return made


def phenotype_of(folder: Path) -> Any:
    return json.loads((folder / "phenotype.json").read_text(encoding="utf-8"))


def test_a_gene_without_a_phenotype_gets_one(folder: Path) -> None:
    """GEN-1, GEN-3."""
    wrapped = wrap_gene(folder, "notes")
    assert wrapped.written == ("domain", "inputSchema", "outputSchema", "version")
    assert wrapped.folder == read_gene_folder(folder)
    assert phenotype_of(folder) == {
        "domain": "notes",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "version": "0.1.0",
    }
    assert sorted(os.listdir(folder)) == ["index.py", "phenotype.json"]
    assert counted_files(wrapped.folder) == ["phenotype.json", "index.py"]


@pytest.mark.parametrize(
    "present",
    [
        {"version": "9.1", "note": "é\u202e\x1b", "author": {"name": "x"}},
        {"limit": 9_223_372_036_854_775_807, "huge": int("7" * 300), "small": 1e-300, "irHash": "x"},
        {"inputSchema": {"type": "object", "properties": {"a": {"enum": [None, True, 1.5]}}}},
        {"domain": "other", "fidelity": "Wrapped"},
    ],
)
def test_members_that_are_there_stay_in_their_order(folder: Path, present: dict[str, Any]) -> None:
    """GEN-1, GEN-3: unknown ones too; the domain alone is changed."""
    (folder / "phenotype.json").write_text(json.dumps(present))
    wrapped = wrap_gene(folder, "notes")
    now = phenotype_of(folder)
    assert list(now)[: len(present)] == list(present)
    kept = {name: value for name, value in present.items() if name != "domain"}
    assert now | kept | {"domain": "notes"} == now
    assert set(wrapped.written) == {
        name
        for name in ("domain", "inputSchema", "outputSchema", "version")
        if now[name] != present.get(name)
    }
    assert read_gene_folder(folder) == wrapped.folder


def test_a_whole_phenotype_is_not_touched(folder: Path) -> None:
    """GEN-2: not a byte, not even its date."""
    wrap_gene(folder, "notes")
    path = folder / "phenotype.json"
    path.write_text("\n " + path.read_text())
    before = (path.read_bytes(), path.stat())
    assert wrap_gene(folder, "notes").written == ()
    assert (path.read_bytes(), path.stat()) == before


def test_the_mode_of_a_phenotype_stays(folder: Path) -> None:
    path = folder / "phenotype.json"
    path.write_text("{}")
    path.chmod(0o640)
    wrap_gene(folder, "notes")
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        '{"a":1,"a":2}',
        '{"version":1}',
        '{"version":""}',
        '{"inputSchema":[]}',
        '{"a":NaN}',
        '{"a":1e999}',
        '{"a":"\\ud800"}',
        "[" * 100_000,
    ],
    ids=lambda text: text[:20],
)
def test_what_cannot_become_a_phenotype_is_refused_and_stays(folder: Path, text: str) -> None:
    """GEN-3."""
    path = folder / "phenotype.json"
    path.write_text(text)
    with pytest.raises(InvalidGene):
        wrap_gene(folder, "notes")
    assert path.read_text() == text
    assert sorted(os.listdir(folder)) == ["index.py", "phenotype.json"]


def test_a_link_in_place_of_the_phenotype_is_refused(folder: Path, tmp_path: Path) -> None:
    """GEN-2: nothing is written through it."""
    target = tmp_path / "target.json"
    target.write_text("{}")
    (folder / "phenotype.json").symlink_to(target)
    with pytest.raises(InvalidGene, match="link"):
        wrap_gene(folder, "notes")
    assert target.read_text() == "{}"


@pytest.mark.parametrize("phenotype", [None, "{}"])
def test_a_folder_without_a_source_is_refused_and_stays(tmp_path: Path, phenotype: str | None) -> None:
    """GEN-1."""
    folder = tmp_path / "empty"
    folder.mkdir()
    if phenotype is not None:
        (folder / "phenotype.json").write_text(phenotype)
    with pytest.raises(InvalidGene, match="source"):
        wrap_gene(folder, "notes")
    assert os.listdir(folder) == ([] if phenotype is None else ["phenotype.json"])


def test_no_folder_and_no_gene_name_are_told_apart(tmp_path: Path) -> None:
    """GEN-1."""
    with pytest.raises(GeneNotFound):
        wrap_gene(tmp_path / "nowhere", "notes")
    (tmp_path / "No Gene").mkdir()
    with pytest.raises(InvalidGene, match="called"):
        wrap_gene(tmp_path / "No Gene", "notes")


def test_a_phenotype_that_cannot_be_put_in_place_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GEN-2: no half file, no other file."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InvalidGene, match="cannot be written"):
        wrap_gene(folder, "notes")
    assert os.listdir(folder) == ["index.py"]


def test_a_wasm_gene_is_wrapped_too(folder: Path) -> None:
    """GEN-1: what counts is its module."""
    (folder / "index.py").rename(folder / "gene.wasm")
    assert counted_files(wrap_gene(folder, "notes").folder) == ["phenotype.json", "gene.wasm"]
