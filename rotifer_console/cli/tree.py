"""The command tree as data: what each command is called, what it says of itself, and where it lives.

Everything that walks the commands reads this: the groups, their help, the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `target` is `module:function` in this package; `variadic` options take several words."""

    target: str
    help: str
    variadic: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one word."""

    help: str
    members: Mapping[str, Command | Group] = field(default_factory=dict)


MEMORY: Final = Group(
    "What an agent's genes remember: listing and deleting. Values are written by genes only.",
    {
        "list": Command(
            "memory_list:list_entries",
            "Lists an agent's entries: key, category, size, creator, last update, expiry.\n\n"
            "Never shows values. Entries that have expired are removed first.",
        ),
        "delete": Command(
            "memory_delete:delete_entries",
            "Deletes one entry by key, or all of a category, and prints how many went.\n\n"
            "Works whatever the entries' access policies say. At a terminal a category is asked about first.",
        ),
    },
)

AGENT: Final = Group(
    "Agents: their genes, their quota, their memory.",
    {
        "create": Command(
            "agent_create:create_agent",
            "Creates an agent of one gene, or of several that run one after another, and prints its id.\n\n"
            "Genes share the agent's memory: let a gene begin its keys with its domain (dates/style), write "
            "PREFERENCE from trusted sources only, and put untrusted text into CACHE or give it days.",
            variadic=("--genes", "-g"),
        ),
        "list": Command(
            "agent_list:list_agents",
            "Lists the agents: genes, memory used and quota, next expiry, refusals in the last day.",
        ),
        "run": Command(
            "agent_run:run",
            "Runs an agent's genes on an input and prints the output.\n\n"
            "Genes run in this process, without a deadline: run only genes that you trust.",
        ),
        "genes": Command(
            "agent_genes:change_genes",
            "Prints an agent's genes, or changes them; its memory stays as it is.\n\n"
            "A change prints the entries that no gene of the new genome could read.",
            variadic=("--set",),
        ),
        "memory": MEMORY,
    },
)

ROOT: Final = Group(
    "Agents whose genes remember: a local store with access scopes, a quota, retention and an audit log.",
    {
        "init": Command("init:init_project", "Makes a folder a project, with an example gene in it."),
        "list": Command("gene_list:list_genes", "Lists the project's genes with their v2 ids."),
        "agent": AGENT,
        "memory": Group("The same as `agent memory`.", MEMORY.members),
    },
)
