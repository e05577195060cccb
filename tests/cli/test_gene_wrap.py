"""`rotifer wrap` and `rotifer compile`: what a gene's new domain or new id closes to it."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def filled(project: Any) -> Any:
    project.add_agent()
    project.write(("notes/a", "1", "CACHE"), ("notes/b", "1", "PREFERENCE"))
    return project


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=str)
def test_a_new_domain_tells_of_entries_that_stay_with_the_old_one(filled: Any, flags: list[str]) -> None:
    """ACC-2, GEN-3: once, when the domain changes; looking changes nothing."""
    log = filled.root / ".rotifer" / "audit.jsonl"
    before = log.read_bytes()
    told = "2 entries of notes stay in that domain: genes of other cannot read or change what is kept to it"
    outcome = filled.run("wrap", "scribe", "-d", "other", *flags)
    assert (outcome.exit_code, outcome.stderr.splitlines()[-1]) == (0, told)
    assert told not in filled.run("wrap", "scribe", "-d", "other", *flags).stderr
    assert log.read_bytes() == before


def test_one_entry_is_told_as_one(project: Any) -> None:
    project.add_agent()
    project.write(("notes/a", "1", "CACHE"))
    stderr = project.run("wrap", "scribe", "--domain=other").stderr
    assert "1 entry of notes stays in that domain: " in stderr


def test_entries_of_other_domains_or_for_all_are_not_told_of(project: Any) -> None:
    """ACC-2: what stays open to a gene of any domain."""
    source = """
        def express(input, ctx):
            ctx.memory.write_memory("open", b"1", "CACHE", access_policy={
                "readScope": "ALL_GENES", "writeScope": "ALL_GENES", "sharePolicy": "PRIVATE"})
    """
    project.add_gene("opener", source)
    project.add_gene("mapper", domain="maps")
    project.add_agent("main", "opener", "mapper")
    project.write(("maps/a", "1", "CACHE"), gene="mapper")
    project.run("agent", "run", "main", "--input", "{}", "--in-process")
    listed = project.run("memory", "list", "main", "--json").json()
    assert [entry["key"] for entry in listed] == ["open", "maps/a"]
    assert "stay" not in project.run("wrap", "opener", "-d", "other").stderr


def test_a_project_without_a_store_has_nothing_to_tell(project: Any) -> None:
    project.add_gene("scribe")
    assert project.run("wrap", "scribe", "-d", "other").stderr == "phenotype.json: wrote domain\n"
    assert not (project.root / ".rotifer").exists()


def test_a_new_id_is_told_of_until_the_gene_has_used_memory_under_it(filled: Any) -> None:
    """GEN-2: as the command's help says."""
    filled.add_gene("scribe", version="2.0.0")
    assert "the id has changed" in filled.run("compile", "scribe").stderr
    filled.write(("notes/c", "1", "CACHE"))
    assert filled.run("compile", "scribe").stderr == ""
    assert "under its new id, no more" in " ".join(filled.run("compile", "--help").stdout.split())
