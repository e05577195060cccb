"""Arguments checked before anything is opened: what is wrong here no project could make right (CLI-2)."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from rotifer_console.cli.exits import Refused, UsageRefused, note
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.file_names import path_of
from rotifer_console.view.entries import ORDERS
from rotifer_console.view.instants import TIME_FORM, exact_or_earliest
from rotifer_console.view.safe_text import clipped
from rotifer_console.view.sizes import (
    SIZE_FORM,
    SPAN_FORM,
    parse_millipercent,
    parse_quota_bytes,
    parse_retention_days,
    parse_span_us,
)
from rotifer_store import BrowseFilter, ErrorCode, MemoryCategory, SystemClock
from rotifer_store.tables import AuditAction

STANDARD_STREAM: Final = "-"
"""Stdin or stdout in place of a FILE (CLI-5)."""
_NO_LIMIT: Final = "none"
_LINES: Final = re.compile(r"[0-9]{1,15}")
_V2_ID: Final = re.compile(r"v2:[0-9a-f]{64}")


def checked_category(text: str) -> MemoryCategory:
    """The category of that name, which is upper case (ENT-6)."""
    if text in MemoryCategory.__members__:
        return MemoryCategory(text)
    near = did_you_mean(text, MemoryCategory)
    hint = ", ".join(MemoryCategory) if near is None else f"categories are upper case: {near}"
    raise UsageRefused(f"{clipped(text)} is no category", hint=hint, code=ErrorCode.MEMORY_INVALID_INPUT)


def checked_gene_names(words: Sequence[str]) -> list[str]:
    """The genes that the words of `--genes` name, commas parting them too (RUN-1)."""
    return [checked_gene_name(name) for word in words for name in word.split(",")]


def checked_gene_name(name: str) -> str:
    """The name, which a gene can have (GEN-1)."""
    from rotifer_store.gene_folder import GENE_NAME_FORM, is_gene_name

    if not is_gene_name(name):
        raise UsageRefused(f"no gene is called {clipped(name)}", hint=GENE_NAME_FORM, code="GENE_INVALID")
    return name


def is_v2_id(text: str) -> bool:
    """Whether it is a gene's v2 id and no name (ACC-7)."""
    return _V2_ID.fullmatch(text) is not None


def checked_domain(text: str) -> str:
    """The domain, which a gene can have (GEN-1)."""
    from rotifer_store.gene_folder import DOMAIN_FORM, is_domain

    if not is_domain(text):
        hint = f"a domain is {DOMAIN_FORM}"
        raise UsageRefused(f"no domain is called {clipped(text)}", hint=hint, code="GENE_INVALID")
    return text


def checked_quota_bytes(text: str) -> int:
    """The bytes of a `--memory-quota` (QUO-2)."""
    try:
        return parse_quota_bytes(text)
    except ValueError as error:
        raise UsageRefused(f"--memory-quota {clipped(text, 60)}: {error}", hint=SIZE_FORM) from None


def checked_bytes(text: str) -> int:
    """The bytes of a `--bytes`: a size as a quota has it (QUO-2, CLI-6)."""
    try:
        return parse_quota_bytes(text)
    except ValueError as error:
        raise UsageRefused(f"--bytes {clipped(text, 60)}: {error}", hint=SIZE_FORM) from None


def checked_days(text: str) -> int:
    """The days of a `--max-retention-days` (POL-1)."""
    try:
        return parse_retention_days(text)
    except ValueError as error:
        raise UsageRefused(f"--max-retention-days {clipped(text, 60)}: {error}") from None


def checked_days_or_none(text: str) -> int | None:
    """The days of a `--max-retention-days` where `none` lifts the limit (POL-2)."""
    return None if text == _NO_LIMIT else checked_days(text)


def checked_span_us(text: str) -> int:
    """The microseconds of an `--expires-within` (CLI-6)."""
    try:
        return parse_span_us(text)
    except ValueError as error:
        raise UsageRefused(f"--expires-within {clipped(text, 60)}: {error}", hint=SPAN_FORM) from None


