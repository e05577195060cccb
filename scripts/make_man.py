"""Writes the man pages into `man/`, one for each command, from the command tree; `--check` only compares.

`rotifer-memory.7` is written by hand; its tables between markers come from the library's tables.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import typer
from typer._click import Command as ClickCommand
from typer._click import Context as ClickContext

from rotifer_console.cli import tree
from rotifer_console.cli.app import app
from rotifer_console.dashboard import actions
from rotifer_console.dashboard.bars import key_name
from rotifer_store import tables

FOLDER = Path(__file__).resolve().parent.parent / "man"
CONCEPTS = "rotifer-memory.7"
DATE = "November 30, 2026"
"""Of the text, not of the run: a page that is made anew must come out the same."""

_ORDINALS = ("", "first", "second", "third")
_BLOCK = re.compile(r'(\.\\" generated:([a-z-]+)\n).*?(\.\\" /generated\n)', re.DOTALL)
_MACRO_LIKE = re.compile(r"[A-Z%][A-Za-z0-9]{1,2}")
_CLOSING = {".", ",", ";", ":", "?", "!", ")", "]"}

HEAD = """\
.\\" Made by scripts/make_man.py from the command tree: do not edit.
.Dd {date}
.Dt {title} 1
.Os
.Sh NAME
.Nm {name}
.Nd {summary}
"""

ROOT_ONLY = """\
.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev NO_COLOR
Where it is not empty, nothing is coloured.
.It Ev FORCE_COLOR
Where it is neither empty nor 0, pipes are coloured too.
.It Ev TERM
A terminal that is called dumb gets what a pipe gets.
.It Ev ROTIFER_TELEMETRY , Ev DO_NOT_TRACK
The first set to 0, false or off, or the second to anything but empty, 0 or false, keeps refused accesses
out of the telemetry file.
They stay in the audit log.
.El
.Sh FILES
.Bl -tag -width Ds
.It Pa rotifer.json
Makes its folder a project.
A command works in the nearest one from the working folder upwards.
.It Pa genes/
The project's genes, a folder each.
.It Pa .rotifer/
What the agents remember, for the owner alone:
.Pa playground.db ,
.Pa audit.jsonl
with the rotated
.Pa audit-DATE-SEQ.jsonl ,
and
.Pa telemetry.jsonl .
.El
"""

CONSOLE_ONLY = """\
.Sh FILES
.Bl -tag -width Ds
.It Pa ~/.config/rotifer/console.toml
The table
.Li [keys]
gives an action another key or a list of them, by the names above:
.Li delete = \\(dqz\\(dq .
.Li theme
in the table
.Li [view]
is one of dark, light, high contrast and ansi.
What cannot be taken is told at the start.
.Ev XDG_CONFIG_HOME
moves it.
.It Pa ~/.local/state/rotifer/console.json
How the screen was left: no key and no value of a memory.
.Ev XDG_STATE_HOME
moves it.
.El
"""

EXIT_STATUS = """\
.Sh EXIT STATUS
.Bl -tag -width Ds
.It 0
Done; an empty listing too.
.It 1
Refused by what is there, or something was found to be wrong.
.It 2
Refused by the arguments alone.
.It 130
Ended by Ctrl\\-C.
.El
.Pp
A refusal is one line on standard error with its code, then perhaps a hint; with
.Fl \\-json
it is an object of
.Dq error
with
.Dq code ,
.Dq message
and
.Dq hint .
"""

EXAMPLES = """\
.Sh EXAMPLES
A project, an agent of one gene, a run, and what it left behind:
.Bd -literal -offset indent
rotifer init diary && cd diary
rotifer agent create my\\-agent \\-\\-genes date\\-style
rotifer agent run my\\-agent \\-\\-input \\(aq{"date": "2026\\-11\\-30"}\\(aq
rotifer agent memory list my\\-agent
rotifer audit tail \\-f
.Ed
"""


def escaped(text: str) -> str:
    """Text for a line of a page: nothing in it is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\(lq\1\\(rq", text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


def word(text: str) -> str:
    """Text as one argument of a macro."""
    text = escaped(text)
    if _MACRO_LIKE.fullmatch(text) or text in _CLOSING:
        text = f"\\&{text}"
    return f'"{text}"' if " " in text else text


def prose(text: str) -> str:
    """Paragraphs, a sentence a line."""
    paragraphs = [
        "\n".join(
            escaped(sentence) for sentence in re.split(r"(?<=[.:;?!]) (?=[A-Z\"`])", " ".join(part.split()))
        )
        for part in text.split("\n\n")
    ]
    return "\n.Pp\n".join(paragraphs) + "\n"


def option_item(names: str) -> str:
    """The `.It` line of an option's names as the help has them: `-g, --genes GENE...`."""
    parts: list[str] = []
    for name in re.split(r", | / ", names):
        flag, _, metavar = name.partition(" ")
        parts.append(f"Fl {word(flag[1:])}" + (f" Ar {word(metavar)}" if metavar else ""))
    return ".It " + " , ".join(parts)


def parameters(command: ClickCommand, context: ClickContext) -> Iterator[tuple[str, str, str]]:
    """Kind, names and help of each parameter, as the help has them."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield parameter.param_type_name, record[0], record[1].replace("  [required]", "")


def synopsis(path: str, arguments: Iterable[str], *, is_group: bool) -> str:
    """How the command is called."""
    line = [f".Nm {path}"]
    line += [".Ar command", ".Op Ar argument ..."] if is_group else [".Op Ar options"]
    line += [f".Ar {word(argument)}" for argument in arguments]
    return "\n".join(line) + "\n"


def page(
    path: Sequence[str], member: tree.Command | tree.Group, command: ClickCommand, context: ClickContext
) -> str:
    """The page of one command or group."""
    name = "-".join(path)
    found = list(parameters(command, context))
    arguments = [
        (names.removesuffix(" <str>").removesuffix(" <path>"), text)
        for kind, names, text in found
        if kind == "argument"
    ]
    options = [(names, text) for kind, names, text in found if kind == "option"]
    is_group = isinstance(member, tree.Group)
    parts = [
        HEAD.format(
            date=DATE, title=name.upper(), name=name, summary=escaped(first_words(first_paragraph(member)))
        ),
        ".Sh SYNOPSIS\n",
        synopsis(" ".join(path), [names for names, _ in arguments], is_group=is_group),
        ".Sh DESCRIPTION\n",
        prose(member.help),
    ]
    if isinstance(member, tree.Group):
        items = [
            f".It Xr {'-'.join([*real_path(path), child])} 1\n{prose(first_paragraph(inner))}"
            for child, inner in member.members.items()
        ]
        parts.append(".Pp\nIts commands:\n.Bl -tag -width Ds\n" + "".join(items) + ".El\n")
    if arguments:
        items = [f".It Ar {word(names)}\n{prose(text)}" for names, text in arguments]
        parts.append(".Pp\nIts arguments:\n.Bl -tag -width Ds\n" + "".join(items) + ".El\n")
    items = [f"{option_item(names)}\n{prose(text)}" for names, text in options]
    parts.append(".Pp\nIts options:\n.Bl -tag -width Ds\n" + "".join(items) + ".El\n")
    if name == "rotifer-console":
        parts += [".Sh KEYS\nEach action by its name, with its keys:\n", keys(), CONSOLE_ONLY]
    is_root = len(path) == 1
    if is_root:
        parts.append(ROOT_ONLY)
    parts.append(EXIT_STATUS)
    if is_root:
        parts.append(EXAMPLES)
    parts.append(".Sh SEE ALSO\n")
    above = [f".Xr {'-'.join(path[:-1])} 1 ,\n"] if len(path) > 1 else []
    parts += [*above, f".Xr {CONCEPTS.removesuffix('.7')} 7\n"]
    return "".join(parts)


def keys() -> str:
    """Every action of the dashboard, its keys and what it does, once."""
    items = [
        f".It {word(action.id)} : {' '.join(map(written_key, action.keys))}\n{prose(action.help)}"
        for action in actions.ACTIONS
    ]
    return ".Bl -tag -width Ds\n" + "".join(items) + ".El\n"


def written_key(key: str) -> str:
    """A key as the settings take it."""
    return word(key if "+" in key else key_name(key))


def first_paragraph(member: tree.Command | tree.Group) -> str:
    """What a command or group says of itself in a list."""
    return member.help.partition("\n\n")[0]


def first_words(summary: str) -> str:
    """A summary as the one line of a page's name: no capital, no full stop."""
    summary = summary.removesuffix(".")
    return summary[0].lower() + summary[1:]


def real_path(path: Sequence[str]) -> Sequence[str]:
    """Where a group's commands have their pages: an alias has none of its own for them."""
    return ("rotifer", "agent", "memory") if tuple(path) == ("rotifer", "memory") else path


def pages() -> Iterator[tuple[str, str]]:
    """File name and text of the page of each command; a group of another name has one page of its own."""
    command = typer.main.get_command(app)
    yield from _pages(("rotifer",), tree.ROOT, command, typer.Context(command, info_name="rotifer"))


def _pages(
    path: Sequence[str], member: tree.Command | tree.Group, command: ClickCommand, context: ClickContext
) -> Iterator[tuple[str, str]]:
    yield f"{'-'.join(path)}.1", page(path, member, command, context)
    if not isinstance(member, tree.Group) or real_path(path) != path:
        return
    for name, inner in member.members.items():
        built = command.get_command(context, name)  # type: ignore[attr-defined]
        yield from _pages((*path, name), inner, built, typer.Context(built, info_name=name, parent=context))


def table(rows: Iterable[tuple[object, object]]) -> str:
    """A list of terms and sentences."""
    items = [f".It {word(str(term))}\n{prose(str(text))}" for term, text in rows]
    return ".Bl -tag -width Ds\n" + "".join(items) + ".El\n"


def categories() -> str:
    """What each category holds and when it goes."""
    return table(
        (
            row.category,
            f"{capital(row.holds)}. "
            + ("Never evicted." if row.eviction_rank is None else f"Evicted {_ORDINALS[row.eviction_rank]}."),
        )
        for row in tables.CATEGORIES
    )


def scopes() -> str:
    """Who each scope lets through."""
    return table((row.scope, f"{capital(row.who)}.") for row in tables.SCOPES)


def errors() -> str:
    """The error codes."""
    return table((row.code, f"{capital(row.when)}.") for row in tables.ERRORS)


def limits() -> str:
    """The limits."""
    return table((f"{row.value} {row.unit}", f"{capital(row.bounds)}.") for row in tables.LIMITS)


def audit_actions() -> str:
    """The actions of the audit log, and who can be their actor."""
    return table((row.action, f"By: {', '.join(row.actors)}.") for row in tables.AUDIT_ACTIONS)


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[0].upper() + text[1:]


BLOCKS: dict[str, Callable[[], str]] = {
    "categories": categories,
    "scopes": scopes,
    "errors": errors,
    "limits": limits,
    "audit-actions": audit_actions,
}


def main() -> int:
    """Writes the pages, or says with `--check` which are stale, missing or left over."""
    concepts = (FOLDER / CONCEPTS).read_text(encoding="utf-8")
    wanted = dict(pages())
    wanted[CONCEPTS] = _BLOCK.sub(lambda match: f"{match[1]}{BLOCKS[match[2]]()}{match[3]}", concepts)
    present = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    stale = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
    if "--check" in sys.argv:
        for name in stale:
            print(f"man/{name} is stale: run make man", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
