"""Names of files: which texts are some, and new ones that nothing has yet (AGT-6)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SUFFIX: Final = ".jsonl"
_PLAIN: Final = re.compile(r"[^A-Za-z0-9._]+")
_LONGEST_STEM: Final = 60


def path_of(text: str) -> Path:
    """The path that a text names; whether anything is there is another matter.

    Raises:
        ValueError: no system could know it.
    """
    if not text or b"\0" in os.fsencode(text):
        raise ValueError("it is no file's name")
    return Path(text)


@contextmanager
def reserved(path: Path) -> Iterator[None]:
    """Holds a name that nothing has yet, so that of two exports into one file the second is refused.

    The library puts the finished file in its place at once. What is there and no regular file, a device or a
    pipe, is written to.

    Raises:
        FileExistsError: a file has the name.
        OSError: nothing can be written there.
    """
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        if path.is_file() or path.is_symlink():
            raise
        yield
        return
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def stem_of(text: str) -> str:
    """A file's name made from a key or another text: what any system takes in one, and never hidden."""
    stem = _PLAIN.sub("-", text).strip("-.")[:_LONGEST_STEM].strip("-.")
    return stem or "entry"


def free_path(folder: Path, stem: str, suffix: str = SUFFIX) -> Path:
    """A path in the folder that nothing has now: `stem.jsonl`, or with the first number that is free."""
    path = folder / f"{stem}{suffix}"
    number = 1
    while path.exists() or path.is_symlink():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path
