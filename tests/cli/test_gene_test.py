"""`rotifer test`: suites of genes in every language, on memory that no agent ever sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

COUNTERS = {
    "index.py": """
        KEPT = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}
        def express(input, ctx):
            saved = ctx.memory.read_memory("notes/count")
            count = int(saved.value) + 1 if saved else 1
            ctx.memory.write_memory("notes/count", str(count).encode(), "CONTEXT", retention_policy=KEPT)
            return {"count": count}
    """,
    "index.ts": """
        const KEPT = { maxRetentionDays: 1, autoDeleteOnTermination: false, anonymizationSupported: false }
        export function express(input: object, { memory }: any) {
            const saved = memory.readMemory("notes/count")
            const count = saved ? Number(new TextDecoder().decode(saved.value)) + 1 : 1
            memory.writeMemory("notes/count", Buffer.from(String(count)), "CONTEXT", undefined, KEPT)
            return { count }
        }
    """,
}


def add_gene(
    project: Any, source: str, cases: list[Any] | None, file: str = "index.py", **members: Any
) -> Path:
    folder: Path = project.add_gene("gene", source, file=file, **members)
    if cases is not None:
        (folder / "testsuite.json").write_text(json.dumps({"testCases": cases}))
    return folder


def counts(*expected: int) -> list[Any]:
    return [{"input": {}, "expectedOutput": {"count": count}} for count in expected]


def statuses(project: Any, *options: str) -> dict[str, str]:
    answer = project.run("test", "gene", "--json", *options).json()
    return {check["check"]: check["status"] for check in answer["checks"]}


def messages(project: Any) -> dict[str, str]:
    answer = project.run("test", "gene", "--json").json()
    return {check["check"]: check["message"] for check in answer["checks"]}


@pytest.mark.parametrize("file", COUNTERS)
def test_a_counters_cases_share_one_memory_that_begins_empty(project: Any, file: str) -> None:
    """AGT-7, RUN-5: the generated input counts elsewhere; a second trial begins anew; time is moved."""
    cases = [*counts(1, 2, 3), {**counts(1)[0], "advanceSeconds": 86_400}, *counts(2)]
    add_gene(project, COUNTERS[file], cases, file)
    for _ in range(2):
        outcome = project.run("test", "gene")
        assert outcome.exit_code == 0
        assert outcome.stderr == "8 passed, 0 failed, 0 skipped\n"


def test_a_retention_holds_until_the_clock_was_moved_far_enough(project: Any) -> None:
    """AGT-7, POL-4: to the second, and only by what the cases say."""
    nearly = {**counts(2)[0], "advanceSeconds": 86_399.5}
    over = {**counts(1)[0], "advanceSeconds": 86_400}
    add_gene(project, COUNTERS["index.py"], [*counts(1), nearly, over])
    assert set(statuses(project).values()) == {"passed"}


def test_what_a_gene_keeps_beside_its_memory_helps_it_in_no_case(project: Any) -> None:
    """AGT-7, HST-3: each case has a process of its own, as each run of an agent has."""
    source = "count = [0]\ndef express(input, ctx):\n    count[0] += 1\n    return {'count': count[0]}"
    add_gene(project, source, counts(1, 1))
    assert set(statuses(project).values()) == {"passed"}


def test_no_agents_memory_log_or_folder_is_touched(project: Any, tmp_path: Path) -> None:
    """AGT-7: and the gene's folder is as it was."""
    folder = add_gene(project, COUNTERS["index.py"], counts(1, 2))
    project.add_agent("main", "gene")
    project.write(("notes/count", "41", "CONTEXT"), gene="gene")
    files = [path for path in (*(project.root / ".rotifer").iterdir(), *folder.iterdir()) if path.is_file()]
    before = {path: path.read_bytes() for path in files if path.suffix in (".jsonl", ".py", ".json", ".db")}
    assert statuses(project)["case 1"] == "passed"
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in folder.iterdir()) == ["index.py", "phenotype.json", "testsuite.json"]


