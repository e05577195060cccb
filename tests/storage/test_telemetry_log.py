"""The telemetry log in every bad state, and switched off: a refusal stays a refusal (REC-4, REC-6)."""

from __future__ import annotations

import json
import os

import pytest

from rotifer_store import MemoryAccessDenied, MemoryStorageError, UnreadableLine
from storage import scenes
from storage.stage import (
    ANONYMOUS,
    AUDIT,
    FOREIGN,
    SECRET,
    TELEMETRY,
    failing,
    folder_of,
    make_store,
    open_at_start,
)
from storage.test_audit_log import DAMAGE, IN_ITS_PLACE, TORN

REFUSED = {
    "read": lambda store: store.gene_memory("main", FOREIGN).read_memory("wish"),
    "write": lambda store: store.gene_memory("main", FOREIGN).write_memory("wish", SECRET, "CACHE"),
    "delete": lambda store: store.gene_memory("main", FOREIGN).delete_memory("wish"),
    "query": lambda store: store.gene_memory("main", ANONYMOUS).query_memory(),
}


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


def events_of(project):
    path = folder_of(project) / TELEMETRY
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("put", IN_ITS_PLACE.values(), ids=IN_ITS_PLACE)
def test_a_refusal_stands_though_its_event_cannot_be_written(project, put, refused):
    """B100 (REC-4, REC-7): MEMORY_ACCESS_DENIED as ever, and the audit line is there."""
    put(folder_of(project) / TELEMETRY)
    with open_at_start(project) as store:
        with failing(MemoryAccessDenied):
            refused(store)
        last = store.audit_records()[-1]
        assert (last.action, last.code) == ("memory_access_denied", "MEMORY_ACCESS_DENIED")
        with pytest.raises(MemoryStorageError):
            store.telemetry_records()
    target = folder_of(project) / "target"
    assert not target.exists() or target.read_bytes() == b"precious"
    assert not (folder_of(project) / "nowhere").exists()


def test_a_refusal_stands_though_the_log_is_read_only(project, bound_by_modes):
    """REC-4: as an ordinary user."""
    bound_by_modes.call(scenes.be_refused_with_a_read_only_telemetry_log, project)


@pytest.mark.parametrize("room", [0, 40])
def test_a_refusal_stands_though_the_log_is_full(project, processes, room):
    """REC-4, REC-5: what was written of an event stays on its own line; the next one is whole."""
    processes.call(scenes.be_refused_with_a_full_telemetry_log, project, room)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_in_the_log_is_passed_over_and_named(project, damage):
    """B16 (REC-5): a line of garbage, then events; the reader reports it and verify names it."""
    log = folder_of(project) / TELEMETRY
    log.write_bytes(damage + b"\n")
    with open_at_start(project) as store:
        with failing(MemoryAccessDenied):
            REFUSED["read"](store)
        first, event = store.telemetry_records()
        assert first == UnreadableLine(TELEMETRY, 1, len(damage))
        assert (event.event, event.operation) == ("memory_access_denied", "read")
        assert event.audit_seq == store.audit_records()[-1].seq
        assert [(finding.kind, finding.where) for finding in store.verify()] == [
            ("telemetry-line", f"{TELEMETRY}:1")
        ]
    assert log.read_bytes().startswith(damage + b"\n")


@pytest.mark.parametrize("damage", TORN.values(), ids=TORN)
def test_an_event_stands_on_its_own_line_after_a_torn_one(project, damage):
    """REC-5: the torn bytes stay as they were."""
    log = folder_of(project) / TELEMETRY
    log.write_bytes(damage)
    with open_at_start(project) as store:
        with failing(MemoryAccessDenied):
            REFUSED["write"](store)
        assert [type(record).__name__ for record in store.telemetry_records()] == [
            "UnreadableLine",
            "TelemetryRecord",
        ]
    assert log.read_bytes().startswith(damage + b"\n")
    assert json.loads(log.read_bytes().removeprefix(damage))["operation"] == "write"


@pytest.mark.parametrize(
    ("telemetry", "do_not_track", "is_on"),
    [
        pytest.param(None, None, True, id="neither set"),
        *(pytest.param(off, None, False, id=f"ROTIFER_TELEMETRY={off!r}") for off in ("0", "false", "off")),
        *(pytest.param(off, None, False, id=f"ROTIFER_TELEMETRY={off!r}") for off in ("OFF", " False\t")),
        *(pytest.param(on, None, True, id=f"ROTIFER_TELEMETRY={on!r}") for on in ("1", "true", "", "no")),
        *(pytest.param(None, off, False, id=f"DO_NOT_TRACK={off!r}") for off in ("1", "true", "yes", " 2 ")),
        *(pytest.param(None, on, True, id=f"DO_NOT_TRACK={on!r}") for on in ("0", "false", "", " FALSE ")),
        pytest.param("off", "0", False, id="off wins over DO_NOT_TRACK=0"),
        pytest.param("1", "1", False, id="off wins over ROTIFER_TELEMETRY=1"),
        pytest.param("off", "1", False, id="both off"),
    ],
)
def test_either_variable_switches_events_off(project, monkeypatch, telemetry, do_not_track, is_on):
    """B98 (REC-4): no event where it is off; the audit line always."""
    for name, value in (("ROTIFER_TELEMETRY", telemetry), ("DO_NOT_TRACK", do_not_track)):
        if value is not None:
            monkeypatch.setenv(name, value)
    with open_at_start(project) as store:
        for refused in REFUSED.values():
            with failing(MemoryAccessDenied):
                refused(store)
        lines = store.audit_records(action="memory_access_denied")
    assert len(lines) == len(REFUSED)
    seqs = [event["audit_seq"] for event in events_of(project)]
    assert seqs == ([line.seq for line in lines] if is_on else [])


def test_an_opt_out_leaves_not_even_an_empty_log(project, monkeypatch):
    """B99 (REC-4): a fresh project, the first refused access: no file, one line."""
    monkeypatch.setenv("DO_NOT_TRACK", "1")
    with open_at_start(project) as store:
        with failing(MemoryAccessDenied):
            REFUSED["read"](store)
        assert len(store.audit_records(action="memory_access_denied")) == 1
    assert TELEMETRY not in os.listdir(folder_of(project))


def test_an_event_holds_the_documented_members_and_never_a_key(project):
    """REC-4: exactly eight members."""
    with open_at_start(project) as store:
        agent = store.agent("main")
        with failing(MemoryAccessDenied):
            REFUSED["read"](store)
        (event,) = events_of(project)
        assert event == {
            "ts": "2026-01-01T00:00:00.000000Z",
            "event": "memory_access_denied",
            "agent_id": agent.id,
            "gene_id": FOREIGN.id,
            "gene_domain": FOREIGN.domain,
            "operation": "read",
            "code": "MEMORY_ACCESS_DENIED",
            "audit_seq": store.audit_records()[-1].seq,
        }
    assert b"wish" not in (folder_of(project) / TELEMETRY).read_bytes()


def test_an_event_without_an_audit_line_says_so(project):
    """REC-4: `audit_seq` is null where the audit log failed."""
    log = folder_of(project) / AUDIT
    log.unlink()
    log.mkdir()
    with open_at_start(project) as store:
        for refused in REFUSED.values():
            with failing(MemoryAccessDenied):
                refused(store)
    assert [event["audit_seq"] for event in events_of(project)] == [None] * len(REFUSED)


def test_no_call_opens_a_socket(project, processes):
    """REC-6, B98: nothing leaves the machine, telemetry on or off."""
    assert processes.call(scenes.names_of_sockets_opened, project) == []
