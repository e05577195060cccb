"""What every variant works on: keys, values, a gene, an agent, and stores filled without the library's calls.

A filled store has correct rows, sizes, HMACs and counters, but its entries have no lines in the audit log:
that is the one thing `verify()` finds in it.
"""

from __future__ import annotations

import hmac
import itertools
import json
import random
import shutil
import sqlite3
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rotifer_store import Agent, Gene, SystemClock, open_store
from rotifer_store.audit_file import AUDIT_NAME
from rotifer_store.audit_line import AuditEvent, Link, encode_line
from rotifer_store.engine import DATABASE_NAME
from rotifer_store.rfc3339 import format_us
from rotifer_store.statements import SQLITE
from rotifer_store.tables import (
    MAX_QUOTA_BYTES,
    STORED_CATEGORY,
    Actor,
    AuditAction,
    MemoryCategory,
    Operation,
)

AGENT = "bench"
GENE = Gene("v2:" + "ab" * 32, "benchmark", "bench-gene", "1.0.0")
VALUE_BYTES = 1024
PREFIXES = 50
KEY_BYTES = 10
ENTRY_BYTES = KEY_BYTES + VALUE_BYTES
KEPT_DAYS = 365
_US_BETWEEN_ENTRIES = 1000

_letters = random.Random(1).choices(string.ascii_letters, k=VALUE_BYTES + PREFIXES)
TEXTS = ["".join(_letters[at : at + VALUE_BYTES]) for at in range(PREFIXES)]
VALUES = [text.encode() for text in TEXTS]


def key_of(number: int) -> str:
    """The key of that number: each prefix `NN/` has a fiftieth of the keys, old and new ones alike."""
    return f"{number % PREFIXES:02d}/{number:07d}"


class Fill(NamedTuple):
    """What a store holds before anything is measured."""

    entries: int
    category: MemoryCategory = MemoryCategory.CONTEXT
    expires: bool = False
    is_full: bool = False

    @property
    def used_bytes(self) -> int:
        """What its entries count."""
        return self.entries * ENTRY_BYTES


class Material:
    """Filled stores in a folder of the run; each asked for is a copy of its own.

    A class because filling 100 000 entries once is enough.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self._templates: dict[Fill, Path] = {}

    def empty_folder(self) -> Path:
        """A new folder."""
        folder = self._folder / f"{next(self._numbers):03d}"
        folder.mkdir()
        return folder

    def store(self, fill: Fill) -> Path:
        """The state folder of a store with that content, for one variant to work on."""
        template = self._templates.get(fill)
        if template is None:
            template = self._templates[fill] = self.empty_folder()
            _fill(template, fill)
        folder = self._folder / f"{next(self._numbers):03d}"
        shutil.copytree(template, folder)
        return folder

    def log(self, lines: int) -> Path:
        """The state folder of a store whose audit log has that many lines, each in its place in the chain."""
        folder = self.empty_folder()
        with open_store(state_dir=folder) as store:
            agent = store.create_agent(AGENT)
        with (folder / AUDIT_NAME).open("rb") as log:
            link = Link(1, str(json.loads(log.read())["hash"]))
        ts = format_us(SystemClock().now_us())
        with (folder / AUDIT_NAME).open("ab") as log:
            for seq in range(2, lines + 1):
                line, link = encode_line(_written(agent, seq), ts, link, seq)
                log.write(line)
        connection = sqlite3.connect(folder / DATABASE_NAME)
        connection.execute("UPDATE rotifer_state SET seq = ?, hash = ?", link)
        connection.commit()
        connection.close()
        return folder


def _written(agent: Agent, number: int) -> AuditEvent:
    return AuditEvent(
        AuditAction.MEMORY_WRITE,
        Actor.GENE,
        Operation.WRITE,
        agent.id,
        agent.name,
        GENE.id,
        GENE.domain,
        key_of(number),
        MemoryCategory.CONTEXT,
        entry_id="0" * 64,
        bytes=ENTRY_BYTES,
        value_hmac="0" * 64,
    )


def _fill(folder: Path, fill: Fill) -> None:
    quota_bytes = fill.used_bytes if fill.is_full else MAX_QUOTA_BYTES
    with open_store(state_dir=folder) as store:
        agent = store.create_agent(AGENT, memory_quota_bytes=quota_bytes)
    last_us = SystemClock().now_us()
    name = fill.category.lower()
    connection = sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)
    hmac_key = connection.execute("SELECT hmac_key FROM rotifer_agent").fetchone()[0]
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(SQLITE.insert_entry, _rows(agent.ref, hmac_key, fill, last_us))
    connection.execute(
        f"UPDATE rotifer_agent SET order_us = ?, {name}_entries = ?, {name}_bytes = ?",
        (last_us, fill.entries, fill.used_bytes),
    )
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def _rows(agent_ref: int, hmac_key: bytes, fill: Fill, last_us: int) -> Iterator[tuple[object, ...]]:
    hmacs = [hmac.digest(hmac_key, value, "sha256") for value in VALUES]
    own = (KEPT_DAYS, 0, 0) if fill.expires else (None, None, None)
    for number in range(fill.entries):
        at_us = last_us - (fill.entries - number) * _US_BETWEEN_ENTRIES
        yield row_of(
            agent_ref,
            number,
            at_us=at_us,
            seq=0,
            category=fill.category,
            expires_at_us=at_us + KEPT_DAYS * 86_400_000_000 if fill.expires else None,
            own=own,
            value_hmac=hmacs[number % PREFIXES],
        )


def row_of(
    agent_ref: int,
    number: int,
    *,
    at_us: int,
    seq: int,
    category: MemoryCategory = MemoryCategory.CONTEXT,
    expires_at_us: int | None = None,
    own: tuple[int | None, int | None, int | None] = (None, None, None),
    value_hmac: bytes = bytes(32),
    value: bytes | None = None,
) -> tuple[object, ...]:
    """The parameters of the library's own INSERT for the entry of that number, with default policies."""
    value = VALUES[number % PREFIXES] if value is None else value
    return (
        agent_ref,
        key_of(number),
        STORED_CATEGORY[category],
        KEY_BYTES + len(value),
        GENE.id,
        GENE.domain,
        GENE.id,
        at_us,
        at_us,
        at_us,
        seq,
        expires_at_us,
        0,
        0,
        0,
        *own,
        value_hmac,
        value,
    )
