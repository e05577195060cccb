"""The tables of agent memory, once, as data: categories, scopes, fields, errors, limits, audit actions.

Everything else reads them: validation, rules, the engine, the command line, the docs and the tests.
Nothing here computes. Every row names the rule it comes from (docs/rules.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MemoryCategory(StrEnum):
    """The four categories of an entry (CAT)."""

    PREFERENCE = "PREFERENCE"
    PATTERN = "PATTERN"
    CONTEXT = "CONTEXT"
    CACHE = "CACHE"


class Scope(StrEnum):
    """Who may read, or change and delete, an entry (ACC-2)."""

    CREATOR_GENE_ONLY = "CREATOR_GENE_ONLY"
    SAME_DOMAIN = "SAME_DOMAIN"
    ALL_GENES = "ALL_GENES"
    DEPLOYER_CONFIGURED = "DEPLOYER_CONFIGURED"


class SharePolicy(StrEnum):
    """Whether an entry may leave its agent (ACC-3)."""

    PRIVATE = "PRIVATE"
    ANONYMIZED_SHARE = "ANONYMIZED_SHARE"
    KNOWLEDGE_GENE = "KNOWLEDGE_GENE"


class ErrorCode(StrEnum):
    """The codes a memory call can fail with (ERR)."""

    MEMORY_NOT_FOUND = "MEMORY_NOT_FOUND"
    MEMORY_ACCESS_DENIED = "MEMORY_ACCESS_DENIED"
    MEMORY_QUOTA_EXCEEDED = "MEMORY_QUOTA_EXCEEDED"
    MEMORY_INVALID_INPUT = "MEMORY_INVALID_INPUT"
    MEMORY_STORAGE_ERROR = "MEMORY_STORAGE_ERROR"


class AuditAction(StrEnum):
    """What one line of the audit log says happened (REC)."""

    MEMORY_WRITE = "memory_write"
    MEMORY_UPDATE = "memory_update"
    MEMORY_DELETE = "memory_delete"
    MEMORY_EVICT = "memory_evict"
    MEMORY_EXPIRE = "memory_expire"
    MEMORY_IMPORT = "memory_import"
    MEMORY_QUOTA_REFUSED = "memory_quota_refused"
    MEMORY_ACCESS_DENIED = "memory_access_denied"
    MEMORY_ABORTED = "memory_aborted"
    AGENT_CREATE = "agent_create"
    POLICY_CHANGE = "policy_change"
    GENOME_CHANGE = "genome_change"
    AUDIT_CHECKPOINT = "audit_checkpoint"


class Actor(StrEnum):
    """Who did what an audit line tells (REC)."""

    GENE = "gene"
    DEPLOYER = "deployer"
    SYSTEM = "system"


class Operation(StrEnum):
    """The call in which an audit line arose (REC)."""

    READ = "read"
    WRITE = "write"
    QUERY = "query"
    DELETE = "delete"
    LIST = "list"
    SWEEP = "sweep"
    IMPORT = "import"
    CREATE = "create"
    POLICY = "policy"
    GENOME = "genome"
    ROTATE = "rotate"
    OPEN = "open"


class ReviewKind(StrEnum):
    """Why a review shows an entry to a person (ours: the deployer judges, nothing is removed)."""

    PREFERENCE_OUTSIDE_GENOME = "preference_outside_genome"
    HIDDEN_CHARACTERS = "hidden_characters"
    INSTRUCTION_LIKE = "instruction_like"
    BURST_AFTER_REFUSALS = "burst_after_refusals"
    ENCODED_PAYLOAD = "encoded_payload"


class Effect(StrEnum):
    """What an audit line does to the entry it names when the log is replayed (REC-3)."""

    PUTS = "puts"
    REMOVES = "removes"
    REVOKES = "revokes"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category. `stored` is the integer in the database; evictable ones sort by it (QUO-4)."""

    category: MemoryCategory
    stored: int
    holds: str
    eviction_rank: int | None
    moves_with_agent: bool
    rule: str


CATEGORIES: tuple[CategoryRow, ...] = (
    CategoryRow(MemoryCategory.PREFERENCE, 3, "what a user likes, wants and is used to", None, True, "CAT"),
    CategoryRow(MemoryCategory.PATTERN, 1, "what keeps coming up from run to run", 2, True, "CAT"),
    CategoryRow(MemoryCategory.CONTEXT, 2, "what is known of a task or a field", 3, True, "CAT"),
    CategoryRow(
        MemoryCategory.CACHE, 0, "results that are cheap to lose: they can be made again", 1, False, "CAT"
    ),
)


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """One scope. `grantable` is false where a write that names it is refused (ACC-3)."""

    scope: Scope
    stored: int
    who: str
    grantable: bool
    rule: str


