"""Reported faults of access: calls that skip a check, and ways to an entry that go round the scopes."""

from __future__ import annotations

import inspect
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rotifer_store
from bugs.scene import (
    CLOSED,
    CREATOR,
    LARGEST_VALUE_BYTES,
    NAMELESS,
    OPEN,
    SIBLING,
    STRANGER,
    Door,
    Members,
    PythonDoor,
    Scene,
    code_of,
    entry_id,
    kept_for,
    open_to,
    through_each_door,
)
from rotifer_store import AccessPolicy, AgentMemoryError, Gene, GeneMemory, LogView, RotiferStoreError, Store

GENES = {
    "creator": CREATOR,
    "same domain": SIBLING,
    "other domain": Gene(STRANGER.id, CREATOR.domain[:-1]),
    "no id": NAMELESS,
}
SCOPES = {
    "CREATOR_GENE_ONLY": {"creator"},
    "SAME_DOMAIN": {"creator", "same domain"},
    "ALL_GENES": {"creator", "same domain", "other domain"},
}
"""ACC-2 as a table: whom each scope lets in."""


@pytest.mark.parametrize("call", ["read", "query", "write", "delete"])
@pytest.mark.parametrize("write", SCOPES)
@pytest.mark.parametrize("read", SCOPES)
@pytest.mark.parametrize("who", GENES)
def test_each_call_keeps_the_scope_that_it_needs(
    who: str, read: str, write: str, call: str, scene: Scene
) -> None:
    """B61 (ACC-2, ACC-4, ACC-6, REC-4): a refusal is one line and one event; a query only leaves out."""
    old = PythonDoor(scene.store, "main", CREATOR).write("k", b"old", "CACHE", open_to(read, write))
    scene.new_lines()
    gene = GENES[who]
    door = PythonDoor(scene.store, "main", gene)
    is_allowed = who in SCOPES[read if call in ("read", "query") else write]
    calls: dict[str, Callable[[], Any]] = {
        "read": lambda: door.read("k"),
        "query": lambda: [entry["key"] for entry in door.query()],
        "write": lambda: door.write("k", b"new", "CACHE"),
        "delete": lambda: door.delete("k"),
    }

    if is_allowed or (call == "query" and gene.id is not None):
        answer = calls[call]()
        if call == "query":
            assert answer == (["k"] if is_allowed else [])
        if call == "read":
            assert answer == old | {"lastAccessedBy": gene.id}
        if call == "write":
            assert answer["createdBy"] == CREATOR.id
            assert (answer["lastAccessedBy"], answer["accessPolicy"]) == (gene.id, open_to(read, write))
        written = {"write": ["memory_update"], "delete": ["memory_delete"]}.get(call, [])
        assert (scene.new_actions(), scene.events()) == (written, [])
        return

    assert code_of(calls[call]) == "MEMORY_ACCESS_DENIED"
    (line,) = scene.new_lines()
    told = {
        "action": "memory_access_denied",
        "actor": "gene",
        "gene_id": gene.id,
        "gene_domain": gene.domain,
        "key": None if call == "query" else "k",
        "operation": call,
        "code": "MEMORY_ACCESS_DENIED",
        "bytes": None,
        "value_hmac": None,
    }
    assert {name: line[name] for name in told} == told
    (event,) = scene.events()
    assert (event["audit_seq"], event["operation"], event["gene_id"]) == (line["seq"], call, gene.id)
    (held,) = PythonDoor(scene.store, "main", CREATOR).query()
    assert held == old


