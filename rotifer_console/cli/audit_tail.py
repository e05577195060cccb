"""`rotifer audit tail`: the audit log, record by record, and what is added to it (REC-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from rotifer_console.cli import log_tail, output
from rotifer_console.cli.arguments import (
    checked_action,
    checked_gene_name,
    checked_lines,
    checked_since,
    is_v2_id,
)
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_console.project import gene_names
from rotifer_console.view import logs as view
from rotifer_store import AuditRecord, LogFilter, open_store


def tail_audit(
    ctx: typer.Context,
    follow: log_tail.Follow = False,
    lines: log_tail.Lines = None,
    action: log_tail.Action = None,
    key: Annotated[
        str | None, typer.Option(metavar="K", help="Only this entry's key, as --key=K.", show_default=False)
    ] = None,
    gene: log_tail.GeneOfLog = None,
    agent: log_tail.AgentOfLog = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only from then on: an RFC 3339 time, or 1d.", show_default=False),
    ] = None,
    text: log_tail.Text = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the matching records, oldest first; with --follow it goes on, across rotations."""
    wanted_lines = None if lines is None else checked_lines(lines)
    wanted_action = None if action is None else checked_action(action)
    if gene is not None and not is_v2_id(gene):
        checked_gene_name(gene)
    wanted_since = None if since is None else checked_since(since)
    mode = mode_of(ctx)
    project = project_here()
    with open_store(project) as store:
        owner = None if agent is None else agent_named(store, agent)
        names = log_tail.GeneNames(store)
        if gene is not None:
            names.require(gene, gene_names(project))
        is_line = output.is_table(mode)
        columns = view.AUDIT_LINE_COLUMNS if is_line else view.AUDIT_COLUMNS

        def cells_of(records: Sequence[AuditRecord]) -> list[list[str]]:
            names.learn(records)
            if is_line:
                return [
                    row for record in records for row in log_tail.folded(view.audit_line(record, names.by_id))
                ]
            return [view.audit_cells(record, names.by_id) for record in records]

        def is_wanted(record: AuditRecord) -> bool:
            return text is None or view.holds_text(record, text)

        if wanted_lines is not None:
            agent_id = None if owner is None else owner.id
            in_line = None if view.actions_called(text) else text  # the word for an action is in no line
            wanted = LogFilter(agent_id, wanted_action, key, gene, wanted_since, in_line)
            with store.audit_view() as log:
                log_tail.print_newest(
                    log, wanted, wanted_lines, columns, cells_of, mode, is_wanted, is_followed=follow
                )
            return
        with store.audit_tail(owner, action=wanted_action, key=key, gene=gene, since=wanted_since) as tail:
            (log_tail.follow if follow else log_tail.print_all)(tail, columns, cells_of, mode, is_wanted)
