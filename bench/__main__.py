"""Measures the goals and writes the table: `python -m bench`.

`--only NAME` measures the goals whose names begin so, and `--blocks N` takes fewer blocks; either leaves
docs/performance.md as it is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench import report
from bench.goals import GOALS, Bench, Goal
from bench.material import Material
from bench.measure import MIN_BLOCKS
from bench.peers import is_installed

SEED = 20260101


def _measured(goal: Goal, blocks: int) -> report.Row:
    if goal.needs is not None and not is_installed(goal.needs):
        return goal, None
    with tempfile.TemporaryDirectory(prefix="rotifer-bench-") as folder:
        return goal, goal.measure(Bench(Material(Path(folder)), blocks, SEED))


def main() -> int:
    """Runs the goals; the status is 0 even where one is missed, for the table says so."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures the goals.")
    parser.add_argument("--only", metavar="NAME", default="", help="the goals whose names begin so")
    parser.add_argument("--blocks", metavar="N", type=int, default=MIN_BLOCKS, help="blocks of each goal")
    arguments = parser.parse_args()
    goals = [goal for goal in GOALS if goal.name.startswith(arguments.only)]
    if not goals:
        parser.error(f"the goals are {', '.join(goal.name for goal in GOALS)}")
    print(report.machine())
    rows = []
    for goal in goals:
        rows.append(_measured(goal, arguments.blocks))
        print(report.line(rows[-1]), flush=True)
    if len(goals) == len(GOALS) and arguments.blocks >= MIN_BLOCKS:
        report.write_page(rows, arguments.blocks)
        print(f"written to {report.PAGE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
