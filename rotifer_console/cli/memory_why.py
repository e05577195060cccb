"""`rotifer agent memory why`: the life of a key, present or gone, from the audit log (REC-1)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, near_key, open_store_to_look
from rotifer_console.view import life as view
from rotifer_console.view.entries import creator_names
from rotifer_console.view.safe_text import clipped


def tell_life(
    ctx: typer.Context,
    name: AgentName,
    key: Annotated[str, typer.Option(metavar="K", help="The entry's key, as --key=K.", show_default=False)],
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints what the log tells of the key, oldest first, a sentence a line."""
    mode = mode_of(ctx)
    with open_store_to_look() as store:
        agent = agent_named(store, name)
        events = store.life(agent, key)
        genes = creator_names(store.genes_seen(agent))
        hint = None
        if not events and not mode.as_json:
            hint = near_key(store, agent, key)
    if mode.as_json:
        output.write_json([view.to_json(event, genes) for event in events])
        return
    exact = not output.is_table(mode)
    output.write_rows(view.COLUMNS, [view.cells(event, genes, exact=exact) for event in events], mode)
    if not events:
        note(f"the audit log tells nothing of {clipped(key)} in {agent.name}")
        if hint is not None:
            note(f"hint: {hint}")