def test_the_memory_that_a_suite_left_behind_is_shown_without_its_values(project: Any) -> None:
    """RUN-5."""
    source = (
        COUNTERS["index.py"].replace("str(count).encode()", "b'a secret'").replace("int(saved.value)", "0")
    )
    add_gene(project, source, counts(1))
    outcome = project.run("test", "gene", "--show-memory")
    shown = [line.split("\t") for line in outcome.stdout.splitlines()]
    assert shown[-1][:5] == ["memory", "notes/count", "CONTEXT", "19", "gene"]
    (entry,) = project.run("test", "gene", "--show-memory", "--json").json()["memory"]
    assert (entry["key"], entry["sizeBytes"], entry["creatorName"]) == ("notes/count", 19, "gene")
    assert "a secret" not in json.dumps(entry) + outcome.stdout
    assert "memory" not in project.run("test", "gene", "--json").json()


SCHEMAS = {
    "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    "outputSchema": {"type": "object", "required": ["n"]},
}
ECHO = """
    def express(input, ctx):
        if input.get("n") == "refused":
            return {"__rotifer_error": {"message": "n is no number"}}
        if input.get("n") == "odd":
            return 5
        return {"n": 1 / input["n"], "seen": ctx.memory.read_memory("k") is not None}
"""


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        ({"input": {"n": 1}}, None),
        ({"input": {"n": 1}, "expectedOutput": {"seen": False, "n": 1}}, None),
        (
            {"input": {"n": 1}, "expectedOutput": {"seen": 0, "n": 1}},
            "the output is not the expectedOutput at $.seen: expected 0, actual false",
        ),
        (
            {"input": {"n": 1}, "expectedOutput": None},
            'the output is not the expectedOutput at $: expected null, actual {"n": 1.0, "seen": false}',
        ),
        ({"input": {"n": 1}, "expectedSchema": {"required": ["seen"]}}, None),
        (
            {"input": {"n": 1}, "expectedSchema": {"properties": {"n": {"type": "string"}}}},
            "the output does not fit the expectedSchema: `type` does not hold at $.n",
        ),
        ({"input": {"n": 0}}, "the gene failed: ZeroDivisionError: division by zero (index.py, line 7)"),
        ({"input": {"n": "refused"}}, None),
        (
            {"input": {"n": "refused"}, "expectedOutput": {"__rotifer_error": {"message": "n is no number"}}},
            None,
        ),
        (
            {"input": {"n": "refused"}, "expectedOutput": {}},
            "the output is not the expectedOutput at $.__rotifer_error: expected nothing, actual "
            '{"message": "n is no number"}',
        ),
        (
            {"input": {"n": "odd"}},
            "the gene took an input that does not fit the inputSchema, and nothing is expected of it",
        ),
        ({"input": {"n": "odd"}, "expectedOutput": 5.0}, None),
        ({"input": {}}, "the gene failed: KeyError: 'n' (index.py, line 7)"),
        ({"input": {"n": 2}, "timeout": 60_000}, None),
    ],
)
def test_a_case_passes_or_says_why_not(project: Any, case: dict[str, Any], problem: str | None) -> None:
    """RUN-5, HST-6: an input that does not fit may be refused, and never crash the gene."""
    add_gene(project, ECHO, [case], **SCHEMAS)
    outcome = project.run("test", "gene", "--json")
    (result,) = [check for check in outcome.json()["checks"] if check["check"] == "case 1"]
    assert (result["status"], result["message"]) == ("passed" if problem is None else "failed", problem or "")
    is_generated_well = outcome.json()["checks"][2]["status"]
    assert is_generated_well == "failed"  # 0 fits the schema, and the gene divides by it


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}, {"path": "$.a", "expected": 1, "actual": 4}),
        ({"a": [1, {"b c": "x"}]}, {"a": [1, {"b c": "y"}]}, ('$.a[1]["b c"]', "x", "y")),
        ({"a": 1}, {}, {"path": "$.a", "expected": 1}),
        ({}, {"a": None}, {"path": "$.a", "actual": None}),
        ([1, 2], [1], {"path": "$[1]", "expected": 2}),
        ([1], [1, [2]], {"path": "$[1]", "actual": [2]}),
        ({"a": {}}, {"a": []}, {"path": "$.a", "expected": {}, "actual": []}),
        ([[], 1], [[], True], {"path": "$[1]", "expected": 1, "actual": True}),
        ("\x1b[31m\u202e", "x", {"path": "$", "expected": "\x1b[31m\u202e", "actual": "x"}),
        ({"x" * 500: "y" * 5000}, {"x" * 500: "z" * 5000}, ("$." + "x" * 500, "y" * 5000, "z" * 5000)),
    ],
)
def test_where_an_output_differs_is_told(
    project: Any, expected: Any, actual: Any, difference: dict[str, Any] | tuple[Any, ...]
) -> None:
    """RUN-5, CLI-1, CLI-4: whole as JSON, bounded and safe for people."""
    if isinstance(difference, tuple):
        difference = dict(zip(("path", "expected", "actual"), difference, strict=True))
    add_gene(
        project, "def express(input, ctx):\n    return input", [{"input": actual, "expectedOutput": expected}]
    )
    result = project.run("test", "gene", "--json").json()["checks"][-1]
    told = {name: value for name, value in result.items() if name not in ("status", "check", "message")}
    assert (result["status"], told) == ("failed", difference)
    row = project.run("test", "gene").stdout.splitlines()[-1]
    assert row.startswith("failed\tcase 1\tthe output is not the expectedOutput at $")
    assert "\x1b" not in row
    assert "\u202e" not in row
    assert len(row) < 400


