"""Keeps what a run of the cases came to, and writes the page of cases and doors where it is asked to."""

from __future__ import annotations

from collections import defaultdict

import pytest

from conformance.case_file import read_cases
from conformance.doors_page import PAGE, render
from conformance.test_memory_cases import DOORS, OWN_CASES, runs_of

PASSED: dict[str, set[str]] = defaultdict(set)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Seen by the process that the run was started as, whichever one ran the test."""
    if report.when == "call" and report.passed and "test_a_case_comes_out" in report.nodeid:
        door, _, case_id = report.nodeid.partition("[")[2].removesuffix("]").split("::")
        PASSED[case_id].add(door)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the page, if every case has passed through every door that carries it."""
    if not session.config.getoption("--update-doors") or hasattr(session.config, "workerinput"):
        return
    cases = list(read_cases(OWN_CASES))
    if all(PASSED[raw.case_id] == set(runs_of(raw)) for raw in cases):
        PAGE.write_text(render(cases, PASSED, list(DOORS)))
