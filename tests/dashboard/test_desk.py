"""The threads beside the screen's: what is done, in which order, what leaving waits for (TUI-9, TUI-7)."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from rotifer_console.dashboard import desk as desk_module
from rotifer_console.dashboard.desk import Desk, Lane
from rotifer_store import MemoryStorageError, Store

WAIT_S = 20.0
A_STORE = cast("Store", object())


class Screen:
    """The screen's thread is the test's: what is told waits here until it looks."""

    def __init__(self, store: Callable[[], Store] = lambda: A_STORE) -> None:
        self.told: queue.Queue[Callable[[], None]] = queue.Queue()
        self.results: list[Any] = []
        self.refusals: list[Exception] = []
        self.defects: list[Exception] = []
        self.gates: list[threading.Event] = []
        self.desk = Desk(store, self.told.put, self.defects.append)

    def ask(self, lane: Lane, slot: str, work: Callable[[Store], Any]) -> None:
        self.desk.ask(lane, slot, work, self.results.append, self.refusals.append)

    def shut(self, lane: Lane) -> threading.Event:
        """Has the lane do something until the gate is opened; returns once it is at it."""
        begun, gate = threading.Event(), threading.Event()
        self.gates.append(gate)
        self.ask(lane, "gate", lambda _: (begun.set(), gate.wait(WAIT_S))[1])
        assert begun.wait(WAIT_S)
        return gate

    def take_in(self, jobs: int) -> None:
        """Does what the next so many jobs have told."""
        for _ in range(jobs):
            self.told.get(timeout=WAIT_S)()


@pytest.fixture
def screen() -> Iterator[Screen]:
    screen = Screen()
    yield screen
    for gate in screen.gates:
        gate.set()
    screen.desk.leave(*Lane)


def test_work_is_done_beside_the_screen_and_its_result_comes_back_to_it(screen: Screen) -> None:
    """TUI-9: nothing is shown by another thread than the screen's."""
    screen.ask(Lane.LOOK, "look", lambda store: (store, threading.current_thread()))
    told = screen.told.get(timeout=WAIT_S)
    assert screen.results == []
    told()
    ((store, thread),) = screen.results
    assert store is A_STORE
    assert thread is not threading.current_thread()


def test_of_one_slot_only_the_newest_is_done_and_a_lane_keeps_its_order(screen: Screen) -> None:
    """What was asked while the lane was busy is done in the order in which it was last asked."""
    gate = screen.shut(Lane.LOOK)
    for slot, name in [("a", "a1"), ("b", "b1"), ("a", "a2"), ("c", "c1"), ("a", "a3"), ("b", "b2")]:
        screen.ask(Lane.LOOK, slot, lambda _, name=name: name)
    gate.set()
    screen.take_in(4)
    assert screen.results == [True, "c1", "a3", "b2"]
    assert screen.told.empty()


def test_what_has_begun_is_not_dropped_for_the_next_of_its_slot(screen: Screen) -> None:
    """Both are told: the one that was under way, and the one that was asked meanwhile."""
    gate = screen.shut(Lane.ENTRY)
    screen.ask(Lane.ENTRY, "gate", lambda _: "the next")
    gate.set()
    screen.take_in(2)
    assert screen.results == [True, "the next"]


@pytest.mark.parametrize("other", [lane for lane in Lane if lane is not Lane.LOOK])
def test_no_lane_waits_for_another(screen: Screen, other: Lane) -> None:
    """TUI-9: a look that takes its time keeps no change, no log and no entry waiting."""
    gate = screen.shut(Lane.LOOK)
    screen.ask(other, "it", lambda _: "done")
    screen.take_in(1)
    assert screen.results == ["done"]
    assert screen.desk.is_busy(Lane.LOOK)
    gate.set()


