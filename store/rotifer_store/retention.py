"""When an entry expires: integer arithmetic on microseconds, no calendar (POL-4).

2 147 483 647 days in microseconds exceed 64 bits. The exact instant is computed for people; the database
gets it capped, and a cap that far away compares the same.
"""

from __future__ import annotations

DAY_US = 86_400_000_000
MAX_STORED_US = 2**63 - 1


def effective_days(own_days: int | None, own_auto_delete: int | None, agent_days: int | None) -> int | None:
    """The days that hold for an entry: its own policy's, or the agent's where it has none (POL-4)."""
    return agent_days if own_auto_delete is None else own_days


def expires_at_us(updated_at_us: int, days: int | None) -> int | None:
    """The exact instant of expiry, or None for never."""
    return None if days is None else updated_at_us + days * DAY_US


def stored_expiry_us(updated_at_us: int, days: int | None) -> int | None:
    """The instant of expiry as the database holds it."""
    return None if days is None else min(updated_at_us + days * DAY_US, MAX_STORED_US)


def is_expired(stored_us: int | None, now_us: int) -> bool:
    """Expired at the instant itself, not only after it (POL-4)."""
    return stored_us is not None and now_us >= stored_us
