"""The values: immutable, silent about what they hold, and in JSON as the page has them."""

from __future__ import annotations

import base64
import dataclasses
import inspect
import pickle
import pprint
import traceback
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from rotifer_store import (
    UNSET,
    AccessPolicy,
    AccessVerdict,
    Agent,
    BrowseFilter,
    DataPolicy,
    Decision,
    EntryInfo,
    Finding,
    Forecast,
    Gene,
    GeneSeen,
    MemoryCategory,
    MemoryEntry,
    MemoryFilter,
    MemoryUsage,
    Page,
    PolicyPreview,
    Reason,
    RetentionPolicy,
    ReviewKind,
    Scope,
    SharePolicy,
    Suspicion,
    Usage,
    model,
)
from rotifer_store.model import (
    Counters,
    Query,
    entry_id_of,
    json_form,
    own_access,
    own_retention,
    stored_access,
    stored_retention,
)
from rotifer_store.plan import Plan, Put, plan_write
from rotifer_store.tables import ENTRY_FIELDS
from unit.samples import AGENT, AGENT_ID, CREATOR, NOW_US, head, held, leaving, request

SECRET = b"hunter2-do-not-tell"
KEY_OF_HMACS = b"\xfe\xed" * 16


def entry(**members: Any) -> MemoryEntry:
    whole = MemoryEntry(
        agent_id=AGENT_ID,
        key="formatter/indent",
        category_stored=3,
        value=SECRET,
        created_by=str(CREATOR.gene_id),
        last_accessed_by="v2:" + "b2" * 32,
        created_at_us=NOW_US,
        updated_at_us=NOW_US + 1,
        read_scope_stored=2,
        write_scope_stored=1,
        share_policy_stored=0,
        own_days=None,
        own_auto_delete=None,
        own_anonymization=None,
        size_bytes=16 + len(SECRET),
    )
    return whole._replace(**members)


def put() -> Put:
    plan = plan_write(
        request("k", SECRET), CREATOR, None, (), AGENT, head(hmac_key=KEY_OF_HMACS), now_us=NOW_US
    )
    return plan.puts[0]


def info() -> EntryInfo:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return EntryInfo(
        entry_id_of(AGENT_ID, "k"),
        MemoryCategory.CACHE,
        "k",
        10,
        str(CREATOR.gene_id),
        "formatter",
        "v2:" + "b2" * 32,
        at,
        at,
        AccessPolicy(),
        RetentionPolicy(1, False, True),
        at + timedelta(days=1),
        NOW_US + 86_400_000_000,
    )


ALLOWED = Decision(True, "ACC-2", "a sentence")
INSTANCES: list[Any] = [
    AccessPolicy(),
    RetentionPolicy(None, False, False),
    DataPolicy(),
    Gene("v2:" + "a1" * 32, "formatter"),
    MemoryFilter(),
    BrowseFilter(),
    entry(),
    info(),
    Page([info()], 1),
    Usage(1, 10),
    MemoryUsage(10, 100, {MemoryCategory.CACHE: Usage(1, 10)}),
    AGENT,
    GeneSeen("v2:" + "a1" * 32, "indent", "1.0.0", "formatter"),
    Finding("replay", "here", "a sentence"),
    PolicyPreview([info()], [], 0),
    Forecast(10, 100, 10, 0, [info()], 10, True),
    ALLOWED,
    AccessVerdict("k", entry_id_of(AGENT_ID, "k"), MemoryCategory.CACHE, ALLOWED, ALLOWED, ALLOWED),
    Reason(ReviewKind.HIDDEN_CHARACTERS, "a sentence"),
    Suspicion(info(), (Reason(ReviewKind.HIDDEN_CHARACTERS, "a sentence"),)),
    CREATOR,
    held(value_hmac=SECRET),
    leaving(),
    Counters(),
    head(hmac_key=KEY_OF_HMACS),
    request("k", SECRET),
    Query(None, None, None, None, 100),
]


def test_every_class_of_the_module_is_looked_at() -> None:
    classes = {
        kind
        for name, kind in inspect.getmembers(model, inspect.isclass)
        if kind.__module__ == model.__name__ and not name.startswith("_")
    }
    assert classes == {type(value) for value in INSTANCES}


def shown(value: Any) -> list[str]:
    return [repr(value), str(value), f"{value}", f"{value!a}", pprint.pformat(value), repr([value])]


