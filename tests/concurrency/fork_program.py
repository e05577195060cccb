"""A program that opens a store, forks, and goes on using it on both sides. Started by test_forks.py.

    python fork_program.py SCENARIO PROJECT COUNT

Every writer makes COUNT writes. Exits 0 when no side saw an error.
"""

import os
import sys
import threading
import traceback
import warnings

from concurrency.jobs import OURS
from rotifer_store import open_store

CHILDREN = 4
THREADS = 4


def write_all(store, who, count):
    memory = store.gene_memory("main", OURS)
    for number in range(count):
        memory.write_memory(f"{who}/{number}", b"x" * 30, "PATTERN")
        assert memory.read_memory(f"{who}/{number}").value == b"x" * 30


def fork_one(work):
    """Runs `work` in a child; returns its process id."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def all_ended_well(pids):
    return not [pid for pid in pids if os.waitpid(pid, 0)[1] != 0]


def write_and_close(store, who, count):
    write_all(store, who, count)
    store.close()


def parent_writes_too(store, count):
    """Children and parent write at once; a child closes its side, and the parent goes on after that."""
    pids = [fork_one(lambda: write_and_close(store, f"child-{n}", count)) for n in range(CHILDREN)]  # noqa: B023
    write_all(store, "parent", count)
    ended_well = all_ended_well(pids)
    write_all(store, "parent-after", count)
    return ended_well


def threads_are_busy(store, count):
    """The forks happen while threads of the parent write, so a child is born amid another thread's call."""
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
    threads = [
        threading.Thread(target=write_all, args=(store, f"thread-{number}", count))
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    ended_well = parent_writes_too(store, count)
    for thread in threads:
        thread.join()
    return ended_well


def parent_closes_first(store, count):
    """The parent closes its side while a child has the store in use; the child writes on."""
    has_written, parent_said_so = os.pipe()
    may_go_on, child_said_so = os.pipe()

    def work():
        write_all(store, "child-before", count)
        os.write(parent_said_so, b".")
        os.read(may_go_on, 1)
        write_all(store, "child-after", count)
        store.close()

    pid = fork_one(work)
    os.read(has_written, 1)
    store.close()
    os.write(child_said_so, b".")
    return all_ended_well([pid])


SCENARIOS = {
    "parent writes too": parent_writes_too,
    "threads are busy": threads_are_busy,
    "parent closes first": parent_closes_first,
}


def main(scenario, project, count):
    store = open_store(project)
    write_all(store, "before", count)
    ended_well = SCENARIOS[scenario](store, count)
    store.close()
    return 0 if ended_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
