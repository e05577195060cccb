"""The manifest of reported faults is whole, and every proof that it names is there."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from bugs.manifest import IDS, LATER_PARTS, REPORTS, Report

ROOT = Path(__file__).parents[2]
BY_ID = {report.id: report for report in REPORTS}


def test_every_report_stands_in_the_manifest_exactly_once_and_in_order() -> None:
    """No row is missing, none is unknown, none stands twice."""
    assert [report.id for report in REPORTS] == list(IDS)
    assert len(set(IDS)) == len(IDS) == 90
    assert sorted(IDS, key=lambda report_id: int(report_id.removeprefix("B"))) == list(IDS)


@pytest.mark.parametrize("report", REPORTS, ids=BY_ID)
def test_a_row_says_what_it_is_about_and_where_its_proof_stands(report: Report) -> None:
    """Proved, or of a later part, or impossible; a row may be several of these."""
    assert re.fullmatch(r"B\d{2,3}", report.id)
    assert re.fullmatch(r"[A-Z][^\n]+\.", report.what)
    assert report.origin == "own case" or re.search(r"[\w.-]+ ?(PR)?#\d+", report.origin)
    assert report.proved_by or report.later or report.cannot
    assert set(report.later.split(", ") if report.later is not None else ()) <= set(LATER_PARTS)
    assert len(set(report.proved_by)) == len(report.proved_by)


@pytest.mark.parametrize("report", [report for report in REPORTS if report.proved_by], ids=lambda row: row.id)
def test_every_proof_that_a_row_names_is_there(report: Report) -> None:
    """A test that was renamed or removed takes its row along."""
    missing = [
        reference
        for reference in report.proved_by
        if reference.partition("::")[2] not in names_in(reference.partition("::")[0])
    ]
    assert missing == []


def test_every_test_of_this_folder_proves_a_row() -> None:
    """The tests here are for reported faults; what proves none belongs elsewhere."""
    named = Counter(reference for report in REPORTS for reference in report.proved_by)
    here = [
        f"{file.relative_to(ROOT).as_posix()}::{name}"
        for file in sorted(Path(__file__).parent.glob("test_*.py"))
        if file != Path(__file__)
        for name in sorted(names_in(file.relative_to(ROOT).as_posix()))
    ]
    assert here != []
    assert [reference for reference in here if reference not in named] == []


@cache
def names_in(file: str) -> frozenset[str]:
    """The tests of a module, or the ids of a file of cases; none where there is no such file."""
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    if path.suffix == ".json":
        return frozenset(case["id"] for case in json.loads(path.read_bytes())["cases"])
    names = set()
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(
                target.id
                for target in node.targets
                if isinstance(target, ast.Name) and target.id.startswith("Test")
            )
    return frozenset(names)
