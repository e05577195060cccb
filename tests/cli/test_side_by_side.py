"""Commands of several processes at once on one project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).with_name("rotifer")


def test_listings_and_runs_never_lock_each_other_out(project: Any) -> None:
    """QUO-6, CLI-2: each listing is whole, each run lands, nobody is refused."""
    project.add_agent()
    children = [
        subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=project.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
        for arguments in (
            ["agent", "run", "main", "--input", json.dumps({"write": [[f"k{number}", "v", "CACHE"]]})],
            ["memory", "list", "main", "--json"],
        )
    ]
    for child in children:
        stdout, stderr = child.communicate(timeout=60)
        assert (child.returncode, stderr) == (0, "")
        json.loads(stdout)
    listing = project.run("memory", "list", "main", "--json").json()
    assert {entry["key"] for entry in listing} == {f"k{number}" for number in range(8)}
