"""Reported faults of stores with several doors: genes of every language meet the same memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bugs.scene import kept_for
from conformance.case_file import CaseGene
from conformance.child_doors import python_child_door, typescript_child_door
from conformance.doors import Door, GeneDoor, Refused
from conformance.wasm_door import WasmDoor
from rotifer_store import DataPolicy, Store, open_store

MAKERS: dict[str, Any] = {"python": python_child_door, "typescript": typescript_child_door, "wasm": WasmDoor}
GENE = CaseGene(name="gene", domain="notes", gene_id="v2:" + "a" * 64)
MOST_VALUE_BYTES = 1_048_576
MOST_KEY_BYTES = 1024


@pytest.fixture(scope="module")
def doors() -> Iterator[Mapping[str, Door]]:
    """A door for each language, through which any gene may go."""
    with ExitStack() as opened:
        yield {language: opened.enter_context(make()) for language, make in MAKERS.items()}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        opened.create_agent("main", memory_quota_bytes=4 * MOST_VALUE_BYTES, data_policy=DataPolicy(30))
        yield opened
        assert opened.verify() == []


@pytest.fixture(params=MAKERS)
def gene(request: pytest.FixtureRequest, doors: Mapping[str, Door], store: Store) -> GeneDoor:
    """The same gene in each language."""
    return doors[request.param].gene(store, "main", GENE)


def refusal(call: Any, *arguments: Any) -> str | None:
    try:
        call(*arguments)
    except Refused as refused:
        return refused.code
    return None


@pytest.mark.parametrize("policy", [None, kept_for(7), kept_for(30, auto_delete=True, anonymized=True)])
def test_each_language_hands_the_retention_on(gene: GeneDoor, store: Store, policy: Any) -> None:
    """B26 (POL-1): as it was passed, and left out is another thing than null."""
    written = gene.write("k", b"1", "CACHE", {"retentionPolicy": policy})
    assert written["retentionPolicy"] == policy
    (info,) = store.list_memory("main")
    assert (info.retention_policy and info.retention_policy.to_json()) == policy
    assert gene.write("k", b"2", "CACHE", {})["retentionPolicy"] == policy
    assert gene.write("k", b"2", "CACHE", {"retentionPolicy": None})["retentionPolicy"] is None


def test_languages_that_write_in_turn_share_one_order_and_one_expiry_rule(
    doors: Mapping[str, Door], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B29 (ENT-5, ENT-7): in a zone that is not UTC."""
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    with ExitStack() as opened:
        opened.callback(time.tzset)
        opened.callback(monkeypatch.undo)
        genes = [
            opened.enter_context(make()).gene(store, "main", GENE) for make in MAKERS.values()
        ]  # processes of this zone
        order = []
        for turn in range(3):
            for number, gene in enumerate(genes):
                order.append(gene.write(f"{turn}/{number}", b"1", "CACHE", {"retentionPolicy": kept_for(1)}))
        for gene in genes:
            assert [entry["key"] for entry in gene.query({})] == [entry["key"] for entry in order[::-1]]
        assert sorted(entry["updatedAt"] for entry in order) == [entry["updatedAt"] for entry in order]
        listed = store.list_memory("main")
        lives = {(info.expires_at - info.updated_at).total_seconds() for info in listed if info.expires_at}
        assert lives == {86_400}


@pytest.mark.parametrize(
    ("key", "size", "policies", "code"),
    [
        ("k", MOST_VALUE_BYTES, {}, None),
        ("k", MOST_VALUE_BYTES + 1, {}, "MEMORY_INVALID_INPUT"),
        ("k" * MOST_KEY_BYTES, 1, {}, None),
        ("k" * (MOST_KEY_BYTES + 1), 1, {}, "MEMORY_INVALID_INPUT"),
        ("k", 1, {"retentionPolicy": kept_for(31)}, "MEMORY_ACCESS_DENIED"),
        ("k", 1, {"retentionPolicy": kept_for(None)}, "MEMORY_ACCESS_DENIED"),
    ],
)
def test_each_language_knows_the_same_limits(
    gene: GeneDoor, store: Store, key: str, size: int, policies: dict[str, Any], code: str | None
) -> None:
    """B48 (INP-1, INP-2, POL-3)."""
    assert refusal(gene.write, key, bytes(size), "CACHE", policies) == code
    assert len(store.list_memory("main")) == (code is None)


