"""The database's tables, declared once as SQLModel.

`statements.py` is compiled from them (`make statements`) and is all that a memory call needs at run time;
agents, policies and genomes go through sessions on these classes. Names begin with `rotifer_`, so that a
file in which another program keeps tables of its own can be shared. SQLite tables are STRICT and checked: a
row whose time or category is of no known form cannot be stored, by whomever (ENT-5, ENT-6).

The value is an entry's last column: listing metadata then never reads the pages that values overflow to.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

from rotifer_store.rfc3339 import FIRST_US, LAST_US
from rotifer_store.tables import CATEGORY_OF, SCOPES, SHARE_POLICY_OF

SCHEMA_VERSION = 1

_STRICT: dict[str, object] = {"sqlite_strict": True}
_Whole = BigInteger().with_variant(Integer(), "sqlite")


def _whole(*, nullable: bool = False) -> Column[int]:
    return Column(_Whole, nullable=nullable)


def _text(*, nullable: bool = False, unique: bool = False) -> Column[str]:
    return Column(Text, nullable=nullable, unique=unique or None)


def _one_of(column: str, numbers: list[int]) -> CheckConstraint:
    return CheckConstraint(f"{column} BETWEEN {min(numbers)} AND {max(numbers)}")


class Table(SQLModel):
    """The base of our tables; its metadata is ours, so a program's own SQLModel tables stay apart."""

    metadata: ClassVar[MetaData] = MetaData()


class StateRow(Table, table=True):
    """One row: the schema's version, and the end of the audit chain that the store has committed (REC-9)."""

    __tablename__ = "rotifer_state"
    __table_args__: ClassVar[tuple[object, ...]] = (CheckConstraint("id = 1"), _STRICT)

    id: int = Field(default=1, sa_column=Column(Integer, primary_key=True, autoincrement=False))
    schema_version: int = Field(sa_column=_whole())
    seq: int = Field(sa_column=_whole())
    hash: str = Field(sa_column=_text())


class AgentRow(Table, table=True):
    """An agent: its record, its key for HMACs, and counters of its live entries (QUO-1)."""

    __tablename__ = "rotifer_agent"
    __table_args__: ClassVar[tuple[object, ...]] = (_STRICT,)

    ref: int | None = Field(default=None, sa_column=Column(Integer, primary_key=True))
    agent_id: str = Field(sa_column=_text(unique=True))
    name: str = Field(sa_column=_text(unique=True))
    created_at_us: int = Field(sa_column=_whole())
    genes: str = Field(sa_column=_text())
    composition: str = Field(sa_column=_text())
    quota_bytes: int = Field(sa_column=_whole())
    days: int | None = Field(sa_column=_whole(nullable=True))
    auto_delete: int = Field(sa_column=_whole())
    anonymization: int = Field(sa_column=_whole())
    hmac_key: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    order_us: int = Field(sa_column=_whole())
    cache_entries: int = Field(default=0, sa_column=_whole())
    cache_bytes: int = Field(default=0, sa_column=_whole())
    pattern_entries: int = Field(default=0, sa_column=_whole())
    pattern_bytes: int = Field(default=0, sa_column=_whole())
    context_entries: int = Field(default=0, sa_column=_whole())
    context_bytes: int = Field(default=0, sa_column=_whole())
    preference_entries: int = Field(default=0, sa_column=_whole())
    preference_bytes: int = Field(default=0, sa_column=_whole())


class EntryRow(Table, table=True):
    """One live entry. Null `own_auto_delete`: it follows the agent's data policy (POL-4)."""

    __tablename__ = "rotifer_entry"
    __table_args__: ClassVar[tuple[object, ...]] = (
        UniqueConstraint("agent_ref", "key"),
        Index("rotifer_entry_evict", "agent_ref", "category", "order_us", "seq"),
        Index("rotifer_entry_recent", "agent_ref", "order_us", "seq"),
        _one_of("category", list(CATEGORY_OF)),
        _one_of("created_at_us", [FIRST_US, LAST_US]),
        _one_of("updated_at_us", [FIRST_US, LAST_US]),
        _one_of("read_scope", [row.stored for row in SCOPES if row.grantable]),
        _one_of("write_scope", [row.stored for row in SCOPES if row.grantable]),
        _one_of("share_policy", list(SHARE_POLICY_OF)),
        _STRICT,
    )

    ref: int | None = Field(default=None, sa_column=Column(Integer, primary_key=True))
    agent_ref: int = Field(sa_column=_whole())
    key: str = Field(sa_column=_text())
    category: int = Field(sa_column=_whole())
    size_bytes: int = Field(sa_column=_whole())
    created_by: str = Field(sa_column=_text())
    created_domain: str = Field(sa_column=_text())
    last_accessed_by: str = Field(sa_column=_text())
    created_at_us: int = Field(sa_column=_whole())
    updated_at_us: int = Field(sa_column=_whole())
    order_us: int = Field(sa_column=_whole())
    seq: int = Field(sa_column=_whole())
    expires_at_us: int | None = Field(sa_column=_whole(nullable=True))
    read_scope: int = Field(sa_column=_whole())
    write_scope: int = Field(sa_column=_whole())
    share_policy: int = Field(sa_column=_whole())
    own_days: int | None = Field(sa_column=_whole(nullable=True))
    own_auto_delete: int | None = Field(sa_column=_whole(nullable=True))
    own_anonymization: int | None = Field(sa_column=_whole(nullable=True))
    value_hmac: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    value: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class GeneRow(Table, table=True):
    """A gene that acted on an agent's memory, under the name it had then (AGT-10)."""

    __tablename__ = "rotifer_gene"
    __table_args__: ClassVar[tuple[object, ...]] = (_STRICT,)

    agent_ref: int = Field(sa_column=Column(_Whole, primary_key=True, autoincrement=False))
    gene_id: str = Field(sa_column=Column(Text, primary_key=True))
    name: str | None = Field(sa_column=_text(nullable=True))
    version: str | None = Field(sa_column=_text(nullable=True))
    domain: str = Field(sa_column=_text())


_entry = Table.metadata.tables[EntryRow.__tablename__]
Index(
    "rotifer_entry_expiry",
    _entry.c.agent_ref,
    _entry.c.expires_at_us,
    sqlite_where=_entry.c.expires_at_us.is_not(None),
    postgresql_where=_entry.c.expires_at_us.is_not(None),
)
