"""`rotifer audit tail`: the audit log, record by record, and what is added to it (REC-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from rotifer_console.cli import log_tail, output, suggest
from rotifer_console.cli.arguments import checked_action, checked_gene_name, checked_since, is_v2_id
from rotifer_console.cli.exits import Refused
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, project_here
from rotifer_console.project import gene_names
from rotifer_console.view import logs as view
from rotifer_console.view.entries import creator_names
from rotifer_store import AuditRecord, Store, open_store


def tail_audit(
    ctx: typer.Context,
    follow: log_tail.Follow = False,
    action: Annotated[
        str | None,
        typer.Option(
            metavar="ACTION",
            help="Only this action, such as memory_write.",
            show_default=False,
            autocompletion=suggest.complete_action,
        ),
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="K", help="Only this entry's key, as --key=K.", show_default=False)
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
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only from then on: an RFC 3339 time, or 1d.", show_default=False),
    ] = None,
    text: log_tail.Text = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the matching records, oldest first; with --follow it goes on, across rotations."""
    wanted_action = None if action is None else checked_action(action)
    if gene is not None and not is_v2_id(gene):
        checked_gene_name(gene)
    wanted_since = None if since is None else checked_since(since)
    mode = mode_of(ctx)
    project = project_here()
    with open_store(project) as store:
        owner = None if agent is None else agent_named(store, agent)
        if gene is not None:
            _require_known(store, gene, gene_names(project))
        names = _Names(store)
        columns, cells = (
            (view.AUDIT_LINE_COLUMNS, view.audit_line)
            if output.is_table(mode)
            else (view.AUDIT_COLUMNS, view.audit_cells)
        )

        def cells_of(records: Sequence[AuditRecord]) -> list[list[str]]:
            names.learn(records)
            return [cells(record, names.by_id) for record in records]

        with store.audit_tail(owner, action=wanted_action, key=key, gene=gene, since=wanted_since) as tail:
            (log_tail.follow if follow else log_tail.print_all)(
                tail, columns, cells_of, mode, lambda record: text is None or view.holds_text(record, text)
            )


def _require_known(store: Store, gene: str, project_genes: Sequence[str]) -> None:
    """Refuses a name that no gene ever had here: a slip would look like silence (CLI-5)."""
    known = {*project_genes, *_names_by_id(store).values()}
    if gene not in known and not is_v2_id(gene):
        hint = suggest.did_you_mean(gene, known) or "`rotifer list` lists the project's genes"
        raise Refused("GENE_NOT_FOUND", f"no gene called {gene} is here or has acted here", hint=hint)


def _names_by_id(store: Store) -> dict[str, str]:
    return creator_names(seen for agent in store.agents() for seen in store.genes_seen(agent))


class _Names:
    """The names of the genes that acted; a class because a gene may act for the first time meanwhile."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.by_id = _names_by_id(store)

    def learn(self, records: Sequence[AuditRecord]) -> None:
        """Looks again where the records tell of a gene not known yet."""
        if not {record.gene_id for record in records} <= {None, *self.by_id}:
            self.by_id = _names_by_id(self._store)
