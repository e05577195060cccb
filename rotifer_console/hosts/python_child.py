"""How a Python gene's process is started (HST-1)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import rotifer_console
import rotifer_store
from rotifer_console.hosts.child import Command
from rotifer_store.gene_folder import GeneFolder

_PROGRAM: Final = (
    "import sys; sys.path[3:3] = sys.argv[4:]; "
    "from rotifer_console.hosts.python_runner import main; main(*sys.argv[1:4])"
)
_ROOTS: Final = tuple(
    dict.fromkeys(str(Path(package.__path__[0]).parent) for package in (rotifer_console, rotifer_store))
)
"""Where this process has its packages from. The other one must have the same, whatever is installed, so they
come right after the standard library's three places."""


def python_command(gene: GeneFolder) -> Command:
    """This interpreter, isolated (-I), with the runner; what is printed goes out at once (-u)."""

    def command(descriptor: int) -> list[str]:
        words = [sys.executable, "-I", "-u", "-c", _PROGRAM, str(descriptor), str(gene.source), gene.name]
        return [*words, *_ROOTS]

    return command
