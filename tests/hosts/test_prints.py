"""What genes print, at a terminal: all of it, in order, and nothing that steers it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from textwrap import dedent
from typing import Any

import pytest

from rotifer_store import Gene

PROGRAM = """
    import sys
    from rotifer_console import run_agent
    from rotifer_store import open_store
    with open_store(sys.argv[1]) as store:
        run_agent(store, "main", None, project=sys.argv[1], timeout_s=30)
    print("after the run", file=sys.stderr)
"""


def printed_at_a_terminal(stage: Any, source: str) -> str:
    gene = Gene.from_folder(stage.add_gene(source))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    terminal, theirs = pty.openpty()
    seen = bytearray()

    def watch() -> None:
        while True:
            try:
                chunk = os.read(terminal, 65_536)
            except OSError:  # how Linux tells that nobody has the other side any more
                return
            if not chunk:
                return
            seen.extend(chunk)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        subprocess.run(
            [sys.executable, "-c", dedent(PROGRAM), stage.root],
            stderr=theirs,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            check=True,
            timeout=60,
        )
    finally:
        os.close(theirs)
        watcher.join()
        os.close(terminal)
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("print('one\\ttwo'); print('three')", "one\ttwo\nthree\n"),
        ("print('\\x1b[2J\\x1b]52;c;aGk=\\x07')", "␛[2J␛]52;c;aGk=␇\n"),
        ("print('\\u202eevil\\r')", "<U+202E>evil␍\n"),
        ("sys.stdout.write('no end')", "no end\n"),
        ("os.write(1, b'\\xff\\n')", "\\xff\n"),
        ("os.write(2, 'é'.encode()[:1]); os.write(2, 'é'.encode()[1:] + b'\\n')", "é\n"),
        ("sys.stderr.write('to stderr\\n')", "to stderr\n"),
        ("subprocess.run(['/bin/echo', 'from a child'])", "from a child\n"),
        ("pass", ""),
    ],
)
def test_a_terminal_shows_every_line_and_obeys_none(stage: Any, source: str, shown: str) -> None:
    """HST-4, CLI-4: and before anything that is said once the run has ended."""
    gene = f"import os, subprocess, sys\ndef express(input, ctx):\n    {source}"
    assert printed_at_a_terminal(stage, gene) == f"{shown}after the run\n"


def test_a_terminal_drains_megabytes_with_and_without_lines(stage: Any) -> None:
    """HST-4."""
    source = """
        import sys
        def express(input, ctx):
            for _ in range(200):
                sys.stdout.write("x" * 10_000 + "\\n")
            sys.stdout.write("y" * 2_000_000)
    """
    seen = printed_at_a_terminal(stage, source)
    assert (seen.count("x"), seen.count("y")) == (2_000_000, 2_000_000)
    assert seen.endswith("after the run\n")


def test_a_print_that_comes_from_a_killed_gene_is_shown(stage: Any) -> None:
    source = """
        import os
        def express(input, ctx):
            print("last words")
            os._exit(1)
    """
    assert printed_at_a_terminal(stage, source) == "last words\nafter the run\n"


UNREAD = """
    import sys
    from rotifer_console import run_agent
    from rotifer_store import open_store
    with open_store(sys.argv[1]) as store:
        result = run_agent(store, "main", None, project=sys.argv[1], timeout_s=30)
    sys.exit(0 if result.failed_step is None else 9)
"""


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("index.py", "def express(input, ctx):\n    for _ in range(99): print('x' * 9999)"),
        (
            "index.ts",
            "export function express() { for (let i = 0; i < 99; i++) console.log('x'.repeat(9e3)) }",
        ),
    ],
)
def test_a_pipe_that_nobody_reads_any_more_fails_no_gene(stage: Any, file: str, source: str) -> None:
    """HST-4: what it prints then goes nowhere."""
    stage.store.set_genome("main", [Gene.from_folder(stage.add_gene(source, file=file))], {"type": "Single"})
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        program = [sys.executable, "-c", dedent(UNREAD), stage.root]
        assert subprocess.run(program, stderr=write_end, check=False).returncode == 0
    finally:
        os.close(write_end)
