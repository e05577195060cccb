"""The public face: its names and signatures, its tables, and what dashboards read through it."""

from __future__ import annotations

import inspect
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from sqlmodel import Session, select

import rotifer_store
from rotifer_store import (
    AccessPolicy,
    BrowseFilter,
    DataPolicy,
    FixedClock,
    Gene,
    GeneMemory,
    MemoryEntry,
    MemoryInvalidInput,
    MemoryStorageError,
    Page,
    RetentionPolicy,
    Scope,
    SharePolicy,
    Store,
    open_store,
)
from rotifer_store.schema import SCHEMA_VERSION, AgentRow, EntryRow, GeneRow, StateRow, Table
from rotifer_store.tables import CATEGORY_OF, SCOPE_OF, SHARE_POLICY_OF

AGENT_ID = "00000000-0000-4000-8000-000000000000"
NOW_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
DAY_S = 86_400
INDENT = Gene("v2:" + "a1" * 32, "formatter", "indent", "1.0.0")
QUOTES = Gene("v2:" + "b2" * 32, "formatter", "quotes")
NAMELESS = Gene("v2:" + "c3" * 32, "linter")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW_US)


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[Store]:
    with open_store(tmp_path, clock=clock) as store:
        store.create_agent("main", genes=[INDENT, QUOTES], agent_id=AGENT_ID)
        yield store
        assert store.verify() == []


# Names


def test_the_public_names_are_these() -> None:
    """python-api: everything else in the package is private."""
    assert rotifer_store.__all__ == [
        "UNSET",
        "AccessPolicy",
        "AccessVerdict",
        "Agent",
        "AgentExists",
        "AgentMemoryError",
        "AgentNotFound",
        "AuditRecord",
        "BrowseFilter",
        "DataPolicy",
        "Decision",
        "EntryInfo",
        "ErrorCode",
        "FileHealth",
        "Finding",
        "FixedClock",
        "Forecast",
        "Gene",
        "GeneMemory",
        "GeneNotFound",
        "GeneSeen",
        "InvalidAgent",
        "InvalidGene",
        "LifeEvent",
        "LogChange",
        "LogFilter",
        "LogMatches",
        "LogNotice",
        "LogNoticeKind",
        "LogTail",
        "LogView",
        "MemoryAccessDenied",
        "MemoryCategory",
        "MemoryEntry",
        "MemoryFilter",
        "MemoryInvalidInput",
        "MemoryNotFound",
        "MemoryQuotaExceeded",
        "MemoryStorageError",
        "MemoryUsage",
        "Page",
        "PolicyPreview",
        "RawLine",
        "Reason",
        "ResponseTooLarge",
        "RetentionPolicy",
        "ReviewKind",
        "RotiferStoreError",
        "Scope",
        "SharePolicy",
        "Store",
        "StoreHealth",
        "Suspicion",
        "SystemClock",
        "TelemetryRecord",
        "UnreadableLine",
        "Usage",
        "has_store",
        "open_store",
    ]


