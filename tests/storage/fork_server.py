"""Runs functions in processes of their own, cheaply: a server that has imported everything forks for each.

    python fork_server.py MODULE ...

speaks JSON lines: `{"start": "module:function", "arguments": [...]}` forks and answers with the child's pid,
`{"wait": pid}` answers with how it ended. `ForkServer` is the other end. Arguments and results are JSON.
A server can be started without root's capabilities, so that file modes hold for its children.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parents[1]
WITHOUT_CAPABILITIES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


class Answer(NamedTuple):
    """How a child ended: the signal that killed it, else what its function returned or the traceback."""

    signal: int
    result: object
    trouble: str | None


class ForkServer:
    """The server, for the tests: `run` waits for the child, `start` and `wait` let several go on at once."""

    def __init__(self, *modules, prefix=()):
        self._process = subprocess.Popen(
            [*prefix, sys.executable, str(Path(__file__)), *modules],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(_python_path())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def start(self, function, *arguments):
        """The pid of a child that runs a module's function."""
        name = f"{function.__module__}:{function.__qualname__}"
        return self._ask({"start": name, "arguments": [_plain(argument) for argument in arguments]})

    def wait(self, pid):
        """The answer of a started child."""
        return Answer(*self._ask({"wait": pid}))

    def run(self, function, *arguments):
        """The answer of a child that runs the function to its end, whatever that is."""
        return self.wait(self.start(function, *arguments))

    def call(self, function, *arguments):
        """The function's result; its failure fails the test with the child's own traceback."""
        answer = self.run(function, *arguments)
        assert (answer.signal, answer.trouble) == (0, None), f"signal {answer.signal}\n{answer.trouble}"
        return answer.result

    def close(self):
        """Ends the server and with it every child."""
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def _ask(self, question):
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the fork server has died"
        return json.loads(answer)


def why_modes_do_not_bite():
    """None where a server with `modes_prefix()` is bound by file modes; else why it cannot be had."""
    if os.geteuid() != 0:
        return None
    if shutil.which("setpriv") is None:
        return "setpriv is missing, and root writes into read-only files"
    tried = subprocess.run([*WITHOUT_CAPABILITIES, "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"setpriv cannot drop capabilities: {tried.stderr.strip()}"


def modes_prefix():
    """What a command must begin with so that file modes hold for it: nothing, except for root."""
    return WITHOUT_CAPABILITIES if os.geteuid() == 0 else ()


def _python_path():
    inherited = os.environ.get("PYTHONPATH", "")
    return [*(part for part in inherited.split(os.pathsep) if part), str(TESTS)]


def _plain(argument):
    return str(argument) if isinstance(argument, Path) else argument


def _serve():
    answers = sys.stdout.buffer
    running = {}
    for line in sys.stdin.buffer:
        question = json.loads(line)
        if "start" in question:
            pid, reader = _fork(question)
            running[pid] = reader
            answer = pid
        else:
            answer = _collect(question["wait"], running.pop(question["wait"]))
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _fork(question):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        os.close(reader)
        os.dup2(2, 1)  # what a child prints must not mix with the server's answers
        ended = _answer_of(question)
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(json.dumps(ended).encode())
    finally:
        os._exit(0)


def _answer_of(question):
    module, _, name = question["start"].partition(":")
    try:
        result = getattr(import_module(module), name)(*question["arguments"])
    except BaseException:
        return [0, None, traceback.format_exc()]
    return [0, result, None]


def _collect(pid, reader):
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return [os.WTERMSIG(status), None, None]
    return json.loads(told)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        import_module(name)
    _serve()
