"""Other stores, installed by the extra `bench`, doing what they can of the same: put, get, newest entries."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.material import TEXTS, VALUES, key_of
from bench.measure import Variant

DISKCACHE = "diskcache"
LANGGRAPH = "langgraph.store.sqlite"
_NAMESPACE = ("agents", "bench")


def is_installed(module: str) -> bool:
    """Whether a peer can be measured here."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _cache(folder: Path, entries: int) -> Any:
    import diskcache

    cache = diskcache.Cache(str(folder))
    with cache.transact():
        for number in range(entries):
            cache.set(key_of(number), VALUES[number % len(VALUES)])
    return cache


def diskcache_set(folder: Path, entries: int) -> Variant:
    """`Cache.set` over what is there, with its default settings (WAL, NORMAL)."""
    cache = _cache(folder, entries)

    def run(number: int) -> object:
        return cache.set(key_of(number), VALUES[number % len(VALUES)])

    def check(_: int, result: object) -> None:
        assert result is True

    def finish(_: int) -> None:
        assert len(cache) == entries
        cache.close()

    return Variant("diskcache set", run, check, finish)


def diskcache_get(folder: Path, entries: int) -> Variant:
    """`Cache.get` of what is there."""
    cache = _cache(folder, entries)

    def run(number: int) -> object:
        return cache.get(key_of(number))

    def check(number: int, value: object) -> None:
        assert value == VALUES[number % len(VALUES)]

    return Variant("diskcache get", run, check, lambda _: cache.close())


def _sqlite_store(folder: Path, entries: int, *, same_pragmas: bool) -> Any:
    from langgraph.store.base import PutOp
    from langgraph.store.sqlite import SqliteStore

    connection = sqlite3.connect(folder / "langgraph.db", check_same_thread=False, isolation_level=None)
    if same_pragmas:
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint=4000")
        connection.execute("PRAGMA secure_delete=ON")
    store = SqliteStore(connection)
    store.setup()
    for start in range(0, entries, 100):
        store.batch(
            [
                PutOp(_NAMESPACE, key_of(number), {"value": TEXTS[number % len(TEXTS)]})
                for number in range(start, start + 100)
            ]
        )
    return store


def langgraph_put(folder: Path, entries: int, *, same_pragmas: bool) -> Variant:
    """`SqliteStore.put` over what is there; as shipped it keeps a rollback journal and syncs FULL."""
    store = _sqlite_store(folder, entries, same_pragmas=same_pragmas)

    def run(number: int) -> None:
        store.put(_NAMESPACE, key_of(number), {"value": TEXTS[number % len(TEXTS)]})

    def check(number: int, _: object) -> None:
        assert store.get(_NAMESPACE, key_of(number)).value["value"] == TEXTS[number % len(TEXTS)]

    return Variant("langgraph put", run, check, lambda _: store.conn.close())


def langgraph_get(folder: Path, entries: int) -> Variant:
    """`SqliteStore.get` of what is there."""
    store = _sqlite_store(folder, entries, same_pragmas=True)

    def run(number: int) -> Any:
        return store.get(_NAMESPACE, key_of(number))

    def check(number: int, item: Any) -> None:
        assert item.value["value"] == TEXTS[number % len(TEXTS)]

    return Variant("langgraph get", run, check, lambda _: store.conn.close())


def langgraph_search(folder: Path, entries: int) -> Variant:
    """`SqliteStore.search` of the 100 newest."""
    store = _sqlite_store(folder, entries, same_pragmas=True)

    def run(_: object) -> Any:
        return store.search(_NAMESPACE, limit=100)

    def check(_: object, items: Any) -> None:
        assert len(items) == 100

    return Variant("langgraph search", run, check, lambda _: store.conn.close())
