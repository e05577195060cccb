"""A gene's memory calls over its channel; beside them the same calls made here and a bare round trip.

The round trip is an empty frame, there and back, by the same reading and writing at both ends: no JSON, no
memory. It goes to a process of the gene's own kind.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import rotifer_console
import rotifer_store
from bench import ours
from bench.material import AGENT, GENE, VALUES, key_of
from bench.measure import Variant
from rotifer_console.hosts import child as child_module
from rotifer_console.hosts.channel import Channel
from rotifer_console.hosts.child import Command, GeneChild
from rotifer_console.hosts.memory import NoMemory
from rotifer_console.hosts.node import find_node, node_command
from rotifer_console.hosts.python_child import python_command
from rotifer_store import MemoryCategory, open_store
from rotifer_store.gene_folder import GeneFolder, read_gene_folder

_TIMEOUT_S = 600.0
_PYTHON_ECHO = """\
import sys
sys.path[3:3] = sys.argv[2:]
from rotifer_console.hosts.python_runner import receive_frame, send_frame
channel = int(sys.argv[1])
while (frame := receive_frame(channel)) is not None:
    send_frame(channel, frame)
"""
_NODE_ECHO = """\
const { Frames } = await import(process.argv[1])
const frames = new Frames(Number(process.argv[2]))
for (let text; (text = frames.receive()) !== null; ) frames.send(text)
"""
_PYTHON_GENE = f"""\
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
_TYPESCRIPT_GENE = f"""\
const VALUES = {[value.decode() for value in VALUES]!r}.map((text: string) => new TextEncoder().encode(text))
const decoder = new TextDecoder()

export function express(input: any, {{ memory }}: any): string {{
  let entry
  for (const [at, key] of input.keys.entries()) {{
    entry = input.call === "read"
      ? memory.readMemory(key)
      : memory.writeMemory(key, VALUES[input.numbers[at] % VALUES.length], "{MemoryCategory.CONTEXT}")
  }}
  return decoder.decode(entry.value)
}}
"""
_EMPTY_GENE = "export const express = () => null"


class Language(NamedTuple):
    """How genes of a language are laid down and started, and a process that sends frames back."""

    source: str
    gene: str
    command: Callable[[GeneFolder], Command]
    echo: Callable[[int], list[str]]


def _python_echo(descriptor: int) -> list[str]:
    places = [str(Path(package.__path__[0]).parent) for package in (rotifer_console, rotifer_store)]
    return [sys.executable, "-I", "-c", _PYTHON_ECHO, str(descriptor), *places]


def _node_echo(descriptor: int) -> list[str]:
    frames = Path(child_module.__file__).with_name("node_frames.mjs")
    return [find_node(), "--input-type=module", "--eval", _NODE_ECHO, str(frames), str(descriptor)]


PYTHON = Language("index.py", _PYTHON_GENE, python_command, _python_echo)
TYPESCRIPT = Language("index.ts", _TYPESCRIPT_GENE, node_command, _node_echo)


def _laid_down(folder: Path, language: Language, gene: str) -> GeneFolder:
    (folder / "phenotype.json").write_text(
        '{"domain": "benchmark", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}'
    )
    (folder / language.source).write_text(gene)
    return read_gene_folder(folder)


def through(call: str, language: Language, folder: Path, gene_folder: Path) -> Variant:
    """Reads or writes of the entries of some numbers, in one run of a gene in its own process."""
    gene = _laid_down(gene_folder, language, language.gene)
    store = open_store(state_dir=folder)
    child = GeneChild(language.command(gene), store.gene_memory(AGENT, GENE))
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


def here(call: str, language: Language, folder: Path) -> Variant:
    """The same calls in this process, each with an empty round trip to another one."""
    variant = ours.read(folder) if call == "read" else ours.write(folder)
    round_trip, end = _echo(language)

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


def empty_run(gene_folder: Path) -> Variant:
    """Runs of a TypeScript gene that does nothing, in a process that is warm."""
    child = GeneChild(TYPESCRIPT.command(_laid_down(gene_folder, TYPESCRIPT, _EMPTY_GENE)), NoMemory())

    def check(_: object, last: object) -> None:
        assert last is None

    return Variant("empty run", lambda _: child.run(None, _TIMEOUT_S), check, lambda _: child.close())


def empty_round_trip() -> Variant:
    """Round trips to a Node process."""
    round_trip, end = _echo(TYPESCRIPT)
    return Variant("empty round trip", lambda _: round_trip(), lambda *_: None, lambda _: end())


def _echo(language: Language) -> tuple[Callable[[], None], Callable[[], None]]:
    """One round trip to a process that sends back what it gets; and that process's end."""
    mine, its = socket.socketpair()
    process = subprocess.Popen(language.echo(its.fileno()), pass_fds=(its.fileno(),))
    its.close()
    channel = Channel(mine, lambda: process.poll() is None)

    def round_trip() -> None:
        channel.send(b"")
        assert channel.receive() == b""

    def end() -> None:
        channel.close()
        process.wait()

    return round_trip, end
