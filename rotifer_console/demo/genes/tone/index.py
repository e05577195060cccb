"""Remembers how customers want to be spoken to; every gene of the agent may read that."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rotifer_store import MemoryAccessDenied

FOR_ALL_TO_READ = {"readScope": "ALL_GENES", "writeScope": "SAME_DOMAIN", "sharePolicy": "PRIVATE"}


def express(input: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """The input as it came; it looks into the prices too, which its domain may not."""
    for name, text in input.get("tone", {}).items():
        ctx.memory.write_memory(f"style/{name}", text.encode(), "PREFERENCE", FOR_ALL_TO_READ)
    for key in input.get("peek", []):
        with suppress(MemoryAccessDenied):
            ctx.memory.read_memory(key)
    return input