SCOPES: tuple[ScopeRow, ...] = (
    ScopeRow(Scope.CREATOR_GENE_ONLY, 1, "the gene that created the entry", True, "ACC-2"),
    ScopeRow(Scope.SAME_DOMAIN, 0, "genes whose domain equals the creator's", True, "ACC-2"),
    ScopeRow(Scope.ALL_GENES, 2, "every gene of the agent that has a v2 id", True, "ACC-2"),
    ScopeRow(Scope.DEPLOYER_CONFIGURED, 3, "nobody: no data policy can name one yet", False, "ACC-3"),
)


@dataclass(frozen=True, slots=True)
class SharePolicyRow:
    """One share policy. `needs_anonymization` ties it to the agent's data policy (ACC-3)."""

    share_policy: SharePolicy
    stored: int
    meaning: str
    needs_anonymization: bool
    rule: str


SHARE_POLICIES: tuple[SharePolicyRow, ...] = (
    SharePolicyRow(SharePolicy.PRIVATE, 0, "stays inside its agent", False, "ACC-1"),
    SharePolicyRow(
        SharePolicy.ANONYMIZED_SHARE, 1, "may be shared once nothing in it points to a user", True, "ACC-3"
    ),
    SharePolicyRow(
        SharePolicy.KNOWLEDGE_GENE, 2, "may become a knowledge gene and be shared as such", True, "ACC-3"
    ),
)


@dataclass(frozen=True, slots=True)
class EntryFieldRow:
    """One member of an entry: its Python and wire names, and who may change it."""

    name: str
    wire_name: str
    wire_type: str
    changed_by: str
    shown_by_list: bool
    rule: str


ENTRY_FIELDS: tuple[EntryFieldRow, ...] = (
    EntryFieldRow("entry_id", "entryId", "text", "nobody", True, "ENT-2"),
    EntryFieldRow("category", "category", "text", "a write", True, "CAT-1"),
    EntryFieldRow("key", "key", "text", "nobody", True, "INP-1"),
    EntryFieldRow("value", "value", "base64", "a write", False, "INP-2"),
    EntryFieldRow("created_by", "createdBy", "text", "nobody", True, "ENT-3"),
    EntryFieldRow("last_accessed_by", "lastAccessedBy", "text", "a read, a write", True, "ENT-4"),
    EntryFieldRow("created_at", "createdAt", "time", "nobody", True, "ENT-5"),
    EntryFieldRow("updated_at", "updatedAt", "time", "a write", True, "ENT-7"),
    EntryFieldRow("access_policy", "accessPolicy", "object", "its creator", True, "ACC-5"),
    EntryFieldRow("retention_policy", "retentionPolicy", "object or null", "its creator", True, "POL-1"),
)


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One error code with its number for WASM host calls (ERR)."""

    code: ErrorCode
    wasm_result: int
    when: str
    rule: str


ERRORS: tuple[ErrorRow, ...] = (
    ErrorRow(ErrorCode.MEMORY_NOT_FOUND, -12, "a delete of what is not there", "ERR"),
    ErrorRow(
        ErrorCode.MEMORY_ACCESS_DENIED, -2, "a scope, a policy or a missing v2 id forbids the call", "ACC"
    ),
    ErrorRow(ErrorCode.MEMORY_QUOTA_EXCEEDED, -8, "no room even after cleanup; nothing changed", "QUO-5"),
    ErrorRow(ErrorCode.MEMORY_INVALID_INPUT, -10, "an argument is not of the form the call takes", "INP"),
    ErrorRow(
        ErrorCode.MEMORY_STORAGE_ERROR,
        -13,
        "the store or its log failed, or a runtime is missing",
        "ERR",
    ),
)

MAX_KEY_BYTES = 1024
MAX_VALUE_BYTES = 1_048_576
DEFAULT_QUERY_LIMIT = 100
MAX_QUERY_LIMIT = 1000
MAX_QUERY_BYTES = 4_194_304
DEFAULT_QUOTA_BYTES = 10 * 1024 * 1024
MAX_QUOTA_BYTES = 2**53 - 1
MAX_RETENTION_DAYS = 2_147_483_647
MAX_AGENT_NAME_CHARACTERS = 100

REVIEWED_VALUE_BYTES = 262_144
"""How much of a value a review looks at: its beginning, up to so many bytes."""
BURST_REFUSALS = 3
BURST_WRITES = 3
BURST_WINDOW_S = 600
"""A burst, for a review: so many refusals of a gene, then so many keys that it writes, in so many seconds."""


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One limit: the name of its constant here, its value and unit."""

    constant: str
    value: int
    unit: str
    bounds: str
    rule: str


