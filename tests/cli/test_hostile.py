"""Every hostile key, value, name, quota text, time and log line through every command that takes one.

In this process, because an argument list carries neither NULs nor lone surrogates. What the terminal would
get is looked at in both forms: rows for a pipe, and a table.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cli.hostile import (
    AUDIT_LINES,
    ILLEGAL_KEYS,
    LEGAL_KEYS,
    NAMES,
    NO_NAMES,
    NO_QUOTA_TEXTS,
    NO_TIMES,
    QUOTA_TEXTS,
    TIMES,
    TIMES_OF_NO_CALENDAR,
    VALUES,
    require_safe,
)
from rotifer_console.cli import terminal
from rotifer_store import FixedClock, Gene, SystemClock

Run = Callable[..., Any]
CREATOR_ID = f"v2:{'ab' * 32}"
RETENTION = {"maxRetentionDays": 9, "autoDeleteOnTermination": False, "anonymizationSupported": False}


@pytest.fixture(params=["piped", "at a terminal"])
def run(project: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command whose streams are looked at: what they show is safe and no error of the program's."""
    is_table = request.param == "at a terminal"
    monkeypatch.setenv("COLUMNS", "100")
    if is_table:
        monkeypatch.setattr(terminal, "is_rich", lambda stream, mode: not (mode.plain or mode.as_json))

    def run_and_look(*arguments: str, stdin: str | None = None) -> Any:
        outcome = project.run(*arguments, stdin=stdin)
        require_safe(outcome, coloured=is_table)
        return outcome

    return run_and_look


@pytest.fixture
def filled(project: Any) -> Any:
    """An agent with an entry under every legal key, each by a gene of that name and domain too."""
    project.add_gene("mapper", domain="maps")
    project.add_agent()
    with project.store() as store:
        for number, text in enumerate(LEGAL_KEYS.values()):
            gene = Gene(f"v2:{number:064x}", text, text, text)
            memory = store.gene_memory("main", gene)
            memory.write_memory(text, b"", "CACHE", retention_policy=RETENTION if number % 2 else None)
    return project


def listed_keys(outcome: Any) -> set[str]:
    assert outcome.exit_code == 0
    return {entry["key"] for entry in outcome.json()}


@pytest.mark.parametrize(
    "flags", [["--sort", order] for order in ("updated", "key", "category", "size", "expires", "creator")]
)
def test_every_key_is_listed_in_every_order(filled: Any, run: Run, flags: list[str]) -> None:
    """AGT-3, CLI-1, CLI-4."""
    assert listed_keys(run("memory", "list", "main", *flags, "--json")) == set(LEGAL_KEYS.values())
    outcome = run("memory", "list", "main", *flags)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    plain = run("memory", "list", "main", *flags, "--plain").stdout.splitlines()
    assert [len(row.split("\t")) for row in plain] == [6] * len(LEGAL_KEYS)


@pytest.mark.parametrize(
    ("arguments", "member"),
    [
        (["agent", "policy", "main", "--max-retention-days", "1", "--dry-run"], "outside"),
        (["agent", "policy", "main", "--max-retention-days", "2"], "outside"),
        (["agent", "genes", "main", "--set", "mapper", "--dry-run"], "orphans"),
        (["memory", "delete", "main", "--category", "CACHE", "--dry-run"], "entries"),
    ],
    ids=" ".join,
)
def test_every_key_that_a_change_concerns_is_named(
    filled: Any, run: Run, arguments: list[str], member: str
) -> None:
    """CLI-1, CLI-4."""
    assert run(*arguments).exit_code == 0
    named = {entry["key"] for entry in run(*arguments, "--json").json()[member]}
    concerned = set(list(LEGAL_KEYS.values())[1::2] if member == "outside" else LEGAL_KEYS.values())
    assert named == concerned


def test_entries_are_narrowed_by_expiry_and_policy_whatever_their_keys(filled: Any, run: Run) -> None:
    """CLI, POL-3."""
    own = set(list(LEGAL_KEYS.values())[1::2])
    assert listed_keys(run("memory", "list", "main", "--expires-within", "2w", "--json")) == own
    with filled.store() as store:
        store.set_data_policy("main", {**RETENTION, "maxRetentionDays": 5})
    assert listed_keys(run("memory", "list", "main", "--outside-policy", "--json")) == own


