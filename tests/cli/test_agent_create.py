"""`rotifer agent create`: forms of `--genes`, quota texts, names, the data policy, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

HOSTILE = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text())
QUOTA_TEXTS = HOSTILE["quotaTexts"]
NAMES = HOSTILE["agentNames"]


def quota_text(case: dict[str, Any]) -> str:
    text = case["text"]
    return (
        text
        if isinstance(text, str)
        else f"{text.get('first', '')}{text['repeat'] * text['count']}{text['then']}"
    )


def agent_name(case: dict[str, Any]) -> str:
    name = case["agentName"]
    return name if isinstance(name, str) else name["repeat"] * name["count"]


def agents(project: Any) -> list[Any]:
    with project.store() as store:
        return list(store.agents())


@pytest.mark.parametrize(
    ("arguments", "genes", "composition"),
    [
        (["x", "--genes", "a"], ["a"], "Single"),
        (["x", "--genes", "a", "b"], ["a", "b"], "Seq"),
        (["x", "--genes", "b", "a", "--memory-quota=1KB"], ["b", "a"], "Seq"),
        (["x", "--genes", "a", "--genes", "b"], ["a", "b"], "Seq"),
        (["x", "--genes", "a", "b", "--genes", "c"], ["a", "b", "c"], "Seq"),
        (["x", "--genes", "a,b"], ["a", "b"], "Seq"),
        (["x", "--genes=a,b"], ["a", "b"], "Seq"),
        (["x", "-g", "a", "b"], ["a", "b"], "Seq"),
        (["x", "-g", "a,b", "c"], ["a", "b", "c"], "Seq"),
        (["--genes=a,b", "x"], ["a", "b"], "Seq"),
        (["--genes", "a", "--json", "x"], ["a"], "Single"),
        (["--genes", "a", "b", "--", "x"], ["a", "b"], "Seq"),
        (["x", "--genes", "a", "a"], ["a", "a"], "Seq"),
    ],
)
def test_genes_may_be_given_in_each_form(
    project: Any, arguments: list[str], genes: list[str], composition: str
) -> None:
    """RUN-1: repeated, comma-separated, space-separated."""
    for gene in ("a", "b", "c"):
        project.add_gene(gene)
    assert project.run("agent", "create", *arguments).exit_code == 0
    (agent,) = agents(project)
    assert (agent.name, list(agent.genes), agent.composition) == ("x", genes, {"type": composition})


PREDICATE = {"field": "kind", "op": "Eq", "value": "invoice"}


@pytest.mark.parametrize(
    ("arguments", "composition", "told"),
    [
        (["a", "b", "--composition", "Seq"], {"type": "Seq"}, "a, then b"),
        (
            ["a", "b", "c", "--composition=Par"],
            {"type": "Par", "merge": "first"},
            "a and b and c, each on the same input (the first that succeeds gives the output)",
        ),
        (
            ["a", "b", "--composition", "Par", "--par-merge", "concat"],
            {"type": "Par", "merge": "concat"},
            "a and b, each on the same input (the output holds all of theirs)",
        ),
        (["a", "b", "--composition", "Try"], {"type": "Try"}, "a, and b where it fails"),
        (
            ["a", "b", "--composition", "Cond", "--when", "kind", "Eq", "invoice"],
            {"type": "Cond", "predicate": PREDICATE},
            'a where kind Eq "invoice", else b',
        ),
        (
            ["a", "b", "--composition", "Cond", "--when", "kind", "Neq", '"5"'],
            {"type": "Cond", "predicate": {**PREDICATE, "op": "Neq", "value": "5"}},
            'a where kind Neq "5", else b',
        ),
        (
            ["a", "b", "--when", "-t", "Lt", "-5.5", "--composition", "Cond"],
            {"type": "Cond", "predicate": {"field": "-t", "op": "Lt", "value": -5.5}},
            "a where -t Lt -5.5, else b",
        ),
        (
            ["a", "b", "--composition", "Cond", "--when", "x", "Eq", "NaN"],
            {"type": "Cond", "predicate": {"field": "x", "op": "Eq", "value": "NaN"}},
            'a where x Eq "NaN", else b',
        ),
    ],
)
def test_a_composition_is_stored_and_told(
    project: Any, arguments: list[str], composition: dict[str, Any], told: str
) -> None:
    """RUN-1: VALUE is JSON where it is that, else text."""
    for gene in ("a", "b", "c"):
        project.add_gene(gene)
    outcome = project.run("agent", "create", "x", "--genes", *arguments)
    assert outcome.exit_code == 0
    assert agents(project)[0].composition == composition
    assert outcome.stderr == f"created x: {told}, quota 10 MB\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["a", "b", "--composition", "par"], "did you mean Par?"),
        (["a", "b", "--composition", "COND"], "did you mean Cond?"),
        (["a", "b", "--composition", "Par", "--par-merge", "Merge"], "did you mean merge?"),
        (["a", "b", "--composition", "Pipe"], "Seq, Par, Cond, Try"),
        (["a", "b", "--composition", "Single"], "Seq, Par, Cond, Try"),
        (["a", "b", "--composition", "Par", "--par-merge", "last"], None),
        (["a", "b", "--par-merge", "first"], None),
        (["a", "b", "--composition", "Cond"], "such as --when kind Eq invoice"),
        *[
            (["a", "b", "--composition", "Cond", "--when", "kind", typed, "x"], f"did you mean {meant}?")
            for typed, meant in [("eq", "Eq"), ("gt", "Gt"), ("LTE", "Lte"), ("contain", "Contains")]
        ],
        (["a", "b", "--composition", "Cond", "--when", "kind", "Gt", "x"], None),
        (["a", "b", "--composition", "Cond", "--when", "kind", "Contains", "5"], None),
        (["a", "b", "--composition", "Try", "--when", "kind", "Eq", "x"], None),
        (["a", "b", "c", "--composition", "Try"], None),
        (["a", "b", "c", "--composition", "Cond", "--when", "kind", "Eq", "x"], None),
    ],
)
def test_a_composition_that_is_none_creates_no_agent(
    project: Any, arguments: list[str], hint: str | None
) -> None:
    """RUN-1, CLI-2, CLI-5: by the arguments alone."""
    for gene in ("a", "b", "c"):
        project.add_gene(gene)
    outcome = project.run("agent", "create", "x", "--genes", *arguments, "--json")
    assert (outcome.exit_code, outcome.stdout, outcome.error()["code"]) == (2, "", "USAGE")
    if hint is not None:
        assert outcome.error()["hint"] == hint
    assert agents(project) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--composition", "Seq"], ""),
        (["--composition", "Try"], "one gene is Single: --composition has no effect\n"),
        (
            ["--composition", "Par", "--par-merge", "merge"],
            "one gene is Single: --composition and --par-merge have no effect\n",
        ),
        (
            ["--composition", "Cond", "--when", "kind", "Eq", "x"],
            "one gene is Single: --composition and --when have no effect\n",
        ),
    ],
    ids=lambda case: case[1] if isinstance(case, list) else "",
)
def test_one_gene_is_single_and_what_has_no_effect_is_told(
    project: Any, arguments: list[str], told: str
) -> None:
    """RUN-1: with --json too, where stdout stays JSON."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "x", "--genes", "a", *arguments)
    assert outcome.stderr == f"{told}created x: a, quota 10 MB\n"
    as_json = project.run("agent", "create", "y", "--genes", "a", *arguments, "--json")
    assert (as_json.json()["composition"], as_json.stderr) == ({"type": "Single"}, told)


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        (["--composition=Cond", "--when", "kind", "Eq", "fox"], "Cond", 'a where kind Eq "fox", else b'),
        (
            ["--composition=Par"],
            "Par",
            "a and b, each on the same input (the first that succeeds gives the output)",
        ),
        (
            ["--composition=Par", "--par-merge=merge"],
            "Par",
            "a and b, each on the same input (the output holds all of theirs)",
        ),
    ],
    ids=["predicate", "first", "merge"],
)
def test_how_genes_run_together_is_told_in_words(
    project: Any, arguments: list[str], kind: str, told: str
) -> None:
    """RUN-2: `agent show` and `agent genes` say the predicate and the merge."""
    for gene in ("a", "b"):
        project.add_gene(gene)
    project.run("agent", "create", "x", "--genes", "a", "b", *arguments)
    shown = project.run("agent", "show", "x").stdout.splitlines()
    assert {f"Runs as\t{kind}", f"Which means\t{told}"} <= set(shown)
    assert project.run("agent", "genes", "x") == (0, "a\nb\n", f"{kind}: {told}\n")


