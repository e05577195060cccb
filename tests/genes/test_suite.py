"""Suites as data: what a case may say, and where a bad one is wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rotifer_console.genes.suite import Case, InvalidSuite, parse_suite, read_suite


def one(**members: Any) -> dict[str, Any]:
    return {"testCases": [{"input": 1, **members}]}


def test_a_case_says_what_it_says() -> None:
    """RUN-5: an expected output of null is one."""
    assert parse_suite(one()) == [Case(1)]
    assert parse_suite(one(expectedOutput=None)) == [Case(1, has_expected_output=True)]
    assert parse_suite(one(expectedSchema={}, timeout=1500, advanceSeconds=0.5)) == [
        Case(1, expected_schema={}, timeout_s=1.5, advance_s=0.5)
    ]
    assert parse_suite({"config": {"seed": 1}, **one()}) == [Case(1)]


@pytest.mark.parametrize(
    ("suite", "says"),
    [
        ([], "$ is not an object"),
        ({}, "$ lacks testCases"),
        ({"testCases": []}, "$.testCases is not a list with a case in it"),
        ({"testCases": {}}, "$.testCases is not a list with a case in it"),
        ({"testCases": [1]}, "$.testCases[0] is not an object"),
        ({**one(), "cases": 1}, "$.cases is unknown: the members are testCases, config"),
        ({"testCases": [{"input": 1}, {}]}, "$.testCases[1] lacks input"),
        (
            one(expected=1),
            "$.testCases[0].expected is unknown: the members are input, expectedOutput, expectedSchema, "
            "timeout, advanceSeconds",
        ),
        (one(expectedSchema=1), "$.testCases[0].expectedSchema: it is not an object"),
        (
            one(expectedSchema={"type": "x"}),
            "$.testCases[0].expectedSchema: it is no JSON Schema: `anyOf` does not hold at $.type",
        ),
        (one(timeout=0), "$.testCases[0].timeout is not above 0"),
        (one(timeout="1"), "$.testCases[0].timeout is not a number from 0 to 86400000"),
        (one(advanceSeconds=-1), "$.testCases[0].advanceSeconds is not a number from 0 to 10000000000"),
        (one(advanceSeconds=True), "$.testCases[0].advanceSeconds is not a number from 0 to 10000000000"),
        (one(advanceSeconds=10**11), "$.testCases[0].advanceSeconds is not a number from 0 to 10000000000"),
    ],
)
def test_what_is_no_suite_says_where(suite: Any, says: str) -> None:
    """RUN-5: nothing runs then."""
    with pytest.raises(InvalidSuite) as raised:
        parse_suite(suite)
    assert str(raised.value) == says


def test_the_cases_of_a_suite_move_the_clock_by_three_centuries_at_most() -> None:
    """RUN-5: no year has five digits."""
    far = {"input": 1, "advanceSeconds": 10**10 / 2}
    assert len(parse_suite({"testCases": [far, far]})) == 2
    with pytest.raises(InvalidSuite, match=r"^\$\.testCases advance the clock by more than 10000000000 "):
        parse_suite({"testCases": [far, far, {"input": 1, "advanceSeconds": 1}]})


def test_a_suite_is_a_plain_file(tmp_path: Path) -> None:
    """RUN-5: a pipe would be waited for, and a link may lead to what never ends."""
    suite = tmp_path / "testsuite.json"
    os.mkfifo(suite)
    with pytest.raises(InvalidSuite, match=r"^it is no plain file$"):
        read_suite(tmp_path)
    suite.unlink()
    suite.symlink_to("/dev/zero")
    with pytest.raises(InvalidSuite, match=r"^it is no plain file$"):
        read_suite(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"testCases": NaN}', b"[" * 100_000])
def test_a_file_that_is_not_json_is_no_suite(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "testsuite.json").write_bytes(content)
    with pytest.raises(InvalidSuite, match=r"^it is not JSON$"):
        read_suite(tmp_path)


def test_a_folder_without_one_has_none(tmp_path: Path) -> None:
    assert read_suite(tmp_path) is None
    (tmp_path / "testsuite.json").mkdir()
    with pytest.raises(InvalidSuite, match=r"^it cannot be read: is a directory$"):
        read_suite(tmp_path)
