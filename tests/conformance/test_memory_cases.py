"""Every case of agent memory through every door; ``--cases DIR`` runs another folder of the same form."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from conformance.case_file import RawCase, parse_case, read_cases
from conformance.child_doors import python_child_door, typescript_child_door
from conformance.cli_door import CliDoor
from conformance.doors import Door, LibraryDoor
from conformance.doors_page import PAGE, render
from conformance.runner import run_case
from conformance.wasm_door import WasmDoor

OWN_CASES = Path(__file__).parent / "cases"
DOORS: dict[str, Callable[[], AbstractContextManager[Door]]] = {
    "library": lambda: nullcontext(LibraryDoor()),
    "python-child": python_child_door,
    "typescript-child": typescript_child_door,
    "wasm": WasmDoor,
    "cli": lambda: nullcontext(CliDoor()),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "raw_case" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--cases") or OWN_CASES
        runs = [
            pytest.param(raw, door, id=f"{door}::{raw.file_name.removesuffix('.json')}::{raw.case_id}")
            for raw in read_cases(chosen)
            for door in runs_of(raw)
        ]
        metafunc.parametrize(("raw_case", "door"), runs)


def runs_of(raw: RawCase) -> list[str]:
    """The doors that carry a case."""
    return [door for door in DOORS if door != "cli" or _has_deployer_steps(raw)]


def _has_deployer_steps(raw: RawCase) -> bool:
    """Whether the program takes part: gene calls go through the library there, and were tried already."""
    steps = raw.members.get("steps", [])
    return any(isinstance(step, dict) and "deployer" in step for step in steps)


def test_a_case_comes_out_as_it_says(raw_case: RawCase, door: str, tmp_path: Path) -> None:
    """The rules that the case names."""
    with DOORS[door]() as opened:
        run_case(parse_case(raw_case.members), opened, tmp_path)


def test_the_page_of_cases_and_doors_is_of_these_cases_and_doors() -> None:
    """A case or door that has come since has not been seen passing: run with `--update-doors`."""
    cases = list(read_cases(OWN_CASES))
    passed = {raw.case_id: set(runs_of(raw)) for raw in cases}
    assert PAGE.read_text() == render(cases, passed, list(DOORS))
