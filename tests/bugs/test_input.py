"""Reported faults of input: values and keys taken for something that they are not."""

from __future__ import annotations

import json
from array import array
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from bugs.scene import (
    CREATOR,
    OPEN,
    Door,
    Members,
    PythonDoor,
    Scene,
    code_of,
    kept_for,
    through_each_door,
)
from rotifer_store import AccessPolicy, DataPolicy, MemoryFilter, RetentionPolicy

HOSTILE_PREFIXES = {
    "a_": ["a_b"],
    "%": [],
    "\\": [],
    "a%": ["a%b"],
    "a\\": ["a\\b"],
    "[a]": ["[a]x"],
    "[": ["[a]x"],
    "*": [],
    "?": [],
    "A": ["A_B"],
    "a": ["a\\b", "a%b", "axb", "a_b"],
    "": ["[a]x", "A_B", "a\\b", "a%b", "axb", "a_b"],
}


@pytest.mark.parametrize("prefix", HOSTILE_PREFIXES)
@pytest.mark.parametrize("category", [None, "CACHE"])
@through_each_door
def test_a_prefix_means_its_own_characters(
    door: type[Door], category: str | None, prefix: str, scene: Scene
) -> None:
    """B72 (INP-3): no character of it is a pattern, with a category beside it or without."""
    memory = door(scene.store, "main", CREATOR)
    for key in ("a_b", "axb", "a%b", "a\\b", "A_B", "[a]x"):
        memory.write(key, b"", "CACHE")
    memory.write("a_b of another category", b"", "PATTERN")
    asked = {"keyPrefix": prefix} | ({} if category is None else {"category": category})
    found = [entry["key"] for entry in memory.query(asked)]
    assert [key for key in found if len(key) < 5] == HOSTILE_PREFIXES[prefix]
    assert ("a_b of another category" in found) is (category is None and "a_b".startswith(prefix))


@pytest.mark.parametrize("key", ["\0", "\0a", "a\0b", "a\0"], ids=ascii)
@through_each_door
def test_a_key_with_a_nul_is_no_key_and_never_a_shorter_one(door: type[Door], key: str, scene: Scene) -> None:
    """B73 (INP-1, INP-3): on all calls; as a prefix it is no shorter prefix either."""
    memory = door(scene.store, "main", CREATOR)
    memory.write("a", b"1", "CACHE")
    for call in (
        lambda: memory.write(key, b"2", "CACHE"),
        lambda: memory.read(key),
        lambda: memory.delete(key),
        lambda: scene.store.delete_memory("main", key=key),
        lambda: scene.store.peek_value("main", key),
    ):
        assert code_of(call) == "MEMORY_INVALID_INPUT"
    assert memory.query({"keyPrefix": key}) == []
    assert scene.store.peek_value("main", "a") == b"1"


@pytest.mark.parametrize("value", [b"\0", b"a\0b", b"\0" * 1_000, b"a\0"], ids=ascii)
@through_each_door
def test_a_value_is_not_cut_at_a_nul(door: type[Door], value: bytes, scene: Scene) -> None:
    """B73 (INP-2): from each way out of the store."""
    memory = door(scene.store, "main", CREATOR)
    memory.write("k", value, "CACHE")
    assert memory.read("k")["value"] == b64encode(value).decode()
    assert memory.query()[0]["value"] == b64encode(value).decode()
    assert scene.store.peek_value("main", "k") == value
    assert scene.store.list_memory("main")[0].size_bytes == 1 + len(value)


SURROGATES = ["\ud800", "a\udfff", "\udc00b", "\udfff\ud800"]


@pytest.mark.parametrize("text", SURROGATES, ids=ascii)
@through_each_door
def test_a_lone_surrogate_is_refused_wherever_text_comes_in(
    door: type[Door], text: str, scene: Scene
) -> None:
    """B75 (INP-1, INP-3, ENT-6): JSON can spell it, UTF-8 cannot; never a traceback."""
    memory = door(scene.store, "main", CREATOR)
    for call in (
        lambda: memory.write(text, b"", "CACHE"),
        lambda: memory.read(text),
        lambda: memory.delete(text),
        lambda: memory.read("k", text),
        lambda: memory.write("k", b"", text),
        lambda: memory.write("k", b"", "CACHE", OPEN | {"readScope": text}),
        lambda: memory.write("k", b"", "CACHE", OPEN | {text: "ALL_GENES"}),
        lambda: memory.write("k", b"", "CACHE", retention=kept_for(text)),
        *(lambda name=name: memory.query({name: text}) for name in ("keyPrefix", "since", "category")),
        lambda: memory.query({text: 1}),
        lambda: scene.store.delete_memory("main", key=text),
        lambda: scene.store.delete_memory("main", category=text),
        lambda: scene.store.list_memory("main", text),
        lambda: scene.store.peek_value("main", text),
        lambda: scene.store.audit_records(since=text),
    ):
        assert code_of(call) == "MEMORY_INVALID_INPUT"
    assert scene.new_lines() == []


