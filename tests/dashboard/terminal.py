"""A program at a terminal of its own: what is typed, what it has shown, and how it left the terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).with_name("rotifer")
DEADLINE_S = 60.0
_STEERING = re.compile(r"\x1b(?:\[[0-9;?>=<$]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])")
_SETS = re.compile(r"\x1b\[\?([0-9;]+)([hl])")
_MODES = {"1000", "1002", "1003", "1004", "1006", "1015", "1016", "1049", "2004", "2048"}


class Terminal:
    """One program at a terminal whose other end is ours."""

    def __init__(
        self,
        command: Sequence[str | Path],
        folder: Path,
        *,
        size: tuple[int, int] = (100, 30),
        controls: bool = True,
        **environment: str,
    ) -> None:
        self._screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.modes_before = termios.tcgetattr(terminal)
        self._terminal: int | None = terminal
        self.raw = ""
        self._forgotten = 0
        self.stderr = folder / ".stderr"
        with self.stderr.open("wb") as stderr:
            self.child = subprocess.Popen(
                command,
                stdin=terminal,
                stdout=terminal,
                stderr=stderr,
                cwd=folder,
                start_new_session=True,
                preexec_fn=_take_terminal if controls else None,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(folder),
                    "LANG": "C.UTF-8",
                    "TERM": "xterm-256color",
                    **environment,
                },
            )

    @property
    def shown(self) -> str:
        """What was printed since `forget_shown`, without what moves the cursor and colours."""
        return _STEERING.sub("", self.raw[self._forgotten :])

    def forget_shown(self) -> None:
        """What was shown so far does not count for the next wait."""
        self._forgotten = len(self.raw)

    def type(self, text: str) -> None:
        """Types a text; the surrogate U+DCxx in it is the byte xx, which need be no text."""
        os.write(self._screen, text.encode(errors="surrogateescape"))

    def read(self, seconds: float) -> bool:
        """Takes in what comes within so many seconds; false where nothing does."""
        ready, _, _ = select.select([self._screen], [], [], seconds)
        if not ready:
            return False
        try:
            chunk = os.read(self._screen, 65536)
        except OSError:  # the program has closed its end
            return False
        self.raw += chunk.decode(errors="replace")
        return bool(chunk)

    def fill(self) -> None:
        """Fills the terminal up, as one gets whose other end reads nothing."""
        assert self._terminal is not None
        again = os.open(os.ttyname(self._terminal), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        room = select.poll()
        room.register(again, select.POLLOUT)
        while room.poll(100):  # the system moves what it was given, and then there is room once more
            with contextlib.suppress(BlockingIOError):
                os.write(again, b"." * 1000)
        os.close(again)

    @property
    def threads(self) -> int:
        """How many the program has."""
        return sum(1 for _ in Path(f"/proc/{self.child.pid}/task").iterdir())

    def wait_for(self, text: str) -> None:
        """Until the text was shown."""
        deadline = time.monotonic() + DEADLINE_S
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} did not come after {self.shown[-2000:]!r}"
            assert self.child.poll() is None or self.read(0), f"it ended: {self.told!r} {self.shown[-500:]!r}"
            self.read(0.2)

    def wait_until_told(self, text: str, times: int = 1) -> None:
        """Until the text stands on stderr so many times."""
        deadline = time.monotonic() + DEADLINE_S
        while self.told.count(text) < times:
            assert time.monotonic() < deadline, f"{text!r} does not stand in {self.told!r}"
            self.read(0.02)

    def end(self, within_s: float = DEADLINE_S) -> int:
        """The exit status; the program ends in time."""
        deadline = time.monotonic() + within_s
        while self.child.poll() is None:
            assert time.monotonic() < deadline, f"it did not end; it shows {self.shown[-1000:]!r}"
            self.read(0.02)
        while self.read(0):
            pass
        return self.child.returncode

    @property
    def told(self) -> str:
        """What stands on stderr."""
        return self.stderr.read_text(errors="replace")

    def modes_left_on(self) -> set[str]:
        """The modes of the terminal that were set and not taken back; a hidden cursor is one."""
        on: set[str] = set()
        for numbers, verb in _SETS.findall(self.raw):
            for number in numbers.split(";"):
                if number == "25":
                    (on.discard if verb == "h" else on.add)("no cursor")
                elif number == "7":
                    (on.discard if verb == "h" else on.add)("no wrap")
                elif number in _MODES:
                    (on.add if verb == "h" else on.discard)(number)
        return on

    def attributes(self) -> list[Any]:
        """Echo, signals and the like as they are now."""
        assert self._terminal is not None
        return termios.tcgetattr(self._terminal)

    def left_unread(self) -> bytes:
        """What was typed and nobody took: whoever has the terminal next would get it."""
        assert self._terminal is not None
        now = self.attributes()
        raw = list(now)
        raw[3] &= ~termios.ICANON  # else only whole lines could be seen
        termios.tcsetattr(self._terminal, termios.TCSANOW, raw)
        try:
            ready, _, _ = select.select([self._terminal], [], [], 0)
            return os.read(self._terminal, 65536) if ready else b""
        finally:
            termios.tcsetattr(self._terminal, termios.TCSANOW, now)

    def hang_up(self) -> None:
        """Closes the terminal under the program."""
        if self._terminal is not None:
            os.close(self._terminal)
            self._terminal = None
        os.close(self._screen)

    def close(self) -> None:
        if self.child.poll() is None:
            os.kill(self.child.pid, signal.SIGKILL)
            self.child.wait()
        for descriptor in (self._terminal, self._screen):
            if descriptor is not None:
                try:
                    os.close(descriptor)
                except OSError:
                    continue


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
