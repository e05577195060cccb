"""Reported faults of limits: quotas that are advice, lists and answers cut in silence, bytes miscounted."""

from __future__ import annotations

import json
import os
import random
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bugs.scene import (
    CREATOR,
    LARGEST_VALUE_BYTES,
    Door,
    Members,
    PythonDoor,
    Scene,
    code_of,
    entry_id,
    kept_for,
    lines_of,
    through_each_door,
    write_lines,
)
from rotifer_store import MemoryFilter, MemoryNotFound, MemoryQuotaExceeded

SEEDS = range(8) if os.environ.get("CI") else range(2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_random_changes_never_end_over_the_quota(seed: int, scene: Scene) -> None:
    """B47 (QUO-1): after each, what lies there is within the quota and is what the counters say."""
    dice = random.Random(seed)
    quota_bytes = 2_000
    scene.store.set_memory_quota("main", quota_bytes)
    memory = scene.store.gene_memory("main", CREATOR)
    keys = [f"{letter}{number}" for letter in ("k", "é", "あ", "😀") for number in range(8)]
    fullest_bytes, outcomes = 0, Counter[str]()
    for _ in range(1_000):
        key, category = dice.choice(keys), dice.choice(["PREFERENCE", "PATTERN", "CONTEXT", "CACHE", "CACHE"])
        outcome = "done"
        try:
            match dice.choices(["write", "delete", "take", "advance"], [75, 15, 5, 5])[0]:
                case "write":
                    retention = dice.choice([None, None, kept_for(1)])
                    value = bytes(dice.choice([0, 1, 30, 100, 300, 600]))
                    memory.write_memory(key, value, category, retention_policy=retention)
                case "delete":
                    memory.delete_memory(key)
                case "take":
                    scene.store.delete_memory("main", key=key)
                case "advance":
                    scene.clock.advance(30_000)
        except (MemoryQuotaExceeded, MemoryNotFound) as refusal:
            outcome = refusal.code
        outcomes[outcome] += 1
        held = memory.query_memory(MemoryFilter(limit=1_000))
        held_bytes = sum(len(entry.key.encode()) + len(entry.value) for entry in held)
        usage = scene.store.memory_usage("main")
        assert held_bytes == usage.used_bytes == sum(part.bytes for part in usage.by_category.values())
        assert held_bytes <= quota_bytes
        fullest_bytes = max(fullest_bytes, held_bytes)
    assert fullest_bytes > 0.95 * quota_bytes
    assert min(outcomes["done"], outcomes["MEMORY_QUOTA_EXCEEDED"], outcomes["MEMORY_NOT_FOUND"]) > 0
    assert {"memory_evict", "memory_expire", "memory_update"} <= set(scene.new_actions())


OVERSTEPS: dict[str, tuple[Members, str, list[str]]] = {
    "value": ({"value": bytes(LARGEST_VALUE_BYTES + 1)}, "MEMORY_INVALID_INPUT", []),
    "key": ({"key": "k" * 1_025}, "MEMORY_INVALID_INPUT", []),
    "key in bytes": ({"key": "あ" * 342}, "MEMORY_INVALID_INPUT", []),
    "quota": ({"value": bytes(1_000_000)}, "MEMORY_QUOTA_EXCEEDED", ["memory_quota_refused"]),
    "days": ({"retention": kept_for(31)}, "MEMORY_ACCESS_DENIED", ["memory_access_denied"]),
    "no limit of days": ({"retention": kept_for(None)}, "MEMORY_ACCESS_DENIED", ["memory_access_denied"]),
}
LIMITED: Members = {"memory_quota_bytes": 1_000_000, "data_policy": kept_for(30)}


@pytest.mark.parametrize("step", OVERSTEPS)
@through_each_door
def test_a_write_over_a_limit_is_refused_by_each_door(door: type[Door], step: str, scene: Scene) -> None:
    """B48 (INP-1, INP-2, QUO-5, POL-3): one code, one line for what the rules record, nothing stored."""
    change, code, lines = OVERSTEPS[step]
    scene.store.create_agent("limited", **LIMITED)
    scene.new_lines()
    entry: Members = {"key": "k", "value": b"1", "category": "CACHE", "retention": kept_for(30)} | change
    memory = door(scene.store, "limited", CREATOR)
    assert code_of(lambda: memory.write(**entry)) == code
    assert (scene.keys("limited"), scene.new_actions()) == ([], lines)


@pytest.mark.parametrize("step", OVERSTEPS)
def test_an_import_over_a_limit_is_refused_as_a_write_is(step: str, scene: Scene, tmp_path: Path) -> None:
    """B48 (AGT-6): the second way in keeps the same limits, and takes all of a file or nothing."""
    change, code, lines = OVERSTEPS[step]
    scene.store.create_agent("limited", **LIMITED)
    exported = export_with(scene, tmp_path, change)
    scene.new_lines()
    assert code_of(lambda: scene.store.import_memory("limited", exported, copy_private=True)) == code
    assert (scene.keys("limited"), scene.new_actions()) == ([], lines)


@pytest.mark.parametrize("step", ["value", "key", "key in bytes"])
def test_a_moved_agent_brings_no_entry_that_cannot_be(step: str, scene: Scene, tmp_path: Path) -> None:
    """B48 (AGT-6, INP): room is never lacking there, but keys and values keep their bounds."""
    exported = export_with(scene, tmp_path, OVERSTEPS[step][0])
    (tmp_path / "elsewhere").mkdir()
    other = Scene(tmp_path / "elsewhere")
    assert code_of(lambda: other.store.import_agent(exported)) == "MEMORY_INVALID_INPUT"
    assert other.store.agents() == []
    other.store.close()


@pytest.mark.parametrize("days", [31, None], ids=["more", "no-limit"])
def test_an_agents_own_entries_come_back_whatever_its_data_policy_says_now(
    days: int | None, scene: Scene, tmp_path: Path
) -> None:
    """B48 (AGT-6): the one path that the data policy does not bind."""
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "PATTERN", retention=kept_for(days))
    scene.store.set_data_policy("main", kept_for(30))
    scene.store.export_memory("main", tmp_path / "box")
    scene.store.delete_memory("main", key="k")
    assert scene.store.import_memory("main", tmp_path / "box") == 1
    assert scene.keys() == ["k"]


