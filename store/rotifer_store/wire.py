"""JSON requests and responses, and nothing lenient.

Pure. Requests come from genes in any language: duplicate and unknown members, NaN, lone surrogates and
bottomless nesting are MEMORY_INVALID_INPUT (HST-5, HST-7).
"""

from __future__ import annotations

import base64
import binascii
import json
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import NoReturn

from rotifer_store.errors import MemoryInvalidInput
from rotifer_store.model import UNSET, MemoryEntry, own_access, own_retention
from rotifer_store.tables import ENTRY_FIELDS

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


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
    return _ENTRY % tuple([form(entry) for form in _FORMS])


def _instant(at: datetime) -> str:
    return f'"{at.isoformat(timespec="microseconds")[:-6]}Z"'  # in place of +00:00


@lru_cache
def _access(read_stored: int, write_stored: int, share_stored: int) -> str:
    return _encode(own_access(read_stored, write_stored, share_stored).to_json())


@lru_cache
def _retention(own_days: int | None, own_auto_delete: int | None, own_anonymization: int | None) -> str:
    policy = own_retention(own_days, own_auto_delete, own_anonymization)
    return "null" if policy is None else _encode(policy.to_json())


_FORM_OF: dict[str, Callable[[MemoryEntry], str]] = {
    "entry_id": lambda entry: f'"{entry.entry_id}"',
    "category": lambda entry: f'"{entry.category}"',
    "key": lambda entry: encode_basestring_ascii(entry.key),
    "value": lambda entry: f'"{b2a_base64(entry.value, newline=False).decode("ascii")}"',
    "created_by": lambda entry: encode_basestring_ascii(entry.created_by),
    "last_accessed_by": lambda entry: encode_basestring_ascii(entry.last_accessed_by),
    "created_at": lambda entry: _instant(entry.created_at),
    "updated_at": lambda entry: _instant(entry.updated_at),
    "access_policy": lambda entry: _access(
        entry.read_scope_stored, entry.write_scope_stored, entry.share_policy_stored
    ),
    "retention_policy": lambda entry: _retention(
        entry.own_days, entry.own_auto_delete, entry.own_anonymization
    ),
}
_FORMS = tuple(_FORM_OF[row.name] for row in ENTRY_FIELDS)
_ENTRY = "{" + ",".join(f'"{row.wire_name}":%s' for row in ENTRY_FIELDS) + "}"


def parse_request(request: bytes) -> dict[str, object]:
    """The members of a request; an empty request has none.

    Raises:
        MemoryInvalidInput: it is not one JSON object in UTF-8 with each member once.
    """
    if not request:
        return {}
    return parse_strict_object(request, "the request")


def parse_strict_object(text: bytes, what: str) -> dict[str, object]:
    """A JSON object with each member once, without NaN or infinities; `what` names it in the refusal.

    Raises:
        MemoryInvalidInput: it is none.
    """
    try:
        parsed = json.loads(
            text.decode("utf-8"), object_pairs_hook=_members_once, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        raise MemoryInvalidInput(f"{what} is not a JSON object with each member once") from None
    if not isinstance(parsed, dict):
        raise MemoryInvalidInput(f"{what} is not a JSON object")
    return parsed


def _members_once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError("a member stands twice")
        members[name] = value
    return members


def _no_constant(_: str) -> NoReturn:
    raise ValueError("not a JSON number")


def take_members(
    members: Mapping[str, object], required: tuple[str, ...], optional: tuple[str, ...]
) -> list[object]:
    """The members' values in that order, UNSET for an optional one that is left out.

    Raises:
        MemoryInvalidInput: one is missing or unknown.
    """
    if not members.keys() <= {*required, *optional} or not members.keys() >= set(required):
        raise MemoryInvalidInput(f"the request's members are {', '.join((*required, *optional))}")
    return [members.get(name, UNSET) for name in (*required, *optional)]


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
