"""Telemetry: when it is on, what an event says, and how it reaches its file."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from rotifer_store import FixedClock, Gene, MemoryAccessDenied, open_store
from rotifer_store.plan import plan_no_id, plan_read_refusal
from rotifer_store.tables import TELEMETRY_MEMBERS, Operation
from rotifer_store.telemetry import TELEMETRY_NAME, append_event, event_line, is_enabled
from unit.samples import AGENT, STRANGER

OFF = ["0", "false", "off", "FALSE", "False", "OFF", "oFf", " 0 ", "\tfalse\n", " off"]
NOT_OFF = ["", " ", "1", "true", "on", "no", "00", "0.0", "offline", "disable", "f"]
FORBIDDEN = ["1", "true", "yes", "TRUE", "no", "off", "OFF", "00", "x", " 1 ", "2"]
ALLOWED = ["", " ", "\t", "0", "false", "FALSE", " False ", " 0\n"]


@pytest.mark.parametrize("value", OFF, ids=repr)
def test_telemetry_is_off_where_its_variable_says_so(value: str) -> None:
    """REC-4: trimmed, in any case, whatever the other variable says."""
    assert not is_enabled({"ROTIFER_TELEMETRY": value})
    assert not is_enabled({"ROTIFER_TELEMETRY": value, "DO_NOT_TRACK": "0"})


@pytest.mark.parametrize("value", NOT_OFF, ids=repr)
def test_telemetry_is_on_whatever_else_its_variable_says(value: str) -> None:
    """REC-4."""
    assert is_enabled({"ROTIFER_TELEMETRY": value})


@pytest.mark.parametrize("value", FORBIDDEN, ids=repr)
def test_do_not_track_forbids_with_anything_in_it(value: str) -> None:
    """REC-4: even where telemetry's own variable asks for it."""
    assert not is_enabled({"DO_NOT_TRACK": value})
    assert not is_enabled({"DO_NOT_TRACK": value, "ROTIFER_TELEMETRY": "1"})


@pytest.mark.parametrize("value", ALLOWED, ids=repr)
def test_do_not_track_allows_where_it_says_no(value: str) -> None:
    """REC-4."""
    assert is_enabled({"DO_NOT_TRACK": value})
    assert not is_enabled({"DO_NOT_TRACK": value, "ROTIFER_TELEMETRY": "off"})


def test_telemetry_is_on_where_nothing_is_said() -> None:
    """REC-4."""
    assert is_enabled({})


@pytest.mark.parametrize(
    ("variable", "value", "events"),
    [(None, "", 1), ("ROTIFER_TELEMETRY", "OFF ", 0), ("DO_NOT_TRACK", "1", 0), ("DO_NOT_TRACK", "false", 1)],
)
def test_the_variables_are_read_at_the_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str | None, value: str, events: int
) -> None:
    """REC-4: the audit line is written either way."""
    with open_store(tmp_path, clock=FixedClock(0)) as store:
        store.create_agent("main")
        memory = store.gene_memory("main", Gene(None, "formatter"))
        if variable is not None:
            monkeypatch.setenv(variable, value)
        with pytest.raises(MemoryAccessDenied):
            memory.read_memory("k")
        assert len(store.telemetry_records()) == events
        assert len(store.audit_records(action="memory_access_denied")) == 1


TS = "2026-01-01T00:00:00.000000Z"


def test_an_event_has_the_eight_members_in_order_and_never_a_key() -> None:
    """REC-4."""
    (event,) = plan_read_refusal("secret-key", STRANGER, AGENT).events
    line = event_line(event, TS, 7)
    assert json.loads(line) == {
        "ts": TS,
        "event": "memory_access_denied",
        "agent_id": AGENT.id,
        "gene_id": STRANGER.gene_id,
        "gene_domain": "linter",
        "operation": "read",
        "code": "MEMORY_ACCESS_DENIED",
        "audit_seq": 7,
    }
    assert tuple(json.loads(line)) == TELEMETRY_MEMBERS
    assert b"secret-key" not in line


@pytest.mark.parametrize("domain", ["a\nb", "\u2028", "\ud800", '"', "\x00\x1b[31m", "é"], ids=ascii)
def test_an_event_is_one_line_of_ascii(domain: str) -> None:
    """REC-4, REC-5."""
    (event,) = plan_no_id(domain, None, AGENT, Operation.QUERY).events
    line = event_line(event, TS, None)
    assert line.isascii()
    assert line.endswith(b"}\n")
    assert len(line.splitlines()) == 1
    members = json.loads(line)
    assert (members["gene_domain"], members["gene_id"], members["audit_seq"]) == (domain, None, None)


def test_an_event_is_appended_to_a_file_of_the_owners(tmp_path: Path) -> None:
    """REC-7."""
    append_event(tmp_path, b"one\n")
    append_event(tmp_path, b"two\n")
    path = tmp_path / TELEMETRY_NAME
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("torn", [b"{", b"one\n{", b"one\n\xe2\x82", b"one\n\0\0\0"])
def test_an_event_after_a_torn_line_stands_on_its_own(tmp_path: Path, torn: bytes) -> None:
    """REC-5: what is torn stays."""
    path = tmp_path / TELEMETRY_NAME
    path.write_bytes(torn)
    append_event(tmp_path, b"two\n")
    assert path.read_bytes() == torn + b"\ntwo\n"


def test_a_link_in_the_files_place_is_not_followed(tmp_path: Path) -> None:
    """REC-7."""
    (tmp_path / TELEMETRY_NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        append_event(tmp_path, b"one\n")
    assert not (tmp_path / "elsewhere").exists()


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = sorted(os.listdir("/dev/fd"))
    append_event(tmp_path, b"one\n")
    assert sorted(os.listdir("/dev/fd")) == before
