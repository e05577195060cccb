"""A memory value for eyes: text where it is text, else hex; bounded, and it says so (AGT-3, CLI-4)."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from rotifer_console.view.safe_text import safe_text
from rotifer_console.view.sizes import format_size

_INDENT: Final = 2


class ShownValue(NamedTuple):
    """What is shown of a value: its form, the safe text, and how many bytes of how many that is."""

    form: str
    text: str
    shown_bytes: int
    size_bytes: int

    @property
    def is_cut(self) -> bool:
        """Whether there is more."""
        return self.shown_bytes < self.size_bytes

    @property
    def remark(self) -> str:
        """What a person must know of it: `text, 12 B`, `hex, the first 4 KB of 1 MB`."""
        size = format_size(self.size_bytes)
        return (
            f"{self.form}, the first {format_size(self.shown_bytes)} of {size}"
            if self.is_cut
            else (f"{self.form}, {size}")
        )


def shown_value(value: bytes, at_most_bytes: int) -> ShownValue:
    """The beginning of a value, up to so many bytes of it; every control character is a visible mark."""
    try:
        value.decode()
    except UnicodeDecodeError:
        head = value[:at_most_bytes]
        return ShownValue("hex", head.hex(" "), len(head), len(value))
    head = value[:at_most_bytes].decode(errors="ignore").encode()  # not half a character at the end
    return ShownValue("text", safe_text(head.decode()), len(head), len(value))


def hex_lines(value: bytes, bytes_per_line: int) -> list[str]:
    """Offsets, bytes and the ASCII characters among them, in lines."""
    lines = []
    for start in range(0, len(value), bytes_per_line):
        part = value[start : start + bytes_per_line]
        digits = part.hex(" ").ljust(3 * bytes_per_line - 1)
        characters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        lines.append(f"{start:06x}  {digits}  {characters}")
    return lines


def json_lines(data: bytes) -> list[str] | None:
    """JSON with a member a line; None where it is none.

    Numbers stay as they were written, and of members of one name all are there.
    """
    try:
        value = json.loads(
            data,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_Number,
            object_pairs_hook=_Members,
        )
        return _laid_out(value, 0, "")
    except (ValueError, RecursionError):
        return None


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


class _Members(list[tuple[str, object]]):
    """An object's members in their order."""

    __slots__ = ()


def _laid_out(value: object, depth: int, before: str) -> list[str]:
    margin = " " * (_INDENT * depth)
    if isinstance(value, _Members) and value:
        inside = [
            _laid_out(member, depth + 1, f"{json.dumps(name, ensure_ascii=False)}: ")
            for name, member in value
        ]
        return _enclosed(f"{margin}{before}", "{", inside, "}", margin)
    if isinstance(value, list) and value:
        inside = [_laid_out(item, depth + 1, "") for item in value]
        return _enclosed(f"{margin}{before}", "[", inside, "]", margin)
    if isinstance(value, _Members):
        text = "{}"
    elif isinstance(value, _Number):
        text = str(value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    return [f"{margin}{before}{text}"]


def _enclosed(head: str, opening: str, inside: list[list[str]], closing: str, margin: str) -> list[str]:
    lines = [f"{head}{opening}"]
    for number, part in enumerate(inside):
        comma = "," if number < len(inside) - 1 else ""
        lines += [*part[:-1], f"{part[-1]}{comma}"]
    return [*lines, f"{margin}{closing}"]
