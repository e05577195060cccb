"""Ending a gene's process with everything that it started, wherever that went (HST-4).

Its group is ended in one go. A process that has left the group is found by its parents, where the system
tells them (Linux); not if one of them has ended before, because then it is nobody's child any more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path


def end_with_descendants(leader: subprocess.Popen[bytes]) -> None:
    """Ends the group that a process leads, and what descends from it.

    All of them are stopped first: what is stopped starts nothing, so what is found then is all there is. A
    leader whose end is known has no descendants, and its number may be another's by now.
    """
    _signal_group(leader.pid, signal.SIGSTOP)
    strays = list(_stopped_descendants(leader.pid)) if leader.returncode is None else []
    _signal_group(leader.pid, signal.SIGKILL)
    for process in strays:
        _signal(process, signal.SIGKILL)


def _stopped_descendants(leader: int) -> Iterator[int]:
    parents = [leader]
    while parents:
        for child in _children(parents.pop()):
            _signal(child, signal.SIGSTOP)
            parents.append(child)
            yield child


def _children(parent: int) -> list[int]:
    """By any of its threads; none where it is gone, or where the system does not tell."""
    found: list[int] = []
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, children.read_text().split())
    return found


def _signal_group(leader: int, number: signal.Signals) -> None:
    # nobody is left, or (macOS) nobody but those whose end is not yet known
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def _signal(process: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)
