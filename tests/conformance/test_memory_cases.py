"""Every case of agent memory through every door; ``--cases DIR`` runs another folder of the same form."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from conformance.case_file import RawCase, parse_case, read_cases
from conformance.doors import Door, LibraryDoor
from conformance.python_child_door import PythonChildDoor
from conformance.runner import run_case

OWN_CASES = Path(__file__).parent / "cases"
DOORS: dict[str, Callable[[], AbstractContextManager[Door]]] = {
    "library": lambda: nullcontext(LibraryDoor()),
    "python-child": PythonChildDoor,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "raw_case" in metafunc.fixturenames:
        cases = read_cases(metafunc.config.getoption("--cases") or OWN_CASES)
        ids = [f"{raw.file_name.removesuffix('.json')}::{raw.case_id}" for raw in cases]
        metafunc.parametrize("raw_case", cases, ids=ids)


@pytest.mark.parametrize("door_name", DOORS)
def test_a_case_comes_out_as_it_says(raw_case: RawCase, door_name: str, tmp_path: Path) -> None:
    """The rules that the case names."""
    with DOORS[door_name]() as door:
        run_case(parse_case(raw_case.members), door, tmp_path)
