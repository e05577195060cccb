"""Reads manuals: a chapter is CONTEXT for two weeks, its summary a PATTERN, its raw text CACHE."""

from __future__ import annotations

from typing import Any

FOR_TWO_WEEKS = {"maxRetentionDays": 14, "autoDeleteOnTermination": False, "anonymizationSupported": False}


def express(input: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """The keys that it remembers."""
    for name, size_bytes in input.get("chapters", {}).items():
        text = f"# {name}\n\n" + "Press the button until the light turns green. " * (size_bytes // 46)
        ctx.memory.write_memory(f"docs/raw/{name}", text.encode(), "CACHE")
        chapter = text[: size_bytes // 4].encode()
        ctx.memory.write_memory(f"docs/chapter/{name}", chapter, "CONTEXT", retention_policy=FOR_TWO_WEEKS)
        ctx.memory.write_memory(f"docs/summary/{name}", f"{name}: wait for green".encode(), "PATTERN")
    if "language" in input:
        ctx.memory.write_memory("docs/language", input["language"].encode(), "PREFERENCE")
    return {"remembered": sorted(entry.key for entry in ctx.memory.query_memory())}
