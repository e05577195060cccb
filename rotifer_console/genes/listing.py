"""The genes of a project as a listing shows them, broken ones too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rotifer_console.genes.genome import read_genome
from rotifer_console.project import gene_names, gene_path
from rotifer_store import GeneNotFound, InvalidGene
from rotifer_store.gene_folder import GeneFolder, read_gene_folder


@dataclass(frozen=True, slots=True)
class ListedGene:
    """A folder among the genes: what it says, or what is wrong with it."""

    name: str
    folder: GeneFolder | None
    problem: str | None = None


def list_project_genes(project: Path) -> list[ListedGene]:
    """Every folder among the project's genes, by name; a broken one has no v2 id (GEN-2)."""
    return [_listed(project, name) for name in gene_names(project)]


def list_genome(project: Path, names: Sequence[str]) -> list[ListedGene]:
    """The genes of a genome in order, each as its folder is now; one that cannot be read says why (AGT-1)."""
    return [_of_genome(project, name) for name in names]


def _of_genome(project: Path, name: str) -> ListedGene:
    try:
        return ListedGene(name, read_genome(project, [name])[0])
    except (GeneNotFound, InvalidGene) as error:
        return ListedGene(name, None, str(error))


def _listed(project: Path, name: str) -> ListedGene:
    try:
        return ListedGene(name, read_gene_folder(gene_path(project, name)))
    except InvalidGene as error:
        return ListedGene(name, None, str(error))
