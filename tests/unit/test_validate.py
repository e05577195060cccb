"""Untrusted arguments: what every form of them comes to, and that a refusal never repeats them."""

from __future__ import annotations

import traceback
import uuid
from collections import UserDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from rotifer_store import (
    UNSET,
    AccessPolicy,
    DataPolicy,
    InvalidAgent,
    MemoryCategory,
    MemoryFilter,
    MemoryInvalidInput,
    RetentionPolicy,
    Scope,
    SharePolicy,
)
from rotifer_store.model import Query
from rotifer_store.tables import CATEGORIES, STORED_CATEGORY
from rotifer_store.validate import (
    access_policy_of,
    agent_name,
    agent_uuid,
    bound_us,
    checked_gene_id,
    data_policy_of,
    key_size_bytes,
    query_of,
    quota_bytes,
    retention_policy_of,
    stored_category,
    whole_number,
    write_request,
)

HEX = "0123456789abcdef" * 4
NOT_TEXT = [None, 7, 1.5, True, b"k", bytearray(b"k"), ["k"], ("k",), {"k": 1}, range(1)]
ACCESS = {"readScope": "ALL_GENES", "writeScope": "SAME_DOMAIN", "sharePolicy": "PRIVATE"}
RETENTION = {"maxRetentionDays": 30, "autoDeleteOnTermination": True, "anonymizationSupported": False}


# The caller's v2 id


@pytest.mark.parametrize("gene_id", [f"v2:{HEX}", "v2:" + "0" * 64, "v2:" + "f" * 64])
def test_a_v2_id_is_kept(gene_id: str) -> None:
    """ACC-7."""
    assert checked_gene_id(gene_id) == gene_id


@pytest.mark.parametrize(
    "gene_id",
    [
        None,
        "",
        "v2:",
        HEX,
        f"v1:{HEX}",
        f"V2:{HEX}",
        f"v2:{HEX.upper()}",
        f"v2:{HEX[:-1]}",
        f"v2:{HEX}0",
        f"v2:{HEX[:-1]}g",
        f" v2:{HEX}",
        f"v2:{HEX}\n",
        "v2:" + "\uff11" * 64,
        7,
        f"v2:{HEX}".encode(),
        [f"v2:{HEX}"],
    ],
    ids=ascii,
)
def test_anything_else_is_no_v2_id(gene_id: object) -> None:
    """ACC-7."""
    assert checked_gene_id(gene_id) is None


# Keys, values, categories


@pytest.mark.parametrize(
    ("key", "size_bytes"),
    [
        ("a", 1),
        (" ", 1),
        ("formatter/indent", 16),
        ("\n\t\r\x01\x7f", 5),
        ("é", 2),
        ("e\u0301", 3),
        ("\u2028", 3),
        ("\ufeff", 3),
        ("\uffff", 3),
        ("😀", 4),
        ("\U0010ffff", 4),
        ("é" * 512, 1024),
        ("😀" * 256, 1024),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_a_key_is_measured_in_utf8(key: str, size_bytes: int) -> None:
    """INP-1."""
    assert key_size_bytes(key) == size_bytes


@pytest.mark.parametrize(
    "key",
    [*NOT_TEXT, "", "\0", "a\0b", "a\0", "\ud800", "a\udfff", "é" * 513, "😀" * 256 + "a"],
    ids=lambda value: ascii(value)[:24],
)
def test_what_no_entry_can_have_is_no_key(key: object) -> None:
    """INP-1."""
    with pytest.raises(MemoryInvalidInput):
        key_size_bytes(key)


@pytest.mark.parametrize("row", CATEGORIES, ids=lambda row: row.category)
def test_a_category_is_named_by_member_or_text(row: Any) -> None:
    """ENT-6."""
    assert stored_category(row.category) == stored_category(str(row.category)) == row.stored


@pytest.mark.parametrize(
    "category",
    [*NOT_TEXT, "", "cache", "Cache", " CACHE", "CACHE ", "CACHE\n", "CACHES", "MEMORY", "\uff23ACHE"],
    ids=ascii,
)
def test_a_category_is_never_guessed(category: object) -> None:
    """ENT-6."""
    with pytest.raises(MemoryInvalidInput):
        stored_category(category)


def test_a_write_is_taken_as_it_comes() -> None:
    """INP-1, INP-2, ACC-5: what is left out stays out."""
    request = write_request("é", b"1234", "PATTERN", UNSET, UNSET)
    assert request == ("é", b"1234", 6, STORED_CATEGORY["PATTERN"], UNSET, UNSET)


def test_a_write_with_policies_holds_them_checked() -> None:
    """ACC-1, POL-1."""
    request = write_request("k", b"", "CACHE", ACCESS, RETENTION)
    assert request.access == AccessPolicy(Scope.ALL_GENES, Scope.SAME_DOMAIN, SharePolicy.PRIVATE)
    assert request.retention == RetentionPolicy(30, True, False)
    assert write_request("k", b"", "CACHE", UNSET, None).retention is None


def test_a_value_is_copied_where_it_could_change() -> None:
    """INP-2."""
    value = bytearray(b"before")
    request = write_request("k", value, "CACHE", UNSET, UNSET)
    value[:] = b"after!"
    assert request.value == b"before"
    assert type(request.value) is bytes


@pytest.mark.parametrize("value", [None, "text", 7, True, [1, 2], memoryview(b"1")], ids=type)
def test_a_value_is_bytes(value: object) -> None:
    """INP-2."""
    with pytest.raises(MemoryInvalidInput):
        write_request("k", value, "CACHE", UNSET, UNSET)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("", "", "", None, 1), "key"),
        (("k", "", "", None, 1), "value"),
        (("k", b"", "", None, 1), "category"),
        (("k", b"", "CACHE", None, 1), "access policy"),
        (("k", b"", "CACHE", ACCESS, 1), "retention policy"),
    ],
)
def test_the_first_bad_argument_is_named(arguments: tuple[Any, ...], named: str) -> None:
    """INP: in the order of the arguments."""
    with pytest.raises(MemoryInvalidInput, match=named):
        write_request(*arguments)


