"""The store: what a program opens, and the public calls on it (python-api).

A facade: every method leads to the module that knows the subject. Modules that load the ORM are imported by
the calls that need them, so that listing a memory starts without it (CLI-6).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

from rotifer_store import deployer
from rotifer_store.audit_file import AuditFile
from rotifer_store.change import Shell, recover
from rotifer_store.clock import Clock, SystemClock
from rotifer_store.engine import DATABASE_NAME, SqliteEngine
from rotifer_store.errors import MemoryStorageError
from rotifer_store.memory import GeneMemory
from rotifer_store.model import (
    DEFAULT_DATA_POLICY,
    DEFAULT_MEMORY_QUOTA_BYTES,
    AccessVerdict,
    Agent,
    BrowseFilter,
    DataPolicy,
    EntryInfo,
    Finding,
    Forecast,
    Gene,
    GeneSeen,
    MemoryUsage,
    Page,
    PolicyPreview,
    Suspicion,
)
from rotifer_store.translate import storage_error

if TYPE_CHECKING:
    from rotifer_store.follow import LogTail
    from rotifer_store.health import StoreHealth
    from rotifer_store.log_view import LogView
    from rotifer_store.logs import AuditRecord, LifeEvent, TelemetryRecord, UnreadableLine

STATE_FOLDER = ".rotifer"
_ALL = BrowseFilter()
_SYSTEM_CLOCK = SystemClock()


def open_store(
    project: str | PathLike[str] = ".",
    *,
    state_dir: str | PathLike[str] | None = None,
    clock: Clock = _SYSTEM_CLOCK,
    durability: str = "normal",
    read_only: bool = False,
) -> Store:
    """Opens the store of a project, creating what is missing.

    Args:
        project: the project's folder; the store lies in its `.rotifer`.
        state_dir: another folder in place of the project's `.rotifer`.
        clock: tells the time; the machine's clock by default.
        durability: "normal" (a crash of the process loses nothing) or "power-loss" (each change and its
            audit line are on the disk before the call returns).
        read_only: nothing is written; what has expired is hidden, not removed.

    Raises:
        MemoryStorageError: the files cannot be opened, are damaged, or are of a newer schema.
        ValueError: an unknown durability.
    """
    if durability not in ("normal", "power-loss"):
        raise ValueError('durability is "normal" or "power-loss"')
    if sys.platform == "win32":
        raise MemoryStorageError("the store runs on Linux and macOS")
    folder = _state_folder(project, state_dir)
    syncs = durability == "power-loss"
    engine = SqliteEngine(folder.absolute(), syncs=syncs, read_only=read_only)
    shell = Shell(
        engine,
        AuditFile(folder.absolute(), syncs=syncs),
        clock,
        folder.absolute(),
    )
    with suppress(MemoryStorageError):
        # a log that cannot be read or a busy store must not stop reading; the next change recovers first
        if read_only or not engine.is_busy():
            recover(shell)
    return Store(shell)


def has_store(project: str | PathLike[str] = ".", *, state_dir: str | PathLike[str] | None = None) -> bool:
    """Whether a store stands there, sound or not; creates nothing.

    Raises:
        MemoryStorageError: its folder cannot be looked into.
    """
    try:
        (_state_folder(project, state_dir) / DATABASE_NAME).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise storage_error(error, "the store's folder cannot be looked into") from error
    return True


def _state_folder(project: str | PathLike[str], state_dir: str | PathLike[str] | None) -> Path:
    return Path(state_dir) if state_dir is not None else Path(project) / STATE_FOLDER


class Store:
    """An open store, for many threads and beside other processes; a context manager."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def __enter__(self) -> Store:
        """The store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the store."""
        self.close()

    def close(self) -> None:
        """Closes files and connections; later calls raise MemoryStorageError."""
        self._shell.engine.close()
        self._shell.audit.close()

    # Agents

    def create_agent(
        self,
        name: str,
        *,
        genes: Sequence[Gene] = (),
        composition: Mapping[str, object] | str | None = None,
        memory_quota_bytes: int = DEFAULT_MEMORY_QUOTA_BYTES,
        data_policy: DataPolicy | Mapping[str, object] = DEFAULT_DATA_POLICY,
        agent_id: str | None = None,
    ) -> Agent:
        """A new agent with an empty memory (AGT-2).

        Raises:
            AgentExists: the name or id is taken.
            InvalidAgent: an argument is not one an agent can have.
            MemoryStorageError: the store or its audit log failed; no agent was created.
        """
        from rotifer_store.agents import create_agent

        return create_agent(
            self._shell,
            name,
            genes=genes,
            composition=composition,
            memory_quota_bytes=memory_quota_bytes,
            data_policy=data_policy,
            agent_id=agent_id,
        )

    def agents(self) -> list[Agent]:
        """Every agent, by name."""
        return deployer.all_agents(self._shell)

    def agent(self, name: str) -> Agent:
        """The agent of that name.

        Raises:
            AgentNotFound: there is none.
        """
        return deployer.find_agent(self._shell, name)

    def set_genome(
        self,
        agent: Agent | str,
        genes: Sequence[Gene],
        composition: Mapping[str, object] | str | None = None,
    ) -> Agent:
        """Changes the genome; memory stays as it is (AGT-9). Returns the agent as it is now.

        Raises:
            InvalidAgent: a gene has no name, or the composition is none.
            MemoryStorageError: the store or its audit log failed; nothing has changed.
        """
        from rotifer_store.agents import set_genome

        return set_genome(self._shell, self._resolve(agent), genes, composition)

    def set_data_policy(self, agent: Agent | str, data_policy: DataPolicy | Mapping[str, object]) -> None:
        """Changes the data policy; what had expired under the old one goes first (POL-3a).

        Raises:
            MemoryInvalidInput: it is no data policy (POL-2).
            MemoryStorageError: the store or its audit log failed; nothing has changed.
        """
        from rotifer_store.agents import set_data_policy

        set_data_policy(self._shell, self._resolve(agent), data_policy)

    def set_memory_quota(self, agent: Agent | str, memory_quota_bytes: int) -> None:
        """Changes the quota; one below what is used only stops growth (QUO-3).

        Raises:
            MemoryInvalidInput: it is no quota (QUO-2).
            MemoryStorageError: the store or its audit log failed; nothing has changed.
        """
        from rotifer_store.agents import set_memory_quota

        set_memory_quota(self._shell, self._resolve(agent), memory_quota_bytes)

    def preview_policy(
        self,
        agent: Agent | str,
        *,
        data_policy: DataPolicy | Mapping[str, object] | None = None,
        memory_quota_bytes: int | None = None,
    ) -> PolicyPreview:
        """What new settings would do to the entries; those left out stay as they are. Reads only.

        Raises:
            MemoryInvalidInput: it is no data policy (POL-2) or no quota (QUO-2).
            MemoryStorageError: the store failed.
        """
        return deployer.preview_policy(self._shell, self._resolve(agent), data_policy, memory_quota_bytes)

    # Memory

    def gene_memory(self, agent: Agent | str, gene: Gene) -> GeneMemory:
        """The four calls as that gene; without a v2 id every call is refused (ACC-7)."""
        return GeneMemory(self._shell, self._resolve(agent), gene)

    def list_memory(self, agent: Agent | str, category: str | None = None) -> list[EntryInfo]:
        """All live entries without values, most recently updated first; removes what has expired (AGT-3).

        Raises:
            MemoryInvalidInput: the category is none (ENT-6).
            MemoryStorageError: the store failed.
        """
        return deployer.list_memory(self._shell, self._resolve(agent), category)

    def browse_memory(
        self,
        agent: Agent | str,
        *,
        where: BrowseFilter = _ALL,
        order: str = "updated",
        descending: bool = True,
        offset: int = 0,
        limit: int = 200,
    ) -> Page:
        """One page of live entries for a dashboard; hides what has expired and removes nothing.

        `order` is updated, key, category, size, expires or creator.

        Raises:
            MemoryInvalidInput: an unknown order or category, a bad pattern, a negative number.
            MemoryStorageError: the store failed.
        """
        from rotifer_store.browse import browse_memory

        return browse_memory(
            self._shell,
            self._resolve(agent),
            where=where,
            order=order,
            descending=descending,
            offset=offset,
            limit=limit,
        )

    def entry_place(
        self,
        agent: Agent | str,
        key: str,
        *,
        where: BrowseFilter = _ALL,
        order: str = "updated",
        descending: bool = True,
    ) -> int | None:
        """How many entries of a browse come before that key's; None where it is not among them.

        It is the `offset` of the page that begins with the entry.

        Raises:
            MemoryInvalidInput: as of `browse_memory`, or no entry can have that key.
            MemoryStorageError: the store failed.
        """
        from rotifer_store.browse import entry_place

        return entry_place(
            self._shell, self._resolve(agent), key, where=where, order=order, descending=descending
        )

    def change_token(self) -> int:
        """A number that changes when anything has changed the store's file, whoever it was.

        Changes of this store's own threads count as those of other programs do. Only for comparison with
        an earlier token of this store; it may change where nothing was written.

        Raises:
            MemoryStorageError: the file has gone, or another stands in its place: this store would go on
                with what it has opened, unseen by others.
        """
        return self._shell.engine.change_token()

    def peek_value(self, agent: Agent | str, key: str) -> bytes:
        """The value under a key, for the deployer's eyes; changes and records nothing.

        Raises:
            MemoryNotFound: there is no such entry.
        """
        return deployer.peek_value(self._shell, self._resolve(agent), key)

    def delete_memory(
        self,
        agent: Agent | str,
        *,
        key: str | None = None,
        keys: Sequence[str] | None = None,
        category: str | None = None,
    ) -> int:
        """Removes one entry, several (all or none), or a category; returns how many went (AGT-4).

        Raises:
            MemoryInvalidInput: not exactly one selector, or one that no entry can have.
            MemoryNotFound: a named entry is not there.
            MemoryStorageError: the store or its audit log failed; nothing has gone.
        """
        return deployer.delete_memory(
            self._shell, self._resolve(agent), key=key, keys=keys, category=category
        )

    def delete_entries(self, agent: Agent | str, entries: Sequence[EntryInfo]) -> int:
        """Removes entries as they were seen, all or none; returns how many went (AGT-4, TUI-7).

        For who was shown them first: what was rewritten, or deleted and written anew since, stays.

        Raises:
            MemoryNotFound: one is not there as it was seen; none has gone.
            MemoryStorageError: the store or its audit log failed; nothing has gone.
        """
        return deployer.delete_seen(self._shell, self._resolve(agent), entries)

    def memory_usage(self, agent: Agent | str) -> MemoryUsage:
        """Quota, used bytes, and entries and bytes of each category, from counters (QUO-1)."""
        return deployer.memory_usage(self._shell, self._resolve(agent))

    def orphans(self, agent: Agent | str, genome: Sequence[Gene]) -> list[EntryInfo]:
        """The live entries that no gene of a genome may read (AGT-9)."""
        return deployer.orphans(self._shell, self._resolve(agent), genome)

    # Insight: what the deployer can be told without touching anything

    def forecast(self, agent: Agent | str, incoming_bytes: int) -> Forecast:
        """What a write of a new key of that size would evict, in order, or that it would fail. Reads only.

        `incoming_bytes` counts key and value (QUO-1). More than one write can hold stands for several writes
        of PREFERENCE that come to it together.

        Raises:
            MemoryInvalidInput: it is no whole number of bytes from 0 to 2^53 - 1.
            MemoryStorageError: the store failed.
        """
        from rotifer_store.insight import forecast

        return forecast(self._shell, self._resolve(agent), incoming_bytes)

    def access(self, agent: Agent | str, gene: Gene, key: str | None = None) -> list[AccessVerdict]:
        """What a gene may do with each live entry and by which rule, most recently updated first (ACC).

        With `key` exactly one verdict, whether an entry has the key or not. Reads only: nothing is recorded.

        Raises:
            MemoryInvalidInput: no entry can have that key (INP-1).
            MemoryStorageError: the store failed.
        """
        from rotifer_store.insight import access

        return access(self._shell, self._resolve(agent), gene, key)

    def review(self, agent: Agent | str, genome: Sequence[Gene]) -> list[Suspicion]:
        """The live entries worth a person's look, with reasons, most recently updated first. Reads only.

        Of a value the first 256 KB are looked at. A reason names what was found, where and how often, and
        quotes nothing of it. What is found may be harmless, and what is not found need not be.

        Raises:
            MemoryStorageError: the store or the audit log cannot be read.
        """
        from rotifer_store.insight import review

        return review(self._shell, self._resolve(agent), genome)

    def find(self, agent: Agent | str, text: str, *, values: bool = False) -> list[EntryInfo]:
        """The live entries whose key holds the text, most recently updated first. Reads only.

        Characters are compared exactly, in their case. With `values` those too whose value holds the text's
        UTF-8 bytes; no value leaves the store.

        Raises:
            MemoryInvalidInput: it is no text, or holds a lone surrogate.
            MemoryStorageError: the store failed.
        """
        from rotifer_store.insight import find

        return find(self._shell, self._resolve(agent), text, values=values)

    def history(self, agent: Agent | str, key: str) -> list[AuditRecord]:
        """A key's life from the audit log, oldest first, whether an entry has it now or not.

        Of what is told twice, only what came true: lines of a change that was never saved are left out, and
        so is what was logged after the call began (REC-3).

        Raises:
            MemoryInvalidInput: no entry can have that key (INP-1).
            MemoryStorageError: the store or the log cannot be read.
        """
        return [event.record for event in self.life(agent, key)]

    def life(self, agent: Agent | str, key: str) -> list[LifeEvent]:
        """`history`, and for each eviction the key that room was made for.

        Raises:
            MemoryInvalidInput: no entry can have that key (INP-1).
            MemoryStorageError: the store or the log cannot be read.
        """
        from rotifer_store.insight import life

        return life(self._shell, self._resolve(agent), key)

    def sweep(self, agent: Agent | str | None = None) -> int:
        """Removes what has expired now, of one agent or all; returns how many entries went (POL-6).

        Raises:
            MemoryStorageError: the store or its audit log failed.
        """
        agents = self.agents() if agent is None else [self._resolve(agent)]
        return deployer.sweep(self._shell, agents)

    # Moving

    def export_memory(
        self,
        agent: Agent | str,
        file: str | PathLike[str] | IO[bytes] | IO[str],
        *,
        include_cache: bool = False,
        keys: Sequence[str] | None = None,
    ) -> int:
        """Writes the agent's record and live entries as JSON Lines; returns how many entries (AGT-6).

        Raises:
            MemoryNotFound: one of `keys` is not there.
            MemoryStorageError: the store or the file failed; a named file stays as it was.
        """
        from rotifer_store.transfer import export_memory

        return export_memory(self._shell, self._resolve(agent), file, include_cache=include_cache, keys=keys)

    def import_memory(
        self,
        agent: Agent | str,
        file: str | PathLike[str] | IO[bytes] | IO[str],
        *,
        copy_private: bool = False,
    ) -> int:
        """Brings exported entries into an agent, all or none; returns how many (AGT-6).

        Raises:
            MemoryAccessDenied: the file is another agent's and `copy_private` was not given, or an entry
                does not fit this agent's data policy.
            MemoryInvalidInput: a record is not of the form, or a key is there already.
            MemoryQuotaExceeded: there is too little room; nothing is evicted for it.
            MemoryStorageError: the file, the store or its audit log failed; nothing was imported.
        """
        from rotifer_store.transfer import import_memory

        return import_memory(self._shell, self._resolve(agent), file, copy_private=copy_private)

    def import_agent(self, file: str | PathLike[str] | IO[bytes] | IO[str]) -> Agent:
        """Brings an exported agent into this store under its own id, with its entries (AGT-6).

        Raises:
            AgentExists: the store has an agent of that name or id.
            MemoryInvalidInput: a record is not of the form.
            MemoryStorageError: the file, the store or its audit log failed; nothing was imported.
        """
        from rotifer_store.transfer import import_agent

        return import_agent(self._shell, file)

    # Logs

    def audit_records(
        self,
        agent: Agent | str | None = None,
        *,
        action: str | None = None,
        key: str | None = None,
        gene: str | None = None,
        since: str | None = None,
    ) -> list[AuditRecord | UnreadableLine]:
        """The audit log's records that match all that is given, oldest first; unreadable lines as such.

        `gene` is a v2 id or the name of a gene that acted, `since` an RFC 3339 time.

        Raises:
            MemoryInvalidInput: `since` is no RFC 3339 time, or no entry can have that key.
            MemoryStorageError: the log cannot be read.
        """
        from rotifer_store.follow import audit_filter
        from rotifer_store.logs import audit_records

        agent_id = None if agent is None else self._resolve(agent).id
        return audit_records(
            self._shell.folder, audit_filter(self._shell, agent_id, action, key, gene, since)
        )

    def audit_tail(
        self,
        agent: Agent | str | None = None,
        *,
        action: str | None = None,
        key: str | None = None,
        gene: str | None = None,
        since: str | None = None,
    ) -> LogTail[AuditRecord]:
        """A follower of the audit log, from its first record on; each poll gives the records that are new.

        It asks for the same as `audit_records` and goes on through rotation, truncation and deletion, which
        it tells as a LogNotice. Close it, or use it in a `with`.

        Raises:
            MemoryInvalidInput: `since` is no RFC 3339 time, or no entry can have that key.
        """
        from rotifer_store.follow import audit_filter, audit_tail

        agent_id = None if agent is None else self._resolve(agent).id
        wanted = audit_filter(self._shell, agent_id, action, key, gene, since)
        return audit_tail(self._shell, wanted, gene)

    def telemetry_records(self) -> list[TelemetryRecord | UnreadableLine]:
        """The telemetry log's events, oldest first; unreadable lines as such.

        Raises:
            MemoryStorageError: the log cannot be read.
        """
        from rotifer_store.logs import read_telemetry

        return list(read_telemetry(self._shell.folder))

    def telemetry_tail(self) -> LogTail[TelemetryRecord]:
        """A follower of the telemetry log, from its first event on, as `audit_tail` is one."""
        from rotifer_store.follow import telemetry_tail

        return telemetry_tail(self._shell)

    def audit_view(self) -> LogView[AuditRecord]:
        """The audit log for a screen: counted, any lines of it at once, searched, followed (TUI-5).

        For one thread at a time. Close it, or use it in a `with`.
        """
        from rotifer_store.log_view import audit_view

        return audit_view(self._shell)

    def telemetry_view(self) -> LogView[TelemetryRecord]:
        """The telemetry log for a screen, as `audit_view` is one; a filter's `action` is an event."""
        from rotifer_store.log_view import telemetry_view

        return telemetry_view(self._shell)

    def genes_seen(self, agent: Agent | str) -> list[GeneSeen]:
        """The genes that acted on the agent's memory, long gone ones too (AGT-10)."""
        return deployer.genes_seen(self._shell, self._resolve(agent))

    def rotate_audit(self) -> Path | None:
        """Closes the audit log under a dated name and begins the next with a checkpoint (REC-9).

        Returns the closed file's path, or None where there was no log.

        Raises:
            MemoryStorageError: the log cannot be renamed or written.
        """
        from rotifer_store.verify import rotate_audit

        return rotate_audit(self._shell)

    def verify(self) -> list[Finding]:
        """Counters, indexes, entries and the audit log against each other; empty where all is sound.

        Raises:
            MemoryStorageError: the store or the log cannot be read.
        """
        from rotifer_store.verify import verify

        return verify(self._shell)

    def health(self) -> StoreHealth:
        """What the store runs on: SQLite, its files and their modes, telemetry, the newest audit line.

        Raises:
            MemoryStorageError: the store or the log cannot be read.
        """
        from rotifer_store.health import store_health

        return store_health(self._shell)

    def _resolve(self, agent: Agent | str) -> Agent:
        return agent if isinstance(agent, Agent) else self.agent(agent)
