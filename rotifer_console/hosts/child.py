"""Genes in processes of their own, whatever they are written in (HST-3, HST-4).

One process serves one gene of one agent. Who that is stands here, in the memory that the process is given,
and is read from no frame: a gene can forge whatever its runner could send and gains nothing by it. Frames:

    to the process                            from the process
    {run, input}                              {run, call, request}    a memory call
    {run, ok}  or  {run, error: {code,        {run, done}             its output
                                 message}}    {run, fail: {code, message}}

`run` is a random id, new for each run. A frame with another one, or of any other form, ends the process: what
it was about to do is not guessed at. The store is whole whenever that happens, since each call is a change of
its own (RUN-4).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.channel import (
    MAX_FRAME_BYTES,
    MEMORY_CALLS,
    Channel,
    ChannelClosed,
    ProtocolBroken,
    decode_members,
    encode_json,
)
from rotifer_console.hosts.descent import end_with_descendants
from rotifer_console.hosts.memory import Memory
from rotifer_console.hosts.prints import Prints
from rotifer_console.hosts.values import decode_output, encode_input, has_too_many_parts, require_shallow
from rotifer_console.hosts.watch import Watch
from rotifer_store import AgentMemoryError, ErrorCode
from rotifer_store.errors import memory_error

Command = Callable[[int], Sequence[str]]
"""The words that start a runner, given the number of the descriptor that its channel has in the process."""

DEFAULT_TIMEOUT_S: Final = 60.0
MAX_TIMEOUT_S: Final = 365 * 86_400.0

_KEPT_VARIABLES: Final = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
_FIRST_FREE_DESCRIPTOR: Final = 3
_LEASH: Final = ("/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$1"', "sh")
"""Waits until this process is gone, however it went, and then ends a gene's process group."""

_REQUEST: Final = b'"request":'
_LONGEST_HEAD_BYTES: Final = 100

_ENDING_S: Final = 1.0
"""How long the system may take to end what was killed, or a process that closed its channel to be gone."""


class GeneChild:
    """A gene's process: started by its first run, kept for the next one, ended by `close` or by its gene.

    The whole process group ends with it, and what else descends from it. Not for use by several threads at
    once.
    """

    def __init__(self, command: Command, memory: Memory) -> None:
        self._command = command
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._leash: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._watch: Watch | None = None
        self._prints: Prints | None = None
        self._is_late = False

    def __enter__(self) -> GeneChild:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, input_value: Any, timeout_s: float) -> Any:
        """The gene's output for an input, both plain JSON values.

        Raises:
            GeneFailed: it raised, gave no JSON, did not settle in time, or its process ended or broke the
                protocol. The cause is the memory error that the gene let through, if it did.
        """
        run = secrets.token_hex(16)
        order = b'{"run":"%s","input":%s}' % (run.encode(), encode_input(input_value))
        if len(order) > MAX_FRAME_BYTES:
            raise GeneFailed(f"its input is larger than {MAX_FRAME_BYTES} bytes")
        channel = self._channel if self._channel is not None else self._start()
        self._is_late = False
        # Its own thread: this one may be waiting for the store's lock, which the gene itself could hold.
        watch = self._watch
        assert watch is not None
        watch.begin(timeout_s)
        try:
            channel.send(order)
            answer = self._serve(channel, run)
        except ProtocolBroken as error:
            self.close()
            raise GeneFailed(f"its process was ended, because it sent {error}") from None
        except ChannelClosed:
            answer = None
        except BaseException:
            self.close()
            raise
        finally:
            watch.rest()
        if self._is_late:
            self.close()
            raise GeneFailed(f"express did not settle within {timeout_s:g} s and was ended")
        if answer is None:
            raise GeneFailed(self._close_ended())
        if "fail" in answer:
            raise _failure(answer["fail"])
        return answer["done"]

    def close(self) -> None:
        """Ends the process and all of its group; the next run starts a new one."""
        process, channel, watch = self._process, self._channel, self._watch
        self._process = self._channel = self._watch = None
        if process is None:
            return
        if watch is not None:
            watch.close()
        end_with_descendants(process)
        if channel is not None:
            channel.close()
        self._release_leash()  # before the group's number may be another's
        with contextlib.suppress(subprocess.TimeoutExpired):  # the system holds it: it will go when let go
            process.wait(_ENDING_S)
        if self._prints is not None:
            self._prints.wait()

    def _start(self) -> Channel:
        ours, theirs = (_above_standard_streams(end) for end in socket.socketpair())
        with theirs, Prints() as prints:
            try:
                process = subprocess.Popen(  # noqa: S603 -- our own runner
                    self._command(theirs.fileno()),
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=prints.descriptor,
                    stderr=prints.descriptor,
                    env=clean_environment(),
                    start_new_session=True,  # a group of its own, and no terminal to write to
                )
            except OSError as error:
                ours.close()
                raise GeneFailed(f"its process could not be started ({error.strerror})") from error
        self._process = process
        self._leash = _start_leash(process)
        self._prints = prints
        self._channel = Channel(ours, lambda: process.poll() is None)
        self._watch = Watch(self._end_late)
        return self._channel

    def _release_leash(self) -> None:
        leash, self._leash = self._leash, None
        if leash is not None:
            with leash:  # which closes its stdin, once it can read no more
                leash.kill()

    def _serve(self, channel: Channel, run: str) -> dict[str, Any]:
        """The frame that ends the run; until then, every call is answered from this child's memory."""
        heads = {
            b'{"run":"%s","call":"%s",%s' % (run.encode(), call.encode(), _REQUEST): call
            for call in MEMORY_CALLS
        }
        answer_head = b'{"run":"%s","ok":' % run.encode()
        done_head = b'{"run":"%s","done":' % run.encode()
        while True:
            content = channel.receive()
            if content.startswith(done_head) and content.endswith(b"}"):
                return {"done": decode_output(content[len(done_head) : -1])}
            # A call as every runner spells it is not parsed here: `call_json` takes nothing but one object.
            start = content.find(_REQUEST, 0, _LONGEST_HEAD_BYTES) + len(_REQUEST)
            call, request = heads.get(content[:start]), content[start:-1]
            if call is None or not request or not content.endswith(b"}"):
                frame = _checked_frame(content, run)
                if "call" not in frame:
                    require_shallow(frame.get("done"))
                    return frame
                call, request = frame["call"], _encoded_again(frame["request"])
            try:
                response = self._memory.call_json(call, request)
            except AgentMemoryError as error:
                if not has_too_many_parts(content):  # a key of brackets is no breach, and is refused
                    _checked_frame(content, run)
                refusal = {"code": str(error.code), "message": str(error)}
                channel.send(encode_json({"run": run, "error": refusal}))
            else:
                channel.send(b"%s%s}" % (answer_head, response))

    def _end_late(self) -> None:
        self._is_late = True
        process, channel = self._process, self._channel
        if process is not None and channel is not None:
            end_with_descendants(process)
            channel.shut()

    def _close_ended(self) -> str:
        """How a process ended that closed its channel in the middle of a run."""
        process = self._process
        assert process is not None
        try:
            status = process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self.close()
            return "its process was ended, because it closed the channel to its memory"
        self.close()
        if status < 0:
            return f"its process was ended by {_signal_name(-status)}"
        return f"its process exited with status {status} before express settled"


