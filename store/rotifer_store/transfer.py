"""Moving an agent's memory: export and import as JSON Lines, all or nothing (AGT-6).

The first line is the agent's record and says how many entries follow, so a cut file is noticed; each further
line is one entry with the page's ten members and its creator's domain. A file is read and checked whole
before the store is touched.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple

from rotifer_store.agents import (
    AgentRecord,
    composition_of,
    insert_agent,
    new_hmac_key,
    require_free,
)
from rotifer_store.audit_line import value_hmac
from rotifer_store.change import Change, Shell
from rotifer_store.deployer import find_agent
from rotifer_store.deployer_plan import plan_agent_import, plan_import
from rotifer_store.engine import Connection
from rotifer_store.errors import (
    InvalidAgent,
    MemoryInvalidInput,
    MemoryNotFound,
    MemoryStorageError,
    memory_error,
)
from rotifer_store.model import (
    Agent,
    Gene,
    Held,
    MemoryEntry,
    entry_id_of,
    json_form,
    stored_access,
    stored_retention,
)
from rotifer_store.plan import NOTHING, Put
from rotifer_store.retention import effective_days, is_expired, stored_expiry_us
from rotifer_store.rfc3339 import FIRST_US, LAST_US, format_us, parse_rfc3339
from rotifer_store.tables import (
    CATEGORIES,
    ENTRY_FIELDS,
    MAX_VALUE_BYTES,
    SCOPES,
    Operation,
)
from rotifer_store.translate import storage_error
from rotifer_store.validate import (
    access_policy_of,
    agent_name,
    agent_uuid,
    checked_gene_id,
    data_policy_of,
    is_text,
    key_size_bytes,
    quota_bytes,
    retention_policy_of,
    stored_category,
    whole_number,
)
from rotifer_store.wire import decode_value, encode_response, parse_strict_object

FORMAT = "rotifer-memory/1"
File = str | PathLike[str] | IO[bytes] | IO[str]

_MAX_LINE_BYTES = 16 << 20
"""Far more than an entry's line can have, and than the first line needs for the genes that acted."""
_HEADER_MEMBERS = {"format", "exportedAt", "entries", "agent", "genesSeen"}
_AGENT_MEMBERS = {"id", "name", "genes", "composition", "memoryQuotaBytes", "dataPolicy", "createdAt"}
_GENE_MEMBERS = {"geneId", "name", "version", "domain"}
_ENTRY_MEMBERS = {row.wire_name for row in ENTRY_FIELDS} | {"creatorDomain"}
_STAYS_BEHIND = {row.stored for row in CATEGORIES if not row.moves_with_agent}
_GRANTABLE = {row.scope for row in SCOPES if row.grantable}


def export_memory(
    shell: Shell, agent: Agent, file: File, *, include_cache: bool, keys: Sequence[str] | None
) -> int:
    """Writes the agent's record and its live entries in order of update; returns how many (AGT-6).

    CACHE entries are left out unless asked for, by `include_cache` or by name.

    Raises:
        MemoryNotFound: one of `keys` is not there.
        MemoryStorageError: the store or the file failed; a named file stays as it was.
    """
    agent = find_agent(shell, agent.name)
    now_us = shell.clock.now_us()
    wanted = None if keys is None else set(keys)
    for key in wanted or ():
        key_size_bytes(key)
    sql = shell.engine.sql
    with shell.engine.snapshot() as execute:

        def is_wanted(key: str, category_stored: int) -> bool:
            if wanted is not None:
                return key in wanted
            return include_cache or category_stored not in _STAYS_BEHIND

        held = [Held._make(row) for row in execute(sql.list_entries, (agent.ref, now_us))]
        count = sum(is_wanted(entry.key, entry.category_stored) for entry in held)
        if wanted is not None and count != len(wanted):
            raise MemoryNotFound("an entry of those keys is not there")
        genes = execute(sql.load_genes, (agent.ref,)).fetchall()
        with _written(file) as write:
            write(_line(_header(agent, genes, count, now_us)))
            for created_domain, *members in execute(sql.export_entries, (agent.ref, now_us)):
                entry = MemoryEntry._make((agent.id, *members))
                if is_wanted(entry.key, entry.category_stored):
                    write(_line({**entry.to_json(), "creatorDomain": created_domain}))
    return count


