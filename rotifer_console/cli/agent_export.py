"""`rotifer agent export`: an agent and its entries as a file that another store can take in (AGT-6)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from rotifer_console.cli import output, progress
from rotifer_console.cli.arguments import STANDARD_STREAM, checked_path
from rotifer_console.cli.exits import Refused, note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here, require_entries
from rotifer_console.view.entries import count
from rotifer_console.view.safe_text import clipped
from rotifer_store import ErrorCode, MemoryNotFound

FILE_EXISTS = "FILE_EXISTS"


def export_entries(
    ctx: typer.Context,
    name: AgentName,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The new file; - writes to stdout.", show_default=False)
    ],
    include_cache: Annotated[
        bool, typer.Option("--include-cache", help="CACHE entries too.", show_default=False)
    ] = False,
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--key", metavar="K", help="Only this entry, as --key=K; repeatable.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Writes the file whole or not at all, for its owner alone, and never in place of another."""
    mode = mode_of(ctx)
    path = checked_path(file)
    if file == STANDARD_STREAM:
        output.require_no_terminal("an export")
    with open_store_here() as store:
        agent = agent_named(store, name)
        with progress.shown(f"exporting {agent.name}", mode):
            try:
                if file == STANDARD_STREAM:
                    stream = output.byte_stream()
                    exported = store.export_memory(agent, stream, include_cache=include_cache, keys=keys)
                else:
                    with _reserved(path):
                        exported = store.export_memory(agent, path, include_cache=include_cache, keys=keys)
            except MemoryNotFound:
                require_entries(store, agent, keys or ())
                raise
    if file == STANDARD_STREAM:
        note(f"{count(exported)} exported")
    elif mode.as_json:
        output.write_json({"exported": exported})
    else:
        output.write_line(f"{count(exported)} exported")


@contextmanager
def _reserved(path: Path) -> Iterator[None]:
    """Holds a name that nothing has yet, so that of two exports into one file the second is refused.

    The library puts the finished file in its place at once. What is there and no regular file, a device or a
    pipe, is written to.
    """
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        if path.is_file() or path.is_symlink():
            hint = "nothing is overwritten: name another file, or remove this one"
            raise Refused(FILE_EXISTS, f"there is a file {clipped(str(path))} already", hint=hint) from None
        yield
        return
    except OSError as error:
        reason = (error.strerror or "the system failed").lower()
        raise Refused(
            ErrorCode.MEMORY_STORAGE_ERROR, f"{clipped(str(path))} cannot be written: {reason}"
        ) from None
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise
