"""The cases and the table of rules cover each other: no case without a rule, no rule without a proof."""

import re
from pathlib import Path
from typing import Final

import pytest

from conformance.case_file import read_cases

HERE: Final = Path(__file__).parent
PROJECT: Final = HERE.parents[1]
FAMILIES: Final = "ENT|CAT|ACC|POL|QUO|INP|ERR|REC|AGT"

PROVED_ELSEWHERE: Final = {
    "POL-7": "a case cannot make the audit log unwritable",
    "QUO-2": "the text of --memory-quota is the command line's",
    "QUO-6": "a case has one caller at a time; the rule is about many",
    "REC-2": "a case cannot make the audit log unwritable",
    "REC-3": "a case cannot stop a process in the middle of a change",
    "REC-6": "a case sees memory, not sockets",
    "REC-7": "a case sees memory, not file modes and links",
    "REC-9": "a case cannot move, cut or rotate the audit log",
    "REC-10": "a case sees memory, not the bytes of the database file",
    "AGT-2": "a case's agents are made before its first step and must succeed",
    "AGT-7": "a case's memory is an agent's, and never thrown away",
    "AGT-8": "a case's genes are an agent's",
    "AGT-9": "the form has no step that changes a genome",
    "AGT-10": "the form has no step that looks at the genes seen",
    "AGT-11": "a case sees memory, not what help and docs advise",
}
"""Rules without a case, and why; a test outside this folder names each of them."""

NOTHING_TO_PROVE: Final = {
    "CAT": "names the family's table; its columns are proved as QUO-4, AGT-6 and CAT-1",
    "AGT-5": "says that there is no such command",
}
"""Rules that no test of today can prove, and why."""


def stated_rules() -> set[str]:
    """Returns the ids that the table of rules states: those that open a row."""
    text = (PROJECT / "docs" / "rules.md").read_text(encoding="utf-8")
    return set(re.findall(rf"^\|\s*((?:{FAMILIES})(?:-\d+a?)?)\s*\|", text, re.MULTILINE))


def rules_of_cases() -> dict[str, set[str]]:
    """Returns the rules that each of the project's own cases names."""
    return {raw.case_id: set(raw.members["rules"]) for raw in read_cases(HERE / "cases")}


def test_every_case_names_rules_that_exist() -> None:
    stated = stated_rules()
    assert {case: rules - stated for case, rules in rules_of_cases().items() if rules - stated} == {}


def test_every_rule_has_a_case_or_a_reason() -> None:
    cased = set().union(*rules_of_cases().values())
    assert stated_rules() - cased == PROVED_ELSEWHERE.keys() | NOTHING_TO_PROVE.keys()


@pytest.mark.parametrize("family", FAMILIES.split("|"))
def test_the_rules_of_a_family_have_no_gap(family: str) -> None:
    """A rule that fell out of the table would need neither case nor reason."""
    numbers = sorted(
        int(rule.removeprefix(f"{family}-").removesuffix("a"))
        for rule in stated_rules()
        if rule.startswith(f"{family}-")
    )
    assert sorted(set(numbers)) == list(range(1, len(set(numbers)) + 1))
    assert numbers or family in stated_rules()


@pytest.mark.parametrize("rule", PROVED_ELSEWHERE)
def test_a_rule_without_a_case_is_named_by_another_test(rule: str) -> None:
    tests = [path for path in (PROJECT / "tests").rglob("test_*.py") if HERE not in path.parents]
    name = re.compile(rf"\b{re.escape(rule)}\b(?!\d|a\b)")
    assert any(name.search(path.read_text(encoding="utf-8")) for path in tests)
