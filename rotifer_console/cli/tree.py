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
    """Commands under one word; `absent` has a hint for words that people look for in vain."""

    help: str
    members: Mapping[str, Command | Group] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)


MEMORY: Final = Group(
    "What an agent's genes remember: looking, deleting, moving. Values are written by genes only.",
    {
        "list": Command(
            "memory_list:list_entries",
            "Lists an agent's entries: key, category, size, creator, last update, expiry.\n\n"
            "Never shows values. Entries that have expired are removed first.\n\n"
            "Sorted by update and by size the newest and the largest come first, by expiry the next to go."
            "\n\n"
            "A filter is a part of the key, re:PATTERN, cat:CACHE, gene:NAME, size>10k, expires<1h; of "
            "several, parted by blanks, all must hold.",
        ),
        "show": Command(
            "memory_show:show_entry",
            "Shows one entry: policies, times, who wrote and read it; the value only when asked for.\n\n"
            "Looking changes nothing. What is revealed is cut where it is long, and that is said; --raw "
            "writes all of it, as it is, and refuses a terminal.",
        ),
        "delete": Command(
            "memory_delete:delete_entries",
            "Deletes one entry by key, or all of a category, and prints how many went.\n\n"
            "Works whatever the entries' access policies say. At a terminal a category is asked about first. "
            "Of several keys all go or none.",
        ),
        "usage": Command(
            "memory_usage:show_usage",
            "Shows what each category takes of the quota.\n\n"
            "With --warn-at the exit status is 1 where that much of the quota is used, or more.",
        ),
        "forecast": Command(
            "memory_forecast:forecast",
            "Shows what a write of a new key would evict, in order, or that it would fail.\n\n"
            "It is what the write itself would do now: CACHE goes first, then PATTERN, then CONTEXT, the "
            "oldest update first and no more than needed; PREFERENCE stays. Changes nothing.",
        ),
        "why": Command(
            "memory_why:tell_life",
            "Tells a key's life from the audit log, whether it is there or gone.\n\n"
            "When it was written, refused, deleted, expired, and what it was evicted for; oldest first, from "
            "rotated files too. A change that was never saved is left out.",
        ),
        "access": Command(
            "memory_access:show_access",
            "Shows which entries a gene may read, write and delete, and by which rule.\n\n"
            "The gene is one of the project's, or one that acted on this memory. A write is one that leaves "
            "the entry's policies as they are; the quota is not looked at. Nothing is tried or recorded.",
        ),
        "orphans": Command(
            "memory_orphans:list_orphans",
            "Lists the entries that no gene of the agent can read, and what they take of the quota.\n\n"
            "Removes none of them: `memory delete` does.",
        ),
        "review": Command(
            "memory_review:review",
            "Lists entries worth a look, with reasons: what may have been planted.\n\n"
            "Reasons are a PREFERENCE that never expires, by a gene outside the genome; hidden characters; "
            "text that reads like an order to a model; a burst of writes after refusals; encoded URLs and "
            "scripts. "
            "Of a value the first 256 KB are looked at, and nothing of it is printed. What is found may be "
            "harmless; none of it is removed.",
        ),
        "find": Command(
            "memory_find:find",
            "Lists the entries whose key holds a text, or with --values whose value does.\n\n"
            "Compared exactly, upper and lower case apart. Never shows values, removes nothing.",
        ),
        "export": Command(
            "agent_export:export_entries",
            "Writes an agent and its entries into a new file.\n\n"
            "The same as `agent export`: CACHE is left out unless asked for, and no file is overwritten.",
        ),
        "import": Command(
            "memory_import:import_entries",
            "Brings exported entries into an agent, all or none, and prints how many came.\n\n"
            "Back into the agent they came from; into another one only with --copy-private, because entries "
            "are private to their agent. Nothing is evicted for them, and no key is overwritten.",
        ),
        "verify": Command(
            "memory_verify:verify_store",
            "Holds the store and its logs against each other and prints what does not agree.\n\n"
            "Exit status 1 where anything is found. Puts nothing right.",
        ),
        "sweep": Command(
            "memory_sweep:sweep",
            "Removes what has expired now, and prints how many entries went.\n\n"
            "Without it that happens at the agent's next read, query, write, delete or listing.",
        ),
    },
)

