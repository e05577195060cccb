"""Who may do what with an entry: pure decisions on scopes and policies (ACC, POL-3).

A refusal is a sentence; None means allowed. The shell records it and raises, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rotifer_store.model import UNSET, Caller, Head, Held, WriteRequest, own_retention, stored_access
from rotifer_store.tables import (
    SCOPES,
    SHARE_POLICIES,
    STORED_SCOPE,
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
