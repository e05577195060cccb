"""`rotifer agent memory list`: every entry, its members, never its value; hostile keys shown safely."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from rotifer_store import AuditRecord, FixedClock, Gene, SystemClock

HOSTILE_KEYS = {
    case["name"]: case["key"]
    if isinstance(case["key"], str)
    else case["key"]["repeat"] * case["key"]["count"]
    for case in json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text())["keys"]
    if case["legal"]
}
ONE_DAY = {"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}
MEMBERS = [
    "entryId",
    "category",
    "key",
    "createdBy",
    "lastAccessedBy",
    "createdAt",
    "updatedAt",
    "accessPolicy",
    "retentionPolicy",
    "sizeBytes",
    "expiresAt",
    "expiresAtUs",
    "creatorName",
]
both_groups = pytest.mark.parametrize("group", [["memory"], ["agent", "memory"]], ids=" ".join)


@both_groups
def test_an_empty_memory_is_an_empty_list(project: Any, group: list[str]) -> None:
    """CLI-1, CLI-2."""
    project.add_agent()
    assert project.run(*group, "list", "main", "--json") == (0, "[]\n", "")
    assert project.run(*group, "list", "main") == (0, "", "no entries\n")


@both_groups
def test_each_entry_is_a_line_most_recently_updated_first(project: Any, group: list[str]) -> None:
    """AGT-3, CLI-3."""
    project.add_agent()
    project.write(
        ("a", "one", "CACHE"), ("b", "", "PREFERENCE"), ("é", "two", "PATTERN"), ("a", "1", "CACHE")
    )
    rows = [line.split("\t") for line in project.run(*group, "list", "main").stdout.splitlines()]
    assert [row[:4] for row in rows] == [
        ["a", "CACHE", "2", "scribe"],
        ["é", "PATTERN", "5", "scribe"],
        ["b", "PREFERENCE", "1", "scribe"],
    ]
    listing = project.run(*group, "list", "main", "--json").json()
    assert [row[4:] for row in rows] == [[entry["updatedAt"], "never"] for entry in listing]


def test_an_entrys_members_are_the_pages_without_the_value(project: Any) -> None:
    """CLI-1, AGT-3, AGT-10."""
    project.add_agent()
    with project.store() as store:
        gene = Gene.from_folder(project.root / "genes" / "scribe")
        entry = store.gene_memory("main", gene).write_memory("k", b"v", "CACHE", retention_policy=ONE_DAY)
    (listed,) = project.run("memory", "list", "main", "--json").json()
    assert sorted(listed) == sorted(MEMBERS)
    shared = {name: value for name, value in entry.to_json().items() if name != "value"}
    assert {name: listed[name] for name in shared} == shared
    assert (listed["sizeBytes"], listed["creatorName"]) == (2, "scribe")
    assert listed["expiresAtUs"] == entry.updated_at_us + 86_400_000_000
    assert listed["expiresAt"][:10] > listed["updatedAt"][:10]


def test_values_are_never_shown(project: Any) -> None:
    """AGT-3."""
    project.add_agent()
    project.write(("k", "hunter2", "CACHE"))
    for flags in ([], ["--json"], ["--plain"]):
        outcome = project.run("memory", "list", "main", *flags)
        assert "hunter2" not in outcome.stdout + outcome.stderr


def test_a_creator_without_a_name_is_told_by_its_id(project: Any) -> None:
    """AGT-10."""
    project.add_agent()
    gene_id = f"v2:{'0' * 64}"
    with project.store() as store:
        store.gene_memory("main", Gene(gene_id, "notes")).write_memory("k", b"", "CACHE")
    assert project.run("memory", "list", "main").stdout.split("\t")[3] == gene_id
    assert project.run("memory", "list", "main", "--json").json()[0]["creatorName"] is None


def test_a_creator_that_left_the_genome_keeps_its_name(project: Any) -> None:
    """AGT-10."""
    project.add_agent()
    project.write(("k", "", "CACHE"))
    project.add_gene("better")
    project.run("agent", "genes", "main", "--set", "better")
    assert project.run("memory", "list", "main").stdout.split("\t")[3] == "scribe"


def test_a_category_narrows_the_list(project: Any) -> None:
    """AGT-3."""
    project.add_agent()
    project.write(("a", "", "CACHE"), ("b", "", "CONTEXT"))
    for flag in (["--category", "CONTEXT"], ["--category=CONTEXT"]):
        listing = project.run("memory", "list", "main", *flag, "--json").json()
        assert [entry["key"] for entry in listing] == ["b"]
    assert project.run("memory", "list", "main", "--category", "PATTERN", "--json").stdout == "[]\n"


@pytest.mark.parametrize(
    ("category", "hint"),
    [
        ("cache", "categories are upper case: did you mean CACHE?"),
        ("Preference", "categories are upper case: did you mean PREFERENCE?"),
        ("PATERN", "categories are upper case: did you mean PATTERN?"),
        ("x", "PREFERENCE, PATTERN, CONTEXT, CACHE"),
        ("", "PREFERENCE, PATTERN, CONTEXT, CACHE"),
        ("ＣＡＣＨＥ", "PREFERENCE, PATTERN, CONTEXT, CACHE"),
    ],
)
@pytest.mark.parametrize("command", ["list", "delete"])
def test_an_unknown_category_is_refused_by_itself(
    project: Any, command: str, category: str, hint: str
) -> None:
    """ENT-6, CLI-2, CLI-5: whether or not there is such an agent."""
    outcome = project.run("memory", command, "nobody", f"--category={category}", "--json")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert (outcome.error()["code"], outcome.error()["hint"]) == ("MEMORY_INVALID_INPUT", hint)


@pytest.mark.parametrize("name", HOSTILE_KEYS)
def test_a_hostile_key_is_one_safe_line_and_true_in_json(project: Any, name: str) -> None:
    """CLI-4, INP-1."""
    key = HOSTILE_KEYS[name]
    project.add_agent()
    project.write((key, "", "CACHE"))
    outcome = project.run("memory", "list", "main")
    (line, end) = outcome.stdout.split("\n")
    assert end == ""
    assert len(line.split("\t")) == 6
    assert not [
        c for c in line.replace("\t", "") if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]
    printed = project.run("memory", "list", "main", "--json")
    assert printed.json()[0]["key"] == key
    assert len(printed.stdout.splitlines()) == 1


def test_all_entries_are_listed(project: Any) -> None:
    """AGT-3: no cap."""
    project.add_agent()
    project.write(*[(f"k{number}", "", "CACHE") for number in range(1500)])
    assert len(project.run("memory", "list", "main").stdout.splitlines()) == 1500
    assert len(project.run("memory", "list", "main", "--json").json()) == 1500


def test_expired_entries_go_when_they_are_listed_and_not_before(project: Any) -> None:
    """POL-6: one line of the audit log for each."""
    project.add_agent()
    past = FixedClock(SystemClock().now_us())
    past.advance(-2 * 86_400)
    with project.store(clock=past) as store:
        memory = store.gene_memory("main", Gene.from_folder(project.root / "genes" / "scribe"))
        memory.write_memory("gone", b"", "CACHE", retention_policy=ONE_DAY)
        memory.write_memory("stays", b"", "CACHE")
    assert project.run("agent", "list").exit_code == 0
    assert [record.action for record in audit(project)] == ["agent_create", "memory_write", "memory_write"]
    listing = project.run("memory", "list", "main", "--json").json()
    assert [entry["key"] for entry in listing] == ["stays"]
    last = audit(project)[-1]
    assert (last.action, last.key, last.operation, last.actor) == ("memory_expire", "gone", "list", "system")


def audit(project: Any) -> list[AuditRecord]:
    with project.store() as store:
        return [record for record in store.audit_records("main") if isinstance(record, AuditRecord)]


def test_an_unknown_agent_is_refused_with_its_neighbour(project: Any) -> None:
    """CLI-5."""
    project.add_agent("formatter")
    outcome = project.run("memory", "list", "formater")
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert (
        outcome.stderr
        == "error[AGENT_NOT_FOUND]: there is no agent formater\nhint: did you mean formatter?\n"
    )


@pytest.mark.parametrize("name", ["[red]x", "a\x1b[31mb", "", "\udcff", "x" * 5000])
def test_a_hostile_agent_name_is_one_safe_line(project: Any, name: str) -> None:
    """CLI-4."""
    outcome = project.run("memory", "list", "--", name)
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("error[AGENT_NOT_FOUND]: there is no agent")
    assert "\x1b" not in outcome.stderr
    assert all(len(line) < 400 for line in outcome.stderr.splitlines())
    assert len(outcome.stderr.splitlines()) == 2


@pytest.fixture
def sorted_out(project: Any) -> Any:
    """Five entries that each order puts in another sequence; the ids of the genes go against their names."""
    project.add_agent()
    clock = FixedClock(SystemClock().now_us())
    with project.store(clock=clock) as store:
        for gene, key, value, category, days in [
            ("scribe", "d", b"1", "CACHE", None),
            ("scribe", "b", b"22", "PREFERENCE", 9),
            ("author", "é", b"1", "CONTEXT", 2),
            ("author", "B", b"1", "PATTERN", 9),
            ("scribe", "a", b"333", "CACHE", None),
        ]:
            clock.advance(1)
            gene_id = f"v2:{'2' * 64}" if gene == "author" else f"v2:{'1' * 64}"
            memory = store.gene_memory("main", Gene(gene_id, "notes", gene))
            retention = None if days is None else ONE_DAY | {"maxRetentionDays": days}
            memory.write_memory(key, value, category, retention_policy=retention)
    return project


@pytest.mark.parametrize(
    ("order", "keys"),
    [
        ("updated", ["a", "B", "é", "b", "d"]),
        ("key", ["B", "a", "b", "d", "é"]),
        ("category", ["b", "é", "B", "a", "d"]),
        ("size", ["a", "é", "b", "d", "B"]),
        ("expires", ["é", "b", "B", "a", "d"]),
        ("creator", ["B", "é", "a", "b", "d"]),
    ],
)
def test_a_list_is_sorted_as_the_dashboard_sorts(sorted_out: Any, order: str, keys: list[str]) -> None:
    """TUI-8: by code point; PREFERENCE, the largest and the soonest to expire first; by name of creator."""
    listing = sorted_out.run("memory", "list", "main", "--sort", order, "--json").json()
    assert [entry["key"] for entry in listing] == keys


@pytest.mark.parametrize(
    ("span", "keys"),
    [("1.99d", []), ("2.01d", ["é"]), ("9.01d", ["B", "é", "b"]), ("1000w", ["B", "é", "b"])],
)
def test_only_what_expires_in_time_is_listed(sorted_out: Any, span: str, keys: list[str]) -> None:
    """CLI, POL-4: what never expires is never meant."""
    listing = sorted_out.run("memory", "list", "main", "--expires-within", span, "--json").json()
    assert [entry["key"] for entry in listing] == keys


@pytest.mark.parametrize(
    ("filter_text", "keys"),
    [
        ("", ["a", "B", "é", "b", "d"]),
        ("b", ["b"]),
        ("re:^[ab]$", ["a", "b"]),
        ("cat:CACHE", ["a", "d"]),
        ("cat:pref", ["b"]),
        ("gene:author", ["B", "é"]),
        ("size>=3", ["a", "é", "b"]),
        ("expires<2.01d", ["é"]),
        ("gene:scribe size>2 re:[a-c]", ["a", "b"]),
        ("[red]", []),
    ],
)
@both_groups
def test_only_what_a_filter_describes_is_listed(
    sorted_out: Any, group: list[str], filter_text: str, keys: list[str]
) -> None:
    """TUI-6, TUI-8: the dashboard's filter, in the same words."""
    listing = sorted_out.run(*group, "list", "main", f"--filter={filter_text}", "--json").json()
    assert [entry["key"] for entry in listing] == keys