def _header(agent: Agent, genes: Sequence[Sequence[object]], count: int, now_us: int) -> dict[str, object]:
    return {
        "format": FORMAT,
        "exportedAt": format_us(now_us),
        "entries": count,
        "agent": {
            "id": agent.id,
            "name": agent.name,
            "genes": list(agent.genes),
            "composition": agent.composition,
            "memoryQuotaBytes": agent.memory_quota_bytes,
            "dataPolicy": agent.data_policy.to_json(),
            "createdAt": json_form(agent.created_at),
        },
        "genesSeen": [
            {"geneId": gene_id, "name": name, "version": version, "domain": domain}
            for gene_id, name, version, domain in genes
        ],
    }


def _line(members: object) -> bytes:
    return encode_response(members) + b"\n"


def import_memory(shell: Shell, agent: Agent, file: File, *, copy_private: bool) -> int:
    """Brings a file's entries into an agent that stands, all or none; returns how many (AGT-6).

    Raises:
        MemoryAccessDenied: another agent's entries without `copy_private`, or one that does not fit.
        MemoryInvalidInput: a bad record, or a key that is there already.
        MemoryQuotaExceeded: too little room; nothing is evicted for it.
        MemoryStorageError: the file, the store or its audit log failed; nothing was imported.
    """
    moved = read_export(file)
    with Change(shell, Operation.IMPORT, agent) as change:
        head, _ = change.load()
        live = [entry for entry in moved.entries if not _is_gone(entry, head.days, change.now_us)]
        # Another agent's entries are refused as such, whatever else stands in their way.
        may_come = copy_private or moved.record.id == agent.id
        taken = change.entries_of([entry.key for entry in live]) if may_come else []
        if taken:
            change.commit(NOTHING)
        else:
            puts = [_put(entry, head.hmac_key, head.days) for entry in live]
            plan = plan_import(
                puts, agent, head, moved.record.id, moved.record.name, copy_private=copy_private
            )
            if plan.refusal is None:
                for gene in moved.genes:
                    change.save_gene(gene)
            change.commit(plan)
    if taken:
        raise MemoryInvalidInput(_keys_taken({entry.key for entry in taken}, live))
    if plan.refusal is not None:
        raise memory_error(plan.refusal.code, plan.refusal.reason)
    return len(live)


def _keys_taken(taken: Collection[str], entries: Sequence[MovedEntry]) -> str:
    first = next(entry.key for entry in entries if entry.key in taken)
    if len(taken) == 1:
        return f"the agent has an entry under {first!r} already: delete it, or import into another agent"
    return (
        f"the agent has {len(taken)} of the file's keys already, the first is {first!r}: "
        "delete those entries, or import into another agent"
    )


def import_agent(shell: Shell, file: File) -> Agent:
    """Brings an exported agent into this store under its own id, with a new key for HMACs (AGT-6).

    Raises:
        AgentExists: the name or id is taken.
        MemoryInvalidInput: a bad record.
        MemoryStorageError: the file, the store or its audit log failed; nothing was imported.
    """
    moved = read_export(file)
    record = moved.record
    days = record.data_policy.max_retention_days
    hmac_key = new_hmac_key()
    with Change(shell, Operation.IMPORT) as change:
        change.load_state()
        require_free(change, record)
        live = [entry for entry in moved.entries if not _is_gone(entry, days, change.now_us)]

        def rows(connection: Connection) -> Agent:
            agent = insert_agent(connection, record, moved.created_at_us, hmac_key)
            for gene in moved.genes:
                connection.execute(
                    shell.engine.sql.save_gene, (agent.ref, gene.id, gene.name, gene.version, gene.domain)
                )
            return agent

        puts = [_put(entry, hmac_key, days) for entry in live]
        change.commit(plan_agent_import(puts, record.id, record.name), rows=rows)
    return change.agent


