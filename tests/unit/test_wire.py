"""JSON requests and responses: what is let in, and that nothing lenient is."""

from __future__ import annotations

import base64
import json

import pytest

from rotifer_store import UNSET, MemoryInvalidInput, wire
from rotifer_store.wire import (
    decode_value,
    encode_response,
    parse_request,
    parse_strict_object,
    take_members,
)

DEEP = 200_000


@pytest.mark.parametrize(
    ("request_bytes", "members"),
    [
        (b"", {}),
        (b"{}", {}),
        (b" {\n} \t\r\n", {}),
        (b'{"key":"a"}', {"key": "a"}),
        ('{"key":"é😀"}'.encode(), {"key": "é😀"}),
        (b'{"key":"\\u00e9\\ud83d\\ude00"}', {"key": "é😀"}),
        (b'{"a":null,"b":1.0,"c":[true],"d":{"a":1}}', {"a": None, "b": 1.0, "c": [True], "d": {"a": 1}}),
        (b'{"a":{"x":1},"b":{"x":1}}', {"a": {"x": 1}, "b": {"x": 1}}),
    ],
)
def test_a_request_is_one_object(request_bytes: bytes, members: dict[str, object]) -> None:
    """HST-5: an empty request has no members."""
    assert parse_request(request_bytes) == members


NOT_ONE_OBJECT = {
    "an array": b"[]",
    "a text": b'"key"',
    "a number": b"1",
    "null": b"null",
    "blank": b" ",
    "two objects": b"{}{}",
    "something after": b"{} x",
    "cut short": b'{"key":"a"',
    "single quotes": b"{'key':'a'}",
    "a trailing comma": b'{"key":"a",}',
    "a comment": b'{/* */"key":"a"}',
    "a bare member": b'{key:"a"}',
    "a raw newline in a text": b'{"key":"a\nb"}',
    "NaN": b'{"limit":NaN}',
    "Infinity": b'{"limit":Infinity}',
    "-Infinity": b'{"limit":-Infinity}',
    "a NaN inside": b'{"filter":[{"x":NaN}]}',
    "a member twice": b'{"key":"a","key":"a"}',
    "a member twice, once escaped": b'{"key":"a","\\u006bey":"b"}',
    "a member twice inside": b'{"accessPolicy":{"readScope":1,"readScope":1}}',
    "a member twice in a list": b'{"a":[{"x":1,"x":2}]}',
    "a byte order mark": b'\xef\xbb\xbf{"key":"a"}',
    "UTF-16": '{"key":"a"}'.encode("utf-16"),
    "Latin-1": '{"key":"é"}'.encode("latin-1"),
    "an overlong form": b'{"key":"\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"key":"\xed\xa0\x80"}',
    "a lonely continuation byte": b'{"key":"\x80"}',
    "a cut character": b'{"key":"\xe2\x82"}',
    "a number of 5000 digits": b'{"limit":' + b"9" * 5000 + b"}",
    "deep arrays": b'{"key":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep objects": b'{"key":' * DEEP + b"1" + b"}" * DEEP,
    "deep and cut": b"[" * DEEP,
}


@pytest.mark.parametrize("text", NOT_ONE_OBJECT.values(), ids=NOT_ONE_OBJECT)
def test_anything_else_is_invalid(text: bytes) -> None:
    """HST-5, HST-7, AGT-6: never another exception, however hostile."""
    with pytest.raises(MemoryInvalidInput, match=r"^the request "):
        parse_request(text)
    with pytest.raises(MemoryInvalidInput, match=r"^line 7 "):
        parse_strict_object(text, "line 7")


def test_only_a_request_may_be_empty() -> None:
    """HST-5, AGT-6."""
    with pytest.raises(MemoryInvalidInput):
        parse_strict_object(b"", "the text")


def test_a_lone_surrogate_is_left_to_the_rules_of_its_member() -> None:
    """INP-1: JSON can spell it; no key can hold it, and a value is base64."""
    assert parse_request(b'{"key":"\\ud800"}') == {"key": "\ud800"}


def test_members_are_taken_in_the_calls_order() -> None:
    """HST-5, ACC-5: left out is not null."""
    members = {"category": None, "key": "a"}
    assert take_members(members, ("key",), ("category",)) == ["a", None]
    assert take_members({"key": "a"}, ("key",), ("category",)) == ["a", UNSET]
    assert take_members({}, (), ()) == []


@pytest.mark.parametrize(
    "members",
    [{}, {"category": "CACHE"}, {"key": "a", "extra": 1}, {"Key": "a"}, {"key": "a", "": 1}, {"extra": 1}],
    ids=str,
)
def test_a_missing_or_unknown_member_is_invalid(members: dict[str, object]) -> None:
    """HST-5."""
    with pytest.raises(MemoryInvalidInput):
        take_members(members, ("key",), ("category",))


@pytest.mark.parametrize(
    "value", [b"", b"\0", b"a", b"ab", b"abc", bytes(range(256)), b"\xff" * 1000], ids=len
)
def test_a_value_travels_as_padded_base64(value: bytes) -> None:
    """ENT-1."""
    assert decode_value(base64.b64encode(value).decode()) == value


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        b"YQ==",
        ["YQ=="],
        "YQ",
        "YQ=",
        "YQ===",
        "Y",
        "=",
        "====",
        "YQ==YQ==",
        "YQ==\n",
        " YQ==",
        "Y Q==",
        "-_8=",
        "YQ==\0",
        "ÿQ==",
        "\ud800",
        "YQ=a",
    ],
    ids=ascii,
)
def test_a_value_of_another_form_is_invalid(value: object) -> None:
    """ENT-1, HST-5."""
    with pytest.raises(MemoryInvalidInput):
        decode_value(value)


