"""Arguments checked before anything is opened: what is wrong here no project could make right (CLI-2)."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rotifer_console.cli.exits import UsageRefused
from rotifer_console.view.safe_text import clipped
from rotifer_console.view.sizes import SIZE_FORM, parse_quota_bytes, parse_retention_days
from rotifer_store import ErrorCode, MemoryCategory


def checked_category(text: str) -> MemoryCategory:
    """The category of that name, which is upper case (ENT-6)."""
    if text in MemoryCategory.__members__:
        return MemoryCategory(text)
    near = difflib.get_close_matches(text.upper(), list(MemoryCategory), n=1)
    hint = f"categories are upper case: did you mean {near[0]}?" if near else ", ".join(MemoryCategory)
    raise UsageRefused(f"{clipped(text)} is no category", hint=hint, code=ErrorCode.MEMORY_INVALID_INPUT)


def checked_gene_names(words: Sequence[str]) -> list[str]:
    """The genes that the words of `--genes` name, commas parting them too (RUN-1)."""
    from rotifer_store.gene_folder import GENE_NAME_FORM, is_gene_name

    names = [name for word in words for name in word.split(",")]
    for name in names:
        if not is_gene_name(name):
            raise UsageRefused(f"no gene is called {clipped(name)}", hint=GENE_NAME_FORM, code="GENE_INVALID")
    return names


def checked_quota_bytes(text: str) -> int:
    """The bytes of a `--memory-quota` (QUO-2)."""
    try:
        return parse_quota_bytes(text)
    except ValueError as error:
        raise UsageRefused(f"--memory-quota {clipped(text, 60)}: {error}", hint=SIZE_FORM) from None


def checked_days(text: str) -> int:
    """The days of a `--max-retention-days` (POL-1)."""
    try:
        return parse_retention_days(text)
    except ValueError as error:
        raise UsageRefused(f"--max-retention-days {clipped(text, 60)}: {error}") from None


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
