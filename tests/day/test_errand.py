"""A deployer's errand in the dashboard at a real terminal, as a script that drives tmux."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 36)])
def test_the_errand_is_done(columns: int, lines: int) -> None:
    """TUI-1, TUI-7, TUI-8: each step is checked by the script itself."""
    if shutil.which("tmux") is None:
        assert not os.environ.get("CI"), "tmux is not installed: CI must run the errand"
        pytest.skip("tmux is not installed")
    programs = Path(sys.executable).parent
    finished = subprocess.run(
        ["bash", Path(__file__).with_name("errand.sh"), str(columns), str(lines)],
        env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.endswith("== an errand done\n")
