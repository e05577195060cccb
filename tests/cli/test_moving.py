"""Export and import: files of their owner's, whole or not at all, never in place of another (AGT-6)."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rotifer_console.cli import output
from rotifer_store import Gene, MemoryStorageError, Store

PROGRAM = Path(sys.executable).with_name("rotifer")


@pytest.fixture
def filled(project: Any) -> Any:
    project.add_agent()
    project.write(("a", "1", "CONTEXT"), ("b", "22", "PREFERENCE"), ("c", "333", "CACHE"))
    return project


def entries_in(file: Path) -> list[str]:
    """The keys of an exported file; the first line says how many."""
    header, *lines = file.read_text().splitlines()
    assert json.loads(header)["entries"] == len(lines)
    return [json.loads(line)["key"] for line in lines]


def files(project: Any) -> set[str]:
    return {path.name for path in project.root.iterdir()} - {"genes", "rotifer.json", ".rotifer"}


@pytest.mark.parametrize(
    "command", [["agent", "export"], ["memory", "export"], ["agent", "memory", "export"]]
)
@pytest.mark.parametrize(
    ("flags", "keys"),
    [
        ([], ["a", "b"]),
        (["--include-cache"], ["a", "b", "c"]),
        (["--key", "c"], ["c"]),
        (["--key=c", "--key", "a", "--key", "a"], ["a", "c"]),
    ],
)
def test_a_file_holds_what_was_chosen(
    filled: Any, command: list[str], flags: list[str], keys: list[str]
) -> None:
    """AGT-6: by each name of the command; for its owner alone."""
    outcome = filled.run(*command, "main", "out.jsonl", *flags)
    assert outcome == (0, f"{len(keys)} {'entry' if len(keys) == 1 else 'entries'} exported\n", "")
    assert entries_in(filled.root / "out.jsonl") == keys
    assert (filled.root / "out.jsonl").stat().st_mode & 0o777 == 0o600
    assert files(filled) == {"out.jsonl"}


def test_stdout_gets_the_same_bytes(filled: Any) -> None:
    """CLI-1: and nothing else; what people read is on stderr."""
    filled.run("agent", "export", "main", "out.jsonl")
    outcome = filled.run("agent", "export", "main", "-")
    lines = (filled.root / "out.jsonl").read_text().splitlines()
    assert outcome.stdout.splitlines()[1:] == lines[1:]
    assert json.loads(outcome.stdout.splitlines()[0]).keys() == json.loads(lines[0]).keys()
    assert outcome.stderr == "2 entries exported\n"


@pytest.mark.parametrize("there", ["a file", "an empty file", "a link", "a dangling link"])
def test_what_is_there_is_not_overwritten(filled: Any, there: str) -> None:
    """CLI-2: by what is there."""
    target = filled.root / "out.jsonl"
    if there.endswith("link"):
        if there == "a link":
            (filled.root / "other").write_text("kept")
        target.symlink_to("other")
    else:
        target.write_text("" if "empty" in there else "kept")
    before = (files(filled), target.read_text() if target.exists() else None)
    outcome = filled.run("agent", "export", "main", "out.jsonl", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "FILE_EXISTS")
    assert (files(filled), target.read_text() if target.exists() else None) == before


def test_a_device_is_written_to(filled: Any) -> None:
    """CLI-5: only files are kept from being overwritten."""
    assert filled.run("agent", "export", "main", os.devnull).stdout == "2 entries exported\n"


def test_an_export_that_fails_leaves_no_file(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """AGT-6: whole or not at all."""

    def broken(*_: object, **__: object) -> int:
        raise MemoryStorageError("the disk is full")

    monkeypatch.setattr(Store, "export_memory", broken)
    outcome = filled.run("agent", "export", "main", "out.jsonl", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "MEMORY_STORAGE_ERROR")
    assert files(filled) == set()


@pytest.mark.parametrize(
    "arguments", [["agent", "export", "main", "-"], ["memory", "show", "main", "--key=big", "--raw"]]
)
def test_a_reader_of_bytes_that_stops_early_is_quiet(filled: Any, arguments: list[str]) -> None:
    """CLI-2: `| head -1`."""
    with filled.store() as store:
        gene = Gene.from_folder(filled.root / "genes" / "scribe")
        store.gene_memory("main", gene).write_memory("big", b"x" * 1_000_000, "CONTEXT")
    reader, writer = os.pipe()
    os.close(reader)
    finished = subprocess.run(
        [PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, cwd=filled.root, check=False
    )
    os.close(writer)
    assert finished.returncode == 0
    assert finished.stderr in (b"", b"3 entries exported\n")


def test_an_import_reads_stdin(filled: Any) -> None:
    """CLI-5."""
    filled.run("agent", "export", "main", "out.jsonl")
    filled.run("memory", "delete", "main", "--key", "a")
    filled.run("memory", "delete", "main", "--key", "b")
    data = (filled.root / "out.jsonl").read_bytes()
    assert filled.raw("memory", "import", "main", "-", stdin=data) == b"2 entries imported\n"


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("cut", lambda lines: lines[:-1]),
        ("doubled", lambda lines: [*lines, lines[-1]]),
        ("empty", lambda lines: []),
        (
            "another form",
            lambda lines: [lines[0].replace("rotifer-memory/1", "rotifer-memory/2"), *lines[1:]],
        ),
        ("a value bent", lambda lines: [lines[0], lines[1].replace('"value":"', '"value":"?')]),
    ],
)
def test_a_file_that_is_not_whole_brings_in_nothing(filled: Any, name: str, damage: Any) -> None:
    """AGT-6, CLI-2: the call is sound and the file is not, so the status is 1."""
    filled.run("agent", "export", "main", "out.jsonl")
    filled.run("memory", "delete", "main", "--key", "a")
    lines = (filled.root / "out.jsonl").read_text().splitlines()
    bent = "".join(f"{line}\n" for line in damage(lines))
    for command in (["memory", "import", "main", "-"], ["agent", "import", "-"]):
        outcome = filled.run(*command, "--json", stdin=bent)
        assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (1, "", "MEMORY_INVALID_INPUT")
        assert name
    assert filled.run("memory", "delete", "main", "--key", "a").exit_code == 1


@pytest.mark.parametrize(
    ("deleted", "message"),
    [
        (
            [],
            "the agent has 2 of the file's keys already, the first is 'a': "
            "delete those entries, or import into another agent",
        ),
        (["a"], "the agent has an entry under 'b' already: delete it, or import into another agent"),
    ],
    ids=["several", "one"],
)
def test_a_key_that_is_there_already_is_named(filled: Any, deleted: list[str], message: str) -> None:
    """AGT-6: nothing comes in, and no line tells of it."""
    filled.run("agent", "export", "main", "out.jsonl")
    for key in deleted:
        filled.run("memory", "delete", "main", f"--key={key}")
    log = filled.root / ".rotifer" / "audit.jsonl"
    before = log.read_bytes()
    outcome = filled.run("memory", "import", "main", "out.jsonl", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "MEMORY_INVALID_INPUT")
    assert outcome.error()["message"] == message
    assert log.read_bytes() == before


def test_that_entries_are_another_agents_is_told_before_what_is_in_their_way(filled: Any) -> None:
    """AGT-6: with the hint; the clash of keys is told once they may come."""
    filled.add_agent("other")
    filled.write(("a", "mine", "CONTEXT"), agent="other")
    filled.run("agent", "export", "main", "out.jsonl")
    refused = filled.run("memory", "import", "other", "out.jsonl", "--json").error()
    assert (refused["code"], refused["hint"]) == (
        "MEMORY_ACCESS_DENIED",
        "--copy-private takes another agent's entries",
    )
    clash = filled.run("memory", "import", "other", "out.jsonl", "--copy-private", "--json").error()
    assert (clash["code"], "'a'" in clash["message"]) == ("MEMORY_INVALID_INPUT", True)


def test_a_day_of_moving(filled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """AGT-6: to another store under the same id, back, and into another agent only on purpose."""
    filled.run("agent", "export", "main", "out.jsonl")
    agent_id = filled.run("agent", "show", "main", "--json").json()["id"]
    elsewhere = type(filled)(tmp_path / "elsewhere")
    monkeypatch.chdir(elsewhere.root)
    imported = elsewhere.run("agent", "import", str(filled.root / "out.jsonl"), "--json").json()
    assert (imported["id"], imported["name"], imported["entries"]) == (agent_id, "main", 2)
    elsewhere.add_agent("other")
    refused = elsewhere.run("memory", "import", "other", str(filled.root / "out.jsonl"), "--json")
    assert (refused.exit_code, refused.error()["code"]) == (1, "MEMORY_ACCESS_DENIED")
    assert "--copy-private" in refused.error()["hint"]
    copied = elsewhere.run("memory", "import", "other", str(filled.root / "out.jsonl"), "--copy-private")
    assert copied == (0, "2 entries imported\n", "")
    elsewhere.run("agent", "policy", "other", "--memory-quota", "0.001KB")
    elsewhere.run("memory", "delete", "other", "--category", "CONTEXT")
    full = elsewhere.run(
        "memory", "import", "other", str(filled.root / "out.jsonl"), "--copy-private", "--json"
    )
    assert (full.exit_code, full.error()["code"]) == (1, "MEMORY_INVALID_INPUT")
    elsewhere.run("memory", "delete", "other", "--category", "PREFERENCE")
    full = elsewhere.run(
        "memory", "import", "other", str(filled.root / "out.jsonl"), "--copy-private", "--json"
    )
    assert (full.exit_code, full.error()["code"]) == (1, "MEMORY_QUOTA_EXCEEDED")
    assert elsewhere.run("memory", "verify").exit_code == 0


def test_a_closed_stdin_is_an_empty_file(filled: Any) -> None:
    """CLI-2."""
    finished = subprocess.run(
        ["bash", "-c", f"{PROGRAM} memory import main - <&-"],
        capture_output=True,
        cwd=filled.root,
        check=False,
    )
    assert (finished.returncode, finished.stderr.count(b"\n")) == (1, 1)
    assert finished.stderr.startswith(b"error[MEMORY_INVALID_INPUT]: ")


def test_bytes_follow_what_was_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer of stdout: text and bytes share one stream."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    sys.stdout.write("é")
    output.write_bytes(b"\xff")
    assert output.byte_stream().write(b"ab") == 2
    assert raw.getvalue() == b"\xc3\xa9\xffab"