def test_a_case_has_its_own_time(project: Any) -> None:
    """HST-4, RUN-5."""
    source = "import time\ndef express(input, ctx): time.sleep(600 if input else 0)\n"
    add_gene(project, source, [{"input": {"a": 1}, "timeout": 300}])
    assert "did not settle within 0.3 s" in messages(project)["case 1"]


@pytest.mark.parametrize(
    ("source", "schemas", "status", "says"),
    [
        ("def express(input, ctx): return {}", {}, "passed", ""),
        ("def express(input, ctx): return 5", {"outputSchema": {"type": "object"}}, "failed", "outputSchema"),
        ("def express(input, ctx): raise ValueError", {}, "failed", "ValueError"),
        ("def express(input, ctx): return {'__rotifer_error': 'no'}", {}, "skipped", "refused it: no"),
        ("def express(input, ctx): return {}", {"inputSchema": {"not": {}}}, "skipped", "none could be made"),
    ],
)
def test_one_input_is_made_from_the_schema(
    project: Any, source: str, schemas: dict[str, Any], status: str, says: str
) -> None:
    """RUN-5."""
    add_gene(project, source, None, **schemas)
    assert statuses(project)["generated input"] == status
    assert says in messages(project)["generated input"]
    assert statuses(project)["testsuite.json"] == "skipped"


def test_schemas_that_are_none_fail_and_nothing_runs(project: Any) -> None:
    """RUN-5."""
    add_gene(project, "raise SystemExit", counts(1), inputSchema={"type": "text"})
    assert statuses(project) == {
        "inputSchema": "failed",
        "outputSchema": "passed",
        "generated input": "skipped",
        "case 1": "skipped",
    }


def test_a_suite_that_is_none_fails_and_says_where(project: Any) -> None:
    """RUN-5."""
    add_gene(project, "def express(input, ctx): return {}", [{"inputs": 1}])
    outcome = project.run("test", "gene")
    assert outcome.exit_code == 1
    assert "failed\ttestsuite.json\t$.testCases[0].inputs is unknown" in outcome.stdout


def test_the_generated_input_runs_on_a_memory_of_its_own(project: Any) -> None:
    """AGT-7."""
    add_gene(project, COUNTERS["index.py"], counts(1))
    assert set(statuses(project).values()) == {"passed"}


def test_python_genes_can_be_tried_in_this_process(project: Any) -> None:
    """HST-1: and what they print is on stderr."""
    add_gene(project, "def express(input, ctx):\n    print('said')\n    return {}", None)
    assert set(statuses(project, "--in-process").values()) == {"passed", "skipped"}


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["gene"], 1, "GENE_NOT_FOUND"),
        (["Gene"], 2, "GENE_INVALID"),
        (["gene", "--timeout", "5"], 2, "USAGE"),
        ([], 2, "USAGE"),
    ],
)
def test_a_gene_that_cannot_be_tried_is_refused(
    project: Any, arguments: list[str], status: int, code: str
) -> None:
    """CLI-2."""
    outcome = project.run("test", *arguments, "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (status, "", code)
