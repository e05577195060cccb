"""Hostile and odd data (``tests/data/hostile.json``) through the library: kept as it is, or refused."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rotifer_store import (
    FixedClock,
    Gene,
    InvalidAgent,
    MemoryAccessDenied,
    MemoryFilter,
    MemoryInvalidInput,
    Store,
    UnreadableLine,
    open_store,
)

Item = Mapping[str, Any]
HOSTILE: Mapping[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "hostile.json").read_text(encoding="utf-8")
)
WRITER = Gene(id="v2:" + "a1" * 32, domain="formatter")
STRANGER = Gene(id="v2:" + "b2" * 32, domain="linter")
NOW_US = 1_767_225_600_000_000
FIRST_US = -62_135_596_800_000_000  # 0001-01-01T00:00:00Z, the first time that a datetime can hold
LAST_US = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z, the last


def table(items: list[Item], **conditions: object) -> list[Any]:
    """Returns the items that meet the conditions, as parameters named after them."""
    chosen = [item for item in items if all(item.get(name) == value for name, value in conditions.items())]
    assert chosen
    return [pytest.param(item, id=item.get("name", ascii(item.get("text")))) for item in chosen]


def text_of(text: str | Item) -> str:
    return text if isinstance(text, str) else text["repeat"] * text["count"]


def value_of(item: Item) -> Any:
    if "notBytes" in item:
        return item["notBytes"]
    if "text" in item:
        return item["text"].encode()
    return bytes_of(item)


def bytes_of(item: Item) -> bytes:
    if "parts" in item:
        return b"".join(bytes_of(part) for part in item["parts"])
    if "hex" in item:
        return bytes.fromhex(item["hex"])
    return bytes.fromhex(item["repeat"]) * item["count"]


def long_text_in(item: Item) -> str:
    """Returns the text of a legal value if it is long enough not to stand in a log by chance."""
    text = item.get("text", "")
    return text if len(text) >= 16 and item["legal"] else ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


def open_project(project: Path, now_us: int = NOW_US) -> Store:
    project.mkdir(exist_ok=True)
    return open_store(project, clock=FixedClock(now_us))


@pytest.fixture
def store(project: Path) -> Iterator[Store]:
    with open_project(project) as store:
        store.create_agent("main")
        yield store
        assert store.verify() == []


def audit_lines(project: Path) -> list[bytes]:
    *lines, rest = (project / ".rotifer" / "audit.jsonl").read_bytes().split(b"\n")
    assert rest == b""
    return lines


@pytest.mark.parametrize("item", table(HOSTILE["keys"], legal=True))
def test_a_legal_key_is_kept_and_found_as_it_is(item: Item, store: Store, project: Path) -> None:
    """INP-1, REC-5: at every door to the entry, and as one physical line of the audit log."""
    key = text_of(item["key"])
    memory = store.gene_memory("main", WRITER)
    lines_before = len(audit_lines(project))

    assert memory.write_memory(key, b"1", "PATTERN").key == key
    assert [json.loads(line)["key"] for line in audit_lines(project)[lines_before:]] == [key]

    entry = memory.read_memory(key)
    assert entry is not None
    assert (entry.key, entry.value) == (key, b"1")
    assert [found.key for found in memory.query_memory()] == [key]
    assert [found.key for found in memory.query_memory({"keyPrefix": key})] == [key]
    assert [found.key for found in memory.query_memory(MemoryFilter(key_prefix=key[:1]))] == [key]
    size_bytes = item["utf8Bytes"] + 1
    assert [(info.key, info.size_bytes) for info in store.list_memory("main")] == [(key, size_bytes)]
    assert store.memory_usage("main").used_bytes == size_bytes
    assert store.peek_value("main", key) == b"1"

    memory.delete_memory(key)
    memory.write_memory(key, b"2", "CACHE")
    assert store.delete_memory("main", key=key) == 1
    assert memory.read_memory(key) is None


@pytest.mark.parametrize("item", table(HOSTILE["keys"], legal=False))
def test_an_illegal_key_is_refused_by_every_call(item: Item, store: Store, project: Path) -> None:
    """INP-1, AGT-4: as invalid input, and without a line in the log."""
    key = text_of(item["key"])
    memory = store.gene_memory("main", WRITER)
    lines_before = audit_lines(project)
    for call in (
        lambda: memory.write_memory(key, b"1", "PATTERN"),
        lambda: memory.read_memory(key),
        lambda: memory.delete_memory(key),
        lambda: store.delete_memory("main", key=key),
        lambda: store.delete_memory("main", keys=["a", key]),
    ):
        with pytest.raises(MemoryInvalidInput):
            call()
    assert store.list_memory("main") == []
    assert audit_lines(project) == lines_before


@pytest.mark.parametrize("item", table(HOSTILE["keys"], legal=False))
def test_a_prefix_that_no_key_begins_with_finds_nothing(item: Item, store: Store) -> None:
    """INP-3: only a lone surrogate is refused, an empty prefix finds all."""
    prefix = text_of(item["key"])
    memory = store.gene_memory("main", WRITER)
    memory.write_memory("k" * 1024, b"1", "PATTERN")
    if item["utf8Bytes"] is None:
        with pytest.raises(MemoryInvalidInput):
            memory.query_memory({"keyPrefix": prefix})
    else:
        found = [entry.key for entry in memory.query_memory({"keyPrefix": prefix})]
        assert found == (["k" * 1024] if prefix == "" else [])


def test_legal_keys_live_side_by_side(store: Store, project: Path) -> None:
    """INP-1: compared byte for byte, so look-alikes stay apart, and a new process finds them all."""
    values = {
        text_of(item["key"]): str(number).encode()
        for number, item in enumerate(HOSTILE["keys"])
        if item["legal"]
    }
    memory = store.gene_memory("main", WRITER)
    for key, value in values.items():
        memory.write_memory(key, value, "PATTERN")

    newest_first = list(reversed(values.items()))
    assert [(entry.key, entry.value) for entry in memory.query_memory()] == newest_first
    with open_project(project) as again:
        assert [info.key for info in again.list_memory("main")] == [key for key, _ in newest_first]
        reader = again.gene_memory("main", WRITER)
        for key, value in values.items():
            entry = reader.read_memory(key)
            assert entry is not None
            assert (entry.key, entry.value) == (key, value)


@pytest.mark.parametrize("item", table(HOSTILE["values"], legal=True))
def test_a_legal_value_comes_back_byte_for_byte(item: Item, store: Store, tmp_path: Path) -> None:
    """INP-2, AGT-6: from a write, a read, a query, the deployer's look and a move to another agent."""
    value = value_of(item)
    assert len(value) == item["bytes"]
    memory = store.gene_memory("main", WRITER)
    assert memory.write_memory("k", value, "CONTEXT").value == value
    entry = memory.read_memory("k")
    assert entry is not None
    assert entry.value == value
    assert [entry.value for entry in memory.query_memory()] == [value]
    assert store.peek_value("main", "k") == value
    assert store.memory_usage("main").used_bytes == len(value) + 1

    store.create_agent("other")
    store.export_memory("main", tmp_path / "export")
    store.import_memory("other", tmp_path / "export", copy_private=True)
    assert store.peek_value("other", "k") == value


