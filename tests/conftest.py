"""What all tests share: options, and an environment that decides nothing."""

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


@pytest.fixture(autouse=True)
def _neutral_telemetry_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the caller's telemetry settings out of every test (REC-4)."""
    monkeypatch.delenv("ROTIFER_TELEMETRY", raising=False)
    monkeypatch.delenv("DO_NOT_TRACK", raising=False)
