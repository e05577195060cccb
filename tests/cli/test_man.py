"""The man pages: one for each command, lint-clean, fresh (CLI-7)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rotifer_console.cli import tree

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "man").iterdir())


@pytest.fixture(scope="module")
def mandoc() -> str:
    found = shutil.which("mandoc")
    if found is None:
        assert not os.environ.get("CI"), "mandoc is not installed: CI must lint the man pages"
        pytest.skip("mandoc is not installed")
    return found


def commands(group: tree.Group, *above: str) -> Iterator[tuple[tuple[str, ...], tree.Command | tree.Group]]:
    yield above, group
    for name, member in group.members.items():
        if isinstance(member, tree.Command):
            yield (*above, name), member
        elif member.members is not tree.MEMORY.members or above == ("rotifer", "agent"):
            yield from commands(member, *above, name)
        else:  # a group of another name has a page, its commands have theirs already
            yield (*above, name), member


COMMANDS = dict(commands(tree.ROOT, "rotifer"))


def shown(mandoc: str, page: Path) -> str:
    """The page as a reader sees it, without overstrikes, in one line."""
    text = subprocess.run([mandoc, "-Tutf8", page], capture_output=True, text=True, check=True).stdout
    return " ".join(re.sub(".\b", "", text).split())


def test_every_command_has_a_page_and_every_page_a_command() -> None:
    """CLI-7."""
    assert {page.name for page in PAGES} == {
        "rotifer-memory.7",
        *(f"{'-'.join(path)}.1" for path in COMMANDS),
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_lint_clean(mandoc: str, page: Path) -> None:
    """CLI-7."""
    linted = subprocess.run(
        [mandoc, "-Tlint", "-Wwarning", page], capture_output=True, text=True, check=False
    )
    assert (linted.returncode, linted.stdout) == (0, "")


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_page_says_what_the_help_says(mandoc: str, path: tuple[str, ...]) -> None:
    """CLI-7: every option, every argument, every command of a group."""
    text = shown(mandoc, ROOT / "man" / f"{'-'.join(path)}.1")
    member = COMMANDS[path]
    for word in re.findall(r"[A-Za-z]+", member.help):
        assert word in text
    helped = subprocess.run(
        [Path(sys.executable).with_name("rotifer"), *path[1:], "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "COLUMNS": "1000", "TERM": "dumb"},
    ).stdout
    options = re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", helped)
    assert "--help" in options
    for option in options:
        assert option in text
    if isinstance(member, tree.Group):
        for name in member.members:
            assert re.search(rf"-{name}\(1\)", text)


def test_a_page_is_as_the_tree_and_the_tables_make_it() -> None:
    """CLI-7: `make fresh` compares the same way."""
    checked = subprocess.run(
        [sys.executable, ROOT / "scripts" / "make_man.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")
