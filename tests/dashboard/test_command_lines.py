"""The command lines that the dashboard shows: each of them runs, and does what its action did (TUI-8)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboard.dialogs import FETCH, keys_of, make_project, write
from rotifer_console.cli.app import app
from rotifer_console.dashboard.actions import ACTIONS, BY_ID, Subject
from rotifer_console.view.filters import parse_filter
from rotifer_store import Gene, open_store

KEYS = {"formatter/indent": "PREFERENCE", "etag/1": "CACHE", "etag/2": "CACHE", "-x": "CONTEXT"}
ODD_KEYS = ["-x", "--category", "a b'c\"", "two\nlines", "=", "\x1b[2J", "$(reboot)", "键"]
SUBJECT = Subject(agent="main", keys=("formatter/indent",), gene="indent", size="100KB")
SUBJECTS = {
    "delete_category": replace(SUBJECT, category="CACHE"),
    "export": replace(SUBJECT, file="out.jsonl"),
    "import": replace(SUBJECT, file="kept.jsonl"),
    "audit": replace(SUBJECT, log_action="memory_write", log_key="etag/1", log_gene="indent"),
    "create": replace(
        SUBJECT,
        agent="new",
        options=("--genes", "indent", "--memory-quota=1.5MB", "--max-retention-days=7", "--anonymization"),
    ),
    "policy": replace(
        SUBJECT, options=("--max-retention-days=none", "--no-anonymization", "--memory-quota=2MB")
    ),
}
"""What an action needs beyond the usual to have a command line."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_project(tmp_path)
    folder = tmp_path / "genes" / "indent"
    folder.mkdir(parents=True)
    phenotype = {"domain": "format", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
    (folder / "phenotype.json").write_text(json.dumps(phenotype))
    (folder / "index.py").write_text("def express(input, ctx):\n    return {}\n")
    with open_store(tmp_path) as store:
        write(store, *KEYS.items(), gene=Gene.from_folder(folder))
        write(store, ("fetched", "PATTERN"), value=b"xyz" * 99, gene=FETCH)
        write(store, ("moved", "CONTEXT"))
        store.export_memory("main", tmp_path / "kept.jsonl", keys=["moved"])
        store.delete_memory("main", key="moved")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def _words(action_id: str, subject: Subject) -> tuple[str, ...]:
    command = BY_ID[action_id].command
    assert command is not None
    words = command(subject)
    assert words is not None
    return words


@pytest.mark.parametrize(
    "action_id", [action.id for action in ACTIONS if action.command is not None and action.id != "policy"]
)
def test_the_command_line_of_every_action_runs(project: Path, action_id: str) -> None:
    """TUI-8."""
    outcome = _run(*_words(action_id, SUBJECTS.get(action_id, SUBJECT)))
    assert outcome.exit_code == 0, outcome.output


@pytest.mark.parametrize(
    "action_id", ["sort", "forecast", "review", "orphans", "audit", "verify", "telemetry"]
)
def test_without_an_entry_it_runs_too(project: Path, action_id: str) -> None:
    """TUI-8."""
    assert _run(*_words(action_id, Subject(agent="main"))).exit_code == 0


def test_the_command_line_of_a_policy_sets_the_same(project: Path) -> None:
    """TUI-8, POL-2."""
    assert _run(*_words("policy", SUBJECTS["policy"])).exit_code == 0
    with open_store(project) as store:
        assert store.agent("main").memory_quota_bytes == 2 << 20


@pytest.mark.parametrize("key", ODD_KEYS, ids=repr)
@pytest.mark.parametrize("action_id", ["delete", "export", "why", "open", "value", "access"])
def test_a_key_of_any_form_stays_the_key_that_is_meant(project: Path, action_id: str, key: str) -> None:
    """CLI-5, TUI-8."""
    with open_store(project) as store:
        if key not in KEYS:
            write(store, (key, "CACHE"))
    subject = replace(SUBJECT, keys=(key,), file="./-out.jsonl")
    outcome = _run(*_words(action_id, subject))
    assert outcome.exit_code == 0, outcome.output
    if action_id == "delete":
        assert key not in keys_of(project)
    if action_id == "export":
        lines = (project / "-out.jsonl").read_text().splitlines()
        assert json.loads(lines[1])["key"] == key


def test_several_entries_go_by_a_file_of_their_keys(project: Path) -> None:
    """AGT-4, TUI-8."""
    (project / "KEYS").write_text('"etag/1"\n"-x"\n')
    words = _words("delete", replace(SUBJECT, keys=("etag/1", "-x")))
    assert words[-2:] == ("--keys-from", "KEYS")
    assert _run(*words).exit_code == 0
    assert keys_of(project) == {"formatter/indent", "etag/2", "fetched"}


@pytest.mark.parametrize("category", [None, "CACHE"])
@pytest.mark.parametrize("filter_text", ["", "etag", "cat:PATTERN", "gene:fetch", "re:[12]$ size>1"])
@pytest.mark.parametrize("order", ["updated", "key"])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_listing_lists_what_the_screen_does(
    project: Path, category: str | None, filter_text: str, order: str, is_reversed: bool
) -> None:
    """TUI-6, TUI-8: a filter's category counts, else that of the tab."""
    where = parse_filter(filter_text)
    if category is not None and where.category is None:
        where = replace(where, category=category)
    with open_store(project) as store:
        shown = store.browse_memory(
            "main", where=where, order=order, descending=(order == "updated") is not is_reversed
        ).rows
    subject = replace(
        SUBJECT, category=category, filter_text=filter_text, order=order, is_reversed=is_reversed
    )
    outcome = _run(*_words("sort", subject), "--json")
    assert [entry["key"] for entry in json.loads(outcome.stdout)] == [entry.key for entry in shown]
