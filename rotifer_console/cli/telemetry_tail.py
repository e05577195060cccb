"""`rotifer telemetry tail`: the events of refused accesses, a file of this machine's alone (REC-4, REC-6)."""

from __future__ import annotations

import typer

from rotifer_console.cli import log_tail
from rotifer_console.cli.arguments import checked_action, checked_gene_name, is_v2_id
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_console.project import gene_names
from rotifer_console.view import logs as view
from rotifer_store import TelemetryRecord, open_store


def tail_telemetry(
    ctx: typer.Context,
    follow: log_tail.Follow = False,
    action: log_tail.Action = None,
    gene: log_tail.GeneOfLog = None,
    agent: log_tail.AgentOfLog = None,
    text: log_tail.Text = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the events, oldest first; with --follow it goes on."""
    wanted_event = None if action is None else checked_action(action)
    if gene is not None and not is_v2_id(gene):
        checked_gene_name(gene)
    project = project_here()
    with open_store(project) as store, store.telemetry_tail() as tail:
        names = log_tail.GeneNames(store)
        if gene is not None:
            names.require(gene, gene_names(project))
        agent_id = None if agent is None else agent_named(store, agent).id

        def is_wanted(event: TelemetryRecord) -> bool:
            if gene is not None:
                names.learn([event])
            return (
                wanted_event in (None, event.event)
                and agent_id in (None, event.agent_id)
                and (gene is None or gene in (event.gene_id, names.by_id.get(event.gene_id or "")))
                and (text is None or view.holds_text(event, text))
            )

        (log_tail.follow if follow else log_tail.print_all)(
            tail,
            view.TELEMETRY_COLUMNS,
            lambda events: [view.telemetry_cells(event) for event in events],
            mode_of(ctx),
            is_wanted,
        )
