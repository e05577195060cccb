"""Runs of genes: an agent's, one after another, each under its own v2 id (RUN-2, RUN-4); or one alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from rotifer_console.errors import GeneFailed
from rotifer_console.genes.genome import PIPES, read_genome
from rotifer_console.hosts.child import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, GeneChild
from rotifer_console.hosts.memory import Memory, MemoryCall, NoMemory, TracedMemory
from rotifer_console.hosts.python import run_python_gene
from rotifer_console.hosts.python_child import python_command
from rotifer_store import Agent, AgentMemoryError, Gene, InvalidAgent, Store
from rotifer_store.gene_folder import GeneFolder, GeneLanguage

_HOST_OF: Final = {GeneLanguage.PYTHON: "python"}
_REFUSAL: Final = "__rotifer_error"


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


def run_agent(
    store: Store,
    agent: Agent | str,
    input: Any,
    *,
    project: str | os.PathLike[str],
    timeout_s: float = DEFAULT_TIMEOUT_S,
    in_process: bool = False,
    trace: Callable[[MemoryCall], None] | None = None,
) -> RunResult:
    """Runs an agent's genes on a JSON value; a gene's failure is in the result, and its memory stays (RUN-4).

    The genes are read from `project/genes` first, all of them, so that a broken one stops the run before
    anything has acted.

    Args:
        store: where the agent is.
        agent: the agent or its name.
        input: the first gene's input.
        project: the folder that has the genes.
        timeout_s: how long each gene may take; its processes are ended then (HST-4).
        in_process: runs Python genes in this process instead, without a deadline and without isolation.
        trace: told of each memory call once it has ended.

    Raises:
        AgentNotFound: the store has no such agent.
        InvalidAgent: it has no genes, or its composition is neither Single nor Seq.
        GeneNotFound, InvalidGene: a gene of the genome is not there or not one that can run.
        ValueError: the time is not above 0 and at most 365 days.
    """
    agent = store.agent(agent) if isinstance(agent, str) else agent
    if not agent.genes:
        raise InvalidAgent(f"agent {agent.name} has no genes to run")
    if agent.composition.get("type") not in PIPES:
        raise InvalidAgent(f"agent {agent.name} has a composition that no part of this program runs")

    def memory_of(gene: GeneFolder) -> Memory:
        memory = store.gene_memory(agent, Gene(gene.gene_id, gene.domain, gene.name, gene.version))
        return memory if trace is None else TracedMemory(memory, gene.name, trace)

    with _Hosts(memory_of, timeout_s=timeout_s, in_process=in_process) as hosts:
        return _run_sequence(hosts, read_genome(Path(project), agent.genes), input)


def run_gene(
    name: str,
    input: Any,
    *,
    project: str | os.PathLike[str],
    timeout_s: float = DEFAULT_TIMEOUT_S,
    in_process: bool = False,
) -> RunResult:
    """Runs one gene of a project without an agent: every memory call is refused and none recorded (AGT-8).

    Raises:
        GeneNotFound, InvalidGene, ValueError: as `run_agent`.
    """
    with _Hosts(lambda _: NoMemory(), timeout_s=timeout_s, in_process=in_process) as hosts:
        return _run_sequence(hosts, read_genome(Path(project), [name]), input)


class _Hosts:
    """What runs the genes of one run: each gene's process is kept until the run has ended (HST-3)."""

    def __init__(
        self, memory_of: Callable[[GeneFolder], Memory], *, timeout_s: float, in_process: bool
    ) -> None:
        if not 0 < timeout_s <= MAX_TIMEOUT_S:
            raise ValueError("a gene's time is above 0 and at most 365 days")
        self._memory_of = memory_of
        self._timeout_s = timeout_s
        self._in_process = in_process
        self._children: dict[Path, GeneChild] = {}
        self._open = ExitStack()

    def __enter__(self) -> _Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, gene: GeneFolder, value: Any) -> Any:
        """The gene's output.

        Raises:
            GeneFailed: it has none.
        """
        output = self._output(gene, value)
        refusal = _refusal_of(output)
        if refusal is not None:
            raise GeneFailed(f"it refused its input: {refusal}")
        return output

    def _output(self, gene: GeneFolder, value: Any) -> Any:
        if gene.language not in _HOST_OF:
            raise GeneFailed(f"no host here runs a gene written in {gene.language}")
        if self._in_process:
            return run_python_gene(gene, value, self._memory_of(gene))
        child = self._children.get(gene.path)
        if child is None:
            child = self._open.enter_context(GeneChild(python_command(gene), self._memory_of(gene)))
            self._children[gene.path] = child
        return child.run(value, self._timeout_s)


def _run_sequence(hosts: _Hosts, genes: Sequence[GeneFolder], input_value: Any) -> RunResult:
    steps: list[Step] = []
    value = input_value
    for gene in genes:
        error, value = _run_step(hosts, gene, value)
        host = _HOST_OF.get(gene.language)
        steps.append(Step(gene.name, gene.gene_id, host, "failed" if error else "ok", error))
        if error is not None:
            break
    return RunResult(value, tuple(steps))


def _run_step(hosts: _Hosts, gene: GeneFolder, value: Any) -> tuple[StepError | None, Any]:
    try:
        return None, hosts.run(gene, value)
    except GeneFailed as error:
        code = error.__cause__.code if isinstance(error.__cause__, AgentMemoryError) else error.code
        return StepError(str(code), str(error)), None


def _refusal_of(output: Any) -> str | None:
    """Why a gene refused its input, if that is what its output says (HST-6)."""
    if not isinstance(output, dict) or list(output) != [_REFUSAL]:
        return None
    refusal = output[_REFUSAL]
    if isinstance(refusal, dict):
        return ": ".join(str(refusal[name]) for name in ("code", "message") if name in refusal)
    return refusal if isinstance(refusal, str) else json.dumps(refusal)
