"""`rotifer agent policy`: showing, changing only what is given, and foreseeing what a change does."""

from __future__ import annotations

from typing import Any

import pytest

from cli.terminal import at_a_terminal
from rotifer_store import AuditRecord, DataPolicy, FixedClock, Gene, SystemClock

DAY_S = 86_400


@pytest.fixture
def main_agent(project: Any) -> Any:
    """An agent with a policy of its own, and two entries of three days ago, one with days of its own."""
    project.add_agent("main", data_policy=DataPolicy(30, True, True), memory_quota_bytes=2048)
    clock = FixedClock(SystemClock().now_us())
    clock.advance(-3 * DAY_S)
    with project.store(clock=clock) as store:
        memory = store.gene_memory("main", Gene.from_folder(project.root / "genes" / "scribe"))
        memory.write_memory("follows", b"x" * 100, "CONTEXT")
        own = {"maxRetentionDays": 20, "autoDeleteOnTermination": False, "anonymizationSupported": False}
        memory.write_memory("own", b"y" * 50, "PATTERN", retention_policy=own)
    return project


def settings(project: Any) -> tuple[DataPolicy, int]:
    with project.store() as store:
        agent = store.agent("main")
    return agent.data_policy, agent.memory_quota_bytes


def changes(project: Any) -> list[str | None]:
    with project.store() as store:
        records = store.audit_records("main", action="policy_change")
    return [record.reason for record in records if isinstance(record, AuditRecord)]


@pytest.mark.parametrize(
    ("arguments", "policy", "quota_bytes", "lines"),
    [
        (["--max-retention-days", "7"], DataPolicy(7, True, True), 2048, 1),
        (["--max-retention-days=none"], DataPolicy(None, True, True), 2048, 1),
        (["--no-anonymization"], DataPolicy(30, True, False), 2048, 1),
        (["--no-auto-delete-on-termination"], DataPolicy(30, False, True), 2048, 1),
        (["--anonymization", "--auto-delete-on-termination"], DataPolicy(30, True, True), 2048, 0),
        (["--max-retention-days=30", "--memory-quota=2KB"], DataPolicy(30, True, True), 2048, 0),
        (["--max-retention-days=30", "--memory-quota=1KB"], DataPolicy(30, True, True), 1024, 1),
        (["--memory-quota", "1.5KB"], DataPolicy(30, True, True), 1536, 1),
        (
            ["--memory-quota=1GB", "--max-retention-days", "2147483647"],
            DataPolicy(2**31 - 1, True, True),
            2**30,
            2,
        ),
    ],
)
def test_only_what_is_given_changes(
    main_agent: Any, arguments: list[str], policy: DataPolicy, quota_bytes: int, lines: int
) -> None:
    """POL-2, QUO-3: one line of the audit log for the policy, and one for the quota; none for no change."""
    before = settings(main_agent)
    rehearsed = main_agent.run("agent", "policy", "main", *arguments, "--dry-run", "--json").json()
    assert (settings(main_agent), changes(main_agent)) == (before, [])
    answer = main_agent.run("agent", "policy", "main", *arguments, "--json").json()
    assert settings(main_agent) == (policy, quota_bytes)
    assert len(changes(main_agent)) == lines
    assert answer == rehearsed | {"dryRun": False}
    assert (answer["dataPolicy"], answer["quotaBytes"]) == (policy.to_json(), quota_bytes)


def test_a_rehearsal_tells_what_the_change_then_does(main_agent: Any) -> None:
    """POL-3a, POL-4, QUO-1."""
    arguments = ["agent", "policy", "main", "--max-retention-days", "2", "--memory-quota", "0.05KB"]
    listing = {entry["key"]: entry for entry in main_agent.run("memory", "list", "main", "--json").json()}
    foreseen = main_agent.run(*arguments, "--dry-run", "--json").json()
    assert foreseen["expiring"] == [listing["follows"]]
    assert foreseen["outside"] == [listing["own"]]
    assert foreseen["overQuotaBytes"] == len("own" + "y" * 50) - 51
    outcome = main_agent.run(*arguments)
    assert [row.split("\t")[:2] for row in outcome.stdout.splitlines()] == [
        ["expires", "follows"],
        ["outside", "own"],
    ]
    assert outcome.stderr == (
        "changed main: quota 51 B, retention 2 days, anonymization, auto-delete on termination; "
        "1 entry has expired, 1 entry does not fit, 2 B over the quota\n"
    )
    assert [entry["key"] for entry in main_agent.run("memory", "list", "main", "--json").json()] == ["own"]


