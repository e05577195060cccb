"""A gene's folder, read and checked: phenotype, source, the files that can run, v2 id (GEN-1, GEN-2).

Reads files and writes none. Nothing of a gene is run or imported here; hosts do that from `source`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NoReturn

from rotifer_store.errors import GeneNotFound, InvalidGene
from rotifer_store.gene_id import v2_id

_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_DOMAIN: Final = re.compile(r"[a-z0-9]+(\.[a-z0-9]+)*")
_MAX_NAME_CHARACTERS: Final = 100

PHENOTYPE: Final = "phenotype.json"
"""The file that tells what a gene is; it counts towards the v2 id (GEN-2)."""
REQUIRED_MEMBERS: Final = ("domain", "inputSchema", "outputSchema", "version")
"""What every phenotype has (GEN-1); other members are kept."""

GENE_NAME_FORM: Final = "a name is lower-case letters and digits, inside also . _ -, at most 100 in all"
DOMAIN_FORM: Final = "lower-case letters and digits, parts joined by dots"
"""The rules of GEN-1 in words, for messages."""


class GeneLanguage(StrEnum):
    """What a gene's source is written in; it decides the host and the files that can run."""

    PYTHON = "python"
    TYPESCRIPT = "typescript"
    JAVASCRIPT = "javascript"
    WASM = "wasm"


SOURCES: Final = (
    ("index.py", GeneLanguage.PYTHON),
    ("index.ts", GeneLanguage.TYPESCRIPT),
    ("index.js", GeneLanguage.JAVASCRIPT),
    ("index.mjs", GeneLanguage.JAVASCRIPT),
)
"""Sources in the order in which the first that exists is taken (GEN-1)."""

MODULES: Final = ("gene.ir.wasm", "gene.wasm")
"""WASM modules, in the same order."""

_NODE_SUFFIXES: Final = (".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json")
RUNNABLE_SUFFIXES: Final = {
    GeneLanguage.PYTHON: (".py",),
    GeneLanguage.TYPESCRIPT: _NODE_SUFFIXES,
    GeneLanguage.JAVASCRIPT: _NODE_SUFFIXES,
}
"""Endings of the files that can run, by the language of the source (GEN-2)."""

NEVER_RUNNABLE: Final = frozenset({PHENOTYPE, "testsuite.json", "package-lock.json"})
NEVER_SEARCHED: Final = frozenset({"__pycache__", "node_modules", "target", "dist", "build", "tests"})


@dataclass(frozen=True, slots=True)
class GeneFolder:
    """What a gene's folder says: `source` is the file its host runs; `phenotype` keeps unknown members."""

    path: Path
    name: str
    domain: str
    version: str
    language: GeneLanguage
    source: Path
    phenotype: Mapping[str, Any]
    gene_id: str


def is_gene_name(name: str) -> bool:
    """Whether a gene's folder may be called so (GEN-1)."""
    return len(name) <= _MAX_NAME_CHARACTERS and ".." not in name and _NAME.fullmatch(name) is not None


def is_domain(text: str) -> bool:
    """Whether a gene's domain may be called so (GEN-1)."""
    return _DOMAIN.fullmatch(text) is not None


def read_gene_folder(path: str | os.PathLike[str]) -> GeneFolder:
    """The gene that lies in a folder, with its v2 id as the files are now (GEN-1, GEN-2).

    Raises:
        GeneNotFound: there is no such folder.
        InvalidGene: its name, phenotype, source or a file that can run is not one a gene can have.
    """
    folder = _existing_folder(path)
    phenotype = read_phenotype(folder)
    if phenotype is None:
        _refuse(folder, f"it has no {PHENOTYPE}; `rotifer wrap {folder.name} --domain …` writes one")
    return gene_with(folder, phenotype)


def gene_with(path: str | os.PathLike[str], phenotype: Mapping[str, Any]) -> GeneFolder:
    """The gene that a folder would be with that phenotype, which need not be the one that lies there.

    Raises:
        GeneNotFound: there is no such folder.
        InvalidGene: its name, source, a file that can run, or the phenotype is not one a gene can have.
    """
    folder = _existing_folder(path)
    _require_members(folder, phenotype)
    try:
        source, language = _choose_source(folder, phenotype)
        files = [(file, _sha256(folder / file)) for file in runnable_files(folder, source, language)]
    except OSError as error:
        raise _unreadable(folder, error) from error
    try:
        gene_id = v2_id(phenotype, files)
    except ValueError as error:
        raise InvalidGene(f"gene {folder.name}: no v2 id: {error}") from error
    return GeneFolder(
        folder, folder.name, phenotype["domain"], phenotype["version"], language, source, phenotype, gene_id
    )


