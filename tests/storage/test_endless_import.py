"""Files that are no exports are refused before they fill the memory (AGT-6)."""

from __future__ import annotations

import io
import resource

import pytest

from rotifer_store import MemoryInvalidInput, MemoryStorageError, open_store


class Endless(io.RawIOBase):
    """A stream that never ends and holds no newline; it counts what was asked of it."""

    def __init__(self):
        self.read_bytes = 0

    def readable(self):
        return True

    def readline(self, size=-1):
        assert size > 0
        self.read_bytes += size
        return b"\0" * size


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path) as opened:
        opened.create_agent("main")
        yield opened


def test_a_stream_without_end_is_read_no_further_than_a_line_can_be(store):
    endless = Endless()
    with pytest.raises(MemoryInvalidInput, match="longer than any"):
        store.import_memory("main", endless)
    assert endless.read_bytes < 1 << 25
    assert store.verify() == []


def test_a_device_without_end_is_refused(store):
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MemoryInvalidInput):
        store.import_agent("/dev/zero")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 1 << 18


def test_a_path_that_holds_nul_is_a_storage_error(store):
    with pytest.raises(MemoryStorageError):
        store.import_memory("main", "a\0b")
    with pytest.raises(MemoryStorageError):
        store.export_memory("main", "a\0b")


def test_a_refused_import_removes_what_has_expired(tmp_path):
    """POL-6: expiry removals stand whatever the call itself comes to."""
    from rotifer_store import FixedClock, Gene

    clock = FixedClock(1_767_225_600_000_000)
    one_day = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}
    with open_store(tmp_path / "expiring", clock=clock) as store:
        memory = store.gene_memory(store.create_agent("main"), Gene("v2:" + "a" * 64, "d"))
        memory.write_memory("stays", b"1", "CONTEXT")
        box = io.BytesIO()
        store.export_memory("main", box)
        memory.write_memory("goes", b"1", "CONTEXT", retention_policy=one_day)
        clock.advance(86_400)
        box.seek(0)
        with pytest.raises(MemoryInvalidInput):
            store.import_memory("main", box)
        assert [(r.key, r.operation) for r in store.audit_records(action="memory_expire")] == [
            ("goes", "import")
        ]
