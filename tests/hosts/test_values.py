"""Inputs and outputs of genes: what is JSON, and what would be long to read or hard to hand on."""

from __future__ import annotations

import contextlib
import time

import pytest

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.channel import MAX_FRAME_BYTES, MAX_NESTING
from rotifer_console.hosts.values import MAX_PARTS, decode_output, encode_input, require_shallow

SPARE_S = 2.0
NOT_JSON = "its output is not JSON"
TOO_DEEP = "its output nests deeper than 500 levels"
TOO_MANY = "its {} has more than 1000000 lists and objects"


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def named(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"null", None),
        (b' {"a": [1, 2.5, "\xc3\xa9"]}\n', {"a": [1, 2.5, "é"]}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b"true", True),
        (b'"\\ud800"', "\ud800"),
        (b"1e308", 1e308),
        (b"-0.0", 0.0),
        (nested(2), [[]]),
    ],
)
def test_an_output_is_any_json_value(content: bytes, value: object) -> None:
    """HST-6."""
    assert decode_output(content) == value


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", NOT_JSON, id="nothing"),
        pytest.param(b"hello", NOT_JSON, id="a word"),
        pytest.param(b"{} {}", NOT_JSON, id="two values"),
        pytest.param(b"NaN", NOT_JSON, id="NaN"),
        pytest.param(b"[Infinity]", NOT_JSON, id="infinity"),
        pytest.param(b"1e999", NOT_JSON, id="more than a double holds"),
        pytest.param(b"[-1e999]", NOT_JSON, id="less than a double holds"),
        pytest.param(b'"\xff"', NOT_JSON, id="no UTF-8"),
        pytest.param(b"\xef\xbb\xbf{}", NOT_JSON, id="a byte order mark"),
        pytest.param(b"9" * 5000, NOT_JSON, id="5000 digits"),
        pytest.param(nested(MAX_NESTING + 1), TOO_DEEP, id="a list too deep"),
        pytest.param(named(MAX_NESTING + 1), TOO_DEEP, id="an object too deep"),
        pytest.param(b"[" * 200_000, TOO_DEEP, id="200 000 brackets"),
        pytest.param(nested(200_000), TOO_DEEP, id="200 000 lists"),
        pytest.param(named(200_000), TOO_DEEP, id="200 000 objects"),
        pytest.param(b"[" + b"[]," * MAX_PARTS + b"1]", TOO_MANY.format("output"), id="a list too many"),
        pytest.param(b"[" + b"{}," * MAX_PARTS + b"1]", TOO_MANY.format("output"), id="an object too many"),
        pytest.param(
            b'"%s"' % (b"x" * MAX_FRAME_BYTES), "its output is larger than 16777216 bytes", id="too large"
        ),
    ],
)
def test_an_output_that_is_none_is_an_error_and_never_null(content: bytes, says: str) -> None:
    """HST-6."""
    with pytest.raises(GeneFailed) as failed:
        decode_output(content)
    assert str(failed.value) == says


def test_an_output_at_the_bounds_is_one() -> None:
    """HST-4."""
    assert len(decode_output(b"[" + b"[]," * (MAX_PARTS - 1) + b"1]")) == MAX_PARTS
    for content in (nested(MAX_NESTING), named(MAX_NESTING)):
        require_shallow(decode_output(content))


@pytest.mark.parametrize(
    "piece",
    [b"[],", b"{},", b"[[[[[]]]]],", b'{"a":1},', b"1,", b"1.5,", b"1e9,", b'"",', b'"[",'],
    ids=[
        "lists",
        "objects",
        "lists in lists",
        "members",
        "integers",
        "fractions",
        "powers",
        "texts",
        "brackets",
    ],
)
def test_the_largest_output_is_read_or_refused_within_a_deadlines_spare_time(piece: bytes) -> None:
    """HST-4: nothing can end the reading of a text, so none may be long to read, whatever it is made of."""
    content = b"[" + piece * ((MAX_FRAME_BYTES - 2) // len(piece))
    content = content[:-1] + b"]"
    began_s = time.thread_time()  # of this thread alone: other tests may be busy
    is_refused = content.count(b"[") + content.count(b"{") > MAX_PARTS
    with pytest.raises(GeneFailed, match=r"lists and objects$") if is_refused else contextlib.nullcontext():
        decode_output(content)
    assert time.thread_time() - began_s < SPARE_S


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), "its input is not JSON"),
        ({1, 2}, "its input is not JSON"),
        ("x" * MAX_FRAME_BYTES, "its input is larger than 16777216 bytes"),
        ([[]] * MAX_PARTS, TOO_MANY.format("input")),
    ],
    ids=["NaN", "a set", "too large", "too many lists"],
)
def test_an_input_has_the_same_bounds(value: object, says: str) -> None:
    """HST-4, RUN-2: it may be what another gene gave."""
    with pytest.raises(GeneFailed) as failed:
        encode_input(value)
    assert str(failed.value) == says
