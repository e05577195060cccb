"""What the storage tests share: children with root's capabilities and without, and little patience."""

import os

import pytest

from storage.fork_server import ForkServer, modes_prefix, why_modes_do_not_bite

LOADED = ("storage.scenes", *(f"rotifer_store.{name}" for name in ("agents", "browse", "transfer", "verify")))


@pytest.fixture(scope="session")
def processes():
    """Child processes, for what would disturb this one: resource limits, the umask."""
    server = ForkServer(*LOADED)
    yield server
    server.close()


@pytest.fixture(scope="session")
def bound_by_modes():
    """Child processes for which file modes hold, as root too."""
    trouble = why_modes_do_not_bite()
    if trouble is not None:
        assert not os.environ.get("CI"), trouble
        pytest.skip(trouble)
    server = ForkServer(*LOADED, prefix=modes_prefix())
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """A test of a locked database need not wait as long as a program does."""
    monkeypatch.setattr("rotifer_store.engine.BUSY_TIMEOUT_S", 0.05)
