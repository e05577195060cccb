"""The dashboard at a terminal: what is drawn where, and how it ends whatever happens (TUI-12).

Textual draws on stderr, prints local variables when something breaks, and writes tracebacks of its own
threads. None of that happens here: the terminal is stdout, and an end is a status or one word.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import functools
import select
import signal
import sys
import termios
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, cast

from rich.cells import get_character_cell_size
from textual.app import App
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.glyphs import ASCII

_ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HUNG_UP: Final = 128 + signal.SIGHUP
_LOOK_AT_TERMINAL_S: Final = 0.5
_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL
_LOOKS_LIKE: Final = {
    ord(sign): letter
    for letter, signs in {
        "-": "─━–—╌",
        "|": "│┃▏▎▕",
        "+": "╭╮╰╯┌┐└┘├┤┬┴┼",
        "#": "▌▋▊▉█▓",
        "=": "▒",
        "_": "▁▂▃▄▅▆▇▔",
        ":": "░",
        ".": "·",
        "~": "…",
        "*": "•◆■",
        "'": "‘’",
        '"': "“”",
    }.items()
    for sign in signs
}
"""What an ASCII terminal shows for signs of frames and bars."""


def _ascii(text: str) -> str:
    """The text in ASCII, cell for cell: lines look alike, letters become question marks."""
    return "".join(
        character if character.isascii() else "?" * get_character_cell_size(character)
        for character in text.translate(_LOOKS_LIKE)
    )


def _lenient_decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return functools.partial(codecs.getincrementaldecoder(encoding), errors="replace")


# Textual's reader of keys dies of bytes that are no text; an old mouse report or another encoding sends some.
vars(linux_driver)["getincrementaldecoder"] = _lenient_decoder


class _Screen:
    """The terminal as a file: one that went away takes everything, and what it cannot print is spelt out."""

    def __init__(self, file: IO[str], *, ascii_only: bool) -> None:
        self._file = file
        self._ascii_only = ascii_only

    def write(self, text: str) -> None:
        """Writes as much as can be written."""
        with contextlib.suppress(OSError, ValueError):
            self._file.write(_ascii(text) if self._ascii_only and not text.isascii() else text)

    def flush(self) -> None:
        """Sends it."""
        with contextlib.suppress(OSError, ValueError):
            self._file.flush()

    def fileno(self) -> int:
        """The terminal's descriptor."""
        return self._file.fileno()


class TerminalDriver(LinuxDriver):
    """Draws on stdout, and takes its own trouble to the program instead of printing it."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._console_app = cast("ConsoleApp", app)
        assert sys.__stdout__ is not None
        file = _Screen(sys.__stdout__, ascii_only=self._console_app.glyphs is ASCII)
        self._file = cast("Any", file)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:
            self._console_app.from_any_thread(lambda: self._console_app.leave(_HUNG_UP))
        except Exception as error:
            defect = error
            self._console_app.from_any_thread(lambda: self._console_app.break_down(defect))

    def stop_application_mode(self) -> None:
        """Puts the terminal back as it was."""
        if self._mouse_pixels:
            self.write("\x1b[?1016l")
        super().stop_application_mode()


def run(app: ConsoleApp) -> int:
    """Runs the dashboard until it is left; the exit status.

    Raises:
        Exception: the defect that ended it. Its message may quote a value: only its class may be told.
    """
    before = _modes()
    with _silent_threads(app):
        try:
            asyncio.run(_run(app))
        finally:
            if before is not None:
                with contextlib.suppress(termios.error):
                    termios.tcsetattr(0, termios.TCSANOW, before)
    if app.defect is not None:
        raise app.defect
    return app.return_code or 0


def _modes() -> list[Any] | None:
    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


async def _run(app: ConsoleApp) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: _broken_callback(app, context))
    for number in _ENDING_SIGNALS:
        loop.add_signal_handler(number, app.leave, 128 + number)
    watch = loop.create_task(_leave_with_the_terminal(app))
    try:
        await app.run_async()
    finally:
        watch.cancel()
        if isinstance(app.driver, TerminalDriver):
            app.driver.close()  # where Textual's own end broke off, what puts the terminal back still waits


def _broken_callback(app: ConsoleApp, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if isinstance(error, Exception):
        app.break_down(error)


async def _leave_with_the_terminal(app: ConsoleApp) -> None:
    """Ends the program when its terminal is closed and no signal said so."""
    poller = select.poll()
    poller.register(0, 0)
    while not any(event & _GONE for _, event in poller.poll(0)):
        await asyncio.sleep(_LOOK_AT_TERMINAL_S)
    app.leave(_HUNG_UP)


@contextlib.contextmanager
def _silent_threads(app: ConsoleApp) -> Iterator[None]:
    """While it lasts, a thread that breaks ends the program instead of printing a traceback."""

    def broken(arguments: threading.ExceptHookArgs) -> None:
        if isinstance(arguments.exc_value, Exception):
            defect = arguments.exc_value
            app.from_any_thread(lambda: app.break_down(defect))

    kept: Callable[..., object] = threading.excepthook
    kept_unraisable = sys.unraisablehook
    threading.excepthook = broken
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        threading.excepthook = kept
        sys.unraisablehook = kept_unraisable
