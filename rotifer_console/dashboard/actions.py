"""Every action of the dashboard, once: its keys, its words, and the command line that it equals (TUI-8).

Key bindings, the key bar, the help, the palette and the echo of commands are all made from this table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rotifer_console.view.filters import parse_filter


class Place(StrEnum):
    """Where an action is offered."""

    MAIN = "main"
    AUDIT = "audit"
    TELEMETRY = "telemetry"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Subject:
    """What the screen is about when an action is taken; a command line is made of it.

    `keys` are those of the marked entries, or of the one under the cursor. `options` are what a form or a
    dialog adds to its command.
    """

    agent: str | None = None
    keys: tuple[str, ...] = ()
    category: str | None = None
    filter_text: str = ""
    order: str = "updated"
    is_reversed: bool = False
    gene: str | None = None
    file: str | None = None
    size: str | None = None
    log_agent: str | None = None
    log_action: str | None = None
    log_key: str | None = None
    log_gene: str | None = None
    log_text: str | None = None
    options: tuple[str, ...] = ()


Words = tuple[str, ...]
CommandOf = Callable[[Subject], Words | None]
"""The words after `rotifer`, or None where there is nothing to act on; `shell_line` makes a line of them."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action. `rank` orders the key bar, low first; None keeps it out of there."""

    id: str
    title: str
    help: str
    keys: tuple[str, ...]
    places: frozenset[Place]
    command: CommandOf | None = None
    changes: bool = False
    rank: int | None = None


def _agent(*words: str) -> CommandOf:
    def command(subject: Subject) -> Words | None:
        return None if subject.agent is None else ("agent", *words, subject.agent)

    return command


def _key(*words: str, after: Sequence[str] = ()) -> CommandOf:
    def command(subject: Subject) -> Words | None:
        if subject.agent is None or not subject.keys:
            return None
        return ("agent", "memory", *words, subject.agent, f"--key={subject.keys[0]}", *after)

    return command


def _listing(subject: Subject) -> Words | None:
    if subject.agent is None:
        return ("agent", "list")
    words: Words = ("agent", "memory", "list", subject.agent)
    if subject.category is not None and not _names_category(subject.filter_text):
        words += ("--category", subject.category)
    if subject.order != "updated":
        words += ("--sort", subject.order)
    if subject.is_reversed:
        words += ("--reverse",)
    if subject.filter_text:
        words += (f"--filter={subject.filter_text}",)
    return words


def _names_category(filter_text: str) -> bool:
    """Whether a filter says which category is listed; then the tab does not."""
    try:
        return parse_filter(filter_text).category is not None
    except ValueError:
        return False


def _deletion(subject: Subject) -> Words | None:
    if subject.agent is None or not subject.keys:
        return None
    words = ("agent", "memory", "delete", subject.agent)
    if len(subject.keys) == 1:
        return (*words, f"--key={subject.keys[0]}")
    return (*words, "--keys-from", "-")


def _category_deletion(subject: Subject) -> Words | None:
    if subject.agent is None or subject.category is None:
        return None
    return ("agent", "memory", "delete", subject.agent, "--category", subject.category, "--yes")


def _export(subject: Subject) -> Words | None:
    if subject.agent is None or subject.file is None:
        return None
    keys = tuple(f"--key={key}" for key in subject.keys)
    return ("agent", "memory", "export", subject.agent, subject.file, *keys, *subject.options)


def _import(subject: Subject) -> Words | None:
    if subject.agent is None or subject.file is None:
        return None
    return ("agent", "memory", "import", subject.agent, subject.file, *subject.options)


def _forecast(subject: Subject) -> Words | None:
    if subject.agent is None:
        return None
    return ("agent", "memory", "forecast", subject.agent, "--bytes", subject.size or "1MB")


def _access(subject: Subject) -> Words | None:
    if subject.agent is None or subject.gene is None:
        return None
    keys = (f"--key={subject.keys[0]}",) if subject.keys else ()
    return ("agent", "memory", "access", subject.agent, "--gene", subject.gene, *keys)


