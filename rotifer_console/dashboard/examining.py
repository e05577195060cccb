"""One entry looked at closely: who may do what with it, and its value when it is asked for (TUI-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rotifer_console.genes.listing import list_genome
from rotifer_store import AccessVerdict, Agent, EntryInfo, Gene, MemoryNotFound, Store


class GeneVerdict(NamedTuple):
    """What one gene of the genome may do; `verdict` is None where its folder cannot be read."""

    gene: str
    verdict: AccessVerdict | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of one entry beyond its line. `value` is there only where it is to be shown."""

    entry: EntryInfo
    who: tuple[GeneVerdict, ...]
    value: bytes | None = field(repr=False, default=None)
    is_gone: bool = False


def genome_of(project: Path, agent: Agent) -> list[tuple[str, Gene | None, str | None]]:
    """The agent's genes as their folders are now: name, gene, or what is wrong with the folder (AGT-1)."""
    genome = []
    for listed in list_genome(project, agent.genes):
        folder = listed.folder
        gene = None if folder is None else Gene(folder.gene_id, folder.domain, folder.name, folder.version)
        genome.append((listed.name, gene, listed.problem))
    return genome


def readable_genes(project: Path, agent: Agent) -> list[Gene]:
    """The genes of the genome that can be read."""
    return [gene for _, gene, _ in genome_of(project, agent) if gene is not None]


def examine(store: Store, project: Path, agent: Agent, entry: EntryInfo, *, with_value: bool) -> Examined:
    """Looks at one entry; changes and records nothing.

    Raises:
        MemoryStorageError: the store failed.
    """
    who = tuple(_verdict(store, agent, entry.key, *each) for each in genome_of(project, agent))
    if not with_value:
        return Examined(entry, who)
    try:
        return Examined(entry, who, store.peek_value(agent, entry.key))
    except MemoryNotFound:
        return Examined(entry, who, is_gone=True)


def _verdict(
    store: Store, agent: Agent, key: str, name: str, gene: Gene | None, problem: str | None
) -> GeneVerdict:
    if gene is None:
        return GeneVerdict(name, None, problem)
    verdicts: Sequence[AccessVerdict] = store.access(agent, gene, key)
    return GeneVerdict(name, verdicts[0], None)
