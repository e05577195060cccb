"""`console.toml` and the kept view: what they say, and that nothing in them stops the dashboard (TUI-11)."""

from __future__ import annotations

import json
import os
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.keys import _character_to_key

from dashboard.driving import app_of, dashboard, drive, press, screen_text, shows
from rotifer_console.dashboard import actions, keymap, saved_view, settings
from rotifer_console.dashboard.actions import ACTIONS, BY_ID, FORBIDDEN_KEYS, Place
from rotifer_console.dashboard.saved_view import SavedView
from rotifer_store import Gene, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")


def test_no_default_is_a_key_that_terminals_keep_or_has_two_meanings_in_a_place() -> None:
    """TUI-11."""
    for place in Place:
        keys = [key for action in ACTIONS if place in action.places for key in action.keys]
        assert sorted(keys) == sorted(set(keys)), place
        assert not FORBIDDEN_KEYS & set(keys)
        assert keymap.LEAVES_AT_ONCE not in keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", {}),
        ('[keys]\ndelete = "z"', {"delete": ("z",)}),
        ('[keys]\ndelete = ["z", "f8", "z"]', {"delete": ("z", "f8")}),
        ('[keys]\nfilter = "?"\nhelp = "/"', {"filter": ("question_mark",), "help": ("slash",)}),
        ('[keys]\ndelete = "x"\nexport = "d"', {"delete": ("x",), "export": ("d",)}),
        ('[keys]\ndelete = "ctrl+a"', {"delete": ("ctrl+a",)}),
        ('[keys]\nverify = ["^E", "^"]', {"verify": ("ctrl+e", "circumflex_accent")}),
        (
            '[keys]\nback = ["b", "esc"]\npage_up = "pgup"\npage_down = "pgdn"',
            {"back": ("b", "escape"), "page_up": ("pageup",), "page_down": ("pagedown",)},
        ),
        ('[keys]\nhelp = ["question_mark", "+", "ctrl+shift+é", "shift+tab"]', None),
        ('\ufeff[keys]\nquit = "Q"'.encode().decode("utf-8-sig"), {"quit": ("Q",)}),
    ],
)
def test_keys_are_taken_as_people_write_them(text: str, keys: dict[str, tuple[str, ...]] | None) -> None:
    """TUI-11: a swap is none of two meanings; who asks for a terminal's key gets it."""
    read = keymap.read(text)
    if keys is None:  # shift+tab goes to the pane before
        assert read.keys == {}
        assert read.notices == ("help keeps its keys: shift+tab is the key of previous_pane",)
    else:
        assert (read.keys, read.notices) == (keys, ())


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ('[keys]\ndelet = "z"', "delet: there is no such action; did you mean delete?"),
        ('[keys]\nnonsense = "z"', "nonsense: there is no such action"),
        ("[keys]\ndelete = 3", "delete: a key is a text"),
        ("[keys]\ndelete = []", "delete: it needs a key"),
        ('[keys]\ndelete = ""', "delete: there is no key "),
        ('[keys]\ndelete = "hyper+z"', "delete: there is no key hyper+z"),
        ('[keys]\ndelete = "entr"', "delete: there is no key entr"),
        ('[keys]\ndelete = "ctrl+c"', "delete: ctrl+c always leaves"),
        ('[keys]\ndelete = "x"', "delete keeps its keys: x is the key of export"),
        ('[keys]\nfollow = "n"', "follow keeps its keys: n is the key of search_next in audit"),
        ("keys = 3", "keys is no table"),
        ("[kyes]", "there is no [kyes], but [keys] and [view]"),
        ('theme = "light"', "theme: it goes below [view]"),
        ('delete = "z"', "delete: it goes below [keys]"),
        ('[view]\ntheme = "pink"', "theme: there is none of that name, but dark, light, high contrast, ansi"),
        ("[view]\ntheme = 3", "theme: there is none of that name, but dark, light, high contrast, ansi"),
        ('[view]\ncolour = "red"', "[view] has no member colour"),
        ('[keys]\n"\\u001b[31mx" = "z"', "␛[31mx: there is no such action"),
    ],
)
def test_what_cannot_be_taken_is_told_and_the_rest_is_taken(text: str, notice: str) -> None:
    """TUI-11."""
    read = keymap.read(text)
    assert read.notices == (notice,)
    assert read.keys == {}


def test_a_rejected_rebinding_gives_its_key_back_to_its_owner() -> None:
    """TUI-11: then another one may clash; the one that stands last goes."""
    read = keymap.read('[keys]\nexport = "d"\ndelete = "f"\n')
    assert read.keys == {}
    assert len(read.notices) == 2