def checked_since(text: str) -> str:
    """The RFC 3339 time of a `--since`: it is one, or says how long ago, as `90m` does (CLI-6)."""
    try:
        ago_us = parse_span_us(text)
    except ValueError as error:
        if text[:1].isdigit() and "T" in text.upper():  # meant as a time: the library knows its form (INP-4)
            return text
        hint = f"how long ago, such as 90m or 1d; or {TIME_FORM}"
        raise UsageRefused(f"--since {clipped(text, 60)}: {error}, and no RFC 3339 time", hint=hint) from None
    return exact_or_earliest(SystemClock().now_us() - ago_us)


def checked_lines(text: str) -> int:
    """The number of a `--lines`."""
    if not _LINES.fullmatch(text):
        raise UsageRefused(f"--lines {clipped(text, 60)}: it is not a whole number", hint="such as -n 20")
    return int(text)


def checked_action(text: str) -> AuditAction:
    """The action of that name."""
    if text in list(AuditAction):
        return AuditAction(text)
    hint = did_you_mean(text, AuditAction) or ", ".join(AuditAction)
    raise UsageRefused(f"--action {clipped(text, 60)}: the log knows no such action", hint=hint)


def checked_mark(text: str) -> int:
    """The thousandths of a percent of a `--warn-at`."""
    try:
        return parse_millipercent(text)
    except ValueError as error:
        raise UsageRefused(f"--warn-at {clipped(text, 60)}: {error}", hint="such as 80%") from None


def checked_filter(text: str) -> BrowseFilter:
    """What a `--filter` lets through (TUI-6)."""
    from rotifer_console.view.filters import FILTER_FORM, parse_filter  # few listings are filtered

    try:
        return parse_filter(text)
    except ValueError as error:
        raise UsageRefused(f"--filter {clipped(text, 60)}: {error}", hint=FILTER_FORM) from None


def checked_order(text: str) -> str:
    """What a `--sort` names."""
    if text in ORDERS:
        return text
    hint = did_you_mean(text, ORDERS) or ", ".join(ORDERS)
    raise UsageRefused(f"--sort {clipped(text, 60)}: it is no order", hint=hint)


def checked_path(text: str) -> Path:
    """The path of a FILE that the system could know; whether it is there is another matter."""
    try:
        return path_of(text)
    except ValueError:
        raise UsageRefused(f"{clipped(text) or 'an empty text'} is no file's name") from None


def checked_source(text: str) -> Path | IO[bytes]:
    """What a FILE is read from: stdin for `-` (CLI-5)."""
    return stdin_stream() if text == STANDARD_STREAM else checked_path(text)


def stdin_stream() -> IO[bytes]:
    """Stdin as bytes; a person at a terminal is told that something is waited for."""
    if sys.stdin is None:  # closed by who started us
        return io.BytesIO()
    if sys.stdin.isatty():
        note("reading from the terminal; Ctrl-D ends it")
    return sys.stdin.buffer


def checked_keys(text: str) -> list[str]:
    """The keys that the file of a `--keys-from` holds: a JSON string a line, or raw ones that end with NUL.

    No key holds a NUL, so one NUL tells the two forms apart (INP-1).
    """
    source = checked_source(text)
    try:
        data = source.read_bytes() if isinstance(source, Path) else source.read()
    except OSError as error:
        reason = (error.strerror or "the system failed").lower()
        raise Refused(ErrorCode.MEMORY_STORAGE_ERROR, f"{clipped(text)} cannot be read: {reason}") from None
    try:
        if b"\0" in data:
            return data.removesuffix(b"\0").decode().split("\0")
        return [_json_string(line) for line in data.removesuffix(b"\n").split(b"\n")] if data else []
    except (ValueError, RecursionError):
        hint = "a JSON string a line, or every key followed by a NUL character"
        raise UsageRefused("--keys-from does not hold keys", hint=hint) from None


def _json_string(line: bytes) -> str:
    key = json.loads(line)
    if not isinstance(key, str):
        raise ValueError("it is no string")  # noqa: TRY004 -- like the parser's own refusals
    return key


def checked_input(text: str) -> Any:
    """The JSON value of an `--input`; `-` reads it from stdin."""
    try:
        source = sys.stdin.buffer.read().decode() if text == "-" else text
        return json.loads(source, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        # Not the parser's own words: they can quote the input.
        where = "what stdin holds" if text == "-" else "the --input"
        raise UsageRefused(f"{where} is not JSON", hint="""such as '{"name": "world"}'""") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
