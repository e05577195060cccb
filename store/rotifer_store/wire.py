"""JSON requests and responses, and nothing lenient.

Pure. Requests come from genes in any language: duplicate and unknown members, NaN, lone surrogates and
bottomless nesting are MEMORY_INVALID_INPUT (HST-5, HST-7).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import NoReturn

from rotifer_store.errors import MemoryInvalidInput
from rotifer_store.model import UNSET

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


def encode_response(response: object) -> bytes:
    """Compact ASCII JSON."""
    return _encode(response).encode("ascii")


def parse_request(request: bytes) -> dict[str, object]:
    """The members of a request; an empty request has none.

    Raises:
        MemoryInvalidInput: it is not one JSON object in UTF-8 with each member once.
    """
    if not request:
        return {}
    return parse_strict_object(request)


def parse_strict_object(text: bytes) -> dict[str, object]:
    """A JSON object with each member once, without NaN or infinities.

    Raises:
        MemoryInvalidInput: it is none.
    """
    try:
        parsed = json.loads(
            text.decode("utf-8"), object_pairs_hook=_members_once, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        raise MemoryInvalidInput("the request is not a JSON object with each member once") from None
    if not isinstance(parsed, dict):
        raise MemoryInvalidInput("the request is not a JSON object")
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
