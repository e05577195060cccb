"""Genes that mean harm: whatever they do, time holds, nothing of them is left, and the store is whole.

The teardown of `stage` looks after each test: no process of the gene's group, a free lock, a sound store.
"""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

from rotifer_console import RunResult, run_agent
from rotifer_console.errors import GeneFailed
from rotifer_store import Gene

TIMEOUT_S = 1.0
SPARE_S = 2.0
PRELUDE = """
import asyncio, fcntl, json, os, signal, subprocess, sys, threading, time

def note(pid):
    with open(PIDS, "a") as file:
        file.write(f"{pid}\\n")

def sleeper(**settings):
    '''A process that would outlive the gene by far.'''
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **settings)
    note(started.pid)
    return started

def forked_sleeper():
    '''A fork, with all of the gene's descriptors.'''
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
        os._exit(0)
    note(pid)

def channel(ctx):
    runner = ctx.memory._runner
    return runner._descriptor, runner._run

def send(ctx, content, length=None):
    '''Past the runner, straight into the channel.'''
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    length = len(content) if length is None else length
    data = length.to_bytes(4, "big") + content
    while data:
        data = data[os.write(channel(ctx)[0], data):]

def express(input, ctx):
    global PIDS, LOCK
    PIDS, LOCK = input["pids"], input["lock"]
    note(os.getpid())
    return attack(input, ctx)
"""


class Attack(NamedTuple):
    """What a gene does, what the run's error then says, and whether the deadline is what ended it."""

    source: str
    says: str
    is_late: bool = False


TELLS_CHILDREN = Path("/proc/thread-self/children").exists()
LATE = f"express did not settle within {TIMEOUT_S:g} s and was ended"
BROKEN = "its process was ended, because it sent "
FORGED = "a frame that no runner sends"

