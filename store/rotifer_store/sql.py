"""The hot statements over the tables, as SQLAlchemy expressions.

`scripts/make_statements.py` compiles them for SQLite into `statements.py`, which is what runs; this module is
not imported at run time. Each statement names its parameters in the order in which callers bind them, and
compiling fails where SQLAlchemy would bind them in another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Executable,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    column,
    delete,
    func,
    insert,
    literal_column,
    null,
    or_,
    select,
    true,
    update,
)

from rotifer_store.model import Counters
from rotifer_store.retention import MAX_STORED_US
from rotifer_store.schema import Table
from rotifer_store.tables import EVICTABLE_STORED, STORED_SCOPE, Scope

_tables = Table.metadata.tables
state = _tables["rotifer_state"].c
agent = _tables["rotifer_agent"].c
entry = _tables["rotifer_entry"].c
gene = _tables["rotifer_gene"].c
STATE, AGENT, ENTRY, GENE = (
    _tables[name] for name in ("rotifer_state", "rotifer_agent", "rotifer_entry", "rotifer_gene")
)

AGENT_RECORD = (
    agent.agent_id,
    agent.name,
    agent.genes,
    agent.composition,
    agent.quota_bytes,
    agent.days,
    agent.auto_delete,
    agent.anonymization,
    agent.created_at_us,
    agent.ref,
)
COUNTERS = [agent[name] for name in Counters._fields]
ENTRY_VALUE_COLUMNS = (
    entry.key,
    entry.category,
    entry.value,
    entry.created_by,
    entry.last_accessed_by,
    entry.created_at_us,
    entry.updated_at_us,
    entry.read_scope,
    entry.write_scope,
    entry.share_policy,
    entry.own_days,
    entry.own_auto_delete,
    entry.own_anonymization,
    entry.size_bytes,
)
"""What follows the agent's id in a MemoryEntry."""
HELD = (
    entry.ref,
    entry.key,
    entry.category,
    entry.size_bytes,
    entry.created_by,
    entry.created_domain,
    entry.last_accessed_by,
    entry.created_at_us,
    entry.updated_at_us,
    entry.read_scope,
    entry.write_scope,
    entry.share_policy,
    entry.own_days,
    entry.own_auto_delete,
    entry.own_anonymization,
    entry.value_hmac,
)


LEAVING = (entry.ref, entry.key, entry.category, entry.size_bytes, entry.value_hmac)


class Statement(NamedTuple):
    """One statement: what it is for, its expression, its parameters in the order they are bound."""

    purpose: str
    expression: Executable
    parameters: tuple[str, ...]


def _bind(name: str) -> BindParameter[Any]:
    return bindparam(f"p_{name}")


def _next_expiry() -> ColumnElement[int]:
    soon = ENTRY.alias("soon")
    return (
        select(func.min(soon.c.expires_at_us))
        .where(soon.c.agent_ref == agent.ref, soon.c.expires_at_us.is_not(None))
        .correlate(AGENT)
        .scalar_subquery()
    )


def _of_agent() -> ColumnElement[bool]:
    return entry.agent_ref == _bind("agent_ref")


def _live() -> ColumnElement[bool]:
    return or_(entry.expires_at_us.is_(None), entry.expires_at_us > _bind("now_us"))


def _readable() -> ColumnElement[bool]:
    """ACC-2 for the caller, so that a query's limit counts readable entries only (INP-5)."""
    return or_(
        entry.read_scope == literal_column(str(STORED_SCOPE[Scope.ALL_GENES])),
        and_(
            entry.read_scope == literal_column(str(STORED_SCOPE[Scope.SAME_DOMAIN])),
            entry.created_domain == _bind("domain"),
        ),
        and_(
            entry.read_scope == literal_column(str(STORED_SCOPE[Scope.CREATOR_GENE_ONLY])),
            entry.created_by == _bind("gene_id"),
        ),
    )


def _updated_within() -> ColumnElement[bool]:
    return and_(entry.updated_at_us >= _bind("since_us"), entry.updated_at_us < _bind("until_us"))


def _prefixed() -> ColumnElement[bool]:
    return and_(entry.key >= _bind("from_key"), entry.key < _bind("to_key"))


_NEWEST_FIRST = (entry.order_us.desc(), entry.seq.desc())
_OLDEST_FIRST = (entry.order_us, entry.seq)
_QUERY_PARAMETERS = ("now_us", "domain", "gene_id", "since_us", "until_us")