@pytest.mark.parametrize("error", [MemoryStorageError("locked"), PermissionError("no")], ids=repr)
def test_a_refusal_is_told_to_whoever_asked(screen: Screen, error: Exception) -> None:
    """TUI-9: a store that fails is something to be said, and the lane goes on."""

    def refuse(_: Store) -> None:
        raise error

    screen.ask(Lane.CHANGE, "it", refuse)
    screen.ask(Lane.CHANGE, "next", lambda _: "the next")
    screen.take_in(2)
    assert (screen.refusals, screen.results, screen.defects) == ([error], ["the next"], [])


def test_a_store_that_cannot_be_opened_is_such_a_refusal() -> None:
    """TUI-9."""
    error = MemoryStorageError("it is no database")

    def cannot() -> Store:
        raise error

    screen = Screen(cannot)
    screen.ask(Lane.LOOK, "look", lambda _: "never")
    screen.take_in(1)
    assert (screen.refusals, screen.results) == ([error], [])


def test_work_that_needs_no_store_opens_none() -> None:
    """TUI-5: a log is read without it."""
    opened: list[int] = []
    screen = Screen(lambda: (opened.append(1), A_STORE)[1])
    desk = screen.desk
    desk.ask_without_store(Lane.LOG, "log", lambda _: "read", screen.results.append, screen.refusals.append)
    screen.take_in(1)
    assert (screen.results, opened) == (["read"], [])
    desk.ask_without_store(
        Lane.LOG, "log", lambda store: store(), screen.results.append, screen.refusals.append
    )
    screen.take_in(1)
    assert (screen.results[1], opened) == (A_STORE, [1])


def test_a_defect_is_told_to_the_program_and_to_nobody_else(screen: Screen) -> None:
    """TUI-12: whoever runs the program ends it with one line."""
    error = TypeError("a defect")

    def break_down(_: Store) -> None:
        raise error

    screen.ask(Lane.ENTRY, "it", break_down)
    told = screen.told.get(timeout=WAIT_S)
    assert screen.defects == []
    told()
    assert (screen.defects, screen.refusals, screen.results) == ([error], [], [])


def test_a_lane_is_busy_until_its_result_has_been_told(screen: Screen) -> None:
    """Whoever leaves counts on it."""
    assert not screen.desk.is_busy(Lane.CHANGE)
    gate = screen.shut(Lane.CHANGE)
    screen.ask(Lane.CHANGE, "waits", lambda _: None)
    assert screen.desk.is_busy(Lane.CHANGE)
    gate.set()
    assert screen.desk.leave(Lane.CHANGE)
    assert not screen.desk.is_busy(Lane.CHANGE)
    assert screen.told.qsize() == 2


def test_leaving_finishes_every_change_first_and_no_look(screen: Screen) -> None:
    """TUI-7: what was confirmed is done, also what still waited; a look that hangs is left behind."""
    screen.shut(Lane.LOOK)
    gate = screen.shut(Lane.CHANGE)
    done: list[str] = []
    for name in ("first", "second"):
        screen.ask(Lane.CHANGE, name, lambda _, name=name: done.append(name))
    threading.Timer(0.02, gate.set).start()
    assert screen.desk.leave(Lane.CHANGE)
    assert done == ["first", "second"]
    assert screen.desk.is_busy(Lane.LOOK)


def test_leaving_at_once_waits_for_nothing_and_says_that_something_is_not_done(screen: Screen) -> None:
    """TUI-7: then the store must not be closed under it."""
    screen.shut(Lane.CHANGE)
    begun = time.monotonic()
    assert not screen.desk.leave(Lane.CHANGE, at_once=True)
    assert screen.desk.leave(Lane.LOOK, at_once=True)
    assert time.monotonic() - begun < desk_module._LEAVE_S / 2


def test_leaving_does_not_wait_for_ever(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """TUI-7: a change that hangs does not keep the program for ever."""
    monkeypatch.setattr(desk_module, "_LEAVE_S", 0.02)
    screen.shut(Lane.CHANGE)
    assert not screen.desk.leave(Lane.CHANGE)