def test_the_new_agents_id_is_what_stdout_says(project: Any) -> None:
    """CLI-1, AGT-2."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "x", "--genes", "a")
    assert outcome.stdout == f"{agents(project)[0].id}\n"
    assert UUID(outcome.stdout.strip()).version == 4
    assert outcome.stderr == "created x: a, quota 10 MB\n"


def test_settings_are_stored(project: Any) -> None:
    """POL-2, QUO-1."""
    project.add_gene("a")
    outcome = project.run(
        *["agent", "create", "x", "--genes", "a", "--memory-quota=1.5MB", "--max-retention-days", "30"],
        *["--anonymization", "--auto-delete-on-termination", "--json"],
    )
    assert outcome.json() == {
        "id": agents(project)[0].id,
        "name": "x",
        "genes": ["a"],
        "composition": {"type": "Single"},
        "quotaBytes": 1_572_864,
        "dataPolicy": {
            "maxRetentionDays": 30,
            "autoDeleteOnTermination": True,
            "anonymizationSupported": True,
        },
    }


def test_defaults_are_the_pages(project: Any) -> None:
    """POL-2, QUO-1."""
    project.add_gene("a")
    created = project.run("agent", "create", "x", "--genes", "a", "--json").json()
    assert created["quotaBytes"] == 10_485_760
    assert created["dataPolicy"] == {
        "maxRetentionDays": None,
        "autoDeleteOnTermination": False,
        "anonymizationSupported": False,
    }


@pytest.mark.parametrize("case", QUOTA_TEXTS["accepted"], ids=lambda case: case["text"])
def test_a_quota_text_gives_an_agent_of_so_many_bytes(project: Any, case: dict[str, Any]) -> None:
    """QUO-2."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "x", "--genes", "a", f"--memory-quota={quota_text(case)}")
    assert outcome.exit_code == 0
    assert agents(project)[0].memory_quota_bytes == case["bytes"]


