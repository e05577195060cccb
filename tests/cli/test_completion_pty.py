"""Completion in real shells at a real terminal: installed by the program, then tried with Tab (CLI-5)."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(sys.executable).parent
DEADLINE_S = 60
READY = "%ready%"
CONTROL = r"\x1b(\[[0-9;?>=]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>])"
"""Sequences that move the cursor, colour, or name the window."""

SHELLS = {
    "bash": ["bash", "--noprofile", "-i"],
    "zsh": ["zsh", "-i"],
    "fish": ["fish", "-i"],
}
PROMPTS = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
SETTINGS = {
    "bash": f"PS1='{READY}'\nbind 'set bell-style none'\nbind 'set enable-bracketed-paste off'\n",
    "zsh": f"PROMPT='%%{READY[1:-1]}%%'\nunsetopt zle_bracketed_paste prompt_sp\n",
    "fish": f"set -g fish_greeting\nfunction fish_prompt; echo -n '{READY}'; end\n",
}


class Terminal:
    """A shell at a terminal of its own: what is typed, and what it has shown."""

    def __init__(self, command: list[str], folder: Path, home: Path) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:  # pragma: no cover -- the child
            os.chdir(folder)
            path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
            os.execvpe(
                command[0],
                command,
                {"PATH": path, "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", "SHELL": command[0]},
            )
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def wait_for(self, pattern: str) -> str:
        """What was shown up to a match, which comes within the deadline; the rest is kept."""
        while not (match := re.search(pattern, self.shown)):
            ready, _, _ = select.select([self.descriptor], [], [], DEADLINE_S)
            assert ready, f"{pattern!r} did not come after {self.shown!r}"
            chunk = os.read(self.descriptor, 65536)
            self.shown += re.sub(CONTROL, "", chunk.decode(errors="replace"))
        seen, self.shown = self.shown[: match.end()], self.shown[match.end() :]
        return seen

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, project: Any, tmp_path: Path) -> Iterator[Any]:
    """Starts a shell whose completion has been installed from within it, in a project of two agents."""
    name = request.param
    if shutil.which(name) is None:
        assert not os.environ.get("CI"), f"{name} is not installed: CI must try it"
        pytest.skip(f"{name} is not installed")
    project.add_agent("librarian")
    project.add_agent("library")
    home = tmp_path / "home"
    settings = home / PROMPTS[name]
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS[name])
    started: list[Terminal] = []

    def start() -> Terminal:
        started.append(Terminal(SHELLS[name], project.root, home))
        started[-1].wait_for(READY)
        return started[-1]

    first = start()
    first.type("rotifer --install-completion\n")
    first.wait_for("completion installed in")
    first.wait_for(READY)
    yield start
    for terminal in started:
        terminal.close()


def test_tab_completes_commands_agents_and_categories(shell: Any) -> None:
    """CLI-5: bash, zsh and fish; the line that Tab completed is one that runs."""
    terminal = shell()
    terminal.type("rotifer mem\t")
    terminal.wait_for(r"rotifer memory")
    terminal.type("list librari\t")
    terminal.wait_for(r"librarian")
    terminal.type(" --category PREF\t")
    terminal.wait_for("PREFERENCE")
    terminal.type("\n")
    terminal.wait_for("no entries")


def test_tab_shows_what_the_word_could_become(shell: Any) -> None:
    """CLI-5."""
    terminal = shell()
    terminal.type("rotifer memory list l\t")
    terminal.wait_for("list librar")
    terminal.type("\t\t")
    seen = terminal.wait_for(r"librarian[\s\S]*library|library[\s\S]*librarian")
    assert "Traceback" not in seen


def test_a_program_that_is_gone_completes_nothing_and_says_nothing(shell: Any) -> None:
    """CLI-5: what was installed in the shell outlives the program."""
    terminal = shell()
    terminal.type("rotifer memory li\t")
    terminal.wait_for("list")
    terminal.type("\x15export PATH=/usr/bin:/bin\n")
    terminal.wait_for(READY)
    terminal.type("rotifer memory li\t\x15echo gone\n")
    seen = terminal.wait_for(r"[\r\n]gone\r?\n")
    assert not re.search("No such|not found|env:|Traceback|Unknown", seen)
