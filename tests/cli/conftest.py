"""A project to run commands in: through the root of the program in this process, or as installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from rotifer_console.cli.app import app
from rotifer_store import Gene, Store, open_store

PROGRAM = Path(sys.executable).with_name("rotifer")

SCRIBE = """
    def express(input, ctx):
        for key, text, category in input.get("write", []):
            ctx.memory.write_memory(key, text.encode(), category)
        for key in input.get("delete", []):
            ctx.memory.delete_memory(key)
        return {key: entry and entry.value.decode() for key in input.get("read", [])
                for entry in [ctx.memory.read_memory(key)]}
"""
"""A gene that writes, deletes and reads what its input says."""


class Outcome(NamedTuple):
    """What a command came to."""

    exit_code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """What stdout says, which must be nothing but JSON."""
        return json.loads(self.stdout)

    def error(self) -> dict[str, Any]:
        """The error object of `--json`, which must be all that stderr says."""
        (member,) = json.loads(self.stderr).items()
        assert member[0] == "error"
        assert set(member[1]) == {"code", "message", "hint"}
        return dict(member[1])


class Project:
    """A folder with a `rotifer.json` and the genes that a test adds.

    Its store is verified when the test has ended, unless the test broke it and says so by `is_sound`.
    """

    is_sound = True

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        (root / "rotifer.json").write_text("{}")

    def add_gene(
        self,
        name: str,
        source: str = SCRIBE,
        *,
        domain: str = "notes",
        file: str = "index.py",
        **members: Any,
    ) -> Path:
        folder = self.root / "genes" / name
        folder.mkdir(parents=True, exist_ok=True)
        phenotype = {"domain": domain, "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"} | members
        (folder / "phenotype.json").write_text(json.dumps(phenotype))
        (folder / file).write_text(dedent(source))
        return folder

    def add_agent(self, name: str = "main", *genes: str, **settings: Any) -> None:
        for gene in genes or ("scribe",):
            if not (self.root / "genes" / gene).exists():
                self.add_gene(gene)
        found = [Gene.from_folder(self.root / "genes" / gene) for gene in genes or ("scribe",)]
        with self.store() as store:
            store.create_agent(name, genes=found, **settings)

    def store(self, **settings: Any) -> Store:
        return open_store(self.root, **settings)

    def write(self, *entries: tuple[str, str, str], agent: str = "main", gene: str = "scribe") -> None:
        """Writes (key, text, category) as a gene of the project."""
        with self.store() as store:
            memory = store.gene_memory(agent, Gene.from_folder(self.root / "genes" / gene))
            for key, text, category in entries:
                memory.write_memory(key, text.encode(), category)

    def run(self, *arguments: str, stdin: str | None = None, **environment: str) -> Outcome:
        """Runs a command in this process, as the program would."""
        result = CliRunner().invoke(app, list(arguments), input=stdin, env=environment)
        return Outcome(result.exit_code, result.stdout, result.stderr)

    def raw(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        """What a command in this process writes to stdout, as bytes; it must succeed."""
        result = CliRunner().invoke(app, list(arguments), input=stdin)
        assert (result.exit_code, result.stderr) == (0, "")
        return result.stdout_bytes

    def program(
        self, *arguments: str | bytes, stdin: str = "", cwd: Path | None = None, **environment: str
    ) -> Outcome:
        """Runs the installed program."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        finished = subprocess.run(
            [PROGRAM, *arguments],
            input=stdin.encode(),
            capture_output=True,
            cwd=cwd or self.root,
            env={"LANG": "C.UTF-8", **kept, **environment},
            timeout=60,
            check=False,
        )
        return Outcome(finished.returncode, finished.stdout.decode(), finished.stderr.decode())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """An empty project, which is the working folder, in an environment that decides nothing (CLI-3)."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    made = Project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    yield made
    if made.is_sound and (made.root / ".rotifer").exists():
        with made.store() as store:
            assert store.verify() == []
