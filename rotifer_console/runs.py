"""Runs of genes: an agent's, each under its own v2 id (RUN-2, RUN-4); or one alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from rotifer_console.errors import GeneFailed
from rotifer_console.genes.composition import (
    Composition,
    InvalidComposition,
    Kind,
    Outcome,
    StepError,
    Turn,
    course_of,
    read_composition,
)
from rotifer_console.genes.genome import read_genome
from rotifer_console.hosts.child import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, GeneChild
from rotifer_console.hosts.memory import Memory, MemoryCall, NoMemory, TracedMemory
from rotifer_console.hosts.node import find_node, node_command
from rotifer_console.hosts.python import run_python_gene
from rotifer_console.hosts.python_child import python_command
from rotifer_console.hosts.python_gene import memory_code
from rotifer_console.hosts.wasm import WasmHost, require_wasm_support
from rotifer_store import (
    Agent,
    ErrorCode,
    Gene,
    GeneNotFound,
    InvalidAgent,
    InvalidGene,
    Store,
)
from rotifer_store.gene_folder import GeneFolder, GeneLanguage, read_gene_folder

_HOST_OF: Final = {
    GeneLanguage.PYTHON: "python",
    GeneLanguage.TYPESCRIPT: "node",
    GeneLanguage.JAVASCRIPT: "node",
    GeneLanguage.WASM: "wasm",
}
_REFUSAL: Final = "__rotifer_error"
_LONGEST_REFUSAL: Final = 10_000


@dataclass(frozen=True, slots=True)
class Step:
    """One gene's part of a run, and the host that ran it."""

    gene: str
    gene_id: str
    host: str
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
    """What a run came to: its output, or the step that failed it; and all steps taken, in order.

    A step that failed need not fail the run: another branch of a Par may have succeeded, or a Try's fallback.
    """

    output: Any
    steps: tuple[Step, ...]
    failed_step: Step | None = None

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
        in_process: runs Python genes in this process, without a deadline and without isolation.
        trace: told of each memory call once it has ended.

    Raises:
        AgentNotFound: the store has no such agent.
        InvalidAgent: it has no genes, or no composition of theirs.
        GeneNotFound, InvalidGene: a gene of the genome is not there or not one that can run.
        MemoryStorageError: what a gene's language needs is not installed (ERR).
        ValueError: the time is not above 0 and at most 365 days.
    """
    agent = store.agent(agent) if isinstance(agent, str) else agent
    if not agent.genes:
        raise InvalidAgent(f"agent {agent.name} has no genes to run")
    try:
        composition = read_composition(agent.composition, len(agent.genes))
    except InvalidComposition as error:
        raise InvalidAgent(f"agent {agent.name}: {error}") from None

    def memory_of(gene: GeneFolder) -> Memory:
        memory = store.gene_memory(agent, Gene(gene.gene_id, gene.domain, gene.name, gene.version))
        return memory if trace is None else TracedMemory(memory, gene.name, trace)

    with Hosts(project, memory_of, timeout_s=timeout_s, in_process=in_process) as hosts:
        return run_composition(hosts, composition, read_genome(Path(project), agent.genes), input)


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
        GeneNotFound, InvalidGene, MemoryStorageError, ValueError: as `run_agent`.
    """
    with Hosts(project, lambda _: NoMemory(), timeout_s=timeout_s, in_process=in_process) as hosts:
        return run_composition(hosts, Composition(Kind.SINGLE), read_genome(Path(project), [name]), input)


class Hosts:
    """What runs the genes of one run: each gene's process is kept until the run has ended (HST-3)."""

    def __init__(
        self,
        project: str | os.PathLike[str] | None,
        memory_of: Callable[[GeneFolder], Memory],
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        in_process: bool = False,
    ) -> None:
        if not 0 < timeout_s <= MAX_TIMEOUT_S:
            raise ValueError("a gene's time is above 0 and at most 365 days")
        self._memory_of = memory_of
        self._timeout_s = timeout_s
        self._in_process = in_process
        self._children: dict[Path, GeneChild] = {}
        self._open = ExitStack()
        self._wasm = self._open.enter_context(WasmHost(None if project is None else Path(project)))

    def __enter__(self) -> Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, gene: GeneFolder, value: Any) -> Any:
        """The gene's output; that it refuses its input is one (HST-6).

        Raises:
            GeneFailed: it has none.
        """
        if gene.language is GeneLanguage.WASM:
            return self._wasm.run(gene, value, self._memory_of(gene), self._timeout_s)
        if self._in_process and gene.language is GeneLanguage.PYTHON:
            _require_unchanged(gene)
            return run_python_gene(gene, value, self._memory_of(gene))
        child = self._children.get(gene.path)
        if child is None:
            _require_unchanged(gene)
            command = python_command(gene) if gene.language is GeneLanguage.PYTHON else node_command(gene)
            child = self._open.enter_context(GeneChild(command, self._memory_of(gene)))
            self._children[gene.path] = child
        return child.run(value, self._timeout_s)

    def close_wasm(self) -> None:
        """Ends WASM genes that other threads run."""
        self._wasm.close()


