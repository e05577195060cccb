"""A line of a log as it stands, for people: laid out where it is JSON, and as text (TUI-5). Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from rotifer_console.view import life
from rotifer_console.view.columns import short_id
from rotifer_console.view.logs import ACTION_WORDS
from rotifer_console.view.sizes import format_size
from rotifer_store import AuditRecord, LifeEvent, RawLine, TelemetryRecord, UnreadableLine

_INDENT: Final = 2
_MOST_TOLD: Final = 400


def describe_raw(raw: RawLine) -> str:
    """Where a line stands and how long it is: `audit.jsonl, line 12, 300 B`."""
    size = format_size(raw.size_bytes)
    shown = f"the first {format_size(len(raw.data))} of {size}" if raw.is_cut else size
    return f"{raw.file}, line {raw.line_number}, {shown}"


def summary_of(
    record: AuditRecord | TelemetryRecord | UnreadableLine,
    genes: Mapping[str, str],
    made_room_for: str | None = None,
) -> str:
    """What a record tells, in a sentence."""
    if isinstance(record, UnreadableLine):
        return "this line holds no JSON object"
    if isinstance(record, TelemetryRecord):
        who = "a gene without a v2 id" if record.gene_id is None else _gene(record.gene_id, genes)
        return _cut(f"{record.operation or 'a call'} by {who}: {record.code or record.event or 'an event'}")
    if record.action is None:
        return "this line tells of no action"
    if record.key is not None:
        sentence = life.sentence(LifeEvent(record, made_room_for), genes)
        return f"{_cut(record.key)}: {_cut(sentence)}"
    word = ACTION_WORDS.get(record.action, record.action)
    of_agent = "" if record.agent is None else f" of agent {record.agent}"
    by_whom = "" if record.actor is None else f" by the {record.actor}"
    reason = "" if record.reason is None else f": {record.reason}"
    return _cut(f"{word}{of_agent}{by_whom}{reason}")


def _cut(text: str) -> str:
    """A log line may hold a text of any length; a sentence of it has an end."""
    return text if len(text) <= _MOST_TOLD else f"{text[:_MOST_TOLD]}..."


def _gene(gene_id: str, genes: Mapping[str, str]) -> str:
    return genes.get(gene_id) or short_id(gene_id)


def text_of(raw: RawLine) -> str:
    """The line's text; bytes that are none stand as replacement marks."""
    return raw.data.decode("utf-8", "replace")


def laid_out(raw: RawLine) -> list[str] | None:
    """The line as JSON with a member a line; None where it is none, or only a part is there.

    Numbers stay as they were written, and of members of one name all are there.
    """
    if raw.is_cut:
        return None
    try:
        value = json.loads(
            raw.data,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_Number,
            object_pairs_hook=_Members,
        )
        return _laid_out(value, 0, "")
    except (ValueError, RecursionError):
        return None


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


class _Members(list[tuple[str, object]]):
    """An object's members in their order."""

    __slots__ = ()


def _laid_out(value: object, depth: int, before: str) -> list[str]:
    margin = " " * (_INDENT * depth)
    if isinstance(value, _Members) and value:
        inside = [
            _laid_out(member, depth + 1, f"{json.dumps(name, ensure_ascii=False)}: ")
            for name, member in value
        ]
        return _enclosed(f"{margin}{before}", "{", inside, "}", margin)
    if isinstance(value, list) and value:
        inside = [_laid_out(item, depth + 1, "") for item in value]
        return _enclosed(f"{margin}{before}", "[", inside, "]", margin)
    if isinstance(value, _Members):
        text = "{}"
    elif isinstance(value, _Number):
        text = str(value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    return [f"{margin}{before}{text}"]


def _enclosed(head: str, opening: str, inside: list[list[str]], closing: str, margin: str) -> list[str]:
    lines = [f"{head}{opening}"]
    for number, part in enumerate(inside):
        comma = "," if number < len(inside) - 1 else ""
        lines += [*part[:-1], f"{part[-1]}{comma}"]
    return [*lines, f"{margin}{closing}"]
