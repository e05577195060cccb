"""A memory value for eyes: text where it is text, else hex; bounded, and it says so (AGT-3, CLI-4)."""

from __future__ import annotations

from typing import NamedTuple

from rotifer_console.view.safe_text import safe_text
from rotifer_console.view.sizes import format_size


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
