"""A shell that knows one job: `python job_shell.py COMMAND…` runs it in front, and takes over when it stops.

`f` and `b`, a line each, let it go on in front or behind. It says `stopped` whenever the job has stopped, and
ends as the job does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys


def run(command: list[str]) -> int:
    """Runs the job to its end; its status."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # it takes the terminal back from behind
    job = subprocess.Popen(command, preexec_fn=_come_to_the_front)
    print(f"job {job.pid}", file=sys.stderr, flush=True)
    while True:
        _, status = os.waitpid(job.pid, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)
        print("stopped", file=sys.stderr, flush=True)
        if sys.stdin.readline() == "f\n":
            os.tcsetpgrp(0, job.pid)
        os.killpg(job.pid, signal.SIGCONT)


def _come_to_the_front() -> None:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
