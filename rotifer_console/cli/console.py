"""`rotifer console`: the dashboard, or a picture of it."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from rotifer_console.cli import dashboard_start, output
from rotifer_console.cli.arguments import STANDARD_STREAM, checked_path
from rotifer_console.cli.exits import UsageRefused, note
from rotifer_console.cli.new_files import new_file
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_console.cli.suggest import complete_agent, did_you_mean
from rotifer_console.view.safe_text import clipped
from rotifer_store import MemoryStorageError, has_store, open_store

_SIZE_FORM = "columns and lines, such as 120x36; from 20x5 to 400x200"


def open_console(
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Only look: nothing can be changed.", show_default=False)
    ] = False,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="Begin with this agent's memory.",
            show_default=False,
            autocompletion=complete_agent,
        ),
    ] = None,
    snapshot: Annotated[
        str | None,
        typer.Option(
            "--snapshot",
            metavar="FILE.svg",
            help="Make a picture instead, in a new file; - writes to stdout. No terminal is needed.",
            show_default=False,
        ),
    ] = None,
    screen: Annotated[
        str | None,
        typer.Option(
            "--screen", metavar="NAME", help="What the picture shows; entries by default.", show_default=False
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            metavar="WxH",
            help="The picture's columns and lines; 120x36 by default.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Shows the dashboard until it is left, or writes one picture of it (TUI-1, TUI-13)."""
    if snapshot is None:
        if screen is not None or size is not None:
            raise UsageRefused("--screen and --size say what --snapshot shows: name its file too")
        dashboard_start.require_terminal()
        project = project_here()
        _require_agent(project, agent)
        raise typer.Exit(dashboard_start.open_dashboard(project, read_only=read_only, agent=agent))
    path = None if snapshot == STANDARD_STREAM else checked_path(snapshot)
    if path is not None and path.suffix.casefold() != ".svg":
        raise UsageRefused(
            f"--snapshot {clipped(snapshot, 80)}: a picture is an SVG", hint="name it FILE.svg"
        )
    _take_picture(path, screen, size, read_only=read_only, agent=agent)
    if path is not None:
        note(f"{clipped(snapshot)} shows the dashboard as it is now")


def _take_picture(
    path: Path | None, screen: str | None, size: str | None, *, read_only: bool, agent: str | None
) -> None:
    """Makes the picture, in a file or, where there is none, on stdout."""
    if path is None:
        output.require_no_terminal("a picture")
    dashboard_start.settle_environment()
    from rotifer_console.dashboard import snapshot

    cells = snapshot.USUAL_SIZE if size is None else _checked_size(size)
    name = "entries" if screen is None else screen
    if name not in snapshot.SCREENS:
        hint = did_you_mean(name, snapshot.SCREENS) or ", ".join(snapshot.SCREENS)
        raise UsageRefused(f"--screen {clipped(name, 40)}: there is no such screen", hint=hint)
    project = project_here()
    _require_agent(project, agent)
    with nullcontext() if path is None else new_file(path):
        svg = dashboard_start.picture(project, name, cells, read_only=read_only, agent=agent)
        if path is None:
            output.write_bytes(svg.encode())
        else:
            path.write_text(svg, encoding="utf-8")


def _require_agent(project: Path, name: str | None) -> None:
    """Refuses a name that no agent has; a store that cannot be read is the dashboard's to tell of."""
    if name is None or not has_store(project):
        return
    try:
        with open_store(project, read_only=True) as store:
            agent_named(store, name)
    except MemoryStorageError:
        return


def _checked_size(text: str) -> tuple[int, int]:
    from rotifer_console.dashboard.snapshot import LEAST_SIZE, MOST_SIZE

    match = re.fullmatch(r"(\d{1,3})x(\d{1,3})", text, re.ASCII)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(
        least <= cells <= most for least, cells, most in zip(LEAST_SIZE, size, MOST_SIZE, strict=True)
    ):
        raise UsageRefused(f"--size {clipped(text, 40)}: it is no size of a picture", hint=_SIZE_FORM)
    return size