class MovedEntry(NamedTuple):
    """One checked entry of a file, with its policies as they are stored."""

    key: str
    value: bytes
    category_stored: int
    created_by: str
    created_domain: str
    last_accessed_by: str
    created_at_us: int
    updated_at_us: int
    scopes: tuple[int, int, int]
    own: tuple[int | None, int | None, int | None]

    def __repr__(self) -> str:
        return f"MovedEntry(key={self.key!r}, {len(self.value)} bytes)"


class Moved(NamedTuple):
    """A checked file."""

    record: AgentRecord
    created_at_us: int
    genes: list[Gene]
    entries: list[MovedEntry]


def read_export(file: File) -> Moved:
    """The whole of an exported file, checked.

    Raises:
        MemoryInvalidInput: a line is not of the form, a key stands twice, or lines are missing.
        MemoryStorageError: the file cannot be read.
    """
    lines = _read_lines(file)
    header = parse_strict_object(next(lines, b""), "the first line of the file")
    _require(header.keys() == _HEADER_MEMBERS and header["format"] == FORMAT, "the first line")
    record, created_at_us = _record_of(header["agent"])
    genes = header["genesSeen"]
    entries: list[MovedEntry] = []
    seen: set[str] = set()
    for number, line in enumerate(lines, 2):
        entry = _entry_of(
            parse_strict_object(line, f"line {number} of the file"), record.id, f"line {number}"
        )
        _require(entry.key not in seen, f"line {number}")
        seen.add(entry.key)
        entries.append(entry)
    _require(isinstance(genes, list), "the first line")
    _require(whole_number(header["entries"]) == len(entries), "the number of lines")
    return Moved(record, created_at_us, [_gene_of(gene) for gene in genes], entries)  # type: ignore[attr-defined]


def _require(holds: bool, where: str) -> None:
    if not holds:
        raise MemoryInvalidInput(f"{where} of the file is not what an export writes")


def _record_of(agent: object) -> tuple[AgentRecord, int]:
    where = "the first line"
    if not isinstance(agent, dict) or agent.keys() != _AGENT_MEMBERS:
        raise MemoryInvalidInput(f"{where} of the file is not what an export writes")
    genes = agent["genes"]
    _require(isinstance(genes, list) and all(isinstance(gene, str) for gene in genes), where)
    try:
        record = AgentRecord(
            agent_uuid(agent["id"]),
            agent_name(agent["name"]),
            tuple(genes),
            composition_of(genes, agent["composition"]),
            quota_bytes(agent["memoryQuotaBytes"]),
            data_policy_of(agent["dataPolicy"]),
        )
    except InvalidAgent:
        raise MemoryInvalidInput(f"{where} of the file is not what an export writes") from None
    return record, _time_us(agent["createdAt"], where)


def _gene_of(gene: object) -> Gene:
    where = "the first line"
    if not isinstance(gene, dict) or gene.keys() != _GENE_MEMBERS:
        raise MemoryInvalidInput(f"{where} of the file is not what an export writes")
    gene_id = checked_gene_id(gene["geneId"])
    names = (gene["name"], gene["version"])
    _require(gene_id is not None and is_text(gene["domain"]), where)
    _require(all(name is None or is_text(name) for name in names), where)
    return Gene(gene_id, gene["domain"], *names)