@pytest.mark.parametrize("case", QUOTA_TEXTS["refused"], ids=lambda case: case["name"])
def test_a_quota_text_that_is_none_creates_no_agent(project: Any, case: dict[str, Any]) -> None:
    """QUO-2, CLI-2: 2, the agent is not created."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "x", "--genes", "a", f"--memory-quota={quota_text(case)}")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("error[USAGE]: --memory-quota")
    assert len(outcome.stderr.splitlines()) == 2
    assert agents(project) == []


def test_a_quota_may_stand_apart_from_its_option(project: Any) -> None:
    project.add_gene("a")
    project.run("agent", "create", "x", "--genes", "a", "--memory-quota", "512kb")
    assert agents(project)[0].memory_quota_bytes == 524_288


@pytest.mark.parametrize("case", NAMES["accepted"], ids=lambda case: case["name"])
def test_a_name_that_an_agent_may_have(project: Any, case: dict[str, Any]) -> None:
    """AGT-2."""
    project.add_gene("a")
    assert project.run("agent", "create", agent_name(case), "--genes", "a").exit_code == 0
    assert [agent.name for agent in agents(project)] == [agent_name(case)]


@pytest.mark.parametrize("case", NAMES["refused"], ids=lambda case: case["name"])
def test_a_name_that_no_agent_has_is_refused(project: Any, case: dict[str, Any]) -> None:
    """AGT-2, CLI-2: by the argument alone."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "--genes=a", "--json", "--", agent_name(case))
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.error()["code"] == "AGENT_INVALID"
    assert agents(project) == []


def test_a_name_that_is_taken_is_refused(project: Any) -> None:
    """AGT-2, CLI-2: by what is there."""
    project.add_agent("x", "a")
    outcome = project.run("agent", "create", "x", "--genes", "a", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "AGENT_EXISTS")
    assert len(agents(project)) == 1


@pytest.mark.parametrize(
    "days", ["0", "-1", "1.5", "", "2147483648", "1_0", "٣", " 1", "1e2", "true", "none", "9" * 5000]
)
def test_days_that_no_policy_has_are_refused(project: Any, days: str) -> None:
    """POL-1, CLI-2."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "x", "--genes", "a", f"--max-retention-days={days}", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "USAGE")
    assert agents(project) == []


@pytest.mark.parametrize("genes", ["A", "../a", "a/b", "a,", ",a", "", "a b", "a\x1b[31m", "é", "."])
def test_a_word_that_names_no_gene_is_refused(project: Any, genes: str) -> None:
    """GEN-1, CLI-2."""
    project.add_gene("a")
    outcome = project.run("agent", "create", "x", f"--genes={genes}", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "GENE_INVALID")
    assert agents(project) == []


def test_a_gene_that_is_not_there_is_refused_with_its_neighbour(project: Any) -> None:
    """CLI-5."""
    project.add_gene("formatter")
    outcome = project.run("agent", "create", "x", "--genes", "formater", "--json")
    assert (outcome.exit_code, outcome.error()) == (
        1,
        {
            "code": "GENE_NOT_FOUND",
            "message": "there is no gene folder formater",
            "hint": "did you mean formatter?",
        },
    )


def test_a_broken_gene_is_refused(project: Any) -> None:
    (project.add_gene("a") / "phenotype.json").write_text("{")
    outcome = project.run("agent", "create", "x", "--genes", "a", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "GENE_INVALID")
    assert agents(project) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["x"],
        ["x", "--genes"],
        ["--genes", "a", "x"],
        ["x", "--genes", "a", "--memory-quota"],
        ["x", "a", "-g", "a"],
    ],
    ids=" ".join,
)
def test_a_call_that_lacks_or_has_too_much_is_refused(project: Any, arguments: list[str]) -> None:
    """CLI-2."""
    project.add_gene("a")
    outcome = project.run("agent", "create", *arguments)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("error[USAGE]: ")
    assert agents(project) == []