def _walk(*conditions: ColumnElement[bool]) -> Executable:
    return (
        select(*ENTRY_VALUE_COLUMNS)
        .where(_of_agent(), *conditions, _live(), _readable(), _updated_within())
        .order_by(*_NEWEST_FIRST)
        .limit(_bind("limit"))
    )


def _newest_refs(*conditions: ColumnElement[bool]) -> Executable:
    return (
        select(entry.ref, entry.size_bytes)
        .where(_of_agent(), *conditions, _live(), _readable(), _updated_within())
        .order_by(*_NEWEST_FIRST)
        .limit(_bind("limit"))
    )


def _listed(name: str) -> Select[Any]:
    """The members of a JSON list that is bound as one parameter."""
    return select(column("value")).select_from(func.json_each(_bind(name)))


def _of_category() -> ColumnElement[bool]:
    return entry.category == _bind("category")


_ROW_PARAMETERS = (
    "key",
    "category",
    "size_bytes",
    "created_by",
    "created_domain",
    "last_accessed_by",
    "created_at_us",
    "updated_at_us",
    "order_us",
    "expires_at_us",
    "read_scope",
    "write_scope",
    "share_policy",
    "own_days",
    "own_auto_delete",
    "own_anonymization",
    "value_hmac",
    "value",
)
"""The members of a planned Put after its row number, as columns."""


_REWRITTEN = (
    "category",
    "size_bytes",
    "last_accessed_by",
    "updated_at_us",
    "order_us",
    "expires_at_us",
    "read_scope",
    "write_scope",
    "share_policy",
    "own_days",
    "own_auto_delete",
    "own_anonymization",
    "value_hmac",
    "value",
    "seq",
)


def _expiry_under(days_span: str, threshold: str) -> ColumnElement[int]:
    """`updated_at_us` plus a span, capped without leaving 64 bits (POL-4)."""
    return case(
        (entry.updated_at_us > _bind(threshold), literal_column(str(MAX_STORED_US), Integer)),
        else_=entry.updated_at_us + _bind(days_span),
    )


