"""`rotifer agent genes`: showing and changing a genome, and the entries that a change would cut off."""

from __future__ import annotations

from typing import Any

import pytest

from rotifer_store import AuditRecord


@pytest.fixture
def two(project: Any) -> Any:
    """An agent of two domains with an entry of each."""
    project.add_gene("notes-a")
    project.add_gene("notes-b")
    project.add_gene("maps-a", domain="maps")
    project.add_agent("main", "notes-a", "maps-a", composition={"type": "Seq"})
    project.write(("notes/k", "v", "PREFERENCE"), gene="notes-a")
    project.write(("maps/k", "value", "CACHE"), gene="maps-a")
    return project


def genome(project: Any) -> list[str]:
    with project.store() as store:
        return list(store.agent("main").genes)


def changes(project: Any) -> int:
    with project.store() as store:
        records = store.audit_records("main", action="genome_change")
        return len([record for record in records if isinstance(record, AuditRecord)])


def test_without_options_the_genome_is_printed(two: Any) -> None:
    """AGT-9."""
    assert two.run("agent", "genes", "main") == (0, "notes-a\nmaps-a\n", "")
    assert two.run("agent", "genes", "main", "--json").json() == {
        "id": two.run("agent", "list", "--json").json()[0]["id"],
        "name": "main",
        "genes": ["notes-a", "maps-a"],
        "composition": {"type": "Seq"},
    }
    assert changes(two) == 0


@pytest.mark.parametrize(
    ("arguments", "genes", "cut_off"),
    [
        (["--set", "notes-b", "maps-a"], ["notes-b", "maps-a"], []),
        (["--set", "notes-b"], ["notes-b"], ["maps/k"]),
        (["--set", "notes-b,notes-a"], ["notes-b", "notes-a"], ["maps/k"]),
        (["--set=maps-a"], ["maps-a"], ["notes/k"]),
        (["--replace", "notes-a=notes-b"], ["notes-b", "maps-a"], []),
        (["--replace", "notes-a=maps-a"], ["maps-a", "maps-a"], ["notes/k"]),
        (["--replace", "notes-a=notes-b", "--replace", "maps-a=notes-a"], ["notes-b", "notes-a"], ["maps/k"]),
    ],
)
def test_a_change_names_what_no_gene_of_the_new_genome_can_read(
    two: Any, arguments: list[str], genes: list[str], cut_off: list[str]
) -> None:
    """AGT-9, AGT-1: memory stays as it is; one genome_change line."""
    with two.store() as store:
        entries_before = store.list_memory("main")
    outcome = two.run("agent", "genes", "main", *arguments, "--json")
    assert outcome.exit_code == 0
    answer = outcome.json()
    assert list(answer) == ["id", "name", "genes", "composition", "dryRun", "orphans"]
    assert (answer["genes"], answer["dryRun"]) == (genes, False)
    assert answer["composition"] == {"type": "Single" if len(genes) == 1 else "Seq"}
    assert [entry["key"] for entry in answer["orphans"]] == cut_off
    assert genome(two) == genes
    assert changes(two) == 1
    with two.store() as store:
        assert store.list_memory("main") == entries_before


def test_a_dry_run_changes_nothing(two: Any) -> None:
    """AGT-9."""
    outcome = two.run("agent", "genes", "main", "--set", "notes-a", "--dry-run")
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("maps/k\tCACHE\t11\tmaps-a\t")
    assert outcome.stderr == "would change main to notes-a; 1 entry that none of them can read\n"
    assert (genome(two), changes(two)) == (["notes-a", "maps-a"], 0)


COND = {"type": "Cond", "predicate": {"field": "kind", "op": "Eq", "value": 1}}


@pytest.mark.parametrize(
    ("arguments", "composition"),
    [
        (["--set", "notes-b,notes-a"], COND),
        (["--replace", "notes-a=notes-b"], COND),
        (["--set", "notes-b"], {"type": "Single"}),
        (["--set", "notes-b,notes-a,maps-a"], None),
    ],
)
def test_how_the_genes_run_together_stays(
    two: Any, arguments: list[str], composition: dict[str, Any] | None
) -> None:
    """AGT-9, RUN-1: or the change is refused, where so many genes cannot run so."""
    two.add_agent("cond", "notes-a", "maps-a", composition=COND)
    outcome = two.run("agent", "genes", "cond", *arguments, "--json")
    if composition is None:
        assert (outcome.exit_code, outcome.error()["code"]) == (1, "AGENT_INVALID")
        composition = COND
    with two.store() as store:
        assert store.agent("cond").composition == composition


def test_a_change_is_told_on_stderr(two: Any) -> None:
    """CLI-1: stdout holds the entries that are cut off, and nothing where there are none."""
    outcome = two.run("agent", "genes", "main", "--replace", "notes-a=notes-b")
    assert outcome == (0, "", "changed main to notes-b, then maps-a; no entry is cut off\n")


@pytest.mark.parametrize("arguments", [["--set", "notes-a", "maps-a"], ["--replace", "notes-a=notes-a"]])
def test_a_genome_that_stays_as_it_is_is_no_change(two: Any, arguments: list[str]) -> None:
    """AGT-9: and the log does not tell of one."""
    outcome = two.run("agent", "genes", "main", *arguments)
    assert outcome == (0, "", "nothing to change in main: notes-a, then maps-a; no entry is cut off\n")
    assert changes(two) == 0


@pytest.mark.parametrize(
    ("arguments", "status", "code", "hint"),
    [
        (["--set", "notes-a", "--replace", "a=b"], 2, "USAGE", None),
        (["--dry-run"], 2, "USAGE", None),
        (["--replace", "notes-a"], 2, "USAGE", None),
        (["--replace", "=notes-b"], 2, "GENE_INVALID", None),
        (["--replace", "notes-a=../x"], 2, "GENE_INVALID", None),
        (["--set", "A"], 2, "GENE_INVALID", None),
        (["--set", "note-a"], 1, "GENE_NOT_FOUND", "did you mean notes-a?"),
        (["--replace", "notes-b=notes-a"], 1, "GENE_NOT_FOUND", "did you mean notes-a?"),
        (["--replace", "notes-a=nowhere"], 1, "GENE_NOT_FOUND", "`rotifer list` lists the project's genes"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(
    two: Any, arguments: list[str], status: int, code: str, hint: str | None
) -> None:
    """CLI-2, CLI-5."""
    outcome = two.run("agent", "genes", "main", *arguments, "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (status, "", code)
    if hint is not None:
        assert outcome.error()["hint"] == hint
    assert (genome(two), changes(two)) == (["notes-a", "maps-a"], 0)
