"""The dashboard at a terminal: what is drawn where, and how it ends whatever happens (TUI-12).

Textual draws on stderr, prints local variables when something breaks, and writes tracebacks of its own
threads. None of that happens here: the terminal is stdout, and an end is a status or one word.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import functools
import os
import select
import signal
import sys
import termios
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from textual.app import App
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.glyphs import ASCII
from rotifer_console.dashboard.key_reader import KeyReader
from rotifer_console.dashboard.screen_writer import Paper, ScreenWriter

_ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_DRIVERS_SIGNALS: Final = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)
_HUNG_UP: Final = 128 + signal.SIGHUP
_LOOK_AT_TERMINAL_S: Final = 0.5
_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


def _lenient_decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return functools.partial(codecs.getincrementaldecoder(encoding), errors="replace")


# Textual's own: the first dies of bytes that are no text, which an old mouse report sends; the others wait
# for the terminal without end.
vars(linux_driver).update(
    getincrementaldecoder=_lenient_decoder, XTermParser=KeyReader, WriterThread=ScreenWriter
)


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
        self.is_leaving = False
        assert sys.__stdout__ is not None
        paper = Paper(
            _never_waiting(sys.__stdout__.fileno()),
            sys.__stdout__.encoding,
            ascii_only=self._console_app.glyphs is ASCII,
            caught_up=self._draw_again,
        )
        self._file = cast("Any", paper)

    @property
    def _writer(self) -> ScreenWriter | None:
        return cast("ScreenWriter | None", self._writer_thread)

    def is_behind(self) -> bool:
        """Whether the terminal does not keep up with what is drawn."""
        return self._writer is not None and self._writer.is_behind()

    def _draw_again(self) -> None:
        self._console_app.from_any_thread(self._console_app.draw_again)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:
            self._console_app.from_any_thread(lambda: self._console_app.leave(_HUNG_UP))
        except Exception as error:
            defect = error
            self._console_app.from_any_thread(lambda: self._console_app.break_down(defect))

    def disable_input(self) -> None:
        """Reads no more keys."""
        if not self._is_put_back:
            super().disable_input()

    def stop_application_mode(self) -> None:
        """Puts the terminal back as it was, but for the modes of one that somebody else has by now."""
        if self._writer is None or self._is_put_back:
            return
        self._writer.begin_end()
        if self._mouse_pixels:
            self.write("\x1b[?1016l")
        if not has_terminal():
            self.attrs_before = None
        super().stop_application_mode()

    @property
    def _is_put_back(self) -> bool:
        """Whether the program was stopped in due form, and has not gone on yet."""
        return self._must_signal_resume

    def _sigcont_application(self, *_: object) -> None:
        """Goes on, unless it was told to end meanwhile or is to go on behind others, where it cannot be seen.

        A program that no signal told to stop has yet to do what should have come before.
        """
        if self.is_leaving:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # nor is it to be stopped once more on its way out
            return
        if not has_terminal():
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        if not self._is_put_back:
            self.suspend_application_mode()
        super()._sigcont_application()
        self._draw_again()


def has_terminal() -> bool:
    """Whether the terminal is ours now: one who changes its modes from behind others is stopped."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # it belongs to no session, or not to ours: nobody is stopped for it
        return True


def _never_waiting(descriptor: int) -> int:
    """The terminal opened anew, so that no write to it waits; the same descriptor where it has no name."""
    try:
        return os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return descriptor


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
            if before is not None and has_terminal():
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

    def end(number: int, _: object) -> None:
        if isinstance(app.driver, TerminalDriver):
            app.driver.is_leaving = True
        loop.call_soon_threadsafe(app.leave, 128 + number)

    kept = {number: signal.signal(number, end) for number in _ENDING_SIGNALS}
    kept |= {number: signal.getsignal(number) for number in _DRIVERS_SIGNALS}
    watch = loop.create_task(_leave_with_the_terminal(app))
    try:
        await app.run_async()
    finally:
        watch.cancel()
        if isinstance(app.driver, TerminalDriver):
            app.driver.close()  # where Textual's own end broke off, what puts the terminal back still waits
        for number, handler in kept.items():
            signal.signal(number, handler)


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
