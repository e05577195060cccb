"""The files of whoever looks: `console.toml`, which is read, and `console.json`, which is kept.

Neither can keep the dashboard from starting: what is wrong with them is told in a sentence (TUI-11).
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from rotifer_console.dashboard import keymap, saved_view
from rotifer_console.dashboard.keymap import Settings
from rotifer_console.dashboard.saved_view import SavedView

_MOST_BYTES: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class Personal:
    """What the two files say: rebound keys, how the screen was left, and what could not be read."""

    keys: Mapping[str, tuple[str, ...]]
    saved: SavedView
    notices: tuple[str, ...]


def settings_path(environ: Mapping[str, str]) -> Path | None:
    """Where the settings lie; None where nobody has a home."""
    found = _below(environ, "XDG_CONFIG_HOME", ".config", "console.toml")
    return None if found is None else found.path


def state_path(environ: Mapping[str, str]) -> Path | None:
    """Where the view is kept; None where nobody has a home."""
    found = _state_place(environ)
    return None if found is None else found.path


class _Place(NamedTuple):
    """A file, and the folder that somebody has to have made for it: ours are made below it."""

    path: Path
    base: Path


def _state_place(environ: Mapping[str, str]) -> _Place | None:
    return _below(environ, "XDG_STATE_HOME", ".local/state", "console.json")


def _below(environ: Mapping[str, str], name: str, default: str, file: str) -> _Place | None:
    home = environ.get("HOME", "")
    has_home = os.path.isabs(home)  # noqa: PTH117 -- a relative one is to be ignored, by the convention
    base = environ.get(name, "")
    if not os.path.isabs(base):  # noqa: PTH117
        return _Place(Path(home, default, "rotifer", file), Path(home)) if has_home else None
    is_in_home = has_home and Path(base).is_relative_to(home)
    return _Place(Path(base, "rotifer", file), Path(home if is_in_home else base))


def load(environ: Mapping[str, str]) -> Personal:
    """Reads both files; one that is not there says nothing."""
    settings, view = Settings(), SavedView()
    notices: list[str] = []
    path = settings_path(environ)
    try:
        text = _text_of(path)
        if text is not None:
            settings = keymap.read(text)
    except ValueError as error:
        notices.append(f"console.toml is not used: {error}")
    notices += (f"console.toml: {notice}" for notice in settings.notices)
    path = state_path(environ)
    try:
        text = _text_of(path)
        if text is not None:
            view = saved_view.read(text)
    except ValueError as error:
        notices.append(f"the last view is not restored: {error}")
    if settings.look is not None:
        view = SavedView(settings.look, view.agent, view.order, view.descending)
    return Personal(settings.keys, view, tuple(notices))


def save(view: SavedView, environ: Mapping[str, str]) -> None:
    """Keeps how the screen is left, for its owner alone; where that cannot be, nothing happens.

    A home is not ours to make: a service that was given one which is not there has none.
    """
    place = _state_place(environ)
    if place is None or not place.base.is_dir():
        return
    path = place.path
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".console-")  # 0600
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(saved_view.written(view))
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


def _text_of(path: Path | None) -> str | None:
    """A small regular file's text; None where there is none.

    Raises:
        ValueError: it is something else, too big, not to be read, or no text.
    """
    if path is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not block us
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ValueError("it is no file")
            data = os.read(descriptor, _MOST_BYTES + 1)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ValueError((error.strerror or "the system failed").lower()) from None
    if len(data) > _MOST_BYTES:
        raise ValueError("it is too big")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not in UTF-8") from None
