"""A run of an agent: its genes one after another, each under its own v2 id (RUN-2, RUN-4)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rotifer_console.errors import GeneFailed
from rotifer_console.genes.genome import PIPES, read_genome
from rotifer_console.hosts.python import HOST, GeneContext, refusal_of, run_python_gene
from rotifer_store import Agent, AgentMemoryError, Gene, InvalidAgent, Store
from rotifer_store.gene_folder import GeneFolder, GeneLanguage


@dataclass(frozen=True, slots=True)
class StepError:
    """Why a step failed: a memory code where that is what the gene met, else GENE_FAILED; and a sentence."""

    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """`{code, message}`."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Step:
    """One gene's part of a run; `host` is None where none runs the gene's language."""

    gene: str
    gene_id: str
    host: str | None
    status: Literal["ok", "failed"]
    error: StepError | None = None

    def to_json(self) -> dict[str, object]:
        """`{gene, geneId, host, status, error}` (CLI-1)."""
        return {
            "gene": self.gene,
            "geneId": self.gene_id,
            "host": self.host,
            "status": self.status,
            "error": None if self.error is None else self.error.to_json(),
        }


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to: the last gene's output, and the steps taken, of which a failed one is the last."""

    output: Any
    steps: tuple[Step, ...]

    @property
    def failed_step(self) -> Step | None:
        """The step that ended the run early; its `error` says why."""
        return next((step for step in self.steps if step.status == "failed"), None)

    def to_json(self) -> dict[str, object]:
        """`{output, steps}` (CLI-1)."""
        return {"output": self.output, "steps": [step.to_json() for step in self.steps]}


def run_agent(store: Store, agent: Agent | str, input: Any, *, project: str | os.PathLike[str]) -> RunResult:
    """Runs an agent's genes on a JSON value; a gene's failure is in the result, and its memory stays (RUN-4).

    The genes are read from `project/genes` first, all of them, so that a broken one stops the run before
    anything has acted.

    Raises:
        AgentNotFound: the store has no such agent.
        InvalidAgent: its composition is neither Single nor Seq.
        GeneNotFound, InvalidGene: a gene of the genome is not there or not one that can run.
    """
    agent = store.agent(agent) if isinstance(agent, str) else agent
    if agent.composition.get("type") not in PIPES:
        raise InvalidAgent(f"agent {agent.name} has a composition that no part of this program runs")
    return _run_sequence(store, agent, read_genome(Path(project), agent.genes), input)


def _run_sequence(store: Store, agent: Agent, genes: Sequence[GeneFolder], input_value: Any) -> RunResult:
    steps: list[Step] = []
    value = input_value
    for gene in genes:
        error, value = _run_step(store, agent, gene, value)
        host = HOST if gene.language is GeneLanguage.PYTHON else None
        steps.append(Step(gene.name, gene.gene_id, host, "failed" if error else "ok", error))
        if error is not None:
            break
    return RunResult(value, tuple(steps))


def _run_step(store: Store, agent: Agent, gene: GeneFolder, value: Any) -> tuple[StepError | None, Any]:
    try:
        return None, _run_gene(store, agent, gene, value)
    except GeneFailed as error:
        code = error.__cause__.code if isinstance(error.__cause__, AgentMemoryError) else error.code
        return StepError(str(code), str(error)), None


def _run_gene(store: Store, agent: Agent, gene: GeneFolder, value: Any) -> Any:
    if gene.language is not GeneLanguage.PYTHON:
        raise GeneFailed(f"no host here runs a gene written in {gene.language}")
    memory = store.gene_memory(agent, Gene(gene.gene_id, gene.domain, gene.name, gene.version))
    output = run_python_gene(gene, value, GeneContext(memory))
    refusal = refusal_of(output)
    if refusal is not None:
        raise GeneFailed(f"it refused its input: {refusal}")
    return output
