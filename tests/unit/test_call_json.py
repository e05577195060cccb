"""The JSON door on real stores: the page's shapes, hostile requests, answers that do not fit."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rotifer_store import (
    FixedClock,
    Gene,
    GeneMemory,
    MemoryAccessDenied,
    MemoryInvalidInput,
    MemoryNotFound,
    MemoryQuotaExceeded,
    ResponseTooLarge,
    Store,
    TelemetryRecord,
    open_store,
)
from rotifer_store.tables import ENTRY_FIELDS

AGENT_ID = "00000000-0000-4000-8000-000000000000"
NOW_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
NOW = "2026-01-01T00:00:00.000000Z"
WRITER = Gene("v2:" + "a1" * 32, "formatter", "indent", "1.0.0")
READER = Gene("v2:" + "b2" * 32, "formatter")
STRANGER = Gene("v2:" + "c3" * 32, "linter")
CALLS = ("readMemory", "writeMemory", "queryMemory", "deleteMemory")
DEFAULT_ACCESS = {"readScope": "SAME_DOMAIN", "writeScope": "SAME_DOMAIN", "sharePolicy": "PRIVATE"}
ENTRY_ID = "4a7083d3d67841e641095db7f674c44174d5fa2e8633e7d8590c76ccd088788c"
KEY = "formatter/indent"


class Place(NamedTuple):
    """A store with one agent, the clock it reads, and where it lies."""

    store: Store
    clock: FixedClock
    folder: Path

    def memory(self, gene: Gene = WRITER) -> GeneMemory:
        return self.store.gene_memory("main", gene)

    def call(self, name: str, members: Any = None, gene: Gene = WRITER) -> Any:
        """The parsed answer to a request of these members."""
        request = b"" if members is None else json.dumps(members).encode()
        return json.loads(self.memory(gene).call_json(name, request))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "audit.jsonl").read_bytes().splitlines()]

    def contents(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row of every table, as SQLite has it, and the logs' bytes."""
        connection = sqlite3.connect(self.folder / "playground.db")
        try:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            rows = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in names}
        finally:
            connection.close()
        telemetry = self.folder / "telemetry.jsonl"
        logs = [(self.folder / "audit.jsonl").read_bytes(), telemetry.exists() and telemetry.read_bytes()]
        return {**rows, "logs": [tuple(logs)]}


def place_at(project: Path, **agent: Any) -> Place:
    clock = FixedClock(NOW_US)
    store = open_store(project, clock=clock)
    store.create_agent("main", agent_id=AGENT_ID, **agent)
    return Place(store, clock, project / ".rotifer")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = place_at(tmp_path)
    with place.store:
        yield place
        assert place.store.verify() == []


def b64(value: bytes) -> str:
    return base64.b64encode(value).decode()


# Shapes


def test_a_write_answers_with_the_entry(place: Place) -> None:
    """HST-5, ENT-1."""
    answer = place.memory().call_json(
        "writeMemory", b'{"key":"formatter/indent","value":"NA==","category":"PREFERENCE"}'
    )
    assert list(json.loads(answer).items()) == [
        ("entryId", ENTRY_ID),
        ("category", "PREFERENCE"),
        ("key", KEY),
        ("value", "NA=="),
        ("createdBy", WRITER.id),
        ("lastAccessedBy", WRITER.id),
        ("createdAt", NOW),
        ("updatedAt", NOW),
        ("accessPolicy", DEFAULT_ACCESS),
        ("retentionPolicy", None),
    ]
    entry = place.memory().read_memory(KEY)
    assert entry is not None
    assert (entry.value, json.loads(answer)) == (b"4", entry.to_json())


def test_a_write_takes_both_policies(place: Place) -> None:
    """HST-5, ACC-1, POL-1."""
    access = {"readScope": "ALL_GENES", "writeScope": "CREATOR_GENE_ONLY", "sharePolicy": "PRIVATE"}
    retention = {"maxRetentionDays": 30, "autoDeleteOnTermination": True, "anonymizationSupported": False}
    members = {"key": "k", "value": "", "category": "CACHE"}
    answer = place.call("writeMemory", {**members, "accessPolicy": access, "retentionPolicy": retention})
    assert (answer["accessPolicy"], answer["retentionPolicy"]) == (access, retention)
    assert place.call("writeMemory", members)["retentionPolicy"] == retention
    answer = place.call("writeMemory", {**members, "retentionPolicy": None})
    assert (answer["accessPolicy"], answer["retentionPolicy"]) == (access, None)


