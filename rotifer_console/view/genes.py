"""Genes for people: columns, cells, and the JSON that `rotifer list` prints (CLI-1)."""

from __future__ import annotations

from typing import Final

from rotifer_console.genes.listing import ListedGene
from rotifer_console.view.columns import Column, short_id

COLUMNS: Final = (
    Column("Gene"),
    Column("Domain"),
    Column("Language"),
    Column("Version"),
    Column("Gene ID (v2)"),
)
_UNKNOWN: Final = "-"


def plain_cells(gene: ListedGene) -> list[str]:
    """Exact cells; what a broken gene does not tell is a dash."""
    if gene.folder is None:
        return [gene.name, *[_UNKNOWN] * (len(COLUMNS) - 1)]
    folder = gene.folder
    return [gene.name, folder.domain, folder.language, folder.version, folder.gene_id]


def table_cells(gene: ListedGene) -> list[str]:
    """Cells for a table at a terminal: the id shortened."""
    *cells, gene_id = plain_cells(gene)
    return [*cells, short_id(gene_id)]


def to_json(gene: ListedGene) -> dict[str, str | None]:
    """`{name, domain, language, version, geneId}`; a broken gene has null but for its name."""
    folder = gene.folder
    return {
        "name": gene.name,
        "domain": None if folder is None else folder.domain,
        "language": None if folder is None else folder.language,
        "version": None if folder is None else folder.version,
        "geneId": None if folder is None else folder.gene_id,
    }