@pytest.mark.parametrize(
    "value", [*INSTANCES, put(), Plan(puts=(put(),))], ids=lambda value: type(value).__name__
)
def test_no_value_shows_what_is_remembered(value: Any) -> None:
    """REC-1: not the bytes, their base64 or hex, nor the key of the HMACs."""
    hidden = [
        form
        for secret in (SECRET, KEY_OF_HMACS)
        for form in (
            repr(secret)[2:-1],
            secret.hex(),
            base64.b64encode(secret).decode(),
            repr(list(secret))[1:-1],
        )
    ]
    for text in shown(value):
        assert not [form for form in hidden if form in text]


@pytest.mark.parametrize(
    "value", [entry(), put(), request("k", SECRET), held()], ids=lambda v: type(v).__name__
)
def test_what_holds_a_value_still_says_which_it_is(value: Any) -> None:
    """REC-1: the key is no secret."""
    assert repr(value.key) in repr(value)
    assert "bytes" in repr(value)


def test_a_traceback_shows_no_value_either() -> None:
    """REC-1: not even one that prints the locals."""
    kept = entry()
    try:
        raise ValueError(kept)
    except ValueError as error:
        report = traceback.TracebackException.from_exception(error, capture_locals=True)
        assert "hunter2" not in "".join(report.format())


@pytest.mark.parametrize("value", INSTANCES, ids=lambda value: type(value).__name__)
def test_no_value_can_be_changed(value: Any) -> None:
    names = (
        [field.name for field in dataclasses.fields(value)]
        if dataclasses.is_dataclass(value)
        else [*value._fields, *(("category", "entry_id") if isinstance(value, MemoryEntry) else ())]
    )
    for name in names:
        with pytest.raises(AttributeError):
            setattr(value, name, None)
        with pytest.raises(AttributeError):
            delattr(value, name)


