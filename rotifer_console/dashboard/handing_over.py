"""What a terminal's clipboard does not take is offered a new file, for its owner alone (TUI-8)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.file_dialog import FileDialog, Named, why_not_new
from rotifer_console.dashboard.place_screen import PlaceScreen
from rotifer_console.dashboard.undertaking import told
from rotifer_console.file_names import free_path, reserved

KEY: Final = "the key"
COMMAND: Final = "the command line"
_STEMS: Final = {KEY: ("key", ".txt"), COMMAND: ("rotifer-command", ".sh")}


def offer_file(screen: PlaceScreen, text: str, what: str, why: str) -> None:
    """Asks into which file the text goes.

    Args:
        screen: what says how it went.
        text: what is written, as it is; a command line gets its end.
        what: what it is, in words.
        why: why the clipboard does not take it.
    """
    data = f"{text}\n" if what == COMMAND else text

    def start(dialog: FileDialog, named: Named) -> None:
        def write() -> None:
            with reserved(named.path):
                named.path.write_text(data, encoding="utf-8")

        def done(_: None) -> None:
            if dialog.is_attached:
                dialog.dismiss()
            screen.say(f"{what} was written into {named.path.name}", "success")

        def failed(error: Exception) -> None:
            said = f"nothing was written: {told(error)}"
            if dialog.is_attached:
                dialog.failed(said)
            else:
                screen.say(said, "error")

        screen.program.desk.ask_without_store(Lane.CHANGE, "file", lambda _: write(), done, failed)

    stem, suffix = _STEMS[what]
    screen.app.push_screen(
        FileDialog(
            f"{what} into a file",
            [why, "a new file for you alone takes it instead"],
            first=free_path(Path.cwd(), stem, suffix).name,
            tick=None,
            does="write",
            check=why_not_new,
            start=start,
        )
    )
