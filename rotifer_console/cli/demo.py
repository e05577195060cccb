"""`rotifer demo`: a project that has been at work for days, and the dashboard on it."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from rotifer_console.cli import dashboard_start, entry_rows, output, terminal
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.view import entries as view
from rotifer_store import SystemClock, open_store


def show_demo(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Runs the story's genes, then shows what they left; the project is gone afterwards."""
    from rotifer_console.demo import story

    mode = mode_of(ctx)
    with _throw_away_folder() as folder:
        project = folder / story.NAME
        project.mkdir()
        note("six days of three agents: running their genes")
        story.build(project, SystemClock().now_us())
        if dashboard_start.can_show() and not (mode.as_json or mode.plain):
            raise typer.Exit(dashboard_start.open_dashboard(project, agent=story.SHOP, keeps_view=False))
        _list_entries(project, story.SHOP, mode)


def _list_entries(project: Path, agent: str, mode: terminal.Mode) -> None:
    with open_store(project) as store:
        entries = store.list_memory(agent)
        creators = view.creator_names(store.genes_seen(agent))
    if mode.as_json:
        output.write_json([view.to_json(entry, creators) for entry in entries])
    else:
        entry_rows.write(entries, creators, mode)


@contextmanager
def _throw_away_folder() -> Iterator[Path]:
    """A folder for its owner alone, which is gone afterwards: when a signal ends the program too."""

    def end(number: int, _: object) -> NoReturn:
        sys.exit(128 + number)

    kept = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with tempfile.TemporaryDirectory(prefix="rotifer-demo-") as folder:
            yield Path(folder)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
