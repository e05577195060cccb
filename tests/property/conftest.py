"""Hypothesis profiles: `quick` for `make test`, `ci` (200 runs of 50 steps) where the variable CI is set."""

import os

import pytest
from hypothesis import HealthCheck, settings

SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "quick",
    max_examples=25,
    stateful_step_count=30,
    deadline=None,
    print_blob=True,
    suppress_health_check=SLOW_IS_FINE,
)
settings.register_profile(
    "ci",
    max_examples=200,
    stateful_step_count=50,
    deadline=None,
    print_blob=True,
    suppress_health_check=SLOW_IS_FINE,
)
settings.load_profile("ci" if os.environ.get("CI") else "quick")


@pytest.fixture(autouse=True)
def _telemetry_is_on(monkeypatch):
    """REC-4: a history counts telemetry events, so the developer's own opt-out must not reach it."""
    monkeypatch.delenv("ROTIFER_TELEMETRY", raising=False)
    monkeypatch.delenv("DO_NOT_TRACK", raising=False)