@pytest.mark.parametrize(
    "value", [b"", b"\0", bytes(range(256)), "é\u2028".encode(), b"\xff" * 100_000], ids=len
)
def test_a_value_comes_back_as_it_went(place: Place, value: bytes) -> None:
    """ENT-1, INP-2."""
    written = place.call("writeMemory", {"key": "k", "value": b64(value), "category": "CACHE"})
    assert base64.b64decode(written["value"]) == value
    assert place.call("readMemory", {"key": "k"}) == written
    assert place.store.peek_value("main", "k") == value


@pytest.mark.parametrize("key", ["é", "\u2028", '"\\/', "\x01\n", "😀", "%_*"], ids=ascii)
def test_a_key_of_any_characters_is_ascii_on_the_wire(place: Place, key: str) -> None:
    """INP-1: raw or escaped in the request, it is the same key."""
    raw = json.dumps({"key": key, "value": "", "category": "CACHE"}, ensure_ascii=False).encode()
    answer = place.memory().call_json("writeMemory", raw)
    assert answer.isascii()
    assert json.loads(answer)["key"] == key
    assert place.call("readMemory", {"key": key})["key"] == key
    assert place.call("deleteMemory", {"key": key}) is None


def test_a_read_answers_with_the_entry_or_null(place: Place) -> None:
    """HST-5, ACC-9."""
    written = place.call("writeMemory", {"key": "k", "value": "NA==", "category": "CACHE"})
    assert place.call("readMemory", {"key": "k"}) == written
    assert place.call("readMemory", {"key": "k", "category": "CACHE"}) == written
    assert place.memory().call_json("readMemory", b'{"key":"k","category":"PATTERN"}') == b"null"
    assert place.memory().call_json("readMemory", b'{"key":"other"}') == b"null"
    read = place.call("readMemory", {"key": "k"}, READER)
    assert read == {**written, "lastAccessedBy": READER.id}


def test_a_query_answers_with_the_entries_newest_first(place: Place) -> None:
    """HST-5, INP-3, INP-5: the filter's members at top level."""
    for key, category in (("a", "CACHE"), ("b", "PATTERN"), ("c", "CACHE")):
        place.clock.advance(1)
        place.call("writeMemory", {"key": key, "value": "NA==", "category": category})

    def keys(members: Any) -> list[str]:
        return [entry["key"] for entry in place.call("queryMemory", members)]

    assert keys(None) == keys({}) == ["c", "b", "a"]
    assert keys({"category": "CACHE"}) == ["c", "a"]
    assert keys({"keyPrefix": "b"}) == ["b"]
    assert keys({"limit": 1}) == keys({"limit": 1.0}) == ["c"]
    assert keys({"since": "2026-01-01T00:00:02Z"}) == ["c", "b"]
    assert keys({"until": "2026-01-01T01:00:02+01:00"}) == ["a"]
    (entry,) = place.call("queryMemory", {"keyPrefix": "b"})
    assert list(entry) == [row.wire_name for row in ENTRY_FIELDS]
    assert place.memory(STRANGER).call_json("queryMemory", b"") == b"[]"


def test_a_delete_answers_null(place: Place) -> None:
    """HST-5, ERR."""
    place.call("writeMemory", {"key": "k", "value": "", "category": "CACHE"})
    assert place.memory().call_json("deleteMemory", b'{"key":"k"}') == b"null"
    with pytest.raises(MemoryNotFound):
        place.memory().call_json("deleteMemory", b'{"key":"k"}')


def test_every_answer_is_compact(place: Place) -> None:
    """HST-7: as short as JSON can be, so that it fits where it can."""
    place.call("writeMemory", {"key": "k", "value": "", "category": "CACHE"})
    for name, members in (("readMemory", {"key": "k"}), ("queryMemory", {})):
        answer = place.memory().call_json(name, json.dumps(members).encode())
        assert answer == json.dumps(json.loads(answer), separators=(",", ":")).encode()