LIMITS: tuple[LimitRow, ...] = (
    LimitRow("MAX_KEY_BYTES", MAX_KEY_BYTES, "bytes", "a key in UTF-8", "INP-1"),
    LimitRow("MAX_VALUE_BYTES", MAX_VALUE_BYTES, "bytes", "a value", "INP-2"),
    LimitRow("DEFAULT_QUERY_LIMIT", DEFAULT_QUERY_LIMIT, "entries", "a query that names no limit", "INP-3"),
    LimitRow("MAX_QUERY_LIMIT", MAX_QUERY_LIMIT, "entries", "a query", "INP-3"),
    LimitRow("MAX_QUERY_BYTES", MAX_QUERY_BYTES, "bytes", "keys and values of a query's answer", "INP-5"),
    LimitRow("DEFAULT_QUOTA_BYTES", DEFAULT_QUOTA_BYTES, "bytes", "an agent without a quota", "QUO-1"),
    LimitRow("MAX_QUOTA_BYTES", MAX_QUOTA_BYTES, "bytes", "a quota", "QUO-2"),
    LimitRow("MAX_RETENTION_DAYS", MAX_RETENTION_DAYS, "days", "a retention or data policy", "POL-1"),
    LimitRow(
        "MAX_AGENT_NAME_CHARACTERS", MAX_AGENT_NAME_CHARACTERS, "characters", "an agent's name", "AGT-2"
    ),
)


@dataclass(frozen=True, slots=True)
class AuditActionRow:
    """One audit action: who can be its actor, its effect in a replay, whether telemetry hears of it."""

    action: AuditAction
    actors: tuple[Actor, ...]
    effect: Effect
    telemetry: bool
    rule: str


AUDIT_ACTIONS: tuple[AuditActionRow, ...] = (
    AuditActionRow(AuditAction.MEMORY_WRITE, (Actor.GENE,), Effect.PUTS, False, "REC-1"),
    AuditActionRow(AuditAction.MEMORY_UPDATE, (Actor.GENE,), Effect.PUTS, False, "REC-1"),
    AuditActionRow(
        AuditAction.MEMORY_DELETE, (Actor.GENE, Actor.DEPLOYER), Effect.REMOVES, False, "REC-1, REC-8"
    ),
    AuditActionRow(AuditAction.MEMORY_EVICT, (Actor.SYSTEM,), Effect.REMOVES, False, "REC-1, QUO-4"),
    AuditActionRow(AuditAction.MEMORY_EXPIRE, (Actor.SYSTEM,), Effect.REMOVES, False, "REC-1, POL-6"),
    AuditActionRow(AuditAction.MEMORY_IMPORT, (Actor.DEPLOYER,), Effect.PUTS, False, "AGT-6"),
    AuditActionRow(
        AuditAction.MEMORY_QUOTA_REFUSED, (Actor.GENE, Actor.DEPLOYER), Effect.NONE, False, "REC-1, QUO-5"
    ),
    AuditActionRow(
        AuditAction.MEMORY_ACCESS_DENIED, (Actor.GENE, Actor.DEPLOYER), Effect.NONE, True, "REC-4"
    ),
    AuditActionRow(AuditAction.MEMORY_ABORTED, (Actor.SYSTEM,), Effect.REVOKES, False, "REC-3"),
    AuditActionRow(AuditAction.AGENT_CREATE, (Actor.DEPLOYER,), Effect.NONE, False, "AGT-2"),
    AuditActionRow(AuditAction.POLICY_CHANGE, (Actor.DEPLOYER,), Effect.NONE, False, "POL-2, QUO-1"),
    AuditActionRow(AuditAction.GENOME_CHANGE, (Actor.DEPLOYER,), Effect.NONE, False, "AGT-9"),
    AuditActionRow(AuditAction.AUDIT_CHECKPOINT, (Actor.DEPLOYER,), Effect.NONE, False, "REC-9"),
)

AUDIT_MEMBERS: tuple[str, ...] = (
    "ts",
    "seq",
    "txn",
    "action",
    "actor",
    "agent_id",
    "agent",
    "gene_id",
    "gene_domain",
    "key",
    "category",
    "old_category",
    "entry_id",
    "bytes",
    "value_hmac",
    "operation",
    "code",
    "reason",
    "prev_hash",
    "hash",
)

TELEMETRY_MEMBERS: tuple[str, ...] = (
    "ts",
    "event",
    "agent_id",
    "gene_id",
    "gene_domain",
    "operation",
    "code",
    "audit_seq",
)

STORED_CATEGORY: dict[str, int] = {row.category: row.stored for row in CATEGORIES}
CATEGORY_OF: dict[int, MemoryCategory] = {row.stored: row.category for row in CATEGORIES}
STORED_SCOPE: dict[str, int] = {row.scope: row.stored for row in SCOPES}
SCOPE_OF: dict[int, Scope] = {row.stored: row.scope for row in SCOPES}
STORED_SHARE_POLICY: dict[str, int] = {row.share_policy: row.stored for row in SHARE_POLICIES}
SHARE_POLICY_OF: dict[int, SharePolicy] = {row.stored: row.share_policy for row in SHARE_POLICIES}
EVICTABLE_STORED: tuple[int, ...] = tuple(
    row.stored
    for row in sorted(
        (row for row in CATEGORIES if row.eviction_rank is not None), key=lambda row: row.eviction_rank or 0
    )
)
EFFECT_OF: dict[str, Effect] = {row.action: row.effect for row in AUDIT_ACTIONS}