ATTACKS = {
    # never coming to an end
    "an endless loop": Attack("while True: pass", LATE, True),
    "an endless sleep": Attack("time.sleep(600)", LATE, True),
    "an endless loop that no signal but one ends": Attack(
        """
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        while True: time.sleep(600)
        """,
        LATE,
        True,
    ),
    "a promise that never settles": Attack(
        """
        async def never():
            await asyncio.get_running_loop().create_future()
        return never()
        """,
        LATE,
        True,
    ),
    "a loop of caught errors": Attack(
        """
        while True:
            try:
                ctx.memory.delete_memory("none")
            except BaseException:
                pass
        """,
        LATE,
        True,
    ),
    "a thread that never ends while express waits for it": Attack(
        "threading.Thread(target=lambda: time.sleep(600)).start()\nthreading.Event().wait()", LATE, True
    ),
    "stopping itself": Attack("os.kill(os.getpid(), signal.SIGSTOP)", LATE, True),
    "holding the store's own lock and asking for what needs it": Attack(
        """
        descriptor = os.open(LOCK, os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        ctx.memory.delete_memory("none")
        """,
        LATE,
        True,
    ),
    "a program that it waits for": Attack("sleeper().wait()", LATE, True),
    "a program that keeps the channel, waited for": Attack("sleeper(close_fds=False).wait()", LATE, True),
    # leaving others behind
    "a fork that keeps the channel, and then its end": Attack(
        "forked_sleeper()\nos._exit(3)", "its process exited with status 3 before express settled"
    ),
    "many forks, and then its end": Attack(
        "for _ in range(20): forked_sleeper()\nos._exit(0)",
        "its process exited with status 0 before express settled",
    ),
    "a fork that keeps the channel, and an endless loop": Attack(
        "forked_sleeper()\nwhile True: pass", LATE, True
    ),
    "a fork that leaves the group and goes on calling": Attack(
        """
        pid = os.fork()
        if pid == 0:
            os.setsid()
            try:
                while True:
                    send(ctx, {"run": channel(ctx)[1], "call": "queryMemory", "request": {}})
                    os.read(channel(ctx)[0], 65536)
            finally:
                os._exit(0)
        note(pid)
        while True: time.sleep(600)
        """,
        LATE,
        True,
    ),
    **(
        {
            "a program that left the group, waited for": Attack(
                "sleeper(start_new_session=True).wait()", LATE, True
            ),
            "a program that left the group, started by another that did": Attack(
                """
            code = "import subprocess, sys, time; "
            code += "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
            code += " start_new_session=True); print(p.pid, flush=True); time.sleep(600)"
            outer = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=-1)
            note(outer.pid)
            note(int(outer.stdout.readline()))
            while True: time.sleep(600)
            """,
                LATE,
                True,
            ),
            "a thread's program that left the group": Attack(
                """
            thread = threading.Thread(target=lambda: sleeper(start_new_session=True).wait())
            thread.start()
            thread.join()
            """,
                LATE,
                True,
            ),
        }
        if TELLS_CHILDREN
        else {}
    ),
    # its own end
    "ending at once": Attack("os._exit(7)", "its process exited with status 7 before express settled"),
    "ending by a signal": Attack("os.kill(os.getpid(), signal.SIGSEGV)", "its process was ended by SIGSEGV"),
    "ending by a signal without a name": Attack(
        "os.kill(os.getpid(), 37)", "its process was ended by signal 37"
    ),
    "killing itself": Attack("os.kill(os.getpid(), signal.SIGKILL)", "its process was ended by SIGKILL"),
    "killing its group": Attack("os.killpg(0, signal.SIGKILL)", "its process was ended by SIGKILL"),
    "ending the program politely": Attack("sys.exit(4)", "it ended the program with sys.exit"),
    "ending it from a thread's point of view": Attack(
        "raise SystemExit", "it ended the program with sys.exit"
    ),
    # the channel
    "closing the channel and returning": Attack(
        "os.close(channel(ctx)[0])\nreturn 1", "its process exited with status 74 before express settled"
    ),
    "closing the channel and staying": Attack(
        "os.close(channel(ctx)[0])\ntime.sleep(600)",
        "its process was ended, because it closed the channel to its memory",
    ),
    "junk that is no JSON": Attack("send(ctx, b'{')", BROKEN + "a frame that is not JSON"),
    "an empty frame": Attack("send(ctx, b'')", BROKEN + "a frame that is not JSON"),
    "junk that is no text": Attack("send(ctx, b'\\xff\\xfe')", BROKEN + "a frame that is not JSON"),
    "NaN": Attack("send(ctx, b'{\"run\": NaN}')", BROKEN + "a frame that is not JSON"),
    "bottomless nesting": Attack("send(ctx, b'[' * 1000000)", BROKEN + "a frame that nests too deep"),
    "an endless number": Attack(
        "send(ctx, b'{\"run\": ' + b'9' * 100000 + b'}')", BROKEN + "a frame that is not JSON"
    ),
    "a list": Attack("send(ctx, [])", BROKEN + "a frame that is not a JSON object"),
    "an empty object": Attack("send(ctx, {})", BROKEN + "a frame of another run"),
    "a frame of no run": Attack("send(ctx, {'run': None, 'done': 1})", BROKEN + "a frame of another run"),
    "a frame of a run that it made up": Attack(
        "send(ctx, {'run': '0' * 32, 'done': 1})", BROKEN + "a frame of another run"
    ),
    "a call of a run that it made up": Attack(
        "send(ctx, {'run': '0' * 32, 'call': 'queryMemory', 'request': {}})",
        BROKEN + "a frame of another run",
    ),
    "a frame larger than any": Attack(
        "send(ctx, b'', length=16 * 1024 * 1024 + 1)", BROKEN + "a frame larger than 16777216 bytes"
    ),
    "a frame as large as a length can say": Attack(
        "send(ctx, b'', length=2**32 - 1)", BROKEN + "a frame larger than 16777216 bytes"
    ),
    "a frame that never becomes whole": Attack("send(ctx, b'{', length=100)\ntime.sleep(600)", LATE, True),
    "half a length and its end": Attack(
        "os.write(channel(ctx)[0], b'\\0\\0')\nos._exit(0)",
        "its process exited with status 0 before express settled",
    ),
    "a flood of junk": Attack("while True: send(ctx, b'x' * 65536)", BROKEN + "a frame that is not JSON"),
    "a flood of calls whose answers nobody reads": Attack(
        """
        while True:
            send(ctx, {"run": channel(ctx)[1], "call": "queryMemory", "request": {}})
        """,
        LATE,
        True,
    ),
    "a flood of one frame": Attack(
        "send(ctx, b'[' + b'1,' * (8 * 1024 * 1024 - 1), length=16 * 1024 * 1024)\ntime.sleep(600)",
        LATE,
        True,
    ),
    # forging
    "an answer to itself": Attack("send(ctx, {'run': channel(ctx)[1], 'ok': None})", BROKEN + FORGED),
    "a call that there is not": Attack(
        "send(ctx, {'run': channel(ctx)[1], 'call': 'call_json', 'request': {}})", BROKEN + FORGED
    ),
    "a call that is no name": Attack(
        "send(ctx, {'run': channel(ctx)[1], 'call': ['readMemory'], 'request': {}})", BROKEN + FORGED
    ),
    "a call whose frame ends otherwise": Attack(
        """
        head = '{"run":"%s","call":"queryMemory","request":' % channel(ctx)[1]
        send(ctx, head.encode() + b"{}x")
        """,
        BROKEN + "a frame that is not JSON",
    ),
    "a call without its request": Attack(
        """
        head = '{"run":"%s","call":"queryMemory","request":' % channel(ctx)[1]
        send(ctx, head.encode() + b"}")
        """,
        BROKEN + "a frame that is not JSON",
    ),
    "a call whose request is none": Attack(
        """
        head = '{"run":"%s","call":"writeMemory","request":' % channel(ctx)[1]
        send(ctx, head.encode() + b'{"key":"k","value":"","category":"CACHE"}}}')
        """,
        BROKEN + "a frame that is not JSON",
    ),
    "an identity, first": Attack(
        """
        frame = {"gene": "v2:" + "0" * 64, "run": channel(ctx)[1], "call": "queryMemory", "request": {}}
        send(ctx, json.dumps(frame, separators=(",", ":")).encode())
        """,
        BROKEN + FORGED,
    ),
    "an identity, last": Attack(
        """
        frame = {"run": channel(ctx)[1], "call": "queryMemory", "request": {}, "gene": "v2:" + "0" * 64}
        send(ctx, json.dumps(frame, separators=(",", ":")).encode())
        """,
        BROKEN + FORGED,
    ),
    "an identity": Attack(
        """
        send(ctx, {"run": channel(ctx)[1], "call": "queryMemory", "request": {}, "gene": "v2:" + "0" * 64,
                   "agent": "other", "domain": "weather"})
        """,
        BROKEN + FORGED,
    ),
    "a failure of another form": Attack("send(ctx, {'run': channel(ctx)[1], 'fail': 'x'})", BROKEN + FORGED),
    "a failure with a code that there is not": Attack(
        "send(ctx, {'run': channel(ctx)[1], 'fail': {'code': 'X', 'message': ''}})", BROKEN + FORGED
    ),
    "a failure whose code is no name": Attack(
        "send(ctx, {'run': channel(ctx)[1], 'fail': {'code': [], 'message': ''}})", BROKEN + FORGED
    ),
    "an output and a failure at once": Attack(
        "send(ctx, {'run': channel(ctx)[1], 'done': 1, 'fail': {'code': None, 'message': ''}})",
        BROKEN + FORGED,
    ),
    # size
    "an output larger than a frame": Attack(
        "return 'x' * (16 * 1024 * 1024)", "its output is larger than 16777216 bytes"
    ),
    "an output that nests without end": Attack(
        "deep = []\nfor _ in range(100000): deep = [deep]\nreturn deep",
        "its output nests deeper than 500 levels",
    ),
    "an output that nests one level too deep": Attack(
        "deep = []\nfor _ in range(500): deep = [deep]\nreturn deep",
        "its output nests deeper than 500 levels",
    ),
    "an output that holds itself": Attack(
        "deep = []\ndeep.append(deep)\nreturn deep", "its output is not JSON"
    ),
    "an output of lists alone": Attack(
        "return [[]] * 5_000_000", "its output has more than 1000000 lists and objects"
    ),
    "an output of lists alone, forged in another spelling": Attack(
        "send(ctx, b'{\"done\": [' + b'[],' * 5_000_000 + b'1]}')",
        BROKEN + "a frame that would be long to read",
    ),
    "an output that nests too deep, forged in another spelling": Attack(
        "send(ctx, {'done': json.loads('[' * 501 + ']' * 501), 'run': channel(ctx)[1]})",
        "its output nests deeper than 500 levels",
    ),
    "an output that no double holds": Attack(
        """
        send(ctx, b'{"run":"%s","done":1e999}' % channel(ctx)[1].encode())
        """,
        "its output is not JSON",
    ),
}


