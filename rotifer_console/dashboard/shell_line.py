"""The command line that equals an action, as any POSIX shell takes it (TUI-8). Pure.

Keys that a file would have to hold come by a pipe, a JSON string a line: so the line does the same wherever
it is pasted, whatever the keys are, and holds no character of theirs that steers a terminal.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from rotifer_console.dashboard.actions import BY_ID, Subject, Words


@dataclass(frozen=True, slots=True)
class ShellLine:
    """A command's words after `rotifer`, the keys that it reads, and the command that must succeed before."""

    words: Words
    keys_read: tuple[str, ...] = ()
    before: Words | None = None

    @property
    def text(self) -> str:
        """What is typed."""
        parts = [_typed(self.words)]
        if self.keys_read:
            lines = shlex.join(json.dumps(key) for key in self.keys_read)
            parts = [f"printf '%s\\n' {lines} | {parts[0]}"]
        if self.before is not None:
            parts.insert(0, _typed(self.before))
        return " && ".join(parts)


def _typed(words: Words) -> str:
    return shlex.join(("rotifer", *words))


def shell_line(action_id: str, subject: Subject) -> ShellLine | None:
    """The line that equals an action on a subject; None where none does."""
    action = BY_ID[action_id]
    words = None if action.command is None else action.command(subject)
    if words is None:
        return None
    if action_id != "delete":
        return ShellLine(words)
    export = BY_ID["export"].command
    before = None if export is None else export(subject)
    return ShellLine(words, subject.keys if len(subject.keys) > 1 else (), before)
