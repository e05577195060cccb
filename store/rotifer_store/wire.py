"""JSON requests and responses, and nothing lenient.

Pure. Requests come from genes in any language: duplicate and unknown members, NaN, lone surrogates and
bottomless nesting are MEMORY_INVALID_INPUT (HST-5, HST-7).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from binascii import b2a_base64
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import NoReturn

from rotifer_store.errors import MemoryInvalidInput
from rotifer_store.model import UNSET, MemoryEntry, own_access, own_retention
from rotifer_store.rfc3339 import format_us
from rotifer_store.tables import CATEGORY_OF, ENTRY_FIELDS

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


_MOST_BESIDE_STRINGS_BYTES = 65_536
_MOST_STRINGS = 64
_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+"?', re.DOTALL)

Result = MemoryEntry | list[MemoryEntry] | None
"""What one of the four calls returns."""


def encode_response(response: object) -> bytes:
    """Compact ASCII JSON."""
    return _encode(response).encode("ascii")


def encode_result(result: Result) -> bytes:
    """A call's result as compact ASCII JSON, entries with the page's members (HST-5)."""
    if result is None:
        return b"null"
    if isinstance(result, list):
        return f"[{','.join(map(_entry_text, result))}]".encode("ascii")
    return _entry_text(result).encode("ascii")


def _entry_text(entry: MemoryEntry) -> str:
    """`to_json()` as text, without the dictionary: a host answers every call of a gene with one."""
    return _ENTRY % (
        entry.entry_id,
        CATEGORY_OF[entry.category_stored],
        encode_basestring_ascii(entry.key),
        b2a_base64(entry.value, newline=False).decode("ascii"),
        encode_basestring_ascii(entry.created_by),
        encode_basestring_ascii(entry.last_accessed_by),
        format_us(entry.created_at_us),
        format_us(entry.updated_at_us),
        _access(entry.read_scope_stored, entry.write_scope_stored, entry.share_policy_stored),
        _retention(entry.own_days, entry.own_auto_delete, entry.own_anonymization),
    )


@lru_cache
def _access(read_stored: int, write_stored: int, share_stored: int) -> str:
    return _encode(own_access(read_stored, write_stored, share_stored).to_json())


@lru_cache
def _retention(own_days: int | None, own_auto_delete: int | None, own_anonymization: int | None) -> str:
    policy = own_retention(own_days, own_auto_delete, own_anonymization)
    return "null" if policy is None else _encode(policy.to_json())


_NEVER_ESCAPED = ("entry_id", "category", "value", "created_at", "updated_at")
_MEMBERS = (
    f'"{row.wire_name}":"%s"' if row.name in _NEVER_ESCAPED else f'"{row.wire_name}":%s'
    for row in ENTRY_FIELDS
)
_ENTRY = f"{{{','.join(_MEMBERS)}}}"
"""The members in the table's order, which is that of `_entry_text`."""


def parse_request(request: bytes) -> dict[str, object]:
    """The members of a request; an empty request has none.

    Raises:
        MemoryInvalidInput: it is not one JSON object in UTF-8 with each member once.
    """
    if not request:
        return {}
    if not _is_flat(request):
        raise MemoryInvalidInput("the request is not a JSON object with each member once")
    return parse_strict_object(request, "the request")


def _is_flat(request: bytes) -> bool:
    """Whether a request has little besides its strings, as each that a call takes has.

    Megabytes of brackets would keep the parser, and with it whoever waits for a deadline, busy for seconds.
    """
    if len(request) <= _MOST_BESIDE_STRINGS_BYTES:
        return True
    if b"\\" in request:
        beside_bytes = len(_STRING.sub(b"", request, _MOST_STRINGS))
    else:  # every quote begins or ends a string, which is ten times as fast to see
        beside_bytes = sum(map(len, request.split(b'"', 2 * _MOST_STRINGS)[::2]))
    return beside_bytes <= _MOST_BESIDE_STRINGS_BYTES


def parse_strict_object(text: bytes, what: str) -> dict[str, object]:
    """A JSON object with each member once, without NaN or infinities; `what` names it in the refusal.

    Raises:
        MemoryInvalidInput: it is none.
    """
    try:
        parsed = _decode(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise MemoryInvalidInput(f"{what} is not a JSON object with each member once") from None
    if not isinstance(parsed, dict):
        raise MemoryInvalidInput(f"{what} is not a JSON object")
    return parsed


def _members_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def _no_constant(_: str) -> NoReturn:
    raise ValueError("not a JSON number")


_decode = json.JSONDecoder(object_pairs_hook=_members_once, parse_constant=_no_constant).decode


def take_members(
    members: Mapping[str, object], required: tuple[str, ...], optional: tuple[str, ...]
) -> list[object]:
    """The members' values in that order, UNSET for an optional one that is left out.

    Raises:
        MemoryInvalidInput: one is missing or unknown.
    """
    names = required + optional
    found = [members.get(name, UNSET) for name in names]
    # JSON has no UNSET: as many as the request has, and none of the required left out, are all and no others
    if len(found) - found.count(UNSET) != len(members) or UNSET in found[: len(required)]:
        raise MemoryInvalidInput(f"the request's members are {', '.join(names)}")
    return found


def decode_value(value: object) -> bytes:
    """Bytes from padded standard base64 (ENT-1).

    Raises:
        MemoryInvalidInput: it is not that.
    """
    if isinstance(value, str):
        try:
            return base64.b64decode(value.encode("ascii"), validate=True)
        except (ValueError, binascii.Error):
            pass
    raise MemoryInvalidInput("the value is not padded standard base64")