# Policies


@pytest.mark.parametrize("read", Scope)
@pytest.mark.parametrize("write", Scope)
@pytest.mark.parametrize("share", SharePolicy)
def test_an_access_policy_may_name_any_scope(read: Scope, write: Scope, share: SharePolicy) -> None:
    """ACC-1, ACC-3: what is granted is decided later."""
    expected = AccessPolicy(read, write, share)
    given = {"readScope": str(read), "writeScope": str(write), "sharePolicy": str(share)}
    for policy in (expected, given, UserDict(given), MappingProxyType(given)):
        checked = access_policy_of(policy)
        assert checked == expected
        assert [type(member) for member in (checked.read_scope, checked.write_scope)] == [Scope, Scope]
    plain: Any = AccessPolicy(str(read), str(write), str(share))  # type: ignore[arg-type]
    assert access_policy_of(plain) == expected


@pytest.mark.parametrize(
    "policy",
    [
        None,
        {},
        [],
        "PRIVATE",
        list(ACCESS.items()),
        RetentionPolicy(None, False, False),
        *({name: value for name, value in ACCESS.items() if name != left_out} for left_out in ACCESS),
        {**ACCESS, "extra": 1},
        {**ACCESS, "read_scope": "ALL_GENES"},
        {"read_scope": "ALL_GENES", "write_scope": "ALL_GENES", "share_policy": "PRIVATE"},
        *({**ACCESS, name: bad} for name in ACCESS for bad in (None, "", "all_genes", 1, True, [], {}, b"x")),
        {**ACCESS, "sharePolicy": "ALL_GENES"},
        {**ACCESS, "readScope": "PRIVATE"},
        AccessPolicy("ANYBODY"),  # type: ignore[arg-type]
        AccessPolicy(share_policy=None),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_an_access_policy_has_exactly_its_members(policy: object) -> None:
    """ACC-1, ACC-10."""
    with pytest.raises(MemoryInvalidInput):
        access_policy_of(policy)


@pytest.mark.parametrize(
    ("given", "days"), [(None, None), (1, 1), (1.0, 1), (30, 30), (2_147_483_647.0, 2_147_483_647)]
)
def test_days_are_judged_by_their_value(given: object, days: int | None) -> None:
    """POL-1, POL-2: JSON and JavaScript cannot tell 1.0 from 1."""
    members = {**RETENTION, "maxRetentionDays": given}
    assert retention_policy_of(members) == RetentionPolicy(days, True, False)
    assert data_policy_of(members) == DataPolicy(days, True, False)
    assert retention_policy_of(RetentionPolicy(given, True, False)) == RetentionPolicy(  # type: ignore[arg-type]
        days, True, False
    )
    checked = data_policy_of(members).max_retention_days
    assert checked is None or type(checked) is int


BAD_RETENTION = [
    {},
    [],
    "",
    7,
    list(RETENTION.items()),
    *({name: value for name, value in RETENTION.items() if name != left_out} for left_out in RETENTION),
    {**RETENTION, "extra": None},
    {"max_retention_days": 1, "auto_delete_on_termination": True, "anonymization_supported": False},
    *(
        {**RETENTION, "maxRetentionDays": days}
        for days in (0, -1, 1.5, True, False, "1", [], {}, float("nan"), float("inf"), 1e300, 10**400)
    ),
    *(
        {**RETENTION, name: flag}
        for name in ("autoDeleteOnTermination", "anonymizationSupported")
        for flag in (None, 0, 1, 1.0, "true", [])
    ),
    RetentionPolicy(0, False, False),
    RetentionPolicy(None, 1, False),  # type: ignore[arg-type]
    AccessPolicy(),
]


@pytest.mark.parametrize("policy", BAD_RETENTION, ids=lambda policy: repr(policy)[:90])
@pytest.mark.parametrize("check", [retention_policy_of, data_policy_of])
def test_a_retention_policy_has_exactly_its_members(
    policy: object, check: Callable[[object], object]
) -> None:
    """POL-1, POL-2."""
    with pytest.raises(MemoryInvalidInput):
        check(policy)


def test_a_retention_policy_may_be_null_and_a_data_policy_may_not() -> None:
    """POL-1, POL-2."""
    assert retention_policy_of(None) is None
    with pytest.raises(MemoryInvalidInput):
        data_policy_of(None)


def test_either_policy_may_stand_for_the_other() -> None:
    """POL-2: the same three members."""
    assert data_policy_of(RetentionPolicy(3, True, True)) == DataPolicy(3, True, True)
    assert retention_policy_of(DataPolicy(3, True, True)) == RetentionPolicy(3, True, True)


# Whole numbers


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        (0, 0),
        (-3, -3),
        (1.0, 1),
        (-0.0, 0),
        (2.0**53, 2**53),
        (10**30, 10**30),
        (True, None),
        (False, None),
        (1.5, None),
        (float("nan"), None),
        (float("inf"), None),
        (float("-inf"), None),
        ("1", None),
        (None, None),
        (1 + 0j, None),
    ],
    ids=repr,
)
def test_a_whole_number_is_no_boolean(value: object, whole: int | None) -> None:
    """POL-1."""
    assert whole_number(value) == whole


