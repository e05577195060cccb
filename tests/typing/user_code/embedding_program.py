"""A program that embeds the store, as its author would write it under `mypy --strict`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from rotifer_store import (
    UNSET,
    AccessPolicy,
    AccessVerdict,
    Agent,
    AgentExists,
    AgentMemoryError,
    AgentNotFound,
    AuditRecord,
    BrowseFilter,
    DataPolicy,
    Decision,
    EntryInfo,
    ErrorCode,
    Finding,
    FixedClock,
    Forecast,
    Gene,
    GeneMemory,
    GeneSeen,
    InvalidAgent,
    LifeEvent,
    LogChange,
    LogFilter,
    LogMatches,
    LogNotice,
    MemoryAccessDenied,
    MemoryCategory,
    MemoryEntry,
    MemoryFilter,
    MemoryNotFound,
    MemoryUsage,
    Page,
    PolicyPreview,
    RawLine,
    Reason,
    ResponseTooLarge,
    RetentionPolicy,
    ReviewKind,
    RotiferStoreError,
    Scope,
    SharePolicy,
    Store,
    Suspicion,
    SystemClock,
    TelemetryRecord,
    UnreadableLine,
    Usage,
    open_store,
)


class ShiftedClock:
    """A clock of the program's own."""

    def now_us(self) -> int:
        return SystemClock().now_us() + 1


def open_stores(project: str, folder: Path) -> None:
    with open_store() as store:
        store.close()
    with open_store(project, clock=FixedClock(0), durability="power-loss", read_only=True):
        pass
    with open_store(folder, state_dir=folder / "state", clock=ShiftedClock()) as kept:
        opened: Store = kept
        opened.verify()


def manage_agents(store: Store, folder: Path) -> list[str]:
    gene = Gene.from_folder(folder)
    gene = Gene(id=None, domain=gene.domain, name="indent", version="1.0.0")
    try:
        agent: Agent = store.create_agent(
            "main",
            genes=[gene],
            composition={"type": "Single"},
            memory_quota_bytes=1024,
            data_policy=DataPolicy(max_retention_days=30),
            agent_id="00000000-0000-4000-8000-000000000000",
        )
        store.create_agent(
            "other", composition="Seq", genes=(gene, gene), data_policy={"maxRetentionDays": 1}
        )
    except (AgentExists, InvalidAgent) as error:
        return [error.code]
    store.set_genome(agent, [gene], {"type": "Single"})
    store.set_genome("main", (gene,), "Single")
    store.set_data_policy(agent, DataPolicy())
    store.set_data_policy("main", {"maxRetentionDays": None})
    store.set_memory_quota(agent, 2048)
    found: list[Agent] = store.agents()
    created: datetime = agent.created_at
    policy: DataPolicy = agent.data_policy
    composition: Mapping[str, object] = agent.composition
    genes: tuple[str, ...] = agent.genes
    facts = [created, policy.max_retention_days, composition, genes, agent.memory_quota_bytes]
    return [each.name for each in found] + [str(fact) for fact in facts]


def use_memory(memory: GeneMemory) -> bytes | None:
    written: MemoryEntry = memory.write_memory("formatter/indent", b"4", "PREFERENCE")
    memory.write_memory("a", b"4", MemoryCategory.CACHE)
    memory.write_memory(
        "b",
        b"4",
        MemoryCategory.PATTERN,
        AccessPolicy(Scope.ALL_GENES, share_policy=SharePolicy.PRIVATE),
        RetentionPolicy(7, False, False),
    )
    memory.writeMemory("c", b"4", "CACHE", access_policy=UNSET, retention_policy=None)
    memory.writeMemory("d", b"4", "CACHE", {"readScope": "ALL_GENES"}, {"maxRetentionDays": 1})
    memory.query_memory()
    memory.query_memory({"keyPrefix": "formatter/", "limit": 10})
    found: list[MemoryEntry] = memory.queryMemory(
        MemoryFilter(category="CACHE", since="2026-01-01T00:00:00Z")
    )
    entry: MemoryEntry | None = memory.read_memory("formatter/indent", category="PREFERENCE")
    try:
        memory.delete_memory("formatter/indent")
        memory.deleteMemory(key="a")
    except MemoryNotFound as error:
        code: ErrorCode = error.code
        return f"{code}: {error.message}".encode()
    except AgentMemoryError as other:
        return str(other.code).encode()
    when: datetime = written.updated_at
    access: AccessPolicy = written.access_policy
    retention: RetentionPolicy | None = written.retention_policy
    scope: Scope = access.read_scope
    category: MemoryCategory = written.category
    wire: dict[str, object] = written.to_json()
    facts = [when, retention, scope, category, wire, written.entry_id, written.created_by, len(found)]
    return entry.value if entry is not None else repr(facts).encode()


