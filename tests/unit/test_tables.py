"""The tables: every row is whole, unique where it must be, and names a rule that the docs state."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from rotifer_store import tables
from rotifer_store.tables import (
    AUDIT_ACTIONS,
    AUDIT_MEMBERS,
    CATEGORIES,
    CATEGORY_OF,
    EFFECT_OF,
    ENTRY_FIELDS,
    ERRORS,
    EVICTABLE_STORED,
    LIMITS,
    SCOPE_OF,
    SCOPES,
    SHARE_POLICIES,
    SHARE_POLICY_OF,
    STORED_CATEGORY,
    STORED_SCOPE,
    STORED_SHARE_POLICY,
    TELEMETRY_MEMBERS,
    Actor,
    AuditAction,
    Effect,
    ErrorCode,
    MemoryCategory,
    Operation,
    Scope,
    SharePolicy,
)

ROWS = [
    pytest.param(row, id=f"{type(row).__name__}-{at}")
    for table in (CATEGORIES, SCOPES, SHARE_POLICIES, ENTRY_FIELDS, ERRORS, LIMITS, AUDIT_ACTIONS)
    for at, row in enumerate(table)
]
RULES = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
STATED = set(re.findall(r"^\| ([A-Z]{3}(?:-\d+a?)?) \|", RULES, re.MULTILINE)) | set(
    re.findall(r"^## ([A-Z]{3}) ", RULES, re.MULTILINE)
)


@pytest.mark.parametrize("row", ROWS)
def test_every_row_names_rules_that_the_docs_state(row: Any) -> None:
    named = row.rule.split(", ")
    assert all(re.fullmatch(r"[A-Z]{3}(-\d+a?)?", rule) for rule in named)
    assert set(named) <= STATED


@pytest.mark.parametrize("row", ROWS)
def test_no_row_can_be_changed(row: Any) -> None:
    with pytest.raises(AttributeError):
        row.rule = "REC-1"


@pytest.mark.parametrize("row", ROWS)
def test_every_text_of_a_row_says_something(row: Any) -> None:
    texts = [getattr(row, name) for name in row.__slots__ if isinstance(getattr(row, name), str)]
    assert all(text and text == text.strip() for text in texts)


@pytest.mark.parametrize(
    ("enum", "named"),
    [
        (MemoryCategory, [row.category for row in CATEGORIES]),
        (Scope, [row.scope for row in SCOPES]),
        (SharePolicy, [row.share_policy for row in SHARE_POLICIES]),
        (ErrorCode, [row.code for row in ERRORS]),
        (AuditAction, [row.action for row in AUDIT_ACTIONS]),
    ],
    ids=["categories", "scopes", "share-policies", "errors", "audit-actions"],
)
def test_enum_and_table_agree(enum: type[StrEnum], named: list[StrEnum]) -> None:
    assert named == list(enum)


@pytest.mark.parametrize(
    ("enum", "case"),
    [
        (MemoryCategory, str.upper),
        (Scope, str.upper),
        (SharePolicy, str.upper),
        (ErrorCode, str.upper),
        (AuditAction, str.lower),
        (Actor, str.lower),
        (Operation, str.lower),
        (Effect, str.lower),
    ],
)
def test_a_member_is_spelled_as_its_name(enum: type[StrEnum], case: Any) -> None:
    """ENT-6: upper case on the wire; what only the log knows is lower case."""
    assert [str(member) for member in enum] == [case(member.name) for member in enum]


def test_the_pages_words_are_all_there() -> None:
    """CAT, ACC-2, ACC-3, ERR."""
    assert set(MemoryCategory) == {"PREFERENCE", "PATTERN", "CONTEXT", "CACHE"}
    assert set(Scope) == {"CREATOR_GENE_ONLY", "SAME_DOMAIN", "ALL_GENES", "DEPLOYER_CONFIGURED"}
    assert set(SharePolicy) == {"PRIVATE", "ANONYMIZED_SHARE", "KNOWLEDGE_GENE"}
    assert {row.code: row.wasm_result for row in ERRORS} == {
        "MEMORY_NOT_FOUND": -12,
        "MEMORY_ACCESS_DENIED": -2,
        "MEMORY_QUOTA_EXCEEDED": -8,
        "MEMORY_INVALID_INPUT": -10,
        "MEMORY_STORAGE_ERROR": -13,
    }


def test_wasm_results_are_negative_and_unique() -> None:
    """ERR, HST-7: -1 and -4 mean something without a code."""
    results = [row.wasm_result for row in ERRORS]
    assert all(result < 0 for result in results)
    assert len({*results, -1, -4}) == len(results) + 2


def test_eviction_ranks_are_unique_and_preference_has_none() -> None:
    """QUO-4: CACHE, then PATTERN, then CONTEXT."""
    ranked = {row.category: row.eviction_rank for row in CATEGORIES}
    assert ranked.pop(MemoryCategory.PREFERENCE) is None
    assert ranked == {"CACHE": 1, "PATTERN": 2, "CONTEXT": 3}


def test_stored_numbers_of_categories_sort_in_eviction_order() -> None:
    """QUO-4: an index on the stored number walks candidates in their order, PREFERENCE last."""
    by_stored = sorted(CATEGORIES, key=lambda row: row.stored)
    assert [row.category for row in by_stored] == ["CACHE", "PATTERN", "CONTEXT", "PREFERENCE"]
    assert [row.stored for row in by_stored] == [0, 1, 2, 3]
    assert EVICTABLE_STORED == (0, 1, 2)


def test_only_cache_may_be_left_behind() -> None:
    """AGT-6."""
    assert [row.category for row in CATEGORIES if not row.moves_with_agent] == ["CACHE"]


def test_only_the_deployers_scope_cannot_be_granted() -> None:
    """ACC-3."""
    assert [row.scope for row in SCOPES if not row.grantable] == ["DEPLOYER_CONFIGURED"]


def test_everything_but_private_needs_anonymization() -> None:
    """ACC-3."""
    assert {row.share_policy for row in SHARE_POLICIES if row.needs_anonymization} == {
        "ANONYMIZED_SHARE",
        "KNOWLEDGE_GENE",
    }


@pytest.mark.parametrize(
    ("stored_of", "member_of", "rows"),
    [
        (STORED_CATEGORY, CATEGORY_OF, len(CATEGORIES)),
        (STORED_SCOPE, SCOPE_OF, len(SCOPES)),
        (STORED_SHARE_POLICY, SHARE_POLICY_OF, len(SHARE_POLICIES)),
    ],
)
def test_stored_numbers_are_unique_and_lead_back(
    stored_of: dict[str, int], member_of: dict[int, StrEnum], rows: int
) -> None:
    assert sorted(member_of) == list(range(rows))
    assert {member_of[stored]: stored for stored in member_of} == stored_of


def test_an_entry_has_the_pages_ten_members_in_order() -> None:
    """ENT-1."""
    assert [row.wire_name for row in ENTRY_FIELDS] == [
        "entryId",
        "category",
        "key",
        "value",
        "createdBy",
        "lastAccessedBy",
        "createdAt",
        "updatedAt",
        "accessPolicy",
        "retentionPolicy",
    ]


@pytest.mark.parametrize("row", ENTRY_FIELDS, ids=lambda row: row.name)
def test_a_wire_name_is_the_python_name_in_camel_case(row: Any) -> None:
    first, *rest = row.name.split("_")
    assert row.wire_name == first + "".join(word.capitalize() for word in rest)


def test_a_listing_shows_everything_but_the_value() -> None:
    """AGT-3."""
    assert [row.name for row in ENTRY_FIELDS if not row.shown_by_list] == ["value"]


@pytest.mark.parametrize("row", LIMITS, ids=lambda row: row.constant)
def test_a_limit_is_the_constant_that_it_names(row: Any) -> None:
    assert getattr(tables, row.constant) == row.value
    assert row.value > 0


def test_limits_are_those_of_the_rules() -> None:
    """INP-1, INP-2, INP-3, INP-5, QUO-1, QUO-2, POL-1, AGT-2."""
    assert {row.constant: (row.value, row.unit) for row in LIMITS} == {
        "MAX_KEY_BYTES": (1024, "bytes"),
        "MAX_VALUE_BYTES": (1_048_576, "bytes"),
        "DEFAULT_QUERY_LIMIT": (100, "entries"),
        "MAX_QUERY_LIMIT": (1000, "entries"),
        "MAX_QUERY_BYTES": (4_194_304, "bytes"),
        "DEFAULT_QUOTA_BYTES": (10_485_760, "bytes"),
        "MAX_QUOTA_BYTES": (9_007_199_254_740_991, "bytes"),
        "MAX_RETENTION_DAYS": (2_147_483_647, "days"),
        "MAX_AGENT_NAME_CHARACTERS": (100, "characters"),
    }


def test_the_log_has_the_rules_actions_actors_and_operations() -> None:
    """REC: each action with whoever can be its actor."""
    assert {row.action: row.actors for row in AUDIT_ACTIONS} == {
        "memory_write": ("gene",),
        "memory_update": ("gene",),
        "memory_delete": ("gene", "deployer"),
        "memory_evict": ("system",),
        "memory_expire": ("system",),
        "memory_import": ("deployer",),
        "memory_quota_refused": ("gene", "deployer"),
        "memory_access_denied": ("gene", "deployer"),
        "memory_aborted": ("system",),
        "agent_create": ("deployer",),
        "policy_change": ("deployer",),
        "genome_change": ("deployer",),
        "audit_checkpoint": ("deployer",),
    }
    operations = "read write query delete list sweep import create policy genome rotate open"
    assert list(Operation) == operations.split()


def test_only_refused_access_is_telemetry() -> None:
    """REC-4."""
    assert [row.action for row in AUDIT_ACTIONS if row.telemetry] == ["memory_access_denied"]


def test_a_replay_knows_what_each_action_does() -> None:
    """REC-3."""
    effects = {row.action: row.effect for row in AUDIT_ACTIONS}
    assert effects == EFFECT_OF
    assert {action for action, effect in effects.items() if effect is not Effect.NONE} == {
        "memory_write",
        "memory_update",
        "memory_import",
        "memory_delete",
        "memory_evict",
        "memory_expire",
        "memory_aborted",
    }


def test_members_of_both_logs_stand_in_the_rules_order() -> None:
    """REC: twenty members, `hash` last; REC-4: eight, never a key."""
    assert (
        ", ".join(AUDIT_MEMBERS)
        == "ts, seq, txn, action, actor, agent_id, agent, gene_id, gene_domain, key, category, old_category, "
        "entry_id, bytes, value_hmac, operation, code, reason, prev_hash, hash"
    )
    assert (
        ", ".join(TELEMETRY_MEMBERS)
        == "ts, event, agent_id, gene_id, gene_domain, operation, code, audit_seq"
    )
