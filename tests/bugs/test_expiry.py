"""Reported faults of expiry and clocks: entries that live too long, too briefly, or on one path only."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bugs.scene import (
    CLOSED,
    CREATOR,
    DAY_S,
    LARGEST_DAYS,
    SIBLING,
    START_US,
    STRANGER,
    Door,
    PythonDoor,
    Scene,
    code_of,
    entry_id,
    kept_for,
    lines_of,
    through_each_door,
    write_lines,
)
from rotifer_console import run_agent
from rotifer_store import BrowseFilter, Gene, MemoryFilter, RetentionPolicy

ONE_DAY = kept_for(1)
MASS = 100_000 if os.environ.get("CI") else 4_000
PATH_OF_NO_REMOVAL = (
    *("browse", "usage", "peek", "orphans", "export"),
    *("forecast", "access", "find"),
)


def test_a_mass_of_expired_entries_goes_once_with_a_line_each(scene: Scene, tmp_path: Path) -> None:
    """B05 (POL-6): whoever comes first removes them, a writer beside it waits, nobody does it twice."""
    PythonDoor(scene.store, "main", CREATOR).write("seed", b"1", "CACHE", retention=ONE_DAY)
    scene.store.export_memory("main", tmp_path / "seed", include_cache=True)
    scene.store.delete_memory("main", key="seed")
    header, seed = lines_of(tmp_path / "seed")
    keys = [f"k{number:06}" for number in range(MASS)]
    entries = [
        seed
        | {
            "key": key,
            "entryId": entry_id(header["agent"]["id"], key),
            "retentionPolicy": ONE_DAY if number < MASS // 2 else None,
        }
        for number, key in enumerate(keys)
    ]
    filled = write_lines(tmp_path / "filled", [header | {"entries": MASS}, *entries])
    assert scene.store.import_memory("main", filled) == MASS
    scene.new_lines()
    scene.clock.advance(DAY_S)
    start = threading.Barrier(2)

    def act(call: Callable[[Door], object]) -> object:
        with scene.open() as store:
            start.wait()
            return call(PythonDoor(store, "main", CREATOR))

    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(act, lambda door: door.read(keys[0]))
        writing = pool.submit(act, lambda door: door.write("new", b"1", "CACHE"))
        assert reading.result() is None
        assert writing.result() is not None

    lines = scene.new_lines()
    expired = [line["key"] for line in lines if line["action"] == "memory_expire"]
    assert expired == keys[: MASS // 2]
    assert [line["key"] for line in lines if line["action"] != "memory_expire"] == ["new"]

    door = PythonDoor(scene.store, "main", CREATOR)
    assert door.read(keys[1]) is None
    assert door.query({"limit": 1}) != []
    assert len(scene.store.list_memory("main")) == MASS // 2 + 1
    assert scene.store.sweep() == 0
    assert scene.new_lines() == []


class Stage:
    """An agent with `k`, which has expired and still lies in the store, and `alive`, both PATTERN."""

    def __init__(self, scene: Scene, door: type[Door], folder: Path) -> None:
        self.scene, self.folder = scene, folder
        creator = PythonDoor(scene.store, "main", CREATOR)
        self.old = creator.write("k", b"1", "PATTERN", CLOSED, ONE_DAY)
        creator.write("alive", b"1", "PATTERN", CLOSED)
        scene.store.export_memory("main", folder / "before")
        scene.clock.advance(DAY_S)
        scene.new_lines()
        self.door = door(scene.store, "main", CREATOR)
        self.stranger = door(scene.store, "main", STRANGER)
        self.store = scene.store


def keys_of(rows: list[Any]) -> list[str]:
    return [row["key"] if isinstance(row, dict) else row.key for row in rows]


PATHS: dict[str, tuple[Callable[[Stage], object], object]] = {
    "read": (lambda stage: stage.door.read("k"), None),
    "read-category": (lambda stage: stage.door.read("k", "PATTERN"), None),
    "read-by-a-stranger": (lambda stage: stage.stranger.read("k"), None),
    "query": (lambda stage: keys_of(stage.door.query()), ["alive"]),
    "query-category": (lambda stage: keys_of(stage.door.query({"category": "PATTERN"})), ["alive"]),
    "query-prefix": (lambda stage: keys_of(stage.door.query({"keyPrefix": "k"})), []),
    "query-since": (lambda stage: keys_of(stage.door.query({"since": "2026-01-01T00:00:00Z"})), ["alive"]),
    "query-until": (lambda stage: keys_of(stage.door.query({"until": "2026-01-02T00:00:00Z"})), ["alive"]),
    "query-limit": (lambda stage: keys_of(stage.door.query({"limit": 2})), ["alive"]),
    "query-all-members": (
        lambda stage: keys_of(
            stage.door.query(
                {
                    "category": "PATTERN",
                    "keyPrefix": "k",
                    "since": "2026-01-01T00:00:00Z",
                    "until": "2026-01-02T00:00:00Z",
                    "limit": 2,
                }
            )
        ),
        [],
    ),
    "delete": (lambda stage: code_of(lambda: stage.door.delete("k")), "MEMORY_NOT_FOUND"),
    "delete-by-a-stranger": (lambda stage: code_of(lambda: stage.stranger.delete("k")), "MEMORY_NOT_FOUND"),
    "list": (lambda stage: keys_of(stage.store.list_memory("main")), ["alive"]),
    "list-category": (lambda stage: keys_of(stage.store.list_memory("main", "PATTERN")), ["alive"]),
    "browse": (lambda stage: keys_of(stage.store.browse_memory("main").rows), ["alive"]),
    "browse-text": (
        lambda stage: stage.store.browse_memory("main", where=BrowseFilter(text="k")).total,
        0,
    ),
    "usage": (
        lambda stage: (
            stage.store.memory_usage("main").used_bytes,
            stage.store.memory_usage("main").by_category["PATTERN"].entries,
        ),
        (6, 1),
    ),
    "peek": (lambda stage: code_of(lambda: stage.store.peek_value("main", "k")), "MEMORY_NOT_FOUND"),
    "orphans": (lambda stage: keys_of(stage.store.orphans("main", [])), ["alive"]),
    "forecast": (
        lambda stage: (
            stage.store.forecast("main", 1).used_bytes,
            keys_of(stage.store.forecast("main", 10 * 1024 * 1024).evicted),
        ),
        (6, ["alive"]),
    ),
    "access": (lambda stage: keys_of(stage.store.access("main", CREATOR)), ["alive"]),
    "access-to-a-key": (lambda stage: stage.store.access("main", CREATOR, "k")[0].category, None),
    "find": (lambda stage: keys_of(stage.store.find("main", "")), ["alive"]),
    "find-in-values": (lambda stage: keys_of(stage.store.find("main", "1", values=True)), ["alive"]),
    "export": (lambda stage: keys_of(exported(stage)), ["alive"]),
    "export-by-key": (
        lambda stage: code_of(lambda: stage.store.export_memory("main", stage.folder / "x", keys=["k"])),
        "MEMORY_NOT_FOUND",
    ),
    "deployer-delete-key": (
        lambda stage: code_of(lambda: stage.store.delete_memory("main", key="k")),
        "MEMORY_NOT_FOUND",
    ),
    "deployer-delete-keys": (
        lambda stage: code_of(lambda: stage.store.delete_memory("main", keys=["alive", "k"])),
        "MEMORY_NOT_FOUND",
    ),
    "deployer-delete-category": (lambda stage: stage.store.delete_memory("main", category="PATTERN"), 1),
    "sweep": (lambda stage: stage.store.sweep("main"), 1),
}


def exported(stage: Stage) -> list[Any]:
    stage.store.export_memory("main", stage.folder / "after")
    return lines_of(stage.folder / "after")[1:]


@through_each_door
@pytest.mark.parametrize("path", PATHS)
def test_an_expired_entry_is_gone_on_every_path(
    path: str, door: type[Door], scene: Scene, tmp_path: Path
) -> None:
    """B25 (POL-5, POL-6): each path is the first to meet it, so none relies on another's clean-up."""
    call, expected = PATHS[path]
    stage = Stage(scene, door, tmp_path)
    assert call(stage) == expected
    removed = [line["key"] for line in scene.new_lines() if line["action"] == "memory_expire"]
    assert removed == ([] if path.startswith(PATH_OF_NO_REMOVAL) else ["k"])


