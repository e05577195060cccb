"""A project with Python genes, run against a real store: in processes of their own, and in this one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rotifer_console import RunResult, run_agent
from rotifer_store import Gene, Store, open_store


class Project:
    """A project folder whose genes are written as a test needs them."""

    def __init__(self, root: Path, store: Store, *, in_process: bool) -> None:
        self.root = root
        self.store = store
        self.in_process = in_process

    def add_gene(self, name: str, source: str, *, domain: str = "dates", file: str = "index.py") -> Path:
        folder = self.root / "genes" / name
        folder.mkdir(parents=True, exist_ok=True)
        phenotype = {"domain": domain, "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
        (folder / "phenotype.json").write_text(json.dumps(phenotype))
        (folder / file).write_text(dedent(source))
        return folder

    def add_agent(self, *genes: str, name: str = "main", composition: Any = None) -> None:
        found = [Gene.from_folder(self.root / "genes" / gene) for gene in genes]
        self.store.create_agent(name, genes=found, composition=composition)

    def run(self, input_value: Any = None, name: str = "main") -> RunResult:
        return run_agent(self.store, name, input_value, project=self.root, in_process=self.in_process)

    def run_gene(self, source: str, input_value: Any = None) -> RunResult:
        """Runs one gene, alone in its agent."""
        self.add_gene("gene", source)
        self.add_agent("gene")
        return self.run(input_value)


@pytest.fixture(params=[False, True], ids=["child", "in-process"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Project]:
    """HST-1: what a gene may do and how it fails is the same in both places."""
    with open_store(tmp_path) as store:
        yield Project(tmp_path, store, in_process=request.param)
        assert store.verify() == []
