"""Frames between this process and a gene's: four bytes of length, big-endian, then JSON in UTF-8 (HST-3).

Both ends import it, the child's too, which must start fast: nothing here loads a socket module.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import socket

MAX_FRAME_BYTES: Final = 16 * 1024 * 1024
"""No frame is larger: the largest answer, 1000 entries of 4 MiB in all, spelt in JSON, has room in it."""

MEMORY_CALLS: Final = ("readMemory", "writeMemory", "queryMemory", "deleteMemory")
"""What a gene's process may ask for, by the page's names."""

MAX_NESTING: Final = 500
"""How many levels of lists and objects an output may have: who reads or writes it goes as deep (HST-4)."""

TOO_DEEP: Final = f"its output nests deeper than {MAX_NESTING} levels"

LENGTH_BYTES: Final = 4
_CHUNK_BYTES: Final = 65_536
_LOOK_AFTER_S: Final = 0.1
"""How long to wait before looking whether the other process is alive: a grandchild may hold its end open."""


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number:  # which is 0 for every other, and costs less than a call
        raise ValueError("no double is that large")
    return number


# made once: each memory call takes six of them
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_decode = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite).decode


class ChannelClosed(Exception):
    """Nothing will come through the channel any more."""


class ProtocolBroken(Exception):
    """What came through the channel is nothing that a runner sends; says what it was, never what it held."""


def encode_json(value: Any) -> bytes:
    """Compact ASCII JSON of a plain value.

    Raises:
        TypeError, ValueError, RecursionError: it has none.
    """
    return _encode(value).encode("ascii")


def decode_json(content: bytes) -> Any:
    """The plain value that a text of JSON has, which `encode_json` could spell again.

    Raises:
        ValueError: it is not one JSON value in UTF-8.
        RecursionError: it nests too deep to be read here.
    """
    return _decode(content.decode("utf-8"))


def framed(content: bytes) -> bytes:
    """The content as it goes over the channel.

    Raises:
        ValueError: it is too large for a frame.
    """
    if len(content) > MAX_FRAME_BYTES:
        raise ValueError("too large for a frame")
    return len(content).to_bytes(LENGTH_BYTES, "big") + content


def decode_members(content: bytes) -> dict[str, Any]:
    """The members of a frame.

    Raises:
        ProtocolBroken: it is not one JSON object.
    """
    try:
        members = decode_json(content)
    except ValueError:
        raise ProtocolBroken("a frame that is not JSON") from None
    except RecursionError:
        raise ProtocolBroken("a frame that nests too deep") from None
    if not isinstance(members, dict):
        raise ProtocolBroken("a frame that is not a JSON object")
    return members


class Channel:
    """This process's end. It never waits longer than the other process lives, or than until `shut`."""

    def __init__(self, end: socket.socket, is_alive: Callable[[], bool]) -> None:
        end.settimeout(_LOOK_AFTER_S)
        self._end = end
        self._is_alive = is_alive
        self._received = bytearray()

    def send(self, content: bytes) -> None:
        """Sends one frame.

        Raises:
            ChannelClosed: the other end is gone.
            ValueError: the content is too large for a frame.
        """
        unsent = memoryview(framed(content))
        while unsent:
            try:
                unsent = unsent[self._end.send(unsent) :]
            except TimeoutError:
                self._require_life()
            except OSError as error:
                raise ChannelClosed from error

    def receive(self) -> bytes:
        """The content of the next frame.

        Raises:
            ChannelClosed: the other end is gone before the frame is whole.
            ProtocolBroken: the frame would be too large.
        """
        received = self._received
        while len(received) < LENGTH_BYTES:
            received += self._chunk(_CHUNK_BYTES)
        length = int.from_bytes(received[:LENGTH_BYTES], "big")
        if length > MAX_FRAME_BYTES:
            raise ProtocolBroken(f"a frame larger than {MAX_FRAME_BYTES} bytes")
        end = LENGTH_BYTES + length
        while len(received) < end:
            received += self._chunk(max(_CHUNK_BYTES, end - len(received)))
        content = bytes(received[LENGTH_BYTES:end])
        del received[:end]
        return content

    def shut(self) -> None:
        """Ends whatever another thread is waiting for here."""
        import socket

        try:
            self._end.shutdown(socket.SHUT_RDWR)
        except OSError:  # the other end is gone, and with it what could be waited for
            return

    def close(self) -> None:
        """Gives the descriptor back."""
        self._end.close()

    def _chunk(self, at_most_bytes: int) -> bytes:
        while True:
            try:
                chunk = self._end.recv(at_most_bytes)
            except TimeoutError:
                self._require_life()
            except OSError as error:
                raise ChannelClosed from error
            else:
                if not chunk:
                    raise ChannelClosed
                return chunk

    def _require_life(self) -> None:
        if not self._is_alive():
            raise ChannelClosed
