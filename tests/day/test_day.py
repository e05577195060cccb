"""A deployer's day, as a script of the shell against the installed program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_a_deployers_day_goes_well() -> None:
    """CLI-1, CLI-2, AGT-6, AGT-9, REC-9: each step is checked by the script itself."""
    programs = Path(sys.executable).parent
    finished = subprocess.run(
        ["bash", Path(__file__).with_name("day.sh")],
        env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.endswith("== a good day\n")
