"""`rotifer agent memory delete`: one selector, how many went, and the question at a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import at_a_terminal
from rotifer_store import AuditRecord

HOSTILE_KEYS = {
    case["name"]: case["key"]
    if isinstance(case["key"], str)
    else case["key"]["repeat"] * case["key"]["count"]
    for case in json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text())["keys"]
    if case["legal"]
}


@pytest.fixture
def filled(project: Any) -> Any:
    project.add_agent()
    project.write(("a", "", "CACHE"), ("b", "", "CACHE"), ("p", "", "PREFERENCE"), ("-x", "", "CONTEXT"))
    return project


def keys(project: Any) -> set[str]:
    with project.store() as store:
        return {entry.key for entry in store.list_memory("main")}


@pytest.mark.parametrize("group", [["memory"], ["agent", "memory"]], ids=" ".join)
@pytest.mark.parametrize(
    ("arguments", "removed"),
    [
        (["--key", "a"], {"a"}),
        (["--key=p"], {"p"}),
        (["--key=-x"], {"-x"}),
        (["--key", "-x"], {"-x"}),
        (["--category", "CACHE"], {"a", "b"}),
        (["--category=PREFERENCE"], {"p"}),
        (["--category", "PATTERN"], set()),
        (["--category", "CACHE", "--yes"], {"a", "b"}),
    ],
)
def test_what_was_chosen_goes_and_its_number_is_printed(
    filled: Any, group: list[str], arguments: list[str], removed: set[str]
) -> None:
    """AGT-4, CLI-5: off a terminal without a question."""
    outcome = filled.run(*group, "delete", "main", *arguments)
    noun = "entry" if len(removed) == 1 else "entries"
    assert outcome == (0, f"{len(removed)} {noun} removed\n", "")
    assert keys(filled) == {"a", "b", "p", "-x"} - removed


def test_the_number_in_json(filled: Any) -> None:
    """CLI-1."""
    assert filled.run("memory", "delete", "main", "--category", "CACHE", "--json").json() == {"removed": 2}
    assert filled.run("memory", "delete", "main", "--category", "CACHE", "--json").json() == {"removed": 0}


def test_a_deletion_is_recorded_as_the_deployers(filled: Any) -> None:
    """REC-8."""
    filled.run("memory", "delete", "main", "--category", "CACHE")
    with filled.store() as store:
        records = store.audit_records("main", action="memory_delete")
    assert [
        (record.key, record.actor, record.gene_id) for record in records if isinstance(record, AuditRecord)
    ] == [("a", "deployer", None), ("b", "deployer", None)]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--key", "a", "--category", "CACHE"],
        ["--key", "a", "--category", "cache"],
        ["--key", "a", "--keys-from", "-"],
        ["--category", "CACHE", "--keys-from", "-"],
        ["--yes"],
        ["--dry-run"],
        ["--key"],
    ],
    ids=" ".join,
)
def test_both_or_neither_selector_is_refused(filled: Any, arguments: list[str]) -> None:
    """AGT-4, CLI-2."""
    outcome = filled.run("memory", "delete", "main", *arguments)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("error[USAGE]: ")
    assert keys(filled) == {"a", "b", "p", "-x"}


@pytest.mark.parametrize(
    ("key", "near"),
    [("missing", None), ("[red]x", None), ("A", "a"), ("a ", "a"), ("--category", None), ("-", "-x")],
)
def test_a_key_that_is_not_there_is_not_found(filled: Any, key: str, near: str | None) -> None:
    """AGT-4, CLI-2, CLI-5: by what is there, with its neighbour; `-` is a key and not stdin."""
    hint = "" if near is None else f"hint: did you mean {near}?\n"
    (filled.root / "keys").write_text(json.dumps(key))
    for command in (
        ["delete", "main", f"--key={key}"],
        ["delete", "main", f"--key={key}", "--dry-run"],
        ["delete", "main", "--keys-from=keys"],
        ["show", "main", f"--key={key}"],
        ["export", "main", "box", f"--key={key}"],
    ):
        outcome = filled.run("memory", *command)
        assert outcome == (1, "", f"error[MEMORY_NOT_FOUND]: main has no entry {key}\n{hint}")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["memory", "show", "main", "a"], "missing option '--key'"),
        (["memory", "why", "main", "a"], "missing option '--key'"),
        (["memory", "delete", "main", "a"], "got unexpected extra argument(s) (a)"),
        (["memory", "delete", "main", "a", "--yes"], "got unexpected extra argument(s) (a)"),
        (["memory", "access", "main", "a", "--gene", "scribe"], "got unexpected extra argument(s) (a)"),
        (["agent", "export", "main", "box", "a"], "got unexpected extra argument(s) (a)"),
    ],
    ids=" ".join,
)
def test_a_key_without_its_option_is_told_how_it_goes(filled: Any, command: list[str], message: str) -> None:
    """CLI-2, CLI-5: a key is never an argument, for it may begin with `-`."""
    outcome = filled.run(*command)
    told = f"error[USAGE]: {message}\nhint: a key goes as --key=KEY\n"
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.lower()) == (2, "", told.lower())
    assert keys(filled) == {"a", "b", "p", "-x"}


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["audit", "tail", "main"], "an agent goes as --agent=NAME; a key goes as --key=KEY"),
        (["telemetry", "tail", "main"], "an agent goes as --agent=NAME"),
        (["memory", "show", "main"], "`rotifer memory show --help` shows how it is used"),
        (["memory", "list", "main", "a"], "`rotifer memory list --help` shows how it is used"),
        (["memory", "show", "main", "a", "--kye=a"], "did you mean --key?"),
    ],
    ids=" ".join,
)
def test_a_word_too_many_is_told_what_may_be_meant(filled: Any, command: list[str], hint: str) -> None:
    """CLI-2, CLI-5."""
    outcome = filled.run(*command, "--json")
    assert (outcome.exit_code, outcome.error()["code"], outcome.error()["hint"]) == (2, "USAGE", hint)


@pytest.mark.parametrize("key", ["", "a\0b", "\udcff", "k" * 1025], ids=["empty", "NUL", "surrogate", "long"])
def test_a_key_that_no_entry_has_is_refused_by_itself(filled: Any, key: str) -> None:
    """AGT-4, INP-1, CLI-2."""
    outcome = filled.run("memory", "delete", "main", f"--key={key}", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "MEMORY_INVALID_INPUT")


@pytest.mark.parametrize("name", HOSTILE_KEYS)
def test_a_hostile_key_is_deleted_by_its_true_text(filled: Any, name: str) -> None:
    """INP-1, CLI-4."""
    key = HOSTILE_KEYS[name]
    filled.write((key, "", "CACHE"))
    assert filled.run("memory", "delete", "main", f"--key={key}").stdout == "1 entry removed\n"
    assert key not in keys(filled) - {"a"}


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [(b"y\n", True), (b"yes\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)],
)
def test_a_category_is_asked_about_at_a_terminal(filled: Any, typed: bytes, agreed: bool) -> None:
    """AGT-4: No is the default, and the end of input means it."""
    finished = at_a_terminal(filled, typed, "memory", "delete", "main", "--category", "CACHE")
    assert b"Delete all CACHE entries of main (2 entries)?" in finished.stderr
    assert finished.returncode == (0 if agreed else 1)
    assert finished.stdout == (b"2 entries removed\n" if agreed else b"")
    assert keys(filled) == ({"p", "-x"} if agreed else {"a", "b", "p", "-x"})


@pytest.mark.parametrize("arguments", [["--category", "CACHE", "--yes"], ["--key", "a"]], ids=" ".join)
def test_a_key_and_yes_are_not_asked_about(filled: Any, arguments: list[str]) -> None:
    """AGT-4."""
    finished = at_a_terminal(filled, b"", "memory", "delete", "main", *arguments)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert "a" not in keys(filled)


def log_of(project: Any) -> bytes:
    return bytes((project.root / ".rotifer" / "audit.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        (["--key", "a"], ["a"]),
        (["--category", "CACHE"], ["b", "a"]),
        (["--category", "PATTERN"], []),
        (["--keys-from", "keys"], ["-x", "a"]),
    ],
)
def test_a_rehearsal_prints_what_would_go_and_changes_nothing(
    filled: Any, arguments: list[str], chosen: list[str]
) -> None:
    """CLI: rows and totals are those of the deletion; nothing is written, not even to the database."""
    (filled.root / "keys").write_text('"-x"\n"a"\n"a"\n')
    listing = filled.run("memory", "list", "main", "--json").json()
    database = filled.root / ".rotifer" / "playground.db"
    before = (log_of(filled), database.read_bytes(), keys(filled))
    answer = filled.run("memory", "delete", "main", *arguments, "--dry-run", "--json").json()
    assert answer == {
        "removed": len(chosen),
        "dryRun": True,
        "entries": [entry for key in chosen for entry in listing if entry["key"] == key],
    }
    outcome = filled.run("memory", "delete", "main", *arguments, "--dry-run")
    assert [row.split("\t")[0] for row in outcome.stdout.splitlines()] == chosen
    assert outcome.stderr.startswith(f"would remove {len(chosen)} entr")
    assert (log_of(filled), database.read_bytes(), keys(filled)) == before
    assert filled.run("memory", "delete", "main", *arguments, "--json").json() == {"removed": len(chosen)}


def test_a_rehearsal_asks_nothing_at_a_terminal(filled: Any) -> None:
    """AGT-4."""
    finished = at_a_terminal(filled, b"", "memory", "delete", "main", "--category", "CACHE", "--dry-run")
    assert (finished.returncode, finished.stderr) == (0, b"would remove 2 entries, 2 B\n")


def test_a_rehearsal_in_a_project_without_a_store_finds_no_agent(project: Any) -> None:
    """CLI-2."""
    outcome = project.run("memory", "delete", "main", "--key", "a", "--dry-run", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "AGENT_NOT_FOUND")


KEY_FILES = {
    "a line each": b'"a"\n"p"\n',
    "no newline at the end": b'"a"\n"p"',
    "CRLF": b'"a"\r\n"p"\r\n',
    "blanks around": b' "a" \n\t"p"\n',
    "escapes": b'"\\u0061"\n"p"\n',
    "NULs": b"a\0p\0",
    "no NUL at the end": b"a\0p",
    "one twice": b'"a"\n"p"\n"a"\n',
}
BAD_KEY_FILES = {
    "raw": b"a\np\n",
    "a blank line": b'"a"\n\n"p"\n',
    "a number": b'"a"\n1\n',
    "a list": b'["a", "p"]\n',
    "torn": b'"a"\n"p',
    "no UTF-8": b'"a\xff"\n',
    "no UTF-8 before NUL": b"a\xff\0",
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("source", ["-", "keys"])
@pytest.mark.parametrize("form", KEY_FILES)
def test_keys_come_from_a_file_or_stdin(filled: Any, form: str, source: str) -> None:
    """CLI-5, AGT-4: a JSON string a line, or raw and ended by NULs."""
    (filled.root / "keys").write_bytes(KEY_FILES[form])
    removed = filled.raw("memory", "delete", "main", "--keys-from", source, stdin=KEY_FILES[form])
    assert removed == b"2 entries removed\n"
    assert keys(filled) == {"b", "-x"}


@pytest.mark.parametrize("form", BAD_KEY_FILES)
def test_a_file_that_does_not_hold_keys_is_refused_without_a_word_of_it(filled: Any, form: str) -> None:
    """CLI-2."""
    (filled.root / "keys").write_bytes(BAD_KEY_FILES[form])
    outcome = filled.run("memory", "delete", "main", "--keys-from", "keys", "--json")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.error() == {
        "code": "USAGE",
        "message": "--keys-from does not hold keys",
        "hint": "a JSON string a line, or every key followed by a NUL character",
    }
    assert keys(filled) == {"a", "b", "p", "-x"}


def test_of_several_keys_all_go_or_none_and_the_missing_one_is_named(filled: Any) -> None:
    """AGT-4."""
    (filled.root / "keys").write_bytes(b"a\0nowhere\0p\0")
    for flags in ([], ["--dry-run"]):
        outcome = filled.run("memory", "delete", "main", "--keys-from", "keys", *flags)
        assert outcome == (1, "", "error[MEMORY_NOT_FOUND]: main has no entry nowhere\n")
    assert keys(filled) == {"a", "b", "p", "-x"}


def test_a_person_is_told_that_keys_are_read_from_the_terminal(filled: Any) -> None:
    """CLI-5."""
    finished = at_a_terminal(filled, b'"a"\n\x04', "memory", "delete", "main", "--keys-from", "-")
    assert finished.stderr == b"reading from the terminal; Ctrl-D ends it\n"
    assert (finished.returncode, finished.stdout) == (0, b"1 entry removed\n")
