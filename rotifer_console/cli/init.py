"""`rotifer init`: makes a folder a project, with an example gene for each host in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
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
_EXAMPLES = "examples"
_TYPES = "types"
_GITIGNORE = b"# the store and its logs hold what agents remember\n.rotifer/\n__pycache__/\nnode_modules/\n"


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
    except ProjectExists as error:
        raise Refused(error.code, f"{root} is a project already") from None
    except OSError as error:
        raise Refused("PROJECT_NOT_FOUND", f"no project can be made of {root}: {error.strerror}") from None
    if mode_of(ctx).as_json:
        output.write_json({"project": str(root), "created": created})
        return
    for path in created:
        output.write_line(path)
    note(f"try: {_way_there(folder)}rotifer agent create my-agent --genes {EXAMPLE_GENE}")


def _way_there(folder: Path) -> str:
    """The command that goes to the folder, as a shell takes it; nothing where one is there already."""
    if folder.resolve() == Path.cwd().resolve():
        return ""
    name = str(folder)
    return f"cd {shlex.quote(f'./{name}' if name.startswith('-') else name)} && "


def _lay_down(root: Path) -> list[str]:
    root.mkdir(parents=True, exist_ok=True)
    project = {"name": root.name, "version": "0.1.0"}
    # First, and only if it is not there: of two that race for a folder one is told that it is a project.
    try:
        file = (root / PROJECT_FILE).open("x", encoding="utf-8")
    except FileExistsError:
        raise ProjectExists from None
    with file:
        created: list[str] = []
        try:
            file.write(json_text(project, indent=2) + "\n")
            file.flush()
            created.append(PROJECT_FILE)
            for path, content in _contents(root):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(content)
                created.append(path)
        except OSError:
            # what is not whole is no project, and can be tried again
            for path in reversed(created):
                (root / path).unlink()
            raise
    return created


def _contents(root: Path) -> Iterator[tuple[str, bytes]]:
    """Relative paths and what they hold, of all that is not there yet; an example gene comes whole or not."""
    package = files("rotifer_console.genes")
    for gene in sorted(package.joinpath(_EXAMPLES).iterdir(), key=lambda found: found.name):
        if not (root / GENES_FOLDER / gene.name).exists():
            yield from _files_of(gene, f"{GENES_FOLDER}/{gene.name}")
    beside = [*_files_of(package.joinpath(_TYPES), _TYPES), (".gitignore", _GITIGNORE)]
    yield from ((path, content) for path, content in beside if not (root / path).exists())


def _files_of(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found = sorted((file for file in folder.iterdir() if file.is_file()), key=lambda file: file.name)
    return [(f"{path}/{file.name}", file.read_bytes()) for file in found]