def gene_that(attack: str) -> str:
    body = "\n".join(f"    {line}" for line in dedent(attack).strip().splitlines())
    head = "def attack(input, ctx):\n    ctx.memory.write_memory('before', b'1', 'CONTEXT')"
    return f"{PRELUDE}\n{head}\n{body}\n"


def run(stage: Any, attack: str, timeout_s: float = TIMEOUT_S) -> RunResult:
    gene = Gene.from_folder(stage.add_gene(gene_that(attack)))
    stage.store.set_genome("main", [gene], {"type": "Single"})
    return run_agent(stage.store, "main", stage.input(), project=stage.root, timeout_s=timeout_s)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_ends_in_time_as_a_failed_run_that_says_why(attack: Attack, stage: Any) -> None:
    """HST-3, HST-4, RUN-4: and what the gene had written by then stays."""
    timeout_s = TIMEOUT_S if attack.is_late else 30
    start = time.monotonic()
    result = run(stage, attack.source, timeout_s)
    took_s = time.monotonic() - start
    assert result.failed_step is not None
    assert result.failed_step.error is not None
    assert (result.failed_step.error.code, result.failed_step.error.message) == ("GENE_FAILED", attack.says)
    assert result.output is None
    assert took_s < timeout_s + SPARE_S
    assert len(stage.noted_pids()) >= 1
    assert stage.processes_left() == []
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]
    stage.store.gene_memory("main", Gene("v2:" + "a" * 64, "dates")).write_memory("after", b"1", "CACHE")