@pytest.mark.parametrize("title", ["light", "High-Contrast", "high_contrast", "ansi"])
def test_a_theme_is_named_in_any_case(title: str) -> None:
    """TUI-11."""
    assert keymap.read(f'[view]\ntheme = "{title}"').look == title.lower().replace("-", " ").replace("_", " ")


@pytest.mark.parametrize("text", ["[keys", "a = ", "\x00", "[" * 5000, 'k = """'])
def test_what_is_no_toml_is_refused(text: str) -> None:
    """TUI-11."""
    with pytest.raises(ValueError, match=r"no TOML|too deep"):
        keymap.read(text)


def test_every_character_of_a_keyboard_can_be_a_key() -> None:
    """TUI-11: under the name that the terminal's driver gives it."""
    free = keymap.read("\n".join(("[keys]", 'verify = ["f1", "f2"]'))).keys
    assert free
    taken = {key for action in ACTIONS for key in action.keys}
    for character in string.punctuation + string.ascii_letters + string.digits:
        name = _character_to_key(character)
        if name not in taken:
            read = keymap.read(f"[keys]\nverify = {json.dumps(character)}")
            assert (read.keys, read.notices) == ({"verify": (name,)}, ())


def test_the_view_is_read_as_it_was_written() -> None:
    """TUI-11."""
    view = SavedView("light", "shop", "expires", False)
    assert saved_view.read(saved_view.written(view)) == view


BROKEN: dict[str, Callable[[Path], object]] = {
    "no JSON, no TOML": lambda path: path.write_text("{[nothing"),
    "too big": lambda path: path.write_text('a = "' + "x" * (1 << 17) + '"'),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "a directory": lambda path: path.mkdir(),
    "a loop of links": lambda path: path.symlink_to(path),
    "a pipe": lambda path: os.mkfifo(path),
    "a device that never ends": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("name", ["console.toml", "console.json"])
def test_a_broken_file_gives_the_defaults_and_one_notice(tmp_path: Path, broken: str, name: str) -> None:
    """TUI-11."""
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}
    path = (settings.settings_path if name == "console.toml" else settings.state_path)(environ)
    assert path is not None
    path.parent.mkdir(parents=True)
    BROKEN[broken](path)
    found = settings.load(environ)
    assert (found.keys, found.saved) == ({}, SavedView())
    assert len(found.notices) == 1
    assert str(tmp_path) not in found.notices[0]


def test_an_unreadable_file_gives_the_defaults_and_one_notice(tmp_path: Path) -> None:
    """TUI-11: as another user sees it; root may read anything."""
    path = tmp_path / "rotifer" / "console.toml"
    path.parent.mkdir()
    path.write_text("")
    path.chmod(0)
    code = (
        "from rotifer_console.dashboard import settings;"
        f"print(settings.load({{'XDG_CONFIG_HOME': {str(tmp_path)!r}}}).notices)"
    )
    tmp_path.chmod(0o755)
    path.parent.chmod(0o000)
    program = [str(Path(sys.executable)), "-c", code]
    if os.geteuid() == 0:
        program = [
            "setpriv",
            "--bounding-set=-all",
            "--inh-caps=-all",
            "--reuid=65534",
            "--clear-groups",
            *program,
        ]
    finished = subprocess.run(program, capture_output=True, text=True, check=False)
    path.parent.chmod(0o755)
    if finished.returncode != 0:
        pytest.skip(f"no other user can run this Python: {finished.stderr[-200:]}")
    assert finished.stdout == "('console.toml is not used: permission denied',)\n"


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "[]",
        "{}",
        '{"version": 2}',
        '{"version": 1, "look": "pink"}',
        '{"version": 1, "look": ["dark"]}',
        '{"version": 1, "order": "value"}',
        '{"version": 1, "descending": 1}',
        '{"version": 1, "agent": 3}',
        "[" * 100_000,
    ],
)
def test_a_view_that_no_dashboard_saves_gives_the_default(tmp_path: Path, text: str) -> None:
    """TUI-11."""
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    (tmp_path / "rotifer").mkdir()
    (tmp_path / "rotifer" / "console.json").write_text(text)
    found = settings.load(environ)
    assert found.saved == SavedView()
    assert found.notices[0].startswith("the last view is not restored: ")


