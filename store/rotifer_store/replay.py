"""What a log implies, and where its chain is broken: a pure pass over its lines (REC-3, REC-9).

The check is fed line by line, so that a log of any length needs memory only for the entries it implies. Where
the chain breaks, the replay starts anew and takes what was there before as given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from rotifer_store.audit_line import GENESIS_HASH, ChainedLine, Link, chained_line, is_ours, parse_object
from rotifer_store.model import Finding
from rotifer_store.tables import EFFECT_OF, AuditAction, Effect

_START = Link(0, GENESIS_HASH)
EntryName = tuple[str, str]
"""Agent id and key."""


class Implied(NamedTuple):
    """What the log, or the store, says of one live entry."""

    category: str | None
    bytes: int | None
    value_hmac: str | None


class LogCheck:
    """Follows the chain from line to line and keeps the state that the lines imply.

    A class because it is fed: a log may be longer than memory.
    """

    def __init__(self, committed: Link, revoked: Collection[int]) -> None:
        """Checks against the chain's end that the store has committed.

        Args:
            committed: that end.
            revoked: the transactions that aborted lines of this log revoke.
        """
        self._committed = committed
        self._revoked = revoked
        self._end: Link | None = None
        self._is_whole = False
        self._live: dict[EntryName, Implied] = {}
        self._touched: set[EntryName] = set()
        self.findings: list[Finding] = []

    def feed(self, where: str, line: bytes) -> None:
        """Takes the next line; `where` names it for people."""
        members = parse_object(line)
        if members is None:
            self._find("audit-line", where, "the line holds no JSON object")
        elif is_ours(members):
            chained = chained_line(line, members)
            if chained is None:
                self._find("audit-hash", where, "the line is not as it was written")
            else:
                self._follow(where, chained)

    def _follow(self, where: str, line: ChainedLine) -> None:
        expected = self._end if self._end is not None else _START
        if (line.prev_hash, line.seq) != (expected.hash, expected.seq + 1):
            self._live, self._touched = {}, set()
            self._is_whole = False
            if self._end is not None:
                self._find(
                    "audit-chain",
                    where,
                    f"seq {line.seq} does not follow seq {expected.seq}: lines are missing",
                )
            elif line.action != AuditAction.AUDIT_CHECKPOINT:
                self._find(
                    "audit-start", where, f"the log begins at seq {line.seq}: earlier lines are elsewhere"
                )
        elif self._end is None:
            self._is_whole = True
        self._end = line.link
        if line.txn not in self._revoked and line.seq <= self._committed.seq:
            self._apply(line)
        elif line.seq > self._committed.seq and line.txn not in self._revoked:
            self._find("audit-unsaved", where, f"seq {line.seq} tells of a change that was never saved")

    def _apply(self, line: ChainedLine) -> None:
        if line.agent_id is None or line.key is None:
            return
        name = (line.agent_id, line.key)
        effect = EFFECT_OF.get(line.action, Effect.NONE)
        if effect is Effect.PUTS:
            self._live[name] = Implied(line.category, line.bytes, line.value_hmac)
            self._touched.add(name)
        elif effect is Effect.REMOVES:
            self._live.pop(name, None)
            self._touched.add(name)

    def close(self, stored: Mapping[EntryName, Implied]) -> list[Finding]:
        """All findings, once the log's end and the implied entries are compared with the store's."""
        end = self._end if self._end is not None else _START
        if end.seq < self._committed.seq:
            self._find(
                "audit-end",
                "audit.jsonl",
                f"the log ends at seq {end.seq}, the store at seq {self._committed.seq}: lines are missing",
            )
            return self.findings
        for (agent_id, key), held in stored.items():
            implied = self._live.get((agent_id, key))
            if implied is None:
                if self._is_whole or (agent_id, key) in self._touched:
                    self._find("replay", f"{agent_id} {key}", "the store has an entry that the log has not")
            elif implied != held:
                self._find("replay", f"{agent_id} {key}", "the entry is not as the log tells it")
        for agent_id, key in self._live.keys() - stored.keys():
            self._find("replay", f"{agent_id} {key}", "the log has an entry that the store has not")
        return self.findings

    def _find(self, kind: str, where: str, message: str) -> None:
        self.findings.append(Finding(kind, where, message))