def test_a_pair_of_surrogates_in_json_is_one_character(scene: Scene) -> None:
    """B75 (INP-1): that is how JSON spells what lies beyond the first 65 536."""
    memory = scene.store.gene_memory("main", CREATOR)
    memory.call_json("writeMemory", rb'{"key":"\ud83d\ude00","value":"","category":"CACHE"}')
    assert scene.keys() == ["😀"]
    assert scene.store.memory_usage("main").used_bytes == 4


@pytest.mark.parametrize(
    "key", [" ", "/", "//", "../../x", "'; DROP TABLE", "k" * 1_024, "-", "."], ids=ascii
)
@through_each_door
def test_an_odd_key_is_kept_as_it_is(door: type[Door], key: str, scene: Scene, tmp_path: Path) -> None:
    """B76 (INP-1): no trimming, no path, no SQL; and no file of that name anywhere."""
    memory = door(scene.store, "main", CREATOR)
    files_before = sorted(path for path in tmp_path.rglob("*"))
    assert memory.write(key, b"1", "CACHE")["key"] == key
    assert [entry["key"] for entry in memory.query()] == scene.keys() == [key]
    assert memory.read(key)["key"] == key
    assert sorted(path for path in tmp_path.rglob("*")) == files_before
    memory.delete(key)
    assert scene.keys() == []


@through_each_door
def test_an_empty_value_is_a_value(door: type[Door], scene: Scene, tmp_path: Path) -> None:
    """B77 (INP-2, AGT-3): zero bytes long on every way out, never null and never absent."""
    memory = door(scene.store, "main", CREATOR)
    assert memory.write("k", b"", "PATTERN")["value"] == ""
    assert memory.read("k")["value"] == ""
    assert [entry["value"] for entry in memory.query()] == [""]
    assert [(info.key, info.size_bytes) for info in scene.store.list_memory("main")] == [("k", 1)]
    assert scene.store.memory_usage("main").used_bytes == 1
    assert scene.store.peek_value("main", "k") == b""
    assert scene.store.export_memory("main", tmp_path / "box") == 1
    scene.store.delete_memory("main", key="k")
    assert scene.store.import_memory("main", tmp_path / "box") == 1
    assert memory.read("k")["value"] == ""


NO_BYTES = ["text", "", [], [104, 105], (104,), 0, 1, -1, 1.5, None, True, False, {}, {"hex": "00"}]


@pytest.mark.parametrize("value", [*NO_BYTES, array("H", [1]), range(3), object], ids=repr)
@pytest.mark.parametrize("key", ["old", "new"])
def test_a_value_of_another_type_is_refused(key: str, value: object, scene: Scene) -> None:
    """B80 (INP-2): nothing is made into bytes that is none, and what was there stays."""
    door = PythonDoor(scene.store, "main", CREATOR)
    old = door.write("old", b"1", "CACHE")
    scene.new_lines()
    assert code_of(lambda: door.write(key, value, "CACHE")) == "MEMORY_INVALID_INPUT"
    assert (door.query(), scene.new_lines()) == ([old], [])


@pytest.mark.parametrize("value", [[104], 1, None, True, {}, "a", "YQ", "YQ=", "YQ==\n", " YQ==", "Y Q=="])
@pytest.mark.parametrize("key", ["old", "new"])
def test_a_json_value_that_is_not_padded_base64_is_refused(key: str, value: object, scene: Scene) -> None:
    """B80 (ENT-1, INP-2): the same through the JSON door, whose bytes are text."""
    memory = scene.store.gene_memory("main", CREATOR)
    memory.write_memory("old", b"1", "CACHE")
    scene.new_lines()
    request = json.dumps({"key": key, "value": value, "category": "CACHE"}).encode()
    assert code_of(lambda: memory.call_json("writeMemory", request)) == "MEMORY_INVALID_INPUT"
    assert (scene.keys(), scene.new_lines()) == (["old"], [])


