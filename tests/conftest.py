"""What all tests share: options, and an environment that decides nothing."""

import os
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cases",
        metavar="DIR",
        type=Path,
        default=None,
        help="run the conformance cases of this folder instead of the project's own",
    )
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="record the scenes of the command line anew; then read what has changed",
    )
    parser.addoption(
        "--update-doors",
        action="store_true",
        help="write docs/doors.md, if every conformance case passes through every door",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Has each worker begin with tests that take long: one that came last would be waited for by all."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.get_closest_marker("long")]
    others = [item for item in items if not item.get_closest_marker("long")]
    bounds = [len(others) * worker // workers for worker in range(workers + 1)]
    items[:] = [
        item
        for worker in range(workers)
        for item in (*long[worker::workers], *others[bounds[worker] : bounds[worker + 1]])
    ]


@pytest.fixture(autouse=True)
def _neutral_telemetry_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the caller's telemetry settings out of every test (REC-4)."""
    monkeypatch.delenv("ROTIFER_TELEMETRY", raising=False)
    monkeypatch.delenv("DO_NOT_TRACK", raising=False)
