"""Runs of agents: pipes, identities, failures on the way, and what embedding programs get."""

from __future__ import annotations

from typing import Any

import pytest

import rotifer_console
from rotifer_console import run_agent
from rotifer_console.hosts.memory import MemoryCall
from rotifer_console.runs import run_gene
from rotifer_store import AgentNotFound, Gene, GeneNotFound, InvalidAgent, InvalidGene

COUNT = "def express(input, ctx): return [*input, {name!r}]"
CHANGE = """
    from pathlib import Path
    def express(input, ctx):
        return Path({path!r}).write_text("# other")
"""
WRITE = """
    def express(input, ctx):
        ctx.memory.write_memory({key!r}, b"1", "CONTEXT")
        return input
"""


def test_each_gene_gets_the_output_of_the_one_before(project: Any) -> None:
    """RUN-2."""
    for name in ("a", "b", "c"):
        project.add_gene(name, COUNT.format(name=name))
    project.add_agent("c", "a", "b")
    assert project.run([]).output == ["c", "a", "b"]


def test_a_result_tells_its_steps(project: Any) -> None:
    """CLI-1."""
    project.add_gene("a", COUNT.format(name="a"))
    project.add_gene("b", "def express(input, ctx): raise ValueError('no')")
    project.add_gene("c", COUNT.format(name="c"))
    project.add_agent("a", "b", "c")
    result = project.run([])
    assert result.to_json() == {
        "output": None,
        "steps": [
            {
                "gene": "a",
                "geneId": result.steps[0].gene_id,
                "host": "python",
                "status": "ok",
                "error": None,
            },
            {
                "gene": "b",
                "geneId": result.steps[1].gene_id,
                "host": "python",
                "status": "failed",
                "error": {"code": "GENE_FAILED", "message": "ValueError: no (index.py, line 1)"},
            },
        ],
    }
    assert all(step.gene_id.startswith("v2:") for step in result.steps)


def test_each_gene_acts_under_its_own_id(project: Any) -> None:
    """RUN-4."""
    project.add_gene("a", WRITE.format(key="dates/a"))
    project.add_gene("b", WRITE.format(key="dates/b"))
    project.add_agent("a", "b")
    result = project.run({})
    creators = {entry.key: entry.created_by for entry in project.store.list_memory("main")}
    assert creators == {"dates/a": result.steps[0].gene_id, "dates/b": result.steps[1].gene_id}
    assert {gene.name for gene in project.store.genes_seen("main")} == {"a", "b"}


def test_what_a_failing_gene_wrote_stays(project: Any) -> None:
    """RUN-4."""
    source = (
        "def express(input, ctx):\n    ctx.memory.write_memory('k', b'1', 'CACHE')\n    raise ValueError\n"
    )
    project.add_gene("a", source)
    project.add_agent("a")
    assert project.run().failed_step is not None
    assert [entry.key for entry in project.store.list_memory("main")] == ["k"]


def test_a_gene_of_another_domain_is_refused_what_is_not_its_own(project: Any) -> None:
    """ACC-2, GEN-4: a run changes nothing about who may read what."""
    project.add_gene("a", WRITE.format(key="dates/a"))
    project.add_gene("b", "def express(input, ctx): ctx.memory.read_memory('dates/a')", domain="weather")
    project.add_agent("a", "b")
    failed = project.run({}).failed_step
    assert (failed.gene, failed.error.code) == ("b", "MEMORY_ACCESS_DENIED")


def test_a_broken_gene_stops_the_run_before_any_acts(project: Any) -> None:
    project.add_gene("a", WRITE.format(key="dates/a"))
    folder = project.add_gene("b", "")
    project.add_agent("a", "b")
    (folder / "index.py").unlink()
    with pytest.raises(InvalidGene):
        project.run({})
    assert project.store.list_memory("main") == []


def test_a_gene_whose_folder_is_gone_is_not_found(project: Any) -> None:
    folder = project.add_gene("a", "")
    project.add_agent("a")
    folder.rename(folder.with_name("b"))
    with pytest.raises(GeneNotFound):
        project.run({})


@pytest.mark.parametrize(
    ("file", "source", "host"),
    [
        ("index.py", "def express(input, ctx): return 1", "python"),
        ("index.ts", "export const express = () => 1", "node"),
        ("index.js", "export const express = () => 1", "node"),
        ("index.mjs", "export const express = () => 1", "node"),
    ],
)
def test_a_step_names_the_host_that_ran_it(project: Any, file: str, source: str, host: str) -> None:
    """CLI-1, HST-2."""
    project.add_gene("a", source, file=file)
    project.add_agent("a")
    result = project.run({})
    assert (result.output, [(step.host, step.status) for step in result.steps]) == (1, [(host, "ok")])


