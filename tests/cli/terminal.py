"""Runs a command at a terminal of its own: `python terminal.py COLUMNS COMMAND…` prints what it showed."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def shown_at_a_terminal(
    command: Sequence[str | Path],
    *,
    columns: int,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """The exit status, and what a terminal of so many columns gets on stdout and stderr."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=cwd,
        env={"TERM": "xterm-256color", **(os.environ if environment is None else environment)},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            chunk = os.read(screen, 65536)
        except OSError:  # EIO: the last holder of the terminal has closed it
            break
        if not chunk:
            break
        shown += chunk
    os.close(screen)
    return child.wait(), shown.decode()


def at_a_terminal(project: Any, typed: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the installed program with a terminal as its stdin."""
    terminal, stdin = pty.openpty()
    os.write(terminal, typed)
    program = Path(sys.executable).with_name("rotifer")
    try:
        return subprocess.run(
            [program, *arguments], stdin=stdin, capture_output=True, cwd=project.root, timeout=60, check=False
        )
    finally:
        os.close(terminal)
        os.close(stdin)


if __name__ == "__main__":
    status, text = shown_at_a_terminal(sys.argv[2:], columns=int(sys.argv[1]))
    sys.stdout.write(text.replace("\r\n", "\n"))
    sys.exit(status)
