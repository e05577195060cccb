"""Habits of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rotifer_store import tables

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "store" / "rotifer_store"
PRODUCT = sorted([*LIBRARY.glob("*.py"), *(ROOT / "rotifer_console").rglob("*.py")])
NAMES = {
    *tables.MemoryCategory,
    *tables.Scope,
    *tables.SharePolicy,
    *tables.ErrorCode,
    *tables.AuditAction,
}
MAY_SPELL_NAMES = {
    LIBRARY / "tables.py",
    LIBRARY / "statements.py",  # compiled
    *(ROOT / "rotifer_console" / "demo" / "genes").glob("*/index.py"),
    ROOT / "rotifer_console" / "genes" / "examples" / "date-style" / "index.py",  # a gene is a user
}


def tracked_files() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    yield from (ROOT / name.decode() for name in listed.stdout.split(b"\0") if name)


def docstrings(tree: ast.AST) -> set[int]:
    """The ids of the constants that are docstrings."""
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_but_the_tables_spells_a_name_of_a_category_scope_code_or_action(path: Path) -> None:
    """The tables are the one place where names stand; everything else refers to them."""
    if path in MAY_SPELL_NAMES:
        return
    tree = ast.parse(path.read_text())
    skipped = docstrings(tree)
    spelled = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped
    }
    assert spelled & NAMES == set()


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_rotifer_store_is_imported_never_the_folder_it_lies_in(path: Path) -> None:
    """With the checkout on the path, `import store` would succeed as an empty namespace package."""
    for node in ast.walk(ast.parse(path.read_text())):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        assert not any(module.split(".")[0] == "store" for module in modules)


def test_the_clock_is_read_in_one_module() -> None:
    """Rules take `now_us`; only `clock.py` asks the machine."""
    readers = re.compile(r"\btime\.(time|time_ns|monotonic)\(|datetime\.now\(|\.utcnow\(")
    found = {path.name for path in LIBRARY.glob("*.py") if readers.search(path.read_text())}
    assert found == {"clock.py"}


def test_the_library_opens_no_network_connection() -> None:
    """REC-6: nothing of ours imports what could."""
    forbidden = {"socket", "ssl", "http", "urllib", "requests", "httpx", "asyncio", "socketserver"}
    for path in LIBRARY.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not {alias.name.split(".")[0] for alias in node.names} & forbidden, path.name
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in forbidden, path.name


def test_a_days_work_opens_no_socket(tmp_path: Path) -> None:
    """REC-6: seen from inside the process, by the interpreter's own audit hook."""
    program = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(event) if event.startswith("socket.") else None)
from rotifer_store import Gene, MemoryAccessDenied, open_store
with open_store(sys.argv[1]) as store:
    agent = store.create_agent("main")
    store.gene_memory(agent, Gene("v2:" + "a" * 64, "one")).write_memory("k", b"1", "CACHE")
    try:
        store.gene_memory(agent, Gene("v2:" + "b" * 64, "two")).read_memory("k")
    except MemoryAccessDenied:
        pass
    assert len(store.telemetry_records()) == 1
    assert store.verify() == []
print(opened)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[]\n"


def test_nothing_in_the_tree_names_a_place_or_tool_outside_it() -> None:
    """The project speaks of itself alone."""
    named = re.compile(
        rb"\.\./" + rb"shared|/wor" + rb"k/|farm-" + rb"studio|farm-" + rb"bench|pypi" + rb"\.org|deb"
        rb"ian\.org|npm" + rb"js\.org|/ro" + rb"ot/"
    )
    found = [
        str(path.relative_to(ROOT))
        for path in tracked_files()
        if path.is_file() and named.search(path.read_bytes())
    ]
    assert found == []


def test_every_path_that_the_documents_link_to_exists() -> None:
    """README, ARCHITECTURE and their kin."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_ci_runs_the_readmes_test_command() -> None:
    """What newcomers are told to run is what CI runs: `make check` is lint and `make test`."""
    assert "make test" in (ROOT / "README.md").read_text()
    assert "make check" in (ROOT / ".ci" / "run").read_text()
    assert re.search(r"^check: lint test\b", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_every_module_of_the_library_stands_in_the_architecture() -> None:
    """The page names each room; a new module is written down there."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    modules = {path.stem for path in LIBRARY.glob("*.py")} - {"__init__", "typing"}
    assert {module for module in modules if f"`{module}`" not in page} == set()