def export_with(scene: Scene, folder: Path, change: Members) -> Path:
    """A file of the agent `main` with a sound entry and one that is changed as an overstepping write is."""
    writer = PythonDoor(scene.store, "main", CREATOR)
    for key in ("sound", "changed"):
        writer.write(key, b"1", "PATTERN", retention=kept_for(30))
    scene.store.export_memory("main", folder / "box")
    header, sound, entry = lines_of(folder / "box")
    key = change.get("key", "changed")
    entry |= {
        "key": key,
        "entryId": entry_id(header["agent"]["id"], key),
        "value": b64encode(change.get("value", b"1")).decode(),
        "retentionPolicy": change.get("retention", kept_for(30)),
    }
    return write_lines(folder / "changed", [header, sound, entry])


def test_no_list_is_cut_without_a_word(scene: Scene) -> None:
    """B49 (INP-3, AGT-3, AGT-4): a query says how many it gives; listing and deleting know no cap."""
    door = PythonDoor(scene.store, "main", CREATOR)
    keys = [f"k{number:04}" for number in range(1_500)]
    for key in keys:
        door.write(key, b"", "CACHE")
    newest_first = keys[::-1]
    assert [entry["key"] for entry in door.query()] == newest_first[:100]
    assert [entry["key"] for entry in door.query({"limit": 1_000})] == newest_first[:1_000]
    assert [entry["key"] for entry in door.query({"limit": 1_000, "keyPrefix": "k"})] == newest_first[:1_000]
    for limit in (1_001, 0, -1, 1.5, True):
        assert code_of(lambda limit=limit: door.query({"limit": limit})) == "MEMORY_INVALID_INPUT"
    assert [info.key for info in scene.store.list_memory("main")] == newest_first
    assert [info.key for info in scene.store.list_memory("main", "CACHE")] == newest_first
    assert scene.store.browse_memory("main", limit=10).total == 1_500
    scene.new_lines()
    assert scene.store.delete_memory("main", category="CACHE") == 1_500
    assert [line["key"] for line in scene.new_lines()] == keys
    assert scene.store.memory_usage("main").used_bytes == 0


