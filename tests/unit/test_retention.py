"""When an entry expires: days to an instant, exactly, however many there are."""

from __future__ import annotations

import pytest

from rotifer_store.retention import (
    MAX_STORED_US,
    effective_days,
    expires_at_us,
    is_expired,
    stored_expiry_us,
)
from unit.samples import DAY_US, NOW_US

MOST_DAYS = 2_147_483_647
LAST_US = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z


@pytest.mark.parametrize(
    ("own_days", "own_auto_delete", "agent_days", "days"),
    [
        (None, None, None, None),
        (None, None, 30, 30),
        (7, 0, 30, 7),
        (7, 1, 30, 7),
        (7, 1, None, 7),
        (None, 0, 30, None),
        (None, 1, 30, None),
        (MOST_DAYS, 0, 1, MOST_DAYS),
    ],
)
def test_an_entrys_own_days_hold_and_else_the_agents(
    own_days: int | None, own_auto_delete: int | None, agent_days: int | None, days: int | None
) -> None:
    """POL-4: a policy without days means never; no policy means the agent's."""
    assert effective_days(own_days, own_auto_delete, agent_days) == days


@pytest.mark.parametrize("updated_at_us", [-NOW_US, -1, 0, 1, NOW_US, LAST_US])
@pytest.mark.parametrize("days", [1, 2, 365, 36_500, MOST_DAYS - 1, MOST_DAYS])
def test_the_instant_is_exact_and_its_stored_form_fits(updated_at_us: int, days: int) -> None:
    """POL-4: 86 400 seconds a day, and never more than 63 bits in the database."""
    exact = updated_at_us + days * 86_400 * 1_000_000
    assert expires_at_us(updated_at_us, days) == exact
    stored = stored_expiry_us(updated_at_us, days)
    assert stored == min(exact, 2**63 - 1)
    assert not is_expired(stored, LAST_US) or exact <= LAST_US


def test_no_days_mean_never() -> None:
    """POL-4."""
    assert expires_at_us(NOW_US, None) is None
    assert stored_expiry_us(NOW_US, None) is None
    assert not is_expired(None, MAX_STORED_US)


@pytest.mark.parametrize(("late_us", "expired"), [(-1, False), (0, True), (1, True), (DAY_US, True)])
def test_an_entry_expires_at_the_instant_itself(late_us: int, expired: bool) -> None:
    """POL-4."""
    stored = stored_expiry_us(NOW_US, 30)
    assert is_expired(stored, NOW_US + 30 * DAY_US + late_us) is expired
