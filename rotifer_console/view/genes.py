"""Genes for people: columns, cells, and the JSON that `rotifer list` prints (CLI-1)."""

from __future__ import annotations

from typing import Final

from rotifer_console.genes.listing import ListedGene
from rotifer_console.view.columns import Column, short_id
from rotifer_store.gene_folder import GeneFolder

COLUMNS: Final = (
    Column("Gene"),
    Column("Domain"),
    Column("Language"),
    Column("Version"),
    Column("Gene ID (v2)"),
)
COUNTED_COLUMNS: Final = (Column("Counts towards the id"),)
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
    if gene.folder is not None:
        return dict(folder_json(gene.folder))
    return {"name": gene.name, "domain": None, "language": None, "version": None, "geneId": None}


def folder_json(folder: GeneFolder) -> dict[str, str]:
    """`{name, domain, language, version, geneId}`."""
    return {
        "name": folder.name,
        "domain": folder.domain,
        "language": folder.language,
        "version": folder.version,
        "geneId": folder.gene_id,
    }


def id_line(folder: GeneFolder) -> str:
    """The line that ends what `wrap` and `compile` print (GEN-3)."""
    return f"Gene ID (v2): {folder.gene_id}"
