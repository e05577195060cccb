"""Whole calls of the installed program, byte for byte: command, exit status, stdout, stderr."""

from __future__ import annotations

from typing import Any

import pytest

from rotifer_store import FixedClock, Gene

START_US = 1_900_000_000_000_000
GENE_ID = f"v2:{'ab' * 32}"
AGENT_ID = "11111111-2222-4333-8444-555555555555"
FORTY_DAYS = {"maxRetentionDays": 40_000, "autoDeleteOnTermination": False, "anonymizationSupported": False}

GOLDENS = [
    (
        "memory list main",
        0,
        "notes/plan\tCONTEXT\t17\tscribe\t2030-03-17T17:46:42.000000Z\t2139-09-22T17:46:42.000000Z\n"
        "notes/name\tPREFERENCE\t13\tscribe\t2030-03-17T17:46:41.000000Z\tnever\n"
        "notes/page\tCACHE\t510\tscribe\t2030-03-17T17:46:40.000000Z\tnever\n",
        "",
    ),
    (
        "agent memory list main --category PREFERENCE --json",
        0,
        '[{"entryId": "0f465432ab0f14e9bbc6a3a37affa22be8c8c0baecb498f175bf158ff0574605", '
        f'"category": "PREFERENCE", "key": "notes/name", "createdBy": "{GENE_ID}", '
        f'"lastAccessedBy": "{GENE_ID}", '
        '"createdAt": "2030-03-17T17:46:41.000000Z", "updatedAt": "2030-03-17T17:46:41.000000Z", '
        '"accessPolicy": {"readScope": "SAME_DOMAIN", "writeScope": "SAME_DOMAIN", '
        '"sharePolicy": "PRIVATE"}, '
        '"retentionPolicy": null, "sizeBytes": 13, "expiresAt": null, "expiresAtUs": null, '
        '"creatorName": "scribe"}]\n',
        "",
    ),
    (
        "agent list",
        0,
        f"main\tscribe\tSingle\t540\t1024\t2139-09-22T17:46:42.000000Z\t0\t{AGENT_ID}\n",
        "",
    ),
    ("agent genes main", 0, "scribe\n", ""),
    ("memory delete main --key notes/page", 0, "1 entry removed\n", ""),
    ("memory delete main --category CACHE --json", 0, '{"removed": 1}\n', ""),
    (
        "memory delete main --key notes/gone",
        1,
        "",
        "error[MEMORY_NOT_FOUND]: main has no entry notes/gone\n",
    ),
    (
        "memory delete main",
        2,
        "",
        "error[USAGE]: give exactly one of --key and --category\n",
    ),
    (
        "memory list main --category cache",
        2,
        "",
        "error[MEMORY_INVALID_INPUT]: cache is no category\n"
        "hint: categories are upper case: did you mean CACHE?\n",
    ),
    (
        "memory list mian",
        1,
        "",
        "error[AGENT_NOT_FOUND]: there is no agent mian\nhint: did you mean main?\n",
    ),
    (
        "agent create x --genes scribe --memory-quota=50",
        2,
        "",
        "error[USAGE]: --memory-quota 50: it is not a number with KB, MB or GB\n"
        "hint: a size is a number and KB, MB or GB, such as 512KB or 1.5GB\n",
    ),
    (
        "agent create x --genes scribe --memory-quota=50 --json",
        2,
        "",
        '{"error": {"code": "USAGE", "message": "--memory-quota 50: it is not a number with KB, MB or GB", '
        '"hint": "a size is a number and KB, MB or GB, such as 512KB or 1.5GB"}}\n',
    ),
    (
        "agent create main --genes scribe",
        1,
        "",
        "error[AGENT_EXISTS]: there is an agent of that name already\n",
    ),
    (
        "agent run main --input {}",
        0,
        "{}\n",
        "",
    ),
    (
        "agent run main",
        2,
        "",
        "error[USAGE]: Missing option '--input'\nhint: `rotifer agent run --help` shows how it is used\n",
    ),
    (
        "agent frobnicate",
        2,
        "",
        "error[USAGE]: rotifer agent has no command frobnicate\n"
        "hint: `rotifer agent --help` lists the commands\n",
    ),
    ("init", 1, "", "error[PROJECT_EXISTS]: ROOT is a project already\n"),
]


@pytest.fixture
def main_agent(project: Any) -> Any:
    """One agent of fixed id whose entries were written at fixed times."""
    project.add_gene("scribe")
    clock = FixedClock(START_US)
    with project.store(clock=clock) as store:
        gene = Gene(GENE_ID, "notes", "scribe")
        store.create_agent("main", genes=[gene], memory_quota_bytes=1024, agent_id=AGENT_ID)
        memory = store.gene_memory("main", gene)
        memory.write_memory("notes/page", b"x" * 500, "CACHE")
        clock.advance(1)
        memory.write_memory("notes/name", b"Ada", "PREFERENCE")
        clock.advance(1)
        memory.write_memory("notes/plan", b"rewrite", "CONTEXT", retention_policy=FORTY_DAYS)
    return project


@pytest.mark.parametrize(("command", "status", "stdout", "stderr"), GOLDENS, ids=[row[0] for row in GOLDENS])
def test_a_call_answers_as_it_always_did(
    main_agent: Any, command: str, status: int, stdout: str, stderr: str
) -> None:
    """CLI-1, CLI-2, CLI-3."""
    outcome = main_agent.program(*command.split(" "))
    root = str(main_agent.root)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.replace(root, "ROOT")) == (
        status,
        stdout,
        stderr,
    )