def test_every_key_is_shown_and_exported_by_its_true_text(filled: Any, run: Run) -> None:
    """CLI-4, CLI-5."""
    for number, (name, key) in enumerate(LEGAL_KEYS.items()):
        assert run("memory", "show", "main", f"--key={key}", "--reveal").exit_code == 0, name
        assert run("memory", "show", "main", f"--key={key}", "--json").json()["key"] == key
        assert run("memory", "delete", "main", f"--key={key}", "--dry-run", "--json").json()["removed"] == 1
        exported = run("memory", "export", "main", f"out-{number}", f"--key={key}", "--json")
        assert exported.json() == {"exported": 1}, name


def test_every_key_stands_safely_in_the_answer_to_every_question(filled: Any, run: Run) -> None:
    """CLI-1, CLI-4: and true in JSON."""
    with filled.store() as store:
        size_kb = store.memory_usage("main").used_bytes // 1024 + 1
        store.set_memory_quota("main", size_kb * 1024)
    forecast = ["memory", "forecast", "main", f"--bytes={size_kb}KB"]
    assert run(*forecast).exit_code == 0
    assert {entry["key"] for entry in run(*forecast, "--json").json()["evicted"]} == set(LEGAL_KEYS.values())
    for question in (["find", "main", ""], ["find", "main", "", "--values"]):
        assert run("memory", *question).exit_code == 0
        assert listed_keys(run("memory", *question, "--json")) == set(LEGAL_KEYS.values())
    assert run("memory", "orphans", "main").exit_code == 0
    assert listed_keys(run("memory", "orphans", "main", "--json")) == {
        key for key in LEGAL_KEYS.values() if key != "notes"
    }
    assert run("memory", "access", "main", "--gene=scribe").exit_code == 0
    verdicts = run("memory", "access", "main", "--gene=scribe", "--json")
    assert listed_keys(verdicts) == set(LEGAL_KEYS.values())
    assert run("memory", "review", "main").exit_code == 0
    reviewed = {each["entry"]["key"] for each in run("memory", "review", "main", "--json").json()}
    assert set() < reviewed <= set(LEGAL_KEYS.values())
    for name, key in LEGAL_KEYS.items():
        assert run("memory", "why", "main", f"--key={key}").exit_code == 0
        told = run("memory", "why", "main", f"--key={key}", "--json").json()
        assert [each["record"]["key"] for each in told] == [key], name
        (verdict,) = run("memory", "access", "main", "--gene=scribe", f"--key={key}", "--json").json()
        assert verdict["key"] == key
        assert key in listed_keys(run("memory", "find", "main", "--json", "--", key))


def test_what_room_was_made_for_is_told_safely_whatever_its_key(project: Any, run: Run) -> None:
    """CLI-4: the other key is data too."""
    project.add_agent("main", memory_quota_bytes=2100)
    with project.store() as store:
        for number, key in enumerate(LEGAL_KEYS.values()):
            memory = store.gene_memory("main", Gene(f"v2:{number:064x}", key, key, key))
            memory.write_memory(f"victim {number}", b"x" * 1500, "CACHE")
            memory.write_memory(key, b"x" * 1000, "CONTEXT")
            store.delete_memory("main", key=key)
    for number, key in enumerate(LEGAL_KEYS.values()):
        assert run("memory", "why", "main", f"--key=victim {number}").exit_code == 0
        _, evicted = run("memory", "why", "main", f"--key=victim {number}", "--json").json()
        assert (evicted["madeRoomFor"], evicted["geneName"]) == (key, key)


@pytest.mark.parametrize("text", [*ILLEGAL_KEYS.values(), "[/red]", "\x1b[2J"])
def test_any_text_can_be_looked_for(project: Any, run: Run, text: str) -> None:
    """CLI-2, CLI-4: but a lone surrogate, which is in no text."""
    project.add_agent()
    has_surrogate = any("\ud800" <= character <= "\udfff" for character in text)
    for flags in ([], ["--values"]):
        outcome = run("memory", "find", "main", *flags, "--", text)
        assert (outcome.exit_code, outcome.stdout) == (2 if has_surrogate else 0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["memory", "show", "main"],
        ["memory", "show", "main", "--raw"],
        ["memory", "why", "main"],
        ["memory", "access", "main", "--gene=scribe"],
        ["memory", "delete", "main"],
        ["memory", "delete", "main", "--dry-run"],
        ["memory", "export", "main", "out.jsonl"],
        ["agent", "export", "main", "-"],
    ],
    ids=" ".join,
)
def test_a_key_that_no_entry_has_is_refused_by_itself(project: Any, run: Run, arguments: list[str]) -> None:
    """INP-1, CLI-2: with 2, in one safe line, by every command that takes one."""
    project.add_agent()
    for name, key in ILLEGAL_KEYS.items():
        outcome = run(*arguments, f"--key={key}")
        assert (outcome.exit_code, outcome.stdout) == (2, ""), name
        assert "error[MEMORY_INVALID_INPUT]" in outcome.stderr.replace("\x1b[31m", "")
        assert len(outcome.stderr.splitlines()) == 1
    assert not (project.root / "out.jsonl").exists()


