"""Logs of any content, written as other programs would write them while a screen looks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from rotifer_store import Gene, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
OTHER = Gene("v2:" + "b" * 64, "http", "fetch", "2.0.0")


def make_store(project: Path) -> None:
    """A store with one agent that remembers two entries; its log has four lines."""
    (project / "rotifer.json").write_text("{}")
    with open_store(project) as store:
        store.create_agent("main", genes=[GENE, OTHER])
        store.gene_memory("main", GENE).write_memory("formatter/indent", b"four", "PREFERENCE")
        store.gene_memory("main", GENE).write_memory("api/spec", b"x" * 500, "CONTEXT")
        store.gene_memory("main", OTHER).write_memory("http/etag/1", b"y" * 100, "CACHE")


def audit_log(project: Path) -> Path:
    """The audit log's file."""
    return project / ".rotifer" / "audit.jsonl"


def line(
    number: int,
    action: str = "memory_write",
    key: str | None = None,
    gene_id: str | None = None,
    txn: int | None = None,
    **others: object,
) -> bytes:
    """One line of an audit log, without its newline."""
    members = {
        "ts": f"2026-11-30T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000000Z",
        "seq": number,
        "txn": number if txn is None else txn,
        "action": action,
        "actor": "gene",
        "gene_id": gene_id,
        "key": f"key/{number:06}" if key is None else key,
        "bytes": number,
        **others,
    }
    return json.dumps(members, separators=(",", ":")).encode("ascii")


def append(path: Path, lines: Iterable[bytes]) -> None:
    """Appends whole lines."""
    with path.open("ab") as log:
        log.write(b"".join(each + b"\n" for each in lines))


def replace(path: Path, lines: Iterable[bytes]) -> None:
    """Puts another file in the log's place, as a copy of a backup would be."""
    other = path.with_suffix(".other")
    other.write_bytes(b"".join(each + b"\n" for each in lines))
    other.chmod(0o600)
    other.replace(path)
