"""A database of every schema that ever landed opens with this program, and holds what it held (B90)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from fixtures.make_schema_fixture import FILES, OURS, told
from rotifer_store import FixedClock, open_store
from rotifer_store.statements import SCHEMA_VERSION

FIXTURES = Path(__file__).parents[1] / "fixtures"
LANDED = sorted(FIXTURES.glob("schema-*"))


@pytest.fixture(params=LANDED, ids=[folder.name for folder in LANDED])
def landed(request, tmp_path):
    """A copy of the store, and what it held when it was made; the original is never opened."""
    for name in FILES:
        shutil.copyfile(request.param / name, tmp_path / name)
    return tmp_path, json.loads((request.param / "told.json").read_text())


def test_there_is_a_database_of_each_schema_up_to_this_one():
    """python-api: skipping versions is tried for every one of them."""
    assert [folder.name for folder in LANDED] == [f"schema-{n}" for n in range(1, SCHEMA_VERSION + 1)]


def test_entries_policies_times_and_logs_are_equal(landed):
    """B90: by every public call that tells of them, to the microsecond and the byte."""
    folder, held = landed
    now_held = told(folder, FixedClock(held["nowUs"]))
    for name in held:
        assert now_held[name] == held[name]


def test_the_entries_of_the_fixture_are_what_its_maker_wrote(landed):
    """The record beside the database is no copy of whatever a later program reads."""
    _, held = landed
    empty, keeper = held["agents"]
    assert (empty["record"]["name"], empty["entries"]) == ("empty", [])
    assert empty["record"]["composition"] == {"type": "Seq", "note": "é"}
    assert keeper["record"]["id"] == "00000000-0000-4000-8000-000000000000"
    assert keeper["record"]["genes"] == ["ours", "ours-too"]
    entries = {entry["key"]: entry for entry in keeper["entries"]}
    assert list(entries) == ["formatter/€😀\n", "formatter/large", "formatter/indent", "empty"]
    indent = entries["formatter/indent"]
    assert indent["entryId"] == "4a7083d3d67841e641095db7f674c44174d5fa2e8633e7d8590c76ccd088788c"
    assert (indent["value"], indent["category"]) == ("Mg==", "PREFERENCE")
    assert (indent["createdBy"], indent["lastAccessedBy"]) == ("v2:" + "a" * 64, "v2:" + "b" * 64)
    assert indent["createdAt"] == "2026-01-01T00:00:00.000000Z"
    assert indent["updatedAt"] == "2026-01-01T23:00:00.500001Z"
    assert entries["empty"]["lastAccessedBy"] == OURS.id
    assert entries["formatter/large"]["retentionPolicy"]["maxRetentionDays"] == 30
    assert keeper["usedBytes"] == sum(size for _, size, _ in keeper["newestFirst"]) == 10_311


def test_it_is_sound_and_works(landed):
    """python-api: verify finds nothing; calls go on where it left off."""
    folder, held = landed
    with open_store(state_dir=folder, clock=FixedClock(held["nowUs"])) as store:
        assert store.verify() == []
        memory = store.gene_memory("keeper", OURS)
        memory.write_memory("new", b"1", "CACHE")
        memory.delete_memory("formatter/large")
        assert store.verify() == []
        assert store.audit_records()[-1].seq == held["audit"][-1]["seq"] + 2


def test_it_opens_read_only_where_its_schema_is_this_ones(landed):
    """python-api: nothing is migrated by a reader."""
    folder, held = landed
    connection = sqlite3.connect(folder / "playground.db")
    version = connection.execute("SELECT schema_version FROM rotifer_state").fetchone()[0]
    connection.close()
    if version == SCHEMA_VERSION:
        with open_store(state_dir=folder, clock=FixedClock(held["nowUs"]), read_only=True) as store:
            assert store.verify() == []
