"""The command lines that the dashboard shows: each of them runs, and does what its action did (TUI-8)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboard.dialogs import (
    FETCH,
    INDENT,
    command,
    dialog_in,
    keys_of,
    make_project,
    open_dialog,
    said,
    typed,
    write,
)
from dashboard.driving import app_of, dashboard, drive, type_keys
from rotifer_console.cli.app import app
from rotifer_console.dashboard import clipboard
from rotifer_console.dashboard.actions import ACTIONS, BY_ID, Subject
from rotifer_console.dashboard.cells import cell_text
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.shell_line import MOST_KEYS, shell_line
from rotifer_console.view.filters import parse_filter
from rotifer_store import Gene, open_store

KEYS = {"formatter/indent": "PREFERENCE", "etag/1": "CACHE", "etag/2": "CACHE", "-x": "CONTEXT"}
ODD_KEYS = ["-x", "--category", "a b'c\"", "two\nlines", "=", "\x1b[2J", "$(reboot)", "键"]
DATA = Path(__file__).parents[1] / "data"
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


LEGAL_KEYS = [
    text if isinstance(text, str) else text["repeat"] * text["count"]
    for text in (
        case["key"] for case in json.loads((DATA / "hostile.json").read_text())["keys"] if case["legal"]
    )
] + ["\n", "a\n\n", "two\n5", "%s\n\\%d\t'\"$HOME`id`$(id)!", "-\x07", "\t-", "a=\x1b=b", "\x1b\n\\\n"]
SHELLS = [shell for shell in ("sh", "bash", "zsh") if shutil.which(shell)]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shown_line_names_the_true_key_in_a_shell(shell: str) -> None:
    """TUI-8, CLI-4: whatever the key holds, and no character of it steers the terminal."""
    lines = [shell_line("why", Subject(agent="main", keys=(key,))) for key in LEGAL_KEYS]
    texts = [line.text for line in lines if line is not None]
    assert len(texts) == len(LEGAL_KEYS) > 70
    show = "rotifer() { for word; do :; done; printf '%s\\0' \"$word\"; }"
    outcome = subprocess.run([shell, "-c", "\n".join((show, *texts))], capture_output=True, check=True)
    assert outcome.stderr == b""
    assert outcome.stdout.split(b"\0") == [*(f"--key={key}".encode() for key in LEGAL_KEYS), b""]


@pytest.mark.parametrize("key", LEGAL_KEYS, ids=ascii)
def test_a_shown_line_is_copied_whatever_the_key_holds(key: str) -> None:
    """TUI-8: ASCII where the key holds what cannot be seen."""
    line = shell_line("value", Subject(agent="main", keys=(key,)))
    assert line is not None
    assert clipboard.refusal(line.text) is None
    assert line.text.isprintable()
    if cell_text(key) != key:
        assert line.text.isascii()


def test_a_shown_line_gets_the_entry_of_a_hidden_key(project: Path) -> None:
    """TUI-8, CLI-5: the program itself, in a shell."""
    keys = ["fam\u200d", "two\nlines\n", "%d\x1b[2J", "-\u202e"]
    with open_store(project) as store:
        write(store, *((key, "CACHE") for key in keys))
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for key in keys:
        line = shell_line("open", Subject(agent="main", keys=(key,)))
        assert line is not None
        shown = subprocess.run(
            ["sh", "-c", f"{line.text} --json"],
            cwd=project,
            env=os.environ | {"PATH": path},
            capture_output=True,
            check=True,
        )
        assert json.loads(shown.stdout)["key"] == key


def test_the_line_of_a_hidden_key_is_sent_to_the_clipboard(project: Path) -> None:
    """TUI-8."""
    with open_store(project) as store:
        write(store, ("fam\u200d", "CACHE"))

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await type_keys(pilot, "enter")
            assert typed(pilot) == ("rotifer agent memory show main \"--key=$(printf 'fam\\342\\200\\215')\"")
            await type_keys(pilot, "c")
            assert app_of(pilot).clipboard == typed(pilot)

    drive(scenario)


@pytest.mark.parametrize("number", [1, 3, MOST_KEYS + 1])
def test_a_category_that_is_exported_first_shows_a_line_that_does_both_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """TUI-8, AGT-4: `export` takes keys and no category."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    make_project(here, ("stays", "CONTEXT"), *((f"k{at}\x07", "CACHE") for at in range(number)))
    shutil.copytree(here, there)
    monkeypatch.chdir(here)
    lines = []

    async def scenario() -> None:
        async with dashboard(here) as pilot:
            while app_of(pilot).main.category != "CACHE":
                await type_keys(pilot, "]")
            await open_dialog(pilot, "D")
            dialog = dialog_in(pilot)
            dialog.query_one("#exports").focus()
            await type_keys(pilot, "enter")
            dialog.query_one("#word", Field).value = "delete"
            dialog.query_one("#delete").focus()
            await type_keys(pilot, "enter")
            assert "deleted" in said(pilot)
            assert said(pilot).endswith("no one command line does that") is (number > MOST_KEYS)
            lines.append(typed(pilot))

    drive(scenario)
    assert keys_of(here) == {"stays"}
    if number > MOST_KEYS:
        assert "delete" not in lines[0]
        return
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    subprocess.run(["sh", "-c", lines[0]], cwd=there, env=os.environ | {"PATH": path}, check=True)
    assert keys_of(there) == {"stays"}
    exported = [
        {json.loads(line).get("key") for line in (folder / "main-cache.jsonl").read_text().splitlines()}
        for folder in (here, there)
    ]
    assert exported == [{None, *(f"k{at}\x07" for at in range(number))}] * 2


