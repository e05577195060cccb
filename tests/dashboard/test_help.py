"""The help and the palette: made from the registry, narrowed by typing, taken by key and by mouse (TUI-8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Resize
from textual.geometry import Size

from dashboard.driving import Dashboard, app_of, dashboard, drive, press, screen_text, send, settled, shows
from rotifer_console.dashboard import actions
from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.agent_form import CreateForm
from rotifer_console.dashboard.audit_screen import AuditScreen
from rotifer_console.dashboard.bars import key_name
from rotifer_console.dashboard.chooser import Choices
from rotifer_console.dashboard.help_screen import HelpScreen
from rotifer_console.dashboard.palette import Offer, Palette, best
from rotifer_console.dashboard.telemetry_screen import TelemetryScreen
from rotifer_store import Gene, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        for name in ("main", "spare"):
            store.create_agent(name, genes=[GENE])
            store.gene_memory(name, GENE).write_memory(f"of/{name}", b"Ada", "CACHE")
    return tmp_path


def all_lines(pilot: Dashboard) -> str:
    """What the list holds, in sight or not."""
    lines = app_of(pilot).screen.query_one(Choices)._lines
    return "\n".join("".join(piece.text for piece in line) for line in lines)


@pytest.mark.parametrize("read_only", [False, True])
def test_the_help_lists_every_action_of_the_place_with_its_keys(project: Path, read_only: bool) -> None:
    """TUI-8, TUI-9: those that change something only where they can be taken."""

    async def scenario() -> None:
        async with dashboard(project, read_only=read_only) as pilot:
            await press(pilot, "question_mark")
            text = all_lines(pilot)
            offered = actions.offered(Place.MAIN, read_only=read_only)
            for action in actions.ACTIONS:
                row = f"{' '.join(map(key_name, action.keys)):<12} {action.title:<18} "
                assert (row in text) is (action in offered), action.id
            for word in ("PREFERENCE", "never evicted", "evicted first", "marked", "only by an import"):
                assert word in text

    drive(scenario)


def test_typing_narrows_the_help_and_enter_takes_what_is_left(project: Path) -> None:
    """TUI-8."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            await press(pilot, "question_mark")
            await press(pilot, *"other way")
            assert len(all_lines(pilot).splitlines()) == 2
            await press(pilot, "enter")
            app = app_of(pilot)
            assert app.screen is app.main
            assert not app.wanted.descending

    drive(scenario)


def test_a_click_on_a_row_takes_it_and_one_beside_the_box_closes(project: Path) -> None:
    """TUI-8: nothing is for the keyboard alone."""

    async def scenario() -> None:
        async with dashboard(project, size=(140, 44)) as pilot:
            app = app_of(pilot)
            await press(pilot, "question_mark")
            row = next(at for at, line in enumerate(screen_text(pilot)) if "Sort the other way round" in line)
            await pilot.click(offset=(40, row))
            await settled(pilot)
            assert app.screen is app.main
            assert not app.wanted.descending
            await press(pilot, "ctrl+p")
            assert isinstance(app.screen, Palette)
            await pilot.click(offset=(2, 20))
            await settled(pilot)
            assert app.screen is app.main

    drive(scenario)


@pytest.mark.parametrize("key", ["question_mark", "escape"])
def test_the_help_closes_and_takes_nothing(project: Path, key: str) -> None:
    """TUI-8."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            app = app_of(pilot)
            await press(pilot, "question_mark")
            assert isinstance(app.screen, HelpScreen)
            await press(pilot, key)
            assert app.screen is app.main

    drive(scenario)


def test_what_matches_nothing_says_so_and_enter_does_nothing(project: Path) -> None:
    """TUI-8: brackets and controls are text here too."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            for key, said in (
                ("question_mark", "no key and no sign says so"),
                ("ctrl+p", "nothing is called so"),
            ):
                await press(pilot, key)
                await press(pilot, *"[/x]")
                assert shows(pilot, said)
                await press(pilot, "up", "down", "pageup", "pagedown", "enter")
                assert shows(pilot, said)
                await press(pilot, "escape")

    drive(scenario)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 12), (24, 6), (12, 3), (1, 1)], ids=str)
def test_help_and_palette_can_be_walked_through_at_any_size(project: Path, size: tuple[int, int]) -> None:
    """TUI-1: every row comes into sight, and no sentence is cut."""

    async def scenario() -> None:
        async with dashboard(project, size=size) as pilot:
            app = app_of(pilot)
            for screen in (HelpScreen(Place.MAIN), Palette(Place.MAIN)):
                app.push_screen(screen, app.main.take)
                await settled(pilot)
                choices = screen.query_one(Choices)
                seen = set()
                for _ in range(choices.rows + 2):
                    seen |= set(range(choices.top, choices.top + choices.size.height))
                    choices.step("down")
                said = {row for row in range(choices.rows) if not choices._heading_at(row)}
                assert seen >= said or size < (20, 5)
                for _ in range(choices.rows + 2):
                    choices.step("up")
                assert choices.top == 0 or size < (20, 5)
                for way in ("page_down", "page_down", "page_up", "page_up"):
                    choices.step(way)
                await press(pilot, "escape")

    drive(scenario)


