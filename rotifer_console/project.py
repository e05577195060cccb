"""The project: the nearest folder with a `rotifer.json`, and the genes in it (GEN-1)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from rotifer_console.errors import ProjectNotFound

PROJECT_FILE: Final = "rotifer.json"
GENES_FOLDER: Final = "genes"


def find_project(start: str | os.PathLike[str] | None = None) -> Path:
    """The root of the project that `start`, or else the working folder, lies in (GEN-1).

    Raises:
        ProjectNotFound: no folder up to the file system's root holds a `rotifer.json`.
    """
    try:
        here = Path.cwd() if start is None else Path(start).absolute()
    except FileNotFoundError:
        raise ProjectNotFound("the working folder no longer exists") from None
    for folder in (here, *here.parents):
        if (folder / PROJECT_FILE).is_file():
            return folder
    raise ProjectNotFound(f"neither {here} nor a folder above it holds a {PROJECT_FILE}")


def gene_path(project: Path, name: str) -> Path:
    """Where the gene of that name lies."""
    return project / GENES_FOLDER / name


def gene_names(project: Path) -> list[str]:
    """The folders among the project's genes, sorted; a dot folder is none."""
    genes = project / GENES_FOLDER
    if not genes.is_dir():
        return []
    return sorted(child.name for child in genes.iterdir() if child.is_dir() and child.name[0] != ".")
