"""Giving a gene's folder the phenotype that it lacks (GEN-3): the one thing that is written there (GEN-2)."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rotifer_console.view.safe_text import json_text
from rotifer_store import InvalidGene
from rotifer_store.gene_folder import PHENOTYPE, GeneFolder, gene_with, read_phenotype

_DEFAULTS: Final = {
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object"},
    "version": "0.1.0",
}


@dataclass(frozen=True, slots=True)
class WrappedGene:
    """A gene that has its phenotype, and the members that had to be written for it."""

    folder: GeneFolder
    written: tuple[str, ...]


def wrap_gene(path: Path, domain: str) -> WrappedGene:
    """Writes what the folder's phenotype lacks, and its domain where that is another; keeps all else (GEN-3).

    Nothing is written where nothing is missing, or where the folder would be no gene even then.

    Raises:
        GeneNotFound: there is no such folder.
        InvalidGene: it has no source, or its phenotype is not one that a gene can have.
    """
    present = read_phenotype(path) or {}
    phenotype: dict[str, Any] = {**present, "domain": domain}
    for name, value in _DEFAULTS.items():
        phenotype.setdefault(name, value)
    gene = gene_with(path, phenotype)
    written = tuple(name for name in phenotype if name not in present or phenotype[name] != present[name])
    if written:
        try:
            _replace(path / PHENOTYPE, json_text(phenotype, indent=2) + "\n")
        except OSError as error:
            raise InvalidGene(
                f"gene {path.name}: {PHENOTYPE} cannot be written ({error.strerror})"
            ) from error
    return WrappedGene(gene, written)


def _replace(path: Path, text: str) -> None:
    """Puts a whole file in the place of another, with its mode; a reader sees the one or the other."""
    new = path.with_name(f".phenotype-{secrets.token_hex(4)}")  # a name that never counts as what can run
    try:
        with new.open("x", encoding="utf-8") as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, new)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