def answer_a_host(memory: GeneMemory, request: bytes) -> bytes:
    try:
        return memory.call_json("readMemory", request, max_response_bytes=4096)
    except ResponseTooLarge as error:
        return error.code.encode()
    except MemoryAccessDenied as denied:
        return denied.message.encode()


def deploy(store: Store, agent: Agent) -> list[str]:
    infos: list[EntryInfo] = store.list_memory(agent, "CACHE")
    page: Page = store.browse_memory(
        "main", where=BrowseFilter(category="CACHE", min_bytes=1), order="size", descending=False, limit=10
    )
    expires: list[datetime | None] = [info.expires_at for info in page.rows]
    exact: list[int | None] = [info.expires_at_us for info in infos]
    usage: MemoryUsage = store.memory_usage(agent)
    used: Usage = usage.by_category[MemoryCategory.CACHE]
    gone: int = store.delete_memory(agent, keys=["a", "b"]) + store.delete_memory(agent, category="CACHE")
    gone += store.delete_memory("main", key="a") + store.sweep() + store.sweep(agent)
    value: bytes = store.peek_value(agent, "a")
    token: int = store.change_token()
    preview: PolicyPreview = store.preview_policy(agent, data_policy=DataPolicy(1), memory_quota_bytes=1)
    left_over: int = preview.over_quota_bytes + len(preview.expiring) + len(preview.outside)
    seen: list[GeneSeen] = store.genes_seen(agent)
    left: list[EntryInfo] = store.orphans(agent, [Gene(None, "formatter")])
    findings: list[Finding] = store.verify()
    forecast: Forecast = store.forecast(agent, 512)
    room: tuple[bool, int, list[EntryInfo]] = forecast.fits, forecast.used_bytes_after, forecast.evicted
    verdicts: list[AccessVerdict] = store.access("main", Gene(None, "formatter"), "a")
    reading: Decision = verdicts[0].read
    suspicions: list[Suspicion] = store.review(agent, [Gene(None, "formatter")])
    reasons: list[Reason] = [reason for suspicion in suspicions for reason in suspicion.reasons]
    kinds: set[ReviewKind] = {reason.kind for reason in reasons}
    found: list[EntryInfo] = store.find(agent, "a", values=True)
    past: list[AuditRecord] = store.history("main", "a")
    life: list[LifeEvent] = store.life("main", "a")
    facts = [
        room,
        reading.allowed and reading.rule,
        kinds,
        found,
        past,
        [event.made_room_for for event in life],
        expires,
        exact,
        used.bytes,
        usage.used_bytes,
        gone,
        value,
        token,
        left_over,
        seen,
        left,
        page.total,
    ]
    return [finding.kind for finding in findings] + [repr(fact) for fact in facts]


def watch(store: Store) -> list[str]:
    place: int | None = store.entry_place("main", "a", where=BrowseFilter(text="a"), order="key")
    with store.audit_view() as view:
        change: LogChange = view.poll()
        told: list[LogNotice] = list(change.notices)
        lines: list[AuditRecord | UnreadableLine] = view.newest(10) + view.records(0, view.line_count)
        found: list[int] = []
        for part in view.matches(LogFilter(gene="indent", text="a"), first=change.first_changed or 0):
            searched: LogMatches = part
            found += searched.lines
        raw: RawLine | None = view.raw(0)
    facts = [place, change.added, told, lines, found, view.is_behind, view.begun_bytes]
    return [repr(fact) for fact in facts] + [raw.file if raw is not None and raw.is_cut else ""]


def move(store: Store, other: Store, folder: Path) -> int:
    count = store.export_memory("main", folder / "main.jsonl", include_cache=True)
    with io.BytesIO() as file:
        count += store.export_memory("main", file, keys=["a"])
        file.seek(0)
        agent: Agent = other.import_agent(file)
    count += other.import_memory(agent, str(folder / "main.jsonl"), copy_private=True)
    with open(folder / "main.jsonl", encoding="utf-8") as text:
        count += other.import_memory("main", text)
    return count


def read_logs(store: Store) -> list[str]:
    lines: list[str] = []
    record: AuditRecord | UnreadableLine
    for record in store.audit_records("main", action="memory_write", since="2026-01-01T00:00:00Z"):
        if isinstance(record, UnreadableLine):
            lines.append(f"{record.file}:{record.line_number}")
        else:
            lines.append(f"{record.seq} {record.action} {record.key}")
    events: list[TelemetryRecord | UnreadableLine] = store.telemetry_records()
    lines += [str(event.operation) for event in events if isinstance(event, TelemetryRecord)]
    closed: Path | None = store.rotate_audit()
    return [*lines, str(closed)]


def find(store: Store, name: str) -> Agent | None:
    try:
        return store.agent(name)
    except AgentNotFound:
        return None
    except RotiferStoreError as error:
        raise SystemExit(error.code) from error
