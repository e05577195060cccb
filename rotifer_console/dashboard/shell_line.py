"""The command line that equals an action, as any POSIX shell takes it (TUI-8). Pure.

A word that holds what steers a terminal, or hides in it, is spelt by `printf` in ASCII, so that the line
shows what it does and does the same wherever it is pasted. Many keys come by a pipe, a JSON string a line.
"""

from __future__ import annotations

import json
import shlex
import string
from dataclasses import dataclass, replace
from typing import Final

from rotifer_console.dashboard.actions import BY_ID, Subject, Words
from rotifer_console.dashboard.cells import cell_text

MOST_KEYS: Final = 200
"""So many keys can stand in a command line; more are no line that anyone would paste."""
_EXPORTS_FIRST: Final = frozenset({"delete", "delete_category", "policy"})
_PLAIN: Final = frozenset(string.ascii_letters + string.digits + " _./:,=@+-")
_KEEPS_END: Final = "."
"""What a shell keeps the line ends before; they go with it afterwards."""


@dataclass(frozen=True, slots=True)
class ShellLine:
    """A command's words after `rotifer`, the keys that it reads, and the command that must succeed before."""

    words: Words
    keys_read: tuple[str, ...] = ()
    before: Words | None = None

    @property
    def text(self) -> str:
        """What is typed: printable characters alone."""
        variables: list[str] = []
        parts = [_typed(self.words, variables)]
        if self.keys_read:
            lines = shlex.join(json.dumps(key) for key in self.keys_read)
            parts = [f"printf '%s\\n' {lines} | {parts[0]}"]
        if self.before is not None:
            parts.insert(0, _typed(self.before, variables))
        return " && ".join((*variables, *parts))


def _typed(words: Words, variables: list[str]) -> str:
    return " ".join(("rotifer", *(_spelt(word, variables) for word in words)))


def _spelt(word: str, variables: list[str]) -> str:
    """A word for a shell; one that ends its last line needs a variable, which is set before."""
    if cell_text(word) == word:
        return shlex.quote(word)
    option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    if not value.endswith("\n"):
        return f'"{option}{equals}$({_printed(value)})"'
    name = f"key{len(variables) + 1}"
    variables.append(f"{name}=$({_printed(value + _KEEPS_END)})")
    return f'"{option}{equals}${{{name}%{_KEEPS_END}}}"'


def _printed(text: str) -> str:
    """The command that prints a text; what `printf` or a shell could take for something else is octal."""
    data = text.encode(errors="surrogateescape")
    spelt = [chr(byte) if chr(byte) in _PLAIN else _octal(byte) for byte in data]
    if text.startswith("-"):  # no option of `printf`
        spelt[0] = _octal(data[0])
    return f"printf '{''.join(spelt)}'"


def _octal(byte: int) -> str:
    return f"\\{byte:03o}"


def shell_line(action_id: str, subject: Subject) -> ShellLine | None:
    """The line that equals an action on a subject; None where none does, or none that can be pasted."""
    action = BY_ID[action_id]
    words = None if action.command is None else action.command(subject)
    if words is None:
        return None
    export = BY_ID["export"].command
    before = None
    if action_id in _EXPORTS_FIRST and subject.file is not None and export is not None:
        if len(subject.keys) > MOST_KEYS:
            return None
        before = export(replace(subject, options=()))
    reads = action_id == "delete" and len(subject.keys) > 1
    return ShellLine(words, subject.keys if reads else (), before)
