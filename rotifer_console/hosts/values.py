"""What goes into a gene and comes out of it, as JSON: the same bounds whatever host runs it (HST-4, HST-6).

Reading a text cannot be interrupted, and a deadline must hold all the same: a text that would be long to read
is refused before, and so is a value that would be hard to show or to hand on.
"""

from __future__ import annotations

from typing import Any, Final

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.channel import (
    MAX_FRAME_BYTES,
    MAX_NESTING,
    TOO_DEEP,
    decode_json,
    encode_json,
)

MAX_PARTS: Final = 1_000_000
"""How many lists and objects an input or output may have. What begins one is counted in texts too, because
telling them apart would be to read it."""

_CONTAINERS: Final = (list, dict)


def encode_input(value: Any) -> bytes:
    """A gene's input as compact ASCII JSON.

    Raises:
        GeneFailed: it has no such form, or one beyond the bounds.
    """
    try:
        content = encode_json(value)
    except (TypeError, ValueError, RecursionError):
        raise GeneFailed("its input is not JSON") from None
    _require_bounds("input", content)
    return content


def decode_output(content: bytes) -> Any:
    """A gene's output, which can be written again.

    Raises:
        GeneFailed: it is not one JSON value in UTF-8, or beyond the bounds.
    """
    _require_bounds("output", content)
    try:
        value = decode_json(content)
    except RecursionError:
        raise GeneFailed(TOO_DEEP) from None
    except ValueError:
        raise GeneFailed("its output is not JSON") from None
    require_shallow(value)
    return value


def require_shallow(value: Any) -> None:
    """Returns where an output has no more levels than it may.

    Raises:
        GeneFailed: it has.
    """
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_NESTING):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in _CONTAINERS
        ]
        if not level:
            return
    raise GeneFailed(TOO_DEEP)


def has_too_many_parts(content: bytes) -> bool:
    """Whether a text would be long to read; found in no time."""
    return content.count(b"[") + content.count(b"{") > MAX_PARTS


def _require_bounds(what: str, content: bytes) -> None:
    if len(content) > MAX_FRAME_BYTES:
        raise GeneFailed(f"its {what} is larger than {MAX_FRAME_BYTES} bytes")
    if has_too_many_parts(content):
        raise GeneFailed(f"its {what} has more than {MAX_PARTS} lists and objects")
