"""What is typed to narrow a listing, as the filter it means (TUI-6).

Words between blanks: `re:`, `cat:`, `gene:`, `size>10k`, `expires<1h`; all others together are a part of the
key. Pure; `memory list --filter` and the dashboard read the same text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from rotifer_console.view.sizes import parse_span_us
from rotifer_store import BrowseFilter, MemoryCategory

FILTER_FORM: Final = "a part of the key, re:PATTERN, cat:CACHE, gene:NAME, size>10k, expires<1h"
"""The form in words, for hints and placeholders."""

_SIZE: Final = re.compile(r"size(>=|<=|>|<)(\d{1,15})(?:\.(\d{1,6}))?([kmg]?)b?", re.ASCII | re.IGNORECASE)
_UNIT_BYTES: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_CATEGORY_OF: Final = {str(category).lower(): category for category in MemoryCategory}


def parse_filter(text: str) -> BrowseFilter:
    """The filter that a text means; an empty text lets everything through.

    Raises:
        ValueError: a word that begins like one of the forms is none; the message says which form it has.
    """
    wanted = BrowseFilter()
    words = []
    for word in text.split():
        name, colon, rest = word.partition(":")
        if colon and name.lower() in ("re", "cat", "gene"):
            wanted = _named(wanted, name.lower(), rest)
        elif word.lower().startswith("size") and len(word) > 4 and word[4] in "<>":
            wanted = _sized(wanted, word)
        elif word.lower().startswith("expires<"):
            wanted = _expiring(wanted, word)
        else:
            words.append(word)
    return replace(wanted, text=" ".join(words)) if words else wanted


def _named(wanted: BrowseFilter, name: str, rest: str) -> BrowseFilter:
    if not rest:
        raise ValueError(f"{name}: needs something after it")
    if name == "gene":
        return replace(wanted, gene=rest)
    if name == "cat":
        starts = [category for word, category in _CATEGORY_OF.items() if word.startswith(rest.lower())]
        category = _CATEGORY_OF.get(rest.lower()) or (starts[0] if len(starts) == 1 else None)
        if category is None:
            raise ValueError(f"cat: is one of {', '.join(MemoryCategory)}")
        return replace(wanted, category=category)
    try:
        re.compile(rest)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"re: is no regular expression: {getattr(error, 'msg', 'too large')}") from None
    return replace(wanted, pattern=rest)


def _sized(wanted: BrowseFilter, word: str) -> BrowseFilter:
    match = _SIZE.fullmatch(word)
    if match is None:
        raise ValueError("size needs a number of bytes, or k, m, g after it, such as size>10k")
    relation, whole, fraction, unit = match[1], match[2], match[3] or "", match[4].lower()
    size_bytes = int(f"{whole}{fraction}") * _UNIT_BYTES[unit] // int(10 ** len(fraction))
    if relation in (">", ">="):
        return replace(wanted, min_bytes=size_bytes + (relation == ">"))
    return replace(wanted, max_bytes=size_bytes - (relation == "<"))


def _expiring(wanted: BrowseFilter, word: str) -> BrowseFilter:
    _, _, span = word.partition("<")
    try:
        span_us = parse_span_us(span.removeprefix("="))
    except ValueError:
        raise ValueError("expires needs a time after it, such as expires<90m or expires<1d") from None
    return replace(wanted, expires_within_s=span_us / 1_000_000)