@through_each_door
@pytest.mark.parametrize("member", ["readScope", "writeScope"])
def test_the_scope_that_lets_nobody_in_cannot_be_written(member: str, door: type[Door], scene: Scene) -> None:
    """B61, B68 (ACC-3): neither on a new entry nor on an old one, by its creator or another gene."""
    policy = OPEN | {member: "DEPLOYER_CONFIGURED"}
    creator, stranger = door(scene.store, "main", CREATOR), door(scene.store, "main", STRANGER)
    creator.write("old", b"1", "CACHE", OPEN)
    for call in (
        lambda: creator.write("new", b"2", "CACHE", policy),
        lambda: creator.write("old", b"2", "CACHE", policy),
        lambda: stranger.write("old", b"2", "CACHE", policy),
    ):
        assert code_of(call) == "MEMORY_ACCESS_DENIED"
    assert scene.new_actions() == ["memory_write", *["memory_access_denied"] * 3]
    assert (scene.keys(), scene.store.peek_value("main", "old")) == (["old"], b"1")


@through_each_door
def test_no_key_reaches_another_agents_memory(door: type[Door], scene: Scene) -> None:
    """B62 (AGT-1): not its key, its entryId, a path to it, nor what a server would decode to one."""
    other = scene.store.create_agent("other")
    hidden = PythonDoor(scene.store, "other", STRANGER).write("secret", b"1", "PREFERENCE", OPEN)
    scene.new_lines()
    door_in_main = door(scene.store, "main", STRANGER)
    for key in (
        "secret",
        hidden["entryId"],
        f"{other.id}/secret",
        "other/secret",
        "../other/secret",
        "%2E%2E%2Fother%2Fsecret",
        "/agents/other/memory/secret",
        f"{other.id}:secret",
    ):
        assert door_in_main.read(key) is None
        assert door_in_main.query({"keyPrefix": key}) == []
        assert code_of(lambda key=key: door_in_main.delete(key)) == "MEMORY_NOT_FOUND"
        assert code_of(lambda key=key: scene.store.peek_value("main", key)) == "MEMORY_NOT_FOUND"
        assert code_of(lambda key=key: scene.store.delete_memory("main", key=key)) == "MEMORY_NOT_FOUND"
        own = door_in_main.write(key, b"2", "CACHE")
        assert own["entryId"] != hidden["entryId"]
    assert scene.store.delete_memory("main", category="CACHE") == 8
    assert PythonDoor(scene.store, "other", STRANGER).query() == [hidden]
    assert {line["agent"] for line in scene.new_lines()} == {"main"}


INTERNAL = [
    "repo/x/file/y",
    "repo/x",
    "archive/2026",
    "entries",
    "agents",
    "sqlite_master",
    "sqlite_sequence",
    "PRAGMA user_version",
    "audit.jsonl",
    "playground.db",
    ".rotifer/playground.db",
    "agent:main",
    "main",
    "__rotifer_error",
    "__proto__",
    "constructor",
    "entryId",
    "seq",
    "memory_write",
    "DEPLOYER_CONFIGURED",
    "v2:" + "a1" * 32,
    "null",
]


@through_each_door
def test_a_key_that_looks_like_an_inner_name_is_a_key_like_any_other(door: type[Door], scene: Scene) -> None:
    """B64 (INP-1): kept, found, recorded and deleted by its text, and nothing else changes."""
    keys = [*INTERNAL, scene.store.agent("main").id, entry_id(scene.store.agent("main").id, "main")]
    memory = door(scene.store, "main", CREATOR)
    for key in keys:
        entry = memory.write(key, key.encode(), "PATTERN")
        assert entry["entryId"] == entry_id(scene.store.agent("main").id, key)
    assert scene.keys() == [entry["key"] for entry in memory.query()] == keys[::-1]
    for key in keys:
        assert memory.read(key)["key"] == key
        assert scene.store.peek_value("main", key) == key.encode()
        memory.delete(key)
    assert scene.keys() == []
    assert [(line["action"], line["key"]) for line in scene.new_lines()] == [
        *(("memory_write", key) for key in keys),
        *(("memory_delete", key) for key in keys),
    ]
    assert [agent.name for agent in scene.store.agents()] == ["main"]