def _require_unchanged(gene: GeneFolder) -> None:
    """Returns where the folder is still what the v2 id was taken from: code acts under its own id (RUN-4).

    Raises:
        GeneFailed: it is another gene's by now, or none.
    """
    try:
        gene_id = read_gene_folder(gene.path).gene_id
    except (GeneNotFound, InvalidGene) as error:
        raise GeneFailed(f"its folder has changed since its v2 id was taken: {error}") from None
    if gene_id != gene.gene_id:
        raise GeneFailed("its folder has changed since its v2 id was taken")


def require_hosts(genes: Sequence[GeneFolder]) -> None:
    """Returns where everything is installed that these genes run on.

    Raises:
        MemoryStorageError: something is not; says what to do (ERR).
    """
    languages = {gene.language for gene in genes}
    if languages & {GeneLanguage.TYPESCRIPT, GeneLanguage.JAVASCRIPT}:
        find_node()
    if GeneLanguage.WASM in languages:
        require_wasm_support()


def run_composition(
    hosts: Hosts, composition: Composition, genes: Sequence[GeneFolder], input_value: Any
) -> RunResult:
    """Runs genes as their composition says; it means the same whatever they are written in (RUN-3).

    Raises:
        MemoryStorageError: what a gene's language needs is not installed; none has run then.
    """
    require_hosts(genes)
    steps: dict[Outcome, Step] = {}
    course = course_of(composition, len(genes), input_value)
    outcomes: list[Outcome] | None = None
    while True:
        try:
            turns = next(course) if outcomes is None else course.send(outcomes)
        except StopIteration as stopped:
            end = stopped.value
            failed_step = None if end.failed is None else steps[end.failed]
            return RunResult(end.output, tuple(steps.values()), failed_step)
        outcomes = _take(hosts, genes, turns)
        for turn, outcome in zip(turns, outcomes, strict=True):
            steps[outcome] = _step(genes[turn.gene], outcome)


def _step(gene: GeneFolder, outcome: Outcome) -> Step:
    status: Literal["ok", "failed"] = "ok" if outcome.error is None else "failed"
    return Step(gene.name, gene.gene_id, _HOST_OF[gene.language], status, outcome.error)


def _take(hosts: Hosts, genes: Sequence[GeneFolder], turns: Sequence[Turn]) -> list[Outcome]:
    """What the turns came to: side by side where all of them are WASM, else one after another (RUN-3)."""
    if len(turns) == 1 or any(genes[turn.gene].language is not GeneLanguage.WASM for turn in turns):
        return [_outcome(hosts, genes[turn.gene], turn.input) for turn in turns]
    with ThreadPoolExecutor(len(turns)) as threads:
        running = [threads.submit(_outcome, hosts, genes[turn.gene], turn.input) for turn in turns]
        try:
            return [outcome.result() for outcome in running]
        except BaseException:
            hosts.close_wasm()
            raise


def _outcome(hosts: Hosts, gene: GeneFolder, value: Any) -> Outcome:
    try:
        output = hosts.run(gene, value)
    except GeneFailed as error:
        code = None if error.__cause__ is None else memory_code(error.__cause__)
        return Outcome(error=StepError(code or error.code, str(error)))
    refusal = refusal_of(output)
    if refusal is not None:
        return Outcome(error=StepError(_refusal_code(output), f"it refused its input: {refusal}"))
    return Outcome(output)


def _refusal_code(refusal: Any) -> str:
    """A memory error's code, where the gene handed one on as its output (HST-6)."""
    told = refusal[_REFUSAL]
    code = told.get("code") if isinstance(told, dict) else None
    return code if code in list(ErrorCode) else GeneFailed.code


def refusal_of(output: Any) -> str | None:
    """Why a gene refused its input, if that is what its output says (HST-6)."""
    if not isinstance(output, dict) or list(output) != [_REFUSAL]:
        return None
    refusal = output[_REFUSAL]
    if isinstance(refusal, dict):
        told = ": ".join(str(refusal[name]) for name in ("code", "message") if name in refusal)
    else:
        told = refusal if isinstance(refusal, str) else json.dumps(refusal)
    return told[:_LONGEST_REFUSAL] or "it gives no reason"
