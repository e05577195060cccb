"""`rotifer agent memory delete`: one selector, how many went, and the question at a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rotifer_store import AuditRecord

HOSTILE_KEYS = {
    case["name"]: case["key"]
    if isinstance(case["key"], str)
    else case["key"]["repeat"] * case["key"]["count"]
    for case in json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text())["keys"]
    if case["legal"]
}


@pytest.fixture
def filled(project: Any) -> Any:
    project.add_agent()
    project.write(("a", "", "CACHE"), ("b", "", "CACHE"), ("p", "", "PREFERENCE"), ("-x", "", "CONTEXT"))
    return project


def keys(project: Any) -> set[str]:
    with project.store() as store:
        return {entry.key for entry in store.list_memory("main")}


@pytest.mark.parametrize("group", [["memory"], ["agent", "memory"]], ids=" ".join)
@pytest.mark.parametrize(
    ("arguments", "removed"),
    [
        (["--key", "a"], {"a"}),
        (["--key=p"], {"p"}),
        (["--key=-x"], {"-x"}),
        (["--key", "-x"], {"-x"}),
        (["--category", "CACHE"], {"a", "b"}),
        (["--category=PREFERENCE"], {"p"}),
        (["--category", "PATTERN"], set()),
        (["--category", "CACHE", "--yes"], {"a", "b"}),
    ],
)
def test_what_was_chosen_goes_and_its_number_is_printed(
    filled: Any, group: list[str], arguments: list[str], removed: set[str]
) -> None:
    """AGT-4, CLI-5: off a terminal without a question."""
    outcome = filled.run(*group, "delete", "main", *arguments)
    noun = "entry" if len(removed) == 1 else "entries"
    assert outcome == (0, f"{len(removed)} {noun} removed\n", "")
    assert keys(filled) == {"a", "b", "p", "-x"} - removed


def test_the_number_in_json(filled: Any) -> None:
    """CLI-1."""
    assert filled.run("memory", "delete", "main", "--category", "CACHE", "--json").json() == {"removed": 2}
    assert filled.run("memory", "delete", "main", "--category", "CACHE", "--json").json() == {"removed": 0}


def test_a_deletion_is_recorded_as_the_deployers(filled: Any) -> None:
    """REC-8."""
    filled.run("memory", "delete", "main", "--category", "CACHE")
    with filled.store() as store:
        records = store.audit_records("main", action="memory_delete")
    assert [
        (record.key, record.actor, record.gene_id) for record in records if isinstance(record, AuditRecord)
    ] == [("a", "deployer", None), ("b", "deployer", None)]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--key", "a", "--category", "CACHE"], ["--key", "a", "--category", "cache"], ["--yes"], ["--key"]],
    ids=" ".join,
)
def test_both_or_neither_selector_is_refused(filled: Any, arguments: list[str]) -> None:
    """AGT-4, CLI-2."""
    outcome = filled.run("memory", "delete", "main", *arguments)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("error[USAGE]: ")
    assert keys(filled) == {"a", "b", "p", "-x"}


@pytest.mark.parametrize("key", ["missing", "[red]x", "A", "a ", "--category", "-"])
def test_a_key_that_is_not_there_is_not_found(filled: Any, key: str) -> None:
    """AGT-4, CLI-2: by what is there; `-` is a key and not stdin."""
    outcome = filled.run("memory", "delete", "main", f"--key={key}")
    assert outcome == (1, "", f"error[MEMORY_NOT_FOUND]: main has no entry {key}\n")


@pytest.mark.parametrize("key", ["", "a\0b", "\udcff", "k" * 1025], ids=["empty", "NUL", "surrogate", "long"])
def test_a_key_that_no_entry_has_is_refused_by_itself(filled: Any, key: str) -> None:
    """AGT-4, INP-1, CLI-2."""
    outcome = filled.run("memory", "delete", "main", f"--key={key}", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "MEMORY_INVALID_INPUT")


@pytest.mark.parametrize("name", HOSTILE_KEYS)
def test_a_hostile_key_is_deleted_by_its_true_text(filled: Any, name: str) -> None:
    """INP-1, CLI-4."""
    key = HOSTILE_KEYS[name]
    filled.write((key, "", "CACHE"))
    assert filled.run("memory", "delete", "main", f"--key={key}").stdout == "1 entry removed\n"
    assert key not in keys(filled) - {"a"}


def at_a_terminal(project: Any, typed: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the installed program with a terminal as its stdin."""
    terminal, stdin = pty.openpty()
    os.write(terminal, typed)
    program = Path(sys.executable).with_name("rotifer")
    try:
        return subprocess.run(
            [program, *arguments], stdin=stdin, capture_output=True, cwd=project.root, timeout=60, check=False
        )
    finally:
        os.close(terminal)
        os.close(stdin)


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [(b"y\n", True), (b"yes\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)],
)
def test_a_category_is_asked_about_at_a_terminal(filled: Any, typed: bytes, agreed: bool) -> None:
    """AGT-4: No is the default, and the end of input means it."""
    finished = at_a_terminal(filled, typed, "memory", "delete", "main", "--category", "CACHE")
    assert b"Delete all CACHE entries of main (2 entries)?" in finished.stderr
    assert finished.returncode == (0 if agreed else 1)
    assert finished.stdout == (b"2 entries removed\n" if agreed else b"")
    assert keys(filled) == ({"p", "-x"} if agreed else {"a", "b", "p", "-x"})


@pytest.mark.parametrize("arguments", [["--category", "CACHE", "--yes"], ["--key", "a"]], ids=" ".join)
def test_a_key_and_yes_are_not_asked_about(filled: Any, arguments: list[str]) -> None:
    """AGT-4."""
    finished = at_a_terminal(filled, b"", "memory", "delete", "main", *arguments)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert "a" not in keys(filled)