BAD: dict[str, Members] = {
    "empty key": {"key": ""},
    "long key": {"key": "k" * 1_025},
    "lower case": {"category": "cache"},
    "unknown category": {"category": "NOTES"},
    "large value": {"value": bytes(LARGEST_VALUE_BYTES + 1)},
    "short access policy": {"access": {"readScope": "ALL_GENES"}},
    "null access policy": {"access": None},
    "no days": {"retention": kept_for(0)},
    "bad and forbidden": {"access": OPEN | {"readScope": "DEPLOYER_CONFIGURED"}, "category": "NOTES"},
}


@pytest.mark.parametrize("fault", BAD)
@through_each_door
def test_bad_input_for_a_forbidden_entry_is_bad_input(door: type[Door], fault: str, scene: Scene) -> None:
    """B66 (ACC-8): it never tells whether the entry is there, and leaves neither line nor event."""
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "CACHE", CLOSED)
    scene.new_lines()
    stranger = door(scene.store, "main", STRANGER)
    bad = BAD[fault]
    write: Members = {"key": "k", "value": b"2", "category": "CACHE"} | bad
    assert code_of(lambda: stranger.write(**write)) == "MEMORY_INVALID_INPUT"
    if "key" in bad:
        assert code_of(lambda: stranger.read(bad["key"])) == "MEMORY_INVALID_INPUT"
        assert code_of(lambda: stranger.delete(bad["key"])) == "MEMORY_INVALID_INPUT"
    if "category" in bad:
        assert code_of(lambda: stranger.read("k", bad["category"])) == "MEMORY_INVALID_INPUT"
    assert (scene.new_lines(), scene.events()) == ([], [])


UNFIT = {
    "read scope": {"access": OPEN | {"readScope": "DEPLOYER_CONFIGURED"}},
    "write scope": {"access": OPEN | {"writeScope": "DEPLOYER_CONFIGURED"}},
    "anonymized share": {"access": OPEN | {"sharePolicy": "ANONYMIZED_SHARE"}},
    "knowledge gene": {"access": OPEN | {"sharePolicy": "KNOWLEDGE_GENE"}},
    "own word is not the agent's": {
        "access": OPEN | {"sharePolicy": "KNOWLEDGE_GENE"},
        "retention": kept_for(1, anonymized=True),
    },
    "a day more": {"retention": kept_for(31)},
    "no limit": {"retention": kept_for(None)},
}


@pytest.mark.parametrize("unfit", UNFIT)
@pytest.mark.parametrize("key", ["old", "new"])
@through_each_door
def test_a_policy_that_the_agents_own_does_not_allow_is_denied_on_every_write(
    door: type[Door], key: str, unfit: str, scene: Scene
) -> None:
    """B68 (ACC-3, POL-3, ACC-10): on creation and on a rewrite; the old entry stays as it was."""
    scene.store.set_data_policy("main", kept_for(30))
    memory = door(scene.store, "main", CREATOR)
    old = memory.write("old", b"1", "CACHE")
    scene.new_lines()
    assert code_of(lambda: memory.write(key, b"2", "CACHE", **UNFIT[unfit])) == "MEMORY_ACCESS_DENIED"
    assert memory.query() == [old]
    assert (scene.new_actions(), len(scene.events())) == (["memory_access_denied"], 1)


@through_each_door
def test_a_retention_of_null_is_allowed_and_follows_the_agent(door: type[Door], scene: Scene) -> None:
    """B68 (POL-4): under a limit of 30 days it means those 30 days, also when they change."""
    scene.store.set_data_policy("main", kept_for(30))
    memory = door(scene.store, "main", CREATOR)
    assert memory.write("k", b"1", "CACHE", retention=None)["retentionPolicy"] is None
    (info,) = scene.store.list_memory("main")
    assert info.expires_at is not None
    assert (info.expires_at - info.updated_at).days == 30
    scene.store.set_data_policy("main", kept_for(7))
    (info,) = scene.store.list_memory("main")
    assert info.expires_at is not None
    assert (info.expires_at - info.updated_at).days == 7


