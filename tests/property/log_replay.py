"""Reads an audit log from scratch: checks the chain and replays the lines to the entries they imply.

Written from REC in docs/rules.md and independent of the library, of `verify()` in particular.
"""

from __future__ import annotations

import hashlib
import json
import re

MEMBERS = [
    *("ts", "seq", "txn", "action", "actor", "agent_id", "agent", "gene_id", "gene_domain"),
    *("key", "category", "old_category", "entry_id", "bytes", "value_hmac"),
    *("operation", "code", "reason", "prev_hash", "hash"),
]
OPERATIONS = {
    *("read", "write", "query", "delete"),
    *("list", "sweep", "import", "create", "policy", "genome", "rotate", "open"),
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
HEX_64 = re.compile(r"[0-9a-f]{64}")


class LogReplay:
    """What the log of one store says so far. `entries` maps (agent id, key) to what a line can know."""

    def __init__(self, path):
        self.path = path
        self.offset = 0
        self.last_seq = None
        self.last_hash = None
        self.entries = {}
        self.undo = {}

    def catch_up(self):
        """The records that were added since the last look, checked and applied (REC-3, REC-5)."""
        if not self.path.exists():
            return []
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            added = file.read()
        self.offset += len(added)
        assert added == b"" or added.endswith(b"\n"), "the log ends in the middle of a line"
        return [self._take(line) for line in added.split(b"\n")[:-1]]

    def _take(self, line):
        record = json.loads(line)
        assert list(record) == MEMBERS
        assert record["operation"] in OPERATIONS
        assert TIME.fullmatch(record["ts"])
        assert record["value_hmac"] is None or HEX_64.fullmatch(record["value_hmac"])
        self._check_chain(line, record)
        if record["entry_id"] is not None:
            named = f"{record['agent_id']}\0{record['key']}".encode()
            assert record["entry_id"] == hashlib.sha256(named).hexdigest()
        self._apply(record)
        return record

    def _check_chain(self, line, record):
        body, found, _ = line.rpartition(b',"hash":"')
        assert found, "hash is the last member"
        assert hashlib.sha256(body + b"}").hexdigest() == record["hash"]
        if self.last_seq is not None:
            assert record["seq"] == self.last_seq + 1
            assert record["prev_hash"] == self.last_hash
        self.last_seq, self.last_hash = record["seq"], record["hash"]

    def _apply(self, record):
        place = (record["agent_id"], record["key"])
        action = record["action"]
        if action in ("memory_write", "memory_update", "memory_import"):
            self._put(record, place)
        elif action in ("memory_delete", "memory_evict", "memory_expire"):
            gone = self.entries.pop(place)
            assert record["bytes"] == gone["bytes"]
            assert record["value_hmac"] == gone["value_hmac"]
            assert record["category"] == gone["category"]
            self.undo.setdefault(record["txn"], []).append((place, gone))
        elif action == "memory_aborted":
            for revoked_place, before in reversed(self.undo.pop(record["txn"], [])):
                if before is None:
                    del self.entries[revoked_place]
                else:
                    self.entries[revoked_place] = before

    def _put(self, record, place):
        before = self.entries.get(place)
        assert (before is not None) == (record["action"] == "memory_update"), (
            "a write is new, an update is not"
        )
        if before is not None:
            changed = before["category"] != record["category"]
            assert record["old_category"] == (before["category"] if changed else None)
        created_by = {"memory_write": record["gene_id"], "memory_import": None}
        self.entries[place] = {
            "category": record["category"],
            "bytes": record["bytes"],
            "value_hmac": record["value_hmac"],
            "created_by": before["created_by"] if before is not None else created_by[record["action"]],
        }
        self.undo.setdefault(record["txn"], []).append((place, before))


def events(path):
    """The telemetry events of a store, one for each line (REC-4)."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
