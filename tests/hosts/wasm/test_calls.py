"""The four functions on a memory that lies open to the test: what is checked first, and what is touched."""

from __future__ import annotations

import base64
import itertools
import json
import time
from collections.abc import Callable
from typing import Any, Final

import pytest

from hosts.wasm.wat import CALLS, DELETE, QUERY, READ, WRITE
from rotifer_console.hosts.memory import Memory, MemoryCall, NoMemory, TracedMemory
from rotifer_console.hosts.wasm_abi import MAX_HOST_CALLS, MAX_LOG_BYTES, MAX_REQUEST_BYTES
from rotifer_console.hosts.wasm_calls import HostCalls
from rotifer_store import Gene, GeneMemory, MemoryInvalidInput

SIZE: Final = 65_536
OUT: Final = 32_768
ROOM: Final = 4096
MAX: Final = 2**32 - 1
MINE: Final = Gene("v2:" + "a1" * 32, "dates", "mine")
VALUE: Final = b"a value that nobody else may see"
BODY_OF: Final = {READ: {"key": "k"}, DELETE: {"key": "k"}, QUERY: {}}


class OpenMemory:
    """A module's memory as bytes."""

    def __init__(self, size: int = SIZE) -> None:
        self.content = bytearray(b"\xee" * size)

    def holds(self, pointer: int, length: int) -> bool:
        return pointer + length <= len(self.content)

    def read(self, pointer: int, length: int) -> bytes:
        assert self.holds(pointer, length)
        return bytes(self.content[pointer : pointer + length])

    def write(self, pointer: int, content: bytes) -> None:
        assert self.holds(pointer, len(content))
        self.content[pointer : pointer + len(content)] = content


class Desk:
    """The calls of one run, the memory they come from, and what was said."""

    def __init__(self, memory: Memory, deadline_s: float | None = None, size: int = SIZE) -> None:
        self.linear = OpenMemory(size)
        self.said: list[bytes] = []
        self.calls = HostCalls(
            memory, time.monotonic() + 60 if deadline_s is None else deadline_s, self.said.append
        )

    def call(self, name: str, request: Any, room: int = ROOM) -> int:
        """The number, for a request that lies at 0 and an `out` of that room."""
        content = request if isinstance(request, bytes) else json.dumps(request).encode()
        self.linear.write(0, content)
        return self.calls.call(name, self.linear, 0, len(content), OUT, room)

    def out(self, length: int) -> Any:
        return json.loads(self.linear.read(OUT, length))

    def body(self) -> Any:
        """What an error left in `out`: it ends where the memory is untouched."""
        content = bytes(self.linear.content[OUT:])
        return json.loads(content[: content.index(b"\xee")])


def written(key: str = "k", value: bytes = VALUE, **policies: Any) -> dict[str, Any]:
    return {"key": key, "value": base64.b64encode(value).decode(), "category": "CONTEXT", **policies}


@pytest.fixture
def memory(stage: Any) -> GeneMemory:
    return stage.store.gene_memory("main", MINE)


@pytest.fixture
def lines(stage: Any) -> Callable[[], list[dict[str, Any]]]:
    log = stage.root / ".rotifer" / "audit.jsonl"
    return lambda: [json.loads(line) for line in log.read_bytes().splitlines()[1:]]


def test_an_answer_is_the_entry_and_its_length(memory: GeneMemory) -> None:
    """HST-5."""
    desk = Desk(memory)
    length = desk.call(WRITE, written())
    entry = desk.out(length)
    assert base64.b64decode(entry["value"]) == VALUE
    assert len(entry) == 10
    assert desk.linear.content[OUT + length] == 0xEE
    assert desk.out(desk.call(READ, {"key": "k", "category": "CONTEXT"})) == entry
    assert desk.out(desk.call(QUERY, {"keyPrefix": "k", "limit": 5})) == [entry]
    assert desk.call(DELETE, {"key": "k"}) == 4
    assert desk.out(4) is None
    assert desk.call(READ, {"key": "k"}) == 4
    assert desk.out(4) is None


@pytest.mark.parametrize(("name", "number"), [(READ, -10), (WRITE, -10), (QUERY, 2), (DELETE, -10)])
def test_an_empty_request_has_no_members(memory: GeneMemory, name: str, number: int) -> None:
    """HST-5, B109: a query without a filter, and nothing that the others could take."""
    assert Desk(memory).call(name, b"") == number


