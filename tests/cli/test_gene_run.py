"""`rotifer run`: one gene, no agent, no memory, no store."""

from __future__ import annotations

from typing import Any

import pytest
import wasmtime

ASKING = """
    def express(input, ctx):
        if input == "ask":
            ctx.memory.read_memory("k")
        if input == "refuse":
            return {"__rotifer_error": {"code": "TOO_LONG", "message": "a word too many"}}
        return input
"""


@pytest.fixture
def asking(project: Any) -> Any:
    project.add_gene("asking", ASKING)
    return project


@pytest.mark.parametrize("where", [[], ["--in-process"]])
def test_a_gene_runs_and_no_store_comes_of_it(asking: Any, where: list[str]) -> None:
    """AGT-8, REC-4."""
    outcome = asking.program("run", "asking", "--input", '{"a": "é"}', *where)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, '{\n  "a": "é"\n}\n', "")
    assert asking.program("run", "asking", "--input=-", *where, stdin="[1]").json() == [1]
    assert not (asking.root / ".rotifer").exists()


def test_a_result_has_the_rules_members(asking: Any) -> None:
    """CLI-1."""
    gene_id = asking.run("list", "--json").json()[0]["geneId"]
    assert asking.run("run", "asking", "--input", "1", "--json").json() == {
        "output": 1,
        "steps": [{"gene": "asking", "geneId": gene_id, "host": "python", "status": "ok", "error": None}],
    }


@pytest.mark.parametrize("where", [[], ["--in-process"]])
def test_a_memory_call_is_refused_and_recorded_nowhere(asking: Any, where: list[str]) -> None:
    """AGT-8, REC-4: in a project that has a store too."""
    asking.add_agent("main", "asking")
    files = {path: path.read_bytes() for path in (asking.root / ".rotifer").glob("*.jsonl")}
    outcome = asking.program("run", "asking", "--input", '"ask"', "--json", *where)
    assert outcome.exit_code == 1
    assert outcome.json()["steps"][0]["error"]["code"] == "MEMORY_ACCESS_DENIED"
    assert "MEMORY_ACCESS_DENIED" in outcome.error()["message"]
    assert "rotifer agent run" in outcome.error()["hint"]
    assert {path: path.read_bytes() for path in (asking.root / ".rotifer").glob("*.jsonl")} == files


def test_a_gene_that_refuses_its_input_fails_with_its_words(asking: Any) -> None:
    """HST-6."""
    outcome = asking.run("run", "asking", "--input", '"refuse"')
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        "error[GENE_FAILED]: gene asking: it refused its input: TOO_LONG: a word too many\n"
    )


def test_a_gene_that_takes_too_long_is_ended(project: Any) -> None:
    """HST-4."""
    project.add_gene("endless", "def express(input, ctx):\n    while True: pass")
    outcome = project.run("run", "endless", "--input", "1", "--timeout", "0.5s", "--json")
    assert outcome.exit_code == 1
    assert outcome.error()["message"] == "gene endless: express did not settle within 0.5 s and was ended"


@pytest.mark.parametrize(
    ("name", "status", "code", "hint"),
    [
        ("askin", 1, "GENE_NOT_FOUND", "did you mean asking?"),
        ("broken", 1, "GENE_INVALID", None),
        ("../asking", 2, "GENE_INVALID", "a name is"),
        ("asking,asking", 2, "GENE_INVALID", "a name is"),
        ("", 2, "GENE_INVALID", "a name is"),
    ],
)
def test_what_is_no_gene_is_refused(asking: Any, name: str, status: int, code: str, hint: str | None) -> None:
    """CLI-2, CLI-5."""
    (asking.root / "genes" / "broken").mkdir()
    outcome = asking.run("run", name, "--input", "1", "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (status, "", code)
    assert (outcome.error()["hint"] or "").startswith(hint or "")


def test_outside_a_project_there_is_no_gene(project: Any) -> None:
    """GEN-1."""
    (project.root / "rotifer.json").unlink()
    outcome = project.run("run", "asking", "--input", "1", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "PROJECT_NOT_FOUND")


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        ("(local.get $number)", "express returned -2: MEMORY_ACCESS_DENIED: a gene that runs"),
        ("(i32.const 1024)", "it refused its input: MEMORY_ACCESS_DENIED: a gene that runs"),
        ("unreachable", "it trapped: it reached what its compiler or author marked as unreachable, after"),
    ],
    ids=["the number", "the body", "giving up"],
)
def test_a_module_whose_memory_call_is_refused_is_told_by_the_same_code(
    project: Any, ending: str, says: str
) -> None:
    """AGT-8, HST-6: in each of the ways in which a module can let a refusal through."""
    folder = project.add_gene("module", "")
    (folder / "index.py").unlink()
    code = f"""
        (module
          (import "rotifer" "queryMemory" (func $query (param i32 i32 i32 i32) (result i32)))
          (memory (export "memory") 1)
          (func (export "express") (param i32 i32) (result i32)
            (local $number i32)
            (local.set $number
              (call $query (i32.const 0) (i32.const 0) (i32.const 1024) (i32.const 4096)))
            {ending}))
    """
    (folder / "gene.wasm").write_bytes(wasmtime.wat2wasm(code))
    outcome = project.run("run", "module", "--input", "1", "--json")
    assert outcome.exit_code == 1
    error = outcome.json()["steps"][0]["error"]
    assert error["code"] == "MEMORY_ACCESS_DENIED"
    assert error["message"].startswith(says)
    assert outcome.error()["code"] == "GENE_FAILED"
    assert "rotifer agent run" in outcome.error()["hint"]


DEEP = """
    def express(input, ctx):
        deep = []
        for _ in range(input["levels"] - 2):
            deep = [deep]
        return [deep] * input["times"]
"""


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_the_deepest_output_is_printed(project: Any, as_json: list[str]) -> None:
    """CLI-1."""
    project.add_gene("deep", DEEP)
    outcome = project.run("run", "deep", "--input", '{"levels": 500, "times": 1}', *as_json)
    assert (outcome.exit_code, outcome.stdout.count("[")) == (0, 501 if as_json else 500)


def test_an_output_that_would_be_many_times_longer_indented_is_printed_as_it_is(project: Any) -> None:
    """CLI-1, HST-4: 2 MB of brackets would be 500 MB."""
    project.add_gene("deep", DEEP)
    outcome = project.run("run", "deep", "--input", '{"levels": 500, "times": 1900}')
    assert outcome.exit_code == 0
    assert outcome.stdout.count("\n") == 1
    assert len(outcome.json()) == 1900