def _audit(subject: Subject) -> Words:
    return ("audit", "tail", *_narrowed(subject))


def _telemetry(subject: Subject) -> Words:
    return ("telemetry", "tail", *_narrowed(subject))


def _narrowed(subject: Subject) -> Words:
    options = (
        ("--agent", subject.log_agent),
        ("--action", subject.log_action),
        ("--key", subject.log_key),
        ("--gene", subject.log_gene),
        ("--text", subject.log_text),
    )
    return tuple(f"{option}={value}" for option, value in options if value is not None)


def _creation(subject: Subject) -> Words | None:
    return None if subject.agent is None else ("agent", "create", subject.agent, *subject.options)


def _policy(subject: Subject) -> Words | None:
    return None if subject.agent is None else ("agent", "policy", subject.agent, *subject.options)


_MAIN: Final = frozenset({Place.MAIN})
_LOGS: Final = frozenset({Place.AUDIT, Place.TELEMETRY})
_REPORTS: Final = frozenset({Place.REPORT})
_LISTS: Final = frozenset(Place)

ACTIONS: Final = (
    Action("filter", "filter", "Narrow the list as you type.", ("slash",), _MAIN | _LOGS, _listing, rank=2),
    Action(
        "forecast",
        "forecast",
        "If a gene now writes so much: what would be evicted, in order.",
        ("f",),
        _MAIN,
        _forecast,
        rank=4,
    ),
    Action(
        "delete",
        "delete",
        "Delete the marked entries, or the one under the cursor; asks first.",
        ("d", "delete"),
        _MAIN,
        _deletion,
        changes=True,
        rank=5,
    ),
    Action(
        "why",
        "why",
        "The life of a key, from the audit log.",
        ("w",),
        _MAIN | {Place.AUDIT, Place.REPORT},
        _key("why"),
        rank=3,
    ),
    Action("audit", "audit", "The audit log, as it grows.", ("a",), _LISTS - {Place.AUDIT}, _audit, rank=6),
    Action(
        "review",
        "review",
        "Entries that deserve a look, with reasons.",
        ("r",),
        _MAIN,
        _agent("memory", "review"),
        rank=8,
    ),
    Action(
        "telemetry",
        "telemetry",
        "The events of refused accesses.",
        ("t",),
        _LISTS - {Place.TELEMETRY},
        _telemetry,
        rank=11,
    ),
    Action(
        "export",
        "export",
        "Write the marked entries, or all, into a new file.",
        ("x",),
        _MAIN,
        _export,
        rank=7,
    ),
    Action("import", "import", "Bring exported entries back.", ("i",), _MAIN, _import, changes=True, rank=12),
    Action(
        "access",
        "access",
        "Which gene may read, write and delete what, and by which rule.",
        ("g",),
        _MAIN,
        _access,
        rank=9,
    ),
    Action(
        "orphans",
        "orphans",
        "Entries that no gene of the genome may read.",
        ("o",),
        _MAIN,
        _agent("memory", "orphans"),
        rank=10,
    ),
    Action(
        "delete_category",
        "delete category",
        "Delete all entries of the category that is shown; asks first.",
        ("D",),
        _MAIN,
        _category_deletion,
        changes=True,
    ),
    Action("create", "new agent", "Create an agent.", ("n",), _MAIN, _creation, changes=True),
    Action(
        "policy", "policy", "Set the agent's quota and data policy.", ("e",), _MAIN, _policy, changes=True
    ),
    Action(
        "verify",
        "verify",
        "Hold the store and its logs against each other.",
        ("exclamation_mark",),
        _MAIN,
        lambda _: ("agent", "memory", "verify"),
    ),
    Action("value", "value", "Show or hide the value.", ("v",), _MAIN, _key("show", after=("--reveal",))),
    Action("value_form", "value as", "Show the value as text, JSON or hex.", ("V",), _MAIN),
    Action("open", "open", "Unfold what is under the cursor.", ("enter",), _LISTS, _key("show")),
    Action(
        "next_category",
        "next category",
        "Show the next category.",
        ("right_square_bracket",),
        _MAIN,
        _listing,
    ),
    Action(
        "previous_category",
        "previous category",
        "Show the category before.",
        ("left_square_bracket",),
        _MAIN,
        _listing,
    ),
    Action("sort", "sort", "Sort by the next column.", ("s",), _MAIN, _listing),
    Action("sort_other_way", "reverse", "Sort the other way round.", ("S",), _MAIN, _listing),
    Action("mark", "mark", "Mark the entry, or take its mark away.", ("space",), _MAIN),
    Action("unmark", "unmark all", "Take all marks away.", ("u",), _MAIN),
    Action("follow", "follow", "Go to the newest line and stay there.", ("f",), _LOGS, rank=3),
    Action("search", "search", "Search for a text; n and N go on.", ("s",), _LOGS, rank=4),
    Action("search_next", "next match", "The next match, towards older lines.", ("n",), _LOGS),
    Action("search_previous", "previous match", "The match before, towards newer lines.", ("N",), _LOGS),
    Action(
        "next_column", "next column", "The next gene, where there is one a column.", ("right", "l"), _REPORTS
    ),
    Action(
        "previous_column",
        "column before",
        "The gene before, where there is one a column.",
        ("left", "h"),
        _REPORTS,
    ),
    Action("back", "back", "Back to where you came from.", ("escape",), _LISTS, rank=1),
    Action("next_pane", "next pane", "Go to the next pane.", ("tab",), _MAIN),
    Action("previous_pane", "previous pane", "Go to the pane before.", ("shift+tab",), _MAIN),
    Action("up", "up", "One up.", ("up", "k"), _LISTS),
    Action("down", "down", "One down.", ("down", "j"), _LISTS),
    Action("page_up", "page up", "A page up.", ("pageup",), _LISTS),
    Action("page_down", "page down", "A page down.", ("pagedown",), _LISTS),
    Action("first", "first", "To the first.", ("home",), _LISTS),
    Action("last", "last", "To the last.", ("end", "G"), _LISTS),
    Action("pause", "pause", "Stop refreshing, or go on.", ("p",), _LISTS, rank=13),
    Action("refresh", "refresh", "Look again now.", ("f5",), _LISTS),
    Action(
        "copy_command", "copy command", "Copy the command line that equals what was done.", ("c",), _LISTS
    ),
    Action(
        "copy_key", "copy key", "Copy the key under the cursor.", ("y",), _MAIN | _REPORTS | {Place.AUDIT}
    ),
    Action("go_to", "go to", "Go to an agent or a screen by name.", ("colon",), _LISTS, rank=14),
    Action("look", "theme", "Another theme: dark, light, high contrast, ANSI.", ("T",), _LISTS),
    Action("palette", "actions", "Every action by name.", ("ctrl+p",), _LISTS),
    Action("help", "help", "The keys of this screen.", ("question_mark",), _LISTS, rank=0),
    Action("quit", "quit", "Leave.", ("q",), _LISTS, rank=0),
)
"""In the order of the help."""

BY_ID: Final = {action.id: action for action in ACTIONS}
FORBIDDEN_KEYS: Final = frozenset(f"ctrl+{letter}" for letter in "abjoqsz")
"""Keys that terminals and multiplexers keep for themselves: never a default (TUI-11)."""


def offered(place: Place, *, read_only: bool) -> list[Action]:
    """The actions of a place; a dashboard that only looks has none that change anything (TUI-9)."""
    return [action for action in ACTIONS if place in action.places and not (read_only and action.changes)]


def in_key_bar(place: Place, *, read_only: bool, has_way_back: bool = True) -> list[Action]:
    """The actions of a place's key bar, the most important first."""
    ranked = [action for action in offered(place, read_only=read_only) if action.rank is not None]
    if not has_way_back:
        ranked = [action for action in ranked if action.id != "back"]
    return sorted(ranked, key=lambda action: action.rank or 0)
