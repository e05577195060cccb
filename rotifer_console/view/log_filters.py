"""What is typed to narrow a log, as the filter it means (TUI-5).

Words between blanks: `action:`, `gene:`, `key:`, `agent:`; all others together are looked for anywhere in a
line. Quotes hold a text with blanks together. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from rotifer_console.view.logs import ACTION_WORDS, actions_called
from rotifer_console.view.safe_text import clipped
from rotifer_store import Agent, LogFilter
from rotifer_store.tables import AUDIT_ACTIONS, MAX_KEY_BYTES

LOG_FILTER_FORM: Final = "text anywhere, action:evicted, gene:NAME, key:K, agent:NAME"
"""The form in words, for hints and placeholders; a log without keys leaves `key:K` out."""
EVENT_FILTER_FORM: Final = "text anywhere, action:refused, gene:NAME, agent:NAME"

_WORD: Final = re.compile(r'(?:"[^"]*"?|[^\s"])+')
_NAMES: Final = ("action", "gene", "key", "agent")
_SHOWN_CHARACTERS: Final = 40
_EVENTS: Final = {str(row.action): ACTION_WORDS[row.action] for row in AUDIT_ACTIONS if row.telemetry}


@dataclass(frozen=True, slots=True)
class TypedLogFilter:
    """A filter as it was typed. `agent` is the name of one, whose id the log's lines are to have."""

    where: LogFilter = field(default_factory=LogFilter)
    agent: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether every line passes."""
        return self == TypedLogFilter()


def parse_log_filter(text: str, *, has_keys: bool = True) -> TypedLogFilter:
    """The filter that a text means; an empty text lets everything through.

    Args:
        text: what was typed.
        has_keys: whether the log's lines tell keys: those of telemetry do not.

    Raises:
        ValueError: a word that begins like one of the forms is none; the message says which form it has.
    """
    members: dict[str, str] = {}
    words = []
    for word in _WORD.findall(text):
        name, colon, rest = word.partition(":")
        value = rest.replace('"', "")
        if not colon or name.lower() not in _NAMES:
            words.append(word.replace('"', ""))
            continue
        name = name.lower()
        if not value:
            raise ValueError(f"{name}: needs something after it")
        if name == "key":
            _check_key(value, has_keys=has_keys)
        members[name] = _action(value, has_keys=has_keys) if name == "action" else value
    looked_for = " ".join(filter(None, words)) or None
    where = LogFilter(
        action=members.get("action"), key=members.get("key"), gene=members.get("gene"), text=looked_for
    )
    return TypedLogFilter(where, members.get("agent"))


def meant_by(typed: TypedLogFilter, agents: Iterable[Agent]) -> LogFilter | None:
    """What the lines of the log are to hold; None where all pass.

    Args:
        typed: the filter as it was typed.
        agents: those of the store, one of which may be meant by name or id.

    Raises:
        ValueError: none of them is.
    """
    if typed.agent is None:
        return None if typed.is_empty else typed.where
    for agent in agents:
        if typed.agent in (agent.name, agent.id):
            return replace(typed.where, agent_id=agent.id)
    raise ValueError(f"agent: none is called {clipped(typed.agent, _SHOWN_CHARACTERS)}")


def meanings(where: LogFilter) -> tuple[LogFilter, ...]:
    """The filters of which a line passes any: a text may be that of a line, or the word for its action."""
    words = actions_called(where.text)
    others = [action for action in words if where.action in (None, action)]
    return (where, *(replace(where, action=action, text=None) for action in others))


def _check_key(key: str, *, has_keys: bool) -> None:
    if not has_keys:
        raise ValueError("events of telemetry hold no key")
    if len(key.encode("utf-8", "surrogatepass")) > MAX_KEY_BYTES or "\0" in key:
        raise ValueError("key: no entry can have that key")


def _action(typed: str, *, has_keys: bool) -> str:
    """The action's name as the log has it, of its word, its name, or a beginning that only one has.

    Raises:
        ValueError: none is meant, or several.
    """
    words = ACTION_WORDS if has_keys else _EVENTS
    wanted = typed.lower()
    meant = [str(action) for action, word in words.items() if wanted in (word, action)]
    if not meant:
        meant = [str(action) for action, word in words.items() if word.startswith(wanted)]
    if not meant:
        meant = [str(action) for action in words if action.startswith(wanted)]
    if len(meant) == 1:
        return meant[0]
    shown = clipped(typed, _SHOWN_CHARACTERS)
    if meant:
        raise ValueError(f"action: {shown} begins {' and '.join(words[action] for action in meant)}")
    raise ValueError(f"action: none is called {shown}; there are {', '.join(words.values())}")