def _above_standard_streams(end: socket.socket) -> socket.socket:
    """The same socket under a number that no stream of the process will take: ours may have been closed."""
    with end:
        descriptor = fcntl.fcntl(end.fileno(), fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE_DESCRIPTOR)
    return socket.socket(fileno=descriptor)


def _start_leash(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes] | None:
    """None where the system starts no more: then the gene ends at its next call, or when its channel does."""
    try:
        return subprocess.Popen(  # noqa: S603 -- fixed words and a number
            (*_LEASH, str(process.pid)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,  # what ends our group need not end this one
        )
    except OSError:
        return None


def clean_environment() -> dict[str, str]:
    """What a gene's process finds of ours: no secret, nothing that steers its interpreter (HST-4)."""
    return {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}


def _checked_frame(content: bytes, run: str) -> dict[str, Any]:
    """The members of a frame of that run.

    Raises:
        ProtocolBroken: it is none, or none that a runner sends.
    """
    if has_too_many_parts(content):
        raise ProtocolBroken("a frame that would be long to read")
    frame = decode_members(content)
    if frame.get("run") != run:
        raise ProtocolBroken("a frame of another run")
    members = frame.keys() - {"run"}
    is_call = members == {"call", "request"} and frame["call"] in MEMORY_CALLS
    if is_call or members == {"done"} or (members == {"fail"} and _is_failure(frame["fail"])):
        return frame
    raise ProtocolBroken("a frame that no runner sends")


def _encoded_again(request: object) -> bytes:
    try:
        return encode_json(request)
    except RecursionError:  # what can be read just so cannot always be written
        raise ProtocolBroken("a frame that nests too deep") from None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"


def _is_failure(told: object) -> bool:
    return (
        isinstance(told, dict)
        and told.keys() == {"code", "message"}
        and isinstance(told["message"], str)
        and (told["code"] is None or told["code"] in list(ErrorCode))
    )


def _failure(told: Mapping[str, Any]) -> GeneFailed:
    failure = GeneFailed(told["message"])
    if told["code"] is not None:
        failure.__cause__ = memory_error(ErrorCode(told["code"]), told["message"])
    return failure