def test_in_forty_columns_no_word_of_the_help_is_lost(project: Path) -> None:
    """TUI-1."""

    async def scenario() -> None:
        async with dashboard(project, size=(40, 12)) as pilot:
            await press(pilot, "question_mark")
            text = " ".join(all_lines(pilot).split())
            for action in actions.offered(Place.MAIN, read_only=False):
                assert action.help in text

    drive(scenario)


def test_the_palette_goes_to_agents_and_takes_actions(project: Path) -> None:
    """TUI-8."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            app = app_of(pilot)
            assert app.agent_name == "main"
            await press(pilot, "colon")
            assert all_lines(pilot).startswith(" agent main")
            await press(pilot, *"spare")
            await press(pilot, "enter")
            assert app.agent_name == "spare"
            await press(pilot, "ctrl+p")
            await press(pilot, *"reverse")
            await press(pilot, "enter")
            assert not app.wanted.descending

    drive(scenario)


def caption(pilot: Dashboard) -> str:
    """What the open list is called."""
    return str(app_of(pilot).screen.query_one("#chooser").border_title)


@pytest.mark.parametrize("key", ["enter", "ctrl+p"])
def test_who_goes_to_an_action_is_led_to_the_actions_with_what_was_typed(project: Path, key: str) -> None:
    """TUI-8: `:` knows agents and screens, `ctrl+p` the actions, also by what they do and are called."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            app = app_of(pilot)
            await press(pilot, "colon", *"creat")
            assert caption(pilot) == "go to"
            assert shows(pilot, "no agent and no screen is called so; enter or ^p looks among the actions")
            await press(pilot, key)
            assert caption(pilot) == "actions"
            assert all_lines(pilot).startswith(" new agent ")
            await press(pilot, "enter")
            assert isinstance(app.screen, CreateForm)

    drive(scenario)


@pytest.mark.parametrize(
    ("text", "action_id"),
    [
        ("create", "create"),
        ("sort_other", "sort_other_way"),
        ("sort other", "sort_other_way"),
        ("deserve", "review"),
        ("quota", "policy"),
        ("cat", "delete_category"),
    ],
)
def test_an_action_is_found_by_its_name_in_the_settings_and_by_what_it_does(
    text: str, action_id: str
) -> None:
    """TUI-8, TUI-11."""
    offers = [
        Offer(action.title, action.help, "", action.id)
        for action in actions.offered(Place.MAIN, read_only=False)
    ]
    assert action_id in [offer.asks for offer in best(text, offers)[:3]]


def test_end_and_home_go_to_the_ends_of_the_help(project: Path) -> None:
    """TUI-8: though the box above has the keys."""

    async def scenario() -> None:
        async with dashboard(project, size=(80, 24)) as pilot:
            await press(pilot, "question_mark")
            first = screen_text(pilot)
            choices = app_of(pilot).screen.query_one(Choices)
            await press(pilot, "end")
            assert choices.top + choices.size.height == choices.rows
            assert choices.choices[-1] == choices.chosen
            await press(pilot, "home")
            assert screen_text(pilot) == first

    drive(scenario)


@pytest.mark.parametrize("key", ["question_mark", "ctrl+p", "colon"])
def test_a_list_that_is_closed_while_the_terminal_changes_its_size_closes(project: Path, key: str) -> None:
    """TUI-1: a crash, when its lines were to be broken anew after it had gone."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            app = app_of(pilot)
            for size in (Size(80, 24), Size(120, 36)) * 3:
                send(app, key)
                send(app, "escape")
                app.post_message(Resize(size, size))
                await settled(pilot)
                assert app.screen is app.main

    drive(scenario)


def test_a_screen_that_is_open_is_gone_back_to(project: Path) -> None:
    """TUI-8: escape never leads to the same screen once more."""

    async def scenario() -> None:
        async with dashboard(project) as pilot:
            app = app_of(pilot)
            for keys in ("a", "aea", "at", "ata", "tat", "gaea", "rata", "oat", "wta"):
                await press(pilot, *(key.replace("e", "enter") for key in keys))
                kinds = [type(screen) for screen in app.screen_stack]
                assert len(kinds) == len(set(kinds)), keys
                assert isinstance(app.screen, AuditScreen if keys.endswith("a") else TelemetryScreen), keys
                for _ in range(4):
                    await press(pilot, "escape")
                assert app.screen is app.main

    drive(scenario)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ["audit", "agent main", "delete category", "value as"]),
        ("a", ["audit", "agent main", "value as", "delete category"]),
        ("AUD", ["audit"]),
        ("cat", ["delete category"]),
        ("main", ["agent main"]),
        ("dcat", ["delete category"]),
        ("x", []),
    ],
)
def test_the_nearest_name_comes_first(text: str, names: list[str]) -> None:
    """TUI-8: names that begin so, then words, then parts, then letters in order."""
    offers = [Offer(name, "", "", "") for name in ("audit", "agent main", "delete category", "value as")]
    assert [offer.name for offer in best(text, offers)] == names
