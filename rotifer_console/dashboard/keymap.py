"""What `console.toml` says: keys for actions, and the theme to begin with (TUI-11). Pure.

    [keys]
    delete = "x"
    export = ["e", "f3"]

    [view]
    theme = "light"

Whatever cannot be taken is left out and told in a sentence; the rest is taken.
"""

from __future__ import annotations

import difflib
import string
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from textual.keys import _character_to_key

from rotifer_console.dashboard import actions, looks
from rotifer_console.dashboard.actions import BY_ID, Place
from rotifer_console.view.safe_text import clipped

LEAVES_AT_ONCE: Final = "ctrl+c"
"""The one key that no action can have: it ends the program wherever it is (CLI-2)."""

_NAMED: Final = frozenset(
    (
        *("enter", "escape", "tab", "space", "backspace", "delete", "insert"),
        *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
        *(f"f{number}" for number in range(1, 25)),
        *map(_character_to_key, string.punctuation),
    )
)
_AS_SHOWN: Final = {"esc": "escape", "pgup": "pageup", "pgdn": "pagedown"}
"""What the screen calls some of them."""
_MODIFIERS: Final = ("ctrl", "alt", "shift")
_TABLES: Final = ("keys", "view")


@dataclass(frozen=True, slots=True)
class Settings:
    """The keys of actions that were rebound, the theme where one is named, and what was wrong."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    look: str | None = None
    notices: tuple[str, ...] = ()


def read(text: str) -> Settings:
    """What the file's text says.

    Raises:
        ValueError: it is no TOML.
    """
    try:
        members = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is no TOML: {str(error)[0].lower()}{str(error)[1:]}") from None
    notices = [_unknown(name) for name in members if name not in _TABLES]
    wanted: dict[str, tuple[str, ...]] = {}
    for action_id, keys in _table(members, "keys", notices).items():
        try:
            wanted[_known_action(action_id)] = _keys(keys)
        except ValueError as error:
            notices.append(f"{clipped(action_id, 40)}: {error}")
    look = None
    for name, value in _table(members, "view", notices).items():
        if name != "theme":
            notices.append(f"[view] has no member {clipped(name, 40)}")
        elif _look(value) is None:
            notices.append(f"theme: there is none of that name, but {', '.join(looks.LOOKS)}")
        else:
            look = _look(value)
    return Settings(_without_clashes(wanted, notices), look, tuple(notices))


def _unknown(name: str) -> str:
    if name == "theme":
        return "theme: it goes below [view]"
    if name in BY_ID:
        return f"{name}: it goes below [keys]"
    return f"there is no [{clipped(name, 40)}], but [keys] and [view]"


def _table(members: Mapping[str, Any], name: str, notices: list[str]) -> Mapping[str, Any]:
    table = members.get(name, {})
    if isinstance(table, dict):
        return table
    notices.append(f"{name} is no table")
    return {}


def _look(value: object) -> str | None:
    title = value.casefold().replace("-", " ").replace("_", " ") if isinstance(value, str) else None
    return title if title in looks.LOOKS else None


def _known_action(action_id: str) -> str:
    if action_id in BY_ID:
        return action_id
    near = difflib.get_close_matches(action_id, BY_ID, n=1)
    raise ValueError(f"there is no such action{f'; did you mean {near[0]}?' if near else ''}")


def _keys(value: object) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    if not texts:
        raise ValueError("it needs a key")
    return tuple(dict.fromkeys(_key(text) for text in texts))


def _key(text: object) -> str:
    if not isinstance(text, str):
        raise ValueError("a key is a text")  # noqa: TRY004 -- like every other fault of the file
    if len(text) == 2 and text[0] == "^":
        text = f"ctrl+{text[1].lower()}"
    *modifiers, name = text.split("+") if len(text) > 1 and not text.endswith("+") else [text]
    name = _AS_SHOWN.get(name, name)
    if len(name) == 1 and name.isprintable():
        name = _character_to_key(name)
    elif name not in _NAMED:
        raise ValueError(f"there is no key {clipped(text, 40)}")
    if any(modifier not in _MODIFIERS for modifier in modifiers):
        raise ValueError(f"there is no key {clipped(text, 40)}")
    key = "+".join((*modifiers, name))
    if key == LEAVES_AT_ONCE:
        raise ValueError(f"{key} always leaves")
    return key


def _without_clashes(
    wanted: Mapping[str, tuple[str, ...]], notices: list[str]
) -> Mapping[str, tuple[str, ...]]:
    """The rebindings but those that would give one key two meanings in a place; the first in the file win."""
    kept = dict(wanted)
    while clash := _clash(kept):
        key, place, ids = clash
        rejected = [action_id for action_id in kept if action_id in ids][-1]
        other = next(action_id for action_id in ids if action_id != rejected)
        where = "" if place is Place.MAIN else f" in {place}"
        notices.append(f"{rejected} keeps its keys: {key} is the key of {other}{where}")
        del kept[rejected]
    return kept


def _clash(rebound: Mapping[str, tuple[str, ...]]) -> tuple[str, Place, list[str]] | None:
    for place in Place:
        takers: dict[str, list[str]] = {}
        for action_id in _actions_of(place):
            for key in rebound.get(action_id, BY_ID[action_id].keys):
                takers.setdefault(key, []).append(action_id)
        for key, ids in takers.items():
            if len(ids) > 1 and any(action_id in rebound for action_id in ids):
                return key, place, ids
    return None


def _actions_of(place: Place) -> Iterable[str]:
    return (action.id for action in actions.ACTIONS if place in action.places)