@pytest.mark.parametrize("item", table(HOSTILE["values"], legal=False))
def test_an_illegal_value_is_refused_and_the_old_one_stays(item: Item, store: Store, project: Path) -> None:
    """INP-2."""
    memory = store.gene_memory("main", WRITER)
    memory.write_memory("k", b"old", "PATTERN")
    lines_before = audit_lines(project)
    for key in ("k", "l"):
        with pytest.raises(MemoryInvalidInput):
            memory.write_memory(key, value_of(item), "PATTERN")
    assert [(entry.key, entry.value) for entry in memory.query_memory()] == [("k", b"old")]
    assert audit_lines(project) == lines_before


@pytest.mark.parametrize("item", [row for row in table(HOSTILE["values"]) if long_text_in(row.values[0])])
def test_neither_logs_nor_errors_show_a_value(item: Item, store: Store, project: Path) -> None:
    """REC-1, REC-4."""
    value, readable = value_of(item), long_text_in(item)
    memory = store.gene_memory("main", WRITER)
    stranger = store.gene_memory("main", STRANGER)
    memory.write_memory("k", b"1", "PATTERN")
    memory.write_memory("k", value, "PATTERN")
    with pytest.raises(MemoryAccessDenied) as refusal:
        stranger.write_memory("k", value, "PATTERN")
    shown = [f"{refusal.value} {refusal.value!r}"]
    shown += [file.read_text(encoding="utf-8") for file in (project / ".rotifer").glob("*.jsonl")]
    assert len(shown) == 3
    for text in shown:
        assert readable not in text
        assert json.dumps(readable)[1:-1] not in text