def test_both_doors_are_one(place: Place) -> None:
    """GEN-4: a refusal is the same error as that of the Python call."""
    place.memory().write_memory("k", b"", "CACHE")
    for call in ("readMemory", "deleteMemory"):
        with pytest.raises(MemoryAccessDenied):
            place.call(call, {"key": "k"}, STRANGER)
    place.store.set_memory_quota("main", 1)
    with pytest.raises(MemoryQuotaExceeded):
        place.call("writeMemory", {"key": "l", "value": "NA==", "category": "PREFERENCE"})
    actions = [(line["action"], line["operation"]) for line in place.lines()[-4:]]
    assert actions == [
        ("memory_access_denied", "read"),
        ("memory_access_denied", "delete"),
        ("policy_change", "policy"),
        ("memory_quota_refused", "write"),
    ]


# Requests that are none

DEEP = 200_000
WRITE = b'{"key":"k","value":"NA==","category":"CACHE"'
NOT_JSON = {
    "an array": b"[]",
    "null": b"null",
    "blank": b" ",
    "cut short": b'{"key":"k"',
    "two objects": b'{"key":"k"}{"key":"k"}',
    "a byte order mark": b'\xef\xbb\xbf{"key":"k"}',
    "invalid UTF-8": b'{"key":"\xff"}',
    "a surrogate in UTF-8": b'{"key":"\xed\xa0\x80"}',
    "UTF-16": '{"key":"k"}'.encode("utf-16"),
    "a NUL byte": b'{"key":"k"}\0',
    "a key twice": b'{"key":"k","key":"k"}',
    "a key twice, once escaped": b'{"key":"k","\\u006bey":"k"}',
    "NaN": b'{"key":"k","limit":NaN}',
    "Infinity": b'{"key":"k","limit":Infinity}',
    "-Infinity": b'{"key":"k","limit":-Infinity}',
    "a number of 5000 digits": b'{"limit":' + b"9" * 5000 + b"}",
    "deep arrays": b'{"key":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep objects": b'{"key":' * DEEP + b'"k"' + b"}" * DEEP,
    "an unknown member": b'{"key":"k","value":"","category":"CACHE","extra":1}',
    "an unknown member alone": b'{"Key":"k"}',
    "an empty member": b'{"":"k"}',
    "a lone surrogate as a member": b'{"\\ud800":"k"}',
    "Python's name of a member": b'{"key_prefix":"k","access_policy":null}',
}


@pytest.mark.parametrize("request_bytes", NOT_JSON.values(), ids=NOT_JSON)
def test_a_request_of_no_call_is_invalid_and_changes_nothing(place: Place, request_bytes: bytes) -> None:
    """HST-5, HST-7, ACC-8: with no line, for invalid input leaves none."""
    place.memory().write_memory("k", b"4", "CACHE")
    before = place.contents()
    for name in CALLS:
        with pytest.raises(MemoryInvalidInput):
            place.memory(READER).call_json(name, request_bytes)
    assert place.contents() == before


OF_ONE_CALL = [
    ("readMemory", b""),
    ("readMemory", b"{}"),
    ("readMemory", b'{"category":"CACHE"}'),
    ("readMemory", b'{"key":null}'),
    ("readMemory", b'{"key":7}'),
    ("readMemory", b'{"key":""}'),
    ("readMemory", b'{"key":"a\\u0000"}'),
    ("readMemory", b'{"key":"\\ud800"}'),
    ("readMemory", b'{"key":"\\udc00\\ud800"}'),
    ("readMemory", b'{"key":"k","category":null}'),
    ("readMemory", b'{"key":"k","category":"cache"}'),
    ("readMemory", b'{"key":"k","category":"\\ud800"}'),
    ("readMemory", b'{"key":"k","value":""}'),
    ("writeMemory", b""),
    ("writeMemory", b"{}"),
    ("writeMemory", b'{"key":"k","value":""}'),
    ("writeMemory", b'{"key":"k","category":"CACHE"}'),
    ("writeMemory", b'{"value":"","category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":null,"category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":[1],"category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":"NA","category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":"-_8=","category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":"NA==\\n","category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":"\\ud800","category":"CACHE"}'),
    ("writeMemory", b'{"key":"\\ud800","value":"","category":"CACHE"}'),
    ("writeMemory", b'{"key":"k","value":"","category":null}'),
    ("writeMemory", b'{"key":"k","value":"","category":["CACHE"]}'),
    ("writeMemory", WRITE + b',"accessPolicy":null}'),
    ("writeMemory", WRITE + b',"accessPolicy":{}}'),
    ("writeMemory", WRITE + b',"accessPolicy":"PRIVATE"}'),
    (
        "writeMemory",
        WRITE + b',"accessPolicy":{"readScope":["ALL_GENES"],"writeScope":{},"sharePolicy":1}}',
    ),
    ("writeMemory", WRITE + b',"retentionPolicy":{}}'),
    ("writeMemory", WRITE + b',"retentionPolicy":[]}'),
    (
        "writeMemory",
        WRITE + b',"retentionPolicy":{"maxRetentionDays":1e999,"autoDeleteOnTermination":false,'
        b'"anonymizationSupported":false}}',
    ),
    (
        "writeMemory",
        WRITE + b',"retentionPolicy":{"maxRetentionDays":1,"maxRetentionDays":1,'
        b'"autoDeleteOnTermination":false,"anonymizationSupported":false}}',
    ),
    ("writeMemory", json.dumps({"key": "k", "value": b64(bytes(1_048_577)), "category": "CACHE"}).encode()),
    ("queryMemory", b'{"filter":{}}'),
    ("queryMemory", b'{"key":"k"}'),
    ("queryMemory", b'{"category":null}'),
    ("queryMemory", b'{"keyPrefix":null}'),
    ("queryMemory", b'{"keyPrefix":"\\ud800"}'),
    ("queryMemory", b'{"since":null}'),
    ("queryMemory", b'{"since":"\\ud800"}'),
    ("queryMemory", b'{"until":1767225600}'),
    ("queryMemory", b'{"limit":null}'),
    ("queryMemory", b'{"limit":0}'),
    ("queryMemory", b'{"limit":1001}'),
    ("queryMemory", b'{"limit":true}'),
    ("queryMemory", b'{"limit":"1"}'),
    ("queryMemory", b'{"limit":1e999}'),
    ("queryMemory", b'{"limit":{}}'),
    ("deleteMemory", b""),
    ("deleteMemory", b"{}"),
    ("deleteMemory", b'{"key":null}'),
    ("deleteMemory", b'{"key":["k"]}'),
    ("deleteMemory", b'{"key":"\\udfff"}'),
    ("deleteMemory", b'{"key":"k","category":"CACHE"}'),
]


@pytest.mark.parametrize(("name", "request_bytes"), OF_ONE_CALL, ids=lambda value: repr(value)[:60])
def test_members_of_another_form_are_invalid_and_change_nothing(
    place: Place, name: str, request_bytes: bytes
) -> None:
    """HST-5, INP, ACC-1, ACC-10, POL-1."""
    place.memory().write_memory("k", b"4", "CACHE")
    before = place.contents()
    with pytest.raises(MemoryInvalidInput):
        place.memory(READER).call_json(name, request_bytes)
    assert place.contents() == before


@pytest.mark.parametrize("name", ["", "read_memory", "readmemory", "ReadMemory", "call_json", "readMemory "])
def test_there_are_four_calls(place: Place, name: str) -> None:
    """HST-5."""
    before = place.contents()
    with pytest.raises(MemoryInvalidInput):
        place.memory().call_json(name, b'{"key":"k"}')
    assert place.contents() == before


SECRET = "hunter2-do-not-tell"


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("writeMemory", {"key": "k", "value": SECRET, "category": "CACHE"}),
        ("writeMemory", {"key": "k", "value": b64(SECRET.encode()), "category": SECRET}),
        ("writeMemory", {"key": "k", "value": b64(SECRET.encode()), "category": "CACHE", SECRET: 1}),
        ("readMemory", {SECRET: 1}),
        ("queryMemory", {"since": SECRET}),
    ],
)
def test_a_refusal_never_repeats_the_request(place: Place, name: str, members: dict[str, object]) -> None:
    """REC-1."""
    with pytest.raises(MemoryInvalidInput) as caught:
        place.memory().call_json(name, json.dumps(members).encode())
    assert SECRET not in str(caught.value)
    assert b64(SECRET.encode()) not in str(caught.value)