AGENT: Final = Group(
    "Agents: their genes, their quota, their memory.",
    {
        "create": Command(
            "agent_create:create_agent",
            "Creates an agent of one gene, or of several that run together, and prints its id.\n\n"
            "Genes share the agent's memory: let a gene begin its keys with its domain (dates/style), write "
            "PREFERENCE from trusted sources only, and put untrusted text into CACHE or give it days.",
            variadic=("--genes", "-g"),
        ),
        "list": Command(
            "agent_list:list_agents",
            "Lists the agents: genes, memory used and quota, next expiry, refusals in the last day.",
        ),
        "show": Command(
            "agent_show:show_agent",
            "Shows one agent: its genes and their v2 ids, memory used, policies, next expiry, refusals.",
        ),
        "run": Command(
            "agent_run:run",
            "Runs an agent's genes on an input and prints the output.\n\n"
            "Each gene is ended after --timeout, with what it started. In Python it can do what you can, in "
            "TypeScript it can use the network: run only genes that you trust.",
        ),
        "genes": Command(
            "agent_genes:change_genes",
            "Prints an agent's genes, or changes them; its memory stays as it is.\n\n"
            "A change prints the entries that no gene of the new genome could read. How several genes run "
            "together stays, too.",
            variadic=("--set",),
        ),
        "policy": Command(
            "agent_policy:show_or_change_policy",
            "Prints an agent's quota and data policy, or changes them.\n\n"
            "A change prints the entries that expire at once, and those that stay although their policies "
            "no longer fit. A quota below what is used only stops growth. --dry-run prints the same and "
            "changes nothing. At a terminal it asks first where entries would expire.",
        ),
        "export": Command(
            "agent_export:export_entries",
            "Writes an agent and its entries into a new file, which `agent import` takes.\n\n"
            "CACHE is left out unless asked for. The file is for its owner alone; none is overwritten.",
        ),
        "import": Command(
            "agent_import:import_agent",
            "Brings an exported agent into this project under its own id, and prints that id.\n\n"
            "All or nothing. Its genes come as names: the project must have them before it runs.",
        ),
        "memory": MEMORY,
    },
    absent={
        **dict.fromkeys(
            ("delete", "remove", "rm"),
            "an agent cannot be deleted yet; `rotifer agent memory delete` deletes its entries",
        ),
        "rename": "an agent cannot be renamed yet",
    },
)

AUDIT: Final = Group(
    "The audit log: every change of a memory and every refusal, in a chain that shows what was removed.",
    {
        "tail": Command(
            "audit_tail:tail_audit",
            "Prints the log's records, oldest first, or those that match.\n\n"
            "With -f it goes on with what is written, across rotations, until Ctrl-C. Lines that cannot be "
            "read are counted on stderr. With --json it prints one array, with -f too an object a line.",
        ),
        "verify": Command(
            "audit_verify:verify_audit",
            "Says where the log begins, and prints where its chain or the store does not agree with it.\n\n"
            "Exit status 1 where anything is found. Puts nothing right.",
        ),
        "rotate": Command(
            "audit_rotate:rotate_audit",
            "Closes the log under a dated name, begins the next, and prints the closed file's path.",
        ),
    },
)

TELEMETRY: Final = Group(
    "The events of refused accesses: a file beside the audit log, which never leaves this machine.",
    {
        "tail": Command(
            "telemetry_tail:tail_telemetry",
            "Prints the events, oldest first; with -f it goes on with what is written, until Ctrl-C.",
        ),
    },
)

ROOT: Final = Group(
    "Agents whose genes remember: a local store with access scopes, a quota, retention and an audit log.",
    {
        "init": Command("init:init_project", "Makes a folder a project, with example genes in it."),
        "list": Command("gene_list:list_genes", "Lists the project's genes with their v2 ids."),
        "wrap": Command(
            "gene_wrap:wrap",
            "Gives a gene's folder what its phenotype lacks, and prints the gene's v2 id.\n\n"
            "What is there stays, but for the domain. Genes of one domain share what they remember: let a "
            "gene begin its keys with its domain (dates/style), write PREFERENCE from trusted sources only, "
            "and put untrusted text into CACHE or give it days.",
        ),
        "compile": Command(
            "gene_compile:compile_gene",
            "Checks a gene, and prints the files that its v2 id is made of and the id; writes nothing.\n\n"
            "Says when the store knows the gene by other ids alone, whose entries may be closed to this one; "
            "once the gene has used memory under its new id, no more.",
        ),
        "run": Command(
            "gene_run:run",
            "Runs one gene on an input and prints the output.\n\n"
            "Without an agent there is no memory: every memory call is refused, and nothing is recorded.",
        ),
        "test": Command(
            "gene_test:try_out",
            "Tries a gene on memory that is thrown away: its schemas, one generated input, its suite.\n\n"
            "The cases of testsuite.json run in order, share one memory, and each may move the clock by its "
            "advanceSeconds. No agent's memory or log is touched. Exit status 1 where a check failed.",
        ),
        "agent": AGENT,
        "memory": Group("The same as `agent memory`.", MEMORY.members),
        "audit": AUDIT,
        "telemetry": TELEMETRY,
        "console": Command(
            "console:open_console",
            "Shows what agents remember on a screen that follows the store: the dashboard.\n\n"
            "? lists its keys and q leaves it. Whatever it does, a command does too, and it shows which. "
            "Its keys and its theme are set in ~/.config/rotifer/console.toml. With --snapshot it needs no "
            "terminal and makes one picture: keys are on it, values never. --screen is one of entries, "
            "agents, detail, forecast, delete, audit, telemetry, why, access, review, orphans, create, "
            "policy, help, palette.",
        ),
        "demo": Command(
            "demo:show_demo",
            "Builds a throw-away project whose agents have run for days, and opens the dashboard on it.\n\n"
            "Where there is no terminal it prints what the agents remember. The project is gone afterwards.",
        ),
        "doctor": Command(
            "doctor:examine",
            "Looks at what the store runs on, and says what is well, what to watch and what is wrong.\n\n"
            "Exit status 1 where something is wrong. Puts nothing right and makes no store.",
        ),
    },
)
