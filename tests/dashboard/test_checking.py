"""What the header says of the audit log is what is so now, or says when it was (REC-9, TUI-9)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dashboard.dialogs import make_project, write
from dashboard.driving import app_of, dashboard, drive, press, settled, shows, until
from rotifer_console.dashboard import checking, deeds
from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.glyphs import UNICODE
from rotifer_store import Finding, FixedClock, Store, SystemClock, open_store


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small store, looked at often."""
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))
    monkeypatch.setattr(deeds, "_CHECK_EVERY_S", 0.1)
    return tmp_path


def tamper(project: Path) -> None:
    """Changes a line of the log and not its length."""
    log = project / ".rotifer" / "audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"key":"one"', b'"key":"0ne"'))


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120x36", "80x24"])
def test_a_line_that_is_changed_later_is_found_without_a_key_pressed(
    project: Path, size: tuple[int, int]
) -> None:
    """The store did not change, only its log."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            await until(pilot, lambda: shows(pilot, "audit ok"), "the first check")
            tamper(project)
            await until(pilot, lambda: shows(pilot, "finding"), "the next check")
            assert not shows(pilot, "audit ok")

    drive(scenario)


def test_nothing_is_checked_again_while_nothing_changes(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-5: an idle dashboard does next to nothing."""
    checks: list[int] = []
    verify = Store.verify
    monkeypatch.setattr(Store, "verify", lambda store: checks.append(1) or verify(store))

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await until(pilot, lambda: shows(pilot, "audit ok"), "the first check")
            looked: list[int] = []
            state_of = checking._state_of
            monkeypatch.setattr(checking, "_state_of", lambda *of: looked.append(1) or state_of(*of))
            await until(pilot, lambda: len(looked) > 3, "some looks")
            assert len(checks) == 1
            with open_store(project) as store:
                write(store, ("three", "CACHE"))
            await until(pilot, lambda: len(checks) == 2, "a check of what was written")
            await settled(pilot)
            assert shows(pilot, "audit ok")

    drive(scenario)


def test_a_large_store_is_checked_when_asked_and_the_header_says_when_that_was(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-10: it is not checked by itself, and what was found may be so no longer."""
    monkeypatch.setattr(checking, "_SMALL_ENTRIES", 1)
    clock = FixedClock(SystemClock().now_us() // 86_400_000_000 * 86_400_000_000 + 3_661_000_000)

    async def scenario() -> None:
        async with dashboard(project, clock=clock) as pilot:
            assert shows(pilot, "audit not checked")
            await press(pilot, "exclamation_mark")
            await until(pilot, lambda: shows(pilot, "audit ok at 01:01:01Z"), "the check")
            tamper(project)
            await until(pilot, lambda: app_of(pilot).main._checked.at_us > 0, "a check")
            await settled(pilot, 0.3)
            assert shows(pilot, "audit ok at 01:01:01Z")
            await press(pilot, "exclamation_mark")
            await until(pilot, lambda: shows(pilot, "at 01:01:01Z") and shows(pilot, "finding"), "findings")

    drive(scenario)


def test_what_a_check_on_demand_found_is_not_replaced_by_an_older_look(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-9: a look of its own was asked for before, and comes after it."""
    monkeypatch.setattr(checking, "_SMALL_ENTRIES", 1)
    gate = threading.Event()
    verify = Store.verify
    monkeypatch.setattr(Store, "verify", lambda store: gate.wait(20) and verify(store))

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            tamper(project)
            main = app_of(pilot).main
            main.do_verify()
            await until(pilot, lambda: main._is_checking, "a look that waits behind the check")
            gate.set()
            await until(pilot, lambda: main._checked.findings is not None, "the check")
            await until(pilot, lambda: not main._is_checking, "the look")
            assert main._checked.findings
            await press(pilot, "escape")
            assert shows(pilot, "finding")
            assert not shows(pilot, "audit not checked")

    drive(scenario)


def test_a_small_store_is_checked_once_however_often_it_is_looked_at_meanwhile(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-5: a check that is on its way is not asked for again."""
    gate = threading.Event()
    checks: list[int] = []
    verify = Store.verify

    def held(store: Store) -> list[Finding]:
        checks.append(1)
        gate.wait(20)
        return verify(store)

    monkeypatch.setattr(Store, "verify", held)

    async def scenario() -> None:
        app = ConsoleApp(project, glyphs=UNICODE)
        async with app.run_test(size=(120, 36)) as pilot:
            await until(pilot, lambda: bool(checks), "the first check")
            for _ in range(3):
                app.main.looked()
            gate.set()
            await until(pilot, lambda: shows(pilot, "audit ok"), "its end")
            await settled(pilot)
            assert len(checks) == 1

    drive(scenario)
