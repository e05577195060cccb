"""Agents for people: columns, cells, sentences, and the JSON that `agent list` prints (CLI-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rotifer_console.genes.composition import Kind, Merge
from rotifer_console.view import instants
from rotifer_console.view.columns import Column
from rotifer_console.view.entries import count, describe_retention
from rotifer_console.view.safe_text import json_text
from rotifer_console.view.sizes import format_percent, format_size, size_cell
from rotifer_store import Agent, DataPolicy, EntryInfo, MemoryUsage, PolicyPreview

if TYPE_CHECKING:
    from rotifer_console.genes.listing import ListedGene

COLUMNS: Final = (
    Column("Agent"),
    Column("Genes"),
    Column("Runs as", style="cyan"),
    Column("Used", right=True),
    Column("Quota", right=True),
    Column("Next expiry"),
    Column("Refused", right=True),
    Column("Agent ID"),
)
TABLE_COLUMNS: Final = COLUMNS[:-1]
"""A table has no room for the id, and people call an agent by its name."""

GENOME_COLUMNS: Final = (Column("Gene"),)
USAGE_COLUMNS: Final = (
    Column("Category", style="cyan"),
    Column("Entries", right=True),
    Column("Size", right=True),
    Column("Of quota", right=True),
)
_NOT_RESOLVED: Final = "-"
_OUTPUT_OF_PAR: Final[Mapping[str, str]] = {
    Merge.FIRST: " (the first that succeeds gives the output)",
    Merge.CONCAT: " (the output holds all of theirs)",
    Merge.MERGE: " (the output holds all of theirs)",
}


@dataclass(frozen=True, slots=True)
class AgentLine:
    """An agent with what a listing tells of it. `next_expiry` is the entry that expires first."""

    agent: Agent
    used_bytes: int
    next_expiry: EntryInfo | None
    refusals_last_day: int


def plain_cells(line: AgentLine, now_us: int) -> list[str]:
    """Exact cells: sizes in bytes, genes parted by commas."""
    agent, next_expiry = line.agent, line.next_expiry
    return [
        agent.name,
        ",".join(agent.genes),
        str(agent.composition.get("type")),
        str(line.used_bytes),
        str(agent.memory_quota_bytes),
        instants.NEVER
        if next_expiry is None
        else instants.expiry(next_expiry.expires_at, next_expiry.expires_at_us, now_us),
        str(line.refusals_last_day),
        agent.id,
    ]


def table_cells(line: AgentLine, now_us: int) -> list[str]:
    """Cells for a table at a terminal: sizes rounded, the time that is left, no id."""
    cells = plain_cells(line, now_us)[: len(TABLE_COLUMNS)]
    cells[1] = ", ".join(line.agent.genes)
    cells[3] = size_cell(line.used_bytes)
    cells[4] = size_cell(line.agent.memory_quota_bytes)
    cells[5] = instants.countdown(line.next_expiry.expires_at_us if line.next_expiry else None, now_us)
    return cells


def to_json(line: AgentLine) -> dict[str, object]:
    """`{id, name, genes, composition, quotaBytes, usedBytes, nextExpiryAt, refusalsLastDay}`."""
    expires_at = None if line.next_expiry is None else line.next_expiry.expires_at
    return {
        **genome_json(line.agent),
        "quotaBytes": line.agent.memory_quota_bytes,
        "usedBytes": line.used_bytes,
        "nextExpiryAt": None if expires_at is None else instants.exact(expires_at),
        "refusalsLastDay": line.refusals_last_day,
    }


def created_json(agent: Agent) -> dict[str, object]:
    """`{id, name, genes, composition, quotaBytes, dataPolicy}`."""
    return {
        **genome_json(agent),
        "quotaBytes": agent.memory_quota_bytes,
        "dataPolicy": agent.data_policy.to_json(),
    }


def genome_json(agent: Agent) -> dict[str, object]:
    """`{id, name, genes, composition}`."""
    return {
        "id": agent.id,
        "name": agent.name,
        "genes": list(agent.genes),
        "composition": dict(agent.composition),
    }


def describe(agent: Agent) -> str:
    """A sentence's worth: `my-agent: a, then b, quota 10 MB`."""
    genome = describe_genome(agent.genes, agent.composition)
    return f"{agent.name}: {genome}, quota {format_size(agent.memory_quota_bytes)}"


def describe_genome(genes: Sequence[str], composition: Mapping[str, object]) -> str:
    """How the genes run together (RUN-2): `a, then b`, or `a, and b where a fails`."""
    match composition.get("type"):
        case Kind.PAR:
            output = _OUTPUT_OF_PAR.get(str(composition.get("merge", Merge.FIRST)), "")
            return f"{' and '.join(genes)}, each on the same input{output}"
        case Kind.TRY if len(genes) > 1:
            return f"{genes[0]}, and {genes[1]} where it fails"
        case Kind.COND if len(genes) > 1:
            return f"{genes[0]} where {_describe_predicate(composition.get('predicate'))}, else {genes[1]}"
    return ", then ".join(genes)


