"""`rotifer doctor`: looks at what the store runs on; puts nothing right and makes no store."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

import typer

from rotifer_console.cli import output, progress, terminal
from rotifer_console.cli.exits import REFUSED
from rotifer_console.cli.options import AsJson, Plain, mode_of
from rotifer_console.errors import ProjectNotFound
from rotifer_console.project import find_project
from rotifer_console.view import health as view
from rotifer_console.view.health import Check, Status
from rotifer_store import MemoryStorageError, Store, SystemClock, has_store, open_store


def examine(ctx: typer.Context, as_json: AsJson = False, plain: Plain = False) -> None:
    """Prints a row for each thing that was looked at; exits with 1 where one is wrong."""
    mode = mode_of(ctx)
    checks = list(_checks(mode))
    if mode.as_json:
        output.write_json(view.to_json(checks))
    else:
        output.write_rows(view.COLUMNS, [check.cells() for check in checks], mode)
    if not view.is_well(checks):
        raise typer.Exit(REFUSED)


def _checks(mode: terminal.Mode) -> Iterator[Check]:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield Check(Status.OK, "python", python)
    yield from _gene_checks(python)
    try:
        project = find_project()
    except ProjectNotFound as error:
        yield Check(Status.WRONG, "project", f"{error}; `rotifer init` makes one")
        return
    yield Check(Status.OK, "project", str(project))
    if not has_store(project):
        yield Check(Status.OK, "store", "there is none yet: the first agent makes it")
        return
    try:
        with open_store(project) as store:
            yield Check(Status.OK, "store", "it opens")
            yield from _store_checks(store, mode)
    except MemoryStorageError as error:
        yield Check(Status.WRONG, "store", str(error))


def _gene_checks(python: str) -> Iterator[Check]:
    from rotifer_console.hosts.node import find_node, node_version
    from rotifer_console.hosts.wasm import require_wasm_support

    yield Check(Status.OK, "genes", f"Python genes run on this {python}")
    try:
        version = ".".join(map(str, node_version(find_node())))
        yield Check(Status.OK, "genes", f"TypeScript and JavaScript genes run on Node {version}")
    except MemoryStorageError as error:
        yield Check(Status.WATCH, "genes", str(error))
    try:
        require_wasm_support()
        yield Check(Status.OK, "genes", f"WebAssembly genes run on wasmtime {metadata.version('wasmtime')}")
    except MemoryStorageError as error:
        yield Check(Status.WATCH, "genes", str(error))


def _store_checks(store: Store, mode: terminal.Mode) -> Iterator[Check]:
    yield from view.store_checks(store.health(), SystemClock().now_us())
    with progress.shown("verifying", mode):
        findings = store.verify()
    yield from view.finding_checks(findings)
    for agent in store.agents():
        yield view.quota_check(agent, store.memory_usage(agent))