@through_each_door
@pytest.mark.parametrize("prefix", [None, "m"], ids=["all", "prefix"])
def test_an_answer_is_whole_or_refused_whatever_its_encoding_adds(
    prefix: str | None, door: type[Door], scene: Scene
) -> None:
    """B50 (INP-5): 4 MiB of keys and values; base64 makes a third more of them, and that does not count."""
    memory = door(scene.store, "main", CREATOR)
    members = {} if prefix is None else {"keyPrefix": prefix}
    for number in range(4):
        memory.write(f"m{number}", bytes(LARGEST_VALUE_BYTES), "PATTERN")
    newest = memory.query(members | {"limit": 3})
    assert [(entry["key"], len(entry["value"])) for entry in newest] == [
        (f"m{number}", 4 * ((LARGEST_VALUE_BYTES + 2) // 3)) for number in (3, 2, 1)
    ]
    assert code_of(lambda: memory.query(members | {"limit": 4})) == "MEMORY_INVALID_INPUT"
    assert code_of(lambda: memory.query(members)) == "MEMORY_INVALID_INPUT"

    for number in range(4):
        memory.write(f"m{number}", bytes(LARGEST_VALUE_BYTES - 2), "PATTERN")
    assert len(memory.query(members)) == 4
    memory.write("m0", bytes(LARGEST_VALUE_BYTES - 1), "PATTERN")
    assert code_of(lambda: memory.query(members)) == "MEMORY_INVALID_INPUT"


@pytest.mark.parametrize(
    ("character", "count", "size_bytes"),
    [("あ", 341, 1_023), ("😀", 256, 1_024), ("é", 512, 1_024), ("e\u0301", 341, 1_023), ("k", 1_024, 1_024)],
    ids=ascii,
)
@through_each_door
def test_a_key_is_as_long_as_its_bytes(
    door: type[Door], character: str, count: int, size_bytes: int, scene: Scene
) -> None:
    """B51 (INP-1, QUO-1): the bound and the quota count UTF-8, whatever way JSON spells the characters."""
    memory = door(scene.store, "main", CREATOR)
    key = character * count
    longest = key + "a" * (1_024 - size_bytes)
    memory.write(longest, b"", "CACHE")
    assert scene.store.memory_usage("main").used_bytes == 1_024
    assert scene.store.list_memory("main")[0].size_bytes == 1_024
    for call in (
        lambda: memory.write(longest + "a", b"", "CACHE"),
        lambda: memory.write(key + character, b"", "CACHE"),
        lambda: memory.read(longest + "a"),
        lambda: memory.delete(longest + "a"),
    ):
        assert code_of(call) == "MEMORY_INVALID_INPUT"
    assert scene.keys() == [longest]


def test_a_refused_write_evicts_nothing_on_its_way(scene: Scene) -> None:
    """B54 (QUO-5): the CACHE entry would have gone and still not made room enough."""
    scene.store.set_memory_quota("main", 1_048_576)
    door = PythonDoor(scene.store, "main", CREATOR)
    door.write("preference", bytes(900 * 1_024), "PREFERENCE")
    door.write("cache", bytes(50 * 1_024), "CACHE")
    scene.new_lines()
    assert code_of(lambda: door.write("new", bytes(500 * 1_024), "CACHE")) == "MEMORY_QUOTA_EXCEEDED"
    (line,) = scene.new_lines()
    assert (line["action"], line["key"], line["bytes"]) == ("memory_quota_refused", "new", 500 * 1_024)
    assert scene.keys() == ["cache", "preference"]
    assert door.read("cache")["value"] == b64encode(bytes(50 * 1_024)).decode()


@through_each_door
def test_an_entry_whose_category_is_rewritten_counts_once_and_is_kept_by_the_new_one(
    door: type[Door], scene: Scene
) -> None:
    """B57 (CAT-1, QUO-4): from CACHE, which goes first, to PREFERENCE, which never goes."""
    scene.store.set_memory_quota("main", 100)
    memory = door(scene.store, "main", CREATOR)
    memory.write("k", bytes(19), "CACHE")
    memory.write("l", bytes(19), "CACHE")
    scene.new_lines()
    memory.write("k", bytes(19), "PREFERENCE")
    (line,) = scene.new_lines()
    assert (line["action"], line["old_category"], line["category"]) == (
        "memory_update",
        "CACHE",
        "PREFERENCE",
    )
    by_category: Any = scene.store.memory_usage("main").by_category
    assert {name: (part.entries, part.bytes) for name, part in by_category.items()} == {
        "CACHE": (1, 20),
        "PATTERN": (0, 0),
        "CONTEXT": (0, 0),
        "PREFERENCE": (1, 20),
    }
    memory.write("m", bytes(79), "PATTERN")
    assert scene.keys() == ["m", "k"]
    assert code_of(lambda: memory.write("n", bytes(99), "PREFERENCE")) == "MEMORY_QUOTA_EXCEEDED"
    memory.write("n", bytes(79), "CACHE")
    assert scene.keys() == ["n", "k"]


@pytest.mark.parametrize("size_bytes", [0, 1, 2, LARGEST_VALUE_BYTES - 1, LARGEST_VALUE_BYTES])
@through_each_door
def test_a_value_comes_back_whole_or_was_never_taken(
    door: type[Door], size_bytes: int, scene: Scene, tmp_path: Path
) -> None:
    """B60 (INP-2): of every length and with all 256 bytes, from each way out."""
    value = (bytes(range(256)) * (size_bytes // 256 + 1))[:size_bytes]
    told = b64encode(value).decode()
    memory = door(scene.store, "main", CREATOR)
    assert memory.write("k", value, "PATTERN")["value"] == told
    assert memory.read("k")["value"] == told
    assert [entry["value"] for entry in memory.query({"keyPrefix": "k"})] == [told]
    assert scene.store.peek_value("main", "k") == value
    scene.store.export_memory("main", tmp_path / "box")
    assert json.loads((tmp_path / "box").read_bytes().splitlines()[1])["value"] == told
    too_large = bytes(LARGEST_VALUE_BYTES + 1)
    assert code_of(lambda: memory.write("k", too_large, "PATTERN")) == "MEMORY_INVALID_INPUT"
    assert scene.store.peek_value("main", "k") == value
