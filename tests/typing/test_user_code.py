"""What a user's checker says of code on the public face: nothing, and every mistake is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

USER_CODE = Path(__file__).parent / "user_code"


@pytest.fixture
def report(tmp_path: Path, pytestconfig: pytest.Config) -> str:
    """What `mypy --strict` says of the folder, seen from a project that has only installed the package."""
    cache = pytestconfig.cache
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--warn-unreachable", "--no-error-summary"),
            *(
                "--config-file",
                "",
                "--cache-dir",
                str(cache.mkdir("mypy") if cache is not None else tmp_path),
            ),
            *sorted(str(path) for path in USER_CODE.glob("*.py")),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_a_strict_checker_accepts_user_code_and_finds_every_mistake(report: str) -> None:
    """python-api: typed throughout; an ignore that ignores nothing is itself an error."""
    assert report == ""
