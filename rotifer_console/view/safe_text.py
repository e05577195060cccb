"""The one road from data to a terminal: what drives or deceives it becomes a visible mark (CLI-4).

Keys, names, versions and messages may hold anything. Neither Rich nor Typer removes escape sequences, so
everything that is shown passes `safe_text`. JSON keeps the true text, spelt with JSON's own escapes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Final

_MARKED: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that are marked: control, format (bidi, zero width), surrogate, line separators."""

_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that show nothing at all."""

_STRAY_SELECTORS: Final = re.compile(
    r"(?<![^\x00-\x7f])(?<![0-9#*])[\ufe00-\ufe0f]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|[\U000e0100-\U000e01ef]"
)
"""Variation selectors that choose no form of a sign, and those of ideographs, which nobody can see."""

_PICTURES: Final = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
_PICTURED: Final = {ord(picture): f"<U+{code:04X}>" for code, picture in _PICTURES.items()}

_JSON_ESCAPED: Final = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def safe_text(text: str) -> str:
    """The text with every character that could steer a terminal, or hide, as a visible mark.

    ASCII controls become control pictures (`␛`), others their number (`<U+202E>`). The result is one line,
    and marking it again changes nothing.
    """
    if text.isprintable():
        if text.isascii():
            return text
        if _BLANK_LETTERS.isdisjoint(text):
            return _STRAY_SELECTORS.sub(_mark_match, text)
    return _STRAY_SELECTORS.sub(_mark_match, "".join(_mark(character) for character in text))


def clipped(text: str, characters: int = 200) -> str:
    """The safe text, cut to a length, for messages that quote what was typed."""
    shown = safe_text(text[: characters + 1])  # no mark is shorter than what it stands for
    return shown if len(shown) <= characters else f"{shown[: characters - 3]}..."


def ascii_text(text: str) -> str:
    """Safe text for a stream that can print ASCII only (CLI-3)."""
    return text.translate(_PICTURED).encode("ascii", "backslashreplace").decode("ascii")


def json_text(value: Any, *, ascii_only: bool = False, indent: int | None = None) -> str:
    """JSON that reads back to the same value and holds no raw character that steers a terminal (CLI-4)."""
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, indent=indent)
    return _JSON_ESCAPED.sub(_json_escape, text)


def _mark(character: str) -> str:
    picture = _PICTURES.get(ord(character))
    if picture is not None:
        return picture
    if character in _BLANK_LETTERS or unicodedata.category(character) in _MARKED:
        return f"<U+{ord(character):04X}>"
    return character


def _mark_match(match: re.Match[str]) -> str:
    return f"<U+{ord(match.group()):04X}>"


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]