def test_a_response_is_compact_ascii() -> None:
    """HST-5."""
    response = {"key": 'é\u2028\ud800\n"', "n": [1, None, True, 1.5]}
    encoded = encode_response(response)
    assert encoded == b'{"key":"\\u00e9\\u2028\\ud800\\n\\"","n":[1,null,true,1.5]}'
    assert json.loads(encoded) == response
    assert encode_response(None) == b"null"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_response_is_json_or_nothing(number: float) -> None:
    """HST-5."""
    with pytest.raises(ValueError):
        encode_response([number])


MIB = 1_048_576
HEAVY = {
    "lists": b'{"key":[' + b"[]," * (3 * MIB),
    "objects": b'{"key":[' + b"{}," * (3 * MIB),
    "members": b"{" + b'"a":1,' * MIB,
    "members with escapes": b"{" + rb'"\u0061":1,' * MIB,
    "strings": b'["' + b'","' * (3 * MIB),
    "quotes": b'"' * (9 * MIB),
    "backslashes": b'{"k":' + b"\\" * (9 * MIB),
    "blanks": b" " * (9 * MIB) + b"{}",
}


@pytest.mark.parametrize("request_", HEAVY.values(), ids=HEAVY)
def test_a_request_that_would_keep_a_parser_busy_is_refused_unparsed(
    request_: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HST-4: a host that parses cannot hold a deadline."""
    monkeypatch.delattr(wire, "_decode")
    with pytest.raises(MemoryInvalidInput, match="not a JSON object"):
        wire.parse_request(request_)


@pytest.mark.parametrize(
    "members",
    [
        {"keyPrefix": "[{" * (4 * MIB)},
        {"keyPrefix": '\\"' * (4 * MIB)},
        {"key": "é" * MIB, "value": "A" * (4 * MIB)},
        {"keyPrefix": "[" * 70_000},
    ],
    ids=["many brackets in a string", "escapes in a string", "long strings", "brackets in a string"],
)
def test_a_long_string_makes_no_request_heavy(members: dict[str, str]) -> None:
    """INP-3: a prefix may be any text."""
    assert wire.parse_request(json.dumps(members).encode()) == members