# No v2 id

HEX = "a1" * 32
NO_IDS = [None, "", "indent", f"v1:{HEX}", f"v2:{HEX.upper()}", f"v2:{HEX[1:]}", f"v2:{HEX}\n"]
LOOKED_AT_LATER = [b"", b"{}", b"not JSON", b"[" * DEEP, b'{"key":"k","key":"k"}', b'{"key":"k"}', b"\xff"]


@pytest.mark.parametrize("gene_id", NO_IDS, ids=repr)
def test_a_gene_without_an_id_is_refused_before_anything_is_looked_at(
    place: Place, gene_id: str | None
) -> None:
    """HST-7, HST-9, ACC-7, ACC-10: whatever the request, however little fits; and recorded as null."""
    place.memory().write_memory("k", b"4", "CACHE")
    entries = place.contents()["rotifer_entry"]
    memory = place.memory(Gene(gene_id, "formatter"))
    for count, (name, request) in enumerate(product(CALLS, LOOKED_AT_LATER), 1):
        with pytest.raises(MemoryAccessDenied):
            memory.call_json(name, request, 0)
        line = place.lines()[-1]
        assert (line["action"], line["operation"]) == ("memory_access_denied", name.removesuffix("Memory"))
        assert (line["gene_id"], line["gene_domain"]) == (None, "formatter")
        events = place.store.telemetry_records()
        assert isinstance(events[-1], TelemetryRecord)
        assert events[-1].audit_seq == line["seq"]
        assert len(events) == count
    assert place.contents()["rotifer_entry"] == entries