@pytest.mark.parametrize(
    "value",
    [value for value in INSTANCES if dataclasses.is_dataclass(value) or isinstance(value, MemoryEntry)],
    ids=lambda value: type(value).__name__,
)
def test_no_public_value_takes_a_new_member(value: Any) -> None:
    with pytest.raises((AttributeError, TypeError)):
        value.extra = 1
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("value", INSTANCES, ids=lambda value: type(value).__name__)
def test_a_value_equals_its_copy_from_another_process(value: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert type(again) is type(value)


# Entries


def test_an_entrys_id_is_the_published_one() -> None:
    """ENT-2."""
    expected = "4a7083d3d67841e641095db7f674c44174d5fa2e8633e7d8590c76ccd088788c"
    assert entry_id_of("00000000-0000-4000-8000-000000000000", "formatter/indent") == expected
    assert entry().entry_id == expected


def test_an_entrys_id_is_that_of_agent_and_key_alone() -> None:
    """ENT-2."""
    assert entry(value=b"", category_stored=0, created_by="x", updated_at_us=0).entry_id == entry().entry_id
    assert entry(key="formatter/Indent").entry_id != entry().entry_id
    assert entry_id_of("a", "bc") != entry_id_of("ab", "c")


def test_an_entry_is_the_pages_ten_members_in_order() -> None:
    """ENT-1, ENT-5."""
    members = entry().to_json()
    assert list(members.items()) == [
        ("entryId", "4a7083d3d67841e641095db7f674c44174d5fa2e8633e7d8590c76ccd088788c"),
        ("category", "PREFERENCE"),
        ("key", "formatter/indent"),
        ("value", base64.b64encode(SECRET).decode()),
        ("createdBy", CREATOR.gene_id),
        ("lastAccessedBy", "v2:" + "b2" * 32),
        ("createdAt", "2026-01-01T00:00:00.000000Z"),
        ("updatedAt", "2026-01-01T00:00:00.000001Z"),
        (
            "accessPolicy",
            {"readScope": "ALL_GENES", "writeScope": "CREATOR_GENE_ONLY", "sharePolicy": "PRIVATE"},
        ),
        ("retentionPolicy", None),
    ]
    assert list(members) == [row.wire_name for row in ENTRY_FIELDS]
    assert {type(value) for value in members.values()} == {str, dict, type(None)}


def test_an_entry_with_a_policy_of_its_own_shows_it() -> None:
    """ENT-1, POL-1."""
    with_policy = entry(own_days=30, own_auto_delete=1, own_anonymization=0)
    assert with_policy.retention_policy == RetentionPolicy(30, True, False)
    assert with_policy.to_json()["retentionPolicy"] == {
        "maxRetentionDays": 30,
        "autoDeleteOnTermination": True,
        "anonymizationSupported": False,
    }


def test_an_entry_has_the_faces_python_names() -> None:
    """python-api: MemoryEntry."""
    kept = entry()
    assert kept.category is MemoryCategory.PREFERENCE
    assert kept.value == SECRET
    assert kept.created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert kept.updated_at - kept.created_at == timedelta(microseconds=1)
    assert kept.created_at.tzinfo is UTC
    assert kept.access_policy == AccessPolicy(Scope.ALL_GENES, Scope.CREATOR_GENE_ONLY, SharePolicy.PRIVATE)
    assert all(hasattr(kept, row.name) for row in ENTRY_FIELDS)


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_an_entrys_times_have_a_fixed_width(us: int, text: str) -> None:
    """ENT-5."""
    assert entry(created_at_us=us).to_json()["createdAt"] == text


def test_a_listed_entry_shows_no_value_and_says_when_it_expires() -> None:
    """AGT-3."""
    members = info().to_json()
    shown_names = [row.wire_name for row in ENTRY_FIELDS if row.name != "value"]
    assert list(members) == [*shown_names, "sizeBytes", "expiresAt", "expiresAtUs"]
    assert members["expiresAt"] == "2026-01-02T00:00:00.000000Z"
    assert members["sizeBytes"] == 10
    assert dataclasses.replace(info(), expires_at=None, expires_at_us=None).to_json()["expiresAt"] is None


# Policies and the rest


def test_policies_left_out_are_the_defaults() -> None:
    """ACC-1, POL-2."""
    assert AccessPolicy().to_json() == {
        "readScope": "SAME_DOMAIN",
        "writeScope": "SAME_DOMAIN",
        "sharePolicy": "PRIVATE",
    }
    assert DataPolicy().to_json() == {
        "maxRetentionDays": None,
        "autoDeleteOnTermination": False,
        "anonymizationSupported": False,
    }


@pytest.mark.parametrize(
    ("days", "auto_delete", "anonymization", "policy"),
    [
        (None, None, None, None),
        (None, 0, 0, RetentionPolicy(None, False, False)),
        (7, 1, 0, RetentionPolicy(7, True, False)),
        (7, 0, 1, RetentionPolicy(7, False, True)),
    ],
)
def test_three_columns_are_a_policy_or_none(
    days: int | None, auto_delete: int | None, anonymization: int | None, policy: RetentionPolicy | None
) -> None:
    """POL-4: a policy without days is not the lack of a policy."""
    assert own_retention(days, auto_delete, anonymization) == policy
    for flag in ("auto_delete_on_termination", "anonymization_supported"):
        assert policy is None or type(getattr(policy, flag)) is bool
    assert stored_retention(policy) == (days, auto_delete, anonymization)
    assert bool not in {type(column) for column in stored_retention(policy)}


@pytest.mark.parametrize(
    "policy", [AccessPolicy(*each) for each in product(Scope, Scope, SharePolicy)], ids=str
)
def test_an_access_policy_is_three_columns_and_back(policy: AccessPolicy) -> None:
    """ACC-1."""
    assert own_access(*stored_access(policy)) == policy


def test_usage_and_findings_have_a_json_form() -> None:
    """QUO-1."""
    usage = MemoryUsage(10, 100, {MemoryCategory.CACHE: Usage(1, 10)})
    assert usage.to_json() == {
        "quotaBytes": 100,
        "usedBytes": 10,
        "byCategory": {"CACHE": {"entries": 1, "bytes": 10}},
    }
    assert Finding("replay", "here", "a sentence").to_json() == {
        "kind": "replay",
        "where": "here",
        "message": "a sentence",
    }


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (None, None),
        (7, 7),
        (True, True),
        ("text", "text"),
        (MemoryCategory.CACHE, "CACHE"),
        (b"a", "YQ=="),
        (b"", ""),
        (datetime(2026, 1, 1, 0, 0, 0, 5, tzinfo=UTC), "2026-01-01T00:00:00.000005Z"),
        (AccessPolicy(), AccessPolicy().to_json()),
    ],
    ids=repr,
)
def test_a_member_in_json_is_plain(value: object, form: object) -> None:
    """ENT-1, ENT-5."""
    assert json_form(value) == form
    assert type(json_form(value)) is type(form)


def test_left_out_is_not_null() -> None:
    """ACC-5."""
    assert UNSET is not None
    assert repr(UNSET) == "UNSET"
    assert pickle.loads(pickle.dumps(UNSET)) is UNSET


def test_an_agents_row_number_is_nobodys_business() -> None:
    """AGT-1: two looks at one agent are equal."""
    members: dict[str, Any] = {
        field.name: getattr(AGENT, field.name) for field in dataclasses.fields(Agent) if field.compare
    }
    assert Agent(**members, ref=1) == Agent(**members, ref=2)
    assert "ref" not in repr(AGENT)