@pytest.mark.parametrize("exports", [False, True], ids=["", "exported first"])
@pytest.mark.parametrize("keys", [ODD_KEYS, ODD_KEYS[:1]], ids=["several", "one"])
def test_the_line_that_is_shown_after_a_deletion_does_the_same_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: list[str], exports: bool
) -> None:
    """AGT-4, TUI-8: no file that nobody wrote, and an export that came first comes first there too."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    make_project(here, ("stays", "CACHE"), *((key, "CACHE") for key in keys))
    shutil.copytree(here, there)
    monkeypatch.chdir(here)
    lines = []

    async def scenario() -> None:
        async with dashboard(here) as pilot:
            await type_keys(pilot, *["space"] * len(keys))
            await open_dialog(pilot, "d")
            dialog = dialog_in(pilot)
            if exports:
                dialog.query_one("#exports").focus()
                await type_keys(pilot, "enter")
            dialog.query_one("#word", Field).value = "delete"
            dialog.query_one("#delete").focus()
            await type_keys(pilot, "enter")
            assert "deleted" in said(pilot)
            lines.append(typed(pilot))

    drive(scenario)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    subprocess.run(["sh", "-c", lines[0]], cwd=there, env=os.environ | {"PATH": path}, check=True)
    assert keys_of(there) == keys_of(here) == {"stays"}
    exported = [
        {json.loads(line).get("key") for line in file.read_text().splitlines()}
        for folder in (here, there)
        for file in folder.glob("*.jsonl")
    ]
    assert exported == [{None, *keys}] * 2 if exports else exported == []


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


def test_both_doors_list_what_is_alike_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-6, TUI-8: entries of one size, category, creator or day; the genes' ids go against their names."""
    make_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path) as store:
        for key in ("bb", "aa", "d", "cc", "e", "ff"):
            write(store, (key, "CACHE" if key in "aaee" else "CONTEXT"), gene=INDENT if key < "d" else FETCH)
    seen = {}

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(200, 60)) as pilot:
            for keys in ("s", "S") * 6:
                await type_keys(pilot, keys)
                rows = app_of(pilot).main.entries.window.rows
                seen[command(pilot)] = [entry.key for entry in rows]

    drive(scenario)
    assert len(seen) == 12
    for words, keys in seen.items():
        listed = json.loads(_run(*words, "--json").stdout)
        assert [entry["key"] for entry in listed] == keys, words