def test_a_key_that_no_entry_has_is_refused_in_a_file_too(project: Any, run: Run) -> None:
    """INP-1, CLI-2."""
    project.add_agent()
    for name, key in ILLEGAL_KEYS.items():
        outcome = run("memory", "delete", "main", "--keys-from", "-", "--json", stdin=json.dumps(key))
        assert (outcome.exit_code, outcome.error()["code"]) == (2, "MEMORY_INVALID_INPUT"), name


@pytest.mark.parametrize("separator", ["lines", "NULs"])
def test_all_keys_together_are_read_from_a_file(filled: Any, run: Run, separator: str) -> None:
    """CLI-5, AGT-4."""
    if separator == "lines":
        data = "".join(f"{json.dumps(key)}\n" for key in LEGAL_KEYS.values()).encode()
    else:
        data = b"".join(key.encode() + b"\0" for key in LEGAL_KEYS.values())
    (filled.root / "keys").write_bytes(data)
    rehearsed = run("memory", "delete", "main", "--keys-from", "keys", "--dry-run", "--json").json()
    assert {entry["key"] for entry in rehearsed["entries"]} == set(LEGAL_KEYS.values())
    assert run("memory", "delete", "main", "--keys-from", "keys", "--json").json() == {
        "removed": len(LEGAL_KEYS)
    }


