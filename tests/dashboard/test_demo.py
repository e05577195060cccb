"""`rotifer demo`: the story that it tells, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.terminal import PROGRAM, Terminal
from rotifer_console.dashboard.examining import readable_genes
from rotifer_console.demo import story
from rotifer_store import (
    AuditRecord,
    ErrorCode,
    FixedClock,
    MemoryCategory,
    ReviewKind,
    Store,
    UnreadableLine,
    open_store,
)

NOW_US = 1_796_058_141_000_000  # 2026-11-30T17:02:21Z
HOUR_US = 3_600_000_000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    story.build(folder, NOW_US, in_process=True)
    return folder


@pytest.fixture
def store(project: Path) -> Iterator[Store]:
    with open_store(project, clock=FixedClock(NOW_US), read_only=True) as opened:
        yield opened


def records_of(store: Store) -> list[AuditRecord]:
    records = store.audit_records()
    assert not any(isinstance(record, UnreadableLine) for record in records)
    return [record for record in records if isinstance(record, AuditRecord)]


def test_the_demo_shows_everything_that_the_dashboard_has_words_for(project: Path, store: Store) -> None:
    """CLI-1: refusals, evictions, expiries, a nearly full quota, orphans, a planted PREFERENCE."""
    records = records_of(store)
    told = {record.action for record in records}
    assert {"memory_write", "memory_update", "memory_delete", "memory_evict", "memory_expire"} <= told
    assert {record.code for record in records} >= {
        ErrorCode.MEMORY_ACCESS_DENIED,
        ErrorCode.MEMORY_QUOTA_EXCEEDED,
    }
    usage = store.memory_usage(story.SHOP)
    assert 0.9 < usage.used_bytes / usage.quota_bytes <= 1
    entries = store.list_memory(story.SHOP)
    assert {entry.category for entry in entries} == set(MemoryCategory)
    left_us = [entry.expires_at_us - NOW_US for entry in entries if entry.expires_at_us is not None]
    assert any(0 < left < HOUR_US // 60 for left in left_us)
    assert any(HOUR_US // 60 < left < HOUR_US for left in left_us)
    assert any(left > 24 * HOUR_US for left in left_us)
    agent = store.agent(story.SHOP)
    genome = readable_genes(project, agent)
    assert [entry.key for entry in store.orphans(agent, genome)] == ["mail/last-issue", "mail/subscribers"]
    reasons = {
        each.entry.key: {reason.kind for reason in each.reasons} for each in store.review(agent, genome)
    }
    assert reasons["mail/reply-rule"] >= {ReviewKind.PREFERENCE_OUTSIDE_GENOME, ReviewKind.INSTRUCTION_LIKE}
    assert b"\x89PNG" in store.peek_value(agent, "shop/icon/samovar.png")
    assert json.loads(store.peek_value(agent, "orders/2026-1041"))["state"] == "paid"
    assert not any(agent.genes for agent in store.agents() if "newsletter" in agent.genes)


def test_the_store_agrees_with_its_logs_and_nothing_happens_later_than_now(store: Store) -> None:
    """REC-3."""
    assert store.verify() == []
    assert max(record.ts for record in records_of(store)) < "2026-11-30T17:02:21"


def test_the_same_moment_gives_the_same_story(project: Path, tmp_path: Path) -> None:
    """TUI-13: pictures are made of it. A store's own secret makes the marks of values differ (REC-1)."""

    def told(folder: Path) -> list[dict[str, object]]:
        lines = map(json.loads, (folder / ".rotifer" / "audit.jsonl").read_text().splitlines())
        return [
            {name: line[name] for name in line if name not in ("hash", "prev_hash", "value_hmac")}
            for line in lines
        ]

    story.build(tmp_path, NOW_US, in_process=True)
    assert told(tmp_path) == told(project)


def left_in(folder: Path) -> list[Path]:
    return list(folder.glob("rotifer-demo-*"))


@pytest.mark.parametrize("form", ["--plain", "--json"])
def test_without_a_terminal_it_prints_the_listing(tmp_path: Path, form: str) -> None:
    """CLI-1."""
    finished = subprocess.run(
        [PROGRAM, "demo", form],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert finished.returncode == 0
    assert finished.stderr == "six days of three agents: running their genes\n"
    if form == "--json":
        keys = [entry["key"] for entry in json.loads(finished.stdout)]
    else:
        keys = [line.split("\t")[0] for line in finished.stdout.splitlines()]
    assert keys[0] == "orders/2026-1041"
    assert "mail/reply-rule" in keys
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(("sent", "status"), [(None, 0), (signal.SIGTERM, 143)], ids=["q", "SIGTERM"])
def test_at_a_terminal_it_opens_the_dashboard_and_takes_the_project_away(
    tmp_path: Path, sent: signal.Signals | None, status: int
) -> None:
    """CLI-1."""
    terminal = Terminal([PROGRAM, "demo"], tmp_path, TMPDIR=str(tmp_path))
    try:
        terminal.wait_for("quota 9")
        assert story.SHOP in terminal.shown
        assert len(left_in(tmp_path)) == 1
        if sent is None:
            terminal.type("q")
        else:
            terminal.child.send_signal(sent)
        assert terminal.end() == status
        assert left_in(tmp_path) == []
        assert terminal.modes_left_on() == set()
        assert not (tmp_path / ".local").exists()
    finally:
        terminal.close()