def test_a_filter_and_a_category_must_both_hold(sorted_out: Any) -> None:
    """TUI-6."""
    listing = sorted_out.run("memory", "list", "main", "--category", "CACHE", "--filter=size>3", "--json")
    assert [entry["key"] for entry in listing.json()] == ["a"]


@pytest.mark.parametrize("order", ["updated", "key", "size"])
def test_a_list_can_be_had_the_other_way_round(sorted_out: Any, order: str) -> None:
    """TUI-8: as the dashboard sorts."""
    command = ("memory", "list", "main", "--sort", order, "--json")
    listing = sorted_out.run(*command).json()
    assert sorted_out.run(*command, "--reverse").json() == listing[::-1]


@pytest.mark.parametrize("text", ["re:(", "cat:NONE", "gene:", "size>", "expires<1y"])
def test_a_filter_of_another_form_is_refused_by_itself(project: Any, text: str) -> None:
    """CLI-2."""
    outcome = project.run("memory", "list", "nobody", f"--filter={text}", "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (2, "", "USAGE")
    assert outcome.error()["hint"].startswith("a part of the key, ")


def test_filters_and_an_order_hold_together(sorted_out: Any) -> None:
    """CLI."""
    sorted_out.run("agent", "policy", "main", "--max-retention-days", "5")
    flags = ["--outside-policy", "--expires-within", "10d", "--sort", "key", "--json"]
    assert [entry["key"] for entry in sorted_out.run("memory", "list", "main", *flags).json()] == ["B", "b"]
    assert sorted_out.run("memory", "list", "main", "--category", "PATTERN", *flags).json()[0]["key"] == "B"


def test_an_entry_is_outside_by_its_days_or_its_sharing(project: Any) -> None:
    """POL-3, ACC-3: what a gene could not write so today."""
    project.add_agent(
        "main", "scribe", data_policy=ONE_DAY | {"maxRetentionDays": None, "anonymizationSupported": True}
    )
    shared = {"readScope": "ALL_GENES", "writeScope": "ALL_GENES", "sharePolicy": "KNOWLEDGE_GENE"}
    with project.store() as store:
        memory = store.gene_memory("main", Gene.from_folder(project.root / "genes" / "scribe"))
        memory.write_memory("shared", b"", "CACHE", access_policy=shared)
        memory.write_memory("long", b"", "CACHE", retention_policy=ONE_DAY | {"maxRetentionDays": 8})
        memory.write_memory("short", b"", "CACHE", retention_policy=ONE_DAY)
        assert project.run("memory", "list", "main", "--outside-policy", "--json").stdout == "[]\n"
        store.set_data_policy("main", ONE_DAY | {"maxRetentionDays": 7})
    listing = project.run("memory", "list", "main", "--outside-policy", "--json").json()
    assert [entry["key"] for entry in listing] == ["long", "shared"]


@pytest.mark.parametrize(
    "arguments", [["--sort", "Size"], ["--sort", ""], ["--expires-within", "1"], ["--expires-within", "-1d"]]
)
def test_an_order_or_a_time_of_another_form_is_refused_by_itself(project: Any, arguments: list[str]) -> None:
    """CLI-2: whether or not there is such an agent."""
    outcome = project.run("memory", "list", "nobody", *arguments, "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (2, "", "USAGE")
