"""The program as a whole: its tree, its help, near misses, versions, and how fast and with what it starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import PROGRAM
from rotifer_console.cli import tree


def paths(group: tree.Group, *above: str) -> Iterator[tuple[str, ...]]:
    yield above
    for name, member in group.members.items():
        if isinstance(member, tree.Group):
            yield from paths(member, *above, name)
        else:
            yield (*above, name)


ALL_PATHS = list(paths(tree.ROOT))


def test_the_tree_holds_the_commands_of_this_release() -> None:
    """CLI: no stub stands for a command that does not exist yet."""
    assert {" ".join(path) for path in ALL_PATHS} == {
        "",
        "init",
        "list",
        "wrap",
        "compile",
        "run",
        "test",
        "doctor",
        "console",
        "demo",
        "audit",
        "audit tail",
        "audit verify",
        "audit rotate",
        "telemetry",
        "telemetry tail",
        "agent",
        "agent create",
        "agent list",
        "agent show",
        "agent run",
        "agent genes",
        "agent policy",
        "agent export",
        "agent import",
        "agent memory",
        "memory",
        *(
            f"{group} {name}"
            for group in ("agent memory", "memory")
            for name in ("list", "show", "delete", "usage", "export", "import", "verify", "sweep")
        ),
        *(
            f"{group} {name}"
            for group in ("agent memory", "memory")
            for name in ("forecast", "why", "access", "orphans", "review", "find")
        ),
    }


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("path", ALL_PATHS, ids=" ".join)
def test_every_command_has_help(project: Any, path: tuple[str, ...], flag: str) -> None:
    """CLI-2: on stdout, with 0, and none of it refused by an encoding."""
    outcome = project.run(*path, flag)
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith(f"Usage: {' '.join(('rotifer', *path))} ")
    assert outcome.stdout.isascii()
    assert outcome.stderr == ""


@pytest.mark.parametrize("path", ALL_PATHS, ids=" ".join)
def test_help_says_the_same_where_colour_is_forced(project: Any, path: tuple[str, ...]) -> None:
    """CLI-3: brackets of usage lines and sentences are no markup."""
    plain, coloured = project.run(*path, "--help"), project.run(*path, "--help", FORCE_COLOR="1")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.stdout) == plain.stdout
    assert (coloured.exit_code, coloured.stderr) == (0, "")


@pytest.mark.parametrize("path", [path for path in ALL_PATHS if path and path[-1] in ("agent", "memory")])
def test_a_group_alone_prints_its_help(project: Any, path: tuple[str, ...]) -> None:
    outcome = project.run(*path)
    assert outcome == project.run(*path, "--help")


def test_the_program_alone_prints_its_help(project: Any) -> None:
    assert project.run() == project.run("--help")


def test_help_of_a_group_names_each_command_in_a_sentence(project: Any) -> None:
    shown = " ".join(project.run("agent", "--help").stdout.split())
    for name, member in tree.AGENT.members.items():
        assert f"{name} {member.help.partition(chr(10))[0]}" in shown


def test_the_version_is_the_packages(project: Any) -> None:
    outcome = project.run("--version")
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith(f"rotifer {version('rotifer-console')} (Python 3.")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["lst"], "did you mean list?"),
        (["agnet", "list"], "did you mean agent?"),
        (["agent", "creat", "x"], "did you mean create?"),
        (["memory", "del"], "did you mean delete?"),
        (["memory", "usge"], "did you mean usage?"),
        (["memory", "LIST"], "did you mean list?"),
        *[
            (
                ["agent", word, "main"],
                "an agent cannot be deleted yet; `rotifer agent memory delete` deletes its entries",
            )
            for word in ("delete", "rm", "remove")
        ],
        (["agent", "rename", "main", "other"], "an agent cannot be renamed yet"),
        (["memory", "frobnicate"], "`rotifer memory --help` lists the commands"),
        (["memory", "list", "main", "--categry=CACHE"], "did you mean --category?"),
        (["memory", "list"], "`rotifer memory list --help` shows how it is used"),
        (["memory", "list", "a", "b"], "`rotifer memory list --help` shows how it is used"),
        (["agent", "run", "main"], "`rotifer agent run --help` shows how it is used"),
        (["--json"], "`rotifer --help` shows how it is used"),
    ],
)
def test_a_call_that_no_command_takes_is_refused_with_a_hint(
    project: Any, arguments: list[str], hint: str
) -> None:
    """CLI-2, CLI-5."""
    outcome = project.run(*[word for word in arguments if word != "--json"], *["--json"])
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.error()["code"] == "USAGE"
    assert outcome.error()["hint"] == hint


def test_a_near_miss_is_named_and_never_run(project: Any) -> None:
    """CLI-5."""
    outcome = project.run("agent", "lsit")
    assert outcome.stderr == "error[USAGE]: rotifer agent has no command lsit\nhint: did you mean list?\n"


def test_a_hostile_word_is_one_safe_line(project: Any) -> None:
    """CLI-4."""
    outcome = project.run("x\x1b[31m\n\u202e" + "y" * 1000)
    first, hint, end = outcome.stderr.split("\n")
    assert first.startswith("error[USAGE]: rotifer has no command x␛[31m␊<U+202E>yyy")
    assert len(first) < 300
    assert (hint, end) == ("hint: `rotifer --help` lists the commands", "")


def test_a_listing_starts_without_what_it_does_not_need(project: Any) -> None:
    """CLI-6: neither an ORM nor a screen library, and Rich only at a terminal."""
    project.add_agent()
    project.write(("a", "1", "CACHE"))
    script = (
        "import sys\n"
        "from rotifer_console.cli.app import main\n"
        "sys.argv = ['rotifer', 'memory', 'list', 'main']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as exit:\n"
        "    assert exit.code == 0\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], cwd=project.root, capture_output=True, text=True, check=True
    )
    row, modules = finished.stdout.splitlines()
    assert row.startswith("a\tCACHE\t2\tscribe\t")
    loaded = set(modules.split())
    assert "typer" in loaded
    not_needed = {"sqlmodel", "sqlalchemy", "textual", "rich", "humanfriendly", "rfc8785", "wasmtime", "mcp"}
    assert loaded & not_needed == set()


def test_a_listing_loads_no_other_commands_module(project: Any) -> None:
    """CLI-6: groups load lazily."""
    project.add_agent()
    script = (
        "import sys\n"
        "from rotifer_console.cli.app import main\n"
        "sys.argv = ['rotifer', 'agent', 'memory', 'list', 'main']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    print(*[name for name in sys.modules if name.startswith('rotifer_console.cli.agent')])\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], cwd=project.root, capture_output=True, text=True, check=True
    )
    assert finished.stdout == "\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("rotifer agent memory list ma", ["main", "mary"]),
        ("rotifer memory delete mai", ["main"]),
        ("rotifer agent run x", []),
        ("rotifer agent cr", ["create"]),
        ("rotifer agent memory ", ["list", "delete"]),
        ("rotifer agent memory sweep ma", ["main", "mary"]),
        ("rotifer memory list main --category CA", ["CACHE"]),
        ("rotifer memory list main --sort cr", ["creator"]),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands_and_agents(
    project: Any, shell: str, words: str, expected: list[str]
) -> None:
    """CLI-5."""
    project.add_agent("main")
    project.add_agent("mary")
    count = len(words.split(" ")) - 1
    outcome = project.program(
        _ROTIFER_COMPLETE=f"complete_{shell}",
        COMP_WORDS=words,
        COMP_CWORD=str(count),
        _TYPER_COMPLETE_ARGS=words,
        _TYPER_COMPLETE_FISH_ACTION="get-args",
    )
    assert outcome.stderr == ""
    known = ("main", "mary", "create", "list", "delete", "CACHE", "CONTEXT", "creator")
    assert [name for name in known if name in outcome.stdout] == [name for name in known if name in expected]


def test_completion_outside_a_project_is_silent(project: Any, tmp_path: Any) -> None:
    """CLI-5."""
    outcome = project.program(
        cwd=tmp_path,
        _ROTIFER_COMPLETE="complete_bash",
        COMP_WORDS="rotifer memory list ",
        COMP_CWORD="3",
    )
    assert (outcome.stdout.strip(), outcome.stderr) == ("", "")
    assert not (tmp_path / ".rotifer").exists()


def test_completing_an_agents_name_loads_no_orm_and_writes_nothing(project: Any) -> None:
    """CLI-5, CLI-6: completion must be fast, and must not make a store where there is none."""
    project.add_agent("main")
    before = {path: path.stat().st_mtime_ns for path in (project.root / ".rotifer").iterdir()}
    script = (
        "import sys\n"
        "from rotifer_console.cli import suggest\n"
        "assert suggest.complete_agent('ma') == ['main']\n"
        "assert suggest.complete_category('C') == ['CONTEXT', 'CACHE']\n"
        "assert suggest.complete_order('s') == ['size']\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], cwd=project.root, capture_output=True, text=True, check=True
    )
    assert set(finished.stdout.split()) & {"sqlmodel", "sqlalchemy", "rich", "humanfriendly"} == set()
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize("program", ["rotifer", "rotifer-console"])
@pytest.mark.parametrize("loading", ["rotifer_console.cli", "typer", "rotifer_console.cli.tree"])
def test_ctrl_c_while_it_is_still_being_loaded_is_ctrl_c(tmp_path: Path, program: str, loading: str) -> None:
    """CLI-2: from the first of our modules on."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {loading!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Impatient())\n"
    )
    finished = subprocess.run(
        [PROGRAM.with_name(program), "--version"],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, "", "")
