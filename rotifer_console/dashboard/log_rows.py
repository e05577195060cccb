"""A record of a log as one line: when, what happened, to which key, and why (TUI-5). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from rotifer_console.dashboard.cells import Line, Piece, fit, width_of
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.columns import short_id
from rotifer_console.view.instants import cut_to_the_second
from rotifer_console.view.logs import ACTION_WORDS
from rotifer_console.view.sizes import format_size, size_cell
from rotifer_store import AuditRecord, TelemetryRecord, UnreadableLine
from rotifer_store.tables import AuditAction

LogRecord = AuditRecord | TelemetryRecord | UnreadableLine

_ROLES: Final[Mapping[str, str]] = {
    AuditAction.MEMORY_WRITE: "success",
    AuditAction.MEMORY_UPDATE: "success",
    AuditAction.MEMORY_DELETE: "warning",
    AuditAction.MEMORY_EVICT: "warning",
    AuditAction.MEMORY_EXPIRE: "dim",
    AuditAction.MEMORY_QUOTA_REFUSED: "error",
    AuditAction.MEMORY_ACCESS_DENIED: "error",
    AuditAction.MEMORY_ABORTED: "warning",
    AuditAction.AUDIT_CHECKPOINT: "dim",
}
WORDS: Final = {action: (word, _ROLES.get(action, "accent")) for action, word in ACTION_WORDS.items()}
"""What each action is called on a screen, and its role."""

_WRITES: Final = (AuditAction.MEMORY_WRITE, AuditAction.MEMORY_UPDATE)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WIDE: Final = 100
_AGENTS_TOO: Final = 112
_NARROW: Final = 56
_TIMES_TOO: Final = 32
_CLOCK: Final = 8
_DAY_OR_CLOCK: Final = 12
_DATE_AND_CLOCK: Final = 19
_LONG_WHY: Final = 30
_MOST_NEIGHBOURS: Final = 400


@dataclass(frozen=True, slots=True)
class Setting:
    """What a row is drawn with: the width, the day that is today (`2026-11-30`), names, signs."""

    width: int
    today: str
    genes: Mapping[str, str]
    glyphs: Glyphs
    agents: Mapping[str, str] = field(default_factory=dict)


class Column(NamedTuple):
    """A column: what it tells, its title, its cells, and whether it stands at their right."""

    member: str
    title: str
    cells: int
    is_right: bool = False


def audit_columns(width: int) -> tuple[Column, ...]:
    """The columns of the audit log that fit; the last one takes what is left."""
    time, word = _time_column(width), Column("word", "what", 10)
    if width < _NARROW:
        times = (time,) if width >= _TIMES_TOO else ()
        return _filled(width, *times, word, Column("key", "key", 0))
    size = Column("size", "size", 8, is_right=True)
    agents = (Column("agent", "agent", 12),) if width >= _AGENTS_TOO else ()
    left = _left(width, (time, word, Column("key", "key", 0), size, *agents))
    key = Column("key", "key", max(20, left // 3) if width >= _WIDE else max(8, left // 2))
    return _filled(width, time, word, key, size, *agents, Column("why", "by whom, or why", 0))


def telemetry_columns(width: int) -> tuple[Column, ...]:
    """The columns of the telemetry log that fit; the last one takes what is left."""
    time, call = _time_column(width), Column("call", "call", 6)
    if width < _NARROW:
        times = (time,) if width >= _TIMES_TOO else ()
        return _filled(width, *times, Column("word", "what", 8), call, Column("gene", "gene", 0))
    word = Column("word", "what", 10)
    agents = (Column("agent", "agent", 12),) if width >= _AGENTS_TOO else ()
    domains = (Column("domain", "domain", 16),) if width >= _WIDE else ()
    gene = Column("gene", "gene", 16)
    return _filled(width, time, word, call, *agents, gene, *domains, Column("code", "code", 0))


def audit_titles(width: int) -> Line:
    """The titles of the audit log's columns."""
    return _titles(audit_columns(width), width)


def telemetry_titles(width: int) -> Line:
    """The titles of the telemetry log's columns."""
    return _titles(telemetry_columns(width), width)


