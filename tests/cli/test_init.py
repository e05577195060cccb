"""`rotifer init`, `rotifer list`, and finding the project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def test_init_makes_a_project_whose_example_runs(project: Any, tmp_path: Path) -> None:
    """CLI: `rotifer init`."""
    root = tmp_path / "deep" / "fresh"
    outcome = project.run("init", str(root))
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines() == [
        "rotifer.json",
        "genes/date-style/index.py",
        "genes/date-style/phenotype.json",
        "genes/date-style/testsuite.json",
        "genes/indenter/index.ts",
        "genes/indenter/phenotype.json",
        "genes/indenter/testsuite.json",
        "genes/visit-counter/gene.wasm",
        "genes/visit-counter/gene.wat",
        "genes/visit-counter/phenotype.json",
        "genes/visit-counter/testsuite.json",
        "types/rotifer-memory.d.ts",
        ".gitignore",
    ]
    assert ".rotifer/" in (root / ".gitignore").read_text()
    create = project.program("agent", "create", "a", "--genes", "date-style", cwd=root)
    assert create.exit_code == 0
    for input_text, text in [
        ('{"date": "2026-11-30"}', "2026-11-30"),
        ('{"date": "2026-11-30", "style": "short"}', "30.11.26"),
        ('{"date": "2026-12-01"}', "01.12.26"),
    ]:
        run = project.program("agent", "run", "a", "--input", input_text, cwd=root)
        assert run.json()["text"] == text
    listing = project.program("memory", "list", "a", "--json", cwd=root).json()
    assert [(entry["key"], entry["category"]) for entry in listing] == [("dates/style", "PREFERENCE")]
    refused = project.program("agent", "run", "a", "--input", '{"date": "x", "style": "y"}', cwd=root)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "refused its input" in refused.stderr


@pytest.mark.parametrize("folder", ["fresh", "two words", "-x", ".", None, "it's"])
def test_the_command_that_is_proposed_works_from_here(
    project: Any, tmp_path: Path, folder: str | None
) -> None:
    """CLI-2: as a shell takes it, whatever the folder is called."""
    here = tmp_path / "here"
    here.mkdir()
    arguments = [] if folder is None else ["--", folder]
    outcome = project.program("init", *arguments, cwd=here)
    proposed = outcome.stderr.removeprefix("try: ").strip()
    assert ("cd " in proposed) is (folder not in (None, "."))
    finished = subprocess.run(
        ["bash", "-c", proposed],
        cwd=here,
        env={"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr[:16]) == (0, b"created my-agent")


EXAMPLES = ["date-style", "indenter", "visit-counter"]


@pytest.fixture
def fresh(project: Any, tmp_path: Path) -> Any:
    """Runs the program in a project that `init` made."""
    root = tmp_path / "fresh"
    assert project.run("init", str(root)).exit_code == 0
    return lambda *words: project.program(*words, cwd=root)


@pytest.mark.parametrize("gene", EXAMPLES)
def test_each_example_passes_its_own_suite(fresh: Any, gene: str) -> None:
    """CLI, RUN-5: one for each host."""
    outcome = fresh("test", gene, "--json")
    assert outcome.exit_code == 0
    assert {check["status"] for check in outcome.json()["checks"]} == {"passed"}


def test_the_example_in_typescript_finds_its_indent_and_so_does_a_python_gene_in_its_place(
    fresh: Any, tmp_path: Path
) -> None:
    """AGT-1, AGT-9, ACC-2: by another gene of the same domain, in another language."""
    code = "if x:\n y()"
    fresh("agent", "create", "a", "--genes", "indenter")

    def run(**members: Any) -> Any:
        return fresh("agent", "run", "a", "--input", json.dumps({"code": code, **members})).json()

    assert run() == {"formatted": "if x:\n  y()", "indent": 2}
    assert run(indent=4)["indent"] == 4
    assert run() == {"formatted": "if x:\n    y()", "indent": 4}
    other = tmp_path / "fresh" / "genes" / "py-indenter"
    other.mkdir()
    (other / "index.py").write_text(
        "def express(input, ctx):\n"
        "    return {'indent': int(ctx.memory.read_memory('formatter/indent', 'PREFERENCE').value)}\n"
    )
    fresh("wrap", "py-indenter", "--domain", "formatter")
    assert fresh("agent", "genes", "a", "--replace", "indenter=py-indenter").exit_code == 0
    assert run() == {"indent": 4}


def test_the_examples_are_listed_in_their_languages(fresh: Any) -> None:
    """HST-2, GEN-1."""
    listed = {gene["name"]: gene["language"] for gene in fresh("list", "--json").json()}
    assert list(listed) == EXAMPLES
    assert list(listed.values()) == ["python", "typescript", "wasm"]


def test_init_leaves_nothing_of_a_project_that_could_not_be_made_whole(project: Any, tmp_path: Path) -> None:
    """CLI-2: and it can be tried again."""
    root = tmp_path / "fresh"
    root.mkdir()
    (root / "types").write_text("mine")
    outcome = project.run("init", str(root), "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "PROJECT_NOT_FOUND")
    assert [path for path in root.rglob("*") if path.is_file()] == [root / "types"]
    (root / "types").unlink()
    assert project.run("init", str(root)).exit_code == 0


def test_init_without_a_folder_uses_this_one(project: Any) -> None:
    (project.root / "rotifer.json").unlink()
    assert project.run("init", "--json").json()["project"] == str(project.root)
    assert (project.root / "rotifer.json").is_file()


def test_init_refuses_a_project(project: Any) -> None:
    outcome = project.run("init", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "PROJECT_EXISTS")
    assert sorted(path.name for path in project.root.iterdir()) == ["rotifer.json"]


def test_init_leaves_what_is_there_alone(project: Any) -> None:
    (project.root / "rotifer.json").unlink()
    (project.root / ".gitignore").write_text("mine\n")
    gene = project.add_gene("date-style", "def express(input, ctx): return 'mine'")
    created = project.run("init", "--json").json()["created"]
    assert [path for path in created if "date-style" in path or path == ".gitignore"] == []
    assert (project.root / ".gitignore").read_text() == "mine\n"
    assert "mine" in (gene / "index.py").read_text()


def test_init_below_a_file_is_refused(project: Any) -> None:
    (project.root / "file").write_text("")
    outcome = project.run("init", str(project.root / "file" / "x"), "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "PROJECT_NOT_FOUND")


def test_genes_are_listed_by_name_with_their_ids(project: Any) -> None:
    """CLI-1."""
    project.add_gene("b", domain="text.table", version="2.0.0")
    project.add_gene("a", "", file="index.ts")
    (project.root / "genes" / ".hidden").mkdir()
    (project.root / "genes" / "file").write_text("")
    listing = project.run("list", "--json").json()
    assert [list(gene) for gene in listing] == [["name", "domain", "language", "version", "geneId"]] * 2
    assert [(gene["name"], gene["domain"], gene["language"], gene["version"]) for gene in listing] == [
        ("a", "notes", "typescript", "1.0.0"),
        ("b", "text.table", "python", "2.0.0"),
    ]
    rows = [line.split("\t") for line in project.run("list").stdout.splitlines()]
    assert rows == [list(gene.values()) for gene in listing]


def test_no_genes_are_an_empty_list(project: Any) -> None:
    """CLI-1."""
    assert project.run("list", "--json") == (0, "[]\n", "")
    assert project.run("list") == (0, "", "no genes\n")


def test_a_broken_gene_is_listed_without_an_id_and_told_of(project: Any) -> None:
    """GEN-2."""
    project.add_gene("fine")
    (project.add_gene("broken") / "index.py").unlink()
    outcome = project.run("list", "--json")
    assert outcome.exit_code == 0
    assert outcome.json()[0] == {
        "name": "broken",
        "domain": None,
        "language": None,
        "version": None,
        "geneId": None,
    }
    assert outcome.json()[1]["geneId"].startswith("v2:")
    assert outcome.stderr.startswith("warning: gene broken: it has no source")
    assert project.run("list").stdout.splitlines()[0] == "broken\t-\t-\t-\t-"


def test_a_version_that_steers_the_terminal_is_marked(project: Any) -> None:
    """CLI-4."""
    project.add_gene("a", version="1\x1b[2J\n2")
    assert "\t1␛[2J␊2\t" in project.run("list").stdout
    assert project.run("list", "--json").json()[0]["version"] == "1\x1b[2J\n2"


@pytest.mark.parametrize("below", ["", "genes", "genes/scribe", "other/deeper"])
def test_the_project_is_found_from_any_folder_in_it(project: Any, below: str) -> None:
    """GEN-1: and its store is the one at the root."""
    project.add_gene("scribe")
    (project.root / "other" / "deeper").mkdir(parents=True)
    folder = project.root / below
    assert project.program("agent", "create", "a", "--genes", "scribe", cwd=folder).exit_code == 0
    assert [path.parent for path in project.root.rglob(".rotifer")] == [project.root]


def test_the_nearest_project_is_the_one(project: Any) -> None:
    """GEN-1."""
    inner = project.root / "inner"
    assert project.run("init", str(inner)).exit_code == 0
    assert [gene["name"] for gene in project.program("list", "--json", cwd=inner).json()] == [*EXAMPLES]


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["agent", "list"],
        ["agent", "create", "a", "--genes", "b"],
        ["agent", "run", "a", "--input", "{}"],
        ["agent", "genes", "a"],
        ["memory", "list", "a"],
        ["memory", "delete", "a", "--key=k"],
    ],
    ids=" ".join,
)
def test_outside_any_project_the_error_says_how_to_make_one(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """GEN-1, CLI-2: and no store comes to be."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "rotifer.json").mkdir()
    monkeypatch.chdir(outside)
    outcome = project.run(*arguments, "--json")
    assert outcome.exit_code == 1
    assert outcome.error()["code"] == "PROJECT_NOT_FOUND"
    assert "rotifer init" in outcome.error()["hint"]
    assert [path.name for path in outside.iterdir()] == ["rotifer.json"]


def test_a_working_folder_that_is_gone_is_no_project(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    outcome = project.run("list", "--json")
    assert json.loads(outcome.stderr)["error"]["code"] == "PROJECT_NOT_FOUND"
