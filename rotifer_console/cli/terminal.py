"""What a stream can show, and writing to it: encoding, colour, a terminal or not (CLI-3)."""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from rotifer_console.view.safe_text import ascii_text

_SGR: Final = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "magenta": "35", "bold": "1"}

_ASCII_LOCALES: Final = ("C", "POSIX")
_PUT_BY_PYTHON: Final = ("C.UTF-8", "C.utf8", "UTF-8")


@dataclass(slots=True)
class Mode:
    """How this call prints; options set it while they are parsed."""

    as_json: bool = False
    plain: bool = False


def is_rich(stream: TextIO, mode: Mode) -> bool:
    """Whether tables with lines fit here: a terminal that is not dumb, and nobody asked for plain."""
    return not mode.plain and stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_colour(stream: TextIO, mode: Mode) -> bool:
    """Whether to colour: not for `--plain` and NO_COLOR, then for FORCE_COLOR, else at a terminal."""
    if mode.plain or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_rich(stream, mode)


def paint(text: str, style: str | None, *, colour: bool) -> str:
    """The text in a style of the table above, where colour is wanted."""
    return f"\x1b[{_SGR[style]}m{text}\x1b[0m" if colour and style else text


def speaks_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding can print any text."""
    return not _is_ascii_asked_for() and (stream.encoding or "").lower().replace("-", "").startswith("utf")


def _is_ascii_asked_for() -> bool:
    """Whether the locale is the C one: Python speaks UTF-8 there too, and the terminal may not (CLI-3).

    Who tells Python which encoding to use has the last word; where no locale is set at all, Python has it.
    """
    if os.environ.get("PYTHONUTF8") == "1" or os.environ.get("PYTHONIOENCODING", "").partition(":")[0]:
        return False
    locale = os.environ.get("LC_ALL") or _ctype_locale() or os.environ.get("LANG")
    return locale in _ASCII_LOCALES


def _ctype_locale() -> str | None:
    """The LC_CTYPE that we were started with: Python puts its own in the place of a C locale (PEP 538)."""
    ctype = os.environ.get("LC_CTYPE")
    return _started_with("LC_CTYPE") if sys.flags.utf8_mode and ctype in _PUT_BY_PYTHON else ctype


@functools.cache
def _started_with(name: str) -> str | None:
    try:
        variables = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:  # not on Linux
        return None
    start = f"{name}=".encode()
    return next((os.fsdecode(each[len(start) :]) for each in variables if each.startswith(start)), None)


def write(stream: TextIO, text: str) -> None:
    """Writes and flushes; what the encoding cannot print is spelt in ASCII."""
    try:
        text.encode("ascii" if _is_ascii_asked_for() else stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = ascii_text(text)
    stream.write(text)
    stream.flush()


def abandon_stdout() -> None:
    """Points stdout nowhere, so that the interpreter's last flush cannot fail and complain."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)


def stand_in_for_closed_streams() -> None:
    """Gives a program that was started with a stream closed an empty one: nothing is read, none is told."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 -- lives until the process ends