def log_row(record: LogRecord, setting: Setting, made_room_for: str | None = None) -> Line:
    """One line of either log; one that cannot be read says where it stands.

    Args:
        record: the line.
        setting: what it is drawn with.
        made_room_for: the key whose write evicted the record's, where that is known.
    """
    match record:
        case AuditRecord():
            return audit_row(record, setting, made_room_for)
        case TelemetryRecord():
            return telemetry_row(record, setting)
        case UnreadableLine():
            return unreadable_row(record, setting)


def audit_row(record: AuditRecord, setting: Setting, made_room_for: str | None = None) -> Line:
    """One record of the audit log; `made_room_for` is as `log_row` takes it."""
    if record.action is None:
        return foreign_row(record.ts, setting)
    columns = audit_columns(setting.width)
    size = "" if record.bytes is None or record.bytes < 0 else size_cell(record.bytes)
    told = {
        "time": _when(record.ts, setting),
        "word": _word(record.action, setting),
        "key": _concerned(record),
        "size": (Piece(size, "dim"),),
        "agent": (Piece(record.agent or "", "dim"),),
        "why": _why(record, setting, made_room_for, columns[-1].cells),
    }
    return _in_columns(columns, told, setting.width, ellipsis=setting.glyphs.ellipsis)


def telemetry_row(record: TelemetryRecord, setting: Setting) -> Line:
    """One event of the telemetry log."""
    if record.event is None:
        return foreign_row(record.ts, setting)
    told = {
        "time": _when(record.ts, setting),
        "word": _word(record.event, setting),
        "call": (Piece(record.operation or ""),),
        "agent": (Piece(_agent(record.agent_id, setting), "dim"),),
        "gene": (Piece(_gene(record.gene_id, setting) or ""),),
        "domain": (Piece(record.gene_domain or "", "dim"),),
        "code": (Piece(record.code or "", "error"),),
    }
    return _in_columns(
        telemetry_columns(setting.width), told, setting.width, ellipsis=setting.glyphs.ellipsis
    )


def unreadable_row(record: UnreadableLine, setting: Setting) -> Line:
    """A line that holds no JSON object."""
    glyphs = setting.glyphs
    number = f" {record.line_number}" if record.line_number else ""
    text = f"unreadable: line{number} of {record.file}, {format_size(record.size_bytes)}"
    return (
        Piece(f" {glyphs.warning} ", "warning"),
        Piece(fit(text, max(1, setting.width - 3), ellipsis=glyphs.ellipsis), "warning"),
    )


def foreign_row(ts: str | None, setting: Setting) -> Line:
    """An object that tells of nothing that happened: another program wrote it (REC-9)."""
    glyphs = setting.glyphs
    text = f"another program's line{'' if ts is None else f', {ts}'}"
    return (
        Piece(f" {glyphs.warning} ", "warning"),
        Piece(fit(text, max(1, setting.width - 3), ellipsis=glyphs.ellipsis), "warning"),
    )


def begun_row(begun_bytes: int, setting: Setting) -> Line:
    """A last line whose end has not come."""
    text = f" {setting.glyphs.ellipsis} a line is being written, {format_size(begun_bytes)} so far"
    return (Piece(fit(text, setting.width, ellipsis=setting.glyphs.ellipsis), "dim"),)


def unread_row(setting: Setting) -> Line:
    """A line that is there and has not been read yet."""
    return (Piece(f" {setting.glyphs.free * 3}", "dim"),)


def room_made_for(record: LogRecord, following: Mapping[int, LogRecord], line: int) -> str | None:
    """The key whose write evicted the record's, where the lines after it that were read tell it (QUO-4).

    Args:
        record: the eviction's.
        following: lines that were read, by their numbers.
        line: the number of the eviction's line.
    """
    if not isinstance(record, AuditRecord) or record.action != AuditAction.MEMORY_EVICT or record.txn is None:
        return None
    for number in range(line + 1, line + _MOST_NEIGHBOURS):
        later = following.get(number)
        if not isinstance(later, AuditRecord) or later.txn != record.txn:
            return None
        if later.action in _WRITES:
            return later.key
    return None


def _time_column(width: int) -> Column:
    if width >= _WIDE:
        return Column("time", "time UTC", _DATE_AND_CLOCK)
    return Column("time", "time UTC", _CLOCK if width < _NARROW else _DAY_OR_CLOCK)


def _gap(width: int) -> int:
    return 1 if width < _NARROW else 2


