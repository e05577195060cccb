"""Where the installed programs begin: Ctrl-C counts while all the rest is still being loaded (CLI-2)."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """`rotifer`; it exits with the command's status."""
    try:
        from rotifer_console.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def main_console() -> None:
    """`rotifer-console`, which is `rotifer console`."""
    try:
        from rotifer_console.cli.app import main_console as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