@through_each_door
@pytest.mark.parametrize(
    "path", [path for path in PATHS if not path.startswith(("delete", "deployer", "sweep"))]
)
def test_a_read_only_store_hides_what_has_expired_and_removes_nothing(
    path: str, door: type[Door], scene: Scene, tmp_path: Path
) -> None:
    """B25 (POL-5, python-api): hidden on the same paths; the next writer finds it and removes it."""
    call, expected = PATHS[path]
    stage = Stage(scene, door, tmp_path)
    with scene.open(read_only=True) as store:
        stage.store = store
        stage.door = door(store, "main", CREATOR)
        stage.stranger = door(store, "main", STRANGER)
        assert call(stage) == expected
    assert scene.new_lines() == []
    assert scene.store.sweep() == 1
    assert scene.new_actions() == ["memory_expire"]


@through_each_door
@pytest.mark.parametrize("gene", [CREATOR, SIBLING, STRANGER], ids=["creator", "sibling", "stranger"])
def test_a_write_over_an_expired_entry_makes_a_new_one(
    gene: Gene, door: type[Door], scene: Scene, tmp_path: Path
) -> None:
    """B25 (POL-5): new creator, birth and policies under the same id, whatever the old scopes said."""
    stage = Stage(scene, door, tmp_path)
    entry = door(scene.store, "main", gene).write("k", b"2", "CACHE")
    assert entry["entryId"] == stage.old["entryId"]
    assert entry["createdBy"] == gene.id
    assert entry["createdAt"] == entry["updatedAt"] == "2026-01-02T00:00:00.000000Z"
    assert (entry["accessPolicy"]["readScope"], entry["retentionPolicy"]) == ("SAME_DOMAIN", None)
    assert scene.new_actions() == ["memory_expire", "memory_write"]


