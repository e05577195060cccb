"""`rotifer telemetry tail`: the events of refused accesses, a file of this machine's alone (REC-4, REC-6)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli import log_tail, suggest
from rotifer_console.cli.arguments import checked_action, checked_gene_name, is_v2_id
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, open_store_here
from rotifer_console.view import logs as view
from rotifer_store import Store, TelemetryRecord


def tail_telemetry(
    ctx: typer.Context,
    follow: log_tail.Follow = False,
    action: Annotated[
        str | None,
        typer.Option(
            metavar="EVENT",
            help="Only this event, such as memory_access_denied.",
            show_default=False,
            autocompletion=suggest.complete_action,
        ),
    ] = None,
    gene: Annotated[
        str | None,
        typer.Option(
            metavar="GENE",
            help="Only this gene's doing: its name or its v2 id.",
            show_default=False,
            autocompletion=suggest.complete_gene,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only this agent's memory.",
            show_default=False,
            autocompletion=suggest.complete_agent,
        ),
    ] = None,
    text: log_tail.Text = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the events, oldest first; with --follow it goes on."""
    wanted_event = None if action is None else checked_action(action)
    if gene is not None and not is_v2_id(gene):
        checked_gene_name(gene)
    with open_store_here() as store, store.telemetry_tail() as tail:
        agent_id = None if agent is None else agent_named(store, agent).id

        def is_wanted(event: TelemetryRecord) -> bool:
            return (
                wanted_event in (None, event.event)
                and agent_id in (None, event.agent_id)
                and (gene is None or event.gene_id in _ids_called(store, gene))
                and (text is None or view.holds_text(event, text))
            )

        (log_tail.follow if follow else log_tail.print_all)(
            tail,
            view.TELEMETRY_COLUMNS,
            lambda events: [view.telemetry_cells(event) for event in events],
            mode_of(ctx),
            is_wanted,
        )


def _ids_called(store: Store, gene: str) -> set[str]:
    """The v2 ids that a name or an id means, as they are known now (AGT-10)."""
    seen = (each for agent in store.agents() for each in store.genes_seen(agent))
    return {gene, *(each.gene_id for each in seen if each.name == gene)}
