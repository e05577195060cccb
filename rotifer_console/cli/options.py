"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import suggest, terminal
from rotifer_store import MemoryCategory


def mode_of(ctx: typer.Context) -> terminal.Mode:
    """How this call prints, as the options seen so far say."""
    mode = ctx.find_object(terminal.Mode)
    return terminal.Mode() if mode is None else mode


def _set_json(ctx: typer.Context, value: bool) -> bool:
    mode_of(ctx).as_json |= value
    return value


def _set_plain(ctx: typer.Context, value: bool) -> bool:
    mode_of(ctx).plain |= value
    return value


AsJson = Annotated[
    bool, typer.Option("--json", callback=_set_json, help="Print JSON, errors too.", show_default=False)
]
Plain = Annotated[
    bool,
    typer.Option("--plain", callback=_set_plain, help="No table and no colour.", show_default=False),
]
AgentName = Annotated[
    str, typer.Argument(metavar="NAME", help="The agent's name.", autocompletion=suggest.complete_agent)
]
GeneName = Annotated[
    str, typer.Argument(metavar="GENE", help="The gene's name.", autocompletion=suggest.complete_gene)
]
CategoryName = Annotated[
    str | None,
    typer.Option(
        "--category",
        metavar="C",
        help=", ".join(MemoryCategory),
        show_default=False,
        autocompletion=suggest.complete_category,
    ),
]
ExportedFile = Annotated[
    str, typer.Argument(metavar="FILE", help="What an export wrote; - reads stdin.", show_default=False)
]
