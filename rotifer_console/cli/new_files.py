"""Files that a command makes: each is new, and for its owner alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rotifer_console.cli.exits import Refused
from rotifer_console.file_names import reserved
from rotifer_console.view.safe_text import clipped
from rotifer_store import ErrorCode

FILE_EXISTS = "FILE_EXISTS"


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """Holds the new file's name, or refuses to; the name is free again if what follows fails."""
    with ExitStack() as held:
        try:
            held.enter_context(reserved(path))
        except FileExistsError:
            hint = "nothing is overwritten: name another file, or remove this one"
            raise Refused(FILE_EXISTS, f"there is a file {clipped(str(path))} already", hint=hint) from None
        except OSError as error:
            reason = (error.strerror or "the system failed").lower()
            raise Refused(
                ErrorCode.MEMORY_STORAGE_ERROR, f"{clipped(str(path))} cannot be written: {reason}"
            ) from None
        yield