def test_all_keys_move_to_another_project(
    filled: Any, run: Run, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AGT-6."""
    assert run("agent", "export", "main", str(tmp_path / "out"), "--include-cache").exit_code == 0
    (tmp_path / "rotifer.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert run("agent", "import", "out", "--json").json()["entries"] == len(LEGAL_KEYS)
    assert listed_keys(run("memory", "list", "main", "--json")) == set(LEGAL_KEYS.values())
    assert run("memory", "verify", "--json").json() == []


def test_a_value_is_shown_safely_and_written_as_it_is(project: Any, run: Run) -> None:
    """AGT-3, CLI-4: never unless asked for; bounded, and that is said; whole as base64 and as bytes."""
    project.add_agent("main", memory_quota_bytes=1 << 24)
    with project.store() as store:
        memory = store.gene_memory("main", Gene(CREATOR_ID, "notes"))
        for name, value in VALUES.items():
            memory.write_memory(name, value, "CACHE")
    for name, value in VALUES.items():
        hidden = run("memory", "show", "main", "--key", name)
        assert "Value (" not in hidden.stdout, name
        revealed = run("memory", "show", "main", "--key", name, "--reveal")
        assert ("Value (text)" in revealed.stdout) != ("Value (hex)" in revealed.stdout), name
        assert ("the value is cut" in revealed.stderr) == (len(value) > 4096)
        shown = run("memory", "show", "main", "--key", name, "--reveal", "--json").json()["value"]
        assert base64.b64decode(shown, validate=True) == value
        assert project.raw("memory", "show", "main", "--key", name, "--raw") == value


COMMANDS_OF_AN_AGENT = [
    ["agent", "show", "NAME"],
    ["agent", "run", "NAME", "--input={}"],
    ["agent", "genes", "NAME"],
    ["agent", "policy", "NAME"],
    ["agent", "policy", "NAME", "--max-retention-days=1", "--dry-run"],
    ["agent", "export", "NAME", "out.jsonl"],
    ["memory", "list", "NAME"],
    ["memory", "show", "NAME", "--key=k"],
    ["memory", "delete", "NAME", "--key=k"],
    ["memory", "delete", "NAME", "--category=CACHE", "--dry-run"],
    ["memory", "usage", "NAME"],
    ["memory", "forecast", "NAME", "--bytes=1KB"],
    ["memory", "why", "NAME", "--key=k"],
    ["memory", "access", "NAME", "--gene=scribe"],
    ["memory", "orphans", "NAME"],
    ["memory", "review", "NAME"],
    ["memory", "find", "NAME", "k"],
    ["memory", "export", "NAME", "-"],
    ["memory", "import", "NAME", "in.jsonl"],
    ["memory", "sweep", "NAME"],
]


@pytest.mark.parametrize("command", COMMANDS_OF_AN_AGENT, ids=" ".join)
def test_a_name_that_no_agent_has_is_not_found(project: Any, run: Run, command: list[str]) -> None:
    """AGT-2, CLI-2, CLI-4: by every command that takes one, and no file is made for it."""
    project.add_agent()
    for name in NO_NAMES.values():
        outcome = run(*command[:2], *_named(command, name))
        assert (outcome.exit_code, outcome.stdout) == (1, "")
        error, hint = outcome.stderr.splitlines()
        assert "error[AGENT_NOT_FOUND]" in error.replace("\x1b[31m", "").replace("\x1b[0m", "")
        assert hint.startswith("hint: ")
        assert len(error) < 300
    assert not (project.root / "out.jsonl").exists()


def _named(command: list[str], name: str) -> list[str]:
    """The rest of the command with the name in its place, which `--` keeps from being read as an option."""
    options = [word for word in command[2:] if word.startswith("-") and word != "-"]
    places = [name if word == "NAME" else word for word in command[2:] if word not in options]
    return [*options, "--", *places]


def test_an_agent_of_an_odd_name_is_found(project: Any, run: Run) -> None:
    """AGT-2."""
    for name, agent in NAMES.items():
        project.add_agent(agent)
        assert run("agent", "show", agent).exit_code == 0, name
        assert run("agent", "show", agent, "--json").json()["name"] == agent
        assert run("agent", "policy", agent, "--memory-quota", "1KB", "--json").json()["name"] == agent
        assert run("memory", "usage", agent, "--json").json()["quotaBytes"] == 1024
        assert run("agent", "export", agent, f"{agent}.jsonl", "--json").json() == {"exported": 0}


def test_a_quota_text_sets_exactly_so_many_bytes(project: Any, run: Run) -> None:
    """QUO-2."""
    project.add_agent()
    for text, size_bytes in QUOTA_TEXTS.items():
        for flags in (["--dry-run"], []):
            answer = run("agent", "policy", "main", f"--memory-quota={text}", *flags, "--json").json()
            assert (answer["quotaBytes"], answer["dryRun"]) == (size_bytes, bool(flags)), text
        assert run("agent", "policy", "main", "--json").json()["quotaBytes"] == size_bytes
        assert run("memory", "usage", "main").exit_code == 0


def test_a_quota_text_that_is_none_sets_nothing(project: Any, run: Run) -> None:
    """QUO-2, CLI-2."""
    project.add_agent()
    for name, text in NO_QUOTA_TEXTS.items():
        outcome = run("agent", "policy", "main", f"--memory-quota={text}")
        assert (outcome.exit_code, outcome.stdout) == (2, ""), name
        assert len(outcome.stderr.splitlines()) == 2
    assert run("agent", "policy", "main", "--json").json()["quotaBytes"] == 10_485_760


def exported_lines(project: Any) -> Iterator[dict[str, Any]]:
    """The lines of an export of one entry."""
    project.add_agent()
    project.write(("k", "v", "CONTEXT"))
    project.run("agent", "export", "main", "whole.jsonl")
    project.run("memory", "delete", "main", "--key=k")
    for line in (project.root / "whole.jsonl").read_text().splitlines():
        yield json.loads(line)


@pytest.mark.parametrize(
    "times",
    [
        TIMES,
        NO_TIMES,
        TIMES_OF_NO_CALENDAR,
    ],
    ids=["accepted", "refused", "of no calendar"],
)
def test_a_time_in_a_file_is_taken_in_or_refused_and_shown(project: Any, run: Run, times: list[Any]) -> None:
    """INP-4, ENT-5: as a time of an entry, and whatever it is, no command stumbles over it."""
    header, entry = exported_lines(project)
    for time in times:
        entry |= {"createdAt": time, "updatedAt": time}
        data = "".join(json.dumps(line) + "\n" for line in (header, entry))
        outcome = run("memory", "import", "main", "-", "--json", stdin=data)
        if outcome.exit_code != 0:
            assert (outcome.exit_code, outcome.error()["code"]) == (1, "MEMORY_INVALID_INPUT"), time
            assert listed_keys(run("memory", "list", "main", "--json")) == set()
            continue
        assert times is not NO_TIMES, time
        for arguments in (
            ["memory", "list", "main"],
            ["memory", "list", "main", "--expires-within", "1d"],
            ["memory", "show", "main", "--key=k"],
            ["agent", "policy", "main", "--max-retention-days", "1", "--dry-run"],
        ):
            assert run(*arguments).exit_code == 0, time
            assert run(*arguments, "--json").exit_code == 0
        assert run("memory", "verify", "--json").json() == []
        assert run("memory", "delete", "main", "--key=k").exit_code == 0


def test_hostile_lines_in_the_log_are_findings_and_stop_no_command(project: Any, run: Run) -> None:
    """REC-5, CLI-4."""
    project.add_agent()
    project.is_sound = False
    with (project.root / ".rotifer" / "audit.jsonl").open("ab") as log:
        for line in AUDIT_LINES.values():
            if len(line) < 1 << 20:
                log.write(line + b"\n")
    outcome = run("memory", "verify")
    assert outcome.exit_code == 1
    assert outcome.stdout
    assert {finding["kind"] for finding in json.loads(run("memory", "verify", "--json").stdout)}
    assert run("agent", "show", "main").exit_code == 0
    assert run("agent", "list", "--json").exit_code == 0


def test_a_genome_in_a_file_may_name_anything(project: Any, run: Run) -> None:
    """AGT-1, CLI-4: the store keeps names, and what is none has no id."""
    header, _ = exported_lines(project)
    header["entries"] = 0
    for number, text in enumerate(list(LEGAL_KEYS.values())[::5]):
        guest = f"guest-{number}"
        header["agent"] |= {"id": f"99999999-2222-4333-8444-{number:012}", "name": guest, "genes": [text]}
        assert run("agent", "import", "-", stdin=json.dumps(header) + "\n").exit_code == 0
        (gene,) = run("agent", "show", guest, "--json").json()["genome"]
        assert gene == {**dict.fromkeys(["domain", "language", "version", "geneId"]), "name": text}
        assert run("agent", "show", guest).exit_code == 0
        assert run("agent", "genes", guest).exit_code == 0


@pytest.mark.parametrize("file", ["", "a\0b", "\ud800", "n" * 5000, "[/red]\x1b[2J", "genes"])
def test_a_file_that_cannot_be_is_one_safe_line(project: Any, run: Run, file: str) -> None:
    """CLI-2, CLI-4."""
    project.add_agent()
    for arguments in (
        ["agent", "import", "--", file],
        ["memory", "import", "--", "main", file],
        ["memory", "delete", "main", f"--keys-from={file}"],
        *([] if file.startswith("[") else [["agent", "export", "--", "main", file]]),
    ):
        outcome = run(*arguments)
        assert outcome.exit_code in (1, 2)
        assert outcome.stdout == ""
        assert len(outcome.stderr.splitlines()) <= 2


def test_a_file_of_a_hostile_name_is_not_overwritten_and_safely_named(project: Any, run: Run) -> None:
    """CLI-4."""
    project.add_agent()
    file = "[red]\x1b[2J\u202e"
    assert run("agent", "export", "main", file).exit_code == 0
    outcome = run("agent", "export", "main", file)
    assert outcome.exit_code == 1
    assert "[red]␛[2J<U+202E>" in outcome.stderr


def test_an_expiry_that_no_calendar_holds_is_shown_everywhere(project: Any, run: Run) -> None:
    """POL-4."""
    project.add_agent(data_policy={**RETENTION, "maxRetentionDays": 2**31 - 1})
    clock = FixedClock(SystemClock().now_us())
    with project.store(clock=clock) as store:
        store.gene_memory("main", Gene(CREATOR_ID, "notes")).write_memory("k", b"", "CACHE")
    for arguments in (["agent", "show", "main"], ["memory", "show", "main", "--key=k"]):
        assert "years" in run(*arguments).stdout
        assert run(*arguments, "--json").exit_code == 0
