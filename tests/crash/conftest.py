"""One fork server for all crash tests: it has imported the store, so that a victim costs a fork."""

import pytest

from storage.fork_server import ForkServer


@pytest.fixture(scope="session")
def processes():
    """Starts the victims and those who go on beside them."""
    loaded = ("agents", "browse", "transfer", "verify")
    server = ForkServer("crash.doomed", *(f"rotifer_store.{name}" for name in loaded))
    yield server
    server.close()