def describe_composition(agent: Agent) -> str:
    """The composition's name and what it comes to: `Seq: a, then b`."""
    return f"{agent.composition.get('type')}: {describe_genome(agent.genes, agent.composition)}"


def _describe_predicate(predicate: object) -> str:
    if not isinstance(predicate, Mapping):
        return "a predicate holds"
    return f"{predicate.get('field')} {predicate.get('op')} {json_text(predicate.get('value'))}"


def detail_cells(
    line: AgentLine, genome: Sequence[ListedGene], now_us: int, *, exact: bool
) -> list[list[str]]:
    """Everything of one agent, a name and a cell each; `exact` as a pipe wants them."""
    agent = line.agent
    cells = plain_cells(line, now_us) if exact else table_cells(line, now_us)
    _, _, runs_as, used, _, next_expiry, refused = cells[: len(TABLE_COLUMNS)]
    return [
        ["Agent", agent.name],
        ["Agent ID", agent.id],
        ["Runs as", runs_as],
        *([["Which means", describe_genome(agent.genes, agent.composition)]] if len(agent.genes) > 1 else []),
        *[["Gene", f"{gene.name} {_gene_id(gene)}"] for gene in genome],
        ["Used", used],
        *policy_cells(agent.data_policy, agent.memory_quota_bytes, exact=exact),
        ["Next expiry", next_expiry],
        ["Refused in the last day", refused],
        ["Created", instants.exact(agent.created_at) if exact else instants.to_the_second(agent.created_at)],
    ]


def _gene_id(gene: ListedGene) -> str:
    return _NOT_RESOLVED if gene.folder is None else gene.folder.gene_id


def policy_cells(policy: DataPolicy, quota_bytes: int, *, exact: bool) -> list[list[str]]:
    """Quota and data policy, a name and a cell each."""
    return [
        ["Quota", str(quota_bytes) if exact else format_size(quota_bytes)],
        [
            "Max retention days",
            "none" if policy.max_retention_days is None else str(policy.max_retention_days),
        ],
        ["Anonymization", _yes_or_no(policy.anonymization_supported)],
        ["Auto-delete on termination", _yes_or_no(policy.auto_delete_on_termination)],
    ]


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def policy_json(agent: Agent) -> dict[str, object]:
    """`{id, name, quotaBytes, dataPolicy}`."""
    return {
        "id": agent.id,
        "name": agent.name,
        "quotaBytes": agent.memory_quota_bytes,
        "dataPolicy": agent.data_policy.to_json(),
    }


def describe_policy(agent: Agent) -> str:
    """A sentence's worth: `main: quota 10 MB, retention 7 days, anonymization`."""
    retention = describe_retention(agent.data_policy)
    return f"{agent.name}: quota {format_size(agent.memory_quota_bytes)}, retention {retention}"


def describe_preview(preview: PolicyPreview, *, is_done: bool = False) -> str:
    """What a change comes to: `2 entries expire at once, 1 entry does not fit, 512 B over the quota`.

    Once it `is_done`, that they have expired.
    """
    expiring, outside = len(preview.expiring), len(preview.outside)
    effects = [
        _expiring(expiring, is_done=is_done) if expiring else "",
        f"{count(outside)} {'does' if outside == 1 else 'do'} not fit" if outside else "",
        f"{format_size(preview.over_quota_bytes)} over the quota" if preview.over_quota_bytes else "",
    ]
    return ", ".join(filter(None, effects)) or "every entry stays and fits"


def _expiring(entries: int, *, is_done: bool) -> str:
    if is_done:
        return f"{count(entries)} {'has' if entries == 1 else 'have'} expired"
    return f"{count(entries)} {'expires' if entries == 1 else 'expire'} at once"


def usage_cells(usage: MemoryUsage, *, exact: bool) -> list[list[str]]:
    """A row for each category, their sum, and the quota, which has no entries and is no part of itself."""

    def size(size_bytes: int) -> str:
        return str(size_bytes) if exact else size_cell(size_bytes)

    def row(title: str, entries: int, size_bytes: int) -> list[str]:
        return [title, str(entries), size(size_bytes), format_percent(size_bytes, usage.quota_bytes)]

    categories = [row(name, part.entries, part.bytes) for name, part in usage.by_category.items()]
    entries = sum(part.entries for part in usage.by_category.values())
    blank = "-" if exact else ""
    return [
        *categories,
        row("total", entries, usage.used_bytes),
        ["quota", blank, size(usage.quota_bytes), blank],
    ]
