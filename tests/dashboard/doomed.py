"""The program with one fault put into it: `python doomed.py FAULT ARGUMENT…`.

Each fault knows the secret in every form in which it could come out: its message, a local variable, an
attribute.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

SECRET = Path(".secret").read_text()


class Telling(TypeError):
    """A defect that carries the secret."""

    def __init__(self) -> None:
        super().__init__(SECRET)
        self.value = SECRET

    def __rich__(self) -> str:
        return SECRET


def fail(*_: Any, **__: Any) -> Any:
    value = SECRET
    raise Telling if value else RuntimeError


def spoil(fault: str) -> None:
    """Puts the fault in its place."""
    from rotifer_console.dashboard import app, door, entry_pane, screen_writer
    from rotifer_console.dashboard.app import ConsoleApp
    from rotifer_console.dashboard.entry_list import EntryList
    from rotifer_console.dashboard.main_screen import MainScreen

    if fault == "line":
        EntryList.line = fail
    elif fault == "compositor":
        from textual._compositor import Compositor

        seen = Compositor.render_update
        Compositor.render_update = lambda self, *args, **kwargs: (
            fail() if "sort" in _shown(self) else seen(self, *args, **kwargs)
        )
    elif fault == "compose":
        MainScreen.compose_body = fail
    elif fault == "mount":
        ConsoleApp.on_mount = fail
    elif fault == "handler":
        MainScreen.do_mark = fail
    elif fault == "key":
        MainScreen.on_key = fail
    elif fault == "timer":
        ConsoleApp._tick = fail
    elif fault == "lane":
        entry_pane.examine = fail
    elif fault == "look":
        app.look = fail
    elif fault == "answer":
        ConsoleApp._saw = fail
    elif fault == "thread":
        MainScreen.do_mark = lambda self: threading.Thread(target=fail).start()
    elif fault == "callback":
        MainScreen.do_mark = lambda self: asyncio.get_running_loop().call_soon(fail)
    elif fault == "input":
        from textual._xterm_parser import XTermParser

        XTermParser.feed = fail
    elif fault == "css":
        ConsoleApp.CSS = f"Screen {{ color: {SECRET!r}; "
    elif fault == "slow":
        app.look = lambda *_: time.sleep(3600)
    elif fault == "slow-opening":
        door.open_store = lambda *_, **__: time.sleep(3600)
    elif fault == "tight":
        screen_writer.BEHIND_CHARACTERS = 0
    elif fault == "saving":
        ConsoleApp._view_to_save = fail
    else:
        raise ValueError(fault)


def _shown(compositor: Any) -> str:
    return "".join(segment.text for strip in compositor.render_strips() for segment in strip)


if __name__ == "__main__":
    from rotifer_console.cli import dashboard_start
    from rotifer_console.cli.app import main

    fault = sys.argv.pop(1)
    begin = dashboard_start.open_dashboard

    def open_dashboard(*arguments: Any, **settings: Any) -> int:
        dashboard_start.settle_environment()
        spoil(fault)
        return begin(*arguments, **settings)

    dashboard_start.open_dashboard = open_dashboard
    sys.argv[0] = "rotifer"
    main()
