"""Who may do what with an entry: pure decisions on scopes and policies (ACC, POL-3).

A refusal is a sentence; None means allowed. The shell records it and raises, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from rotifer_store.model import (
    UNSET,
    Caller,
    Decision,
    Head,
    Held,
    WriteRequest,
    own_retention,
    stored_access,
)
from rotifer_store.tables import (
    SCOPE_OF,
    SCOPES,
    SHARE_POLICIES,
    STORED_SCOPE,
    ErrorCode,
    Scope,
    SharePolicy,
)

_CREATOR_GENE_ONLY = STORED_SCOPE[Scope.CREATOR_GENE_ONLY]
_SAME_DOMAIN = STORED_SCOPE[Scope.SAME_DOMAIN]
_ALL_GENES = STORED_SCOPE[Scope.ALL_GENES]
_UNGRANTABLE: frozenset[Scope] = frozenset(row.scope for row in SCOPES if not row.grantable)
_NEEDS_ANONYMIZATION: frozenset[SharePolicy] = frozenset(
    row.share_policy for row in SHARE_POLICIES if row.needs_anonymization
)

NO_ID = "the gene has no v2 id"
READ_SCOPE = "the read scope excludes the gene"
WRITE_SCOPE = "the write scope excludes the gene"
NOT_THE_CREATOR = "only the creator may change an entry's policies"
UNGRANTABLE_SCOPE = "no data policy grants that scope"
NO_ANONYMIZATION = "the agent's data policy does not support anonymization"
KEPT_TOO_LONG = "the retention policy keeps the entry longer than the agent's data policy allows"


class Limits(Protocol):
    """What the agent's data policy says of policies that entries have; a `Head` says it."""

    @property
    def days(self) -> int | None:
        """The most days that an entry may be kept; None is no limit."""
        ...

    @property
    def anonymization(self) -> int:
        """Whether entries may be marked as shareable."""
        ...


def admits(scope_stored: int, caller: Caller, created_by: str, created_domain: str) -> bool:
    """Whether a scope lets the caller through to an entry of that creator (ACC-2)."""
    if caller.gene_id is None:
        return False
    if scope_stored == _SAME_DOMAIN:
        return caller.domain == created_domain
    if scope_stored == _CREATOR_GENE_ONLY:
        return caller.gene_id == created_by
    return scope_stored == _ALL_GENES


_WHY: Final[dict[Scope, tuple[str, str]]] = {
    Scope.CREATOR_GENE_ONLY: ("the gene created the entry", "another gene created the entry"),
    Scope.SAME_DOMAIN: ("the gene is of the creator's domain", "the gene is of another domain"),
    Scope.ALL_GENES: ("every gene with a v2 id is let through", NO_ID),
    Scope.DEPLOYER_CONFIGURED: (UNGRANTABLE_SCOPE, UNGRANTABLE_SCOPE),
}
"""Why a scope lets a gene through, and why it does not (ACC-2)."""


class Decisions(NamedTuple):
    """Whether a gene may read, write and delete under one key."""

    read: Decision
    write: Decision
    delete: Decision


def decisions(caller: Caller, entry: Held | None) -> Decisions:
    """What a gene's calls would come to, checked in their order (ACC-7, ACC-8); `entry` is live.

    Of a write only the scope is looked at: it may still pass policies that are refused, or find no room.
    """
    if caller.gene_id is None:
        refused = Decision(False, "ACC-7", NO_ID)
        return Decisions(refused, refused, refused)
    if entry is None:
        return Decisions(
            Decision(True, "ACC-8", "no entry has the key: a read gives null"),
            Decision(True, "ACC-8", "no entry has the key: a write creates it as the gene's own"),
            Decision(False, "ERR", f"no entry has the key: a delete gives {ErrorCode.MEMORY_NOT_FOUND}"),
        )
    is_read = admits(entry.read_scope_stored, caller, entry.created_by, entry.created_domain)
    is_written = write_refusal(caller, entry) is None
    why_written = _why(entry.write_scope_stored, is_let_through=is_written)
    return Decisions(
        Decision(is_read, "ACC-2", _why(entry.read_scope_stored, is_let_through=is_read)),
        Decision(is_written, "ACC-2", why_written),
        Decision(is_written, "ACC-6", why_written),
    )


def _why(scope_stored: int, *, is_let_through: bool) -> str:
    scope = SCOPE_OF[scope_stored]
    let_through, kept_out = _WHY[scope]
    return f"{scope}: {let_through if is_let_through else kept_out}"


def write_refusal(caller: Caller, entry: Held) -> str | None:
    """Why the caller may not rewrite or delete the entry (ACC-6)."""
    if admits(entry.write_scope_stored, caller, entry.created_by, entry.created_domain):
        return None
    return WRITE_SCOPE


def policy_refusal(request: WriteRequest, caller: Caller, existing: Held | None, head: Head) -> str | None:
    """Why the policies that a write passes are refused; what it leaves out is not checked (ACC-10)."""
    if request.access is UNSET and request.retention is UNSET:
        return None
    if existing is not None and caller.gene_id != existing.created_by and _changes_policy(request, existing):
        return NOT_THE_CREATOR
    if request.access is not UNSET:
        access = request.access
        refusal = share_refusal(access.share_policy, head)
        if access.read_scope in _UNGRANTABLE or access.write_scope in _UNGRANTABLE:
            refusal = UNGRANTABLE_SCOPE
        if refusal is not None:
            return refusal
    if request.retention is not UNSET and request.retention is not None:
        return days_refusal(request.retention.max_retention_days, head)
    return None


def share_refusal(share_policy: SharePolicy, limits: Limits) -> str | None:
    """Why an entry may not be shared that way under the agent's data policy (ACC-3)."""
    return NO_ANONYMIZATION if share_policy in _NEEDS_ANONYMIZATION and not limits.anonymization else None


def days_refusal(own_days: int | None, limits: Limits) -> str | None:
    """Why an entry's own days do not fit the agent's: more, or no limit under a limit (POL-3)."""
    if limits.days is not None and (own_days is None or own_days > limits.days):
        return KEPT_TOO_LONG
    return None


def _changes_policy(request: WriteRequest, existing: Held) -> bool:
    """Whether a policy that the write passes differs from the stored one (ACC-5)."""
    if request.access is not UNSET:
        stored = (existing.read_scope_stored, existing.write_scope_stored, existing.share_policy_stored)
        if stored != stored_access(request.access):
            return True
    return request.retention is not UNSET and request.retention != own_retention(
        existing.own_days, existing.own_auto_delete, existing.own_anonymization
    )


def is_orphan(entry: Held, genome: Iterable[Caller]) -> bool:
    """Whether no gene of a genome may read the entry (AGT-9)."""
    return not any(
        admits(entry.read_scope_stored, gene, entry.created_by, entry.created_domain) for gene in genome
    )