def _entry_of(members: dict[str, object], agent_id: str, where: str) -> MovedEntry:
    _require(members.keys() == _ENTRY_MEMBERS, where)
    key, domain = members["key"], members["creatorDomain"]
    key_size_bytes(key)
    value = decode_value(members["value"])
    created_by = checked_gene_id(members["createdBy"])
    last_accessed_by = checked_gene_id(members["lastAccessedBy"])
    if not isinstance(key, str) or created_by is None or last_accessed_by is None or not is_text(domain):
        raise MemoryInvalidInput(f"{where} of the file is not what an export writes")
    _require(len(value) <= MAX_VALUE_BYTES and members["entryId"] == entry_id_of(agent_id, key), where)
    created_at_us = _time_us(members["createdAt"], where)
    updated_at_us = _time_us(members["updatedAt"], where)
    access = access_policy_of(members["accessPolicy"])
    _require(created_at_us <= updated_at_us, where)
    _require(access.read_scope in _GRANTABLE and access.write_scope in _GRANTABLE, where)
    retention = retention_policy_of(members["retentionPolicy"])
    return MovedEntry(
        key,
        value,
        stored_category(members["category"]),
        created_by,
        str(domain),
        last_accessed_by,
        created_at_us,
        updated_at_us,
        stored_access(access),
        stored_retention(retention),
    )


def _time_us(text: object, where: str) -> int:
    if isinstance(text, str):
        try:
            instant = parse_rfc3339(text)
        except ValueError:
            instant = None
        if instant is not None and not instant.beyond and FIRST_US <= instant.us <= LAST_US:
            return instant.us
    raise MemoryInvalidInput(f"{where} of the file is not what an export writes")


def _is_gone(entry: MovedEntry, agent_days: int | None, now_us: int) -> bool:
    """Whether it has expired by the policy it would follow here: it is not revived (AGT-6)."""
    days = effective_days(entry.own[0], entry.own[1], agent_days)
    return is_expired(stored_expiry_us(entry.updated_at_us, days), now_us)


def _put(entry: MovedEntry, hmac_key: bytes, agent_days: int | None) -> Put:
    """The row of an entry that comes in: everything as it was; only its expiry is the agent's to say."""
    days = effective_days(entry.own[0], entry.own[1], agent_days)
    return Put(
        None,
        entry.key,
        entry.category_stored,
        len(entry.key.encode()) + len(entry.value),
        entry.created_by,
        entry.created_domain,
        entry.last_accessed_by,
        entry.created_at_us,
        entry.updated_at_us,
        entry.updated_at_us,
        stored_expiry_us(entry.updated_at_us, days),
        *entry.scopes,
        *entry.own,
        value_hmac(hmac_key, entry.value),
        entry.value,
    )


def _read_lines(file: File) -> Iterator[bytes]:
    """The file's lines without their newlines, split on newlines only, one at a time and each bounded."""
    try:
        with ExitStack() as opened:
            stream: Any = file
            if isinstance(file, str | PathLike):
                stream = opened.enter_context(Path(file).open("rb"))
            while line := stream.readline(_MAX_LINE_BYTES + 1):
                data = line.encode() if isinstance(line, str) else bytes(line)
                if len(data) > _MAX_LINE_BYTES:
                    raise MemoryInvalidInput("a line of the file is longer than any that an export writes")
                yield data.removesuffix(b"\n")
    except UnicodeError:
        raise MemoryInvalidInput("the file is not UTF-8") from None
    except (OSError, ValueError) as error:  # a path that holds NUL is a ValueError
        raise storage_error(error, "the file cannot be read") from error


@contextmanager
def _written(file: File) -> Iterator[Any]:
    """A function that writes bytes to the file; a named file appears whole or not at all."""
    if not isinstance(file, str | PathLike):
        is_text = isinstance(file, io.TextIOBase)
        stream: Any = file
        yield lambda data: stream.write(data.decode("ascii") if is_text else data)
        return
    target = Path(file)
    if "\0" in str(target):
        raise MemoryStorageError("the file cannot be written: no path holds a NUL character")
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with target.open("wb") as device:
                yield device.write
            return
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as output:
                yield output.write
            draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise storage_error(error, "the file cannot be written") from error
