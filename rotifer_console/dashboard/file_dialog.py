"""Asks into which file an export goes, and from which one an import comes (TUI-7)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from textual.app import ComposeResult
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, wrapped
from rotifer_console.dashboard.choices import Choice, LateField, Toggle
from rotifer_console.dashboard.dialog import Dialog
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.form_row import FormRow
from rotifer_console.file_names import path_of

_STANDARD_STREAM: Final = "-"


class Named(NamedTuple):
    """A file was named. `path` is what the system takes, `text` what a command line takes."""

    path: Path
    text: str
    is_ticked: bool


class FileDialog(Dialog[None]):
    """One box for a file's name, one tick, one deed; it stays until the deed is done."""

    def __init__(
        self,
        heading: str,
        texts: Sequence[str],
        *,
        first: str,
        tick: str | None,
        does: str,
        check: Callable[[Path], str | None],
        start: Callable[[FileDialog, Named], None],
    ) -> None:
        """Asks for a name.

        Args:
            heading: what the box is called.
            texts: what it is about.
            first: the name that stands there at first.
            tick: what can be ticked; nothing where it is None.
            does: what is done, in a word.
            check: why a path cannot be taken; None where it can.
            start: begins the deed.
        """
        super().__init__()
        self._heading = heading
        self._texts = texts
        self._does = does
        self._check = check
        self._start = start
        self.is_working = False
        self._file = LateField(first, id="file")
        self._tick = Toggle(tick or "", id="tick")
        self._choice = Choice(does.capitalize(), f"enter: {does}", id="do")
        self._cancel = Choice("Cancel", "enter cancels", id="cancel")

    def compose_rows(self) -> ComposeResult:
        """The name and the tick."""
        yield FormRow("file", self._file)
        if self._tick.label:
            yield self._tick

    def choices(self) -> Sequence[Choice]:
        """Cancel, then the deed."""
        return (self._cancel, self._choice)

    def first(self) -> Widget:
        """The name is typed first."""
        return self._file

    def mounted(self) -> None:
        """Names itself."""
        self.query_one("#box").border_title = self._heading

    def told(self, width: int) -> list[Line]:
        """What it is about."""
        return [(Piece(part, "dim"),) for text in self._texts for part in wrapped(text, width)]

    def hint_of(self, focused: Widget | None) -> str:
        """What enter does behind the name."""
        return f"enter: {self._does}"

    @property
    def named(self) -> Named:
        """The file as it is named now.

        Raises:
            ValueError: no file can be called that.
        """
        text = self._file.value.strip()
        if text == _STANDARD_STREAM:
            raise ValueError("it is no file's name")
        path = path_of(os.path.expanduser(text))  # noqa: PTH111 -- a name that cannot be expanded stays
        word = str(path)
        return Named(path, f"./{word}" if word.startswith("-") else word, self._tick.is_on)

    def on_choice_taken(self, message: Choice.Taken) -> None:
        """Begins, or leaves."""
        message.stop()
        if message.choice is self._choice:
            self._begin()
        elif message.choice is self._cancel:
            self.leave()

    def on_input_changed(self, message: Field.Changed) -> None:
        """Another name: what was said of the last one does not hold."""
        message.stop()
        if not self.is_working:
            self.hush()

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """Enter begins."""
        message.stop()
        self._begin()

    def _begin(self) -> None:
        if self.is_working:
            return
        try:
            named = self.named
        except ValueError as error:
            self.refuse(str(error), "warning")
            return
        refusal = self._check(named.path)
        if refusal is not None:
            self.refuse(refusal, "warning")
            return
        self.is_working = True
        self.refuse("working; esc closes this, and it goes on", "accent")
        self._start(self, named)

    def failed(self, text: str) -> None:
        """It could not be done: says why, and takes another name."""
        self.is_working = False
        self.refuse(text)


def why_not_new(path: Path) -> str | None:
    """Why nothing new can be written under a path; None where it can be tried."""
    if path.is_symlink() or path.exists():
        return f"there is a file {path.name} already, and nothing is overwritten"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return None


def why_not_readable(path: Path) -> str | None:
    """Why nothing can be read from a path; None where it can be tried. What never ends is no file."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no file {path}"
    except OSError as error:
        return f"{path}: {(error.strerror or 'the system failed').lower()}"
    return None if stat.S_ISREG(mode) else f"{path} is no regular file"
