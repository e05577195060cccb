"""Reported faults of commands that a damaged log stops: listing and deleting go on (B13, B15, B16)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bugs.scene import CREATOR, STRANGER, code_of
from rotifer_console.cli.app import app
from rotifer_store import UnreadableLine, open_store

AUDIT, TELEMETRY = "audit.jsonl", "telemetry.jsonl"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two entries, four audit lines and two events, which is the working folder."""
    (tmp_path / "rotifer.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path) as store:
        store.create_agent("main")
        for key in ("k", "l"):
            store.gene_memory("main", CREATOR).write_memory(key, b"1", "CACHE")
            assert code_of(lambda key=key: store.gene_memory("main", STRANGER).read_memory(key)) is not None
    return tmp_path


def tear(log: bytes) -> bytes:
    return log[: len(log) - 20]


def lose_power(log: bytes) -> bytes:
    return log + bytes(512)


def put_garbage_in_the_middle(log: bytes) -> bytes:
    first, rest = log.split(b"\n", 1)
    return first + b"\n\xff\xfe{{{ not JSON\n" + rest


DAMAGE = {"torn": tear, "NULs": lose_power, "garbage": put_garbage_in_the_middle}


@pytest.mark.parametrize("name", [AUDIT, TELEMETRY])
@pytest.mark.parametrize("damage", DAMAGE)
def test_listing_and_deleting_go_on_beside_a_damaged_line(damage: str, name: str, project: Path) -> None:
    """B13, B15, B16 (REC-5, CLI-2): exit 0 and no word of it; the reader counts the line, verify names it."""
    file = project / ".rotifer" / name
    damaged = DAMAGE[damage](file.read_bytes())
    file.write_bytes(damaged)

    def run(*arguments: str) -> str:
        outcome = CliRunner().invoke(app, ["agent", "memory", *arguments])
        assert (outcome.exit_code, outcome.stderr) == (0, "")
        return outcome.stdout

    assert [entry["key"] for entry in json.loads(run("list", "main", "--json"))] == ["l", "k"]
    assert run("delete", "main", "--key", "k") == "1 entry removed\n"
    assert run("delete", "main", "--category", "CACHE") == "1 entry removed\n"
    assert run("list", "main", "--json") == "[]\n"

    with open_store(project) as store:
        records = store.audit_records() if name == AUDIT else store.telemetry_records()
        (unreadable,) = [record for record in records if isinstance(record, UnreadableLine)]
        assert unreadable.file == name
        place = f"{name}:{unreadable.line_number}"
        assert place in [finding.where for finding in store.verify()]
    assert file.read_bytes().startswith(damaged)