# Filters


@pytest.mark.parametrize(
    ("filter", "query"),
    [
        (None, Query(None, None, None, None, 100)),
        ({}, Query(None, None, None, None, 100)),
        (MemoryFilter(), Query(None, None, None, None, 100)),
        ({"category": "CACHE"}, Query(0, None, None, None, 100)),
        (MemoryFilter(category=MemoryCategory.PREFERENCE), Query(3, None, None, None, 100)),
        ({"keyPrefix": ""}, Query(None, "", None, None, 100)),
        ({"keyPrefix": "%_*\0\n"}, Query(None, "%_*\0\n", None, None, 100)),
        (MemoryFilter(key_prefix="a"), Query(None, "a", None, None, 100)),
        ({"limit": 7.0}, Query(None, None, None, None, 7)),
        ({"since": "1970-01-01T00:00:01Z"}, Query(None, None, 1_000_000, None, 100)),
        ({"until": "1970-01-01T00:00:00.0000001Z"}, Query(None, None, None, 1, 100)),
        (
            MemoryFilter("PATTERN", "p", "1970-01-01T00:00:00Z", "1970-01-01T00:00:01+00:00", 1),
            Query(1, "p", 0, 1_000_000, 1),
        ),
        (UserDict({"limit": 5}), Query(None, None, None, None, 5)),
    ],
    ids=repr,
)
def test_a_filter_says_what_is_asked_for(filter: object, query: Query) -> None:
    """INP-3."""
    assert query_of(filter) == query


