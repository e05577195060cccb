"""`rotifer init`: makes a folder a project, with an example gene in it."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import Refused, note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.errors import ProjectExists
from rotifer_console.project import GENES_FOLDER, PROJECT_FILE
from rotifer_console.view.safe_text import json_text

EXAMPLE_GENE = "date-style"
_EXAMPLE_FILES = ("index.py", "phenotype.json")
_GITIGNORE = "# the store and its logs hold what agents remember\n.rotifer/\n__pycache__/\nnode_modules/\n"


def init_project(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder, made if need be.")] = Path(),
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Lays down what a project needs and leaves alone what is there already (CLI)."""
    root = folder.absolute()
    try:
        created = _lay_down(root)
    except FileExistsError:
        raise Refused(ProjectExists.code, f"{root} is a project already") from None
    except OSError as error:
        raise Refused("PROJECT_NOT_FOUND", f"no project can be made of {root}: {error.strerror}") from None
    if mode_of(ctx).as_json:
        output.write_json({"project": str(root), "created": created})
        return
    for path in created:
        output.write_line(path)
    note(f"try: rotifer agent create my-agent --genes {EXAMPLE_GENE}")


def _lay_down(root: Path) -> list[str]:
    root.mkdir(parents=True, exist_ok=True)
    project = {"name": root.name, "version": "0.1.0"}
    # First, and only if it is not there: of two that race for a folder one is told that it is a project.
    with (root / PROJECT_FILE).open("x", encoding="utf-8") as file:
        try:
            file.write(json_text(project, indent=2) + "\n")
            file.flush()
            created = [PROJECT_FILE, *_lay_down_contents(root)]
        except OSError:
            # what is not whole is no project, and can be tried again
            shutil.rmtree(root / GENES_FOLDER / EXAMPLE_GENE, ignore_errors=True)
            (root / PROJECT_FILE).unlink()
            raise
    return created


def _lay_down_contents(root: Path) -> list[str]:
    created: list[str] = []
    gene = root / GENES_FOLDER / EXAMPLE_GENE
    if not gene.exists():
        gene.mkdir(parents=True)
        for name in _EXAMPLE_FILES:
            text = files("rotifer_console.genes").joinpath("example", name).read_text(encoding="utf-8")
            (gene / name).write_text(text, encoding="utf-8")
            created.append((gene / name).relative_to(root).as_posix())
    if not (root / ".gitignore").exists():
        (root / ".gitignore").write_text(_GITIGNORE, encoding="utf-8")
        created.append(".gitignore")
    return created
