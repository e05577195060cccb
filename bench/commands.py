"""The command line's start: a listing, and a Typer program that does nothing, in fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.material import AGENT, GENE, VALUES, key_of
from bench.measure import Variant
from rotifer_store import MemoryCategory, open_store

ROTIFER = Path(sys.executable).with_name("rotifer")
ENTRIES = 10
_EMPTY = """\
import typer

app = typer.Typer()


@app.command()
def main() -> None:
    pass


if __name__ == "__main__":
    app()
"""


def listing(folder: Path) -> Variant:
    """`rotifer agent memory list`, piped, of ten entries."""
    subprocess.run([ROTIFER, "init"], cwd=folder, check=True, capture_output=True)
    with open_store(folder) as store:
        store.create_agent(AGENT)
        for number in range(ENTRIES):
            store.gene_memory(AGENT, GENE).write_memory(
                key_of(number), VALUES[number], MemoryCategory.CONTEXT
            )

    def check(_: object, output: object) -> None:
        assert isinstance(output, bytes)
        assert all(key_of(number).encode() in output for number in range(ENTRIES))

    return _command("rotifer agent memory list", [ROTIFER, "agent", "memory", "list", AGENT], folder, check)


def empty_program(folder: Path) -> Variant:
    """The least that a Typer program can do."""
    script = folder / "empty.py"
    script.write_text(_EMPTY)

    def check(_: object, output: object) -> None:
        assert output == b""

    return _command("empty Typer program", [sys.executable, script], folder, check)


def _command(
    name: str, words: Sequence[str | Path], folder: Path, check: Callable[[object, object], None]
) -> Variant:
    # an installed program has its modules compiled: the first block may leave them so
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}

    def run(_: object) -> bytes:
        return subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE).stdout

    return Variant(name, run, check, lambda _: None)