def test_an_unknown_agent_is_not_found(project: Any) -> None:
    with pytest.raises(AgentNotFound):
        project.run({}, name="nobody")


@pytest.mark.parametrize(
    ("composition", "genes", "says"),
    [
        ({"type": "TryPool"}, ["a"], "no part of this program runs its composition"),
        ({"type": "Par", "merge": "majority"}, ["a", "a"], "a Par merges by first, concat, merge"),
        ({"type": "Cond"}, ["a", "a"], "a Cond's predicate is {field, op, value}"),
        ({"type": "Try"}, ["a", "a", "a"], "a Try takes exactly two genes"),
        ({"type": "Single"}, ["a", "a"], "a Single has one gene"),
        ({"type": "Seq"}, [], "has no genes to run"),
    ],
)
def test_a_composition_that_cannot_be_run_never_runs_as_a_pipe(
    project: Any, composition: dict[str, Any], genes: list[str], says: str
) -> None:
    """RUN-3."""
    project.add_gene("a", WRITE.format(key="dates/a"))
    project.add_agent(*genes, composition=composition)
    with pytest.raises(InvalidAgent, match=r"^agent main") as raised:
        project.run([])
    assert says in str(raised.value)
    assert project.store.list_memory("main") == []


def test_the_package_offers_what_the_public_face_names() -> None:
    assert all(hasattr(rotifer_console, name) for name in rotifer_console.__all__)
    with pytest.raises(AttributeError):
        _ = rotifer_console.nothing  # type: ignore[attr-defined]


def test_a_gene_that_runs_twice_in_a_pipe_keeps_its_place(project: Any) -> None:
    """HST-3: the second time in the process of the first, where there is one."""
    project.add_gene("a", COUNT.format(name="a"))
    project.add_gene("b", COUNT.format(name="b"))
    gene = Gene.from_folder(project.root / "genes" / "a")
    other = Gene.from_folder(project.root / "genes" / "b")
    project.store.create_agent("main", genes=[gene, other, gene], composition={"type": "Seq"})
    assert project.run([]).output == ["a", "b", "a"]


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), float("inf"), 365 * 86_400 + 1])
def test_a_time_that_no_clock_measures_is_refused(project: Any, timeout_s: float) -> None:
    """HST-4."""
    project.add_gene("a", COUNT.format(name="a"))
    project.add_agent("a")
    with pytest.raises(ValueError, match="365 days"):
        run_agent(project.store, "main", [], project=project.root, timeout_s=timeout_s)


def test_one_gene_runs_without_an_agent_and_without_memory(project: Any) -> None:
    """AGT-8, REC-4: every call is refused, whatever its arguments, and nothing is recorded anywhere."""
    project.add_gene(
        "a",
        """
        from rotifer_store import AgentMemoryError
        def express(input, ctx):
            codes, memory = [], ctx.memory
            for call in (
                lambda: memory.read_memory("k"), lambda: memory.readMemory("k", "CACHE"),
                lambda: memory.write_memory("k", b"1", "CACHE"), lambda: memory.writeMemory("", 5, "x"),
                lambda: memory.query_memory(), lambda: memory.queryMemory({"limit": 0}),
                lambda: memory.delete_memory("k"), lambda: memory.deleteMemory(None),
            ):
                try:
                    call()
                except AgentMemoryError as error:
                    codes.append(error.code)
            return codes
        """,
    )
    audit = project.root / ".rotifer" / "audit.jsonl"
    before = audit.read_bytes() if audit.exists() else None
    result = run_gene("a", None, project=project.root, in_process=project.in_process)
    assert result.output == ["MEMORY_ACCESS_DENIED"] * 8
    assert [step.status for step in result.steps] == ["ok"]
    assert (audit.read_bytes() if audit.exists() else None) == before
    assert not (project.root / ".rotifer" / "telemetry.jsonl").exists()