LOOSE_POLICIES: dict[str, Any] = {
    "true days": kept_for(True),
    "days as text": kept_for("7"),
    "a half day": kept_for(7.5),
    "not a number": kept_for(float("nan")),
    "flag 1": kept_for(1, auto_delete=1),
    "flag as text": kept_for(1, auto_delete="false"),
    "flag null": kept_for(1, auto_delete=None),
    "other flag 0": kept_for(1, anonymized=0),
    "extra member": kept_for(1) | {"note": 1},
    "missing member": {"maxRetentionDays": 1, "autoDeleteOnTermination": False},
    "snake case": {
        "max_retention_days": 1,
        "autoDeleteOnTermination": False,
        "anonymizationSupported": False,
    },
    "empty": {},
    "list": [1, False, False],
    "text": "7",
    "false": False,
    "zero": 0,
}


@pytest.mark.parametrize("policy", LOOSE_POLICIES)
@through_each_door
def test_a_retention_policy_is_not_read_loosely(door: type[Door], policy: str, scene: Scene) -> None:
    """B81 (POL-1, POL-2): no truth value is a number, no text a flag; nothing is written."""
    memory = door(scene.store, "main", CREATOR)
    loose = LOOSE_POLICIES[policy]
    assert code_of(lambda: memory.write("k", b"", "CACHE", retention=loose)) == "MEMORY_INVALID_INPUT"
    assert code_of(lambda: scene.store.set_data_policy("main", loose)) == "MEMORY_INVALID_INPUT"
    assert (scene.keys(), scene.new_lines()) == ([], [])


LOOSE_FILTERS: dict[str, Members] = {
    "limit true": {"limit": True},
    "limit as text": {"limit": "7"},
    "limit not a number": {"limit": float("nan")},
    "limit null": {"limit": None},
    "unknown member": {"offset": 1},
    "snake case": {"key_prefix": "k"},
    "lower case": {"category": "cache"},
    "category number": {"category": 0},
    "prefix number": {"keyPrefix": 1},
    "since number": {"since": 1_767_225_600},
    "since true": {"since": True},
}


@pytest.mark.parametrize("asked", LOOSE_FILTERS)
@through_each_door
def test_a_filter_is_not_read_loosely(door: type[Door], asked: str, scene: Scene) -> None:
    """B81 (INP-3, ENT-6)."""
    memory = door(scene.store, "main", CREATOR)
    assert code_of(lambda: memory.query(LOOSE_FILTERS[asked])) == "MEMORY_INVALID_INPUT"


@pytest.mark.parametrize("filter", [[], "CACHE", 1, True, [("limit", 1)]], ids=repr)
def test_a_filter_that_is_no_object_is_refused(filter: object, scene: Scene) -> None:
    """B81 (INP-3)."""
    door = PythonDoor(scene.store, "main", CREATOR)
    assert code_of(lambda: door.query(filter)) == "MEMORY_INVALID_INPUT"


@pytest.mark.parametrize(
    "request_text",
    [
        '{"limit":NaN}',
        '{"limit":Infinity}',
        '{"limit":1,"limit":1}',
        "[]",
        "null",
        '"limit"',
        "{'limit':1}",
        '{"limit":1}{"limit":1}',
        '{"limit":1',
        "\ufeff{}",
    ],
)
def test_a_request_that_is_no_json_object_is_refused(request_text: str, scene: Scene) -> None:
    """B81 (INP-3, HST-5): the door of other languages takes JSON and nothing that looks like it."""
    memory = scene.store.gene_memory("main", CREATOR)
    code = code_of(lambda: memory.call_json("queryMemory", request_text.encode()))
    assert code == "MEMORY_INVALID_INPUT"


def test_typed_values_are_checked_like_mappings(scene: Scene) -> None:
    """B81 (POL-1, INP-3): Python does not check what a dataclass is given, so the store does."""
    memory = scene.store.gene_memory("main", CREATOR)
    loose: Any
    for loose in (RetentionPolicy(True, False, False), RetentionPolicy("7", False, False)):
        assert code_of(
            lambda loose=loose: memory.write_memory("k", b"", "CACHE", retention_policy=loose)
        ) == ("MEMORY_INVALID_INPUT")
    for loose in (DataPolicy(1.5), DataPolicy(1, 1), DataPolicy(1, False, None)):
        assert code_of(lambda loose=loose: scene.store.set_data_policy("main", loose)) == (
            "MEMORY_INVALID_INPUT"
        )
    for loose in (MemoryFilter(limit=True), MemoryFilter(category="cache"), MemoryFilter(key_prefix=1)):
        assert code_of(lambda loose=loose: memory.query_memory(loose)) == "MEMORY_INVALID_INPUT"
    policy: Any = AccessPolicy(1, "ALL_GENES", "PRIVATE")
    assert code_of(lambda: memory.write_memory("k", b"", "CACHE", policy)) == "MEMORY_INVALID_INPUT"
    assert scene.keys() == []
