"""What a Python gene finds in its process: entries, arguments, errors, environment; and what others find."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.child import GeneChild
from rotifer_console.hosts.memory import NoMemory
from rotifer_console.hosts.python import run_python_gene
from rotifer_console.hosts.python_child import python_command
from rotifer_store import Gene
from rotifer_store.gene_folder import read_gene_folder


def both(stage: Any, source: str, input_value: Any = None) -> list[Any]:
    """What a gene makes of an input in its own process, and then in this one, each with an empty memory."""
    outputs = []
    with stage.child(source) as child:
        outputs.append(child.run(input_value, 60))
    stage.store.delete_memory("main", keys=[entry.key for entry in stage.store.list_memory("main")])
    folder = read_gene_folder(stage.root / "genes" / "gene")
    memory = stage.store.gene_memory("main", Gene(folder.gene_id, folder.domain, folder.name))
    outputs.append(run_python_gene(folder, input_value, memory))
    return outputs


def test_an_entry_has_the_librarys_attributes(stage: Any) -> None:
    """GEN-4, ENT-1: the same names, types and values as in this process; only times differ."""
    source = """
        from rotifer_store import AccessPolicy, RetentionPolicy
        def express(input, ctx):
            retention = RetentionPolicy(7, True, False)
            told = []
            for entry in (
                ctx.memory.write_memory("a", b"\\0\\xff", "CACHE"),
                ctx.memory.write_memory("b", bytearray(b"1"), "PATTERN", retention_policy=retention),
                ctx.memory.read_memory("a"),
                *ctx.memory.query_memory(),
            ):
                assert entry.created_at.utcoffset().total_seconds() == 0
                assert entry.created_at <= entry.updated_at
                names = ["entry_id", "category", "key", "value", "created_by", "last_accessed_by"]
                names += ["access_policy", "retention_policy"]
                told.append([[type(getattr(entry, n)).__name__, repr(getattr(entry, n))] for n in names])
                members = entry.to_json()
                assert members.pop("createdAt") <= members.pop("updatedAt")
                told.append(members)
            return told
    """
    child, here = both(stage, source)
    assert child == here
    assert len(child) == 10


def test_an_entry_compares_hashes_and_hides_its_value(stage: Any) -> None:
    """REC-1: no value in a repr."""
    source = """
        def express(input, ctx):
            written = ctx.memory.write_memory("k", b"hunter2", "CACHE")
            read = ctx.memory.read_memory("k")
            other = ctx.memory.write_memory("l", b"hunter2", "CACHE")
            try:
                read.value = b""
            except AttributeError:
                frozen = True
            return [written == read, written == other, read == 5, len({written, read, other}), frozen,
                    "hunter2" in repr(read), "k" in repr(read)]
    """
    assert both(stage, source) == [[True, False, False, 2, True, False, True]] * 2


@pytest.mark.parametrize(
    "call",
    [
        "read_memory('k')",
        "read_memory('k', 'CACHE')",
        "read_memory('k', category=MemoryCategory.PATTERN)",
        "read_memory(key='k', category=None)",
        "read_memory('k', 'cache')",
        "read_memory('k', 5)",
        "read_memory('k', UNSET)",
        "read_memory('')",
        "read_memory(None)",
        "read_memory(b'k')",
        "read_memory('\\ud800')",
        "read_memory('a\\0b')",
        "read_memory('é' * 512)",
        "read_memory('é' * 513)",
        "write_memory('w', b'', 'CACHE')",
        "write_memory('w', bytearray(b'x'), 'CACHE')",
        "write_memory('w', memoryview(b'x'), 'CACHE')",
        "write_memory('w', 'text', 'CACHE')",
        "write_memory('w', None, 'CACHE')",
        "write_memory('w', [1], 'CACHE')",
        "write_memory('w', bytes(1_048_576), 'CACHE')",
        "write_memory('w', bytes(1_048_577), 'CACHE')",
        "write_memory('w', b'', MemoryCategory.CONTEXT)",
        "write_memory('w', b'', None)",
        "write_memory('w', b'', {})",
        "write_memory('w', b'', 'CACHE', UNSET, UNSET)",
        "write_memory('w', b'', 'CACHE', None)",
        "write_memory('w', b'', 'CACHE', AccessPolicy(Scope.ALL_GENES))",
        "write_memory('w', b'', 'CACHE', AccessPolicy('ALL_GENES', 'SAME_DOMAIN', 'PRIVATE'))",
        "write_memory('w', b'', 'CACHE', AccessPolicy('all', 5, None))",
        "write_memory('w', b'', 'CACHE', OPEN)",
        "write_memory('w', b'', 'CACHE', MappingProxyType(OPEN))",
        "write_memory('w', b'', 'CACHE', OPEN | {'more': 1})",
        "write_memory('w', b'', 'CACHE', OPEN | {5: 1})",
        "write_memory('w', b'', 'CACHE', OPEN | {(): 1})",
        "write_memory('w', b'', 'CACHE', list(OPEN))",
        "write_memory('w', b'', 'CACHE', object())",
        "write_memory('w', b'', 'CACHE', retention_policy=None)",
        "write_memory('w', b'', 'CACHE', retention_policy=KEPT)",
        "write_memory('w', b'', 'CACHE', retention_policy=MappingProxyType(KEPT))",
        "write_memory('w', b'', 'CACHE', retention_policy=RetentionPolicy(2, False, False))",
        "write_memory('w', b'', 'CACHE', retention_policy=DataPolicy(3))",
        "write_memory('w', b'', 'CACHE', retention_policy=RetentionPolicy(0, False, False))",
        "write_memory('w', b'', 'CACHE', retention_policy=KEPT | {'maxRetentionDays': 1.0})",
        "write_memory('w', b'', 'CACHE', retention_policy=KEPT | {'maxRetentionDays': float('nan')})",
        "write_memory('w', b'', 'CACHE', retention_policy=KEPT | {'maxRetentionDays': 10 ** 5000})",
        "write_memory('w', b'', 'CACHE', retention_policy=KEPT | {'maxRetentionDays': True})",
        "write_memory('w', b'', 'CACHE', retention_policy=deep())",
        "query_memory()",
        "query_memory(None)",
        "query_memory({})",
        "query_memory({'keyPrefix': 'k', 'limit': 1})",
        "query_memory(MappingProxyType({'category': MemoryCategory.CACHE}))",
        "query_memory(MemoryFilter(key_prefix='k'))",
        "query_memory(MemoryFilter(category='cache'))",
        "query_memory(MemoryFilter(limit=0))",
        "query_memory(filter={'category': None})",
        "query_memory({'more': 1})",
        "query_memory({'limit': float('inf')})",
        "query_memory([])",
        "query_memory('')",
        "query_memory(0)",
        "query_memory(object())",
        "delete_memory('k')",
        "delete_memory('none')",
        "delete_memory(key='')",
        "delete_memory(5)",
        "readMemory('k')",
        "writeMemory('w', b'1', 'CACHE', retention_policy=KEPT)",
        "queryMemory({'category': 'CACHE'})",
        "deleteMemory('k')",
        "read_memory()",
        "read_memory('k', 'CACHE', 'more')",
        "write_memory('w', b'')",
        "delete_memory(name='k')",
    ],
)
def test_a_call_comes_to_the_same_in_a_process_as_in_this_one(stage: Any, call: str) -> None:
    """GEN-4, HST-1: the same result, or the same class of error with the same code."""
    source = f"""
        from types import MappingProxyType
        from rotifer_store import (UNSET, AccessPolicy, DataPolicy, MemoryCategory, MemoryFilter,
                                   RetentionPolicy, Scope)
        OPEN = {{"readScope": "ALL_GENES", "writeScope": "ALL_GENES", "sharePolicy": "PRIVATE"}}
        KEPT = {{"maxRetentionDays": 1, "autoDeleteOnTermination": False, "anonymizationSupported": False}}
        def deep():
            made = {{}}
            for _ in range(100_000): made = {{"a": made}}
            return made
        def told(result):
            if isinstance(result, list):
                return [told(entry) for entry in result]
            if result is None:
                return None
            members = result.to_json()
            return [members.pop("createdAt") <= members.pop("updatedAt"), members, len(result.value)]
        def express(input, ctx):
            ctx.memory.write_memory("k", b"1", "CACHE")
            try:
                return told(ctx.memory.{call})
            except Exception as error:
                return [type(error).__name__, getattr(error, "code", None), "value" in str(error)]
    """
    child, here = both(stage, source)
    if isinstance(child, list) and child[1:2] == ["MEMORY_INVALID_INPUT"]:
        assert child[:2] == here[:2]  # arguments that have no JSON form are named in fewer words
    else:
        assert child == here


def test_a_message_of_a_refusal_is_the_librarys(stage: Any) -> None:
    source = """
        def express(input, ctx):
            try:
                ctx.memory.delete_memory("none")
            except Exception as error:
                return [str(error), error.message, error.args, repr(error.code)]
    """
    child, here = both(stage, source)
    assert child == here


def test_the_largest_answer_has_room_in_a_frame(stage: Any) -> None:
    """INP-5: 1000 entries whose keys are spelt six times as long in JSON."""
    source = """
        def express(input, ctx):
            for number in range(1000):
                ctx.memory.write_memory(f"{number:04}" + "\\x01" * 1020, bytes(3000), "CACHE")
            return len(ctx.memory.query_memory({"limit": 1000}))
    """
    with stage.child(source) as child:
        assert child.run(None, 120) == 1000


def test_a_gene_finds_a_clean_environment_and_nothing_on_stdin(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HST-4: PATH, language, time zone; no secret of whoever started this, nothing for the interpreter."""
    for name in ("SECRET_TOKEN", "HOME", "PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD", "ROTIFER_TELEMETRY"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("TZ", "UTC")
    source = """
        import os, sys
        def express(input, ctx):
            try:
                open("/dev/tty")
                terminal = True
            except OSError:
                terminal = False
            return [dict(os.environ), sys.stdin.read(), terminal, os.getsid(0) == os.getpid(), sys.argv[1:],
                    sys.flags.isolated, os.path.basename(sys.path[0])]
    """
    with stage.child(source) as child:
        environment, stdin, *rest = child.run(None, 30)
    assert set(environment) <= {"PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}
    assert environment["TZ"] == "UTC"
    assert stdin == ""
    assert rest == [False, True, [], 1, "gene"]


def test_a_gene_inherits_no_descriptor_but_its_channel(stage: Any) -> None:
    """HST-3: not the store's files, and not another gene's channel."""
    source = """
        import os
        def express(input, ctx):
            found = []
            for descriptor in range(256):
                try:
                    os.fstat(descriptor)
                except OSError:
                    continue
                found.append(descriptor)
            return [found, ctx.memory._runner._descriptor]
    """
    stage.store.gene_memory("main", Gene("v2:" + "a" * 64, "dates")).write_memory("k", b"1", "CACHE")
    with stage.child("def express(input, ctx): return 1", "other") as other, stage.child(source) as child:
        other.run(None, 30)
        found, channel = child.run(None, 30)
    assert found == [0, 1, 2, channel]


def test_a_process_starts_without_a_database_an_orm_or_an_event_loop(stage: Any) -> None:
    """HST-1: its start is paid for in every run."""
    source = """
        import sys
        def express(input, ctx):
            heavy = ("rotifer_store.model", "sqlite3", "sqlalchemy", "asyncio", "inspect", "pathlib",
                     "socket", "subprocess", "threading", "typer")
            return [name for name in heavy if name in sys.modules]
    """
    with stage.child(source) as child:
        assert child.run(None, 30) == []


def test_a_run_writes_nothing_into_the_genes_folder(stage: Any) -> None:
    """GEN-2: no bytecode of its helpers, imported at once or later."""
    folder = stage.add_gene("")
    (folder / "helper.py").write_text("")
    (folder / "late.py").write_text("")
    with stage.child("import helper\ndef express(input, ctx):\n    import late\n    return 1") as child:
        assert child.run(None, 30) == 1
    assert {path.name for path in folder.rglob("*")} == {"helper.py", "index.py", "late.py", "phenotype.json"}


def test_a_gene_keeps_its_module_from_run_to_run_of_its_process(stage: Any) -> None:
    """HST-3: one process, reused."""
    with stage.child(
        "count = []\ndef express(input, ctx):\n    count.append(1)\n    return len(count)"
    ) as child:
        assert [child.run(None, 30) for _ in range(3)] == [1, 2, 3]


def test_ending_a_process_twice_is_no_trouble(stage: Any) -> None:
    child = stage.child("def express(input, ctx): return 1")
    child.close()
    assert child.run(None, 30) == 1
    child.close()
    child.close()


PROGRAM = """
    import sys
    from rotifer_console import run_agent
    from rotifer_store import open_store
    with open_store(sys.argv[1]) as store:
        run_agent(store, "main", {"pids": sys.argv[2]}, project=sys.argv[1], timeout_s=float(sys.argv[3]))
"""
NOTING = """
    import os, time
    def express(input, ctx):
        with open(input["pids"] + ".new", "w") as file:
            file.write(f"{os.getpid()}\\n")
        os.rename(input["pids"] + ".new", input["pids"])
"""


def started(stage: Any, source: str) -> subprocess.Popen[bytes]:
    """A program that runs an agent whose gene notes its process and then does as `source` says."""
    gene = Gene.from_folder(stage.add_gene(dedent(NOTING) + source))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    program = subprocess.Popen(
        [sys.executable, "-c", dedent(PROGRAM), stage.root, stage.pids, "600"],
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 30
    while not stage.noted_pids() and time.monotonic() < until:
        time.sleep(0.01)
    assert stage.noted_pids()
    return program


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("    while True: ctx.memory.read_memory('k')", id="calling"),
        pytest.param("    while True: pass", id="looping"),
        pytest.param("    time.sleep(600)", id="sleeping"),
    ],
)
def test_a_gene_does_not_outlive_the_program_that_was_killed(stage: Any, source: str) -> None:
    """HST-4: whatever it was doing, and long before its deadline."""
    program = started(stage, source)
    program.kill()
    program.wait()
    assert stage.processes_left() == []


def test_an_interrupted_program_leaves_no_gene(stage: Any) -> None:
    """CLI-2: Ctrl-C reaches the program alone; it ends what it started."""
    program = started(stage, "    while True: pass")
    program.send_signal(signal.SIGINT)
    assert program.wait(30) != 0
    assert stage.processes_left() == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_program_without_standard_streams_runs_genes_and_harms_no_file(stage: Any, closed: str) -> None:
    """HST-4: the numbers of closed streams go to other files, which no print may reach."""
    source = """
        import os
        def express(input, ctx):
            for stream in (1, 2):
                try:
                    os.write(stream, b"printed " * 1000)
                except OSError:
                    pass
            ctx.memory.write_memory("k", b"1", "CACHE")
            with open(input["pids"], "w") as file:
                file.write(f"{os.getpid()}\\n")
    """
    gene = Gene.from_folder(stage.add_gene(source))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    words = [sys.executable, "-c", dedent(PROGRAM), str(stage.root), str(stage.pids), "30"]
    subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *words], check=True, capture_output=True, timeout=60
    )
    assert [entry.key for entry in stage.store.list_memory("main")] == ["k"]
    for file in (stage.root / ".rotifer").iterdir():
        assert b"printed" not in file.read_bytes()