STATEMENTS: dict[str, Statement] = {
    "load_state": Statement(
        "The schema's version and the committed end of the chain.",
        select(state.schema_version, state.seq, state.hash).select_from(STATE),
        (),
    ),
    "save_state": Statement(
        "Moves the committed end of the chain.",
        update(STATE).values(seq=_bind("seq"), hash=_bind("hash")),
        ("seq", "hash"),
    ),
    "load_agent": Statement(
        "An agent's record by name.",
        select(*AGENT_RECORD).where(agent.name == _bind("name")),
        ("name",),
    ),
    "load_agents": Statement(
        "Every agent's record, by name.",
        select(*AGENT_RECORD).order_by(agent.name),
        (),
    ),
    "load_head": Statement(
        "What a change needs to know: the chain's end, the agent, its next expiry, the entry under a key.",
        select(
            state.seq,
            state.hash,
            agent.quota_bytes,
            agent.days,
            agent.anonymization,
            agent.order_us,
            agent.hmac_key,
            _next_expiry().label("next_expiry_us"),
            *COUNTERS,
            *HELD,
        )
        .select_from(
            AGENT.join(STATE, true()).outerjoin(
                ENTRY, and_(entry.agent_ref == agent.ref, entry.key == _bind("key"))
            )
        )
        .where(agent.ref == _bind("agent_ref")),
        ("key", "agent_ref"),
    ),
    "load_usage": Statement(
        "Quota, next expiry and counters, without taking a lock.",
        select(agent.quota_bytes, agent.days, _next_expiry().label("next_expiry_us"), *COUNTERS).where(
            agent.ref == _bind("agent_ref")
        ),
        ("agent_ref",),
    ),
    "load_entry": Statement(
        "A read: next expiry, the entry's own expiry, the creator's domain, the entry with its value.",
        select(
            _next_expiry().label("next_expiry_us"),
            entry.expires_at_us,
            entry.created_domain,
            *ENTRY_VALUE_COLUMNS,
        )
        .select_from(AGENT.outerjoin(ENTRY, and_(entry.agent_ref == agent.ref, entry.key == _bind("key"))))
        .where(agent.ref == _bind("agent_ref")),
        ("key", "agent_ref"),
    ),
    "touch": Statement(
        "Remembers who read an entry last (ENT-4).",
        update(ENTRY)
        .values(last_accessed_by=_bind("gene_id"))
        .where(entry.agent_ref == _bind("agent_ref"), entry.key == _bind("key")),
        ("gene_id", "agent_ref", "key"),
    ),
    "insert_entry": Statement(
        "A new row.",
        insert(ENTRY).values(
            agent_ref=_bind("agent_ref"),
            seq=_bind("seq"),
            **{name: _bind(name) for name in _ROW_PARAMETERS},
        ),
        (
            "agent_ref",
            "key",
            "category",
            "size_bytes",
            "created_by",
            "created_domain",
            "last_accessed_by",
            "created_at_us",
            "updated_at_us",
            "order_us",
            "seq",
            *_ROW_PARAMETERS[9:],
        ),
    ),
    "rewrite_entry": Statement(
        "A row in place of the old one; key, creator and creation stay.",
        update(ENTRY)
        .ordered_values(*[(entry[name], _bind(name)) for name in _REWRITTEN])
        .where(entry.ref == _bind("ref")),
        (*_REWRITTEN, "ref"),
    ),
    "delete_entry": Statement("Removes one row.", delete(ENTRY).where(entry.ref == _bind("ref")), ("ref",)),
    "delete_entries": Statement(
        "Removes rows, by row number, given as a JSON list.",
        delete(ENTRY).where(entry.ref.in_(_listed("refs"))),
        ("refs",),
    ),
    "save_agent_counters": Statement(
        "The agent's last order instant and its counters.",
        update(AGENT)
        .ordered_values(
            (agent.order_us, _bind("order_us")),
            *[(agent[name], _bind(name)) for name in Counters._fields],
        )
        .where(agent.ref == _bind("agent_ref")),
        ("order_us", *Counters._fields, "agent_ref"),
    ),
    "save_gene": Statement(
        "Remembers a gene under the name it has now (AGT-10).",
        insert(GENE)
        .prefix_with("OR REPLACE", dialect="sqlite")
        .values(
            agent_ref=_bind("agent_ref"),
            gene_id=_bind("gene_id"),
            name=_bind("name"),
            version=_bind("version"),
            domain=_bind("domain"),
        ),
        ("agent_ref", "gene_id", "name", "version", "domain"),
    ),
    "load_genes": Statement(
        "The genes that acted on an agent's memory.",
        select(gene.gene_id, gene.name, gene.version, gene.domain)
        .where(gene.agent_ref == _bind("agent_ref"))
        .order_by(gene.name, gene.gene_id),
        ("agent_ref",),
    ),
    "load_expired": Statement(
        "What has expired, in order of update (POL-6).",
        select(*LEAVING)
        .where(_of_agent(), entry.expires_at_us.is_not(None), entry.expires_at_us <= _bind("now_us"))
        .order_by(*_OLDEST_FIRST),
        ("agent_ref", "now_us"),
    ),
    "load_evictable": Statement(
        "What may be evicted, in eviction order (QUO-4).",
        select(*LEAVING)
        .where(_of_agent(), entry.category <= literal_column(str(max(EVICTABLE_STORED))))
        .order_by(entry.category, *_OLDEST_FIRST),
        ("agent_ref",),
    ),
    "query_newest": Statement(
        "A query over all categories: walks the newest entries.",
        _walk(),
        ("agent_ref", *_QUERY_PARAMETERS, "limit"),
    ),
    "query_category": Statement(
        "A query over one category: walks its newest entries.",
        _walk(_of_category()),
        ("agent_ref", "category", *_QUERY_PARAMETERS, "limit"),
    ),
    "query_prefix_refs": Statement(
        "The newest rows under a prefix; sorting row numbers, not rows, keeps this small.",
        _newest_refs(_prefixed()),
        ("agent_ref", "from_key", "to_key", *_QUERY_PARAMETERS, "limit"),
    ),
    "query_prefix_category_refs": Statement(
        "The newest rows of a category under a prefix.",
        _newest_refs(_prefixed(), _of_category()),
        ("agent_ref", "from_key", "to_key", "category", *_QUERY_PARAMETERS, "limit"),
    ),
    "load_entries_by_ref": Statement(
        "Entries by row number, given as a JSON list.",
        select(entry.ref, *ENTRY_VALUE_COLUMNS).where(entry.ref.in_(_listed("refs"))),
        ("refs",),
    ),
    "load_held_by_ref": Statement(
        "Entries without their values, by row number, given as a JSON list.",
        select(*HELD).where(entry.ref.in_(_listed("refs"))),
        ("refs",),
    ),
    "load_value_starts": Statement(
        "The key and the first bytes of the value of rows, given as a JSON list, for a review.",
        select(
            entry.ref, entry.key, func.substr(entry.value, literal_column("1"), _bind("at_most_bytes"))
        ).where(entry.ref.in_(_listed("refs"))),
        ("at_most_bytes", "refs"),
    ),
    "find_in_keys": Statement(
        "All live entries whose key holds a text, newest first, without values.",
        select(*HELD)
        .where(_of_agent(), func.instr(entry.key, _bind("text")) > literal_column("0"), _live())
        .order_by(*_NEWEST_FIRST),
        ("agent_ref", "text", "now_us"),
    ),
    "find_anywhere": Statement(
        "All live entries whose key holds a text or whose value its bytes, newest first, without values.",
        select(*HELD)
        .where(
            _of_agent(),
            or_(
                func.instr(entry.key, _bind("text")) > literal_column("0"),
                func.instr(entry.value, _bind("text_bytes")) > literal_column("0"),
            ),
            _live(),
        )
        .order_by(*_NEWEST_FIRST),
        ("agent_ref", "text", "text_bytes", "now_us"),
    ),
    "load_by_keys": Statement(
        "The live entries of the keys in a JSON list, in order of update (AGT-4).",
        select(*LEAVING).where(_of_agent(), entry.key.in_(_listed("keys")), _live()).order_by(*_OLDEST_FIRST),
        ("agent_ref", "keys", "now_us"),
    ),
    "load_seen": Statement(
        "What tells whether entries are those that were seen: of the keys in a JSON list (AGT-4).",
        select(entry.key, entry.created_by, entry.created_at_us, entry.updated_at_us).where(
            _of_agent(), entry.key.in_(_listed("keys")), _live()
        ),
        ("agent_ref", "keys", "now_us"),
    ),
    "load_category": Statement(
        "The live entries of a category, in order of update (AGT-4).",
        select(*LEAVING).where(_of_agent(), _of_category(), _live()).order_by(*_OLDEST_FIRST),
        ("agent_ref", "category", "now_us"),
    ),
    "load_next_expiry": Statement(
        "When the agent's next entry expires; one look into an index (POL-6).",
        select(func.min(entry.expires_at_us)).where(_of_agent(), entry.expires_at_us.is_not(None)),
        ("agent_ref",),
    ),
    "list_entries": Statement(
        "All live entries of an agent, newest first, without values (AGT-3).",
        select(*HELD).where(_of_agent(), _live()).order_by(*_NEWEST_FIRST),
        ("agent_ref", "now_us"),
    ),
    "list_category": Statement(
        "All live entries of one category, newest first, without values (AGT-3).",
        select(*HELD).where(_of_agent(), _of_category(), _live()).order_by(*_NEWEST_FIRST),
        ("agent_ref", "category", "now_us"),
    ),
    "export_entries": Statement(
        "All live entries with their values, in order of update (AGT-6).",
        select(entry.created_domain, *ENTRY_VALUE_COLUMNS)
        .where(_of_agent(), _live())
        .order_by(*_OLDEST_FIRST),
        ("agent_ref", "now_us"),
    ),
    "load_value": Statement(
        "A live entry's value, for the deployer.",
        select(entry.value).where(_of_agent(), entry.key == _bind("key"), _live()),
        ("agent_ref", "key", "now_us"),
    ),
    "verify_agents": Statement(
        "What the self-check compares of every agent.",
        select(agent.ref, agent.agent_id, agent.days, agent.hmac_key, agent.order_us, *COUNTERS),
        (),
    ),
    "verify_entries": Statement(
        "What the self-check compares of every entry, expired ones too.",
        select(entry.agent_ref, entry.order_us, entry.seq, entry.expires_at_us, entry.value, *HELD),
        (),
    ),
    "apply_agent_days": Statement(
        "Moves the expiry of entries that follow the agent's days (POL-4).",
        update(ENTRY)
        .values(expires_at_us=_expiry_under("span_us", "threshold_us"))
        .where(_of_agent(), entry.own_auto_delete.is_(None)),
        ("threshold_us", "span_us", "agent_ref"),
    ),
    "lift_agent_days": Statement(
        "Entries that follow the agent's days never expire any more (POL-4).",
        update(ENTRY).values(expires_at_us=null()).where(_of_agent(), entry.own_auto_delete.is_(None)),
        ("agent_ref",),
    ),
}
