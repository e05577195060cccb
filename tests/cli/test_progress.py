"""The progress bar: on a terminal's stderr, only for what takes long, and gone when it is over (CLI-8)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import shown_at_a_terminal

LONG_WORK = """
import sys, threading
from rotifer_console.cli import progress
from rotifer_console.cli.app import main
from rotifer_store import Store
progress.DELAY_S = 0
waiting = []
def verify(self):
    waiting.extend(thread for thread in threading.enumerate() if isinstance(thread, threading.Timer))
    for timer in waiting:
        timer.join()  # the bar has been started
    return []
Store.verify = verify
sys.argv = ["rotifer", *sys.argv[1:]]
try:
    main()
finally:
    print("rich" in sys.modules, len(waiting))
"""
"""The program with a verification that takes as long as it takes for the bar to come up."""
VERIFY = ["memory", "verify"]


@pytest.fixture
def script(project: Any, tmp_path: Path) -> list[str]:
    project.add_agent()
    (tmp_path / "long_work.py").write_text(LONG_WORK)
    return [sys.executable, str(tmp_path / "long_work.py")]


def test_long_work_shows_a_bar_that_leaves_nothing_behind(project: Any, script: Sequence[str]) -> None:
    """CLI-8."""
    status, shown = shown_at_a_terminal([*script, *VERIFY], columns=80, cwd=project.root)
    assert status == 0
    assert re.search(r"verifying .*\d:\d\d:\d\d", shown)
    screen = re.sub(r".*\x1b\[\?25h\r\x1b\[1A\x1b\[2K", "", shown, flags=re.DOTALL)
    assert screen == "the store is sound\r\nTrue 1\r\n"


def test_a_bar_has_no_colour_where_none_is_wanted(project: Any, script: Sequence[str]) -> None:
    """CLI-3."""
    coloured = shown_at_a_terminal([*script, *VERIFY], columns=80, cwd=project.root)[1]
    plain = shown_at_a_terminal(["env", "NO_COLOR=1", *script, *VERIFY], columns=80, cwd=project.root)[1]
    assert re.search(r"\x1b\[[0-9;]*3[0-9][;m]|38;5", coloured)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9][;m]|38;5", plain)


@pytest.mark.parametrize(("locale", "is_ascii"), [("C", True), ("C.UTF-8", False)])
def test_a_bar_is_of_signs_that_the_terminal_has(
    project: Any, script: Sequence[str], locale: str, is_ascii: bool
) -> None:
    """CLI-3."""
    shown = shown_at_a_terminal(["env", f"LANG={locale}", *script, *VERIFY], columns=80, cwd=project.root)[1]
    assert "verifying" in shown
    assert shown.isascii() is is_ascii


@pytest.mark.parametrize(
    "command",
    [[*VERIFY, "--json"], [*VERIFY, "--plain"], ["env", "TERM=dumb", *VERIFY]],
    ids=" ".join,
)
def test_there_is_none_where_a_program_may_be_reading(
    project: Any, script: Sequence[str], command: list[str]
) -> None:
    """CLI-8."""
    where = command.index("memory")
    _, shown = shown_at_a_terminal(
        [*command[:where], *script, *command[where:]], columns=80, cwd=project.root
    )
    assert shown.splitlines()[-1] == "False 0"
    assert "\x1b" not in shown


def test_there_is_none_in_a_pipe(project: Any, script: Sequence[str]) -> None:
    """CLI-8: and no Rich is loaded for it."""
    finished = subprocess.run([*script, *VERIFY], capture_output=True, cwd=project.root, check=True)
    assert (finished.stdout, finished.stderr) == (b"False 0\n", b"the store is sound\n")


def test_short_work_shows_none(project: Any) -> None:
    """CLI-8: what is over at once flickers on no screen."""
    project.add_agent()
    script = LONG_WORK.replace("DELAY_S = 0", "DELAY_S = 3600").replace("timer.join()", "pass")
    _, shown = shown_at_a_terminal([sys.executable, "-c", script, *VERIFY], columns=80, cwd=project.root)
    assert shown == "the store is sound\r\nFalse 1\r\n"