RUN_GENE = """
    import sys
    from rotifer_console.runs import run_gene
    output = run_gene("gene", 21, project=sys.argv[1], timeout_s=30).output
    with open(sys.argv[2], "w") as file:
        file.write(repr(output))
"""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_channel_never_takes_the_number_of_a_closed_stream(stage: Any, closed: str) -> None:
    """HST-3: the gene's own streams would replace it. No store is open here to take those numbers first."""
    stage.add_gene("def express(input, ctx):\n    print('printed')\n    return input * 2")
    told = stage.root / "told"
    words = [sys.executable, "-c", dedent(RUN_GENE), str(stage.root), str(told)]
    subprocess.run(["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *words], check=True, timeout=60)
    assert told.read_text() == "42"


def test_a_gene_reads_nothing_of_the_programs_stdin(stage: Any) -> None:
    """HST-4."""
    stage.add_gene("import sys\ndef express(input, ctx): return sys.stdin.read()")
    told = stage.root / "told"
    words = [sys.executable, "-c", dedent(RUN_GENE), stage.root, told]
    subprocess.run(words, input=b"not for genes", check=True, timeout=60)
    assert told.read_text() == "''"


def test_a_folder_of_an_odd_name_holds_a_gene(tmp_path: Path, stage: Any) -> None:
    """HST-3: a path is bytes to the system, and not always text."""
    odd = os.fsencode(tmp_path) + b"/od\xffd 'name'\n"
    folder = Path(os.fsdecode(odd)) / "gene"
    try:
        folder.mkdir(parents=True)
    except OSError:
        pytest.skip("this file system takes no such name")
    (folder / "phenotype.json").write_text(
        json.dumps({"domain": "dates", "inputSchema": {}, "outputSchema": {}, "version": "1"})
    )
    (folder / "index.py").write_text("def express(input, ctx):\n    raise ValueError('here')")
    child = GeneChild(python_command(read_gene_folder(folder)), NoMemory())
    with child, pytest.raises(GeneFailed, match=r"^ValueError: here \(index\.py, line 2\)$"):
        child.run(None, 30)
