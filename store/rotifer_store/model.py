"""The values of agent memory: what callers pass and get, and what the rules decide on.

Immutable, without I/O. An entry is a tuple in the order of its stored row and converts a member when it is
asked for: a query's hundred entries then cost little more than the rows themselves (docs/performance.md).
`repr` never shows a memory value, so a traceback cannot either.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from rotifer_store.tables import (
    CATEGORY_OF,
    DEFAULT_QUOTA_BYTES,
    ENTRY_FIELDS,
    SCOPE_OF,
    SHARE_POLICY_OF,
    STORED_SCOPE,
    STORED_SHARE_POLICY,
    MemoryCategory,
    ReviewKind,
    Scope,
    SharePolicy,
)

if TYPE_CHECKING:
    from os import PathLike

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Unset(Enum):
    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset.UNSET
"""Left out, where None means something else: `retention_policy=None` follows the agent (ACC-5)."""


def json_form(value: object) -> object:
    """A member as JSON has it: times as RFC 3339, bytes as base64, policies as objects (ENT-1, ENT-5)."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, AccessPolicy | RetentionPolicy):
        return value.to_json()
    return str(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Who may read an entry, who may change or delete it, and whether it may leave the agent (ACC-1)."""

    read_scope: Scope = Scope.SAME_DOMAIN
    write_scope: Scope = Scope.SAME_DOMAIN
    share_policy: SharePolicy = SharePolicy.PRIVATE

    def to_json(self) -> dict[str, str]:
        """The page's member names."""
        return {
            "readScope": str(self.read_scope),
            "writeScope": str(self.write_scope),
            "sharePolicy": str(self.share_policy),
        }


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long an entry is kept: whole days, or None for no limit (POL-1)."""

    max_retention_days: int | None
    auto_delete_on_termination: bool
    anonymization_supported: bool

    def to_json(self) -> dict[str, int | bool | None]:
        """The page's member names."""
        return {
            "maxRetentionDays": self.max_retention_days,
            "autoDeleteOnTermination": self.auto_delete_on_termination,
            "anonymizationSupported": self.anonymization_supported,
        }


@dataclass(frozen=True, slots=True)
class DataPolicy(RetentionPolicy):
    """The agent's own policy, of the same members; by default no limit and no anonymization (POL-2)."""

    max_retention_days: int | None = None
    auto_delete_on_termination: bool = False
    anonymization_supported: bool = False


@dataclass(frozen=True, slots=True)
class Gene:
    """A gene as memory sees it: its v2 id (None = it has none) and domain; name and version for people."""

    id: str | None
    domain: str
    name: str | None = None
    version: str | None = None

    @classmethod
    def from_folder(cls, path: str | PathLike[str]) -> Gene:
        """The gene that lies in a folder (GEN-1, GEN-2).

        Raises:
            GeneNotFound: there is no such folder.
            InvalidGene: its name, phenotype or source is not a gene's.
        """
        from rotifer_store.gene_folder import read_gene_folder  # a gene without a folder needs no RFC 8785

        folder = read_gene_folder(path)
        return cls(folder.gene_id, folder.domain, folder.name, folder.version)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which entries a query asks for; None means that the member is absent (INP-3)."""

    category: str | None = None
    key_prefix: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class BrowseFilter:
    """Which entries a dashboard asks for; None means that the member is absent.

    `text` is a substring of the key, `pattern` a regular expression searched in it, `gene` the creator's
    v2 id, or its name. Sizes count key and value bytes.
    """

    category: str | None = None
    text: str | None = None
    pattern: str | None = None
    gene: str | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    expires_within_s: int | float | None = None


class _EntryRow(NamedTuple):
    agent_id: str
    key: str
    category_stored: int
    value: bytes
    created_by: str
    last_accessed_by: str
    created_at_us: int
    updated_at_us: int
    read_scope_stored: int
    write_scope_stored: int
    share_policy_stored: int
    own_days: int | None
    own_auto_delete: int | None
    own_anonymization: int | None
    size_bytes: int


def entry_id_of(agent_id: str, key: str) -> str:
    """The stable id of an agent's key (ENT-2)."""
    return hashlib.sha256(f"{agent_id}\0{key}".encode()).hexdigest()


def own_retention(
    own_days: int | None, own_auto_delete: int | None, own_anonymization: int | None
) -> RetentionPolicy | None:
    """The policy that three stored columns mean; None follows the agent's (POL-4)."""
    if own_auto_delete is None:
        return None
    return RetentionPolicy(own_days, bool(own_auto_delete), bool(own_anonymization))


def own_access(read_stored: int, write_stored: int, share_stored: int) -> AccessPolicy:
    """The policy that three stored columns mean."""
    return AccessPolicy(SCOPE_OF[read_stored], SCOPE_OF[write_stored], SHARE_POLICY_OF[share_stored])


def stored_access(policy: AccessPolicy) -> tuple[int, int, int]:
    """The three columns that an access policy is stored in."""
    return (
        STORED_SCOPE[policy.read_scope],
        STORED_SCOPE[policy.write_scope],
        STORED_SHARE_POLICY[policy.share_policy],
    )


def stored_retention(policy: RetentionPolicy | None) -> tuple[int | None, int | None, int | None]:
    """The three columns that a retention policy is stored in; all null follows the agent (POL-4)."""
    if policy is None:
        return None, None, None
    return (
        policy.max_retention_days,
        int(policy.auto_delete_on_termination),
        int(policy.anonymization_supported),
    )


class MemoryEntry(_EntryRow):
    """One entry as the four calls return it (ENT-1)."""

    __slots__ = ()

    @property
    def entry_id(self) -> str:
        """64 hex digits, the same for as long as agent and key are (ENT-2)."""
        return entry_id_of(self.agent_id, self.key)

    @property
    def category(self) -> MemoryCategory:
        """The entry's category."""
        return CATEGORY_OF[self.category_stored]

    @property
    def created_at(self) -> datetime:
        """Aware, UTC."""
        return _EPOCH + timedelta(microseconds=self.created_at_us)

    @property
    def updated_at(self) -> datetime:
        """Aware, UTC."""
        return _EPOCH + timedelta(microseconds=self.updated_at_us)

    @property
    def access_policy(self) -> AccessPolicy:
        """Scopes and share policy."""
        return own_access(self.read_scope_stored, self.write_scope_stored, self.share_policy_stored)

    @property
    def retention_policy(self) -> RetentionPolicy | None:
        """The entry's own policy; None follows the agent's."""
        return own_retention(self.own_days, self.own_auto_delete, self.own_anonymization)

    def to_json(self) -> dict[str, object]:
        """The page's ten members; `value` is padded standard base64 (ENT-1)."""
        return {row.wire_name: json_form(getattr(self, row.name)) for row in ENTRY_FIELDS}

    def __repr__(self) -> str:
        return f"MemoryEntry(key={self.key!r}, category={self.category_stored}, {len(self.value)} bytes)"


entry_of_row: Callable[[tuple[object, ...]], MemoryEntry] = partial(tuple.__new__, MemoryEntry)
"""The entry of an agent's id and a row of the store. As `_make`, but no code of Python's for each row."""


@dataclass(frozen=True, slots=True)
class EntryInfo:
    """One entry as a deployer sees it: everything but the value (AGT-3).

    `expires_at_us` is exact; `expires_at` is None for never, and for instants that no datetime can hold.
    `size_bytes` counts key and value, as the quota does. `created_domain` is the creator's (ENT-3).
    """

    entry_id: str
    category: MemoryCategory
    key: str
    size_bytes: int
    created_by: str
    created_domain: str
    last_accessed_by: str
    created_at: datetime
    updated_at: datetime
    access_policy: AccessPolicy
    retention_policy: RetentionPolicy | None
    expires_at: datetime | None
    expires_at_us: int | None

    def to_json(self) -> dict[str, object]:
        """The page's members without `value`, and `sizeBytes, expiresAt, expiresAtUs`."""
        return {
            **{
                row.wire_name: json_form(getattr(self, row.name)) for row in ENTRY_FIELDS if row.shown_by_list
            },
            "sizeBytes": self.size_bytes,
            "expiresAt": json_form(self.expires_at),
            "expiresAtUs": self.expires_at_us,
        }


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a browse: its rows, and how many entries match in all."""

    rows: list[EntryInfo]
    total: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Entries and bytes (keys and values) of one category."""

    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """What an agent's live entries take, from counters (QUO-1)."""

    used_bytes: int
    quota_bytes: int
    by_category: Mapping[MemoryCategory, Usage]

    def to_json(self) -> dict[str, object]:
        """`{quotaBytes, usedBytes, byCategory: {C: {entries, bytes}}}`."""
        return {
            "quotaBytes": self.quota_bytes,
            "usedBytes": self.used_bytes,
            "byCategory": {
                str(category): {"entries": usage.entries, "bytes": usage.bytes}
                for category, usage in self.by_category.items()
            },
        }


@dataclass(frozen=True, slots=True)
class PolicyPreview:
    """What a change of data policy or quota would do to the live entries; most recently updated first.

    `expiring` would expire at once; `outside` stay although their own policies no longer fit the data policy
    (POL-3, ACC-3); `over_quota_bytes` is by how much what stays exceeds the quota. Entries are as they are
    now, their expiry too.
    """

    expiring: list[EntryInfo]
    outside: list[EntryInfo]
    over_quota_bytes: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a write of a new key would come to now (QUO-3, QUO-4). Sizes count key and value bytes.

    `evicted` is what would go, in order; empty where the write would fail, and nothing changes then.
    `used_bytes` counts what is live, `protected_bytes` the part of it that is never evicted: PREFERENCE.
    """

    incoming_bytes: int
    quota_bytes: int
    used_bytes: int
    protected_bytes: int
    evicted: list[EntryInfo]
    used_bytes_after: int
    fits: bool

    def to_json(self) -> dict[str, object]:
        """`{incomingBytes, quotaBytes, usedBytes, protectedBytes, evicted, usedBytesAfter, fits}`."""
        return {
            "incomingBytes": self.incoming_bytes,
            "quotaBytes": self.quota_bytes,
            "usedBytes": self.used_bytes,
            "protectedBytes": self.protected_bytes,
            "evicted": [entry.to_json() for entry in self.evicted],
            "usedBytesAfter": self.used_bytes_after,
            "fits": self.fits,
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a call is allowed, the id of the rule that decides, and a short sentence."""

    allowed: bool
    rule: str
    reason: str

    def to_json(self) -> dict[str, object]:
        """`{allowed, rule, reason}`."""
        return {"allowed": self.allowed, "rule": self.rule, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class AccessVerdict:
    """What a gene may do with a key (ACC). `category` is None where no entry has the key.

    `write` speaks of a write that leaves the policies as they are; the quota is not looked at.
    """

    key: str
    entry_id: str
    category: MemoryCategory | None
    read: Decision
    write: Decision
    delete: Decision

    def to_json(self) -> dict[str, object]:
        """`{key, entryId, category, read, write, delete}`."""
        return {
            "key": self.key,
            "entryId": self.entry_id,
            "category": json_form(self.category),
            "read": self.read.to_json(),
            "write": self.write.to_json(),
            "delete": self.delete.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to look at an entry; `detail` is a short sentence that quotes nothing of its value."""

    kind: ReviewKind
    detail: str

    def to_json(self) -> dict[str, str]:
        """`{kind, detail}`."""
        return {"kind": str(self.kind), "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An entry that a person should look at, and why; there is at least one reason."""

    entry: EntryInfo
    reasons: tuple[Reason, ...]

    def to_json(self) -> dict[str, object]:
        """`{entry, reasons}`."""
        return {"entry": self.entry.to_json(), "reasons": [reason.to_json() for reason in self.reasons]}


@dataclass(frozen=True, slots=True)
class Agent:
    """The owner of a memory. `genes` are names; the caller resolves them (AGT-1)."""

    id: str
    name: str
    genes: tuple[str, ...]
    composition: Mapping[str, object]
    memory_quota_bytes: int
    data_policy: DataPolicy
    created_at: datetime
    ref: int = field(repr=False, compare=False, default=0)
    """The store's own number for the agent; meaningless elsewhere."""


@dataclass(frozen=True, slots=True)
class GeneSeen:
    """A gene that acted on an agent's memory, as it was named then (AGT-10)."""

    gene_id: str
    name: str | None
    version: str | None
    domain: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `verify()` found wrong: its kind, where it is, and a sentence."""

    kind: str
    where: str
    message: str

    def to_json(self) -> dict[str, str]:
        """`{kind, where, message}`."""
        return {"kind": self.kind, "where": self.where, "message": self.message}


DEFAULT_ACCESS_POLICY: Final = AccessPolicy()
DEFAULT_DATA_POLICY: Final = DataPolicy()
DEFAULT_MEMORY_QUOTA_BYTES: Final = DEFAULT_QUOTA_BYTES


class Caller(NamedTuple):
    """The gene that acts: a v2 id that has been checked (None = none), and its domain (ACC-7)."""

    gene_id: str | None
    domain: str


class Held(NamedTuple):
    """A stored entry without its value, as the rules see it. `ref` is its row."""

    ref: int
    key: str
    category_stored: int
    size_bytes: int
    created_by: str
    created_domain: str
    last_accessed_by: str
    created_at_us: int
    updated_at_us: int
    read_scope_stored: int
    write_scope_stored: int
    share_policy_stored: int
    own_days: int | None
    own_auto_delete: int | None
    own_anonymization: int | None
    value_hmac: bytes

    def __repr__(self) -> str:
        return f"Held(key={self.key!r}, {self.size_bytes} bytes)"


held_of_row: Callable[[tuple[object, ...]], Held] = partial(tuple.__new__, Held)
"""The entry of a row of the store."""


class Leaving(NamedTuple):
    """What the log and the counters need to know of an entry that goes; eviction reads nothing more."""

    ref: int
    key: str
    category_stored: int
    size_bytes: int
    value_hmac: bytes


leaving_of_row: Callable[[tuple[object, ...]], Leaving] = partial(tuple.__new__, Leaving)
"""What leaves, of a row of the store."""


class Counters(NamedTuple):
    """Entries and bytes of each category, in the order of their stored numbers; bytes follow entries."""

    cache_entries: int = 0
    cache_bytes: int = 0
    pattern_entries: int = 0
    pattern_bytes: int = 0
    context_entries: int = 0
    context_bytes: int = 0
    preference_entries: int = 0
    preference_bytes: int = 0

    @property
    def used_bytes(self) -> int:
        """What the quota counts (QUO-1)."""
        return self.cache_bytes + self.pattern_bytes + self.context_bytes + self.preference_bytes

    @property
    def evictable_bytes(self) -> int:
        """What could be evicted: everything but PREFERENCE (QUO-4)."""
        return self.cache_bytes + self.pattern_bytes + self.context_bytes


counters_of: Callable[[Iterable[int]], Counters] = partial(tuple.__new__, Counters)
"""The counters of their numbers, which are as many."""


class Head(NamedTuple):
    """The agent as a change finds it: limits, last order instant, key of its HMACs, next expiry, counters."""

    quota_bytes: int
    days: int | None
    anonymization: int
    order_us: int
    hmac_key: bytes
    next_expiry_us: int | None
    counters: Counters

    def __repr__(self) -> str:
        return f"Head(quota_bytes={self.quota_bytes}, {self.counters!r})"


class WriteRequest(NamedTuple):
    """A write whose arguments have been checked. `size_bytes` counts key and value."""

    key: str
    value: bytes
    size_bytes: int
    category_stored: int
    access: AccessPolicy | _Unset
    retention: RetentionPolicy | _Unset | None

    def __repr__(self) -> str:
        return f"WriteRequest(key={self.key!r}, {self.size_bytes} bytes)"


class Query(NamedTuple):
    """A checked filter. Bounds are microseconds, rounded up where digits lay beyond them (INP-3)."""

    category_stored: int | None
    key_prefix: str | None
    since_us: int | None
    until_us: int | None
    limit: int