def looked_at(view: LogView[Any]) -> list[object]:
    with view:
        view.poll()
        return view.records(0, view.line_count)


GENE_CALLS = {"read_memory", "write_memory", "query_memory", "delete_memory", "call_json"}
SPELLINGS = {
    "readMemory": "read_memory",
    "writeMemory": "write_memory",
    "queryMemory": "query_memory",
    "deleteMemory": "delete_memory",
}
STRICTER = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}
LOOKS: dict[str, Callable[[Store, Path], object]] = {
    "access": lambda store, _: store.access("main", STRANGER),
    "agent": lambda store, _: store.agent("main"),
    "agents": lambda store, _: store.agents(),
    "audit_records": lambda store, _: store.audit_records("main"),
    "audit_tail": lambda store, _: store.audit_tail("main"),
    "audit_view": lambda store, _: looked_at(store.audit_view()),
    "browse_memory": lambda store, _: store.browse_memory("main"),
    "change_token": lambda store, _: store.change_token(),
    "entry_place": lambda store, _: store.entry_place("main", "k"),
    "export_memory": lambda store, folder: store.export_memory("main", folder / "box", include_cache=True),
    "find": lambda store, _: store.find("main", "k", values=True),
    "forecast": lambda store, _: store.forecast("main", 2**53 - 1),
    "gene_memory": lambda store, _: store.gene_memory("main", STRANGER),
    "genes_seen": lambda store, _: store.genes_seen("main"),
    "health": lambda store, _: store.health(),
    "history": lambda store, _: store.history("main", "k"),
    "life": lambda store, _: store.life("main", "k"),
    "list_memory": lambda store, _: store.list_memory("main"),
    "memory_usage": lambda store, _: store.memory_usage("main"),
    "orphans": lambda store, _: store.orphans("main", []),
    "peek_value": lambda store, _: store.peek_value("main", "k"),
    "preview_policy": lambda store, _: store.preview_policy("main", data_policy=STRICTER),
    "review": lambda store, _: store.review("main", []),
    "sweep": lambda store, _: store.sweep(),
    "telemetry_records": lambda store, _: store.telemetry_records(),
    "telemetry_tail": lambda store, _: store.telemetry_tail(),
    "telemetry_view": lambda store, _: looked_at(store.telemetry_view()),
    "verify": lambda store, _: store.verify(),
}
"""Calls of a store that change no live entry."""
DEPLOYERS_CHANGES = {
    "create_agent": "an empty memory",
    "set_genome": "no entry",
    "set_data_policy": "no live entry",
    "set_memory_quota": "no entry",
    "delete_memory": "removes, and tells the log so",
    "delete_entries": "removes, and tells the log so",
    "import_memory": "under the limits of a write: B48",
    "import_agent": "under the bounds of keys and values: B48",
    "rotate_audit": "no entry",
}
"""Calls of a store that change something, and what; none of them writes a value of its caller's choice."""


def public_names_of(owner: object) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def test_every_public_call_is_known_by_what_it_may_do(scene: Scene) -> None:
    """B69 (python-api, ACC-4): a new way in has to be put on one of these lists, and so past a reviewer."""
    known = LOOKS.keys() | DEPLOYERS_CHANGES.keys() | {"close"}
    assert public_names_of(scene.store) == known
    assert public_names_of(scene.store.gene_memory("main", CREATOR)) == GENE_CALLS | SPELLINGS.keys()
    for camel, snake in SPELLINGS.items():
        assert getattr(GeneMemory, camel) is getattr(GeneMemory, snake)
    makers = {
        name
        for name in rotifer_store.__all__
        if inspect.isfunction(getattr(rotifer_store, name))
        or (inspect.isclass(getattr(rotifer_store, name)) and takes_a_shell(getattr(rotifer_store, name)))
    }
    assert makers == {"has_store", "open_store", "Store", "GeneMemory"}