@pytest.mark.parametrize(
    "attack",
    [
        "forked_sleeper()\nreturn 'done'",
        "for _ in range(20): forked_sleeper()\nreturn 'done'",
        "sleeper()\nreturn 'done'",
        "sleeper(close_fds=False)\nreturn 'done'",
        pytest.param(
            "sleeper(start_new_session=True)\nreturn 'done'",
            marks=pytest.mark.skipif(not TELLS_CHILDREN, reason="the system does not tell of children"),
        ),
        "threading.Thread(target=lambda: time.sleep(600)).start()\nreturn 'done'",
        "threading.Thread(target=lambda: time.sleep(600), daemon=True).start()\nreturn 'done'",
    ],
)
def test_what_a_gene_started_ends_with_the_run_that_ended_well(attack: str, stage: Any) -> None:
    """HST-4."""
    result = run(stage, attack, 30)
    assert result.output == "done"
    assert stage.processes_left() == []


@pytest.mark.parametrize("stream", ["sys.stdout", "sys.stderr"])
def test_megabytes_of_prints_hold_nothing_up(
    stream: str, stage: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    """HST-4: all of it goes to stderr."""
    result = run(stage, f"for _ in range(80): {stream}.write('x' * 65535 + '\\n')\nreturn 'done'", 30)
    assert result.output == "done"
    captured = capfd.readouterr()
    assert (captured.out, len(captured.err)) == ("", 80 * 65_536)


def test_prints_reach_stderr_before_the_gene_is_ended(stage: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """HST-4: what it said last is what one wants to read."""
    assert run(stage, "print('so far so good')\ntime.sleep(600)").failed_step is not None
    assert capfd.readouterr().err == "so far so good\n"


def test_a_forged_output_is_the_genes_own_output_and_its_next_run_fails(stage: Any) -> None:
    """HST-3: the real one, which comes after it, belongs to no run."""
    source = gene_that("send(ctx, {'run': channel(ctx)[1], 'done': 'forged'})\nreturn 'real'")
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) == "forged"
        with pytest.raises(GeneFailed, match="a frame of another run"):
            child.run(stage.input(), 30)
        assert child.run(stage.input(), 30) == "forged"  # in a new process
    assert len(set(stage.noted_pids())) >= 2


def test_frames_left_in_the_channel_between_runs_end_the_process(stage: Any) -> None:
    """HST-3: nothing is taken for the next run's."""
    source = gene_that(
        """
        run = channel(ctx)[1]
        def later():
            while channel(ctx)[1] is not None: time.sleep(0.001)
            send(ctx, {"run": run, "call": "deleteMemory", "request": {"key": "before"}})
            note(os.getpid())
        if not input.get("second"):
            threading.Thread(target=later).start()
        return "done"
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) == "done"
        while len(stage.noted_pids()) < 2:
            time.sleep(0.01)
        with pytest.raises(GeneFailed, match="a frame of another run"):
            child.run(stage.input(second=True), 30)
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]


KEPT = """
    kept = globals().setdefault("kept", ctx)
    if input.get("second"):
        try:
            kept.memory.write_memory("late", b"1", "CACHE")
        except Exception as error:
            return error.code
    return "first"
"""


def test_a_ctx_kept_for_a_later_run_is_refused(stage: Any) -> None:
    """HST-3: in the gene's process, and the run goes on."""
    with stage.child(gene_that(KEPT)) as child:
        assert child.run(stage.input(), 30) == "first"
        assert child.run(stage.input(second=True), 30) == "MEMORY_ACCESS_DENIED"
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]
    assert len(set(stage.noted_pids())) == 1


def test_a_kept_run_id_past_the_runner_is_refused_by_the_other_end(stage: Any) -> None:
    """HST-3: in this process too, which ends the gene's."""
    source = gene_that(
        """
        run = globals().setdefault("kept", channel(ctx)[1])
        if input.get("second"):
            send(ctx, {"run": run, "call": "deleteMemory", "request": {"key": "before"}})
            time.sleep(600)
        return "first"
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) == "first"
        with pytest.raises(GeneFailed, match="a frame of another run"):
            child.run(stage.input(second=True), 30)
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]


def test_a_thread_that_outlives_its_run_has_no_memory(stage: Any) -> None:
    """HST-3: nor can it disturb the run that follows."""
    source = gene_that(
        """
        found = globals().setdefault("found", [])
        def later():
            while len(found) < 20:
                try:
                    ctx.memory.query_memory()
                except Exception as error:
                    found.append(error.code)
        if input.get("second"):
            while len(found) < 20: ctx.memory.read_memory("before")
            return sorted(set(found))
        threading.Thread(target=later, daemon=True).start()
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) is None
        assert child.run(stage.input(second=True), 30) == ["MEMORY_ACCESS_DENIED"]


def test_threads_of_a_gene_may_call_side_by_side(stage: Any) -> None:
    """HST-3: a call and its answer stay together."""
    source = gene_that(
        """
        def work(number):
            for turn in range(20):
                key = f"{number}/{turn}"
                entry = ctx.memory.write_memory(key, key.encode(), "CACHE")
                wrong.append(entry.key) if entry.key != key else None
                found = ctx.memory.read_memory(key)
                wrong.append(key) if found.value != key.encode() else None
        wrong = []
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        return wrong
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 60) == []
    assert len(stage.store.list_memory("main")) == 161


def test_a_fork_that_returns_from_express_too_is_ended(stage: Any) -> None:
    """HST-3: one output for one run, and the process can be used again."""
    with stage.child(gene_that("pid = os.fork()\nnote(pid or os.getpid())\nreturn pid and 'done'")) as child:
        assert [child.run(stage.input(), 30) for _ in range(3)] == ["done"] * 3


def test_forged_members_of_a_call_give_it_no_other_identity(stage: Any) -> None:
    """HST-3, ENT-3: an unknown member is refused, and every entry has the creator of the channel."""
    source = gene_that(
        """
        descriptor, run = channel(ctx)
        request = {"key": "k", "value": "", "category": "CACHE", "createdBy": "v2:" + "0" * 64}
        send(ctx, {"run": run, "call": "writeMemory", "request": request})
        answer = json.loads(os.read(descriptor, 65536)[4:])
        ctx.memory.write_memory("own", b"1", "CACHE")
        return answer["error"]["code"]
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) == "MEMORY_INVALID_INPUT"
    own = Gene.from_folder(stage.root / "genes" / "gene").id
    assert {entry.key: entry.created_by for entry in stage.store.list_memory("main")} == {
        "before": own,
        "own": own,
    }


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("order", [("run", "call", "request"), ("request", "call", "run")])
def test_a_call_may_be_spelt_in_any_way_that_json_has(
    stage: Any, order: tuple[str, ...], separators: tuple[str, str]
) -> None:
    """HST-3: runners in other languages order and space their members as they like."""
    source = gene_that(
        f"""
        descriptor, run = channel(ctx)
        frame = {{"run": run, "call": "readMemory", "request": {{"key": "before"}}}}
        frame = {{name: frame[name] for name in {order!r}}}
        send(ctx, json.dumps(frame, separators={separators!r}).encode())
        return json.loads(os.read(descriptor, 65536)[4:])["ok"]["value"]
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) == "MQ=="


@pytest.mark.parametrize("order", ["run, call, request", "request, call, run"])
def test_nesting_at_the_edge_of_what_can_be_read_is_refused_or_ends_the_process(
    stage: Any, order: str
) -> None:
    """HST-3: reading, reading again and writing reach their limits at different depths."""
    source = gene_that(
        f"""
        descriptor, run = channel(ctx)
        request = "[" * input["depth"] + "]" * input["depth"]
        members = {{"run": f'"run":"{{run}}"', "call": '"call":"readMemory"'}}
        members["request"] = f'"request":{{request}}'
        send(ctx, ("{{" + ",".join(members[name] for name in {order!r}.split(", ")) + "}}").encode())
        return json.loads(os.read(descriptor, 65536)[4:])["error"]["code"]
        """
    )
    outcomes = set()
    with stage.child(source) as child:
        for depth in [10, *range(280, 1030, 15), 100_000]:
            try:
                outcomes.add(child.run(stage.input(depth=depth), 30))
            except GeneFailed as error:
                outcomes.add(str(error))
    assert outcomes == {"MEMORY_INVALID_INPUT", BROKEN + "a frame that nests too deep"}


def test_a_member_twice_in_a_request_is_refused(stage: Any) -> None:
    """HST-5: as everywhere."""
    source = gene_that(
        """
        descriptor, run = channel(ctx)
        head = '{"run":"%s","call":"deleteMemory","request":' % run
        send(ctx, head.encode() + b'{"key":"before","key":"before"}}')
        return json.loads(os.read(descriptor, 65536)[4:])["error"]["code"]
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 30) == "MEMORY_INVALID_INPUT"
    assert [entry.key for entry in stage.store.list_memory("main")] == ["before"]


def test_one_genes_process_serves_no_other(stage: Any) -> None:
    """HST-3: each has its own process, and its own id at the other end of it."""
    source = """
        import os
        def express(input, ctx):
            return [os.getpid(), ctx.memory.write_memory({!r}, b"", "CACHE").created_by]
    """
    with stage.child(source.format("a"), "one") as one, stage.child(source.format("b"), "two") as two:
        first, second = one.run(None, 30), two.run(None, 30)
        assert one.run(None, 30) == first
    ids = [Gene.from_folder(stage.root / "genes" / name).id for name in ("one", "two")]
    assert [first[1], second[1]] == ids
    assert first[0] != second[0]


def test_a_gene_that_failed_runs_again_in_the_same_process(stage: Any) -> None:
    """HST-3: an exception, sys.exit too, is no crash."""
    source = gene_that("if input.get('end'): sys.exit(1)\nreturn 'done'")
    with stage.child(source) as child:
        with pytest.raises(GeneFailed, match=r"sys\.exit"):
            child.run(stage.input(end=True), 30)
        assert child.run(stage.input(), 30) == "done"
    assert len(set(stage.noted_pids())) == 1


def test_a_gene_that_was_ended_runs_again_in_a_new_process(stage: Any) -> None:
    """HST-3."""
    source = gene_that("while input.get('loop'): pass\nreturn 'done'")
    with stage.child(source) as child:
        with pytest.raises(GeneFailed, match="did not settle"):
            child.run(stage.input(loop=True), TIMEOUT_S)
        assert child.run(stage.input(), 30) == "done"
    assert len(set(stage.noted_pids())) == 2


def test_arguments_beyond_any_frame_are_a_refusal_and_no_breach(stage: Any) -> None:
    """INP-1, INP-2: the same as from a program that embeds the store."""
    source = gene_that(
        """
        codes = []
        for call in (
            lambda: ctx.memory.write_memory("k", bytes(20_000_000), "CACHE"),
            lambda: ctx.memory.write_memory("k" * 20_000_000, b"", "CACHE"),
            lambda: ctx.memory.read_memory("k" * 20_000_000),
            lambda: ctx.memory.query_memory({"keyPrefix": 1, "x": "y" * 20_000_000}),
        ):
            try:
                call()
            except Exception as error:
                codes.append(error.code)
        return codes
        """
    )
    with stage.child(source) as child:
        assert child.run(stage.input(), 60) == ["MEMORY_INVALID_INPUT"] * 4


def test_an_input_beyond_any_frame_fails_before_anything_runs(stage: Any) -> None:
    """HST-3."""
    with stage.child(gene_that("return 1")) as child, pytest.raises(GeneFailed, match="input is larger"):
        child.run("x" * (16 * 1024 * 1024), 30)
    assert stage.noted_pids() == []