@pytest.mark.parametrize(
    "filter",
    [
        [],
        "",
        7,
        [("limit", 1)],
        {"key_prefix": "a"},
        {"Limit": 1},
        {"": 1},
        {1: 1},
        {"extra": None},
        *({name: None} for name in ("category", "keyPrefix", "since", "until", "limit")),
        {"category": "cache"},
        {"category": 0},
        {"keyPrefix": 7},
        {"keyPrefix": b"a"},
        {"keyPrefix": "a\ud800"},
        {"since": 0},
        {"since": "yesterday"},
        {"until": "2026-01-01 00:00:00Z"},
        *({"limit": limit} for limit in (-1, 1.5, True, "1", float("inf"), float("nan"), 10**30, [])),
        MemoryFilter(limit=0),
        MemoryFilter(category="cache"),
        MemoryFilter(key_prefix=b"a"),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_a_filter_of_another_form_is_refused(filter: object) -> None:
    """INP-3: a null member too, though None in a MemoryFilter means absent."""
    with pytest.raises(MemoryInvalidInput):
        query_of(filter)


@pytest.mark.parametrize(("text", "us"), [("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.0000001Z", 1)])
def test_a_bound_is_an_instant_rounded_up(text: str, us: int) -> None:
    """INP-3, INP-4."""
    assert bound_us(text, "since") == us


@pytest.mark.parametrize("bound", [*NOT_TEXT, "", "1970-01-01", "\ud800"], ids=ascii)
def test_a_bound_that_is_no_time_is_refused_by_name(bound: object) -> None:
    """INP-4."""
    with pytest.raises(MemoryInvalidInput, match=r"^until is not"):
        bound_us(bound, "until")


# Agents


@pytest.mark.parametrize("name", ["a", "0", "a-b", "a.b_c-d", "0a", "a__b", "a--b", "a._-b", "x" * 100])
def test_a_name_an_agent_can_have(name: str) -> None:
    """AGT-2."""
    assert agent_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *NOT_TEXT,
        *("", "A", "aB", "a b", ".a", "a.", "-a", "a-", "_a", "a_", "a..b", "a/b", "a\n", "\na", "a\0"),
        *("é", "а", "a\ud800b", "\uff41", "٣", "../a", "x" * 101),
    ],
    ids=ascii,
)
def test_a_name_no_agent_can_have(name: object) -> None:
    """AGT-2."""
    with pytest.raises(InvalidAgent):
        agent_name(name)


def test_an_agents_id_is_a_version_4_uuid() -> None:
    """AGT-2."""
    for agent_id in ("00000000-0000-4000-8000-000000000000", str(uuid.uuid4())):
        assert agent_uuid(agent_id) == agent_id


@pytest.mark.parametrize(
    "agent_id",
    [
        *NOT_TEXT,
        "",
        "main",
        str(uuid.NAMESPACE_DNS),
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-4000-c000-000000000000",
        "0000000000004000800000000000000a",
        "{00000000-0000-4000-8000-000000000000}",
        "urn:uuid:00000000-0000-4000-8000-000000000000",
        "0000000A-0000-4000-8000-000000000000",
        "00000000-0000-4000-8000-000000000000\n",
        uuid.UUID("00000000-0000-4000-8000-000000000000"),
    ],
    ids=repr,
)
def test_any_other_id_is_refused(agent_id: object) -> None:
    """AGT-2."""
    with pytest.raises(InvalidAgent):
        agent_uuid(agent_id)


@pytest.mark.parametrize(("quota", "size_bytes"), [(1, 1), (1024.0, 1024), (10_485_760, 10_485_760)])
def test_a_quota_is_whole_bytes(quota: object, size_bytes: int) -> None:
    """QUO-2."""
    assert quota_bytes(quota) == size_bytes


@pytest.mark.parametrize(
    "quota", [None, 0, -1, 0.5, True, "1", "10MB", float("nan"), float("inf"), 1e300, []], ids=repr
)
def test_a_quota_of_another_form_is_refused(quota: object) -> None:
    """QUO-2."""
    with pytest.raises(MemoryInvalidInput):
        quota_bytes(quota)


# Messages

SECRET = "hunter2-do-not-tell"


@pytest.mark.parametrize(
    "check",
    [
        lambda: key_size_bytes(SECRET + "\0"),
        lambda: key_size_bytes(SECRET + "\ud800"),
        lambda: key_size_bytes(SECRET * 100),
        lambda: stored_category(SECRET),
        lambda: write_request("k", SECRET, "CACHE", UNSET, UNSET),
        lambda: write_request("k", SECRET.encode() * 100_000, "CACHE", UNSET, UNSET),
        lambda: access_policy_of({**ACCESS, "readScope": SECRET}),
        lambda: access_policy_of({SECRET: 1}),
        lambda: retention_policy_of({**RETENTION, "maxRetentionDays": SECRET}),
        lambda: retention_policy_of({**RETENTION, SECRET: 1}),
        lambda: query_of({SECRET: 1}),
        lambda: query_of({"keyPrefix": SECRET + "\ud800"}),
        lambda: query_of({"since": SECRET}),
        lambda: agent_name(SECRET + "!"),
        lambda: agent_uuid(SECRET),
        lambda: quota_bytes(SECRET),
    ],
)
def test_a_refusal_never_repeats_what_was_passed(check: Callable[[], object]) -> None:
    """REC-1: neither in its message nor anywhere in a traceback."""
    with pytest.raises((MemoryInvalidInput, InvalidAgent)) as caught:
        check()
    assert SECRET not in "".join(traceback.format_exception(caught.value))
