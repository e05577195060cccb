"""The project's store as commands open it, and agents and genes looked up with a hint (CLI-5)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rotifer_console.cli.exits import Refused
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.errors import ProjectNotFound
from rotifer_console.project import find_project, gene_names, gene_path
from rotifer_console.view.safe_text import clipped
from rotifer_store import Agent, AgentNotFound, Gene, GeneNotFound, Store, open_store


def project_here() -> Path:
    """The root of the project that the working folder lies in (GEN-1)."""
    try:
        return find_project()
    except ProjectNotFound as error:
        raise Refused(error.code, str(error), hint="`rotifer init` makes a project here") from None


def open_store_here() -> Store:
    """The store of the project that the working folder lies in; it is a context manager."""
    return open_store(project_here())


def agent_named(store: Store, name: str) -> Agent:
    """The agent of that name."""
    try:
        return store.agent(name)
    except AgentNotFound as error:
        names = [agent.name for agent in store.agents()]
        hint = did_you_mean(name, names) or "`rotifer agent list` lists the agents"
        raise Refused(error.code, f"there is no agent {clipped(name)}", hint=hint) from None


def genes_named(project: Path, names: Sequence[str]) -> list[Gene]:
    """The project's genes of those names, which have been checked, in that order."""
    genes = []
    for name in names:
        try:
            genes.append(Gene.from_folder(gene_path(project, name)))
        except GeneNotFound as error:
            hint = did_you_mean(name, gene_names(project)) or "`rotifer list` lists the project's genes"
            raise Refused(error.code, str(error), hint=hint) from None
    return genes