# Answers that do not fit

EXPIRES_IN_A_DAY = {
    "maxRetentionDays": 1,
    "autoDeleteOnTermination": False,
    "anonymizationSupported": False,
}


def with_something_expired(place: Place) -> Place:
    """READER's next call finds an entry of WRITER's to use and another that has expired."""
    memory = place.memory()
    memory.write_memory("old", b"4", "CACHE", retention_policy=EXPIRES_IN_A_DAY)
    memory.write_memory(KEY, b"4", "PREFERENCE")
    place.clock.advance(2 * 86_400)
    return place


def as_it_is(place: Place) -> Place:
    """READER's next call finds an entry of WRITER's to use and nothing else to do."""
    place.memory().write_memory(KEY, b"4", "PREFERENCE")
    place.clock.advance(2 * 86_400)
    return place


def with_a_full_quota(place: Place) -> Place:
    """READER's next write must evict."""
    memory = place.memory()
    memory.write_memory(KEY, b"4", "PREFERENCE")
    memory.write_memory("cached", b"4" * 100, "CACHE")
    place.store.set_memory_quota("main", place.store.memory_usage("main").used_bytes)
    return place


READ = ("readMemory", json.dumps({"key": KEY}).encode())
REWRITE = ("writeMemory", json.dumps({"key": KEY, "value": "NDQ=", "category": "CACHE"}).encode())
CREATE = ("writeMemory", json.dumps({"key": "new", "value": "NDQ=", "category": "CACHE"}).encode())
QUERY = ("queryMemory", b"")
DELETE = ("deleteMemory", json.dumps({"key": KEY}).encode())
MISSING = ("readMemory", json.dumps({"key": "missing"}).encode())
EXPIRED = ("readMemory", json.dumps({"key": "old"}).encode())
SCENES: dict[str, tuple[Callable[[Place], Place], tuple[str, bytes], list[str]]] = {
    "a read": (as_it_is, READ, []),
    "a read of nothing": (as_it_is, MISSING, []),
    "a rewrite": (as_it_is, REWRITE, ["memory_update"]),
    "a new entry": (as_it_is, CREATE, ["memory_write"]),
    "a query": (as_it_is, QUERY, []),
    "a delete": (as_it_is, DELETE, ["memory_delete"]),
    "a read beside the expired": (with_something_expired, READ, ["memory_expire"]),
    "a read of the expired": (with_something_expired, EXPIRED, ["memory_expire"]),
    "a rewrite beside the expired": (with_something_expired, REWRITE, ["memory_expire", "memory_update"]),
    "a new entry beside the expired": (with_something_expired, CREATE, ["memory_expire", "memory_write"]),
    "a query beside the expired": (with_something_expired, QUERY, ["memory_expire"]),
    "a delete beside the expired": (with_something_expired, DELETE, ["memory_expire", "memory_delete"]),
    "a write that evicts": (with_a_full_quota, CREATE, ["memory_evict", "memory_write"]),
}


