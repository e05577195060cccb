"""A policy as the form confirmed it: it is set, unless more would expire by it than the form named (TUI-7).

Runs on a lane's thread. Between the form and the store time passes, and genes may write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from rotifer_console.dashboard import deleting
from rotifer_console.view.entries import count
from rotifer_store import Agent, EntryInfo, Store

NO_LINE: Final = "no one command line does that"
"""Said where so much was exported first that no line would name it."""


class PolicyChange(NamedTuple):
    """What the policy form changes: members of the data policy, the quota (None: as it is)."""

    members: Mapping[str, Any]
    quota_bytes: int | None
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicySetting:
    """What was confirmed. `expiring` is what the form named; `export_to` is the file that takes it first."""

    agent: Agent
    change: PolicyChange
    expiring: tuple[EntryInfo, ...] = ()
    export_to: Path | None = None


class PolicySet(NamedTuple):
    """It is set. `expired` are the keys of what it let expire."""

    expired: tuple[str, ...]


def set_policy(store: Store, setting: PolicySetting) -> PolicySet | None:
    """Sets what was confirmed; None where other entries would expire than were named: nothing is set.

    Raises:
        MemoryStorageError: the store or the export failed.
        MemoryNotFound: what was to be exported has gone; nothing is set.
        OSError: the export's file cannot be made; nothing is set.
    """
    agent, change = deleting.agent_now(store, setting.agent), setting.change
    policy = replace(agent.data_policy, **change.members)
    preview = store.preview_policy(agent, data_policy=policy, memory_quota_bytes=change.quota_bytes)
    named = {(entry.entry_id, entry.category) for entry in setting.expiring}
    if any((entry.entry_id, entry.category) not in named for entry in preview.expiring):
        return None
    expired = tuple(entry.key for entry in preview.expiring)
    if expired and setting.export_to is not None:
        deleting.export(store, agent, setting.export_to, keys=expired)
    if change.members:
        store.set_data_policy(agent, policy)
    if change.quota_bytes is not None:
        store.set_memory_quota(agent, change.quota_bytes)
    return PolicySet(expired)


def describe(done: PolicySet, setting: PolicySetting, *, has_line: bool = True) -> str:
    """What became of it, for people; `has_line`: one command line does the same."""
    expired, file = len(done.expired), setting.export_to
    parts = [f"the policy of {setting.agent.name} is set"]
    if expired:
        parts.append(f": {count(expired)} {'has' if expired == 1 else 'have'} expired")
        parts.append("" if file is None else f", kept in {file.name}")
    return "".join((*parts, "" if has_line else f"; {NO_LINE}"))
