"""What comes before the dashboard: is there a terminal for it, and nothing that makes it write elsewhere.

Textual is imported below only, once the environment that it reads at its import is as it shall be (TUI-12).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rotifer_console.cli import terminal
from rotifer_console.cli.exits import Refused, UsageRefused
from rotifer_store import ErrorCode

if TYPE_CHECKING:
    from rotifer_console.dashboard.glyphs import Glyphs

_HINT: Final = (
    "`rotifer agent memory list NAME` prints entries; `rotifer console --snapshot FILE.svg` makes a picture"
)
_CONSOLE_OF_LINUX: Final = "linux"


def require_terminal() -> None:
    """Refuses where nobody could see a dashboard, or work with it."""
    if not _has_terminal():
        raise UsageRefused("the dashboard needs a terminal on stdin and stdout", hint=_HINT)
    if _is_dumb():
        raise UsageRefused("a dumb terminal cannot show the dashboard", hint=_HINT)


def can_show() -> bool:
    """Whether a dashboard can be seen and worked with here."""
    return _has_terminal() and not _is_dumb()


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _is_dumb() -> bool:
    return os.environ.get("TERM") == "dumb"


def settle_environment() -> None:
    """Takes away what would have Textual log, take pictures or draw elsewhere, and an empty NO_COLOR.

    A size that was exported goes too where the terminal knows its own: the exported one never changes.
    """
    for name in [name for name in os.environ if name == "TEXTUAL" or name.startswith("TEXTUAL_")]:
        del os.environ[name]
    if os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]
    if _knows_its_size():
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)


def _knows_its_size() -> bool:
    try:
        return all(os.get_terminal_size(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def glyphs_of_terminal() -> Glyphs:
    """The signs that the terminal can print (CLI-3)."""
    from rotifer_console.dashboard.glyphs import ASCII, UNICODE

    is_plain = os.environ.get("TERM") == _CONSOLE_OF_LINUX or not terminal.speaks_unicode(sys.stdout)
    return ASCII if is_plain else UNICODE


def open_dashboard(
    project: Path, *, read_only: bool = False, agent: str | None = None, keeps_view: bool = True
) -> int:
    """Runs the dashboard on a project until it is left; the exit status.

    Args:
        project: the project's root.
        read_only: nothing can be changed.
        agent: whose memory to begin with.
        keeps_view: whether it begins as it was left, and is kept as it is left (TUI-11).
    """
    require_terminal()
    settle_environment()
    from rotifer_console.dashboard import running, settings
    from rotifer_console.dashboard.app import ConsoleApp
    from rotifer_console.dashboard.saved_view import SavedView

    personal = settings.load(os.environ)

    def save(view: SavedView) -> None:
        if keeps_view and view != personal.saved:
            settings.save(view, os.environ)

    app = ConsoleApp(
        project,
        read_only=read_only,
        agent=agent,
        glyphs=glyphs_of_terminal(),
        keys=personal.keys,
        saved=personal.saved if keeps_view else SavedView(look=personal.saved.look),
        save=save,
        notices=personal.notices,
        colourless=bool(os.environ.get("NO_COLOR")),
        driver=running.TerminalDriver,
    )
    try:
        return running.run(app)
    except Exception as error:
        raise _defect(error) from None
    finally:
        try:
            sys.stdout.flush()
        except OSError:  # the terminal went away
            terminal.abandon_stdout()


def picture(project: Path, screen: str, size: tuple[int, int], *, read_only: bool, agent: str | None) -> str:
    """A screen of the dashboard as SVG, in the theme and with the keys of whoever asks."""
    settle_environment()
    from rotifer_console.dashboard import settings, snapshot
    from rotifer_console.dashboard.app import ConsoleApp
    from rotifer_console.dashboard.glyphs import UNICODE
    from rotifer_console.dashboard.saved_view import SavedView

    personal = settings.load(os.environ)
    app = ConsoleApp(
        project,
        read_only=read_only,
        agent=agent,
        glyphs=UNICODE,
        keys=personal.keys,
        saved=SavedView(look=personal.saved.look),
        colourless=bool(os.environ.get("NO_COLOR")),
    )
    try:
        return snapshot.picture(app, screen, size)
    except snapshot.NotSettled:
        hint = "a store that something else holds, or a busy machine: try it again"
        raise Refused(ErrorCode.MEMORY_STORAGE_ERROR, "the store did not answer in time", hint=hint) from None
    except Exception as error:
        raise _defect(error) from None


def _defect(error: Exception) -> Refused:
    """What nobody foresaw, told by its class: its message could quote a memory value (TUI-12)."""
    return Refused("INTERNAL", f"{type(error).__name__}, which should not have happened")
