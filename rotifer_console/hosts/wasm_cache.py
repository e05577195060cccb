"""Compiled modules, kept between processes by the content of the module that they were made of.

What is loaded from here runs as machine code, so a file counts only where nobody but this user can have
written it: a regular file in folders of this user, all of them closed to the writing of others, with the
digest of its own content in its head. Whatever is wrong with one, the module is compiled anew; what cannot be
kept is not.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

STATE_FOLDER: Final = ".rotifer"
_FOLDERS: Final = ("cache", "wasm")
_SUFFIX: Final = ".compiled"
_MOST_FILES: Final = 64
_HEAD: Final = b"rotifer compiled module 1\n"
_DIGEST_BYTES: Final = hashlib.sha256().digest_size
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class ModuleCache:
    """The compiled modules of one project; where it has no state folder, nothing is kept."""

    def __init__(self, project: Path) -> None:
        self._state = project / STATE_FOLDER
        self._folder = self._state.joinpath(*_FOLDERS)

    def load(self, digest: str) -> bytes | None:
        """What was kept for the module of that SHA-256; None where nothing is, or nothing to be trusted."""
        path = self._path(digest)
        try:
            if not self._is_ours():
                return None
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:  # noqa: PTH123 -- the descriptor decides, not the path
                if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _is_private(os.fstat(descriptor)):
                    return None
                content = file.read()
            os.utime(path)  # what is used stays
        except OSError:
            return None
        return _checked(content)

    def save(self, digest: str, compiled: bytes) -> None:
        """Keeps it, and lets go of what was used least where there is too much."""
        new = self._folder / f"{secrets.token_hex(8)}.new"
        try:
            self._make_folder()
            if not self._is_ours():
                return
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(new, flags, 0o600), "wb") as file:  # noqa: PTH123 -- as above
                file.write(_HEAD + hashlib.sha256(compiled).digest() + compiled)
            new.replace(self._path(digest))
            self._forget_oldest()
        except OSError:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}{_SUFFIX}"

    def _make_folder(self) -> None:
        folder = self._state
        for name in _FOLDERS:
            folder /= name
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)

    def _is_ours(self) -> bool:
        """Whether nobody else can have put a file there: each folder on the way from the state is checked."""
        folders = [self._state / Path(*_FOLDERS[:depth]) for depth in range(len(_FOLDERS) + 1)]
        states = [os.lstat(folder) for folder in folders]
        return all(stat.S_ISDIR(state.st_mode) and _is_private(state) for state in states)

    def _forget_oldest(self) -> None:
        kept = [(file.stat().st_mtime_ns, file) for file in self._folder.iterdir()]
        for _, file in sorted(kept)[:-_MOST_FILES]:
            file.unlink(missing_ok=True)


def _is_private(state: os.stat_result) -> bool:
    return state.st_uid == os.geteuid() and not state.st_mode & _OTHERS_WRITE


def _checked(content: bytes) -> bytes | None:
    """The compiled module in a file's content; None where the file is torn, damaged or another program's."""
    head_bytes = len(_HEAD) + _DIGEST_BYTES
    compiled = content[head_bytes:]
    expected = _HEAD + hashlib.sha256(compiled).digest()
    return compiled if content[:head_bytes] == expected else None
