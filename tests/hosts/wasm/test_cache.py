"""Compiled modules between processes: what is kept, and what is never trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from hosts.wasm.wat import returning
from rotifer_console.hosts import wasm_cache
from rotifer_console.hosts.wasm import WasmHost
from rotifer_console.hosts.wasm_cache import ModuleCache

DIGEST = "ab" * 32
COMPILED = b"machine code " * 1000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".rotifer").mkdir(mode=0o700)
    return tmp_path


@pytest.fixture
def kept(project: Path) -> Path:
    """The file of a module that was kept."""
    ModuleCache(project).save(DIGEST, COMPILED)
    (file,) = (project / ".rotifer" / "cache" / "wasm").iterdir()
    return file


def test_what_is_kept_is_found_again_and_belongs_to_its_user_alone(project: Path, kept: Path) -> None:
    """REC-7."""
    assert ModuleCache(project).load(DIGEST) == COMPILED
    assert ModuleCache(project).load("cd" * 32) is None
    assert [oct(path.stat().st_mode & 0o777) for path in (kept, kept.parent, kept.parent.parent)] == [
        "0o600",
        "0o700",
        "0o700",
    ]


def test_without_a_state_folder_nothing_is_made(tmp_path: Path) -> None:
    """REC-7: a run without an agent leaves a project as it is."""
    ModuleCache(tmp_path).save(DIGEST, COMPILED)
    assert list(tmp_path.iterdir()) == []
    assert ModuleCache(tmp_path).load(DIGEST) is None


def linked(file: Path) -> None:
    file.rename(file.with_suffix(".away"))
    file.symlink_to(file.with_suffix(".away"))


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


def piped(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


SPOILT: dict[str, Callable[[Path], object]] = {
    "one bit differs": flipped,
    "the end is missing": lambda file: os.truncate(file, 500),
    "it is empty": lambda file: os.truncate(file, 0),
    "it is another program's": lambda file: file.write_bytes(b"x" * 5000),
    "a link stands there": linked,
    "a pipe stands there": piped,
    "a folder stands there": lambda file: (file.unlink(), file.mkdir()),
    "the group may write it": lambda file: file.chmod(0o660),
    "all may write it": lambda file: file.chmod(0o602),
    "all may write its folder": lambda file: file.parent.chmod(0o777),
    "all may write the folder above": lambda file: file.parent.parent.chmod(0o777),
    "all may write the state folder": lambda file: file.parent.parent.parent.chmod(0o777),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_anybody_else_could_have_written_is_not_loaded(
    project: Path, kept: Path, spoil: Callable[[Path], object]
) -> None:
    """What is loaded runs as machine code."""
    spoil(kept)
    assert ModuleCache(project).load(DIGEST) is None


def test_a_file_of_another_user_is_not_loaded(
    project: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same; told by the number of the user, which a test without rights cannot change."""
    monkeypatch.setattr(os, "geteuid", lambda: kept.stat().st_uid + 1)
    assert ModuleCache(project).load(DIGEST) is None
    ModuleCache(project).save("cd" * 32, COMPILED)
    assert list(kept.parent.iterdir()) == [kept]


def test_a_folder_that_is_a_link_is_neither_read_nor_written(project: Path, kept: Path) -> None:
    """REC-7."""
    away = project / "away"
    kept.parent.rename(away)
    kept.parent.symlink_to(away)
    assert ModuleCache(project).load(DIGEST) is None
    ModuleCache(project).save("cd" * 32, COMPILED)
    assert [file.name for file in away.iterdir()] == [kept.name]


def test_what_is_used_least_goes_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache does not grow for ever."""
    monkeypatch.setattr(wasm_cache, "_MOST_FILES", 3)
    cache = ModuleCache(project)
    digests = [f"{number:064x}" for number in range(4)]
    for age, digest in enumerate(digests[:3]):
        cache.save(digest, COMPILED)
        os.utime(cache._path(digest), ns=(age, age))
    assert cache.load(digests[0]) is not None
    cache.save(digests[3], COMPILED)
    assert [cache.load(digest) is not None for digest in digests] == [True, False, True, True]


def test_where_nothing_can_be_written_genes_run_all_the_same(wasm: Any) -> None:
    """A cache that fails is no failure."""
    (wasm.root / ".rotifer" / "cache").write_text("no folder")
    assert wasm.run(returning("1")) == 1


def test_a_second_host_compiles_nothing_anew(wasm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the content of the module, whatever its gene is called."""
    assert wasm.run(returning("[1]")) == [1]
    monkeypatch.delattr("rotifer_console.hosts.wasm_engine.WasmEngine._compiled")
    other = wasm.gene(returning("[1]"), "other")
    with WasmHost(wasm.root) as host:
        assert host.run(other, None, wasm.memory(other), 20.0) == [1]
        assert host.run(other, None, wasm.memory(other), 20.0) == [1]
        changed = wasm.gene(returning("[2]"), "other")
        with pytest.raises(AttributeError):
            host.run(changed, None, wasm.memory(changed), 20.0)


def test_what_another_wasmtime_compiled_is_compiled_anew(wasm: Any) -> None:
    """Its own check stands behind ours."""
    gene = wasm.gene(returning("[1]"))
    digest = hashlib.sha256(gene.source.read_bytes()).hexdigest()
    ModuleCache(wasm.root).save(digest, bytes(wasmtime.Module(wasmtime.Engine(), "(module)").serialize()))
    assert wasm.run(returning("[1]")) == [1]
    kept = ModuleCache(wasm.root).load(digest)
    assert kept is not None
    assert len(kept) > 1000
    with WasmHost(wasm.root) as host:
        assert host.run(gene, None, wasm.memory(gene), 20.0) == [1]
