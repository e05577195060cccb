"""Runs of agents: pipes, identities, failures on the way, and what embedding programs get."""

from __future__ import annotations

from typing import Any

import pytest

import rotifer_console
from rotifer_store import AgentNotFound, GeneNotFound, InvalidAgent, InvalidGene

COUNT = "def express(input, ctx): return [*input, {name!r}]"
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


def test_a_gene_no_host_runs_fails_and_says_so(project: Any) -> None:
    project.add_gene("a", "export const express = () => 1", file="index.ts")
    project.add_agent("a")
    (step,) = project.run({}).steps
    assert (step.host, step.status, step.error.code) == (None, "failed", "GENE_FAILED")
    assert "typescript" in step.error.message


def test_an_unknown_agent_is_not_found(project: Any) -> None:
    with pytest.raises(AgentNotFound):
        project.run({}, name="nobody")


def test_a_composition_of_another_kind_never_runs_as_a_pipe(project: Any) -> None:
    """RUN-3."""
    project.add_gene("a", COUNT.format(name="a"))
    project.store.create_agent("par", composition={"type": "Par"})
    with pytest.raises(InvalidAgent):
        project.run([], name="par")


def test_the_package_offers_what_the_public_face_names() -> None:
    assert all(hasattr(rotifer_console, name) for name in rotifer_console.__all__)
    with pytest.raises(AttributeError):
        _ = rotifer_console.nothing  # type: ignore[attr-defined]
