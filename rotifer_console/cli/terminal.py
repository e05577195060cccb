"""What a stream can show, and writing to it: encoding, colour, a terminal or not (CLI-3)."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Final, TextIO

from rotifer_console.view.safe_text import ascii_text

_SGR: Final = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "magenta": "35", "bold": "1"}


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
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def write(stream: TextIO, text: str) -> None:
    """Writes and flushes; what the encoding cannot print is spelt in ASCII."""
    try:
        text.encode(stream.encoding or "utf-8")
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
