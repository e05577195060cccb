"""`rotifer telemetry tail`: the events of refused accesses, a file of this machine's alone (REC-4, REC-6)."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from rotifer_console.cli import log_tail, output
from rotifer_console.cli.arguments import checked_action, checked_gene_name, checked_lines, is_v2_id
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_console.project import gene_names
from rotifer_console.view import logs as view
from rotifer_store import LogFilter, TelemetryRecord, open_store


def tail_telemetry(
    ctx: typer.Context,
    follow: log_tail.Follow = False,
    lines: log_tail.Lines = None,
    action: log_tail.Action = None,
    gene: log_tail.GeneOfLog = None,
    agent: log_tail.AgentOfLog = None,
    text: log_tail.Text = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the events, oldest first; with --follow it goes on."""
    wanted_lines = None if lines is None else checked_lines(lines)
    wanted_event = None if action is None else checked_action(action)
    if gene is not None and not is_v2_id(gene):
        checked_gene_name(gene)
    mode = mode_of(ctx)
    project = project_here()
    with open_store(project) as store:
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

        is_line = output.is_table(mode)
        columns = view.TELEMETRY_LINE_COLUMNS if is_line else view.TELEMETRY_COLUMNS

        def cells_of(events: Sequence[TelemetryRecord]) -> list[list[str]]:
            if is_line:
                names.learn(events)
                return [
                    row
                    for event in events
                    for row in log_tail.folded(view.telemetry_line(event, names.by_id))
                ]
            return [view.telemetry_cells(event) for event in events]

        if wanted_lines is not None:
            in_line = None if view.actions_called(text) else text  # the word for an event is in no line
            wanted = LogFilter(agent_id=agent_id, action=wanted_event, gene=gene, text=in_line)
            with store.telemetry_view() as log:
                log_tail.print_newest(
                    log, wanted, wanted_lines, columns, cells_of, mode, is_wanted, is_followed=follow
                )
            return
        with store.telemetry_tail() as tail:
            (log_tail.follow if follow else log_tail.print_all)(tail, columns, cells_of, mode, is_wanted)
