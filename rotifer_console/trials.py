"""Trying a gene: its schemas, one generated input, and the cases of its suite (RUN-5, AGT-7).

A trial has memory of its own, in a folder that is gone afterwards: no agent's memory or log is touched. Each
case runs in a process of its own, as each run of an agent does, so what a gene keeps beside its memory helps
it in no case. The clock stands still but for what a case moves it by.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from rotifer_console.errors import GeneFailed
from rotifer_console.genes.json_values import Difference, first_difference
from rotifer_console.genes.schemas import misfit, sample_of, schema_problem
from rotifer_console.genes.suite import SUITE, Case, InvalidSuite, read_suite
from rotifer_console.hosts.child import DEFAULT_TIMEOUT_S
from rotifer_console.runs import Hosts, refusal_of, require_hosts
from rotifer_store import EntryInfo, FixedClock, Gene, GeneSeen, Store, SystemClock, open_store
from rotifer_store.gene_folder import GeneFolder

_AGENT: Final = "trial"
Run = Callable[[Any, float], Any]


class Verdict(StrEnum):
    """What a check came to; FAILED alone makes the trial fail."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was tried, what it came to, why where that needs saying, and where an output differs."""

    verdict: Verdict
    check: str
    message: str = ""
    difference: Difference | None = None

    def to_json(self) -> dict[str, object]:
        """`{status, check, message}`; with a difference also `path, expected, actual`."""
        told = {"status": str(self.verdict), "check": self.check, "message": self.message}
        return told | ({} if self.difference is None else self.difference.to_json())


@dataclass(frozen=True, slots=True)
class Trial:
    """What trying a gene came to, and what its suite left in its memory."""

    results: tuple[CheckResult, ...]
    entries: tuple[EntryInfo, ...]
    genes_seen: tuple[GeneSeen, ...]

    def count(self, verdict: Verdict) -> int:
        """How many checks came to that."""
        return sum(result.verdict is verdict for result in self.results)


def try_gene(gene: GeneFolder, *, timeout_s: float = DEFAULT_TIMEOUT_S, in_process: bool = False) -> Trial:
    """Everything that can be tried of a gene.

    Raises:
        MemoryStorageError: what the gene's language needs is not installed; nothing was tried (ERR).
    """
    require_hosts([gene])
    results = list(_schema_results(gene))
    is_sound = all(result.verdict is Verdict.PASSED for result in results)
    with _throw_away(gene) as (store, _):
        run = _runs_of(gene, store, in_process=in_process)
        results.append(_generated_result(gene, run, timeout_s, is_sound=is_sound))
    with _throw_away(gene) as (store, clock):
        run = _runs_of(gene, store, in_process=in_process)
        results += _suite_results(gene, run, clock, timeout_s, is_sound=is_sound)
        return Trial(tuple(results), tuple(store.list_memory(_AGENT)), tuple(store.genes_seen(_AGENT)))


def _schema_results(gene: GeneFolder) -> Iterator[CheckResult]:
    for name in ("inputSchema", "outputSchema"):
        problem = schema_problem(gene.phenotype[name])
        yield CheckResult(Verdict.PASSED if problem is None else Verdict.FAILED, name, problem or "")


@contextlib.contextmanager
def _throw_away(gene: GeneFolder) -> Iterator[tuple[Store, FixedClock]]:
    clock = FixedClock(SystemClock().now_us())
    with (
        tempfile.TemporaryDirectory(prefix="rotifer-trial-") as folder,
        open_store(folder, clock=clock) as store,
    ):
        store.create_agent(_AGENT, genes=[_identity(gene)])
        yield store, clock


def _identity(gene: GeneFolder) -> Gene:
    return Gene(gene.gene_id, gene.domain, gene.name, gene.version)


def _runs_of(gene: GeneFolder, store: Store, *, in_process: bool) -> Run:
    def run(input_value: Any, timeout_s: float) -> Any:
        memory = store.gene_memory(_AGENT, _identity(gene))
        with Hosts(None, lambda _: memory, timeout_s=timeout_s, in_process=in_process) as hosts:
            return hosts.run(gene, input_value)

    return run


def _generated_result(gene: GeneFolder, run: Run, timeout_s: float, *, is_sound: bool) -> CheckResult:
    check = "generated input"
    if not is_sound:
        return CheckResult(Verdict.SKIPPED, check, "the schemas are not sound")
    sample = sample_of(gene.phenotype["inputSchema"])
    if misfit(sample, gene.phenotype["inputSchema"]) is not None:
        return CheckResult(
            Verdict.SKIPPED, check, "none could be made from the inputSchema; an example in it would help"
        )
    try:
        output = run(sample, timeout_s)
    except GeneFailed as error:
        return CheckResult(Verdict.FAILED, check, f"it fits the inputSchema, and the gene failed: {error}")
    refusal = refusal_of(output)
    if refusal is not None:
        return CheckResult(Verdict.SKIPPED, check, f"the gene refused it: {refusal}")
    problem = misfit(output, gene.phenotype["outputSchema"])
    return (
        CheckResult(Verdict.PASSED, check)
        if problem is None
        else CheckResult(Verdict.FAILED, check, f"the output does not fit the outputSchema: {problem}")
    )


def _suite_results(
    gene: GeneFolder, run: Run, clock: FixedClock, timeout_s: float, *, is_sound: bool
) -> Iterator[CheckResult]:
    try:
        cases = read_suite(gene.path)
    except InvalidSuite as error:
        yield CheckResult(Verdict.FAILED, SUITE, str(error))
        return
    if cases is None:
        yield CheckResult(Verdict.SKIPPED, SUITE, "there is none")
        return
    for number, case in enumerate(cases, start=1):
        if not is_sound:
            yield CheckResult(Verdict.SKIPPED, f"case {number}", "the schemas are not sound")
            continue
        clock.advance(case.advance_s)
        problem = _case_problem(gene, case, run, case.timeout_s or timeout_s)
        yield CheckResult(
            Verdict.PASSED if problem is None else Verdict.FAILED,
            f"case {number}",
            f"the output is not the expectedOutput {problem}"
            if isinstance(problem, Difference)
            else problem or "",
            problem if isinstance(problem, Difference) else None,
        )


def _case_problem(gene: GeneFolder, case: Case, run: Run, timeout_s: float) -> str | Difference | None:
    """What a case shows to be wrong; an input that does not fit the inputSchema may be refused."""
    try:
        output = run(case.input, timeout_s)
    except GeneFailed as error:
        return f"the gene failed: {error}"
    if case.has_expected_output:
        return first_difference(case.expected_output, output)
    if case.expected_schema is not None:
        problem = misfit(output, case.expected_schema)
        return None if problem is None else f"the output does not fit the expectedSchema: {problem}"
    fits = misfit(case.input, gene.phenotype["inputSchema"]) is None
    refusal = refusal_of(output)
    if refusal is not None:
        return f"the gene refused an input that fits the inputSchema: {refusal}" if fits else None
    if not fits:
        return "the gene took an input that does not fit the inputSchema, and nothing is expected of it"
    problem = misfit(output, gene.phenotype["outputSchema"])
    return None if problem is None else f"the output does not fit the outputSchema: {problem}"
