"""The registry of actions: every one has its keys, its words, its method and its command line (TUI-8)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rotifer_console.cli.app import app
from rotifer_console.dashboard.access_screen import AccessScreen
from rotifer_console.dashboard.actions import ACTIONS, FORBIDDEN_KEYS, Action, Place, Subject, in_key_bar
from rotifer_console.dashboard.audit_screen import AuditScreen
from rotifer_console.dashboard.main_screen import MainScreen
from rotifer_console.dashboard.place_screen import _STEPS
from rotifer_console.dashboard.review_screen import OrphansScreen, ReviewScreen
from rotifer_console.dashboard.shell_line import shell_line
from rotifer_console.dashboard.telemetry_screen import TelemetryScreen
from rotifer_console.dashboard.why_screen import WhyScreen
from rotifer_store import Gene, open_store

SCREENS = (MainScreen, AuditScreen, TelemetryScreen, AccessScreen, ReviewScreen, OrphansScreen, WhyScreen)
ONLY_HOW_IT_IS_SEEN = {
    *_STEPS,
    "back",
    "copy_command",
    "copy_key",
    "follow",
    "go_to",
    "help",
    "look",
    "mark",
    "next_column",
    "next_pane",
    "palette",
    "pause",
    "previous_column",
    "previous_pane",
    "quit",
    "refresh",
    "search",
    "search_next",
    "search_previous",
    "unmark",
    "value_form",
}
"""What moves, marks, paints or copies: it asks the store for nothing that a command would tell."""
GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
KEYS = ("formatter/indent", "-odd key", "[red]")
WITH_COMMANDS = [action for action in ACTIONS if action.command is not None]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["init"]).exit_code == 0
    with open_store(tmp_path) as store:
        gene = Gene.from_folder(next((tmp_path / "genes").iterdir()))
        store.create_agent("main", genes=[gene])
        for key in KEYS:
            store.gene_memory("main", gene).write_memory(key, b"x", "CACHE")
        store.export_memory("main", tmp_path / "in.jsonl", include_cache=True, keys=[KEYS[0]])
    return tmp_path


def _subject(project: Path, action: Action) -> Subject:
    gene = next((project / "genes").iterdir()).name
    if action.id == "create":
        return Subject(agent="other", options=("--genes", gene, "--memory-quota=1MB"))
    keys = KEYS[1:] if action.id == "delete" else KEYS[:1]
    file = {"export": "out.jsonl", "import": "in.jsonl"}.get(action.id)
    return Subject(
        agent="main",
        keys=keys,
        category="CACHE",
        filter_text="size<10k indent",
        order="size",
        gene=gene,
        file=file,
        size="400KB",
        log_agent="main",
        log_action="memory_write" if action.id == "audit" else None,
        log_gene=gene,
        log_key=KEYS[0] if action.id == "audit" else None,
        log_text="MEMORY",
        options=("--max-retention-days=30", "--memory-quota=2MB") if action.id == "policy" else (),
    )


@pytest.mark.parametrize("action", WITH_COMMANDS, ids=lambda action: action.id)
def test_the_command_line_of_an_action_runs(project: Path, action: Action) -> None:
    """TUI-8: everything the dashboard does the command line can do."""
    if action.id == "import":  # what was exported is back where it was deleted
        with open_store(project) as store:
            store.delete_memory("main", key=KEYS[0])
    assert action.command is not None
    words = action.command(_subject(project, action))
    assert words is not None
    piped = "".join(f"{json.dumps(key)}\n" for key in KEYS[1:])
    outcome = CliRunner().invoke(app, list(words), input=piped if action.id == "delete" else None)
    assert outcome.exit_code == 0, (words, outcome.stderr)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_an_action_without_a_command_line_only_changes_how_things_are_seen(action: Action) -> None:
    """TUI-8."""
    assert (action.command is None) == (action.id in ONLY_HOW_IT_IS_SEEN)


@pytest.mark.parametrize("action", WITH_COMMANDS, ids=lambda action: action.id)
def test_without_anything_to_act_on_there_is_no_command_that_names_nothing(action: Action) -> None:
    """An empty screen shows a command that is whole, or none."""
    assert action.command is not None
    words = action.command(Subject())
    assert words is None or None not in words


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
def test_a_screen_has_a_method_for_each_action_of_its_place(screen: type) -> None:
    """A key that is shown does something."""
    missing = [
        action.id
        for action in ACTIONS
        if screen.PLACE in action.places
        and action.id not in _STEPS
        and not hasattr(screen, f"do_{action.id}")
    ]
    assert missing == []


@pytest.mark.parametrize("place", Place)
def test_no_key_of_a_place_means_two_things(place: Place) -> None:
    """TUI-8."""
    keys = Counter(key for action in ACTIONS if place in action.places for key in action.keys)
    assert [key for key, times in keys.items() if times > 1] == []


def test_no_default_key_is_one_that_terminals_keep() -> None:
    """TUI-11."""
    assert not {key for action in ACTIONS for key in action.keys} & FORBIDDEN_KEYS


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("read_only", [False, True])
def test_help_and_quit_are_always_in_the_key_bar_and_changes_never_when_only_looking(
    place: Place, read_only: bool
) -> None:
    """TUI-1, TUI-9."""
    actions = in_key_bar(place, read_only=read_only)
    assert {"help", "quit"} <= {action.id for action in actions}
    assert not (read_only and any(action.changes for action in actions))


def test_a_command_line_is_quoted_for_a_shell() -> None:
    """What `c` copies can be pasted whatever the key is."""
    line = shell_line("why", Subject(agent="main", keys=("a b'c",)))
    assert line is not None
    assert line.text == """rotifer agent memory why main '--key=a b'"'"'c'"""
