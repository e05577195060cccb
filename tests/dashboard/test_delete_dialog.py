"""Deleting from the dashboard: the dialog, and what goes (TUI-7; complaints 49 to 52, 55)."""

from __future__ import annotations

import stat
from contextlib import ExitStack
from pathlib import Path

import pytest
from textual.events import Key, Paste

from dashboard.dialogs import (
    FETCH,
    box_lines,
    box_shows,
    command,
    dialog_in,
    focused_label,
    is_open,
    keys_of,
    locked,
    make_project,
    open_dialog,
    said,
    type_text,
    write,
)
from dashboard.driving import (
    app_of,
    dashboard,
    drive,
    press,
    settled,
    shows,
    until,
)
from rotifer_console.dashboard import dialog as dialog_module
from rotifer_console.dashboard.cells import cell_text
from rotifer_console.dashboard.choices import Toggle
from rotifer_store import AuditRecord, open_store

HOSTILE_KEYS = {
    "a line that erases": "a\r\x1b[2Kdelete nothing",
    "text that runs backwards": "user\u202etxt.exe",
    "two lines": "one\ntwo",
    "as long as a key can be": "k" * 1024,
    "long and hidden": "\u2066" * 341,
    "markup": "[/][@click=app.quit]x[/]",
    "a blank at its end": "key ",
    "a joiner": "\u200dkey",
}