def test_saving_replaces_the_file_whole_and_only_for_its_owner(tmp_path: Path) -> None:
    """TUI-11."""
    environ = {"HOME": str(tmp_path)}
    settings.save(SavedView("light"), environ)
    settings.save(SavedView("ansi", "shop"), environ)
    path = tmp_path / ".local" / "state" / "rotifer" / "console.json"
    assert [each.name for each in path.parent.iterdir()] == ["console.json"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert settings.load(environ).saved == SavedView("ansi", "shop")


@pytest.mark.parametrize("in_the_way", ["a file for a folder", "a folder for the file"])
def test_a_view_that_cannot_be_saved_is_let_go(tmp_path: Path, in_the_way: str) -> None:
    """TUI-11."""
    if in_the_way == "a file for a folder":
        (tmp_path / "rotifer").write_text("")
    else:
        (tmp_path / "rotifer" / "console.json").mkdir(parents=True)
    settings.save(SavedView("light"), {"XDG_STATE_HOME": str(tmp_path)})
    assert not list(tmp_path.rglob(".console-*"))


@pytest.mark.parametrize(
    "environ",
    [
        {"HOME": "{}/none"},
        {"XDG_STATE_HOME": "{}/none"},
        {"HOME": "{}/none", "XDG_STATE_HOME": "{}/none/state"},
        {"HOME": "{}/home", "XDG_STATE_HOME": "{}/homes/state"},
        {"HOME": "{}/file"},
    ],
    ids=str,
)
def test_a_home_that_is_not_there_is_not_made(tmp_path: Path, environ: dict[str, str]) -> None:
    """TUI-11: a service's home may be a name and no more."""
    (tmp_path / "home").mkdir()
    (tmp_path / "file").touch()
    before = set(tmp_path.rglob("*"))
    settings.save(SavedView("light"), {name: path.format(tmp_path) for name, path in environ.items()})
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "environ",
    [
        {"HOME": "{}"},
        {"XDG_STATE_HOME": "{}"},
        {"HOME": "{}", "XDG_STATE_HOME": "{}/state/of/mine"},
        {"HOME": "{}/none", "XDG_STATE_HOME": "{}"},
    ],
    ids=str,
)
def test_what_is_missing_below_a_home_is_made(tmp_path: Path, environ: dict[str, str]) -> None:
    """TUI-11."""
    environ = {name: path.format(tmp_path) for name, path in environ.items()}
    settings.save(SavedView("light"), environ)
    assert settings.load(environ).saved == SavedView("light")


@pytest.mark.parametrize(
    "environ", [{}, {"HOME": ""}, {"XDG_CONFIG_HOME": "here", "XDG_STATE_HOME": "here"}], ids=str
)
def test_without_a_home_there_are_no_files(environ: dict[str, str]) -> None:
    """TUI-11: a relative one is none."""
    assert settings.settings_path(environ) is None
    assert settings.load(environ).notices == ()
    settings.save(SavedView("light"), environ)


def test_the_theme_of_the_settings_comes_before_the_last_one(tmp_path: Path) -> None:
    """TUI-11."""
    environ = {"HOME": str(tmp_path)}
    settings.save(SavedView("ansi", "shop", "key", False), environ)
    path = settings.settings_path(environ)
    assert path is not None
    path.parent.mkdir(parents=True)
    path.write_text('[view]\ntheme = "light"\n')
    assert settings.load(environ).saved == SavedView("light", "shop", "key", False)


def a_project(folder: Path) -> Path:
    (folder / "rotifer.json").write_text("{}")
    with open_store(folder) as store:
        store.create_agent("main", genes=[GENE])
        store.gene_memory("main", GENE).write_memory("notes/name", b"Ada", "PREFERENCE")
    return folder


def test_key_bar_help_and_palette_show_the_rebound_keys_and_the_old_ones_do_nothing(tmp_path: Path) -> None:
    """TUI-8, TUI-11."""
    a_project(tmp_path)

    async def scenario() -> None:
        keys = {"help": ("f1",), "filter": ("F",), "quit": ("Q",), "palette": ("f2",)}
        async with dashboard(tmp_path, keys=keys, notices=["console.toml: one", "two"]) as pilot:
            assert shows(pilot, "console.toml: one (and 1 more: see the help)")
            assert shows(pilot, "f1 help")
            assert shows(pilot, "F filter")
            await press(pilot, "question_mark", "slash", "q", "ctrl+p")
            assert app_of(pilot).screen is app_of(pilot).main
            await press(pilot, "f1")
            text = "\n".join(screen_text(pilot))
            assert "console.toml: one" in text
            assert "two" in text
            await press(pilot, *"narrow")
            assert any(line.lstrip("│ █").startswith("F ") for line in screen_text(pilot))
            await press(pilot, "f1", "f2", *"filter")
            assert any("filter" in line and line.rstrip("│ ").endswith(" F") for line in screen_text(pilot))

    drive(scenario)


@pytest.mark.parametrize("action_id", sorted(BY_ID))
def test_every_action_can_be_rebound(action_id: str) -> None:
    """TUI-11."""
    read = keymap.read(f'[keys]\n{action_id} = "f12"\n')
    assert (read.keys, read.notices) == ({action_id: ("f12",)}, ())
    assert all(
        sum(
            "f12" in read.keys.get(action.id, action.keys)
            for action in actions.offered(place, read_only=False)
        )
        <= 1
        for place in Place
    )
