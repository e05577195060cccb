"""Starts spawned processes that begin their work at the same moment, and collects what they return."""

from __future__ import annotations

import multiprocessing
import os
import queue
import traceback

PATIENCE_S = 300
"""Longer than any crew needs; only a crew that hangs ever waits so long."""

IN_FULL = bool(os.environ.get("CI"))
"""The full counts of the tests, rather than those of `make test`."""


def run_together(*jobs):
    """The results of `jobs` in their order. A job is a function and its arguments.

    Each runs in a process of its own and gets a function `ready` first, to call when it has opened what it
    needs: it returns when all are ready. An exception in a job fails the crew with the job's own traceback.
    """
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(jobs))
    results = context.Queue()
    processes = [
        context.Process(target=_work, args=(number, barrier, results, function, arguments))
        for number, (function, *arguments) in enumerate(jobs)
    ]
    for process in processes:
        process.start()
    try:
        answers = dict(_collect(results, processes))
    finally:
        for process in processes:
            process.join(timeout=5)
            if process.is_alive():
                process.kill()
                process.join()
        results.close()
    return [answers[number] for number in range(len(jobs))]


def _collect(results, processes):
    for _ in processes:
        try:
            number, answer, trouble = results.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise AssertionError(f"exit codes {[process.exitcode for process in processes]}") from None
        assert trouble is None, f"job {number} failed:\n{trouble}"
        yield number, answer


def _work(number, barrier, results, function, arguments):
    try:
        answer = function(lambda: barrier.wait(PATIENCE_S), *arguments)
    except BaseException:
        barrier.abort()
        results.put((number, None, traceback.format_exc()))
    else:
        results.put((number, answer, None))