def test_each_language_is_refused_what_does_not_fit_the_quota(gene: GeneDoor, store: Store) -> None:
    """B48 (QUO-5): PREFERENCE makes no room."""
    for number in range(3):
        gene.write(f"{number}", bytes(MOST_VALUE_BYTES), "PREFERENCE", {})
    assert refusal(gene.write, "3", bytes(MOST_VALUE_BYTES), "PREFERENCE", {}) == "MEMORY_QUOTA_EXCEEDED"
    assert len(store.list_memory("main")) == 3


def test_a_trial_knows_the_same_limits(tmp_path: Path) -> None:
    """B48 (AGT-7): `rotifer test` is a way to write like any other."""
    folder = tmp_path / "genes" / "gene"
    folder.mkdir(parents=True)
    (tmp_path / "rotifer.json").write_text("{}")
    (folder / "phenotype.json").write_text(
        '{"domain": "notes", "inputSchema": {}, "outputSchema": {}, "version": "1"}'
    )
    (folder / "index.ts").write_text(
        """
        export function express(input: { key?: number; value?: number }, { memory }: any) {
            try {
                memory.writeMemory("k".repeat(input.key ?? 1), new Uint8Array(input.value ?? 1), "PREFERENCE")
                return "written"
            } catch (error) {
                return error.code
            }
        }
        """
    )
    cases = [
        ({"value": MOST_VALUE_BYTES}, "written"),
        ({"value": MOST_VALUE_BYTES + 1}, "MEMORY_INVALID_INPUT"),
        ({"key": MOST_KEY_BYTES + 1}, "MEMORY_INVALID_INPUT"),
        *(({"key": key, "value": MOST_VALUE_BYTES}, "written") for key in range(2, 10)),
        ({"key": 10, "value": MOST_VALUE_BYTES}, "MEMORY_QUOTA_EXCEEDED"),
    ]
    suite = {"testCases": [{"input": given, "expectedOutput": output} for given, output in cases]}
    (folder / "testsuite.json").write_text(json.dumps(suite))
    program = Path(sys.executable).with_name("rotifer")
    ran = subprocess.run([program, "test", "gene", "--json"], cwd=tmp_path, capture_output=True, check=False)
    answer = json.loads(ran.stdout)
    assert [check for check in answer["checks"] if check["status"] != "passed"] == []
    assert not (tmp_path / ".rotifer").exists()


@pytest.mark.parametrize("language", MAKERS)
@pytest.mark.parametrize("gene_id", [None, "v2:short"])
def test_a_gene_without_an_id_is_refused_in_each_language_whatever_it_asks(
    doors: Mapping[str, Door], store: Store, language: str, gene_id: str | None
) -> None:
    """B70 (ACC-7, HST-9): before its input is looked at."""
    door = doors[language].gene(store, "main", CaseGene(name="none", domain="notes", gene_id=gene_id))
    for call, *arguments in (
        (door.read, "k"),
        (door.read, ""),
        (door.write, "k", b"1", "CACHE", {}),
        (door.write, "", b"1", "cache", {"accessPolicy": None}),
        (door.query, {}),
        (door.query, {"more": 1}),
        (door.delete, "k"),
        (door.delete, "a\0b"),
    ):
        assert refusal(call, *arguments) == "MEMORY_ACCESS_DENIED"
    assert store.list_memory("main") == []


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_half_a_pair_of_surrogates_is_refused_in_each_language(gene: GeneDoor, text: str) -> None:
    """B75 (INP-1, INP-3)."""
    for call, *arguments in (
        (gene.read, text),
        (gene.write, text, b"1", "CACHE", {}),
        (gene.delete, text),
        (gene.query, {"keyPrefix": text}),
    ):
        assert refusal(call, *arguments) == "MEMORY_INVALID_INPUT"


def test_a_value_of_no_bytes_is_a_value_in_each_language(gene: GeneDoor, store: Store) -> None:
    """B77 (INP-2): never null."""
    assert gene.write("k", b"", "CACHE", {})["value"] == ""
    found = gene.read("k")
    assert found is not None
    assert found["value"] == ""
    assert [entry["value"] for entry in gene.query({})] == [""]
    assert [info.size_bytes for info in store.list_memory("main")] == [1]