def read_phenotype(folder: Path) -> dict[str, Any] | None:
    """What a folder's phenotype holds, any JSON object; None where there is none.

    Raises:
        InvalidGene: it is a link, cannot be read, or is no JSON object.
    """
    try:
        if not _is_plain_file(folder, PHENOTYPE):
            return None
        phenotype = json.loads(
            (folder / PHENOTYPE).read_bytes().decode(),
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_int=_parse_integer,
        )
    except OSError as error:
        raise _unreadable(folder, error) from error
    except (ValueError, RecursionError) as error:
        raise InvalidGene(f"gene {folder.name}: {PHENOTYPE} is not JSON: {error}") from error
    if not isinstance(phenotype, dict):
        _refuse(folder, f"{PHENOTYPE} is not a JSON object")
    return phenotype


def _existing_folder(path: str | os.PathLike[str]) -> Path:
    folder = Path(os.path.abspath(path))  # noqa: PTH100 -- resolve() would follow a link and change the name
    try:
        is_folder = folder.is_dir()
    except OSError as error:
        raise _unreadable(folder, error) from error
    if not is_folder:
        raise GeneNotFound(f"there is no gene folder {folder.name}")
    if not is_gene_name(folder.name):
        raise InvalidGene(f"no gene is called {folder.name}: {GENE_NAME_FORM}")
    return folder


def _unreadable(folder: Path, error: OSError) -> InvalidGene:
    return InvalidGene(f"gene {folder.name}: a file cannot be read ({error.strerror})")


def counted_files(gene: GeneFolder) -> list[str]:
    """Relative paths of everything that counts towards the gene's v2 id, the phenotype first (GEN-2).

    Raises:
        InvalidGene: a link has come among them.
    """
    return [PHENOTYPE, *runnable_files(gene.path, gene.source, gene.language)]


def runnable_files(folder: Path, source: Path, language: GeneLanguage) -> list[str]:
    """Relative paths of the files that count towards the v2 id, sorted (GEN-2).

    Raises:
        InvalidGene: one of them, or a folder that would be searched, is a link.
    """
    if language is GeneLanguage.WASM:
        return [source.name]
    found: list[str] = []
    unsearched = [folder]
    while unsearched:
        with os.scandir(unsearched.pop()) as children:
            for child in children:
                path = Path(child.path)
                if child.is_dir():  # true of a link to a folder too: it must be refused, not passed over
                    if child.name.startswith(".") or child.name in NEVER_SEARCHED:
                        continue
                    unsearched.append(path)
                elif child.name.endswith(RUNNABLE_SUFFIXES[language]) and child.name not in NEVER_RUNNABLE:
                    found.append(path.relative_to(folder).as_posix())
                else:
                    continue
                _refuse_link(folder, path.relative_to(folder).as_posix(), is_link=child.is_symlink())
    return sorted(found)


def _require_members(folder: Path, phenotype: Mapping[str, Any]) -> None:
    missing = [name for name in REQUIRED_MEMBERS if name not in phenotype]
    if missing:
        _refuse(folder, f"{PHENOTYPE} lacks {', '.join(missing)}")
    domain, version = phenotype["domain"], phenotype["version"]
    if not isinstance(domain, str) or not is_domain(domain):
        _refuse(folder, f"its domain is not {DOMAIN_FORM}")
    if not isinstance(version, str) or not version:
        _refuse(folder, "its version is not text")
    for name in ("inputSchema", "outputSchema"):
        if not isinstance(phenotype[name], dict):
            _refuse(folder, f"its {name} is not a JSON object")


def _choose_source(folder: Path, phenotype: Mapping[str, Any]) -> tuple[Path, GeneLanguage]:
    sources = [(name, language) for name, language in SOURCES if _is_plain_file(folder, name)]
    if sources and phenotype.get("fidelity") != "Native":
        name, language = sources[0]
        return folder / name, language
    for module in MODULES:
        if _is_plain_file(folder, module):
            return folder / module, GeneLanguage.WASM
    if sources:
        why = f"its fidelity is Native, but it has neither {' nor '.join(MODULES)}"
    else:
        why = f"it has no source: {', '.join(name for name, _ in SOURCES)} or a WASM module"
    raise InvalidGene(f"gene {folder.name}: {why}")


def _is_plain_file(folder: Path, name: str) -> bool:
    try:
        mode = (folder / name).lstat().st_mode
    except FileNotFoundError:
        return False
    _refuse_link(folder, name, is_link=stat.S_ISLNK(mode))
    return stat.S_ISREG(mode)


def _sha256(path: Path) -> bytes:
    # O_NONBLOCK: a pipe under a runnable name must be refused, not waited for.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:  # noqa: PTH123 -- the descriptor decides, not the path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InvalidGene(f"{path.name} is not a plain file")
        return hashlib.file_digest(file, "sha256").digest()


def _refuse_link(folder: Path, relative: str, *, is_link: bool) -> None:
    if is_link:
        _refuse(folder, f"{relative} is a link, and what it leads to could change unseen")


def _refuse(folder: Path, why: str) -> NoReturn:
    raise InvalidGene(f"gene {folder.name}: {why}")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parse_integer(digits: str) -> int | float:
    # int() refuses 4301 digits, and no double is as large.
    return int(digits) if len(digits) <= sys.int_info.default_max_str_digits else float(digits)
