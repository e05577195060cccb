"""Scenes of the installed program, a file each: commands, what they print, how they exit, byte for byte.

    # what the scene is about
    $ rotifer memory usage main         a command line for bash, in a project of its own
    1> CACHE	1	510	49.8%           a line of stdout; `1+` instead of `1>` where no newline ends it
    2> no entries                       a line of stderr
    => 0                                the exit status

Comments and commands are written by people, the rest by `pytest --update-goldens`. The program reads the
machine's clock and draws ids at random, so what no two runs share is masked: times become <time>,
microseconds since the epoch <us>, what is left until an expiry <left>, UUIDs <uuid>, the project's path
ROOT. A v2 id keeps its first eight digits. A progress bar, which only slow work shows, is left out. Bytes
that no editor shows are spelt <0x1B>. `terminal N COMMAND` runs at a terminal of N columns, whose whole
screen is stdout here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROGRAMS = Path(sys.executable).parent
TERMINAL = Path(__file__).with_name("terminal.py")
_PREAMBLE = 'terminal() { "$PYTHON" "$TERMINAL" "$@"; }\n'

_PROGRESS = re.compile(r"\x1b\[\?25l.*?\x1b\[\?25h\r\x1b\[1A\x1b\[2K", re.DOTALL)
_MASKS = [
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{6})?Z"), "<time>"),
    (re.compile(r"\b1[0-9]{15}\b"), "<us>"),
    (re.compile(r"in (\d+ d )?\d\d:\d\d:\d\d"), "in <left>"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"v2:([0-9a-f]{8})[0-9a-f]{56}"), r"<v2:\1>"),
]
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")


def masked(output: bytes, root: Path) -> str:
    """The output with what differs from run to run replaced, and what no editor shows spelt out."""
    text = output.decode("utf-8", "surrogateescape").replace(str(root), "ROOT")
    text = _PROGRESS.sub("", text)
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return _UNSEEN.sub(lambda match: f"<0x{ord(match.group()) & 0xFF:02X}>", text)


def played(recorded: str, root: Path) -> str:
    """The scene as it comes out now: its comments and commands, and what each of them does in `root`."""
    return "".join(f"{line}\n" for line in _play(recorded.splitlines(), root))


def _play(lines: Iterable[str], root: Path) -> Iterator[str]:
    for line in lines:
        if line.startswith("$ "):
            yield line
            yield from _run(line[2:], root)
        elif not line.startswith(("1>", "1+", "2>", "2+", "=>")):
            yield line


def _run(command: str, root: Path) -> Iterator[str]:
    finished = subprocess.run(
        ["bash", "-c", _PREAMBLE + command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=root,
        env={
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(root),
            "LANG": "C.UTF-8",
            "PYTHON": sys.executable,
            "TERMINAL": str(TERMINAL),
        },
        timeout=60,
        check=False,
    )
    for number, output in ((1, finished.stdout), (2, finished.stderr)):
        *whole, rest = masked(output, root).split("\n")
        yield from (f"{number}> {line}" for line in whole)
        if rest:
            yield f"{number}+ {rest}"
    yield f"=> {finished.returncode}"
