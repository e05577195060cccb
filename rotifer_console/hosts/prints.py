"""Where what a gene's process prints goes: to stderr, and nothing of it steers a terminal (HST-4, CLI-4)."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
import subprocess
import sys
import threading
from types import TracebackType
from typing import Final, TextIO

from rotifer_console.view.safe_text import safe_text

_CHUNK_BYTES: Final = 65_536
_DRAINED_WITHIN_S: Final = 1.0
"""How long to wait for the last words: a process that left its group may hold the pipe for ever."""


class Prints:
    """`descriptor` is what the process gets as stdout and stderr, once; close it here when it has it.

    A file is handed on as it is. A terminal gets the lines from a thread here, with every character that
    would steer it as a visible mark. A pipe gets the bytes from a thread too: a process that makes it one
    that does not block, as Node does, would make it so for this one.
    """

    def __init__(self) -> None:
        stream = sys.__stderr__
        self._drain: threading.Thread | None = None
        self._write_end: int | None = None
        if stream is None or stream.closed:  # then its number may be another file's
            self.descriptor = subprocess.DEVNULL
        elif _is_file(stream):
            self.descriptor = stream.fileno()
        else:
            read_end, self._write_end = os.pipe()
            self.descriptor = self._write_end
            drain = _show if stream.isatty() else _pass_on
            self._drain = threading.Thread(target=drain, args=(read_end, stream), daemon=True)
            self._drain.start()

    def __enter__(self) -> Prints:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        """Lets go of the descriptor: the thread ends when the processes that have it do."""
        if self._write_end is not None:
            os.close(self._write_end)
            self._write_end = None

    def wait(self) -> None:
        """Returns when everything that ended processes printed has been shown."""
        if self._drain is not None:
            self._drain.join(_DRAINED_WITHIN_S)


def _is_file(stream: TextIO) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except OSError:  # its number was given back behind its back
        return False
    return stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not stream.isatty())


def _pass_on(read_end: int, stream: TextIO) -> None:
    with open(read_end, "rb", buffering=0) as pipe:
        while chunk := pipe.read(_CHUNK_BYTES):
            # nobody reads it, or it is closed here at the very end: then what is printed goes nowhere
            with contextlib.suppress(OSError, ValueError):
                stream.buffer.write(chunk)
                stream.flush()


def _show(read_end: int, stream: TextIO) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="backslashreplace")
    unfinished = ""
    with open(read_end, "rb", buffering=0) as pipe:
        while chunk := pipe.read(_CHUNK_BYTES):
            *lines, unfinished = (unfinished + decoder.decode(chunk)).split("\n")
            if len(unfinished) > _CHUNK_BYTES:
                lines, unfinished = [*lines, unfinished], ""
            _write(stream, [f"{_shown(line)}\n" for line in lines])
    unfinished += decoder.decode(b"", final=True)
    if unfinished:
        _write(stream, [_shown(unfinished), "\n"])


def _shown(line: str) -> str:
    return "\t".join(safe_text(cell) for cell in line.split("\t"))


def _write(stream: TextIO, texts: list[str]) -> None:
    try:
        stream.write("".join(texts))
        stream.flush()
    except (OSError, ValueError):  # the terminal is gone, or closed here at the very end
        return
