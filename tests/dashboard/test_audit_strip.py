"""The newest audit lines at the bottom of the main screen (TUI-1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.driving import app_of, dashboard, drive, screen_text, settled, shows, until
from dashboard.log_lines import append, audit_log, line, make_store
from rotifer_console.dashboard.audit_screen import AuditScreen
from rotifer_console.dashboard.audit_strip import AuditStrip
from rotifer_console.dashboard.log_reading import LogReading
from rotifer_store import Gene, MemoryAccessDenied, open_store


@pytest.mark.parametrize(("size", "shown"), [((120, 36), 3), ((80, 24), 1), ((40, 12), 0)])
def test_the_strip_shows_the_newest_lines_that_there_is_room_for(
    tmp_path: Path, size: tuple[int, int], shown: int
) -> None:
    """The newest first; one line where the screen is low, none where it is narrow."""
    make_store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            append(audit_log(tmp_path), [line(7), line(8), line(9)])
            if shown:
                await until(pilot, lambda: shows(pilot, "key/000009"), "the new line")
            text = screen_text(pilot)
            rows = [number for number, each in enumerate(text) if "key/00000" in each]
            assert len(rows) == shown
            assert [text[row].split("key/")[1][:6] for row in rows] == ["000009", "000008", "000007"][:shown]
            assert shows(pilot, "audit · following") == (shown == 3)
            assert shows(pilot, " last, UTC ") == (shown == 1)

    drive(scenario)


def test_a_click_on_the_strip_opens_the_log(tmp_path: Path) -> None:
    """The mouse reaches what keys reach."""
    make_store(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(120, 36)) as pilot:
            await pilot.click(AuditStrip)
            await settled(pilot)
            assert isinstance(app_of(pilot).screen, AuditScreen)

    drive(scenario)


def test_the_strip_says_what_is_wrong_with_the_log_and_goes_on(tmp_path: Path) -> None:
    """A folder stands in the log's place for a while."""
    make_store(tmp_path)
    kept = tmp_path / "kept"

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(120, 36)) as pilot:
            audit_log(tmp_path).rename(kept)
            audit_log(tmp_path).mkdir()
            await until(pilot, lambda: shows(pilot, "audit · cannot be read"), "that it cannot be read")
            audit_log(tmp_path).rmdir()
            kept.rename(audit_log(tmp_path))
            await until(pilot, lambda: shows(pilot, "audit · following"), "that it can")
            assert shows(pilot, "http/etag/1")

    drive(scenario)


def test_the_strip_names_a_gene_as_soon_as_its_name_is_known(tmp_path: Path) -> None:
    """REC-2: a line stands before its gene is saved, and a look may come between."""
    make_store(tmp_path)
    newcomer = Gene("v2:" + "c" * 64, "note", "newcomer", "1.0.0")

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(120, 36)) as pilot:
            append(audit_log(tmp_path), [line(7, gene_id=newcomer.id)])
            await until(pilot, lambda: shows(pilot, "v2:cccccccccccc..."), "the gene without a name")
            with open_store(tmp_path) as store, pytest.raises(MemoryAccessDenied):
                store.gene_memory("main", newcomer).read_memory("formatter/indent")
            await until(pilot, lambda: shows(pilot, "newcomer"), "its name")

    drive(scenario)


def test_the_strip_counts_no_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TUI-10: it reads the log's end, however long the log is."""
    make_store(tmp_path)
    polls: list[int] = []
    monkeypatch.setattr(LogReading, "poll", lambda *_: polls.append(1))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(120, 36)) as pilot:
            await until(pilot, lambda: shows(pilot, "http/etag/1 "), "the newest line")
            assert polls == []

    drive(scenario)