@pytest.mark.parametrize(("prepare", "call", "actions"), SCENES.values(), ids=SCENES)
def test_an_answer_that_does_not_fit_leaves_nothing_behind(
    tmp_path: Path, prepare: Callable[[Place], Place], call: tuple[str, bytes], actions: list[str]
) -> None:
    """HST-7: no line, no change, no expiry, no `lastAccessedBy`; with room, one change and its lines."""
    with prepare(place_at(tmp_path / "twin")).store as twin:
        answer = twin.gene_memory("main", READER).call_json(*call)
    place = prepare(place_at(tmp_path / "here"))
    with place.store:
        memory, before = place.memory(READER), place.contents()
        for room_bytes in (0, 1, len(answer) - 1):
            with pytest.raises(ResponseTooLarge):
                memory.call_json(*call, room_bytes)
            assert place.contents() == before

        lines_before = place.lines()
        assert memory.call_json(*call, len(answer)) == answer
        added = place.lines()[len(lines_before) :]
        assert [line["action"] for line in added] == actions
        assert len({line["txn"] for line in added}) == min(1, len(actions))
        assert place.store.verify() == []


def test_an_answer_that_fits_moves_last_accessed_by_once(place: Place) -> None:
    """ENT-4, HST-7."""
    as_it_is(place)
    for room_bytes, last in ((10, WRITER.id), (10_000, READER.id)):
        try:
            place.memory(READER).call_json(*READ, room_bytes)
        except ResponseTooLarge:
            assert room_bytes == 10
        (entry,) = place.store.list_memory("main")
        assert entry.last_accessed_by == last


@pytest.mark.parametrize("room_bytes", [None, 1_000_000])
def test_room_enough_is_no_different_from_any_room(place: Place, room_bytes: int | None) -> None:
    """HST-7."""
    as_it_is(place)
    answer = place.memory(READER).call_json(*READ, max_response_bytes=room_bytes)
    assert json.loads(answer)["lastAccessedBy"] == READER.id


REFUSALS = [
    ("readMemory", {"key": KEY}, STRANGER, MemoryAccessDenied, "memory_access_denied"),
    (
        "writeMemory",
        {"key": KEY, "value": "", "category": "CACHE"},
        STRANGER,
        MemoryAccessDenied,
        "memory_access_denied",
    ),
    ("deleteMemory", {"key": KEY}, STRANGER, MemoryAccessDenied, "memory_access_denied"),
    (
        "writeMemory",
        {"key": "new", "value": b64(bytes(1000)), "category": "CACHE"},
        WRITER,
        MemoryQuotaExceeded,
        "memory_quota_refused",
    ),
    ("deleteMemory", {"key": "missing"}, WRITER, MemoryNotFound, None),
]


@pytest.mark.parametrize(("name", "members", "gene", "error", "action"), REFUSALS)
def test_a_refusal_is_the_same_whatever_fits(
    place: Place, name: str, members: object, gene: Gene, error: type[Exception], action: str | None
) -> None:
    """HST-7, ACC-10: an error has no answer that could be too large, and its line is written."""
    with_a_full_quota(place)
    lines_before = place.lines()
    with pytest.raises(error):
        place.memory(gene).call_json(name, json.dumps(members).encode(), 0)
    added = [line["action"] for line in place.lines()[len(lines_before) :]]
    assert added == ([] if action is None else [action])


def test_a_query_over_four_mib_is_invalid_whatever_fits(place: Place) -> None:
    """INP-5, HST-7."""
    for at in range(5):
        place.memory().write_memory(f"k{at}", bytes(1_000_000), "CACHE")
    for room_bytes in (0, None):
        with pytest.raises(MemoryInvalidInput):
            place.memory().call_json("queryMemory", b"", room_bytes)


def test_a_store_that_may_only_read_answers_within_the_room(tmp_path: Path) -> None:
    """HST-7: the same limit where nothing could change anyway."""
    with as_it_is(place_at(tmp_path)).store:
        pass
    with open_store(tmp_path, clock=FixedClock(NOW_US), read_only=True) as store:
        memory = store.gene_memory("main", READER)
        answer = memory.call_json(*READ)
        assert memory.call_json(*READ, len(answer)) == answer
        for call in (READ, QUERY):
            with pytest.raises(ResponseTooLarge):
                memory.call_json(*call, len(answer) - 1)
