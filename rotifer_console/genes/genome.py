"""A genome's genes read from their folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rotifer_console.project import gene_path
from rotifer_store import InvalidGene
from rotifer_store.gene_folder import GENE_NAME_FORM, GeneFolder, is_gene_name, read_gene_folder


def read_genome(project: Path, names: Sequence[str]) -> list[GeneFolder]:
    """The genes of those names, in that order, as their folders are now.

    Raises:
        GeneNotFound: there is no such folder.
        InvalidGene: a name or folder is not a gene's.
    """
    genes = []
    for name in names:
        if not is_gene_name(name):  # before it becomes a path: `../other` is no gene of this project
            raise InvalidGene(f"no gene is called {name}: {GENE_NAME_FORM}")
        genes.append(read_gene_folder(gene_path(project, name)))
    return genes
