"""`rotifer agent memory show`: everything of one entry; its value only when asked for (AGT-3)."""

from __future__ import annotations

import base64
from typing import Annotated, Final

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import UsageRefused, note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, no_such_entry, open_store_to_look
from rotifer_console.view import entries as view
from rotifer_console.view.columns import MEMBER_COLUMNS
from rotifer_console.view.values import shown_value
from rotifer_store import MemoryNotFound, SystemClock

_SHOWN_BYTES: Final = 4096


def show_entry(
    ctx: typer.Context,
    name: AgentName,
    key: Annotated[str, typer.Option(metavar="K", help="The entry's key, as --key=K.", show_default=False)],
    reveal: Annotated[
        bool,
        typer.Option("--reveal", help="The value too: as text or hex, its beginning.", show_default=False),
    ] = False,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Only the value, its very bytes; not to a terminal.", show_default=False),
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints one entry; looking changes nothing, not even who read it last (ENT-4)."""
    mode = mode_of(ctx)
    if raw and (reveal or mode.as_json):
        raise UsageRefused(f"--raw excludes {'--reveal' if reveal else '--json'}")
    if raw:
        output.require_no_terminal("--raw")
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        try:
            value = store.peek_value(agent, key)
        except MemoryNotFound:
            raise no_such_entry(store, agent, key) from None
        entry = next((entry for entry in store.list_memory(agent) if entry.key == key), None)
        if entry is None:
            raise no_such_entry(store, agent, key)  # it has gone since
        creators = view.creator_names(store.genes_seen(agent))
    if raw:
        output.write_bytes(value)
    elif mode.as_json:
        shown = {"value": base64.b64encode(value).decode()} if reveal else {}
        output.write_json({**view.to_json(entry, creators), **shown})
    else:
        cells = view.detail_cells(entry, creators, SystemClock().now_us(), exact=not output.is_table(mode))
        if reveal:
            beginning = shown_value(value, _SHOWN_BYTES)
            cells.append([f"Value ({beginning.form})", beginning.text])
            if beginning.is_cut:
                note(f"the value is cut: {beginning.remark}; --raw writes all of it")
        output.write_rows(MEMBER_COLUMNS, cells, mode)
