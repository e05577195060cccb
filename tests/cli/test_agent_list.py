"""`rotifer agent list`: what each agent uses, what goes next, and what was refused."""

from __future__ import annotations

import json
from typing import Any

from rotifer_store import AgentMemoryError, FixedClock, Gene, SystemClock

ONE_DAY = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}
MEMBERS = [
    "id",
    "name",
    "genes",
    "composition",
    "quotaBytes",
    "usedBytes",
    "nextExpiryAt",
    "refusalsLastDay",
]


def test_no_agents_are_an_empty_list(project: Any) -> None:
    """CLI-1, CLI-2."""
    assert project.run("agent", "list", "--json") == (0, "[]\n", "")
    assert project.run("agent", "list") == (0, "", "no agents\n")


def test_an_agents_members_are_the_rules(project: Any) -> None:
    """CLI-1."""
    project.add_agent("b", "one", "two", composition={"type": "Seq"}, memory_quota_bytes=2048)
    project.add_agent("a", "one")
    project.write(("notes/x", "four", "CACHE"), agent="b", gene="one")
    listing = project.run("agent", "list", "--json").json()
    assert [list(agent) for agent in listing] == [MEMBERS, MEMBERS]
    assert [agent["name"] for agent in listing] == ["a", "b"]
    with project.store() as store:
        agent_id = store.agent("b").id
    assert listing[1] == {
        "id": agent_id,
        "name": "b",
        "genes": ["one", "two"],
        "composition": {"type": "Seq"},
        "quotaBytes": 2048,
        "usedBytes": 11,
        "nextExpiryAt": None,
        "refusalsLastDay": 0,
    }
    row = project.run("agent", "list").stdout.splitlines()[1]
    assert row.split("\t") == ["b", "one,two", "Seq", "11", "2048", "never", "0", agent_id]


def test_the_next_expiry_is_the_first_to_come(project: Any) -> None:
    """CLI: and looking removes nothing."""
    project.add_agent()
    with project.store() as store:
        memory = store.gene_memory("main", Gene.from_folder(project.root / "genes" / "scribe"))
        memory.write_memory("never", b"", "CACHE")
        for key, days in [("later", 7), ("soon", 1)]:
            memory.write_memory(key, b"", "CACHE", retention_policy=ONE_DAY | {"maxRetentionDays": days})
        expires = {entry.key: entry.to_json()["expiresAt"] for entry in store.list_memory("main")}
    log_before = (project.root / ".rotifer" / "audit.jsonl").read_bytes()
    (agent,) = project.run("agent", "list", "--json").json()
    assert agent["nextExpiryAt"] == expires["soon"]
    assert project.run("agent", "list").stdout.split("\t")[5] == expires["soon"]
    assert (project.root / ".rotifer" / "audit.jsonl").read_bytes() == log_before


def test_an_expiry_beyond_any_calendar_is_told_in_words(project: Any) -> None:
    """POL-4."""
    project.add_agent()
    with project.store() as store:
        memory = store.gene_memory("main", Gene.from_folder(project.root / "genes" / "scribe"))
        memory.write_memory("far", b"", "CACHE", retention_policy=ONE_DAY | {"maxRetentionDays": 2**31 - 1})
    (agent,) = project.run("agent", "list", "--json").json()
    assert agent["nextExpiryAt"] is None
    assert "years" in project.run("agent", "list").stdout.split("\t")[5]
    assert "years" in project.run("memory", "list", "main").stdout.split("\t")[5]


def test_refusals_of_the_last_day_are_counted_for_each_agent(project: Any) -> None:
    """CLI: access and space, not older ones, whatever else stands in the log."""
    project.add_agent("a", "scribe", memory_quota_bytes=10)
    project.add_agent("b", "scribe")
    project.add_gene("other", domain="other")
    own = Gene.from_folder(project.root / "genes" / "scribe")
    other = Gene.from_folder(project.root / "genes" / "other")
    now_us = SystemClock().now_us()
    for seconds, keys in [(-90_000, ["k"]), (-80_000, ["k", "k2"])]:
        clock = FixedClock(now_us)
        clock.advance(seconds)
        with project.store(clock=clock) as store:
            store.gene_memory("a", own).write_memory("k", b"", "PREFERENCE")
            for _ in keys:
                _refused(lambda: store.gene_memory("a", other).read_memory("k"))
    with project.store() as store:
        _refused(lambda: store.gene_memory("a", own).write_memory("x", b"too much of it", "CACHE"))
    project.is_sound = False
    with (project.root / ".rotifer" / "audit.jsonl").open("ab") as log:
        log.write(b'not JSON\n{"action": "memory_access_denied"}\n')
    outcome = project.run("agent", "list", "--json")
    assert {agent["name"]: agent["refusalsLastDay"] for agent in outcome.json()} == {"a": 3, "b": 0}


def _refused(call: Any) -> None:
    try:
        call()
    except AgentMemoryError:
        return
    raise AssertionError("it was not refused")


def test_what_has_expired_is_neither_used_nor_next(project: Any) -> None:
    """POL-5."""
    project.add_agent()
    past = FixedClock(SystemClock().now_us())
    past.advance(-2 * 86_400)
    with project.store(clock=past) as store:
        memory = store.gene_memory("main", Gene.from_folder(project.root / "genes" / "scribe"))
        memory.write_memory("gone", b"12345", "CACHE", retention_policy=ONE_DAY)
    (agent,) = json.loads(project.run("agent", "list", "--json").stdout)
    assert (agent["usedBytes"], agent["nextExpiryAt"]) == (0, None)