def test_the_place_of_an_expired_entry_is_free_for_an_import(scene: Scene, tmp_path: Path) -> None:
    """B25 (POL-5, AGT-6): an expired key is not "there already", and the expired one is not revived."""
    stage = Stage(scene, PythonDoor, tmp_path)
    scene.store.delete_memory("main", key="alive")
    assert scene.store.import_memory("main", stage.folder / "before") == 1
    assert scene.keys() == ["alive"]


def test_every_door_stores_the_retention_that_a_gene_passes(scene: Scene, tmp_path: Path) -> None:
    """B26 (POL-1): a policy object, a mapping, JSON, and a gene that runs in its agent."""
    policy = kept_for(7, auto_delete=True)
    memory = scene.store.gene_memory("main", CREATOR)
    memory.write_memory("object", b"", "CACHE", retention_policy=RetentionPolicy(7, True, False))
    memory.write_memory("mapping", b"", "CACHE", retention_policy=policy)
    memory.writeMemory("camel", b"", "CACHE", retention_policy=policy)
    request = {"key": "json", "value": "", "category": "CACHE", "retentionPolicy": policy}
    memory.call_json("writeMemory", json.dumps(request).encode())

    folder = scene.project / "genes" / "keeper"
    folder.mkdir(parents=True)
    phenotype = {"domain": "formatter", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
    (folder / "phenotype.json").write_text(json.dumps(phenotype))
    (folder / "index.py").write_text(
        "def express(policy, ctx):\n"
        "    ctx.memory.write_memory('gene', b'', 'CACHE', retention_policy=policy)\n"
    )
    scene.store.create_agent("other", genes=[Gene.from_folder(folder)])
    assert run_agent(scene.store, "other", policy, project=scene.project).failed_step is None

    infos = scene.store.list_memory("main") + scene.store.list_memory("other")
    assert {info.key for info in infos} == {"object", "mapping", "camel", "json", "gene"}
    assert {info.retention_policy for info in infos} == {RetentionPolicy(7, True, False)}
    assert {info.to_json()["retentionPolicy"]["maxRetentionDays"] for info in infos} == {7}


@through_each_door
def test_looking_at_an_entry_never_moves_its_expiry(door: type[Door], scene: Scene, tmp_path: Path) -> None:
    """B27 (POL-8, ENT-4): only the last reader is noted, and neither queries nor the deployer are one."""
    creator, reader = door(scene.store, "main", CREATOR), door(scene.store, "main", STRANGER)
    creator.write("k", b"1", "CACHE", access={**CLOSED, "readScope": "ALL_GENES"}, retention=ONE_DAY)
    (written,) = scene.store.list_memory("main")
    for call in (
        creator.query,
        reader.query,
        lambda: scene.store.list_memory("main"),
        lambda: scene.store.browse_memory("main"),
        lambda: scene.store.peek_value("main", "k"),
        lambda: scene.store.memory_usage("main"),
        lambda: scene.store.export_memory("main", tmp_path / "box", include_cache=True),
    ):
        for _ in range(20):
            scene.clock.advance(60)
            call()
    assert scene.store.list_memory("main") == [written]

    for _ in range(100):
        scene.clock.advance(60)
        assert reader.read("k") is not None
    (read,) = scene.store.list_memory("main")
    assert read.last_accessed_by == STRANGER.id
    assert (read.updated_at, read.expires_at_us) == (written.updated_at, written.expires_at_us)
    assert scene.new_actions() == ["memory_write"]

    scene.clock.advance(DAY_S - 240 * 60)
    assert reader.read("k") is None


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"])
def test_the_machines_time_zone_changes_no_time(
    zone: str, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B29 (ENT-5, ENT-7, INP-5): whatever door wrote, one order and one way to tell a time."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        memory = scene.store.gene_memory("main", CREATOR)
        memory.write_memory("first", b"", "CACHE", retention_policy=ONE_DAY)
        scene.clock.advance(1)
        request = {"key": "second", "value": "", "category": "CACHE", "retentionPolicy": ONE_DAY}
        memory.call_json("writeMemory", json.dumps(request).encode())
        scene.clock.advance(1)
        memory.write_memory("third", b"", "CACHE", retention_policy=ONE_DAY)
        found = json.loads(memory.call_json("queryMemory", b'{"since":"2026-01-01T00:00:00Z"}'))
        assert [(entry["key"], entry["updatedAt"]) for entry in found] == [
            ("third", "2026-01-01T00:00:02.000000Z"),
            ("second", "2026-01-01T00:00:01.000000Z"),
            ("first", "2026-01-01T00:00:00.000000Z"),
        ]
        assert [line["ts"][:19] for line in scene.new_lines()] == [
            f"2026-01-01T00:00:0{second}" for second in range(3)
        ]
        expiries = [info.expires_at for info in scene.store.list_memory("main")]
        assert expiries == [datetime(2026, 1, 2, 0, 0, second, tzinfo=UTC) for second in (2, 1, 0)]
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("source", ["own", "agent"])
def test_the_largest_number_of_days_works_wherever_an_expiry_is_told(
    source: str, scene: Scene, tmp_path: Path
) -> None:
    """B39 (POL-4): an instant that no calendar reaches and that fills more than 64 bits."""
    memory = scene.store.gene_memory("main", CREATOR)
    if source == "own":
        memory.write_memory("k", b"1", "PATTERN", retention_policy=kept_for(LARGEST_DAYS))
    else:
        scene.store.set_data_policy("main", kept_for(LARGEST_DAYS))
        memory.write_memory("k", b"1", "PATTERN")
    exact_us = START_US + LARGEST_DAYS * DAY_S * 1_000_000

    for store in (scene.store, scene.open(), scene.open(read_only=True)):
        (listed,) = store.list_memory("main")
        assert (listed.expires_at, listed.expires_at_us) == (None, exact_us)
        told = json.loads(json.dumps(listed.to_json()))
        assert (told["expiresAt"], told["expiresAtUs"]) == (None, exact_us)
        page = store.browse_memory("main", order="expires", where=BrowseFilter(expires_within_s=10**9))
        assert page.total == 0
        assert store.browse_memory("main", order="expires").rows == [listed]
        assert store.gene_memory("main", CREATOR).read_memory("k") is not None
        assert keys_of(store.gene_memory("main", CREATOR).query_memory(MemoryFilter(limit=1))) == ["k"]
        assert store.memory_usage("main").used_bytes == 2
        assert store.sweep() == 0
        assert store.export_memory("main", tmp_path / "box") == 1
        store.close()

    scene.store = scene.open()
    scene.store.delete_memory("main", key="k")
    assert scene.store.import_memory("main", tmp_path / "box") == 1
    assert scene.store.list_memory("main")[0].expires_at_us == exact_us
    scene.store.set_data_policy("main", kept_for(LARGEST_DAYS, anonymized=True))
    assert keys_of(scene.store.list_memory("main")) == ["k"]


@pytest.mark.parametrize(
    "days", [LARGEST_DAYS + 1, 0, -1, 1.5, "1", True, False, float("nan"), float("inf"), 1e300, [1], {}]
)
def test_a_number_of_days_that_is_none_is_refused_on_every_path(
    days: object, scene: Scene, tmp_path: Path
) -> None:
    """B39 (POL-1, POL-2): by a write, a mapping or an object, by the deployer, and in a moved file."""
    memory = scene.store.gene_memory("main", CREATOR)
    memory.write_memory("k", b"1", "PATTERN", retention_policy=ONE_DAY)
    scene.store.export_memory("main", tmp_path / "box")
    header, entry = lines_of(tmp_path / "box")
    scene.store.delete_memory("main", key="k")
    bad_entry = write_lines(tmp_path / "entry", [header, entry | {"retentionPolicy": kept_for(days)}])
    bad_agent = {**header["agent"], "dataPolicy": kept_for(days)}
    bad_header = write_lines(tmp_path / "header", [header | {"agent": bad_agent}, entry])
    scene.new_lines()
    for call in (
        lambda: memory.write_memory("k", b"1", "PATTERN", retention_policy=kept_for(days)),
        lambda: memory.write_memory(
            "k",
            b"1",
            "PATTERN",
            retention_policy=RetentionPolicy(days, False, False),  # type: ignore[arg-type]
        ),
        lambda: scene.store.set_data_policy("main", kept_for(days)),
        lambda: scene.store.import_memory("main", bad_entry),
        lambda: scene.store.import_memory("main", bad_header),
    ):
        assert code_of(call) == "MEMORY_INVALID_INPUT"
    assert (scene.keys(), scene.new_lines()) == ([], [])


def test_a_day_given_as_one_point_zero_is_one_day(scene: Scene) -> None:
    """B39 (POL-1): JSON cannot tell the two apart, so neither do we."""
    memory = scene.store.gene_memory("main", CREATOR)
    request = b'{"key":"k","value":"","category":"CACHE","retentionPolicy":{"maxRetentionDays":1.0,'
    request += b'"autoDeleteOnTermination":false,"anonymizationSupported":false}}'
    told = json.loads(memory.call_json("writeMemory", request))["retentionPolicy"]["maxRetentionDays"]
    assert (told, type(told)) == (1, int)
    scene.clock.advance(DAY_S)
    assert memory.read_memory("k") is None


def test_a_clock_that_jumps_a_day_and_back_revives_nothing_and_keeps_the_order(scene: Scene) -> None:
    """B40 (ENT-7, POL-5, REC): the order of the writes decides, whatever the times beside them say."""
    scene.store.set_memory_quota("main", 60)
    door = PythonDoor(scene.store, "main", CREATOR)
    door.write("brief", b"1", "CACHE", retention=ONE_DAY)
    door.write("before", b"1", "CACHE")
    scene.clock.advance(DAY_S)
    door.write("between", b"1", "CACHE", retention=ONE_DAY)
    assert scene.keys() == ["between", "before"]
    scene.clock.advance(-DAY_S)
    assert door.read("brief") is None
    door.write("after", b"1", "CACHE")
    door.write("brief", b"2", "CACHE", retention=ONE_DAY)
    door.write("before", b"2", "CACHE")
    assert keys_of(door.query()) == scene.keys() == ["before", "brief", "after", "between"]
    assert door.read("between")["updatedAt"] > door.read("before")["updatedAt"]

    door.write("large", b"1" * 32, "CACHE")
    lines = scene.new_lines()
    assert [line["key"] for line in lines if line["action"] == "memory_evict"] == ["between"]
    assert [line["ts"] for line in lines] != sorted(line["ts"] for line in lines)
    assert [line["seq"] for line in lines] == list(range(lines[0]["seq"], lines[0]["seq"] + len(lines)))

    scene.clock.advance(DAY_S)
    assert door.read("brief") is None
    scene.clock.advance(-2 * DAY_S)
    assert door.read("brief") is None
    assert keys_of(door.query()) == ["large", "before", "after"]
    door.delete("before")
    assert scene.store.delete_memory("main", category="CACHE") == 2


ALIVE: dict[str, Callable[[Scene], bool]] = {
    "read": lambda scene: PythonDoor(scene.store, "main", CREATOR).read("k") is not None,
    "query": lambda scene: PythonDoor(scene.store, "main", CREATOR).query() != [],
    "query-prefix": lambda scene: PythonDoor(scene.store, "main", CREATOR).query({"keyPrefix": "k"}) != [],
    "list": lambda scene: scene.store.list_memory("main") != [],
    "browse": lambda scene: scene.store.browse_memory("main").total == 1,
    "usage": lambda scene: scene.store.memory_usage("main").used_bytes == 2,
    "peek": lambda scene: code_of(lambda: scene.store.peek_value("main", "k")) is None,
    "orphans": lambda scene: scene.store.orphans("main", []) != [],
    "forecast": lambda scene: scene.store.forecast("main", 1).used_bytes == 2,
    "access": lambda scene: scene.store.access("main", CREATOR) != [],
    "access-to-a-key": lambda scene: scene.store.access("main", CREATOR, "k")[0].category is not None,
    "find": lambda scene: scene.store.find("main", "k") != [],
    "find-in-values": lambda scene: scene.store.find("main", "2", values=True) != [],
    "export": lambda scene: scene.store.export_memory("main", scene.project / "box") == 1,
    "delete": lambda scene: code_of(lambda: PythonDoor(scene.store, "main", CREATOR).delete("k")) is None,
    "deployer-delete": lambda scene: scene.store.delete_memory("main", category="PATTERN") == 1,
    "sweep": lambda scene: scene.store.sweep() == 0,
    "restart": lambda scene: is_alive_after_a_restart(scene),
}


def is_alive_after_a_restart(scene: Scene) -> bool:
    with scene.open() as store:
        return PythonDoor(store, "main", CREATOR).read("k") is not None


@pytest.mark.parametrize("source", ["own", "agent"])
@pytest.mark.parametrize("days", [1, 365])
@pytest.mark.parametrize("offset_us", [-1, 0, 1])
@pytest.mark.parametrize("path", ALIVE)
def test_all_paths_draw_the_line_of_an_expiry_at_one_microsecond(
    path: str, offset_us: int, days: int, source: str, scene: Scene
) -> None:
    """B41 (POL-4, POL-8): alive before the instant, gone at it; a rewrite restarts the count."""
    if source == "agent":
        scene.store.set_data_policy("main", kept_for(days))
    policy = {"retention": kept_for(days)} if source == "own" else {}
    door = PythonDoor(scene.store, "main", CREATOR)
    door.write("k", b"1", "PATTERN", **policy)
    scene.clock.advance(days * DAY_S - 0.000001)
    assert door.write("k", b"2", "PATTERN")["createdAt"] == "2026-01-01T00:00:00.000000Z"
    scene.clock.advance(days * DAY_S)
    scene.clock.advance(offset_us / 1_000_000)
    assert ALIVE[path](scene) is (offset_us < 0)


def test_room_taken_by_expired_entries_is_free_again(scene: Scene) -> None:
    """B42 (POL-5, QUO-1): PREFERENCE fills the quota for a day, then counts no more; nothing is evicted."""
    scene.store.set_memory_quota("main", 1_000)
    door = PythonDoor(scene.store, "main", CREATOR)
    for number in range(9):
        door.write(f"p{number}", b"x" * 98, "PREFERENCE", retention=ONE_DAY)
    door.write("c0", b"x" * 98, "CACHE")
    assert code_of(lambda: door.write("x", b"x" * 200, "PREFERENCE")) == "MEMORY_QUOTA_EXCEEDED"
    scene.new_lines()
    scene.clock.advance(DAY_S)
    assert scene.store.memory_usage("main").used_bytes == 100
    door.write("x", b"x" * 899, "PREFERENCE")
    lines = [(line["action"], line["key"]) for line in scene.new_lines()]
    assert lines == [("memory_expire", f"p{number}") for number in range(9)] + [("memory_write", "x")]
    usage = scene.store.memory_usage("main")
    assert usage.used_bytes == sum(info.size_bytes for info in scene.store.list_memory("main")) == 1_000
    assert usage.by_category["PREFERENCE"].entries == 1


@pytest.mark.parametrize(
    ("agent_days", "own", "days"),
    [
        pytest.param(None, kept_for(1), 1, id="own"),
        pytest.param(None, kept_for(3_650_000), 3_650_000, id="beyond-year-9999"),
        pytest.param(None, kept_for(LARGEST_DAYS), LARGEST_DAYS, id="largest"),
        pytest.param(None, kept_for(None), None, id="own-never"),
        pytest.param(None, None, None, id="never"),
        pytest.param(30, None, 30, id="agent"),
        pytest.param(30, kept_for(7), 7, id="own-within-agent"),
    ],
)
def test_a_retention_set_by_a_gene_is_the_expiry_that_all_views_show(
    agent_days: int | None, own: Any, days: int | None, scene: Scene, tmp_path: Path
) -> None:
    """B44 (AGT-3, POL-4, python-api): listing, browsing, JSON and a moved copy agree."""
    scene.store.set_data_policy("main", kept_for(agent_days))
    PythonDoor(scene.store, "main", CREATOR).write("k", b"1", "PATTERN", retention=own)
    expected_us = None if days is None else START_US + days * DAY_S * 1_000_000
    try:
        expected = None if days is None else datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days)
    except OverflowError:
        expected = None
    scene.store.export_memory("main", tmp_path / "box")
    (tmp_path / "elsewhere").mkdir()
    moved = Scene(tmp_path / "elsewhere")
    moved.store.import_agent(tmp_path / "box")
    shown = [
        *scene.store.list_memory("main"),
        *scene.store.list_memory("main", "PATTERN"),
        *scene.store.browse_memory("main").rows,
        *scene.store.orphans("main", []),
        *moved.store.list_memory("main"),
    ]
    moved.store.close()
    assert [(info.expires_at, info.expires_at_us) for info in shown] == [(expected, expected_us)] * 5
    for info in shown:
        told = info.to_json()
        assert told["retentionPolicy"] == own
        assert told["expiresAtUs"] == expected_us
        if expected is not None:
            assert told["expiresAt"] == expected.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        else:
            assert told["expiresAt"] is None
