"""The project's store as commands open it, and agents and genes looked up with a hint (CLI-5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rotifer_console.cli.exits import Refused
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.errors import ProjectNotFound
from rotifer_console.project import find_project, gene_names, gene_path
from rotifer_console.view.safe_text import clipped
from rotifer_store import (
    Agent,
    AgentNotFound,
    ErrorCode,
    Gene,
    GeneNotFound,
    MemoryNotFound,
    MemoryStorageError,
    Store,
    open_store,
)


def project_here() -> Path:
    """The root of the project that the working folder lies in (GEN-1)."""
    try:
        return find_project()
    except ProjectNotFound as error:
        raise Refused(error.code, str(error), hint="`rotifer init` makes a project here") from None


def open_store_here() -> Store:
    """The store of the project that the working folder lies in; it is a context manager."""
    return open_store(project_here())


def open_store_to_look() -> Store:
    """The same store for a rehearsal: nothing is written, what has expired is hidden and stays.

    A store that cannot be read, or is not there yet, is opened as any command opens it, which says so or
    makes an empty one.
    """
    try:
        return open_store(project_here(), read_only=True)
    except MemoryStorageError:
        return open_store_here()


def agent_named(store: Store, name: str) -> Agent:
    """The agent of that name."""
    try:
        return store.agent(name)
    except AgentNotFound as error:
        names = [agent.name for agent in store.agents()]
        hint = did_you_mean(name, names) or "`rotifer agent list` lists the agents"
        raise Refused(error.code, f"there is no agent {clipped(name)}", hint=hint) from None


def no_such_entry(store: Store, agent: Agent, key: str) -> Refused:
    """The library's refusal, naming the key, with a hint at one that is there (CLI-5)."""
    message = f"{agent.name} has no entry {clipped(key)}"
    return Refused(ErrorCode.MEMORY_NOT_FOUND, message, hint=near_key(store, agent, key))


def near_key(store: Store, agent: Agent, key: str) -> str | None:
    """A hint at the live key that is nearest to one that is not there; nothing is changed or recorded."""
    return did_you_mean(key, (entry.key for entry in store.find(agent, "")))


def require_entries(store: Store, agent: Agent, keys: Iterable[str]) -> None:
    """Refuses by name the first of the keys under which there is no entry (AGT-4)."""
    for key in keys:
        try:
            store.peek_value(agent, key)
        except MemoryNotFound:
            raise no_such_entry(store, agent, key) from None


def genes_named(project: Path, names: Sequence[str]) -> list[Gene]:
    """The project's genes of those names, which have been checked, in that order."""
    genes = []
    for name in names:
        try:
            genes.append(Gene.from_folder(gene_path(project, name)))
        except GeneNotFound as error:
            raise no_such_gene(error, project, name) from None
    return genes


def no_such_gene(error: GeneNotFound, project: Path, name: str) -> Refused:
    """The library's refusal, with a hint at what the project has."""
    hint = did_you_mean(name, gene_names(project)) or "`rotifer list` lists the project's genes"
    return Refused(error.code, str(error), hint=hint)
