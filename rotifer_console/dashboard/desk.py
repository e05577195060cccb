"""Where the store's work is done: threads beside the screen's, one for each lane (TUI-9).

A lane does one thing at a time, in order; where several are asked of one slot, only the newest is done. So a
store that takes seconds for a call delays what it shows, and never a key.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from rotifer_store import RotiferStoreError, Store

_LEAVE_S: Final = 10.0

Result = TypeVar("Result")
Tell = Callable[[Callable[[], None]], None]
"""Takes something to be done on the screen's thread, from any other one."""


class Lane(StrEnum):
    """What may wait for each other. Changes never wait for a look, and are finished before leaving."""

    LOOK = "look"
    ENTRY = "entry"
    LOG = "log"
    LONG = "long"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Any]
    then: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Desk:
    """Takes jobs from the screen's thread and brings their results back to it.

    A class because it owns threads. They are daemons: a look that hangs does not keep the program from
    leaving.
    """

    def __init__(self, store: Callable[[], Store], tell: Tell, broken: Callable[[Exception], None]) -> None:
        """Opens no thread yet.

        Args:
            store: the store as it is now, opened when first asked for; may raise what the library raises.
            tell: hands something over to the screen's thread.
            broken: told, on the screen's thread, of an error that is no refusal of the library's.
        """
        self._store = store
        self._tell = tell
        self._broken = broken
        self._lanes: dict[Lane, _Worker] = {}

    def ask(
        self,
        lane: Lane,
        slot: str,
        work: Callable[[Store], Result],
        then: Callable[[Result], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Has `work` done in the lane; then `then` or `failed` is called on the screen's thread.

        A job of the same slot that has not begun is dropped. `failed` gets what the library refuses.
        """
        self.ask_without_store(lane, slot, lambda open_store: work(open_store()), then, failed)

    def ask_without_store(
        self,
        lane: Lane,
        slot: str,
        work: Callable[[Callable[[], Store]], Result],
        then: Callable[[Result], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """The same for work that opens the store only where it must: a log can be read without it."""
        worker = self._lanes.get(lane)
        if worker is None:
            worker = self._lanes[lane] = _Worker(lane, self._do)
        worker.put(slot, _Job(lambda: work(self._store), then, failed))

    def is_busy(self, lane: Lane) -> bool:
        """Whether something of the lane waits or is being done."""
        worker = self._lanes.get(lane)
        return worker is not None and worker.is_busy

    def doing_s(self, lane: Lane) -> float:
        """How long what the lane is doing has taken so far; 0 where it does nothing."""
        worker = self._lanes.get(lane)
        return 0.0 if worker is None else worker.doing_s

    def leave(self, *finished_first: Lane, at_once: bool = False) -> bool:
        """Ends the lanes, some of them only when they are done; whether those are.

        Args:
            finished_first: the lanes that are waited for.
            at_once: wait for none of them.
        """
        for lane, worker in self._lanes.items():
            worker.end(_LEAVE_S if lane in finished_first and not at_once else 0)
        return not any(self.is_busy(lane) for lane in finished_first)

    def _do(self, job: _Job) -> None:
        try:
            result = job.work()
        except (RotiferStoreError, OSError) as error:
            refusal = error
            self._tell(lambda: job.failed(refusal))
        except Exception as error:
            defect = error
            self._tell(lambda: self._broken(defect))
        else:
            self._tell(lambda: job.then(result))


class _Worker:
    """One thread and the jobs that wait for it, the newest of each slot."""

    def __init__(self, lane: Lane, do: Callable[[_Job], None]) -> None:
        self._do = do
        self._waiting: OrderedDict[str, _Job] = OrderedDict()
        self._changed = threading.Condition()
        self._began_at: float | None = None
        self._is_ended = False
        self._thread = threading.Thread(target=self._run, name=f"dashboard-{lane}", daemon=True)
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        with self._changed:
            return self._began_at is not None or bool(self._waiting)

    @property
    def doing_s(self) -> float:
        with self._changed:
            return 0.0 if self._began_at is None else time.monotonic() - self._began_at

    def put(self, slot: str, job: _Job) -> None:
        with self._changed:
            self._waiting.pop(slot, None)
            self._waiting[slot] = job
            self._changed.notify()

    def end(self, wait_s: float) -> None:
        with self._changed:
            self._is_ended = True
            self._changed.notify()
        if wait_s:
            self._thread.join(wait_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._began_at = None
                while not self._waiting and not self._is_ended:
                    self._changed.wait()
                if not self._waiting:
                    return
                _, job = self._waiting.popitem(last=False)
                self._began_at = time.monotonic()
            self._do(job)