@pytest.mark.parametrize("item", table(HOSTILE["agentNames"]["accepted"]))
def test_an_accepted_agent_name_names_its_agent(item: Item, store: Store) -> None:
    """AGT-2."""
    name = text_of(item["agentName"])
    if name != "main":
        store.create_agent(name)
    assert store.agent(name).name == name
    assert name in [agent.name for agent in store.agents()]
    store.gene_memory(name, WRITER).write_memory("k", b"1", "PATTERN")
    assert [info.key for info in store.list_memory(name)] == ["k"]


@pytest.mark.parametrize("item", table(HOSTILE["agentNames"]["refused"]))
def test_a_refused_agent_name_makes_no_agent(item: Item, store: Store, project: Path) -> None:
    """AGT-2."""
    lines_before = audit_lines(project)
    with pytest.raises(InvalidAgent) as refusal:
        store.create_agent(text_of(item["agentName"]))
    assert refusal.value.code == "AGENT_INVALID"
    assert [agent.name for agent in store.agents()] == ["main"]
    assert audit_lines(project) == lines_before


@pytest.mark.parametrize("item", table(HOSTILE["rfc3339"]["accepted"]))
def test_a_bound_is_compared_as_an_exact_instant(item: Item, project: Path) -> None:
    """INP-3, INP-4: ``since`` takes its own instant in, ``until`` leaves it out, digits beyond µs decide."""
    bound_us = item["us"]
    times_us = [us for us in (bound_us - 1, bound_us, bound_us + 1) if FIRST_US <= us <= LAST_US]
    if not times_us:
        times_us = [FIRST_US if bound_us < FIRST_US else LAST_US]
    clock = FixedClock(times_us[0])
    project.mkdir()
    with open_store(project, clock=clock) as store:
        store.create_agent("main")
        memory = store.gene_memory("main", WRITER)
        for us in times_us:
            clock.advance((us - clock.now_us()) / 1_000_000)
            memory.write_memory(str(us), b"1", "PATTERN")

        later = [str(us) for us in times_us if us > bound_us or (us == bound_us and "beyond" not in item)]
        earlier = [str(us) for us in times_us if str(us) not in later]
        for bound, expected in (("since", later), ("until", earlier)):
            assert [entry.key for entry in memory.query_memory({bound: item["text"]})] == expected[::-1]
            given = MemoryFilter(**{bound: item["text"]})
            assert [entry.key for entry in memory.query_memory(given)] == expected[::-1]
        assert store.verify() == []


@pytest.mark.parametrize("bound", ["since", "until"])
@pytest.mark.parametrize("item", table(HOSTILE["rfc3339"]["refused"]))
def test_a_refused_bound_is_invalid_input(item: Item, bound: str, store: Store) -> None:
    """INP-3, INP-4."""
    memory = store.gene_memory("main", WRITER)
    memory.write_memory("k", b"1", "PATTERN")
    with pytest.raises(MemoryInvalidInput):
        memory.query_memory({bound: item.get("text", item.get("json"))})


