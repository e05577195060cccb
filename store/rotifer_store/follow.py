"""Following the two logs: the files that `tail` decides about, looked at and read (REC-9).

Nothing here waits: whoever follows polls as often as it likes. The file that is being read is kept open, so
its inode is not given to another file and its last lines can be read when it has lost its name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Generic, TypeVar

from rotifer_store import tail
from rotifer_store.audit_file import AUDIT_NAME
from rotifer_store.audit_line import parse_object
from rotifer_store.change import Shell
from rotifer_store.logs import (
    AuditFilter,
    AuditRecord,
    TelemetryRecord,
    UnreadableLine,
    audit_files,
    audit_record,
    telemetry_record,
)
from rotifer_store.private_files import open_private
from rotifer_store.tail import FileSeen, Identity, Line, LogNotice
from rotifer_store.telemetry import TELEMETRY_NAME
from rotifer_store.translate import storage_error
from rotifer_store.validate import bound_us, key_size_bytes

_POLL_BYTES: Final = 4 << 20
_TRIES: Final = 10

Record = TypeVar("Record")
Choice = Callable[[Record], bool]


class LogFiles:
    """The files of one log as they are now, and the one that is being read.

    A class because it keeps that one open.
    """

    def __init__(self, folder: Path, name: str, list_files: Callable[[Path], Sequence[Path]]) -> None:
        """Opens nothing yet.

        Args:
            folder: where the files are.
            name: of the one that is written to.
            list_files: all of them in their order, that one last, though it may not be there.
        """
        self.folder = folder
        self.current = folder / name
        self._list_files = list_files
        self._descriptor = -1

    def close(self) -> None:
        """Lets go of the file that is being read."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def paths(self) -> Sequence[Path]:
        """All files of the log in their order; the last may not be there."""
        return self._list_files(self.folder)

    def read(self, stretch: tail.Stretch) -> bytes:
        """Bytes of the file that is being read; fewer where it has become shorter.

        Raises:
            OSError: they cannot be read.
        """
        return os.pread(self._descriptor, stretch.stop - stretch.start, stretch.start)

    def enter(self, position: tail.Position) -> bool:
        """Opens the file of a position; false where it was rotated meanwhile: then look again.

        Raises:
            OSError: it cannot be opened.
        """
        descriptor = self.open_known(position.file, position.identity)
        if descriptor is None:
            return False
        self.close()
        self._descriptor = descriptor
        return True

    def open_known(self, name: str, identity: Identity | None) -> int | None:
        """A descriptor of the file; None where it does not stand under that name any more.

        Raises:
            OSError: it cannot be opened.
        """
        try:
            descriptor = open_private(self.folder / name, os.O_RDONLY)
        except FileNotFoundError:
            return None
        if _identity(os.fstat(descriptor)) != identity:
            os.close(descriptor)
            return None
        return descriptor

    def seen(self) -> list[FileSeen]:
        """The log's files as they are now, the one that is being read among them.

        Raises:
            OSError: one of them cannot be looked at, or is no regular file.
        """
        held = None if self._descriptor < 0 else os.fstat(self._descriptor)
        for _ in range(_TRIES):
            current = _seen(self.current)
            if held is not None and current is not None and current.identity == _identity(held):
                return [current]
            files = [file for file in map(_seen, self.paths()) if file is not None]
            # Where a rotation came between the looks, a file may have been missed, or seen twice.
            now = _seen(self.current)
            if (now and now.identity) == (current and current.identity):
                break
        if held is not None and _identity(held) not in [file.identity for file in files]:
            if now is None:  # what was read is gone, and no log stands under the name to go on with
                files = []
            files.insert(0, FileSeen(None, _identity(held), held.st_size))
        return files


