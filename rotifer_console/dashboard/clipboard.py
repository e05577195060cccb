"""What may be handed to the terminal's clipboard (TUI-8). Pure.

There is one way that works over any connection: an escape sequence that the terminal may ignore. Nothing
answers, so what is said is "sent", never "copied".
"""

from __future__ import annotations

from typing import Final

from rotifer_console.view.safe_text import safe_text
from rotifer_console.view.sizes import format_size

_MOST_BYTES: Final = 8 << 10


def refusal(text: str) -> str | None:
    """Why a text is not sent: too long for terminals, or it would steer the one it is pasted into."""
    size_bytes = len(text.encode(errors="surrogatepass"))
    if size_bytes > _MOST_BYTES:
        return f"{format_size(size_bytes)} is more than terminals take: nothing was sent"
    if safe_text(text) != text:
        return "it holds hidden or control characters: nothing was sent"
    return None
