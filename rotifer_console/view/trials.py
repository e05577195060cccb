"""What trying a gene came to, for people and as JSON (RUN-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rotifer_console.view.columns import Column

if TYPE_CHECKING:
    from rotifer_console.trials import CheckResult, Trial
    from rotifer_store.gene_folder import GeneFolder

COLUMNS: Final = (Column("Status", style="cyan"), Column("Check"), Column("What was found"))


def cells(result: CheckResult) -> list[str]:
    """A check's row."""
    return [result.verdict, result.check, result.message]


def to_json(gene: GeneFolder, trial: Trial) -> dict[str, object]:
    """`{name, geneId, passed, failed, skipped, checks}`."""
    return {
        "name": gene.name,
        "geneId": gene.gene_id,
        **_counts(trial),
        "checks": [result.to_json() for result in trial.results],
    }


def summary(trial: Trial) -> str:
    """`5 passed, 0 failed, 1 skipped`."""
    return ", ".join(f"{count} {name}" for name, count in _counts(trial).items())


def _counts(trial: Trial) -> dict[str, int]:
    from rotifer_console.trials import Verdict

    return {str(verdict): trial.count(verdict) for verdict in Verdict}
