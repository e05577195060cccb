"""Opening the store's own files: owner-only, regular, never through a symbolic link (REC-7)."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path


def make_private_folder(path: Path) -> None:
    """Creates the folder, 0700, where it is missing; its parents keep the umask's modes.

    Raises:
        OSError: it cannot be made, or something else stands in its place.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        if not path.is_dir():
            raise


def require_regular(path: Path, *, create: bool) -> None:
    """Makes sure that a regular file stands there; opens none that exists.

    With `create` it is made, 0600, where it is missing, and it must be one that may be written.

    A database's file must not be opened and closed by anybody but the database: closing any descriptor of a
    file drops all locks that the process holds on it, those of other open stores too.

    Raises:
        OSError: it cannot be created, is a link, or is no regular file.
    """
    if create:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(None, "not a regular file", str(path))
    if create and not os.access(path, os.R_OK | os.W_OK):  # SQLite would go on reading, and fail at a change
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def open_private(path: Path, flags: int) -> int:
    """A descriptor of the file, created 0600 where it is missing and `flags` say so.

    Raises:
        OSError: it cannot be opened, is a link, or is no regular file.
    """
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(None, "not a regular file", str(path))
    return descriptor


def write_whole(descriptor: int, data: bytes) -> None:
    """Appends all of `data` with one call of the system, so that writers never mix (REC-5).

    Raises:
        OSError: less than all was written. What was written stays (REC-3).
    """
    written = os.write(descriptor, data)
    if written != len(data):
        raise OSError(None, "only a part could be written")