class LogTail(Generic[Record]):
    """One follower of one log, from the log's first line on; a context manager.

    A class because it remembers how far it has read.
    """

    def __init__(
        self,
        files: LogFiles,
        read_record: Callable[[Mapping[str, object]], Record],
        choose: Callable[[Sequence[Record]], Choice[Record]],
    ) -> None:
        """Follows a log.

        Args:
            files: the log's.
            read_record: a record of what a line's object holds.
            choose: which of the records that were read are asked for.
        """
        self._files = files
        self._read_record = read_record
        self._choose = choose
        self._position = tail.START
        self._found: list[Line | LogNotice] = []

    def __enter__(self) -> LogTail[Record]:
        """The follower itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stops following."""
        self.close()

    def close(self) -> None:
        """Lets go of the file that is being read."""
        self._files.close()

    def poll(self, *, is_last: bool = False) -> list[Record | UnreadableLine | LogNotice]:
        """What is new since the last poll, oldest first; empty where nothing is.

        Much comes in several polls. A line that is being written comes when its newline has; with `is_last`
        it comes as it is, and so does all else that there is.

        Raises:
            MemoryStorageError: a file of the log cannot be read now; a later poll goes on where this began.
        """
        read_bytes = 0
        while is_last or not self._found or read_bytes < _POLL_BYTES:
            before = self._position
            try:
                read_bytes += self._step()
            except OSError as error:
                if self._found and not is_last:  # what came before is told first
                    break
                raise storage_error(error, f"{self._files.current.name} cannot be read") from error
            if self._position == before:
                break
        if is_last:
            self._position, lines, _ = tail.finish(self._position)
            self._found += lines
        chosen = self._chosen(
            [item if isinstance(item, LogNotice) else self._read(item) for item in self._found]
        )
        self._found = []
        return chosen

    def _step(self) -> int:
        """Does one step, keeps what it brings, and returns how many bytes were read for it.

        Raises:
            OSError: a file of the log cannot be looked at or read.
        """
        step = tail.advance(self._position, self._files.seen())
        if step.position.identity != self._position.identity and not self._files.enter(step.position):
            return 0
        self._position = step.position
        self._found += [*step.lines, *step.notices]
        if step.read is None:
            return 0
        data = self._files.read(step.read)
        taken = tail.take(self._position, data)
        self._position = taken.position
        self._found += [*taken.lines, *taken.notices]
        return len(data)

    def _read(self, line: Line) -> Record | UnreadableLine:
        members = parse_object(line.data)
        if members is None:
            return UnreadableLine(line.file, line.number, len(line.data))
        return self._read_record(members)

    def _chosen(
        self, items: list[Record | UnreadableLine | LogNotice]
    ) -> list[Record | UnreadableLine | LogNotice]:
        others = (UnreadableLine, LogNotice)
        records = [item for item in items if not isinstance(item, others)]
        if not records:
            return items
        is_chosen = self._choose(records)
        return [item for item in items if isinstance(item, others) or is_chosen(item)]


def audit_filter(
    shell: Shell,
    agent_id: str | None,
    action: str | None,
    key: str | None,
    gene: str | None,
    since: str | None,
) -> AuditFilter:
    """The records that are asked for; `gene` is a v2 id, or the name of a gene that acted (AGT-10).

    Raises:
        MemoryInvalidInput: `since` is no RFC 3339 time, or no entry can have that key.
        MemoryStorageError: the store cannot be read.
    """
    if key is not None:
        key_size_bytes(key)
    gene_ids = None if gene is None else _ids_called(gene, _genes(shell))
    return AuditFilter(agent_id, action, key, gene_ids, None if since is None else bound_us(since, "since"))


def audit_tail(shell: Shell, wanted: AuditFilter, gene: str | None) -> LogTail[AuditRecord]:
    """A follower of the audit log; `gene` is as `audit_filter` takes it.

    When it tells of a gene that acts for the first time, the store knows that gene's name.
    """
    met: set[str | None] = {None}

    def choose(records: Sequence[AuditRecord]) -> Choice[AuditRecord]:
        ids = {record.gene_id for record in records}
        if gene is None and ids <= met:
            return wanted.passes
        known = _genes(shell)
        if not ids <= {None, *(gene_id for gene_id, _ in known)}:
            with shell.engine.standing_still():  # a line stands before its gene is saved (REC-2)
                known = _genes(shell)
        met.update(ids)
        gene_ids = None if gene is None else _ids_called(gene, known)
        return replace(wanted, gene_ids=gene_ids).passes

    return LogTail(audit_log(shell), audit_record, choose)


def telemetry_tail(shell: Shell) -> LogTail[TelemetryRecord]:
    """A follower of the telemetry log."""
    return LogTail(telemetry_log(shell), telemetry_record, lambda _: lambda _: True)


def audit_log(shell: Shell) -> LogFiles:
    """The files of the audit log."""
    return LogFiles(shell.folder, AUDIT_NAME, audit_files)


def telemetry_log(shell: Shell) -> LogFiles:
    """The files of the telemetry log: one, for it is not rotated."""
    return LogFiles(shell.folder, TELEMETRY_NAME, lambda folder: [folder / TELEMETRY_NAME])


def _genes(shell: Shell) -> list[tuple[str, str | None]]:
    """Id and name of every gene that acted in the store."""
    engine = shell.engine
    agents = engine.rows(engine.sql.load_agents)
    return [(row[0], row[1]) for agent in agents for row in engine.rows(engine.sql.load_genes, (agent[-1],))]


def _ids_called(gene: str, known: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    return frozenset({gene, *(gene_id for gene_id, name in known if name == gene)})


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def _seen(path: Path) -> FileSeen | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(None, "not a regular file", str(path))
    return FileSeen(path.name, _identity(status), status.st_size)
