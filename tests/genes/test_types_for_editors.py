"""`types/rotifer-memory.d.ts` says what the tables and the runner say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rotifer_console.hosts.child as child_module
from rotifer_store import tables

PACKAGE = Path(child_module.__file__).parents[1]
TYPES = (PACKAGE / "genes" / "types" / "rotifer-memory.d.ts").read_text()


def names_of(type_name: str) -> list[str]:
    declared = re.search(rf"export type {type_name} =(.*?);", TYPES, re.DOTALL)
    assert declared is not None
    return re.findall(r'"(\w+)"', declared[1])


def members_of(interface: str) -> list[str]:
    declared = re.search(rf"export interface {interface} \{{(.*?)\n  \}}", TYPES, re.DOTALL)
    assert declared is not None
    return re.findall(r"^    (\w+)\??[:(]", declared[1], re.MULTILINE)


@pytest.mark.parametrize(
    ("type_name", "names"),
    [
        ("MemoryCategory", tables.MemoryCategory),
        ("AccessScope", tables.Scope),
        ("SharePolicy", tables.SharePolicy),
        ("MemoryErrorCode", tables.ErrorCode),
    ],
)
def test_the_names_are_the_tables(type_name: str, names: type) -> None:
    """GEN-4, ENT-6."""
    assert sorted(names_of(type_name)) == sorted(map(str, names))  # type: ignore[call-overload]


def test_an_entry_has_the_members_of_the_table() -> None:
    """ENT-1."""
    assert members_of("MemoryEntry") == [row.wire_name for row in tables.ENTRY_FIELDS]


@pytest.mark.parametrize(
    ("interface", "members"),
    [
        ("MemoryAccessPolicy", ["readScope", "writeScope", "sharePolicy"]),
        ("RetentionPolicy", ["maxRetentionDays", "autoDeleteOnTermination", "anonymizationSupported"]),
        ("MemoryFilter", ["category", "keyPrefix", "since", "until", "limit"]),
        ("GeneMemoryAccess", ["readMemory", "writeMemory", "queryMemory", "deleteMemory"]),
    ],
)
def test_the_other_shapes_are_the_pages(interface: str, members: list[str]) -> None:
    """GEN-4, POL-1, ACC-1, INP-3."""
    assert members_of(interface) == members


def test_what_is_there_at_run_time_is_declared_as_such() -> None:
    """GEN-4: every other export is a type, which Node strips."""
    exported = re.findall(r"export class (\w+)", TYPES)
    runtime = (PACKAGE / "hosts" / "node_memory.mjs").read_text()
    assert exported == re.findall(r"export class (\w+)", runtime)