HOSTILE_RANGES: Final = {
    "a negative pointer": (-1, 10, OUT, ROOM),
    "a negative length": (16, -1, OUT, ROOM),
    "a start at the end": (SIZE, 1, OUT, ROOM),
    "an end one byte behind the memory": (SIZE - 9, 10, OUT, ROOM),
    "a sum that overflows 32 bits": (0xFFFFFFF0, 0x20, OUT, ROOM),
    "two halves that make a whole": (0x7FFFFFFF, 0x7FFFFFFF, OUT, ROOM),
    "the least number": (-(2**31), -(2**31), OUT, ROOM),
    "out at a negative pointer": (0, 2, -16, 16),
    "out with a negative room": (0, 2, OUT, -1),
    "out at the end": (0, 2, SIZE, 1),
    "out behind the end": (0, 2, SIZE + 1, 0),
    "out one byte too long": (0, 2, SIZE - ROOM, ROOM + 1),
    "out with a sum that overflows 32 bits": (0, 2, 0xFFFFFFFF, 0xFFFFFFFF),
    "nothing of nothing far away": (MAX, 0, OUT, ROOM),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("numbers", HOSTILE_RANGES.values(), ids=HOSTILE_RANGES)
def test_a_range_that_leaves_the_memory_is_invalid_and_nothing_is_touched(
    memory: GeneMemory, lines: Callable[[], list[Any]], name: str, numbers: tuple[int, int, int, int]
) -> None:
    """HST-7, B105: with a request at hand that the call would take."""
    desk = Desk(memory)
    desk.linear.write(0, b"{}")
    before = bytes(desk.linear.content)
    assert desk.calls.call(name, desk.linear, *numbers) == -10
    assert desk.linear.content == before
    assert lines() == []


@pytest.mark.parametrize("name", CALLS)
def test_a_module_without_a_memory_is_answered_as_one_with_a_hostile_range(
    memory: GeneMemory, name: str
) -> None:
    """HST-7."""
    assert Desk(memory).calls.call(name, None, 0, 0, 0, 0) == -10


def test_ranges_may_touch_the_end_overlap_and_be_empty(memory: GeneMemory) -> None:
    """HST-7, B105."""
    desk = Desk(memory)
    content = json.dumps(written()).encode()
    at = SIZE - len(content)
    desk.linear.write(at, content)
    assert desk.calls.call(WRITE, desk.linear, at, len(content), SIZE - 1000, 1000) > 0
    desk.linear.write(100, b'{"key":"k"}')
    length = desk.calls.call(READ, desk.linear, 100, 11, 100, 4000)
    assert base64.b64decode(json.loads(desk.linear.read(100, length))["value"]) == VALUE
    assert desk.calls.call(QUERY, desk.linear, SIZE, 0, SIZE, 0) == -1
    assert desk.calls.call(QUERY, desk.linear, SIZE, 0, 0, SIZE) > 0


@pytest.mark.parametrize("room", [0, 1, 5, 400])
def test_a_write_without_room_for_its_answer_has_not_happened(
    memory: GeneMemory, lines: Callable[[], list[Any]], room: int
) -> None:
    """HST-7: then, with room, exactly one write and one line."""
    desk = Desk(memory)
    before = bytes(desk.linear.content[OUT:])
    for _ in range(3):
        assert desk.call(WRITE, written(), room) == -1
    assert bytes(desk.linear.content[OUT:]) == before
    assert lines() == []
    assert memory.query_memory() == []
    length = desk.call(WRITE, written())
    assert desk.call(WRITE, written("l"), length - 1) == -1
    assert [line["action"] for line in lines()] == ["memory_write"]
    assert desk.call(WRITE, written("l"), length) == length
    assert [line["key"] for line in lines()] == ["k", "l"]


def test_a_rewrite_without_room_keeps_the_old_value_and_evicts_nothing(
    stage: Any, lines: Callable[[], list[Any]]
) -> None:
    """HST-7, QUO-4."""
    stage.store.create_agent("small", memory_quota_bytes=400)
    small = stage.store.gene_memory("small", MINE)
    for key in ("a", "b"):
        small.write_memory(key, b"v" * 150, "CACHE")
    before = len(lines())
    desk = Desk(small)
    assert desk.call(WRITE, written("c", b"w" * 300), 100) == -1
    assert len(lines()) == before
    assert {entry.key for entry in small.query_memory()} == {"a", "b"}
    assert desk.call(WRITE, written("c", b"w" * 300)) > 0
    assert [line["action"] for line in lines()[before:]] == ["memory_evict", "memory_evict", "memory_write"]


def test_a_deletion_without_room_has_not_happened(memory: GeneMemory, lines: Callable[[], list[Any]]) -> None:
    """HST-7: `null` needs four bytes."""
    memory.write_memory("k", VALUE, "CONTEXT")
    desk = Desk(memory)
    for room in range(4):
        assert desk.call(DELETE, {"key": "k"}, room) == -1
    assert memory.read_memory("k") is not None
    assert [line["action"] for line in lines()] == ["memory_write"]
    assert desk.call(DELETE, {"key": "k"}, 4) == 4
    assert [line["action"] for line in lines()] == ["memory_write", "memory_delete"]
    assert desk.call(DELETE, {"key": "k"}, 0) == -12


def test_a_read_without_room_leaves_last_accessed_by_alone(stage: Any, memory: GeneMemory) -> None:
    """HST-7, ENT-4."""
    other = Gene("v2:" + "b2" * 32, "dates", "other")
    memory.write_memory("k", VALUE, "CONTEXT")
    desk = Desk(stage.store.gene_memory("main", other))
    assert desk.call(READ, {"key": "k"}, 50) == -1
    (entry,) = memory.query_memory()
    assert entry.last_accessed_by == MINE.id
    assert desk.call(READ, {"key": "k"}) > 0
    (entry,) = memory.query_memory()
    assert entry.last_accessed_by == other.id


def test_a_query_answers_whole_or_not_at_all(memory: GeneMemory) -> None:
    """HST-7, INP-5."""
    for key in ("a", "b"):
        memory.write_memory(key, VALUE, "CONTEXT")
    desk = Desk(memory)
    length = desk.call(QUERY, {})
    assert len(desk.out(length)) == 2
    assert desk.call(QUERY, {}, length - 1) == -1


REFUSED: Final = {
    "an entry that is not there": (DELETE, {"key": "none"}, -12, "MEMORY_NOT_FOUND"),
    "a scope that nobody has": (
        WRITE,
        written(
            accessPolicy={
                "readScope": "DEPLOYER_CONFIGURED",
                "writeScope": "SAME_DOMAIN",
                "sharePolicy": "PRIVATE",
            }
        ),
        -2,
        "MEMORY_ACCESS_DENIED",
    ),
    "more than the quota": (WRITE, written(value=b"x" * 2000), -8, "MEMORY_QUOTA_EXCEEDED"),
    "a category in lower case": (WRITE, {**written(), "category": "cache"}, -10, "MEMORY_INVALID_INPUT"),
}


@pytest.mark.parametrize(("name", "request_", "number", "code"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_is_its_number_with_a_body_where_one_fits(
    stage: Any, name: str, request_: Any, number: int, code: str
) -> None:
    """HST-7, B108."""
    stage.store.create_agent("small", memory_quota_bytes=1000)
    desk = Desk(stage.store.gene_memory("small", MINE))
    assert desk.call(name, request_) == number
    body = desk.body()
    assert body.keys() == {"__rotifer_error"}
    assert body["__rotifer_error"].keys() == {"code", "message"}
    assert body["__rotifer_error"]["code"] == code
    assert desk.calls.last_refusal is not None
    assert desk.calls.last_refusal.code == code

    length = len(json.dumps(body, separators=(",", ":")))
    again = Desk(stage.store.gene_memory("small", MINE))
    assert again.call(name, request_, length - 1) == number
    assert set(again.linear.content[OUT:]) == {0xEE}
    assert again.call(name, request_, length) == number
    assert again.body()["__rotifer_error"]["code"] == code


def test_no_refusal_shows_a_value(memory: GeneMemory, stage: Any) -> None:
    """REC-1."""
    stranger = stage.store.gene_memory("main", Gene("v2:" + "c3" * 32, "linter", "stranger"))
    memory.write_memory("k", VALUE, "CONTEXT")
    desk = Desk(stranger)
    for name, request in [(READ, {"key": "k"}), (WRITE, written(value=b"secret")), (DELETE, {"key": "k"})]:
        assert desk.call(name, request) == -2
        shown = str(desk.calls.last_refusal) + json.dumps(desk.body())
        assert "secret" not in shown
        assert VALUE.decode() not in shown


DEEP: Final = 100_000
MALFORMED: Final = {
    "no JSON": b"hello",
    "no UTF-8": b'{"key":"\xff"}',
    "a list": b"[]",
    "null": b"null",
    "a member twice": b'{"key":"k","key":"l"}',
    "an unknown member": b'{"key":"k","value":"","category":"CACHE","x":1}',
    "NaN": b'{"key":NaN,"limit":NaN}',
    "a lone surrogate": b'{"key":"\\ud800","keyPrefix":"\\ud800"}',
    "a key that is a number": b'{"key":5,"limit":"x"}',
    "two objects": b"{}{}",
    "a NUL behind it": b'{"key":"k"}\0',
    "100 000 brackets": b"[" * DEEP,
    "100 000 objects": b'{"key":' * DEEP + b"1" + b"}" * DEEP,
    "10 MiB": b'{"key":"' + b"k" * 10_485_760 + b'"}',
    "10 MiB of brackets": b"[]," * (10_485_760 // 3),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_is_invalid_input(
    memory: GeneMemory, lines: Callable[[], list[Any]], name: str, content: bytes
) -> None:
    """HST-5, B109: and says so in a body, whatever it was."""
    desk = Desk(memory, size=16 * 1024 * 1024)
    desk.linear.write(65_536, content)
    assert desk.calls.call(name, desk.linear, 65_536, len(content), OUT, ROOM) == -10
    assert desk.body()["__rotifer_error"]["code"] == "MEMORY_INVALID_INPUT"
    assert lines() == []


def test_a_request_has_a_limit(memory: GeneMemory) -> None:
    """HST-8: one that would be fine but for its length."""
    desk = Desk(memory, size=2 * MAX_REQUEST_BYTES)
    for length, number in [(MAX_REQUEST_BYTES, 2), (MAX_REQUEST_BYTES + 1, -10)]:
        prefix = b"x" * (length - len(b'{"keyPrefix":""}'))
        desk.linear.write(65_536, b'{"keyPrefix":"%s"}' % prefix)
        assert desk.calls.call(QUERY, desk.linear, 65_536, length, OUT, ROOM) == number


def test_the_largest_value_fits_a_request_however_it_is_spelt(memory: GeneMemory) -> None:
    """INP-2: each character of its base64 as an escape, and the longest key so too."""
    value = b"\xfb" * 1_048_576
    spelt = "".join(f"\\u{ord(character):04x}" for character in base64.b64encode(value).decode())
    key = "\\u006b" * 1024
    content = f'{{"key":"{key}","value":"{spelt}","category":"CACHE"}}'.encode()
    assert len(content) <= MAX_REQUEST_BYTES
    desk = Desk(memory, size=16 * 1024 * 1024)
    desk.linear.write(65_536, content)
    assert desk.calls.call(WRITE, desk.linear, 65_536, len(content), 65_536, 15 * 1024 * 1024) > 1_048_576
    assert desk.calls.call(READ, desk.linear, 0, 0, 0, 0) == -10
    entry = memory.read_memory("k" * 1024)
    assert entry is not None
    assert entry.value == value


@pytest.mark.parametrize("gene_id", [None, "", "v1:" + "a1" * 32, "v2:" + "A1" * 32])
@pytest.mark.parametrize("name", CALLS)
def test_a_gene_without_a_v2_id_is_refused_before_anything(
    stage: Any, lines: Callable[[], list[Any]], name: str, gene_id: str | None
) -> None:
    """HST-7, HST-9, ACC-7: before the deadline, the ranges and the request; each refusal has its line."""
    memory = stage.store.gene_memory("main", Gene(gene_id, "dates"))
    late = Desk(memory, deadline_s=time.monotonic() - 1)
    before = bytes(late.linear.content)
    assert late.calls.call(name, late.linear, 0, 2, OUT, ROOM) == -2
    assert late.linear.content == before
    desk = Desk(memory)
    assert desk.calls.call(name, desk.linear, -1, -1, -1, -1) == -2
    assert desk.calls.call(name, None, 0, 0, 0, 0) == -2
    assert desk.call(name, b"no JSON") == -2
    assert desk.body()["__rotifer_error"]["code"] == "MEMORY_ACCESS_DENIED"
    assert desk.call(name, {"key": "k"}, 0) == -2
    assert [line["action"] for line in lines()] == ["memory_access_denied"] * 5
    assert {line["gene_id"] for line in lines()} == {None}
    assert len({line["operation"] for line in lines()}) == 1


@pytest.mark.parametrize("name", CALLS)
def test_without_an_agent_every_call_is_refused(
    stage: Any, lines: Callable[[], list[Any]], name: str
) -> None:
    """AGT-8, REC-4: and none recorded."""
    desk = Desk(NoMemory())
    assert desk.calls.call(name, desk.linear, -1, -1, -1, -1) == -2
    assert desk.call(name, {}) == -2
    assert Desk(NoMemory(), deadline_s=0.0).call(name, {}) == -2
    assert lines() == []


@pytest.mark.parametrize("name", CALLS)
def test_past_the_deadline_nothing_is_done_and_nothing_said(
    memory: GeneMemory, lines: Callable[[], list[Any]], name: str
) -> None:
    """HST-7: before the ranges, and without a body."""
    desk = Desk(memory, deadline_s=time.monotonic() - 1)
    before = bytes(desk.linear.content)
    assert desk.calls.call(name, desk.linear, -1, -1, -1, -1) == -4
    assert desk.calls.call(name, desk.linear, 0, 2, OUT, ROOM) == -4
    assert desk.linear.content == before
    assert lines() == []
    assert desk.calls.last_refusal is None


def test_the_calls_of_a_run_are_counted(memory: GeneMemory) -> None:
    """HST-8: whatever they were."""
    desk = Desk(memory)
    for number in itertools.islice(itertools.cycle(range(5)), MAX_HOST_CALLS):
        if number == 4:
            desk.calls.log(desk.linear, -1, -1)
        else:
            assert desk.calls.call(CALLS[number], desk.linear, -1, -1, 0, 0) == -10
    assert desk.calls.call(QUERY, desk.linear, 0, 0, OUT, ROOM) == -4
    desk.calls.log(desk.linear, 0, 1)
    assert desk.said == []


def test_a_log_is_one_line_and_no_longer_than_its_limit(memory: GeneMemory) -> None:
    """HST-5."""
    desk = Desk(memory)
    desk.linear.write(0, b"hello")
    desk.calls.log(desk.linear, 0, 5)
    desk.calls.log(desk.linear, 0, MAX_LOG_BYTES + 1)
    for pointer, length in [(-1, 1), (0, -1), (SIZE, 1)]:
        desk.calls.log(desk.linear, pointer, length)
    desk.calls.log(None, 0, 0)
    assert desk.said == [b"hello\n", bytes(desk.linear.content[:MAX_LOG_BYTES]) + b"\n"]


def test_a_trace_tells_of_each_call_that_the_memory_was_asked_for(memory: GeneMemory) -> None:
    """RUN-5: never a value; a call past the deadline has asked for nothing."""
    told: list[MemoryCall] = []
    desk = Desk(TracedMemory(memory, "mine", told.append))
    desk.call(WRITE, written(), 0)
    desk.call(WRITE, written())
    desk.call(READ, {"key": "k"})
    desk.call(QUERY, {"category": "CACHE"})
    desk.call(READ, b"[" * 5000)
    desk.calls.call(DELETE, desk.linear, -1, 0, 0, 0)
    assert [(call.call, call.of, call.outcome) for call in told] == [
        (WRITE, "k", "RESPONSE_TOO_LARGE"),
        (WRITE, "k", "written"),
        (READ, "k", "read"),
        (QUERY, '{"category": "CACHE"}', "0 entries"),
        (READ, None, "MEMORY_INVALID_INPUT"),
        (DELETE, None, "MEMORY_INVALID_INPUT"),
    ]
    told.clear()
    late = Desk(TracedMemory(memory, "mine", told.append), deadline_s=0.0)
    assert late.call(READ, {"key": "k"}) == -4
    assert told == []


def test_a_trace_does_not_read_what_would_be_long_to_read(memory: GeneMemory) -> None:
    """HST-4, RUN-5: a deadline holds while a call is told of, too."""
    told: list[MemoryCall] = []
    traced = TracedMemory(memory, "mine", told.append)
    request = b'{"key":[' + b"[[[[[]]]]]," * 1_500_000 + b"1]}"
    began_s = time.thread_time()
    with pytest.raises(MemoryInvalidInput):
        traced.call_json(READ, request)
    assert time.thread_time() - began_s < 1
    assert [(call.of, call.outcome) for call in told] == [(None, "MEMORY_INVALID_INPUT")]