def takes_a_shell(kind: type) -> bool:
    """Whether instances work on a store: what can reach one is built around its private shell."""
    try:
        return "shell" in inspect.signature(kind).parameters
    except ValueError:
        return False


@pytest.mark.parametrize("name", LOOKS)
def test_a_call_that_looks_leaves_entries_and_log_as_they_were(
    name: str, scene: Scene, tmp_path: Path
) -> None:
    """B69 (python-api): and hands out no handle of the database."""
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "CACHE", CLOSED)
    scene.new_lines()
    before = scene.store.browse_memory("main").rows
    answer = LOOKS[name](scene.store, tmp_path)
    assert scene.store.browse_memory("main").rows == before
    assert scene.store.peek_value("main", "k") == b"1"
    assert (scene.new_lines(), scene.events()) == ([], [])
    assert handles_in(answer) == []


@pytest.mark.parametrize("name", sorted(GENE_CALLS))
def test_every_call_of_a_gene_makes_the_checks(name: str, scene: Scene) -> None:
    """B69 (ACC-4, ACC-7, ACC-8): who calls, what comes in, and the scope, each before anything is done."""
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "CACHE", CLOSED)
    json_delete = b'{"key":"k"}'
    good: tuple[Any, ...]
    good, bad = {
        "read_memory": (("k",), ("",)),
        "write_memory": (("k", b"2", "CACHE"), ("", b"2", "CACHE")),
        "query_memory": ((), ({"limit": 0},)),
        "delete_memory": (("k",), ("",)),
        "call_json": (("deleteMemory", json_delete), ("deleteMemory", b'{"key":""}')),
    }[name]
    for gene, arguments, code in (
        (NAMELESS, good, "MEMORY_ACCESS_DENIED"),
        (NAMELESS, bad, "MEMORY_ACCESS_DENIED"),
        (STRANGER, bad, "MEMORY_INVALID_INPUT"),
        (CREATOR, bad, "MEMORY_INVALID_INPUT"),
    ):
        call = getattr(scene.store.gene_memory("main", gene), name)
        assert code_of(lambda call=call, arguments=arguments: call(*arguments)) == code
    stranger = getattr(scene.store.gene_memory("main", STRANGER), name)
    if name == "query_memory":
        assert stranger(*good) == []
    else:
        assert code_of(lambda: stranger(*good)) == "MEMORY_ACCESS_DENIED"
    assert scene.store.peek_value("main", "k") == b"1"


def test_no_public_object_hands_out_the_database(scene: Scene) -> None:
    """B69 (python-api): neither the package, a store, a memory, an entry nor an error."""
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "CACHE", CLOSED)
    memory = scene.store.gene_memory("main", STRANGER)
    with pytest.raises(AgentMemoryError) as refusal:
        memory.read_memory("k")
    found = [handles_in(one) for one in (rotifer_store, scene.store, memory, refusal.value)]
    assert found == [[], [], [], []]
    for name in rotifer_store.__all__:
        assert handles_in(getattr(rotifer_store, name)) == []


def handles_in(answer: object) -> list[object]:
    """The database connections and cursors that public attributes and items of `answer` lead to."""
    found, waiting, seen = [], [answer], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, str | bytes | int | float | bool | None):
            continue
        seen.add(id(one))
        module = type(one).__module__.partition(".")[0]
        if isinstance(one, sqlite3.Connection | sqlite3.Cursor) or module in ("sqlalchemy", "sqlmodel"):
            found.append(one)
        elif isinstance(one, list | tuple):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif module == "rotifer_store":
            waiting.extend(getattr(one, name) for name in public_names_of(one) if not is_call(one, name))
    return found


def is_call(owner: object, name: str) -> bool:
    return callable(inspect.getattr_static(owner, name, None))


