"""Looks at a shop's pages: keeps them as CACHE, prices as CONTEXT, what keeps coming up as PATTERN."""

from __future__ import annotations

import json
import zlib
from typing import Any

ICON = bytes.fromhex("89504e470d0a1a0a0000000d494844520000002000000020080600000073")


def kept_for(days: int) -> dict[str, Any]:
    """The retention policy of what is to be forgotten after so many days."""
    return {"maxRetentionDays": days, "autoDeleteOnTermination": False, "anonymizationSupported": False}


def express(input: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """The input as it came, for the next gene."""
    memory = ctx.memory
    for name, size_bytes, days in input.get("pages", []):
        text = f"<html><title>{name}</title><p>"
        text += f"{name}, in stock, delivered in two days. " * (size_bytes // 40)
        retention = None if days is None else kept_for(days)
        memory.write_memory(
            f"shop/page/{name}", text[:size_bytes].encode(), "CACHE", retention_policy=retention
        )
    for name in input.get("icons", []):
        icon = ICON + zlib.compress(name.encode() * 40) * 30
        memory.write_memory(f"shop/icon/{name}.png", icon, "CACHE", retention_policy=kept_for(7))
    for name, prices in input.get("prices", {}).items():
        memory.write_memory(
            f"shop/prices/{name}", json.dumps(prices).encode(), "CONTEXT", retention_policy=kept_for(30)
        )
    for name, text in input.get("patterns", {}).items():
        memory.write_memory(f"shop/pattern/{name}", text.encode(), "PATTERN")
    return input
