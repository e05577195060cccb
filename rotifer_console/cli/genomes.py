"""The genes that a question about a memory names: an agent's genome, or one gene, gone ones too (AGT-10)."""

from __future__ import annotations

from pathlib import Path

from rotifer_console.cli.arguments import checked_gene_name, is_v2_id
from rotifer_console.cli.exits import Refused, note
from rotifer_console.cli.stores import genes_named
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.genes.listing import list_genome, list_project_genes
from rotifer_console.project import gene_names
from rotifer_console.view.safe_text import clipped
from rotifer_store import Agent, Gene, Store


def genome_of(project: Path, agent: Agent) -> list[Gene]:
    """The agent's genes as their folders are now; one that cannot be read is told of and left out (AGT-1)."""
    genome = []
    for gene in list_genome(project, agent.genes):
        if gene.folder is None:
            note(f"warning: {gene.problem}; it counts as gone")
        else:
            folder = gene.folder
            genome.append(Gene(folder.gene_id, folder.domain, folder.name, folder.version))
    return genome


def gene_called(store: Store, project: Path, agent: Agent, text: str) -> Gene:
    """The gene of that name or v2 id: of the project, or one that acted on the agent's memory (AGT-10)."""
    seen = [Gene(gene.gene_id, gene.domain, gene.name, gene.version) for gene in store.genes_seen(agent)]
    if is_v2_id(text):
        folders = [gene.folder for gene in list_project_genes(project) if gene.folder is not None]
        here = [Gene(folder.gene_id, folder.domain, folder.name, folder.version) for folder in folders]
        called = [gene for gene in (*here, *seen) if gene.id == text][:1]
        names = []
    else:
        names = gene_names(project)
        if text in names:
            return genes_named(project, [checked_gene_name(text)])[0]
        called = [gene for gene in seen if gene.name == text]
        names += [gene.name for gene in seen if gene.name is not None]
    if len(called) == 1:
        return called[0]
    if called:
        hint = f"give the v2 id of one of them: {', '.join(str(gene.id) for gene in called)}"
        message = f"{len(called)} genes called {clipped(text)} have acted here, and none is here now"
    else:
        hint = did_you_mean(text, names) or "`rotifer list` lists the project's genes"
        message = f"no gene called {clipped(text)} is here or has acted here"
    raise Refused("GENE_NOT_FOUND", message, hint=hint)