def _left(width: int, columns: Sequence[Column]) -> int:
    """The cells that columns leave to one more."""
    return width - 1 - sum(column.cells + _gap(width) for column in columns)


def _filled(width: int, *columns: Column) -> tuple[Column, ...]:
    *first, last = columns
    return (*first, last._replace(cells=max(1, _left(width, first))))


def _titles(columns: Sequence[Column], width: int) -> Line:
    told = {column.member: (Piece(column.title, "header"),) for column in columns}
    return _in_columns(columns, told, width, ellipsis="")


def _in_columns(columns: Sequence[Column], told: Mapping[str, Line], width: int, *, ellipsis: str) -> Line:
    """What is told, each in its column; what comes in several pieces has been cut to its room."""
    line = [Piece(" ")]
    for number, column in enumerate(columns):
        if number:
            line.append(Piece(" " * _gap(width)))
        pieces = told[column.member]
        if len(pieces) == 1:
            text = fit(pieces[0].text, column.cells, right=column.is_right, ellipsis=ellipsis)
            line.append(pieces[0]._replace(text=text))
        else:
            line += pieces
    return tuple(line)


def _when(ts: str | None, setting: Setting) -> Line:
    """The time: the clock alone where it is today's, else a date, as much of both as fits."""
    exact = cut_to_the_second(ts) if ts is not None else None
    if exact is None:
        return (Piece(ts or "no time", "dim"),)
    if setting.width >= _WIDE:
        return (Piece(exact.removesuffix("Z"), "dim"),)
    return (Piece(_short(exact, setting.today, is_narrow=setting.width < _NARROW), "dim"),)


def _short(exact: str, today: str, *, is_narrow: bool) -> str:
    day, clock = exact[:10], exact[11:19]
    if day == today:
        return clock
    month = int(day[5:7])
    date = f"{int(day[8:10]):2} {_MONTHS[month - 1]}" if 1 <= month <= 12 else day[5:]
    if is_narrow:
        return date
    return f"{date} {clock[:5]}" if day[:4] == today[:4] else f"{date} {day[:4]}"


def _word(action: str, setting: Setting) -> Line:
    """What happened; what no program of ours does has a sign."""
    word, role = WORDS.get(action, (f"{setting.glyphs.warning} {action}", "warning"))
    return (Piece(word, role),)


def _concerned(record: AuditRecord) -> Line:
    """The key; for what concerns no key the agent."""
    if record.key is not None or record.agent is None:
        return (Piece(record.key or ""),)
    return (Piece(f"agent {record.agent}", "dim"),)


def _why(record: AuditRecord, setting: Setting, made_room_for: str | None, room: int) -> Line:
    """Who did it; or to make room for what; or which call was refused, and with which code."""
    if record.action == AuditAction.MEMORY_EVICT:
        if made_room_for is None:
            return _parts([("to make room", "dim")], setting, room)
        beginning = "to make room for " if room >= _LONG_WHY else "for "
        return (
            Piece(beginning, "dim"),
            Piece(fit(made_room_for, max(1, room - len(beginning)), ellipsis=setting.glyphs.ellipsis)),
        )
    who = _gene(record.gene_id, setting) or record.actor
    if record.code is None:
        return _parts([(who, "dim")], setting, room)
    return _parts([(who, "dim"), (record.operation, "dim"), (record.code, "error")], setting, room)


def _parts(parts: Sequence[tuple[str | None, str]], setting: Setting, room: int) -> Line:
    """The parts that are there, as many as fit; the first is cut rather than left out."""
    line: list[Piece] = []
    for text, role in parts:
        if not text:
            continue
        separator = f" {setting.glyphs.separator} " if line else ""
        shown = fit(text, max(1, room - len(separator)), ellipsis=setting.glyphs.ellipsis).rstrip(" ")
        if line and len(separator) + len(text) > room:
            break
        line += [Piece(separator, "dim"), Piece(shown, role)]
        room -= len(separator) + width_of(shown)
    return tuple(line)


def _agent(agent_id: str | None, setting: Setting) -> str:
    return "" if agent_id is None else setting.agents.get(agent_id, agent_id)


def _gene(gene_id: str | None, setting: Setting) -> str | None:
    return None if gene_id is None else setting.genes.get(gene_id) or short_id(gene_id)