def test_a_trace_tells_each_call_and_its_outcome_but_no_value(project: Any) -> None:
    """RUN-5, REC-1."""
    project.add_gene(
        "a",
        """
        from rotifer_store import AgentMemoryError, MemoryFilter
        def express(input, ctx):
            memory = ctx.memory
            memory.write_memory("k", b"a secret", "CACHE")
            memory.readMemory("k"), memory.read_memory("k", "CACHE"), memory.read_memory("none")
            memory.query_memory(), memory.query_memory({"keyPrefix": "x"})
            memory.delete_memory("k")
            memory.query_memory(MemoryFilter(category="CACHE"))
            endless = {}
            endless["category"] = endless
            for call in (
                lambda: memory.write_memory(b"a secret", "k", "CACHE"), lambda: memory.query_memory(endless),
                lambda: memory.delete_memory("k"), lambda: memory.read_memory(5),
                lambda: memory.query_memory(5), lambda: memory.write_memory("", b"a secret", "CACHE"),
            ):
                try:
                    call()
                except AgentMemoryError:
                    pass
        """,
    )
    project.add_agent("a")
    calls: list[MemoryCall] = []
    run_agent(
        project.store,
        "main",
        None,
        project=project.root,
        in_process=project.in_process,
        trace=calls.append,
    )
    assert [(call.call, call.of, call.outcome) for call in calls] == [
        ("writeMemory", "k", "written"),
        ("readMemory", "k", "read"),
        ("readMemory", "k", "read"),
        ("readMemory", "none", "nothing there"),
        ("queryMemory", None, "1 entry"),
        ("queryMemory", '{"keyPrefix": "x"}', "0 entries"),
        ("deleteMemory", "k", "deleted"),
        ("queryMemory", '{"category": "CACHE"}', "0 entries"),
        ("writeMemory", None, "MEMORY_INVALID_INPUT"),
        ("queryMemory", None, "MEMORY_INVALID_INPUT"),
        ("deleteMemory", "k", "MEMORY_NOT_FOUND"),
        ("readMemory", "5", "MEMORY_INVALID_INPUT"),
        ("queryMemory", "5", "MEMORY_INVALID_INPUT"),
        ("writeMemory", "", "MEMORY_INVALID_INPUT"),
    ]
    assert {call.gene for call in calls} == {"a"}
    assert "secret" not in repr(calls)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("index.py", "its folder has changed since its v2 id was taken"),
        ("helper.py", "its folder has changed since its v2 id was taken"),
        (
            "phenotype.json",
            "its folder has changed since its v2 id was taken: gene b: phenotype.json is not JSON: "
            "Expecting value: line 1 column 1 (char 0)",
        ),
    ],
)
def test_code_that_changes_during_a_run_does_not_act_under_the_id_of_what_it_was(
    project: Any, change: str, says: str
) -> None:
    """RUN-4, GEN-2: as a WASM gene's module does not."""
    other = project.root / "genes" / "b" / change
    project.add_gene("a", CHANGE.format(path=str(other)))
    project.add_gene("b", WRITE.format(key="dates/b"))
    project.add_agent("a", "b")
    result = project.run({})
    assert result.failed_step.error.to_json() == {"code": "GENE_FAILED", "message": says}
    assert project.store.list_memory("main") == []


def test_a_gene_that_changed_after_its_process_began_runs_on_as_it_was(project: Any) -> None:
    """HST-3: what runs is what its id was taken from; in this process it is loaded anew, and so refused."""
    source = project.root / "genes" / "a" / "index.py"
    project.add_gene("a", CHANGE.format(path=str(source)))
    project.add_agent("a", "a")
    result = project.run({})
    assert (result.output, result.failed_step is None) == ((None, False) if project.in_process else (7, True))


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        ({"code": "MEMORY_ACCESS_DENIED", "message": "no"}, "MEMORY_ACCESS_DENIED"),
        ({"code": "TOO_LONG", "message": "no"}, "GENE_FAILED"),
        ({"code": ["MEMORY_ACCESS_DENIED"]}, "GENE_FAILED"),
        ({"message": "MEMORY_ACCESS_DENIED"}, "GENE_FAILED"),
        ("MEMORY_ACCESS_DENIED", "GENE_FAILED"),
    ],
)
def test_a_memory_error_that_a_gene_hands_on_as_its_output_keeps_its_code(
    project: Any, refusal: object, code: str
) -> None:
    """HST-6: as one that it raises does."""
    project.add_gene("a", f"def express(input, ctx): return {{'__rotifer_error': {refusal!r}}}")
    project.add_agent("a")
    error = project.run({}).failed_step.error
    assert error.code == code
    assert error.message.startswith("it refused its input: ")
