"""Takes notes about orders: one CONTEXT entry each, for a month; how a customer wants parcels stays."""

from __future__ import annotations

import json
from typing import Any

FOR_A_MONTH = {"maxRetentionDays": 30, "autoDeleteOnTermination": True, "anonymizationSupported": False}


def express(input: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """The input as it came, for the next gene."""
    for number, order in input.get("orders", {}).items():
        text = json.dumps(order, indent=1)
        ctx.memory.write_memory(f"orders/{number}", text.encode(), "CONTEXT", retention_policy=FOR_A_MONTH)
    for number in input.get("done", []):
        ctx.memory.delete_memory(f"orders/{number}")
    if "courier" in input:
        ctx.memory.write_memory("orders/courier", input["courier"].encode(), "PREFERENCE")
    return input