def test_the_dialog_names_key_size_and_creator_and_begins_on_cancel(tmp_path: Path) -> None:
    """TUI-7."""
    make_project(tmp_path, ("formatter/indent", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            line = next(line for line in box_lines(pilot) if "by indent" in line and "25 B" in line)
            assert "formatter/indent" in line
            assert "CACHE" in line
            assert focused_label(pilot) == "Cancel"
            await press(pilot, "enter")
            assert not is_open(pilot)
        assert keys_of(tmp_path) == {"formatter/indent"}

    drive(scenario)


@pytest.mark.parametrize("keys", [["y"], ["tab", "enter"], ["right", "enter"]], ids=" ".join)
def test_one_entry_goes_when_it_is_confirmed_and_the_audit_line_is_told(
    tmp_path: Path, keys: list[str]
) -> None:
    """TUI-7, REC-8: the receipt is the number of the line that the deletion wrote."""
    make_project(tmp_path, ("keep", "CACHE"), ("go", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            await press(pilot, *keys)
            with open_store(tmp_path) as store:
                line = store.audit_records(action="memory_delete")[-1]
            assert isinstance(line, AuditRecord)
            assert (line.key, line.actor) == ("go", "deployer")
            assert said(pilot) == f"1 entry deleted, audit line {line.seq}"
            assert command(pilot) == ("agent", "memory", "delete", "main", "--key=go")
            assert {entry.key for entry in app_of(pilot).main.entries.window.rows} == {"keep"}
        assert keys_of(tmp_path) == {"keep"}

    drive(scenario)


@pytest.mark.parametrize(
    "keys",
    [
        ["d"] * 30,
        ["d", "d", "enter"],
        ["d", "y"],
        ["d", "tab", "enter"],
        ["d", "right", "enter"],
        ["d", "d", "e", "l", "e", "t", "e", "enter"],
        ["delete", "delete", "enter"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one after another"])
def test_keys_held_down_or_typed_ahead_delete_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: list[str], at_once: bool
) -> None:
    """TUI-7: complaints 49 and 50; the quiet moment outlasts the keys, however slow the machine is."""
    monkeypatch.setattr(dialog_module, "QUIET_S", 60.0)
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            if at_once:
                for key in keys:  # none waits for what the one before did
                    app_of(pilot).post_message(Key(key, key if len(key) == 1 else None))
            else:
                await pilot.press(*keys)
            await settled(pilot)
            assert is_open(pilot)
            assert focused_label(pilot) == "Cancel"
        assert keys_of(tmp_path) == {"one", "two"}

    drive(scenario)


def test_however_often_the_key_came_there_is_one_dialog(tmp_path: Path) -> None:
    """TUI-7: complaint 49."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            for key in "ddxdDidne":
                app_of(pilot).post_message(Key(key, key))
            await until(pilot, lambda: is_open(pilot) and dialog_in(pilot).is_listening)
            await press(pilot, "escape")
            assert not is_open(pilot)
        assert keys_of(tmp_path) == {"one"}

    drive(scenario)


def test_what_was_pasted_with_the_key_deletes_nothing(tmp_path: Path) -> None:
    """TUI-7: complaint 50, for several entries, whose dialog has a box for the word."""
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "space", "space")
            app_of(pilot).post_message(Key("d", "d"))
            app_of(pilot).post_message(Paste("delete\n"))
            app_of(pilot).post_message(Key("enter", None))
            await settled(pilot)
            assert is_open(pilot)
            await until(pilot, lambda: dialog_in(pilot).is_listening)
            app_of(pilot).post_message(Paste("delete\n"))  # Cancel has the keys: nothing takes the text
            await press(pilot, "enter")
            assert not is_open(pilot)
        assert keys_of(tmp_path) == {"one", "two"}

    drive(scenario)


def test_a_key_that_was_pressed_before_the_dialog_listened_does_not_count_when_it_arrives_late(
    tmp_path: Path,
) -> None:
    """TUI-7: a busy screen takes keys from its queue later than they were typed."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            late = Key("y", "y")
            await open_dialog(pilot, "d")
            app_of(pilot).post_message(late)
            await settled(pilot)
            assert is_open(pilot)
            await press(pilot, "y")
            assert not is_open(pilot)
        assert keys_of(tmp_path) == set()

    drive(scenario)


@pytest.mark.parametrize(
    "entries", [[("p", "PREFERENCE")], [("a", "CACHE"), ("b", "CONTEXT")]], ids=["a PREFERENCE", "several"]
)
def test_where_much_is_at_stake_the_word_must_be_typed(
    tmp_path: Path, entries: list[tuple[str, str]]
) -> None:
    """TUI-7."""
    make_project(tmp_path, *entries)
    keys = {key for key, _ in entries}

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, *(["space"] * len(entries)))
            await open_dialog(pilot, "d")
            assert focused_label(pilot) == "Cancel"
            await press(pilot, "y")
            assert is_open(pilot)
            await press(pilot, "tab", "enter")  # Delete is not armed: it asks for the word
            assert is_open(pilot)
            assert box_shows(pilot, "nothing is deleted until delete is typed")
            await type_text(pilot, "delet")
            await press(pilot, "enter")
            assert is_open(pilot)
            assert keys_of(tmp_path) == keys
            await type_text(pilot, "e")
            assert box_shows(pilot, "enter deletes")
            await press(pilot, "enter")
            assert not is_open(pilot)
            await settled(pilot)
            assert said(pilot).startswith(
                "1 entry deleted, audit line " if len(keys) == 1 else "2 entries deleted, audit lines "
            )
        assert keys_of(tmp_path) == set()

    drive(scenario)


def test_of_many_the_first_ten_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    """TUI-7."""
    make_project(tmp_path, *((f"key{number:02}", "CACHE") for number in range(14)), ("p", "PREFERENCE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, *["space"] * 15)
            await open_dialog(pilot, "d")
            assert box_shows(pilot, "15 entries of main, ")
            assert box_shows(pilot, "PREFERENCE 1, CACHE 14")
            named = [line for line in box_lines(pilot) if " by indent" in line and " B " in line]
            assert len(named) == 10
            assert box_shows(pilot, "and 5 more")

    drive(scenario)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
def test_hostile_keys_are_named_whole_in_visible_marks_and_the_dialog_works(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """TUI-7, CLI-4: complaints 2 and 13."""
    make_project(tmp_path, *((key, "CACHE") for key in HOSTILE_KEYS.values()))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            for name, key in reversed(HOSTILE_KEYS.items()):
                dialog = await open_dialog(pilot, "d")
                lines = ["".join(piece.text for piece in line) for line in dialog.told(size[0] - 5)]
                told = "".join(line.removeprefix("○ ").removeprefix("  ") for line in lines)
                assert cell_text(key).strip() in told, name
                is_as_it_looks = cell_text(key) == key == key.strip()
                assert (f"{len(key.encode())} bytes" in told) is not is_as_it_looks, name
                assert all(line.isprintable() for line in box_lines(pilot)), name
                assert any("[ Cancel ]" in line and "Delete (y)" in line for line in box_lines(pilot)), name
                await press(pilot, "pagedown", "y")
                assert not is_open(pilot), name
                assert key not in keys_of(tmp_path)

    drive(scenario)


def test_the_entry_that_was_chosen_goes_however_the_list_behind_is_sorted_meanwhile(tmp_path: Path) -> None:
    """TUI-7: complaint 52."""
    make_project(tmp_path, ("bystander", "CACHE"), ("chosen", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            with open_store(tmp_path) as store:
                write(store, *((f"newer{number}", "CACHE") for number in range(5)), ("bystander", "CACHE"))
            app_of(pilot).look_again()
            await settled(pilot)
            assert shows(pilot, "newer4")
            await press(pilot, "y")
        assert keys_of(tmp_path) == {"bystander", *(f"newer{number}" for number in range(5))}

    drive(scenario)


def test_an_entry_that_went_meanwhile_is_reported_gone_and_no_other_goes(tmp_path: Path) -> None:
    """TUI-7: complaint 52."""
    make_project(tmp_path, ("bystander", "CACHE"), ("chosen", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            with open_store(tmp_path) as store:
                store.delete_memory("main", key="chosen")
            app_of(pilot).look_again()
            await settled(pilot)
            await press(pilot, "y")
            assert said(pilot) == "gone already, nothing was deleted: chosen"
        assert keys_of(tmp_path) == {"bystander"}

    drive(scenario)


def test_of_several_all_go_or_none_and_those_that_are_gone_lose_their_mark(tmp_path: Path) -> None:
    """TUI-7, AGT-4."""
    make_project(tmp_path, ("a", "CACHE"), ("b", "CACHE"), ("c", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "space", "space", "space")
            await open_dialog(pilot, "d")
            with open_store(tmp_path) as store:
                store.delete_memory("main", key="b")
            await press(pilot, "tab", "enter")
            await type_text(pilot, "delete")
            await press(pilot, "enter")
            assert said(pilot) == "nothing was deleted: 1 of 3 gone already: b"
            marks = app_of(pilot).main.entries.marks
            assert {entry.key for entry in marks.values()} == {"a", "c"}
        assert keys_of(tmp_path) == {"a", "c"}

    drive(scenario)


def test_an_entry_that_became_preference_is_not_deleted_by_a_key_alone(tmp_path: Path) -> None:
    """TUI-7."""
    make_project(tmp_path, ("key", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            with open_store(tmp_path) as store:
                write(store, ("key", "PREFERENCE"))
            await press(pilot, "y")
            assert said(pilot).startswith("it has become PREFERENCE since: nothing was deleted")
        assert keys_of(tmp_path) == {"key"}

    drive(scenario)


def test_a_store_that_was_replaced_behind_the_dialog_loses_nothing(tmp_path: Path) -> None:
    """TUI-9."""
    make_project(tmp_path, ("key", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            (tmp_path / ".rotifer").rename(tmp_path / "before")
            make_project(tmp_path, ("key", "CACHE"))
            await press(pilot, "y")
            assert "nothing was deleted" in said(pilot) or "MEMORY_STORAGE_ERROR" in said(pilot)
            (tmp_path / "project").mkdir()
            (tmp_path / "before").rename(tmp_path / "project" / ".rotifer")
            assert keys_of(tmp_path / "project") == {"key"}
        assert keys_of(tmp_path) == {"key"}

    drive(scenario)


def test_the_export_that_is_offered_is_written_first_and_brings_the_entry_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-7, AGT-6: for its owner alone, under a name that nothing had; ticked by key."""
    make_project(tmp_path, ("formatter/indent", "CACHE"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "formatter-indent.jsonl").write_text("another's")

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            assert box_shows(pilot, "[ ] export first to formatter-indent-2.jsonl")
            await press(pilot, "shift+tab", "space")
            assert box_shows(pilot, "[x] export first to formatter-indent-2.jsonl")
            await press(pilot, "y")
            assert said(pilot).endswith("; undo: import formatter-indent-2.jsonl")
        assert keys_of(tmp_path) == set()
        exported = tmp_path / "formatter-indent-2.jsonl"
        assert stat.S_IMODE(exported.stat().st_mode) == 0o600
        assert (tmp_path / "formatter-indent.jsonl").read_text() == "another's"
        with open_store(tmp_path) as store:
            assert store.import_memory("main", exported) == 1
        assert keys_of(tmp_path) == {"formatter/indent"}

    drive(scenario)


def test_nothing_is_deleted_where_the_export_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TUI-7: what took the name since the dialog opened is not overwritten."""
    make_project(tmp_path, ("key", "CACHE"))
    monkeypatch.chdir(tmp_path)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            dialog = await open_dialog(pilot, "d")
            await pilot.click(dialog.query_one(Toggle))
            (tmp_path / "key.jsonl").write_text("another's")
            await press(pilot, "y")
            assert said(pilot) == "nothing was deleted: there is a file key.jsonl already"
        assert keys_of(tmp_path) == {"key"}
        assert (tmp_path / "key.jsonl").read_text() == "another's"

    drive(scenario)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 12)], ids=["120x36", "80x24", "40x12"])
def test_buttons_can_be_clicked(tmp_path: Path, size: tuple[int, int]) -> None:
    """TUI-7, TUI-1: mouse as keys."""
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, size=size) as pilot:
            dialog = await open_dialog(pilot, "d")
            await pilot.click(dialog.query_one("#cancel"))
            await settled(pilot)
            assert not is_open(pilot)
            assert keys_of(tmp_path) == {"one", "two"}
            dialog = await open_dialog(pilot, "d")
            await pilot.click(dialog.query_one("#delete"))
            await settled(pilot)
            assert not is_open(pilot)
        assert keys_of(tmp_path) == {"one"}

    drive(scenario)


def test_a_category_goes_with_the_word_and_only_it(tmp_path: Path) -> None:
    """TUI-7, AGT-4."""
    make_project(tmp_path, ("c1", "CACHE"), ("c2", "CACHE"), ("p", "PATTERN"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await press(pilot, "D")
            assert said(pilot) == "no category is shown: ] shows one"
            await press(pilot, "left_square_bracket")
            await open_dialog(pilot, "D")
            assert box_shows(pilot, "2 entries of main, 22 B: all of CACHE")
            await press(pilot, "y")
            assert is_open(pilot)
            await press(pilot, "tab", "enter")
            await type_text(pilot, "delete")
            await press(pilot, "enter")
            assert said(pilot).startswith("2 entries deleted, audit lines ")
            assert command(pilot) == ("agent", "memory", "delete", "main", "--category", "CACHE", "--yes")
        assert keys_of(tmp_path) == {"p"}

    drive(scenario)


def test_while_another_program_holds_the_store_keys_answer_and_the_entry_goes_afterwards(
    tmp_path: Path,
) -> None:
    """TUI-9, TUI-7: complaint 55; leaving waits for what was confirmed."""
    make_project(tmp_path, ("one", "CACHE"), ("two", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            with locked(tmp_path):
                await open_dialog(pilot, "d")
                await pilot.press("y")
                await until(pilot, lambda: "waiting for the store" in said(pilot), "a banner")
                cursor = app_of(pilot).main.entries.cursor
                await pilot.press("down")
                assert app_of(pilot).main.entries.cursor == cursor + 1
                await pilot.press("q")
                await until(pilot, lambda: said(pilot).startswith("finishing first: deleting 1 entry"))
                assert app_of(pilot).is_running
            await until(pilot, lambda: app_of(pilot)._exit, "the program's end")
        assert app_of(pilot).return_code == 0
        assert keys_of(tmp_path) == {"one"}

    drive(scenario)


def test_leaving_twice_leaves_at_once_though_the_store_is_held(tmp_path: Path) -> None:
    """TUI-7: complaint 55."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        with ExitStack() as held:
            async with dashboard(tmp_path) as pilot:
                held.enter_context(locked(tmp_path))
                await open_dialog(pilot, "d")
                await pilot.press("y")
                await pilot.press("q", "q")
                await until(pilot, lambda: app_of(pilot)._exit, "the program's end")
            assert app_of(pilot).return_code == 0

    drive(scenario)


def test_a_dashboard_that_only_looks_deletes_nothing(tmp_path: Path) -> None:
    """TUI-9."""
    make_project(tmp_path, ("one", "CACHE"))

    async def scenario() -> None:
        async with dashboard(tmp_path, read_only=True) as pilot:
            for key in ("d", "D", "i", "n", "e"):
                await press(pilot, key)
                assert not is_open(pilot)
                assert said(pilot).startswith("this dashboard only looks")

    drive(scenario)


def test_an_entry_of_another_gene_names_that_gene(tmp_path: Path) -> None:
    """TUI-7, AGT-10."""
    make_project(tmp_path)
    with open_store(tmp_path) as store:
        write(store, ("etag", "CACHE"), gene=FETCH)

    async def scenario() -> None:
        async with dashboard(tmp_path) as pilot:
            await open_dialog(pilot, "d")
            assert box_shows(pilot, "by fetch")

    drive(scenario)
