"""A line of a log as it stands, for people: laid out where it is JSON, and as text (TUI-5). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rotifer_console.view import life
from rotifer_console.view.columns import short_id
from rotifer_console.view.logs import ACTION_WORDS
from rotifer_console.view.sizes import format_size
from rotifer_console.view.values import json_lines
from rotifer_store import AuditRecord, LifeEvent, RawLine, TelemetryRecord, UnreadableLine

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
        return "another program's line: it tells of no action of the store"
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
    """The line as JSON with a member a line; None where it is none, or only a part is there."""
    return None if raw.is_cut else json_lines(raw.data)
