"""Pointers, numbers and texts between a module and its host: all of it arithmetic and tables."""

from __future__ import annotations

import json

import pytest

from rotifer_console.hosts import wasm_abi
from rotifer_console.hosts.wasm_abi import (
    EXPRESS_SIGNATURES,
    NUMBER_OF,
    RUN_LIMITS,
    WHY_TRAPPED,
    error_body,
    has_too_many_links,
    unpacked,
    unsigned,
    up_to_nul,
    why_trapped,
)
from rotifer_store import ErrorCode, MemoryNotFound


@pytest.mark.parametrize(
    ("signed", "meant"),
    [(0, 0), (1, 1), (-1, 0xFFFFFFFF), (-(2**31), 0x80000000), (2**31 - 1, 0x7FFFFFFF), (-16, 0xFFFFFFF0)],
)
def test_a_number_of_32_bits_has_no_sign(signed: int, meant: int) -> None:
    """HST-7."""
    assert unsigned(signed) == meant


@pytest.mark.parametrize(
    ("result", "range_"),
    [
        ((1 << 32) | 2, (1, 2)),
        (-1, (0xFFFFFFFF, 0xFFFFFFFF)),
        ((-(2**31) << 32) | 5, (0x80000000, 5)),
        (0xFFFFFFFF, (0, 0xFFFFFFFF)),
        (0, (0, 0)),
    ],
)
def test_a_packed_result_is_a_pointer_and_a_length_whatever_its_sign(
    result: int, range_: tuple[int, int]
) -> None:
    """HST-6."""
    assert unpacked(result) == range_


def test_every_code_has_the_number_of_the_rules() -> None:
    """ERR."""
    assert NUMBER_OF == {
        "MEMORY_NOT_FOUND": -12,
        "MEMORY_ACCESS_DENIED": -2,
        "MEMORY_QUOTA_EXCEEDED": -8,
        "MEMORY_INVALID_INPUT": -10,
        "MEMORY_STORAGE_ERROR": -13,
    }
    assert set(NUMBER_OF) == set(ErrorCode)
    assert {wasm_abi.TOO_SMALL, wasm_abi.SPENT}.isdisjoint(NUMBER_OF.values())


def test_the_limits_of_a_run_are_those_of_the_rules() -> None:
    """HST-8."""
    values = {row.constant: row.value for row in RUN_LIMITS}
    assert values.items() >= {
        ("MAX_MEMORY_BYTES", 256 * 1024 * 1024),
        ("MAX_FUEL", 5 * 10**10),
        ("MAX_HOST_CALLS", 100_000),
        ("MAX_STACK_BYTES", 512 * 1024),
    }
    assert all(getattr(wasm_abi, row.constant) == row.value for row in RUN_LIMITS)


def test_the_two_forms_of_express_differ_in_their_result_alone() -> None:
    """HST-6."""
    (parameters, result), (others_parameters, others_result) = EXPRESS_SIGNATURES
    assert parameters == others_parameters == "ii"
    assert {result, others_result} == {"i", "I"}


def test_an_errors_body_has_one_member_with_code_and_message() -> None:
    """HST-7."""
    body = json.loads(error_body(MemoryNotFound("there is none, café")))
    assert body == {"__rotifer_error": {"code": "MEMORY_NOT_FOUND", "message": "there is none, café"}}


@pytest.mark.parametrize(
    ("content", "found"), [(b"null\0rest", b"null"), (b"\0", b""), (b"", None), (b"no end", None)]
)
def test_a_text_ends_at_its_first_nul(content: bytes, found: bytes | None) -> None:
    """HST-6."""
    assert up_to_nul(content) == found


def vector(section: int, count: int, *, size: int = 1000) -> bytes:
    """A section of so many entries, whose content is not looked at; sizes in four bytes."""
    head = bytes([count & 0x7F | 0x80, count >> 7 & 0x7F | 0x80, count >> 14 & 0x7F])
    sizes = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, 0])
    return bytes([section]) + sizes + head + bytes(size - len(head))


MODULE = b"\0asm\1\0\0\0"


@pytest.mark.parametrize(
    ("sections", "is_too_many"),
    [
        pytest.param([], False, id="none"),
        pytest.param([vector(2, 1000), vector(7, 1000)], False, id="as many as there may be"),
        pytest.param([vector(2, 1001)], True, id="an import too many"),
        pytest.param([vector(0, 9), vector(1, 5000), vector(7, 1001)], True, id="an export too many"),
        pytest.param([vector(3, 100_000), vector(11, 100_000)], False, id="functions and data"),
        pytest.param([vector(7, 1001)[:7]], False, id="torn"),
        pytest.param([vector(7, 5)[:6]], False, id="torn in a number"),
        pytest.param([b"\2\xff\xff\xff\xff\xff\xff"], False, id="a number without end"),
        pytest.param([b"\0\0"] * 1001, True, id="sections without end"),
    ],
)
def test_a_module_of_too_many_imports_or_exports_is_known_by_its_heads(
    sections: list[bytes], is_too_many: bool
) -> None:
    """HST-8: nothing in it is read for that, and nothing compiled."""
    assert has_too_many_links(MODULE + b"".join(sections)) is is_too_many


def test_every_way_to_trap_has_a_sentence() -> None:
    """CLI-2: one line that says what happened."""
    assert why_trapped(None) == "it trapped"
    assert why_trapped("NULL_REFERENCE") == "it trapped: null reference"
    for code, sentence in WHY_TRAPPED.items():
        assert why_trapped(code) == sentence
        assert sentence.startswith("it")
