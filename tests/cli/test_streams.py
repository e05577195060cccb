"""Stdout and stderr: pipes, terminals, colours, encodings, and what nobody foresaw."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import shown_at_a_terminal

PROGRAM = Path(sys.executable).with_name("rotifer")
LISTING = ["memory", "list", "main"]


@pytest.fixture
def filled(project: Any) -> Any:
    project.add_agent()
    project.write(
        ("notes/plain", "x" * 2000, "CACHE"), ("[bold]x[/]", "", "PATTERN"), ("é\x1b[2J键", "", "CONTEXT")
    )
    return project


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **more}


def at_a_terminal(project: Any, *arguments: str, columns: int = 200, **more: str) -> str:
    """What a terminal of so many columns gets on stdout and stderr."""
    _, shown = shown_at_a_terminal(
        [PROGRAM, *arguments], columns=columns, cwd=project.root, environment=environment(**more)
    )
    return shown


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_terminal_gets_a_table_with_sizes_for_people(filled: Any) -> None:
    """CLI-3, CLI-4."""
    shown = at_a_terminal(filled, *LISTING)
    assert "\x1b[36m" in shown
    lines = without_colour(shown).splitlines()
    assert lines[0].split() == ["Key", "Category", "Size", "Creator", "Updated", "Expires"]
    assert set(lines[1].strip()) == {"─"}
    assert [line.split()[0] for line in lines[2:]] == ["é␛[2J键", "[bold]x[/]", "notes/plain"]
    assert " 1.9 KB " in lines[4]
    assert "\x1b[2J" not in shown


def test_agents_are_a_table_of_what_people_call_them(filled: Any) -> None:
    """CLI-3."""
    lines = without_colour(at_a_terminal(filled, "agent", "list", columns=80)).splitlines()
    assert re.split(r"  +", lines[0].strip()) == [
        *["Agent", "Genes", "Runs as", "Used", "Quota", "Next expiry", "Refused"],
    ]
    assert re.split(r"  +", lines[2].strip()) == [
        "main",
        "scribe",
        "Single",
        "1.9 KB",
        "10.0 MB",
        "never",
        "0",
    ]


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_a_narrow_terminal_loses_nothing(filled: Any, columns: int) -> None:
    """CLI-3: a key is folded and never cut."""
    shown = without_colour(at_a_terminal(filled, *LISTING, "--category", "CACHE", columns=columns))
    letters = "".join(re.findall(r"[a-z/]", shown))
    assert all(len(line) <= columns for line in shown.splitlines())
    assert columns < 80 or "notes/plain" in letters


@pytest.mark.parametrize(
    ("flags", "more"),
    [(["--plain"], {}), ([], {"TERM": "dumb"}), (["--plain"], {"FORCE_COLOR": "1"}), (["--json"], {})],
)
def test_a_terminal_can_be_given_what_a_pipe_gets(
    filled: Any, flags: list[str], more: dict[str, str]
) -> None:
    """CLI-3."""
    piped = filled.program(*LISTING, *flags).stdout
    assert at_a_terminal(filled, *LISTING, *flags, **more).replace("\r\n", "\n") == piped


def test_no_color_keeps_the_table_and_drops_the_colour(filled: Any) -> None:
    """CLI-3: where it is not empty."""
    shown = at_a_terminal(filled, *LISTING, NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b[3" not in shown
    assert "Category" in shown
    assert "\x1b[36m" in at_a_terminal(filled, *LISTING, NO_COLOR="")


def test_force_color_colours_a_pipe_and_leaves_a_line_a_record(filled: Any) -> None:
    """CLI-3."""
    plain = filled.program(*LISTING)
    coloured = filled.program(*LISTING, FORCE_COLOR="1")
    assert "\x1b[36mCACHE\x1b[0m" in coloured.stdout
    assert without_colour(coloured.stdout) == plain.stdout
    for more in ({"FORCE_COLOR": "0"}, {"FORCE_COLOR": ""}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}):
        assert filled.program(*LISTING, **more) == plain


def test_the_error_label_is_red_where_colour_is_wanted(filled: Any) -> None:
    """CLI-3."""
    assert filled.program("memory", "list", "nobody", FORCE_COLOR="1").stderr.startswith(
        "\x1b[31merror[AGENT_NOT_FOUND]\x1b[0m: there is no agent nobody\n"
    )


@pytest.mark.parametrize("columns", ["10", "80", "1000"])
def test_a_pipe_gets_the_same_lines_at_any_width(filled: Any, columns: str) -> None:
    """CLI-3: one record, one line."""
    assert filled.program(*LISTING, COLUMNS=columns) == filled.program(*LISTING)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8", "utf-16"])
def test_any_encoding_gets_something_it_can_print(filled: Any, encoding: str) -> None:
    """CLI-3: ASCII where the encoding cannot print; JSON stays valid and true."""
    for arguments in ([*LISTING], [*LISTING, "--json"], ["memory", "list", "é␛"], ["--help"]):
        finished = subprocess.run(
            [PROGRAM, *arguments],
            capture_output=True,
            cwd=filled.root,
            env=environment(PYTHONIOENCODING=encoding),
            check=False,
        )
        finished.stderr.decode(encoding)
        stdout = finished.stdout.decode(encoding)
        assert finished.returncode == (1 if "é␛" in arguments else 0)
        if "--json" in arguments:
            assert {entry["key"] for entry in json.loads(stdout)} >= {"é\x1b[2J键"}
        elif arguments == LISTING:
            assert len(stdout.split("\n")) == 4
            assert "\x1b" not in stdout
            assert ("<U+001B>[2J" in stdout) == (encoding in ("ascii", "cp1252"))


def test_the_c_locale_is_no_trouble(filled: Any) -> None:
    """CLI-3."""
    for more in ({"LANG": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        outcome = filled.program(*LISTING, "--json", **more)
        assert (outcome.exit_code, outcome.stderr) == (0, "")
        assert len(outcome.json()) == 3


ASCII = {
    "LANG": {"LANG": "C"},
    "POSIX": {"LANG": "POSIX"},
    "LC_ALL first": {"LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"},
    "LC_CTYPE second": {"LC_CTYPE": "C", "LANG": "C.UTF-8"},
    "an empty LC_ALL is none": {"LC_ALL": "", "LANG": "C"},
    "no help of Python's": {"LANG": "C", "PYTHONCOERCECLOCALE": "0"},
    "only errors are told": {"LANG": "C", "PYTHONIOENCODING": ":replace"},
}
UNICODE = {
    "LANG": {"LANG": "C.UTF-8"},
    "LC_ALL first": {"LC_ALL": "C.UTF-8", "LANG": "C"},
    "LC_CTYPE second": {"LC_CTYPE": "C.UTF-8", "LANG": "C"},
    "nothing is told": {"LANG": ""},
    "a language that is not installed": {"LANG": "tlh_XX"},
    "Python is told": {"LC_ALL": "C", "PYTHONUTF8": "1"},
    "Python is told which": {"LC_ALL": "C", "PYTHONIOENCODING": "utf-8"},
}


@pytest.mark.parametrize("more", ASCII.values(), ids=ASCII)
def test_a_c_locale_gets_ascii_although_python_speaks_utf_8_there(filled: Any, more: dict[str, str]) -> None:
    """CLI-3: rows, tables and errors; JSON stays true."""
    outcome = filled.program(*LISTING, **more)
    assert (outcome.exit_code, outcome.stdout.isascii()) == (0, True)
    assert "\\xe9<U+001B>[2J" in outcome.stdout
    assert filled.program("memory", "list", "é", **more).stderr.isascii()
    assert "é\x1b[2J键" in {entry["key"] for entry in filled.program(*LISTING, "--json", **more).json()}
    shown = at_a_terminal(filled, *LISTING, **more)
    assert shown.isascii()
    assert set(without_colour(shown).splitlines()[1]) == {"-", "+"}


@pytest.mark.parametrize("more", UNICODE.values(), ids=UNICODE)
def test_any_other_locale_gets_unicode(filled: Any, more: dict[str, str]) -> None:
    """CLI-3: whoever tells Python its encoding has the last word."""
    assert "é␛[2J键" in filled.program(*LISTING, **more).stdout
    assert "─" in at_a_terminal(filled, *LISTING, **more)


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["rows", "json"])
def test_a_closed_pipe_is_quiet(filled: Any, flags: list[str]) -> None:
    """CLI-2: who reads has enough."""
    filled.write(*[(f"k{number:04}" + "-" * 900, "", "CACHE") for number in range(200)])
    reader, writer = os.pipe()
    os.close(reader)
    finished = subprocess.run(
        [PROGRAM, *LISTING, *flags],
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=filled.root,
        env=environment(),
        check=False,
    )
    os.close(writer)
    assert (finished.returncode, finished.stderr) == (0, b"")


def test_a_reader_that_stops_early_is_quiet(filled: Any) -> None:
    """CLI-2: `| head -1`."""
    filled.write(*[(f"k{number:04}" + "-" * 900, "", "CACHE") for number in range(400)])
    command = f"set -o pipefail; {PROGRAM} memory list main | head -1"
    finished = subprocess.run(
        ["bash", "-c", command], capture_output=True, cwd=filled.root, env=environment(), check=False
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert len(finished.stdout.splitlines()) == 1


def test_a_full_disk_is_an_error_in_one_line(filled: Any) -> None:
    """CLI-2."""
    with Path("/dev/full").open("w") as full:
        finished = subprocess.run(
            [PROGRAM, *LISTING], stdout=full, stderr=subprocess.PIPE, cwd=filled.root, check=False
        )
    assert finished.returncode == 1
    assert finished.stderr == b"error[FILE_ERROR]: no space left on device\n"


def test_a_closed_stdout_hides_no_change(filled: Any) -> None:
    """CLI-2: what was done is told by the status, not by a fault of the program."""
    key = json.loads(
        subprocess.run([PROGRAM, *LISTING, "--json"], cwd=filled.root, capture_output=True).stdout
    )[0]["key"]
    command = 'exec "$0" memory delete "$1" --key="$2" >&-'
    finished = subprocess.run(
        ["bash", "-c", command, PROGRAM, LISTING[2], key], cwd=filled.root, capture_output=True, check=False
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    again = subprocess.run(
        [PROGRAM, "memory", "delete", LISTING[2], f"--key={key}"], cwd=filled.root, capture_output=True
    )
    assert again.returncode == 1
    assert b"MEMORY_NOT_FOUND" in again.stderr


def test_a_closed_stdin_is_an_input_that_is_not_json(filled: Any) -> None:
    """CLI-2: refused by the arguments, not a fault of the program."""
    command = 'exec "$0" agent run "$1" --input - <&-'
    finished = subprocess.run(
        ["bash", "-c", command, PROGRAM, LISTING[2]], cwd=filled.root, capture_output=True, check=False
    )
    assert finished.returncode == 2
    assert finished.stderr.startswith(b"error[USAGE]: what stdin holds is not JSON\n")


def test_a_closed_stderr_hides_no_result(filled: Any) -> None:
    """CLI-2."""
    command = f"{PROGRAM} memory list nobody 2>&-; echo $?"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, cwd=filled.root, check=False)
    assert finished.stdout == b"1\n"


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["line", "json"])
def test_what_nobody_foresaw_is_told_by_its_class_alone(
    filled: Any, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    """CLI-2: no message, no traceback, no local variable, because any of them could hold a value."""

    def broken(*_: object) -> None:
        secret = "hunter2"
        raise RuntimeError(f"unexpected {secret}")

    monkeypatch.setattr("rotifer_console.view.entries.creator_names", broken)
    outcome = filled.run(*LISTING, *flags)
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert "hunter2" not in outcome.stderr
    assert "RuntimeError" in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


def test_a_broken_store_is_one_line(filled: Any) -> None:
    """CLI-2, ERR."""
    filled.is_sound = False
    (filled.root / ".rotifer" / "playground.db").write_bytes(b"not a database, but text" * 100)
    outcome = filled.run(*LISTING, "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "MEMORY_STORAGE_ERROR")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "memory", "list", "main"],
        ["memory", "list", "--json", "main"],
        ["memory", "list", "main", "--json"],
    ],
    ids=" ".join,
)
def test_json_may_be_asked_for_before_and_after_the_command(filled: Any, arguments: list[str]) -> None:
    """CLI-1."""
    assert len(filled.run(*arguments).json()) == 3


def test_a_word_of_data_that_reads_like_a_flag_is_data(filled: Any) -> None:
    """CLI-5: `--json` as a key changes no output."""
    outcome = filled.run("memory", "delete", "main", "--key", "--json")
    assert outcome == (1, "", "error[MEMORY_NOT_FOUND]: main has no entry --json\n")
