"""Python genes in this process (HST-1): no deadline and no isolation, for programs that trust their genes.

A gene is loaded anew for each run, from its source and not from cached bytecode, so that what runs is what
its v2 id was taken from. Nothing is written into its folder, and what it prints goes to stderr (HST-4).
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.channel import TOO_DEEP, decode_json, encode_json
from rotifer_console.hosts.memory import Memory
from rotifer_console.hosts.python_gene import call_entry_point, describe, load_entry_point
from rotifer_console.hosts.values import decode_output, encode_input
from rotifer_store.gene_folder import GeneFolder

_ONE_GENE_AT_A_TIME: Final = threading.RLock()
"""The import path and stdout belong to the whole process; a gene that runs another agent holds it already."""


@dataclass(frozen=True, slots=True)
class GeneContext:
    """What `express` gets beside its input: the memory that this gene may use (GEN-4)."""

    memory: Memory


def run_python_gene(gene: GeneFolder, input_value: Any, memory: Memory) -> Any:
    """The gene's output for an input, both plain JSON values.

    Raises:
        GeneFailed: it could not be loaded, raised, ended the program, or returned what is not JSON. What the
            gene raised is the cause.
    """
    own_input = decode_json(encode_input(input_value))
    with _ONE_GENE_AT_A_TIME, _gene_surroundings(gene.path), contextlib.redirect_stdout(sys.stderr):
        try:
            entry_point = load_entry_point(str(gene.source), gene.name)
            output = call_entry_point(entry_point, own_input, GeneContext(memory))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise GeneFailed(describe(error, str(gene.path))) from error
    try:
        content = encode_json(output)
    except RecursionError:
        raise GeneFailed(TOO_DEEP) from None
    except (TypeError, ValueError) as error:
        raise GeneFailed("its output is not JSON") from error
    return decode_output(content)


@contextlib.contextmanager
def _gene_surroundings(folder: Path) -> Iterator[None]:
    """The gene's folder first on the path, no bytecode written, and its modules gone afterwards.

    Two genes may each have a `helpers.py`: whatever was imported from the folder must not serve the next.
    """
    modules_before = set(sys.modules)
    wrote_bytecode = not sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        sys.dont_write_bytecode = not wrote_bytecode
        for name in set(sys.modules) - modules_before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder):
                del sys.modules[name]