@pytest.mark.parametrize("flags", [[], ["--dry-run"]], ids=str)
def test_what_is_as_it_was_is_said_to_be(main_agent: Any, flags: list[str]) -> None:
    """POL-2."""
    outcome = main_agent.run("agent", "policy", "main", "--max-retention-days=30", *flags)
    assert outcome.stderr == (
        "nothing to change in main: quota 2 KB, retention 30 days, anonymization, "
        "auto-delete on termination; every entry stays and fits\n"
    )


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [(b"y\n", True), (b"yes\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)],
)
def test_entries_that_would_expire_are_asked_about_at_a_terminal(
    main_agent: Any, typed: bytes, agreed: bool
) -> None:
    """POL-3a, AGT-4: No is the default, and the end of input means it."""
    before = settings(main_agent)
    arguments = ["agent", "policy", "main", "--max-retention-days=2"]
    finished = at_a_terminal(main_agent, typed, *arguments)
    assert b"1 entry of main expires at once. Change the policy? [y/N]" in finished.stderr
    assert finished.returncode == (0 if agreed else 1)
    assert (b"1 entry has expired" in finished.stderr) is agreed
    assert (settings(main_agent) == before) is not agreed
    assert len(changes(main_agent)) == agreed


def test_a_preference_that_would_expire_is_named_in_the_question(main_agent: Any) -> None:
    """POL-3a, QUO-4: it is what no quota would ever take."""
    main_agent.write(("kept", "1", "PREFERENCE"))
    clock = FixedClock(SystemClock().now_us())
    clock.advance(-3 * DAY_S)
    with main_agent.store(clock=clock) as store:
        memory = store.gene_memory("main", Gene.from_folder(main_agent.root / "genes" / "scribe"))
        memory.write_memory("taste", b"1", "PREFERENCE")
    finished = at_a_terminal(main_agent, b"n\n", "agent", "policy", "main", "--max-retention-days=2")
    assert b"2 entries of main expire at once, 1 of them PREFERENCE. Change" in finished.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--max-retention-days=2", "--yes"],
        ["--max-retention-days=2", "-y"],
        ["--max-retention-days=2", "--dry-run"],
        ["--max-retention-days=7"],
        ["--memory-quota=1KB"],
    ],
    ids=" ".join,
)
def test_nothing_else_is_asked_about(main_agent: Any, arguments: list[str]) -> None:
    """AGT-4."""
    finished = at_a_terminal(main_agent, b"", "agent", "policy", "main", *arguments)
    assert (finished.returncode, b"?" in finished.stderr) == (0, False)


def test_a_rehearsal_writes_nothing(main_agent: Any) -> None:
    """CLI, POL-6: neither the log nor the database; what has expired stays."""
    files = [main_agent.root / ".rotifer" / name for name in ("audit.jsonl", "playground.db")]
    before = [path.read_bytes() for path in files]
    assert main_agent.run("agent", "policy", "main", "--max-retention-days=1", "--dry-run").exit_code == 0
    assert [path.read_bytes() for path in files] == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--dry-run"],
        ["--max-retention-days", "0"],
        ["--max-retention-days", "None"],
        ["--max-retention-days", ""],
        ["--max-retention-days", "1.5"],
        ["--memory-quota", "0KB"],
        ["--memory-quota", "9007199254740992KB", "--max-retention-days", "1"],
        ["--anonymization=yes"],
        ["--max-retention-days"],
    ],
    ids=" ".join,
)
def test_settings_that_none_has_are_refused_by_themselves(main_agent: Any, arguments: list[str]) -> None:
    """POL-1, QUO-2, CLI-2."""
    before = settings(main_agent)
    outcome = main_agent.run("agent", "policy", "main", *arguments, "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (2, "", "USAGE")
    assert (settings(main_agent), changes(main_agent)) == (before, [])
