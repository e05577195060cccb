"""The steps from each schema to a newer one, as statements; the engine runs each in one transaction.

A file without our tables (0) gets the newest schema at once. A step from a landed schema never changes.
"""

from __future__ import annotations

from rotifer_store.audit_line import GENESIS_HASH
from rotifer_store.statements import SCHEMA_VERSION, SQLITE_TABLES

_FIRST_STATE = (
    "INSERT INTO rotifer_state (id, schema_version, seq, hash) "  # noqa: S608 - both values are ours
    f"VALUES (1, {SCHEMA_VERSION}, 0, '{GENESIS_HASH}')"
)

MIGRATIONS: dict[int, tuple[str, ...]] = {0: (*SQLITE_TABLES, _FIRST_STATE)}