def plant(file: Path, item: Item) -> bytes:
    """Appends the item's line, with its newline unless it is torn; returns what the file then holds."""
    with file.open("ab") as log:
        log.write(bytes_of(item) + (b"" if item.get("torn") else b"\n"))
    return file.read_bytes()


def records_after(planted: bytes, file: Path, item: Item) -> list[dict[str, Any]]:
    """Returns our records that follow the planted line, each on a line of its own; what was there stays."""
    held = file.read_bytes()
    assert held.startswith(planted)
    added = held.removeprefix(planted)
    if item.get("torn"):
        assert added.startswith(b"\n")
        added = added[1:]
    *lines, rest = added.split(b"\n")
    assert rest == b""
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("reopened", [False, True], ids=["open", "reopened"])
@pytest.mark.parametrize("item", table(HOSTILE["auditLines"]))
def test_a_hostile_audit_line_is_left_alone_and_stops_nothing(
    item: Item, reopened: bool, project: Path
) -> None:
    """REC-5, REC-9: it is shown or reported, and the records around it are read."""
    file = project / ".rotifer" / "audit.jsonl"
    with open_project(project) as store:
        store.create_agent("main")
        store.gene_memory("main", WRITER).write_memory("before", b"1", "PATTERN")
        if not reopened:
            planted = plant(file, item)
            check_the_store_goes_on(store, planted, file, item)
    if reopened:
        planted = plant(file, item)
        with open_project(project) as store:
            check_the_store_goes_on(store, planted, file, item)


def check_the_store_goes_on(store: Store, planted: bytes, file: Path, item: Item) -> None:
    memory = store.gene_memory("main", WRITER)
    memory.write_memory("after", b"2", "PATTERN")
    own = records_after(planted, file, item)
    assert [(record["action"], record["key"]) for record in own] == [("memory_write", "after")]
    assert [entry.key for entry in memory.query_memory()] == ["after", "before"]

    create, before, shown, after = store.audit_records()
    assert [create.action, before.key, after.key] == ["agent_create", "before", "after"]
    if item["strictJsonObject"] is not None:
        assert isinstance(shown, UnreadableLine) is not item["strictJsonObject"]
    of_a_key = store.audit_records("main", action="memory_write", key="after")
    assert [record.seq for record in of_a_key if not isinstance(record, UnreadableLine)] == [own[0]["seq"]]

    findings = store.verify()
    if item["strictJsonObject"] is False:
        assert findings != []


@pytest.mark.parametrize("item", table(HOSTILE["auditLines"]))
def test_a_hostile_telemetry_line_is_left_alone_and_stops_nothing(item: Item, project: Path) -> None:
    """REC-4, REC-5: a refusal stays a refusal and its event stands on its own line."""
    file = project / ".rotifer" / "telemetry.jsonl"
    with open_project(project) as store:
        store.create_agent("main")
        memory, stranger = store.gene_memory("main", WRITER), store.gene_memory("main", STRANGER)
        memory.write_memory("k", b"1", "PATTERN")
        with pytest.raises(MemoryAccessDenied):
            stranger.read_memory("k")
        planted = plant(file, item)
        with pytest.raises(MemoryAccessDenied):
            stranger.delete_memory("k")
        own = records_after(planted, file, item)
        assert [record["operation"] for record in own] == ["delete"]

        before, shown, after = store.telemetry_records()
        assert [before.operation, after.operation] == ["read", "delete"]
        if item["strictJsonObject"] is not None:
            assert isinstance(shown, UnreadableLine) is not item["strictJsonObject"]
        assert all(finding.where.startswith("telemetry.jsonl") for finding in store.verify())
