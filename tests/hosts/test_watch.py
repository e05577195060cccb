"""The watch on a gene's deadline: it ends what is late, once, and nothing that was in time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from rotifer_console.hosts.watch import Watch


class Ends:
    """Counts how often something was ended."""

    def __init__(self) -> None:
        self.count = 0
        self._ended = threading.Condition()

    def end(self) -> None:
        with self._ended:
            self.count += 1
            self._ended.notify_all()

    def reach(self, count: int) -> bool:
        with self._ended:
            return self._ended.wait_for(lambda: self.count >= count, timeout=30)


@pytest.fixture
def ends() -> Ends:
    return Ends()


@pytest.fixture
def watch(ends: Ends) -> Iterator[Watch]:
    made = Watch(ends.end)
    yield made
    made.close()


def test_what_does_not_rest_in_time_is_ended_once(watch: Watch, ends: Ends) -> None:
    """HST-4: and so is what comes after it."""
    for count in (1, 2, 3):
        watch.begin(0.01)
        assert ends.reach(count)
        watch.rest()
    assert ends.count == 3


def test_an_earlier_deadline_than_the_last_one_wakes_the_watch(watch: Watch, ends: Ends) -> None:
    """HST-4: although it sleeps until the one of a run long over."""
    for _ in range(3):
        watch.begin(600)
        watch.rest()
    watch.begin(0.01)
    assert ends.reach(1)


def test_what_rests_is_never_ended_even_when_the_watch_wakes_for_it(watch: Watch, ends: Ends) -> None:
    """HST-4: a run that was in time, followed by one that has longer."""
    for _ in range(20):
        watch.begin(0.005)
        watch.rest()
    watch.begin(600)
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        assert ends.count == 0
    watch.rest()
    watch.begin(0.01)
    assert ends.reach(1)


def test_a_closed_watch_leaves_no_thread(ends: Ends) -> None:
    before = threading.active_count()
    for begin_s in (None, 600.0):
        watch = Watch(ends.end)
        if begin_s is not None:
            watch.begin(begin_s)
        watch.close()
    assert threading.active_count() == before
    assert ends.count == 0