IDS = {
    "none": None,
    "empty": "",
    "v1": "v1:" + "a1" * 32,
    "upper case": "v2:" + "A1" * 32,
    "short": "v2:" + "a1" * 31,
    "long": "v2:" + "a1" * 33,
    "spaces": " v2:" + "a1" * 32,
    "line feed": "v2:" + "a1" * 32 + "\n",
    "full width": "v2:" + "１" * 64,
    "number": 7,
    "bytes": b"v2:" + b"a1" * 32,
}


@pytest.mark.parametrize("given", IDS)
@through_each_door
def test_a_gene_without_a_v2_id_is_refused_every_call_before_all_else(
    door: type[Door], given: str, scene: Scene
) -> None:
    """B70 (ACC-7): the good call and the bad one alike; nothing is stored and each has its line."""
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "CACHE", OPEN)
    scene.new_lines()
    memory = door(scene.store, "main", Gene(IDS[given], "formatter"))  # type: ignore[arg-type]
    calls: list[tuple[str, Callable[[], object]]] = [
        ("read", lambda: memory.read("k")),
        ("read", lambda: memory.read("")),
        ("read", lambda: memory.read("k", "nope")),
        ("query", memory.query),
        ("query", lambda: memory.query({"limit": 0})),
        ("write", lambda: memory.write("new", b"2", "CACHE")),
        ("write", lambda: memory.write("k", bytes(LARGEST_VALUE_BYTES + 1), "CACHE")),
        ("write", lambda: memory.write("", b"2", "cache", None, kept_for(0))),
        ("delete", lambda: memory.delete("k")),
        ("delete", lambda: memory.delete("\ud800")),
    ]
    for _, call in calls:
        assert code_of(call) == "MEMORY_ACCESS_DENIED"
    lines = scene.new_lines()
    assert [(line["operation"], line["gene_id"]) for line in lines] == [(name, None) for name, _ in calls]
    assert {line["action"] for line in lines} == {"memory_access_denied"}
    assert len(scene.events()) == len(calls)
    assert (scene.keys(), scene.store.peek_value("main", "k")) == (["k"], b"1")


@pytest.mark.parametrize("name", ["readMemory", "writeMemory", "queryMemory", "deleteMemory"])
@pytest.mark.parametrize(
    "request_bytes", [b"", b"{", b"[]", b"\xff", b'{"nope":1}', b'{"key":"k"}'], ids=ascii
)
def test_a_request_of_a_gene_without_a_v2_id_is_not_even_read(
    request_bytes: bytes, name: str, scene: Scene
) -> None:
    """B70 (ACC-7, HST-7): what is no JSON is denied like the rest."""
    memory = scene.store.gene_memory("main", NAMELESS)
    assert code_of(lambda: memory.call_json(name, request_bytes)) == "MEMORY_ACCESS_DENIED"
    assert [(line["action"], line["key"]) for line in scene.new_lines()] == [("memory_access_denied", None)]


def test_an_object_for_a_policy_is_checked_like_a_mapping(scene: Scene) -> None:
    """B68 (ACC-1, ACC-3): a typed policy is no way round the checks."""
    memory = scene.store.gene_memory("main", CREATOR)
    for policy, code in (
        (AccessPolicy("DEPLOYER_CONFIGURED", "ALL_GENES", "PRIVATE"), "MEMORY_ACCESS_DENIED"),
        (AccessPolicy("ALL_GENES", "ALL_GENES", "KNOWLEDGE_GENE"), "MEMORY_ACCESS_DENIED"),
        (AccessPolicy("EVERYBODY", "ALL_GENES", "PRIVATE"), "MEMORY_INVALID_INPUT"),
        (AccessPolicy(None, "ALL_GENES", "PRIVATE"), "MEMORY_INVALID_INPUT"),
    ):
        with pytest.raises(RotiferStoreError) as refusal:
            memory.write_memory("k", b"1", "CACHE", policy)
        assert refusal.value.code == code
    assert scene.keys() == []