@pytest.mark.parametrize("name", rotifer_store.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(rotifer_store, name)
    assert name == "UNSET" or (value.__name__ == name and inspect.getdoc(value))
    assert getattr(rotifer_store, name) is value


def test_everything_can_be_imported_at_once() -> None:
    names: dict[str, object] = {}
    exec("from rotifer_store import *", names)
    assert names.keys() - {"__builtins__"} == set(rotifer_store.__all__)


@pytest.mark.parametrize("name", ["Repo", "RepoMemory", "memory_error", "Caller", "__wrong__"])
def test_no_other_name_is_there(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(rotifer_store, name)


HEAVY = ("sqlite3", "sqlalchemy", "sqlmodel", "pydantic", "rfc8785")


def loaded_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after it."""
    report = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    "statement",
    [
        "import rotifer_store",
        "import rotifer_store.typing",
        "from rotifer_store.typing import GeneMemoryAccess, MemoryNotFound",
        "from rotifer_store import Gene, MemoryAccessDenied, AccessPolicy, FixedClock, UNSET",
    ],
)
def test_gene_authors_load_no_database(statement: str) -> None:
    """python-api: the protocol and the errors are importable without the rest."""
    assert not loaded_after(statement) & set(HEAVY)


def test_a_store_does_load_one() -> None:
    """The test above can fail."""
    assert "sqlite3" in loaded_after("from rotifer_store import open_store")


def test_the_module_for_gene_authors_has_the_protocol_and_the_errors() -> None:
    """python-api, GEN-4."""
    from rotifer_store import typing

    assert typing.__all__ == [
        "AgentMemoryError",
        "GeneMemoryAccess",
        "MemoryAccessDenied",
        "MemoryInvalidInput",
        "MemoryNotFound",
        "MemoryQuotaExceeded",
        "MemoryStorageError",
    ]
    for name in typing.__all__:
        if name != "GeneMemoryAccess":
            assert getattr(typing, name) is getattr(rotifer_store, name)


# Signatures

SIGNATURES: dict[Callable[..., object], str] = {
    open_store: "(project='.', *, state_dir=None, clock=SystemClock(), durability='normal', read_only=False)",
    Store.create_agent: "(self, name, *, genes=(), composition=None, memory_quota_bytes=10485760, "
    "data_policy=DataPolicy(max_retention_days=None, auto_delete_on_termination=False, "
    "anonymization_supported=False), agent_id=None)",
    Store.agents: "(self)",
    Store.agent: "(self, name)",
    Store.set_genome: "(self, agent, genes, composition=None)",
    Store.set_data_policy: "(self, agent, data_policy)",
    Store.set_memory_quota: "(self, agent, memory_quota_bytes)",
    Store.gene_memory: "(self, agent, gene)",
    Store.list_memory: "(self, agent, category=None)",
    Store.browse_memory: "(self, agent, *, where=BrowseFilter(category=None, text=None, pattern=None, "
    "gene=None, min_bytes=None, max_bytes=None, expires_within_s=None), order='updated', descending=True, "
    "offset=0, limit=200)",
    Store.entry_place: "(self, agent, key, *, where=BrowseFilter(category=None, text=None, pattern=None, "
    "gene=None, min_bytes=None, max_bytes=None, expires_within_s=None), order='updated', descending=True)",
    Store.change_token: "(self)",
    Store.peek_value: "(self, agent, key)",
    Store.delete_memory: "(self, agent, *, key=None, keys=None, category=None)",
    Store.delete_entries: "(self, agent, entries)",
    Store.memory_usage: "(self, agent)",
    Store.orphans: "(self, agent, genome)",
    Store.forecast: "(self, agent, incoming_bytes)",
    Store.access: "(self, agent, gene, key=None)",
    Store.review: "(self, agent, genome)",
    Store.find: "(self, agent, text, *, values=False)",
    Store.history: "(self, agent, key)",
    Store.life: "(self, agent, key)",
    Store.preview_policy: "(self, agent, *, data_policy=None, memory_quota_bytes=None)",
    Store.sweep: "(self, agent=None)",
    Store.export_memory: "(self, agent, file, *, include_cache=False, keys=None)",
    Store.import_memory: "(self, agent, file, *, copy_private=False)",
    Store.import_agent: "(self, file)",
    Store.audit_records: "(self, agent=None, *, action=None, key=None, gene=None, since=None)",
    Store.audit_tail: "(self, agent=None, *, action=None, key=None, gene=None, since=None)",
    Store.telemetry_records: "(self)",
    Store.telemetry_tail: "(self)",
    Store.audit_view: "(self)",
    Store.telemetry_view: "(self)",
    Store.health: "(self)",
    Store.genes_seen: "(self, agent)",
    Store.rotate_audit: "(self)",
    Store.verify: "(self)",
    Store.close: "(self)",
    GeneMemory.read_memory: "(self, key, category=None)",
    GeneMemory.write_memory: "(self, key, value, category, access_policy=UNSET, retention_policy=UNSET)",
    GeneMemory.query_memory: "(self, filter=None)",
    GeneMemory.delete_memory: "(self, key)",
    GeneMemory.call_json: "(self, name, request, max_response_bytes=None)",
}


def without_types(function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__qualname__)
def test_a_call_takes_what_the_face_says(function: Callable[..., object]) -> None:
    """python-api: fixed names and signatures."""
    assert without_types(function) == SIGNATURES[function]


@pytest.mark.parametrize("kind", [Store, GeneMemory])
def test_nothing_but_those_calls_is_public(kind: type) -> None:
    """python-api: no stubs of what comes later."""
    own = {name for name in vars(kind) if not name.startswith("_")}
    page_names = {"readMemory", "writeMemory", "queryMemory", "deleteMemory"} if kind is GeneMemory else set()
    assert own == page_names | {f.__name__ for f in SIGNATURES if f.__qualname__.startswith(kind.__name__)}


def test_the_pages_names_are_the_same_calls() -> None:
    """python-api: GeneMemory."""
    for page_name, name in (
        ("readMemory", "read_memory"),
        ("writeMemory", "write_memory"),
        ("queryMemory", "query_memory"),
        ("deleteMemory", "delete_memory"),
    ):
        assert getattr(GeneMemory, page_name) is getattr(GeneMemory, name)


def test_an_agent_is_named_or_given(store: Store) -> None:
    """python-api: `agent` is an Agent or its name, in every call."""
    agent = store.agent("main")
    for given in ("main", agent):
        store.gene_memory(given, INDENT).write_memory("k", b"1", "CACHE")
        assert len(store.list_memory(given)) == store.browse_memory(given).total == 1
        assert store.peek_value(given, "k") == b"1"
        assert store.memory_usage(given).used_bytes == 2
        assert [seen.name for seen in store.genes_seen(given)] == ["indent"]
        assert store.orphans(given, [INDENT]) == []
        assert store.forecast(given, 1).fits
        assert [verdict.key for verdict in store.access(given, INDENT)] == ["k"]
        assert store.review(given, [INDENT]) == []
        assert [info.key for info in store.find(given, "k")] == ["k"]
        assert len(store.history(given, "k")) == len(store.life(given, "k")) >= 1
        assert len(store.audit_records(given, action="memory_write")) >= 1
        assert store.sweep(given) == 0
        assert store.delete_memory(given, key="k") == 1
        assert store.set_genome(given, [INDENT]).genes == ("indent",)
        store.set_data_policy(given, DataPolicy())
        store.set_memory_quota(given, 1000)


# Tables


def read_back(project: Path) -> dict[type[Table], list[Any]]:
    """Every row of every table, in a session of SQLModel over the file itself."""
    engine = create_engine(f"sqlite:///{project / '.rotifer' / 'playground.db'}")
    try:
        with Session(engine) as session:
            return {
                model: list(session.exec(select(model)).all())
                for model in (StateRow, AgentRow, EntryRow, GeneRow)
            }
    finally:
        engine.dispose()


def test_every_table_reads_back_as_its_model(store: Store, tmp_path: Path, clock: FixedClock) -> None:
    """ENT, AGT-10, QUO-1, REC-9: the tables are declared once, and the hot statements fill them."""
    store.set_data_policy("main", DataPolicy(30, True, True))
    memory = store.gene_memory("main", INDENT)
    memory.write_memory("a", b"\0\xff", "PREFERENCE")
    memory.write_memory(
        "é",
        b"",
        "CACHE",
        AccessPolicy(Scope.ALL_GENES, Scope.CREATOR_GENE_ONLY, SharePolicy.KNOWLEDGE_GENE),
        RetentionPolicy(7, True, False),
    )
    clock.advance(1)
    store.gene_memory("main", NAMELESS).read_memory("é")
    store.gene_memory("main", QUOTES).write_memory("a", b"another", "PATTERN")

    rows = read_back(tmp_path)
    assert {model.__tablename__ for model in rows} == set(Table.metadata.tables)

    (state,) = rows[StateRow]
    *_, last = store.audit_records()
    assert (state.id, state.schema_version) == (1, SCHEMA_VERSION)
    assert {"seq": state.seq, "hash": state.hash}.items() <= last.to_json().items()  # type: ignore[union-attr]

    (agent,) = rows[AgentRow]
    known = store.agent("main")
    assert (agent.agent_id, agent.name) == (known.id, "main") == (AGENT_ID, "main")
    assert (tuple(json.loads(agent.genes)), json.loads(agent.composition)) == (
        ("indent", "quotes"),
        {"type": "Seq"},
    )
    assert (agent.days, agent.auto_delete, agent.anonymization) == (30, 1, 1)
    assert (agent.quota_bytes, agent.created_at_us) == (10_485_760, NOW_US)
    assert (len(agent.hmac_key), agent.order_us) == (32, NOW_US + 1_000_000)
    usage = store.memory_usage("main")
    for category, used in usage.by_category.items():
        counted = (getattr(agent, f"{category.lower()}_{what}") for what in ("entries", "bytes"))
        assert tuple(counted) == (used.entries, used.bytes)

    assert {entry.key: entry.value for entry in rows[EntryRow]} == {"a": b"another", "é": b""}
    listed = {info.key: info for info in store.list_memory("main")}
    for entry in rows[EntryRow]:
        info = listed[entry.key]
        assert entry.agent_ref == agent.ref
        assert CATEGORY_OF[entry.category] is info.category
        assert entry.size_bytes == info.size_bytes == len(entry.key.encode()) + len(entry.value)
        assert (entry.created_by, entry.created_domain) == (INDENT.id, "formatter")
        assert entry.last_accessed_by == info.last_accessed_by
        assert entry.created_at_us == NOW_US
        assert entry.expires_at_us == info.expires_at_us
        assert info.access_policy == AccessPolicy(
            SCOPE_OF[entry.read_scope], SCOPE_OF[entry.write_scope], SHARE_POLICY_OF[entry.share_policy]
        )
    by_key = {entry.key: entry for entry in rows[EntryRow]}
    first, second = by_key["a"], by_key["é"]
    assert (first.last_accessed_by, second.last_accessed_by) == (QUOTES.id, NAMELESS.id)
    assert (first.updated_at_us, second.updated_at_us) == (NOW_US + 1_000_000, NOW_US)
    assert (first.own_days, first.own_auto_delete, first.own_anonymization) == (None, None, None)
    assert (second.own_days, second.own_auto_delete, second.own_anonymization) == (7, 1, 0)
    seq_of = {
        (record.key, record.action): record
        for record in store.audit_records()
        if isinstance(record, rotifer_store.AuditRecord)
    }
    for entry, action in ((first, "memory_update"), (second, "memory_write")):
        record = seq_of[entry.key, action]
        assert (entry.seq, entry.value_hmac.hex()) == (record.seq, record.value_hmac)

    seen = {(gene.agent_ref, gene.gene_id, gene.name, gene.version, gene.domain) for gene in rows[GeneRow]}
    assert seen == {
        (agent.ref, gene.id, gene.name, gene.version, gene.domain) for gene in (INDENT, QUOTES, NAMELESS)
    }


def test_a_new_store_has_its_state_and_nothing_else(tmp_path: Path) -> None:
    """REC-9."""
    with open_store(tmp_path):
        rows = read_back(tmp_path)
    (state,) = rows.pop(StateRow)
    assert (state.seq, state.hash) == (0, "0" * 64)
    assert not any(rows.values())


# Browsing


@pytest.fixture
def browsed(store: Store, clock: FixedClock) -> Store:
    """Five live entries and one that has expired; `NOW_US` is then ten seconds past.

    key       category    size  creator   updated   kept
    b/one     CACHE         10  INDENT    +1 s      for good
    a/two     PATTERN       20  QUOTES    +2 s      1 day
    a/three   CONTEXT       30  INDENT    +3 s      3 days
    c%_       PREFERENCE    40  NAMELESS  +4 s      for good
    b/Five    CACHE          8  QUOTES    +5 s      2 days
    gone      CACHE          9  INDENT    -2 days   1 day
    """
    for gene, key, size_bytes, category, kept_days in (
        (INDENT, "b/one", 10, "CACHE", None),
        (QUOTES, "a/two", 20, "PATTERN", 1),
        (INDENT, "a/three", 30, "CONTEXT", 3),
        (NAMELESS, "c%_", 40, "PREFERENCE", None),
        (QUOTES, "b/Five", 8, "CACHE", 2),
    ):
        clock.advance(1)
        value = bytes(size_bytes - len(key))
        store.gene_memory("main", gene).write_memory(key, value, category, retention_policy=days(kept_days))
    clock.advance(-2 * DAY_S)
    store.gene_memory("main", INDENT).write_memory("gone", b"gone!", "CACHE", retention_policy=days(1))
    clock.advance(2 * DAY_S + 5)
    return store


def days(count: int | None) -> RetentionPolicy | None:
    return None if count is None else RetentionPolicy(count, False, False)


def keys(page: Page) -> list[str]:
    return [row.key for row in page.rows]


NEWEST_FIRST = ["b/Five", "c%_", "a/three", "a/two", "b/one"]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (BrowseFilter(), NEWEST_FIRST),
        (BrowseFilter(category="CACHE"), ["b/Five", "b/one"]),
        (BrowseFilter(category="PREFERENCE"), ["c%_"]),
        (BrowseFilter(text=""), NEWEST_FIRST),
        (BrowseFilter(text="/t"), ["a/three", "a/two"]),
        (BrowseFilter(text="five"), []),
        (BrowseFilter(text="Five"), ["b/Five"]),
        (BrowseFilter(text="%"), ["c%_"]),
        (BrowseFilter(text="_"), ["c%_"]),
        (BrowseFilter(text="é"), []),
        (BrowseFilter(pattern="^a/"), ["a/three", "a/two"]),
        (BrowseFilter(pattern="(?i)five$"), ["b/Five"]),
        (BrowseFilter(pattern="e"), ["b/Five", "a/three", "b/one"]),
        (BrowseFilter(pattern="t(wo|hree)"), ["a/three", "a/two"]),
        (BrowseFilter(gene=INDENT.id), ["a/three", "b/one"]),
        (BrowseFilter(gene="quotes"), ["b/Five", "a/two"]),
        (BrowseFilter(gene=NAMELESS.id), ["c%_"]),
        (BrowseFilter(gene="nobody"), []),
        (BrowseFilter(gene=""), []),
        (BrowseFilter(min_bytes=20), ["c%_", "a/three", "a/two"]),
        (BrowseFilter(min_bytes=21), ["c%_", "a/three"]),
        (BrowseFilter(max_bytes=10), ["b/Five", "b/one"]),
        (BrowseFilter(max_bytes=9), ["b/Five"]),
        (BrowseFilter(min_bytes=10, max_bytes=20), ["a/two", "b/one"]),
        (BrowseFilter(min_bytes=0, max_bytes=10**30), NEWEST_FIRST),
        (BrowseFilter(min_bytes=10**30), []),
        (BrowseFilter(expires_within_s=DAY_S), ["a/two"]),
        (BrowseFilter(expires_within_s=DAY_S - 8), ["a/two"]),
        (BrowseFilter(expires_within_s=DAY_S - 8.000001), []),
        (BrowseFilter(expires_within_s=2 * DAY_S), ["b/Five", "a/two"]),
        (BrowseFilter(expires_within_s=0), []),
        (BrowseFilter(expires_within_s=1e30), ["b/Five", "a/three", "a/two"]),
        (BrowseFilter(category="CACHE", text="b/", gene="quotes", expires_within_s=1e6), ["b/Five"]),
        (BrowseFilter(category="CACHE", gene=NAMELESS.id), []),
    ],
    ids=lambda value: repr(value)[:70],
)
def test_a_filter_shows_what_it_names(browsed: Store, where: BrowseFilter, found: list[str]) -> None:
    """python-api: browse_memory; all members at once mean all of them."""
    page = browsed.browse_memory("main", where=where)
    assert (keys(page), page.total) == (found, len(found))


@pytest.mark.parametrize(
    ("order", "ascending"),
    [
        ("updated", ["b/one", "a/two", "a/three", "c%_", "b/Five"]),
        ("key", ["a/three", "a/two", "b/Five", "b/one", "c%_"]),
        ("category", ["b/one", "b/Five", "a/two", "a/three", "c%_"]),
        ("size", ["b/Five", "b/one", "a/two", "a/three", "c%_"]),
        ("expires", ["a/two", "b/Five", "a/three", "b/one", "c%_"]),
        ("creator", ["a/three", "b/one", "a/two", "b/Five", "c%_"]),
    ],
)
def test_an_order_goes_both_ways(browsed: Store, order: str, ascending: list[str]) -> None:
    """python-api: browse_memory; what never expires comes after all that does."""
    assert keys(browsed.browse_memory("main", order=order, descending=False)) == ascending
    assert keys(browsed.browse_memory("main", order=order)) == ascending[::-1]


def test_creators_are_in_the_order_of_the_names_that_are_shown(store: Store) -> None:
    """python-api: browse_memory, AGT-10: whatever their ids; one without a name stands by its id."""
    named = {"zebra": "1", "ant": "2", None: "0"}
    genes = [Gene(f"v2:{digit * 64}", "notes", name) for name, digit in named.items()]
    for gene in genes:
        for key in (f"{gene.name}/2", f"{gene.name}/1"):
            store.gene_memory("main", gene).write_memory(key, b"", "CACHE")
    shown = ["ant/1", "ant/2", "None/1", "None/2", "zebra/1", "zebra/2"]
    page = store.browse_memory("main", order="creator", descending=False)
    assert keys(page) == shown
    for at, key in enumerate(shown):
        assert store.entry_place("main", key, order="creator", descending=False) == at


def test_the_order_of_update_is_that_of_the_list(store: Store, clock: FixedClock) -> None:
    """ENT-7: a clock that is set back makes nothing old, and a rewrite is new."""
    memory = store.gene_memory("main", INDENT)
    for key, seconds in (("a", 0), ("b", -5), ("c", -5), ("a", -5)):
        clock.advance(seconds)
        memory.write_memory(key, b"", "CACHE")
    assert keys(store.browse_memory("main")) == ["a", "c", "b"]
    assert keys(store.browse_memory("main")) == [info.key for info in store.list_memory("main")]


@pytest.mark.parametrize(
    ("offset", "limit", "found"),
    [
        (0, 200, NEWEST_FIRST),
        (0, 2, NEWEST_FIRST[:2]),
        (2, 2, NEWEST_FIRST[2:4]),
        (4, 2, NEWEST_FIRST[4:]),
        (5, 2, []),
        (10**9, 2, []),
        (0, 0, []),
        (0, 5, NEWEST_FIRST),
    ],
)
def test_a_page_is_a_part_and_the_total_the_whole(
    browsed: Store, offset: int, limit: int, found: list[str]
) -> None:
    """python-api: browse_memory."""
    page = browsed.browse_memory("main", offset=offset, limit=limit)
    assert (keys(page), page.total) == (found, 5)
    page = browsed.browse_memory("main", where=BrowseFilter(text="b/"), offset=offset, limit=limit)
    assert page.total == 2


def test_a_page_shows_what_a_list_shows(browsed: Store) -> None:
    """AGT-3: the same rows, never a value."""
    assert browsed.browse_memory("main").rows == browsed.list_memory("main")


@pytest.mark.parametrize(
    "arguments",
    [
        {"order": "value"},
        {"order": ""},
        {"order": "key DESC"},
        {"where": BrowseFilter(category="cache")},
        {"where": BrowseFilter(pattern="(")},
        {"where": BrowseFilter(pattern="a\ud800")},
        {"where": BrowseFilter(text="\ud800")},
        {"where": BrowseFilter(gene="\udfff")},
        {"where": BrowseFilter(text=7)},  # type: ignore[arg-type]
        {"where": BrowseFilter(pattern=b"a")},  # type: ignore[arg-type]
        {"where": BrowseFilter(expires_within_s=float("nan"))},
        {"where": BrowseFilter(expires_within_s=float("inf"))},
        {"offset": -1},
        {"limit": -1},
        {"offset": 1.5},
        {"limit": "x"},
        {"limit": None},
        {"limit": True},
    ],
    ids=repr,
)
def test_a_browse_of_another_form_is_invalid(browsed: Store, arguments: dict[str, Any]) -> None:
    """python-api: nothing of SQLAlchemy, sqlite3 or `re` escapes."""
    with pytest.raises(MemoryInvalidInput):
        browsed.browse_memory("main", **arguments)


@pytest.mark.parametrize("number", [2**63, 10**30])
def test_a_page_beyond_every_number_is_empty(browsed: Store, number: int) -> None:
    """python-api: an offset or limit of any size is no accident."""
    assert keys(browsed.browse_memory("main", offset=number)) == []
    assert keys(browsed.browse_memory("main", limit=number)) == NEWEST_FIRST


def test_browsing_hides_the_expired_and_removes_nothing(
    browsed: Store, tmp_path: Path, clock: FixedClock
) -> None:
    """POL-5, TUI-9: no line, no change, `lastAccessedBy` stays."""
    log = tmp_path / ".rotifer" / "audit.jsonl"
    before = (log.read_bytes(), rows_of(tmp_path), browsed.change_token())
    assert ("gone",) in rows_of(tmp_path, "key")
    for order in ("updated", "key", "category", "size", "expires", "creator"):
        assert "gone" not in keys(browsed.browse_memory("main", order=order))
    assert browsed.browse_memory("main", where=BrowseFilter(text="gone")).total == 0
    assert browsed.browse_memory("main", where=BrowseFilter(expires_within_s=-DAY_S)).total == 0
    clock.advance(DAY_S)
    assert "a/two" not in keys(browsed.browse_memory("main"))
    assert (log.read_bytes(), rows_of(tmp_path), browsed.change_token()) == before


def rows_of(project: Path, columns: str = "*") -> list[tuple[object, ...]]:
    connection = sqlite3.connect(project / ".rotifer" / "playground.db")
    try:
        return connection.execute(f"SELECT {columns} FROM rotifer_entry ORDER BY ref").fetchall()
    finally:
        connection.close()


def test_browsing_expires_at_the_instant_itself(store: Store, clock: FixedClock) -> None:
    """POL-4, POL-5: with the agent's days too."""
    store.set_data_policy("main", DataPolicy(1))
    store.gene_memory("main", INDENT).write_memory("k", b"", "CACHE")
    clock.advance(DAY_S - 0.000001)
    assert store.browse_memory("main").total == 1
    clock.advance(0.000001)
    assert store.browse_memory("main").total == 0


def test_agents_are_browsed_apart(browsed: Store) -> None:
    """AGT-1."""
    browsed.create_agent("other")
    browsed.gene_memory("other", INDENT).write_memory("theirs", b"", "CACHE")
    assert keys(browsed.browse_memory("other", where=BrowseFilter(gene="indent"))) == ["theirs"]
    assert "theirs" not in keys(browsed.browse_memory("main"))


def test_a_store_that_may_only_read_is_browsed_too(browsed: Store, tmp_path: Path, clock: FixedClock) -> None:
    """python-api: read_only."""
    with open_store(tmp_path, clock=clock, read_only=True) as reading:
        assert reading.browse_memory("main") == browsed.browse_memory("main")


# The change token


def test_reading_leaves_the_token(browsed: Store) -> None:
    """python-api: change_token."""
    browsed.sweep()
    token = browsed.change_token()
    memory = browsed.gene_memory("main", INDENT)
    memory.read_memory("b/one")
    memory.query_memory()
    browsed.list_memory("main")
    browsed.browse_memory("main")
    browsed.memory_usage("main")
    browsed.peek_value("main", "b/one")
    browsed.audit_records()
    browsed.agents()
    browsed.verify()
    assert browsed.change_token() == browsed.change_token() == token


def write_here(store: Store, project: Path) -> None:
    store.gene_memory("main", INDENT).write_memory("new", b"", "CACHE")


def write_elsewhere(store: Store, project: Path) -> None:
    with open_store(project) as other:
        other.gene_memory("main", INDENT).write_memory("new", b"", "CACHE")


def write_in_another_process(store: Store, project: Path) -> None:
    program = (
        "import sys\n"
        "from rotifer_store import Gene, open_store\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    store.gene_memory('main', Gene('v2:' + 'a1' * 32, 'x')).write_memory('new', b'', 'CACHE')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(project)], check=True)


def touch_by_reading(store: Store, project: Path) -> None:
    store.gene_memory("main", QUOTES).read_memory("k")


def delete(store: Store, project: Path) -> None:
    store.delete_memory("main", key="k")


def change_an_agent(store: Store, project: Path) -> None:
    store.set_memory_quota("main", 1000)


def change_theirs(store: Store, project: Path) -> None:
    connection = sqlite3.connect(project / ".rotifer" / "playground.db")
    try:
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "change",
    [
        write_here,
        write_elsewhere,
        write_in_another_process,
        touch_by_reading,
        delete,
        change_an_agent,
        change_theirs,
    ],
)
def test_the_token_changes_when_a_connection_has_written(
    store: Store, tmp_path: Path, change: Callable[[Store, Path], None]
) -> None:
    """python-api: change_token, of this store, another, or another program."""
    store.gene_memory("main", INDENT).write_memory("k", b"", "CACHE")
    with open_store(tmp_path) as watching:
        before = (store.change_token(), watching.change_token())
        change(store, tmp_path)
        after = (store.change_token(), watching.change_token())
        assert before[0] != after[0]
        assert before[1] != after[1]
        assert (store.change_token(), watching.change_token()) == after


def test_a_closed_store_has_no_token(tmp_path: Path) -> None:
    """ERR."""
    store = open_store(tmp_path)
    store.change_token()
    store.close()
    with pytest.raises(MemoryStorageError):
        store.change_token()


def test_an_entry_of_a_call_has_the_faces_members(store: Store) -> None:
    """python-api: MemoryEntry."""
    entry = store.gene_memory("main", INDENT).write_memory("k", b"1", "CACHE")
    assert isinstance(entry, MemoryEntry)
    for name in (
        *("entry_id", "category", "key", "value", "created_by", "last_accessed_by"),
        *("created_at", "updated_at", "access_policy", "retention_policy", "to_json"),
    ):
        assert hasattr(entry, name)
