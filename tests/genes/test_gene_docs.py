"""What the pages on genes in Python and TypeScript show is laid down and run as it stands, in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rotifer_store import tables

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {name: (DOCS / f"genes-{name}.md").read_text() for name in ("python", "typescript", "wasm")}
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ANYTHING = "…"


def rotifer(folder: Path, command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def steps_of(console: str) -> list[tuple[str, str]]:
    """Commands, each with what it prints."""
    parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", ["python", "typescript"])
def test_a_pages_genes_do_what_it_shows(name: str, tmp_path: Path) -> None:
    """GEN-1 to GEN-4, RUN-5."""
    rotifer(tmp_path, "rotifer init .")
    blocks = BLOCK.findall(PAGES[name])
    assert {language for language, *_ in blocks} == {
        {"python": "python", "typescript": "ts"}[name],
        "json",
        "console",
    }
    for language, path, content in blocks:
        if language == "console":
            for command, shown in steps_of(content):
                wanted = re.escape(shown).replace(re.escape(ANYTHING), ".*")
                assert re.fullmatch(wanted, rotifer(tmp_path, command)), command
        else:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
    genes = {path.split("/")[1] for _, path, _ in blocks if path}
    assert {gene.name for gene in (tmp_path / "genes").iterdir()} >= genes


def test_every_block_of_code_is_one_that_is_run() -> None:
    """No fence of another kind hides what nobody tries."""
    for name in ("python", "typescript"):
        assert PAGES[name].count("```") == 2 * len(BLOCK.findall(PAGES[name]))


@pytest.mark.parametrize("name", PAGES)
def test_each_page_carries_the_advice_and_what_nothing_prevents(name: str) -> None:
    """AGT-11, HST-4, HST-9."""
    text = " ".join(PAGES[name].split())
    assert "your keys with your domain" in text or "Begin keys with your domain" in text
    assert re.search(r"Write PREFERENCE from sources you trust", text)
    assert re.search(r"CACHE, or gets", text)
    if name != "wasm":
        assert "Nothing keeps a" in text
        assert "Run genes you trust" in text


def test_the_codes_and_limits_it_names_are_the_tables() -> None:
    """ERR, INP-2."""
    for text in PAGES.values():
        named = set(re.findall(r"\bMEMORY_[A-Z_]+\b", text))
        assert named <= set(tables.ErrorCode)
        assert set(re.findall(r"\b(PREFERENCE|PATTERN|CONTEXT|CACHE)\b", text)) <= set(tables.MemoryCategory)
