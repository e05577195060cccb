"""Log records for people: columns, cells, and sentences for what befalls a log that is followed (REC-9).

A log line may hold anything, also what no program of ours writes: a member of another type is a dash, and a
text of any length is cut to what a line of a screen can bear. JSON has them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rotifer_console.view import instants
from rotifer_console.view.columns import Column, short_id
from rotifer_console.view.sizes import format_size
from rotifer_store import (
    AuditRecord,
    Finding,
    LogNotice,
    LogNoticeKind,
    TelemetryRecord,
    UnreadableLine,
)
from rotifer_store.tables import MAX_KEY_BYTES, AuditAction

AUDIT_COLUMNS: Final = (
    Column("Time"),
    Column("Seq", right=True),
    Column("Action", style="cyan"),
    Column("Actor"),
    Column("Agent"),
    Column("Gene"),
    Column("Category"),
    Column("Bytes", right=True),
    Column("Key"),
    Column("Code", style="red"),
    Column("Reason"),
)
AUDIT_LINE_COLUMNS: Final = (
    Column("Time"),
    Column("Action", style="cyan"),
    Column("What"),
)
TELEMETRY_COLUMNS: Final = (
    Column("Time"),
    Column("Event", style="cyan"),
    Column("Operation"),
    Column("Code", style="red"),
    Column("Agent ID"),
    Column("Gene ID"),
    Column("Domain"),
    Column("Seq", right=True),
)
TELEMETRY_LINE_COLUMNS: Final = (
    Column("Time"),
    Column("Event", style="cyan"),
    Column("What"),
)
FINDING_COLUMNS: Final = (Column("Kind", style="yellow"), Column("Where"), Column("Finding"))

ACTION_WORDS: Final[Mapping[str, str]] = {
    AuditAction.MEMORY_WRITE: "written",
    AuditAction.MEMORY_UPDATE: "updated",
    AuditAction.MEMORY_DELETE: "deleted",
    AuditAction.MEMORY_EVICT: "evicted",
    AuditAction.MEMORY_EXPIRE: "expired",
    AuditAction.MEMORY_IMPORT: "imported",
    AuditAction.MEMORY_QUOTA_REFUSED: "no-room",
    AuditAction.MEMORY_ACCESS_DENIED: "refused",
    AuditAction.MEMORY_ABORTED: "revoked",
    AuditAction.AGENT_CREATE: "created",
    AuditAction.POLICY_CHANGE: "policy",
    AuditAction.GENOME_CHANGE: "genome",
    AuditAction.AUDIT_CHECKPOINT: "checkpoint",
}
"""What each action is called where there is room for one word."""

_NOTHING: Final = "-"
_ACTION_WIDTH: Final = max(len(action) for action in AuditAction)
_SHOWN_PLACES: Final = 3
_LEAST_OF_A_WORD: Final = 3
_SENTENCES: Final = {
    LogNoticeKind.ROTATED: "the log was rotated: what came before is in {}",
    LogNoticeKind.REPLACED: "another file stands in the log's place: {} is read from its beginning",
    LogNoticeKind.CUT: "{} was cut short or rewritten: it is read from its beginning",
    LogNoticeKind.GONE: "{} is gone; waiting for the next one",
}


def audit_cells(record: AuditRecord, genes: Mapping[str, str]) -> list[str]:
    """Exact cells, one a member."""
    return [
        _cell(record.ts),
        _cell(record.seq),
        _cell(record.action),
        _cell(record.actor),
        _cell(record.agent),
        _cell(genes.get(record.gene_id or "", record.gene_id)),
        _category(record),
        _cell(record.bytes),
        _cell(record.key),
        _cell(record.code),
        _cell(record.reason),
    ]


def audit_line(record: AuditRecord, genes: Mapping[str, str]) -> list[str]:
    """Cells for a line at a terminal: what happened in the first ones, then what there is to say of it."""
    gene = None if record.gene_id is None else genes.get(record.gene_id) or short_id(record.gene_id)
    what = [
        record.code,
        record.key,
        None if record.category is None else _category(record),
        None if record.bytes is None or record.bytes < 0 else format_size(record.bytes),
        f"agent {record.agent}" if record.agent is not None else None,
        f"by gene {gene}" if gene is not None else f"by the {record.actor}" if record.actor else None,
        record.reason,
    ]
    return [
        _time(record.ts),
        f"{_cell(record.action):<{_ACTION_WIDTH}}",
        ", ".join(_cell(word) for word in what if word is not None),
    ]


def telemetry_cells(record: TelemetryRecord) -> list[str]:
    """Exact cells, one a member."""
    return [
        _cell(record.ts),
        _cell(record.event),
        _cell(record.operation),
        _cell(record.code),
        _cell(record.agent_id),
        _cell(record.gene_id),
        _cell(record.gene_domain),
        _cell(record.audit_seq),
    ]


def telemetry_line(record: TelemetryRecord, genes: Mapping[str, str]) -> list[str]:
    """Cells for a line at a terminal: when and what, then who it was that was refused."""
    gene = None if record.gene_id is None else genes.get(record.gene_id) or short_id(record.gene_id)
    what = [
        record.code,
        record.operation,
        f"agent {record.agent_id}" if record.agent_id is not None else None,
        f"by gene {gene}" if gene is not None else None,
        f"of {record.gene_domain}" if record.gene_domain is not None else None,
        f"line {record.audit_seq} of the audit log" if record.audit_seq is not None else None,
    ]
    return [
        _time(record.ts),
        f"{_cell(record.event):<{_ACTION_WIDTH}}",
        ", ".join(_cell(word) for word in what if word is not None),
    ]


def actions_called(text: str | None) -> tuple[str, ...]:
    """The actions whose word, as screens show it, holds the text; of one or two letters none is meant."""
    folded = "" if text is None else text.casefold()
    if len(folded) < _LEAST_OF_A_WORD:
        return ()
    return tuple(str(action) for action, word in ACTION_WORDS.items() if folded in word)


def holds_text(record: AuditRecord | TelemetryRecord, text: str) -> bool:
    """Whether a member of the record, or the word for its action, holds the text, whatever its case."""
    folded = text.casefold()
    action = record.action if isinstance(record, AuditRecord) else record.event
    if action in actions_called(text):
        return True
    return any(folded in str(value).casefold() for value in record.to_json().values() if value is not None)


def finding_cells(finding: Finding) -> list[str]:
    """Kind, place and sentence."""
    return [finding.kind, _cell(finding.where), _cell(finding.message)]


def describe_notice(notice: LogNotice) -> str:
    """A sentence of what befell the log."""
    return _SENTENCES[notice.kind].format(notice.file)


def describe_unreadable(lines: Sequence[UnreadableLine], count: int) -> str:
    """A sentence of how many lines could not be read, and where the first of them stand."""
    places = ", ".join(f"{line.file}:{line.line_number}" for line in lines[:_SHOWN_PLACES])
    more = f" and {count - _SHOWN_PLACES} more" if count > _SHOWN_PLACES else ""
    return f"{count} {'line' if count == 1 else 'lines'} could not be read: {places}{more}"


def describe_beginning(record: AuditRecord | None) -> str:
    """A sentence of where the audit log begins, and so of what a check can speak (REC-9)."""
    if record is None:
        return "the audit log holds no record"
    if record.action == AuditAction.AUDIT_CHECKPOINT:
        return f"the audit log begins with the checkpoint at seq {_cell(record.seq)}"
    if record.seq == 1:
        return "the audit log begins with the store's first record"
    return f"the audit log begins at seq {_cell(record.seq)}: earlier records are elsewhere"


def _category(record: AuditRecord) -> str:
    if record.old_category is None:
        return _cell(record.category)
    return f"{_cell(record.old_category)} to {_cell(record.category)}"


def _time(ts: str | None) -> str:
    seconds = None if ts is None else instants.cut_to_the_second(ts)
    return _cell(ts) if seconds is None else seconds


def _cell(value: str | int | None) -> str:
    if value is None:
        return _NOTHING
    text = str(value)
    if len(text) <= MAX_KEY_BYTES:
        return text
    return f"{text[:MAX_KEY_BYTES]}... ({len(text)} characters)"
