"""What a change of the deployer's settings would come to, asked before it is made (POL-4, QUO-1). Pure.

The same rules decide here that will decide afterwards: `retention` says what would have expired, `access`
which policies would be refused if a gene passed them today.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rotifer_store.access import days_refusal, share_refusal
from rotifer_store.model import DataPolicy, Held
from rotifer_store.retention import effective_days, is_expired, stored_expiry_us
from rotifer_store.tables import SHARE_POLICY_OF


class Foreseen(NamedTuple):
    """What would expire at once, what would stay and not fit, and the bytes that the quota lacks."""

    expiring: list[Held]
    outside: list[Held]
    over_quota_bytes: int


class _Limits(NamedTuple):
    days: int | None
    anonymization: int


def foresee(entries: Iterable[Held], data_policy: DataPolicy, quota_bytes: int, now_us: int) -> Foreseen:
    """How live entries would fare under a data policy and a quota, each in the order in which it came.

    An entry that would expire is not also counted as one that does not fit, nor against the quota: it would
    be gone (POL-5).
    """
    limits = _Limits(data_policy.max_retention_days, int(data_policy.anonymization_supported))
    foreseen = Foreseen([], [], 0)
    used_bytes = 0
    for entry in entries:
        days = effective_days(entry.own_days, entry.own_auto_delete, limits.days)
        if is_expired(stored_expiry_us(entry.updated_at_us, days), now_us):
            foreseen.expiring.append(entry)
            continue
        used_bytes += entry.size_bytes
        if _is_outside(entry, limits):
            foreseen.outside.append(entry)
    return foreseen._replace(over_quota_bytes=max(0, used_bytes - quota_bytes))


def _is_outside(entry: Held, limits: _Limits) -> bool:
    """Whether a write that passed the entry's own policies would be refused (ACC-3, POL-3)."""
    if share_refusal(SHARE_POLICY_OF[entry.share_policy_stored], limits) is not None:
        return True
    return entry.own_auto_delete is not None and days_refusal(entry.own_days, limits) is not None
