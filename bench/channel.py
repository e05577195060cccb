"""A Python gene's memory calls over its channel; beside them the same calls made here and a bare round trip.

The round trip is an empty frame, there and back, by the same reading and writing at both ends: no JSON, no
memory.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import rotifer_console
import rotifer_store
from bench import ours
from bench.material import AGENT, GENE, VALUES, key_of
from bench.measure import Variant
from rotifer_console.hosts.channel import Channel
from rotifer_console.hosts.child import GeneChild
from rotifer_console.hosts.python_child import python_command
from rotifer_store import MemoryCategory, open_store
from rotifer_store.gene_folder import read_gene_folder

_TIMEOUT_S = 600.0
_ECHO = """\
import sys
sys.path[3:3] = sys.argv[2:]
from rotifer_console.hosts.python_runner import receive_frame, send_frame
channel = int(sys.argv[1])
while (frame := receive_frame(channel)) is not None:
    send_frame(channel, frame)
"""
_GENE = f"""\
VALUES = {VALUES!r}

def express(input, ctx):
    memory = ctx.memory
    if input["call"] == "read":
        for key in input["keys"]:
            entry = memory.read_memory(key)
        return entry.value.decode()
    for key, number in zip(input["keys"], input["numbers"]):
        entry = memory.write_memory(key, VALUES[number % len(VALUES)], "{MemoryCategory.CONTEXT}")
    return entry.value.decode()
"""


def through(call: str, folder: Path, gene_folder: Path) -> Variant:
    """Reads or writes of the entries of some numbers, in one run of a gene in its own process."""
    (gene_folder / "phenotype.json").write_text(
        '{"domain": "benchmark", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}'
    )
    (gene_folder / "index.py").write_text(_GENE)
    store = open_store(state_dir=folder)
    child = GeneChild(python_command(read_gene_folder(gene_folder)), store.gene_memory(AGENT, GENE))
    finish_store = ours._closing(store, folder, _lines_each(call))

    def run(numbers: Sequence[int]) -> object:
        order = {"call": call, "keys": [key_of(number) for number in numbers], "numbers": list(numbers)}
        return child.run(order, _TIMEOUT_S)

    def check(numbers: Sequence[int], last: object) -> None:
        assert last == VALUES[numbers[-1] % len(VALUES)].decode()

    def finish(batches: int) -> None:
        child.close()
        finish_store(batches * 100)

    return Variant(f"{call} over the channel", run, check, finish)


def here(call: str, folder: Path) -> Variant:
    """The same calls in this process, each with an empty round trip to another one."""
    variant = ours.read(folder) if call == "read" else ours.write(folder)
    round_trip, end = _echo()

    def run(numbers: Sequence[int]) -> object:
        result = None
        for number in numbers:
            result = variant.run(number)
            round_trip()
        return result

    def finish(batches: int) -> None:
        end()
        variant.finish(batches * 100)

    return Variant(f"{call} here", run, lambda numbers, last: variant.check(numbers[-1], last), finish)


def _lines_each(call: str) -> int:
    return 0 if call == "read" else 1


def _echo() -> tuple[Callable[[], None], Callable[[], None]]:
    """One round trip to a process that sends back what it gets; and that process's end."""
    mine, its = socket.socketpair()
    places = [str(Path(package.__path__[0]).parent) for package in (rotifer_console, rotifer_store)]
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _ECHO, str(its.fileno()), *places], pass_fds=(its.fileno(),)
    )
    its.close()
    channel = Channel(mine, lambda: process.poll() is None)

    def round_trip() -> None:
        channel.send(b"")
        assert channel.receive() == b""

    def end() -> None:
        channel.close()
        process.wait()

    return round_trip, end
