"""A gene's folder: what makes one a gene, which source runs, which files count, what is refused."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from rotifer_store.errors import GeneNotFound, InvalidGene
from rotifer_store.gene_folder import GeneLanguage, read_gene_folder
from rotifer_store.gene_id import v2_id
from rotifer_store.model import Gene

PHENOTYPE: dict[str, Any] = {"domain": "dates", "inputSchema": {}, "outputSchema": {}, "version": "1.2.3"}


def make_gene(
    parent: Path, files: dict[str, str] | None = None, *, name: str = "gene", phenotype: Any = PHENOTYPE
) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "phenotype.json").write_text(json.dumps(phenotype))
    for path, content in ({"index.py": ""} if files is None else files).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    return folder


def id_of(folder: Path, *paths: str) -> str:
    files = [(path, hashlib.sha256((folder / path).read_bytes()).digest()) for path in paths]
    return v2_id(json.loads((folder / "phenotype.json").read_text()), files)


def test_a_gene_tells_its_name_domain_version_language_and_id(tmp_path: Path) -> None:
    """GEN-1, GEN-2."""
    folder = make_gene(tmp_path, name="date-style")
    gene = read_gene_folder(folder)
    assert (gene.name, gene.domain, gene.version) == ("date-style", "dates", "1.2.3")
    assert (gene.language, gene.source) == (GeneLanguage.PYTHON, folder / "index.py")
    assert gene.gene_id == id_of(folder, "index.py")


def test_a_gene_for_memory_is_read_from_its_folder(tmp_path: Path) -> None:
    """python-api: `Gene.from_folder`."""
    folder = make_gene(tmp_path)
    assert Gene.from_folder(str(folder)) == Gene(id_of(folder, "index.py"), "dates", "gene", "1.2.3")


def test_a_relative_path_gives_the_same_gene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_gene(tmp_path)
    monkeypatch.chdir(folder)
    assert read_gene_folder(".") == read_gene_folder(folder)


def test_unknown_members_are_kept_and_count(tmp_path: Path) -> None:
    """GEN-1, GEN-2."""
    plain = make_gene(tmp_path / "a")
    more = make_gene(tmp_path / "b", phenotype=PHENOTYPE | {"pricingHint": {"x": [1]}})
    assert read_gene_folder(more).phenotype["pricingHint"] == {"x": [1]}
    assert read_gene_folder(more).gene_id != read_gene_folder(plain).gene_id


@pytest.mark.parametrize(
    ("files", "members", "source", "language"),
    [
        (["index.py", "index.ts", "index.js", "index.mjs"], {}, "index.py", "python"),
        (["index.ts", "index.js", "index.mjs"], {}, "index.ts", "typescript"),
        (["index.js", "index.mjs"], {}, "index.js", "javascript"),
        (["index.mjs"], {}, "index.mjs", "javascript"),
        (["gene.wasm"], {}, "gene.wasm", "wasm"),
        (["gene.ir.wasm", "gene.wasm"], {}, "gene.ir.wasm", "wasm"),
        (["index.py", "gene.wasm"], {}, "index.py", "python"),
        (["index.ts", "gene.wasm"], {"fidelity": "Wrapped"}, "index.ts", "typescript"),
        (["index.ts", "gene.wasm"], {"fidelity": "Hybrid"}, "index.ts", "typescript"),
        (["index.ts", "gene.wasm"], {"fidelity": "Native"}, "gene.wasm", "wasm"),
        (["gene.wasm"], {"fidelity": "Wrapped"}, "gene.wasm", "wasm"),
    ],
)
def test_the_source_that_runs_follows_fidelity_and_order(
    tmp_path: Path, files: list[str], members: dict[str, str], source: str, language: str
) -> None:
    """GEN-1."""
    gene = read_gene_folder(make_gene(tmp_path, dict.fromkeys(files, ""), phenotype=PHENOTYPE | members))
    assert (gene.source.name, gene.language) == (source, language)


COUNTED = "counted"
PASSED_OVER = "passed over"


@pytest.mark.parametrize(
    ("source", "file", "fate"),
    [
        ("index.py", "helper.py", COUNTED),
        ("index.py", "lib/deep/helper.py", COUNTED),
        ("index.py", "_.py", COUNTED),
        ("index.py", "helper.js", PASSED_OVER),
        ("index.py", "data.json", PASSED_OVER),
        ("index.py", "README.md", PASSED_OVER),
        ("index.py", "helper.pyc", PASSED_OVER),
        ("index.py", "gene.wasm", PASSED_OVER),
        ("index.ts", "a.ts", COUNTED),
        ("index.ts", "a.mts", COUNTED),
        ("index.ts", "a.cts", COUNTED),
        ("index.ts", "a.js", COUNTED),
        ("index.ts", "a.mjs", COUNTED),
        ("index.ts", "a.cjs", COUNTED),
        ("index.ts", "package.json", COUNTED),
        ("index.ts", "testsuite.json", PASSED_OVER),
        ("index.ts", "package-lock.json", PASSED_OVER),
        ("index.ts", "a.py", PASSED_OVER),
        ("index.js", "lib/a.json", COUNTED),
        *[
            ("index.js", f"{folder}/a.js", PASSED_OVER)
            for folder in (
                ".git",
                "__pycache__",
                "node_modules",
                "target",
                "dist",
                "build",
                "tests",
                "lib/tests",
            )
        ],
        ("gene.wasm", "index.md", PASSED_OVER),
        ("gene.wasm", "helper.py", PASSED_OVER),
    ],
)
def test_the_files_that_can_run_count(tmp_path: Path, source: str, file: str, fate: str) -> None:
    """GEN-2."""
    folder = make_gene(tmp_path, {source: "source", file: "more"})
    counted = [source, file] if fate is COUNTED else [source]
    assert read_gene_folder(folder).gene_id == id_of(folder, *counted)


def test_an_upgrade_changes_the_id(tmp_path: Path) -> None:
    """GEN-2."""
    folder = make_gene(tmp_path, {"index.py": "", "helper.py": "x = 1"})
    before = read_gene_folder(folder).gene_id
    (folder / "helper.py").write_text("x = 2")
    assert read_gene_folder(folder).gene_id != before


@pytest.mark.parametrize("name", ["index.py", "helper.py", "lib", "phenotype.json", "dangling.py"])
def test_a_link_where_a_file_could_run_is_refused(tmp_path: Path, name: str) -> None:
    """GEN-2: what it leads to could change without the id."""
    folder = make_gene(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    if name in ("index.py", "phenotype.json"):
        (folder / name).rename(outside / name)
    elif name == "helper.py":
        (outside / name).write_text("")
    (folder / name).symlink_to(outside if name == "lib" else outside / name)
    with pytest.raises(InvalidGene, match="link"):
        read_gene_folder(folder)


def test_links_that_nothing_runs_are_left_alone(tmp_path: Path) -> None:
    folder = make_gene(tmp_path)
    (folder / "README.md").symlink_to("/etc/hostname")
    (folder / "node_modules").symlink_to(tmp_path)
    assert read_gene_folder(folder).gene_id == id_of(folder, "index.py")


def test_a_pipe_under_a_runnable_name_is_refused_without_waiting(tmp_path: Path) -> None:
    folder = make_gene(tmp_path)
    os.mkfifo(folder / "helper.py")
    with pytest.raises(InvalidGene, match="plain file"):
        read_gene_folder(folder)


def test_a_missing_folder_is_no_gene(tmp_path: Path) -> None:
    with pytest.raises(GeneNotFound):
        read_gene_folder(tmp_path / "gene")


def test_a_file_is_no_gene_folder(tmp_path: Path) -> None:
    (tmp_path / "gene").write_text("")
    with pytest.raises(GeneNotFound):
        read_gene_folder(tmp_path / "gene")


@pytest.mark.parametrize("name", ["a", "7", "a.b", "a-b_c.d", "a--b", "a" * 100])
def test_a_name_that_a_gene_may_have(tmp_path: Path, name: str) -> None:
    """GEN-1."""
    assert read_gene_folder(make_gene(tmp_path, name=name)).name == name


@pytest.mark.parametrize("name", ["A", "-a", "a-", ".a", "a.", "a..b", "_a", "a b", "é", "a\n", "a" * 101])
def test_a_name_that_no_gene_has(tmp_path: Path, name: str) -> None:
    """GEN-1."""
    with pytest.raises(InvalidGene, match="no gene is called"):
        read_gene_folder(make_gene(tmp_path, name=name))


@pytest.mark.parametrize("domain", ["a", "7", "text.table", "a.b.c", "0.0"])
def test_a_domain_that_a_gene_may_have(tmp_path: Path, domain: str) -> None:
    """GEN-1."""
    assert read_gene_folder(make_gene(tmp_path, phenotype=PHENOTYPE | {"domain": domain})).domain == domain


@pytest.mark.parametrize(
    "domain", ["", ".", "a.", ".a", "a..b", "A", "a-b", "a_b", "a b", "a\n", "٣", None, 1, []]
)
def test_a_domain_that_no_gene_has(tmp_path: Path, domain: object) -> None:
    """GEN-1."""
    with pytest.raises(InvalidGene, match="domain"):
        read_gene_folder(make_gene(tmp_path, phenotype=PHENOTYPE | {"domain": domain}))


@pytest.mark.parametrize("member", sorted(PHENOTYPE))
def test_each_required_member_is_missed(tmp_path: Path, member: str) -> None:
    """GEN-1."""
    phenotype = {name: value for name, value in PHENOTYPE.items() if name != member}
    with pytest.raises(InvalidGene, match=member):
        read_gene_folder(make_gene(tmp_path, phenotype=phenotype))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "1",
        "\ufeff{}",
        '{"domain": "a", "domain": "b", "inputSchema": {}, "outputSchema": {}, "version": "1"}',
        '{"domain": "a", "inputSchema": {"maximum": NaN}, "outputSchema": {}, "version": "1"}',
        '{"domain": "a", "inputSchema": {"maximum": 1e999}, "outputSchema": {}, "version": "1"}',
        '{"domain": "a", "inputSchema": {"title": "\\ud800"}, "outputSchema": {}, "version": "1"}',
        '{"domain": "a", "inputSchema": [], "outputSchema": {}, "version": "1"}',
        '{"domain": "a", "inputSchema": {}, "outputSchema": "x", "version": "1"}',
        '{"domain": "a", "inputSchema": {}, "outputSchema": {}, "version": 1}',
        '{"a": ' * 100_000,
    ],
)
def test_a_phenotype_that_cannot_be_read_gives_no_gene(tmp_path: Path, text: str) -> None:
    """GEN-2: and so no v2 id."""
    folder = make_gene(tmp_path)
    (folder / "phenotype.json").write_text(text)
    with pytest.raises(InvalidGene):
        read_gene_folder(folder)


def test_a_phenotype_that_is_not_utf_8_gives_no_gene(tmp_path: Path) -> None:
    folder = make_gene(tmp_path)
    (folder / "phenotype.json").write_bytes(b'{"domain": "\xff"}')
    with pytest.raises(InvalidGene, match="not JSON"):
        read_gene_folder(folder)


def test_integers_beyond_a_double_are_no_trouble(tmp_path: Path) -> None:
    """GEN-2: a bound such as 2^63 - 1 is usual in a schema."""
    phenotype = PHENOTYPE | {"inputSchema": {"maximum": 2**63 - 1, "minimum": -(10**300)}}
    assert read_gene_folder(make_gene(tmp_path, phenotype=phenotype)).gene_id.startswith("v2:")


@pytest.mark.parametrize(
    ("files", "members"),
    [
        ({}, {}),
        ({"index.pyc": ""}, {}),
        ({"lib/index.py": ""}, {}),
        ({"index.py": ""}, {"fidelity": "Native"}),
        ({"index.py/inner": ""}, {}),
    ],
)
def test_a_gene_without_the_source_it_runs_from_is_refused(
    tmp_path: Path, files: dict[str, str], members: dict[str, str]
) -> None:
    """GEN-1, GEN-2."""
    with pytest.raises(InvalidGene, match=r"no source|Native"):
        read_gene_folder(make_gene(tmp_path, files, phenotype=PHENOTYPE | members))


def test_reading_a_gene_writes_nothing(tmp_path: Path) -> None:
    """GEN-2: no command but `wrap` writes into a gene's folder."""
    folder = make_gene(tmp_path, {"index.py": "", "lib/a.py": ""})
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    read_gene_folder(folder)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
