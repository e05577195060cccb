"""Frames: whole ones out of pieces, and what is no frame."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from rotifer_console.hosts.channel import (
    MAX_FRAME_BYTES,
    Channel,
    ChannelClosed,
    ProtocolBroken,
    decode_members,
    encode_json,
    framed,
)


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    """Ours, and the other as the bare socket that a gene may do anything with."""
    ours, theirs = socket.socketpair()
    channel = Channel(ours, lambda: True)
    with closing(channel), theirs:
        yield channel, theirs


def test_a_frame_is_its_length_and_its_content(ends: tuple[Channel, socket.socket]) -> None:
    """HST-3: four bytes, big-endian."""
    channel, theirs = ends
    channel.send(b"{}")
    assert theirs.recv(100) == b"\0\0\0\2{}"
    theirs.sendall(b"\0\0\0\4true")
    assert channel.receive() == b"true"


def test_frames_are_whole_however_they_arrive(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    contents = [b"", b"1", b"x" * 70_000, b"last"]
    stream = b"".join(framed(content) for content in contents)

    def dribble() -> None:
        for at in (range(10), range(10, len(stream) - 3, 9000), range(len(stream) - 3, len(stream))):
            for start in at:
                theirs.sendall(stream[start : min(start + at.step, at.stop)])

    sender = threading.Thread(target=dribble)
    sender.start()
    assert [channel.receive() for _ in contents] == contents
    sender.join()


def test_a_frame_of_the_largest_size_passes_both_ways(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    content = b"x" * MAX_FRAME_BYTES
    other = Channel(theirs.dup(), lambda: True)
    sender = threading.Thread(target=channel.send, args=(content,))
    sender.start()
    assert other.receive() == content
    sender.join()
    other.close()


def test_a_larger_frame_is_not_sent(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    with pytest.raises(ValueError, match="too large"):
        channel.send(b"x" * (MAX_FRAME_BYTES + 1))
    channel.send(b"next")
    assert theirs.recv(100) == b"\0\0\0\4next"


def test_a_larger_frame_is_refused_before_it_is_read(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall((MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(ProtocolBroken, match=str(MAX_FRAME_BYTES)):
        channel.receive()


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\5", b"\0\0\0\5half"])
def test_an_end_in_the_middle_is_a_closed_channel(ends: tuple[Channel, socket.socket], sent: bytes) -> None:
    channel, theirs = ends
    theirs.sendall(sent)
    theirs.close()
    with pytest.raises(ChannelClosed):
        channel.receive()


def test_sending_to_nobody_is_a_closed_channel(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.close()
    with pytest.raises(ChannelClosed):
        channel.send(b"{}")


WAITS: dict[str, Callable[[Channel], object]] = {
    "receive": Channel.receive,
    "send": lambda channel: channel.send(b"x" * MAX_FRAME_BYTES),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_nobody_waits_for_a_process_that_is_gone(wait: Callable[[Channel], object]) -> None:
    """HST-4: although something of it keeps the other end open."""
    ours, theirs = socket.socketpair()
    channel = Channel(ours, lambda: False)
    with closing(channel), theirs, pytest.raises(ChannelClosed):
        wait(channel)


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_another_thread_can_end_the_waiting(
    ends: tuple[Channel, socket.socket], wait: Callable[[Channel], object]
) -> None:
    """HST-4."""
    channel, _ = ends
    timer = threading.Timer(0.05, channel.shut)
    timer.start()
    with pytest.raises(ChannelClosed):
        wait(channel)
    timer.join()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"nul",
        b"NaN",
        b"[]",
        b"1",
        b'"text"',
        b'{"a": Infinity}',
        b"[" * 1_000_000,
        b"9" * 10_000,
    ],
)
def test_what_is_no_json_object_is_no_frame(content: bytes) -> None:
    """HST-3: and the message never quotes it."""
    with pytest.raises(ProtocolBroken) as raised:
        decode_members(content)
    whats = ("a frame that is not JSON", "a frame that nests too deep", "a frame that is not a JSON object")
    assert str(raised.value) in whats


@pytest.mark.parametrize("value", [None, {"a": [1, 2.5, "é\ud800\u2028"]}, "", 2**70])
def test_what_is_sent_is_ascii_and_reads_back(value: object) -> None:
    encoded = encode_json({"value": value})
    assert encoded.isascii()
    assert decode_members(encoded) == {"value": value} == json.loads(encoded)


@pytest.mark.parametrize(
    "value", [float("nan"), b"1", {1, 2}, object()], ids=["nan", "bytes", "set", "object"]
)
def test_what_has_no_json_form_is_an_error(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_json(value)
