"""The store behind the dashboard: opened when it is needed, once, and again when it came back (TUI-9)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dashboard.dialogs import make_project
from rotifer_console.dashboard import door as door_module
from rotifer_console.dashboard.door import Door, NoStoreYet
from rotifer_store import FixedClock, MemoryStorageError, SystemClock, open_store

WAIT_S = 20.0
NOW_US = 1_900_000_000_000_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_project(tmp_path, ("a", "CACHE"))
    return tmp_path


def a_door(project: Path, *, read_only: bool = False, clock: SystemClock | None = None) -> Door:
    return Door(project, read_only=read_only, clock=clock or SystemClock())


def test_looking_at_a_project_without_a_store_makes_none(tmp_path: Path) -> None:
    """TUI-9."""
    door = a_door(tmp_path)
    for _ in range(2):
        with pytest.raises(NoStoreYet, match="this project has no agents yet"):
            door.store()
    assert list(tmp_path.iterdir()) == []


def test_a_project_gets_its_store_where_its_first_agent_is_created(tmp_path: Path) -> None:
    """AGT-2: only then."""
    door = a_door(tmp_path)
    door.creates = True
    door.store().create_agent("main")
    door.close()
    with open_store(tmp_path) as store:
        assert [agent.name for agent in store.agents()] == ["main"]


def test_a_dashboard_that_only_looks_makes_no_store_even_when_asked(tmp_path: Path) -> None:
    """TUI-9."""
    door = a_door(tmp_path, read_only=True)
    door.creates = True
    with pytest.raises(MemoryStorageError):
        door.store()
    assert not (tmp_path / ".rotifer").exists()


def test_however_many_ask_at_once_one_store_is_opened(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes share it; here eight threads begin together."""
    opened: list[int] = []
    together = threading.Barrier(8, timeout=WAIT_S)
    monkeypatch.setattr(
        door_module, "open_store", lambda *args, **named: (opened.append(1), open_store(*args, **named))[1]
    )
    door = a_door(project)

    def ask(_: int) -> Any:
        together.wait()
        return door.store()

    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(ask, range(8)))
    assert {id(store) for store in stores} == {id(door.store())}
    assert opened == [1]
    door.close()


def test_a_door_that_was_closed_opens_the_store_that_stands_there_now(project: Path, tmp_path: Path) -> None:
    """TUI-9: also where another one has taken its place."""
    door = a_door(project)
    first = door.store()
    door.close()
    other = tmp_path / "other"
    other.mkdir()
    make_project(other, ("b", "CACHE"))
    (project / ".rotifer").rename(project / "aside")
    (other / ".rotifer").rename(project / ".rotifer")
    again = door.store()
    assert again is not first
    assert [entry.key for entry in again.browse_memory("main").rows] == ["b"]
    door.close()


def test_a_door_that_was_never_opened_can_be_closed(project: Path) -> None:
    """Leaving before the first look."""
    a_door(project).close()


def test_closing_does_not_wait_for_a_store_that_is_being_opened(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-9: it may take for ever; it is left alone."""
    begun, gate = threading.Event(), threading.Event()

    def slow(*args: Any, **named: Any) -> Any:
        begun.set()
        gate.wait(WAIT_S / 2)
        return open_store(*args, **named)

    monkeypatch.setattr(door_module, "open_store", slow)
    door = a_door(project)
    with ThreadPoolExecutor(2) as threads:
        opening = threads.submit(door.store)
        assert begun.wait(WAIT_S)
        threads.submit(door.close).result(2)
        assert not opening.done()
        gate.set()
        store = opening.result(WAIT_S)
    assert store.agents()
    assert door.store() is store
    door.close()


def test_a_dashboard_that_only_looks_has_a_store_that_takes_no_change(project: Path) -> None:
    """TUI-9."""
    door = a_door(project, read_only=True)
    store = door.store()
    with pytest.raises(MemoryStorageError):
        store.delete_memory("main", key="a")
    door.close()
    with open_store(project) as after:
        assert after.browse_memory("main").total == 1


def test_the_store_tells_time_by_the_dashboards_clock(project: Path) -> None:
    """TUI-3: countdowns and expiries are told by the same one."""
    door = a_door(project, clock=FixedClock(NOW_US))
    assert door.store().create_agent("later").created_at.timestamp() == NOW_US // 1_000_000
    door.close()
