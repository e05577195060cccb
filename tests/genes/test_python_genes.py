"""Python genes, in their own process and in this one: what they get and give, and how they fail."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from rotifer_console import RunResult


def failure(result: RunResult) -> tuple[str, str]:
    assert result.failed_step is not None
    assert result.failed_step.error is not None
    return result.failed_step.error.code, result.failed_step.error.message


def test_express_gets_the_input_and_its_output_is_the_result(project: Any) -> None:
    """GEN-4."""
    result = project.run_gene("def express(input, ctx): return {'twice': input['n'] * 2}", {"n": 21})
    assert result.output == {"twice": 42}
    assert [step.status for step in result.steps] == ["ok"]


@pytest.mark.parametrize(
    ("source", "entry_point"),
    [
        ("def express(input, ctx): return 'express'\ndef main(input, ctx): return 'main'", "express"),
        ("def main(input, ctx): return 'main'", "main"),
        ("express = None\ndef main(input, ctx): return 'main'", "main"),
        ("class Gene:\n    def __call__(self, input, ctx): return 'object'\nexpress = Gene()", "object"),
        ("def express(input): return 'without memory'", "without memory"),
        ("def express(*arguments): return len(arguments)", 2),
        ("async def express(input, ctx): return 'later'", "later"),
        ("async def express(input): return 'later, without memory'", "later, without memory"),
    ],
)
def test_the_entry_point_is_express_or_else_main(project: Any, source: str, entry_point: str) -> None:
    """GEN-1, GEN-4."""
    assert project.run_gene(source).output == entry_point


def test_a_gene_remembers_for_the_next_run(project: Any) -> None:
    """GEN-4: the four calls, in Python's spelling and in the page's."""
    source = """
        def express(input, ctx):
            memory = ctx.memory
            if input == "write":
                memory.write_memory("dates/a", b"one", "PREFERENCE")
                memory.writeMemory("dates/b", b"two", "CACHE")
            if input == "delete":
                memory.delete_memory("dates/a")
                memory.deleteMemory("dates/b")
            found = [memory.read_memory("dates/a"), memory.readMemory("dates/b", "CACHE")]
            texts = [entry and entry.value.decode() for entry in found]
            return [texts, len(memory.query_memory()), len(memory.queryMemory({"keyPrefix": "dates/"}))]
    """
    assert project.run_gene(source, "write").output == [["one", "two"], 2, 2]
    assert project.run("read").output == [["one", "two"], 2, 2]
    assert project.run("delete").output == [[None, None], 0, 0]


def test_a_gene_can_catch_a_refusal_by_its_code(project: Any) -> None:
    """GEN-4: AgentMemoryError, because MemoryError is Python's own."""
    source = """
        from rotifer_store import AgentMemoryError
        def express(input, ctx):
            try:
                ctx.memory.delete_memory("nothing")
            except AgentMemoryError as error:
                return error.code
    """
    assert project.run_gene(source).output == "MEMORY_NOT_FOUND"


def test_a_refusal_that_a_gene_lets_through_is_the_steps_error(project: Any) -> None:
    """CLI-1: the step tells the code that the gene met."""
    code, message = failure(project.run_gene("def express(input, ctx): ctx.memory.delete_memory('nothing')"))
    assert code == "MEMORY_NOT_FOUND"
    assert "MEMORY_NOT_FOUND" in message
    assert "index.py, line 1" in message


@pytest.mark.parametrize(
    ("raised", "code", "says"),
    [
        ("AgentMemoryError('MEMORY_NOT_FOUND', 'mine')", "MEMORY_NOT_FOUND", "MEMORY_NOT_FOUND: mine"),
        ("AgentMemoryError('MINE', 'mine')", "GENE_FAILED", "AgentMemoryError: mine"),
        ("AgentMemoryError(None, 'mine')", "GENE_FAILED", "AgentMemoryError: mine"),
        ("AgentMemoryError(['x'], 'mine')", "GENE_FAILED", "AgentMemoryError: mine"),
        ("Raising.__new__(Raising, 'mine')", "GENE_FAILED", "Raising: mine"),
    ],
    ids=["a code of ours", "one of its own", "none", "a list", "one that raises"],
)
def test_a_memory_error_of_a_genes_own_making_is_a_failure_and_no_breach(
    project: Any, raised: str, code: str, says: str
) -> None:
    """HST-3, CLI-1: it can import the class, and make errors of its own."""
    source = f"""
        from rotifer_store.typing import AgentMemoryError
        class Raising(AgentMemoryError):
            @property
            def code(self): raise KeyboardInterrupt
        def express(input, ctx): raise {raised}
    """
    error_code, message = failure(project.run_gene(source))
    assert (error_code, message.partition(" (index.py")[0]) == (code, says)


@pytest.mark.parametrize(
    ("output", "expected"),
    [("(1, 2)", [1, 2]), ("{1: 'a'}", {"1": "a"}), ("None", None), ("'\\ud800'", "\ud800"), ("{}", {})],
)
def test_an_output_is_what_json_makes_of_it(project: Any, output: str, expected: object) -> None:
    assert project.run_gene(f"def express(input, ctx): return {output}").output == expected


