"""`rotifer agent genes`: what an agent is made of, and changing it without touching its memory (AGT-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from rotifer_console.cli import entry_rows, output
from rotifer_console.cli.arguments import checked_gene_names
from rotifer_console.cli.exits import Refused, UsageRefused, note
from rotifer_console.cli.options import AgentName, AsJson, Plain, mode_of
from rotifer_console.cli.stores import agent_named, genes_named, project_here
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.genes.composition import InvalidComposition, Kind, recompose
from rotifer_console.view import agents as agents_view
from rotifer_console.view import entries as entries_view
from rotifer_console.view.safe_text import clipped
from rotifer_store import Agent, InvalidAgent, open_store


def change_genes(
    ctx: typer.Context,
    name: AgentName,
    new_genes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="GENE...", help="The new genes, in order.", show_default=False),
    ] = None,
    replacements: Annotated[
        list[str] | None,
        typer.Option("--replace", metavar="OLD=NEW", help="One gene by another.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what a change would do.", show_default=False)
    ] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Prints the genome, or changes it and prints the entries that no gene of the new one could read."""
    if new_genes and replacements:
        raise UsageRefused("--set and --replace exclude each other")
    if dry_run and not (new_genes or replacements):
        raise UsageRefused("--dry-run needs --set or --replace")
    wanted = checked_gene_names(new_genes or [])
    pairs = [_checked_pair(text) for text in replacements or []]
    mode = mode_of(ctx)
    project = project_here()
    with open_store(project) as store:
        agent = agent_named(store, name)
        if not wanted and not pairs:
            if mode.as_json:
                output.write_json(agents_view.genome_json(agent))
            else:
                output.write_rows(agents_view.GENOME_COLUMNS, [[gene] for gene in agent.genes], mode)
                if agent.composition.get("type") not in (Kind.SINGLE, Kind.SEQ):
                    note(agents_view.describe_composition(agent))
            return
        names = wanted or _replaced(agent.genes, pairs)
        composition = _kept_composition(agent, names)
        genome = genes_named(project, names)
        orphans = store.orphans(agent, genome)
        creators = entries_view.creator_names(store.genes_seen(agent))
        is_change = names != list(agent.genes) or composition != agent.composition
        if is_change and not dry_run:  # what is as it was is no change, of which the log would have to tell
            store.set_genome(agent, genome, composition)
    changed = {"genes": names, "composition": composition, "dryRun": dry_run}
    if mode.as_json:
        entries = [entries_view.to_json(entry, creators) for entry in orphans]
        output.write_json({**agents_view.genome_json(agent), **changed, "orphans": entries})
        return
    entry_rows.write(orphans, creators, mode)
    told = agents_view.describe_genome(names, composition)
    verb = "nothing to change in" if not is_change else "would change" if dry_run else "changed"
    note(
        f"{verb} {agent.name}{' to' if is_change else ':'} {told}; "
        + (
            f"{entries_view.count(len(orphans))} that none of them can read"
            if orphans
            else "no entry is cut off"
        )
    )


def _kept_composition(agent: Agent, names: Sequence[str]) -> dict[str, object]:
    try:
        return recompose(agent.composition, len(names)).to_json()
    except InvalidComposition as error:
        raise Refused(InvalidAgent.code, f"agent {agent.name}: {error}") from None


def _checked_pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not equals:
        raise UsageRefused(f"--replace {clipped(text)} is not of the form OLD=NEW")
    old, new = checked_gene_names([old])[0], checked_gene_names([new])[0]
    return old, new


def _replaced(genes: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    names = list(genes)
    for old, new in pairs:
        if old not in names:
            hint = did_you_mean(old, names) or f"it has {', '.join(names)}"
            raise Refused("GENE_NOT_FOUND", f"the agent has no gene {old}", hint=hint)
        names = [new if name == old else name for name in names]
    return names
