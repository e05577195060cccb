"""Stderr and exit statuses: the one place where an error becomes a line and a number (CLI-2).

    0  done        1  refused by what is there        2  refused by the arguments alone        130  Ctrl-C

No traceback and no local variable is ever shown; what nobody foresaw is told by its class alone, because its
message could quote a memory value.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final

from typer._click.exceptions import ClickException, NoSuchOption, UsageError

from rotifer_console.cli import terminal
from rotifer_console.view.safe_text import clipped, json_text

OK: Final = 0
REFUSED: Final = 1
USAGE: Final = 2

_LONGEST_MESSAGE: Final = 500


class Refused(Exception):
    """A refusal with its code, message, hint and status, as a command words it."""

    def __init__(self, code: str, message: str, *, hint: str | None = None, status: int = REFUSED) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.status = status


class UsageRefused(Refused):
    """Arguments that no project could make right."""

    def __init__(self, message: str, *, hint: str | None = None, code: str = "USAGE") -> None:
        super().__init__(code, message, hint=hint, status=USAGE)


def run_guarded(run: Callable[[], object], mode: terminal.Mode, arguments: list[str]) -> int:
    """The exit status of `run`; whatever it raises has been told on stderr."""
    try:
        result = run()
    except Exception as error:
        refusal = _as_refusal(error)
        if refusal.status == USAGE:  # then the options may not have been parsed when it arose
            mode.as_json = mode.as_json or "--json" in arguments
        report(refusal, mode)
        return refusal.status
    return result if isinstance(result, int) else OK


def report(refusal: Refused, mode: terminal.Mode) -> None:
    """Writes the refusal to stderr: a line with its code, then the hint; or one JSON object (CLI-1)."""
    if mode.as_json:
        error = {"code": refusal.code, "message": str(refusal), "hint": refusal.hint}
        _write(json_text({"error": error}, ascii_only=not terminal.speaks_unicode(sys.stderr)))
        return
    label = terminal.paint(f"error[{refusal.code}]", "red", colour=terminal.wants_colour(sys.stderr, mode))
    _write(f"{label}: {clipped(str(refusal), _LONGEST_MESSAGE)}")
    if refusal.hint is not None:
        _write(f"hint: {clipped(refusal.hint, _LONGEST_MESSAGE)}")


def note(text: str) -> None:
    """Writes a remark for people to stderr."""
    _write(clipped(text, _LONGEST_MESSAGE))


def ask(question: str) -> bool:
    """Whether the person at the terminal says yes; anything else, the end of input too, is a no."""
    terminal.write(sys.stderr, question)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _as_refusal(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, ClickException):
        return UsageRefused(one_line(error), hint=_usage_hint(error))
    # imported already wherever they can have been raised
    from rotifer_store.errors import InvalidAgent, MemoryInvalidInput, RotiferStoreError

    if isinstance(error, RotiferStoreError):
        refused_by_arguments = isinstance(error, InvalidAgent | MemoryInvalidInput)
        return Refused(str(error.code), str(error), status=USAGE if refused_by_arguments else REFUSED)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return Refused("FILE_ERROR", f"{where}{error.strerror[0].lower()}{error.strerror[1:]}")
    return Refused("INTERNAL", f"{type(error).__name__}, which should not have happened")


def one_line(error: ClickException) -> str:
    """What Typer says of arguments that it refuses, as a message of ours."""
    message = " ".join(error.message.split()) if isinstance(error, NoSuchOption) else error.format_message()
    return message.rstrip(".")


def _usage_hint(error: ClickException) -> str | None:
    if isinstance(error, NoSuchOption) and error.possibilities:
        return f"did you mean {', '.join(sorted(error.possibilities))}?"
    if isinstance(error, UsageError) and error.ctx is not None:
        return f"`{error.ctx.command_path} --help` shows how it is used"
    return None


def _write(line: str) -> None:
    try:
        terminal.write(sys.stderr, f"{line}\n")
    except OSError:  # nobody is left to be told
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 -- lives until the process ends
