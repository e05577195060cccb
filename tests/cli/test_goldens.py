"""Whole calls of the installed program, byte for byte: `goldens/*.txt`, a scene each (see `scenes.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.scenes import masked, played
from rotifer_console.cli import tree
from rotifer_store import FixedClock, Gene, SystemClock

SCENES = sorted((Path(__file__).parent / "goldens").glob("*.txt"))
DAY_S, HOUR_S = 86_400, 3600
MAIN_ID = "11111111-2222-4333-8444-555555555555"
EMPTY_ID = "22222222-3333-4444-8555-666666666666"
SCRIBE = Gene(f"v2:{'ab' * 32}", "notes", "scribe", "1.0.0")
FORMS = {
    "for people, piped": r"(?!.*--json)(?!.*terminal )",
    "--json": r".*--json",
    "at a terminal without colour": r".*terminal \d+ env NO_COLOR=1 ",
    "LANG=C": r".*LANG=C ",
}


def kept_for(days: int | None) -> dict[str, Any]:
    return {"maxRetentionDays": days, "autoDeleteOnTermination": False, "anonymizationSupported": False}


@pytest.fixture
def stage(project: Any) -> Any:
    """Two agents of a gene. `main` began to write over two days ago: one entry has expired, one soon will."""
    project.is_sound = False  # scenes break things; those that should not have verify for themselves
    project.add_gene("scribe")
    project.add_gene("mapper", domain="maps")
    clock = FixedClock(SystemClock().now_us())
    clock.advance(-2 * DAY_S - HOUR_S)
    with project.store(clock=clock) as store:
        store.create_agent("main", genes=[SCRIBE], memory_quota_bytes=1024, agent_id=MAIN_ID)
        store.create_agent("empty", genes=[SCRIBE], agent_id=EMPTY_ID)
        memory = store.gene_memory("main", SCRIBE)
        memory.write_memory("notes/gone", b"expired", "CACHE", retention_policy=kept_for(1))
        memory.write_memory("notes/page", b"x" * 500, "CACHE")
        clock.advance(1)
        memory.write_memory("notes/name", b"Ada", "PREFERENCE")
        clock.advance(1)
        memory.write_memory("é\x1b[2J键", b"bold\x1b[1m\n\xe9", "PATTERN")
        clock.advance(2 * HOUR_S)
        memory.write_memory("notes/plan", b"rewrite", "CONTEXT", retention_policy=kept_for(3))
    return project


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.stem)
def test_a_scene_comes_out_as_it_is_recorded(stage: Any, scene: Path, pytestconfig: pytest.Config) -> None:
    """CLI-1, CLI-2, CLI-3, CLI-4."""
    recorded = scene.read_text(encoding="utf-8")
    now = played(recorded, stage.root)
    if pytestconfig.getoption("--update-goldens"):
        scene.write_text(now, encoding="utf-8")
        return
    assert now.splitlines() == recorded.splitlines()


def leaves(group: tree.Group, *above: str) -> Iterator[str]:
    for name, member in group.members.items():
        if isinstance(member, tree.Group):
            yield from leaves(member, *above, name)
        else:
            yield " ".join([*above, name])


RECORDED = [
    match.groups()
    for scene in SCENES
    for match in re.finditer(
        r"^\$ (.*)\n(?:[12][>+] .*\n|[12]> ?\n)*=> (\d+)$", scene.read_text(encoding="utf-8"), re.MULTILINE
    )
]


@pytest.mark.parametrize(
    "command",
    [
        *("init", "list", "wrap", "compile", "doctor"),
        *leaves(tree.AGENT, "agent"),
        *leaves(tree.AUDIT, "audit"),
        *leaves(tree.TELEMETRY, "telemetry"),
    ],
)
def test_every_command_is_recorded_in_every_form(command: str) -> None:
    """CLI-1, CLI-2, CLI-3: and in a refusal."""
    calls = [
        (line, status)
        for line, status in RECORDED
        if re.search(rf"rotifer {command}\b", line.replace("rotifer memory", "rotifer agent memory"))
    ]
    missing = [
        form for form, pattern in FORMS.items() if not any(re.match(pattern, line) for line, _ in calls)
    ]
    assert missing == []
    assert {"0"} < {status for _, status in calls}


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("a\tb é 键\n", "a\tb é 键\n"),
        ("2026-11-30T17:02:21.123456Z 2026-11-30 17:02:21Z", "<time> <time>"),
        ("2026-11-30T17:02:21.123456", "2026-11-30T17:02:21.123456"),
        ("1796058141123456 179605814112345", "<us> 179605814112345"),
        ("in 6 d 23:59:50, in 00:00:01", "in <left>, in <left>"),
        (MAIN_ID, "<uuid>"),
        (f"v2:{'0123456789abcdef' * 4}", "<v2:01234567>"),
        (f"v2:{'0123456789ABCDEF' * 4}", f"v2:{'0123456789ABCDEF' * 4}"),
        ("a\x1b[?25lbar 0:00:00\r\x1b[2Kbar 0:00:01\n\x1b[?25h\r\x1b[1A\x1b[2Kb", "ab"),
        ("\x1b[1m\x00\r\x7f\x9b", "<0x1B>[1m<0x00><0x0D><0x7F><0x9B>"),
    ],
)
def test_only_what_differs_from_run_to_run_is_masked(output: str, shown: str) -> None:
    """The harness: a mask that took more would hide a fault."""
    assert masked(output.encode(), Path("/nowhere")) == shown


def test_a_byte_that_is_no_text_is_spelt_out() -> None:
    """The harness."""
    assert masked(b"\xff\xe9", Path("/nowhere")) == "<0xFF><0xE9>"
    assert masked(b"in /a/b", Path("/a/b")) == "in ROOT"


def test_a_scene_records_streams_statuses_and_missing_newlines(tmp_path: Path) -> None:
    """The harness, on a command that is not ours."""
    scene = "# about\n$ echo a; printf b >&2; exit 3\n1> stale\n=> 0\n\n$ terminal 40 echo c\n"
    assert played(scene, tmp_path) == (
        "# about\n$ echo a; printf b >&2; exit 3\n1> a\n2+ b\n=> 3\n\n$ terminal 40 echo c\n1> c\n=> 0\n"
    )