@pytest.mark.parametrize(
    "output",
    ["float('nan')", "float('-inf')", "b'bytes'", "{1, 2}", "object()", "{(1, 2): 3}", "ctx", "cycle"],
)
def test_an_output_that_is_not_json_fails_the_step(project: Any, output: str) -> None:
    """HST-6: never a silent null."""
    source = f"cycle = []\ncycle.append(cycle)\ndef express(input, ctx): return {output}"
    assert failure(project.run_gene(source)) == ("GENE_FAILED", "its output is not JSON")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("raise ValueError('at import')", "ValueError: at import (index.py, line 1)"),
        ("def express(input, ctx):\n    return input['a']['b']", "TypeError"),
        ("def express(input, ctx) return", "SyntaxError"),
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        ("import sys\ndef express(input, ctx): sys.exit(3)", "sys.exit"),
        ("raise SystemExit", "sys.exit"),
        ("class Odd(BaseException): pass\ndef express(input, ctx): raise Odd", "Odd"),
        ("async def express(input, ctx): raise KeyError('later')", "KeyError: 'later'"),
        ("def express(input, ctx): return express(input, ctx)", "RecursionError"),
        ("def express(): return 1", "TypeError"),
        ("def helper(input, ctx): return 1", "no express and no main"),
        ("express = 1", "no express and no main"),
        ("", "no express and no main"),
    ],
)
def test_a_gene_that_fails_ends_the_run_with_one_sentence(project: Any, source: str, says: str) -> None:
    """CLI-2: the class, what it said, and the line in the gene; no traceback."""
    code, message = failure(project.run_gene(source, {"a": 1}))
    assert code == "GENE_FAILED"
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        ("{'code': 'X', 'message': 'too long'}", "X: too long"),
        ("{'message': 'too long'}", "too long"),
        ("'too long'", "too long"),
        ("7", "7"),
        ("{}", "it gives no reason"),
        ("''", "it gives no reason"),
        ("{'message': 'x' * 1_000_000}", "x" * 10_000),
    ],
    ids=["code and message", "message", "text", "number", "an empty object", "no text", "a long message"],
)
def test_a_gene_can_refuse_its_input(project: Any, refusal: str, says: str) -> None:
    """HST-6."""
    result = project.run_gene(f"def express(input, ctx): return {{'__rotifer_error': {refusal}}}")
    assert failure(result) == ("GENE_FAILED", f"it refused its input: {says}")
    assert result.output is None


def test_an_error_member_beside_others_is_output(project: Any) -> None:
    """HST-6: as the only member it means a refusal, and only then."""
    output = {"__rotifer_error": "x", "more": 1}
    assert project.run_gene("def express(input, ctx): return input", output).output == output


def test_what_a_gene_prints_goes_to_stderr(project: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """HST-4."""
    project.run_gene("print('at import')\ndef express(input, ctx): print('in express')")
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == "at import\nin express\n"


def test_a_gene_imports_its_own_helpers_and_leaves_none_behind(project: Any) -> None:
    """GEN-2: two genes may each have a `helpers.py`; each runs with its own."""
    for name in ("one", "two"):
        project.add_gene(name, "import helpers\ndef express(input, ctx): return [input, helpers.NAME]")
        project.add_gene(name, f"NAME = {name!r}", file="helpers.py")
    project.add_agent("one", "two")
    path_before = list(sys.path)
    assert project.run().output == [[None, "one"], "two"]
    assert "helpers" not in sys.modules
    assert sys.path == path_before


def test_a_gene_that_changed_runs_as_it_is_now(project: Any) -> None:
    """AGT-1: the genome holds names; each run reads the folder, and its id, anew."""
    first = project.run_gene("def express(input, ctx): return 1")
    project.add_gene("gene", "def express(input, ctx): return 2")
    second = project.run()
    assert (first.output, second.output) == (1, 2)
    assert first.steps[0].gene_id != second.steps[0].gene_id


def test_running_a_gene_writes_nothing_into_its_folder(project: Any) -> None:
    """GEN-2: no bytecode either."""
    folder = project.add_gene("gene", "import helpers\ndef express(input, ctx): return 1")
    project.add_gene("gene", "", file="helpers.py")
    project.add_agent("gene")
    project.run()
    assert sorted(path.name for path in folder.rglob("*")) == ["helpers.py", "index.py", "phenotype.json"]


@pytest.mark.parametrize(
    "value", [{1, 2}, float("nan"), b"bytes", object()], ids=["set", "nan", "bytes", "object"]
)
def test_an_input_that_is_not_json_fails_the_step(project: Any, value: object) -> None:
    """GEN-4: for programs that embed the store; a command has parsed its input."""
    assert failure(project.run_gene("def express(input, ctx): return 1", value)) == (
        "GENE_FAILED",
        "its input is not JSON",
    )


def test_an_error_that_cannot_be_told_is_named(project: Any) -> None:
    source = """
        class Sly(Exception):
            def __str__(self):
                raise SystemExit
        def express(input, ctx): raise Sly
    """
    assert failure(project.run_gene(source))[1].startswith("Sly (index.py, line ")


def test_a_gene_cannot_change_its_callers_input(project: Any) -> None:
    value = {"list": [1]}
    project.run_gene("def express(input, ctx): input['list'].append(2)", value)
    assert value == {"list": [1]}


def test_dataclasses_work_in_a_gene(project: Any) -> None:
    source = """
        from __future__ import annotations
        from dataclasses import asdict, dataclass
        @dataclass
        class Point:
            x: int
        def express(input, ctx):
            return asdict(Point(1))
    """
    assert project.run_gene(source).output == {"x": 1}
