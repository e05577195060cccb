"""Forecasts, lives, verdicts and reviews in words: what a person reads of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rotifer_console.view import access, forecast, life, review
from rotifer_console.view.sizes import format_part
from rotifer_store import (
    AccessPolicy,
    AccessVerdict,
    AuditRecord,
    Decision,
    EntryInfo,
    Forecast,
    LifeEvent,
    MemoryCategory,
    Reason,
    ReviewKind,
    Suspicion,
)
from rotifer_store.tables import AUDIT_ACTIONS, AUDIT_MEMBERS, MAX_KEY_BYTES, MAX_VALUE_BYTES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOW_US = 1_767_225_600_000_000
KB, MB = 1024, 1024 * 1024
INDENT, LINT = "v2:" + "a1" * 32, "v2:" + "b2" * 32
NAMES = {INDENT: "indent"}


def entry(key: str, size_bytes: int = 10, by: str = INDENT) -> EntryInfo:
    cache = MemoryCategory.CACHE
    return EntryInfo(
        "0" * 64, cache, key, size_bytes, by, "notes", by, NOW, NOW, AccessPolicy(), None, None, None
    )


# Forecast


def foreseen(
    incoming: int, *evicted: EntryInfo, fits: bool = True, protected: int = 0, quota: int = 10 * MB
) -> Forecast:
    used = 8 * MB
    after = used + incoming - sum(each.size_bytes for each in evicted) if fits else used
    return Forecast(incoming, quota, used, protected, list(evicted), after, fits)


@pytest.mark.parametrize(
    ("foretold", "sentence"),
    [
        (foreseen(512 * KB), "a write of 512 KB fits, nothing is evicted; 8.5 of 10 MB used afterwards"),
        (
            foreseen(3 * MB, entry("a", 600 * KB), entry("b", 900 * KB)),
            "a write of 3 MB would evict 2 entries, 1.4 MB; 9.5 of 10 MB used afterwards",
        ),
        (
            foreseen(3 * MB, entry("a", MB)),
            "a write of 3 MB would evict 1 entry, 1 MB; 10 of 10 MB used afterwards",
        ),
        (
            foreseen(2 * MB, fits=False, protected=9 * MB + 110 * KB),
            "the write would fail: PREFERENCE holds 9.1 of 10 MB and leaves 914 KB for 2 MB",
        ),
        (
            foreseen(MB, fits=False, protected=9 * MB + 10),
            "the write would fail: PREFERENCE holds 9 of 10 MB and leaves 1023.9 KB for 1 MB",
        ),
        (
            foreseen(MB + 10, fits=False, protected=9 * MB),
            "the write would fail: PREFERENCE holds 9 of 10 MB and leaves 1048576 B for 1048586 B",
        ),
        (
            foreseen(MB, fits=False, protected=2 * MB, quota=MB),
            "the write would fail: PREFERENCE holds 2 of 1 MB and leaves 0 B for 1 MB",
        ),
        (
            foreseen(1_059_061, fits=False, quota=MB),
            "the write would fail: 1059061 B is more than the quota, 1048576 B",
        ),
        (
            foreseen(11 * MB, fits=False, protected=9 * MB),
            "the write would fail: 11 MB is more than the quota, 10 MB",
        ),
    ],
)
def test_a_forecast_says_what_goes_or_why_it_would_fail(foretold: Forecast, sentence: str) -> None:
    """TUI-2, QUO-4, QUO-5."""
    assert forecast.describe(foretold) == sentence


def test_what_goes_is_told_in_order_with_a_running_sum() -> None:
    """TUI-2."""
    foretold = foreseen(3 * MB, entry("a", 600), entry("b", 900, LINT))
    assert forecast.freed_bytes(foretold) == [600, 1500]
    exact = forecast.cells(foretold, NAMES, NOW_US, exact=True)
    assert exact == [
        ["a", "CACHE", "600", "600", "indent", "2026-01-01T00:00:00.000000Z"],
        ["b", "CACHE", "900", "1500", LINT, "2026-01-01T00:00:00.000000Z"],
    ]
    rounded = forecast.cells(foretold, NAMES, NOW_US, exact=False)
    assert rounded[1] == ["b", "CACHE", "900 B", "1.4 KB", "v2:b2b2b2b2b2b2...", "2026-01-01 00:00:00Z"]
    assert {len(row) for row in exact + rounded} == {len(forecast.COLUMNS)}
    shown = forecast.to_json(foretold, NAMES)
    assert [each["creatorName"] for each in shown["evicted"]] == ["indent", None]  # type: ignore[attr-defined]
    assert shown.keys() == foretold.to_json().keys()


def test_a_size_that_no_single_write_can_have_is_told_apart() -> None:
    """INP-1, INP-2."""
    largest = MAX_KEY_BYTES + MAX_VALUE_BYTES
    assert not forecast.is_several_writes(foreseen(largest))
    assert forecast.is_several_writes(foreseen(largest + 1))
    assert not forecast.is_several_writes(foreseen(largest + 1, fits=False))


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (9 * MB + 110 * KB, 10 * MB, "9.1 of 10 MB"),
        (10 * MB, 10 * MB, "10 of 10 MB"),
        (512, 10 * MB, "512 B of 10 MB"),
        (0, 10 * MB, "0 B of 10 MB"),
        (3, 9, "3 of 9 B"),
        (12 * KB, 10 * KB, "12 of 10 KB"),
    ],
)
def test_a_part_is_told_in_the_unit_of_its_whole_where_it_is_the_same(
    part: int, whole: int, text: str
) -> None:
    assert format_part(part, whole) == text


# A key's life


def event(action: str | None, made_room_for: str | None = None, **members: object) -> LifeEvent:
    nothing = dict.fromkeys(AUDIT_MEMBERS)
    told = {
        "ts": "2026-11-30T17:01:55.000001Z",
        "seq": 7,
        "action": action,
        "actor": "gene",
        "gene_id": INDENT,
    }
    return LifeEvent(AuditRecord(**(nothing | told | members)), made_room_for)  # type: ignore[arg-type]


SENTENCES = {
    "written by indent as CACHE, 17 bytes": event("memory_write", category="CACHE", bytes=17),
    "written by indent as CACHE, 1 byte": event("memory_write", category="CACHE", bytes=1),
    "rewritten by indent as PATTERN, which had been CACHE, 0 bytes": event(
        "memory_update", category="PATTERN", old_category="CACHE", bytes=0
    ),
    "deleted by indent": event("memory_delete"),
    "deleted by the deployer": event("memory_delete", actor="deployer", gene_id=None),
    "evicted to make room for api/spec, which indent wrote": event(
        "memory_evict", "api/spec", actor="system"
    ),
    "evicted to make room for a write by indent": event("memory_evict", actor="system"),
    "expired, and went at the next list": event(
        "memory_expire", actor="system", gene_id=None, operation="list"
    ),
    "imported by the deployer as CACHE, 9 bytes: from agent 1": event(
        "memory_import", actor="deployer", gene_id=None, category="CACHE", bytes=9, reason="from agent 1"
    ),
    "write by indent refused for want of room, 900 bytes (MEMORY_QUOTA_EXCEEDED)": event(
        "memory_quota_refused", operation="write", bytes=900, code="MEMORY_QUOTA_EXCEEDED"
    ),
    "read by indent refused: the read scope excludes the gene (MEMORY_ACCESS_DENIED)": event(
        "memory_access_denied",
        operation="read",
        reason="the read scope excludes the gene",
        code="MEMORY_ACCESS_DENIED",
    ),
    "read by a gene without a v2 id refused": event("memory_access_denied", operation="read", gene_id=None),
    "import by the deployer refused": event(
        "memory_access_denied", actor="deployer", gene_id=None, operation="import"
    ),
    "repo_sync, which this program does not know": event("repo_sync"),
    "something, which this program does not know": event(None),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_event_of_a_life_is_a_sentence(sentence: str) -> None:
    """REC-1: it says what the line says."""
    assert life.sentence(SENTENCES[sentence], NAMES, exact=True) == sentence


@pytest.mark.parametrize("row", AUDIT_ACTIONS, ids=lambda row: row.action)
def test_a_line_that_tells_little_is_still_a_sentence(row: object) -> None:
    """A log may hold anything: every action, with every member left out."""
    nothing = event(row.action, actor=None, gene_id=None, ts=None, seq=None)  # type: ignore[attr-defined]
    assert "None" not in life.sentence(nothing, {})
    assert life.cells(nothing, {}, exact=True)[:2] == ["-", "-"]


def test_a_gene_without_a_name_is_told_by_its_id_whole_or_short() -> None:
    """AGT-10."""
    written = event("memory_write", gene_id=LINT, bytes=2048, category="CACHE")
    assert life.sentence(written, NAMES, exact=True) == f"written by {LINT} as CACHE, 2048 bytes"
    assert life.sentence(written, NAMES) == "written by v2:b2b2b2b2b2b2... as CACHE, 2 KB"


def test_a_life_has_times_to_the_second_for_people_and_exact_ones_for_pipes() -> None:
    written = event("memory_delete")
    assert life.cells(written, NAMES, exact=True) == ["2026-11-30T17:01:55.000001Z", "7", "deleted by indent"]
    assert life.cells(written, NAMES, exact=False)[0] == "2026-11-30 17:01:55Z"
    assert life.cells(event("memory_delete", ts="yesterday"), NAMES, exact=False)[0] == "yesterday"
    shown = life.to_json(event("memory_evict", "x"), NAMES)
    assert (shown["at"], shown["geneName"], shown["madeRoomFor"]) == (written.record.ts, "indent", "x")
    assert shown["record"] == event("memory_evict").record.to_json()


# Verdicts


def verdict(
    key: str, *allowed: bool, category: MemoryCategory | None = MemoryCategory.CACHE
) -> AccessVerdict:
    read, write, delete = (
        Decision(is_allowed, rule, reason)
        for is_allowed, rule, reason in zip(
            allowed, ("ACC-2", "ACC-2", "ACC-6"), ("reading", "writing", "writing"), strict=True
        )
    )
    return AccessVerdict(key, "0" * 64, category, read, write, delete)


def test_a_verdict_is_a_row_or_a_row_for_each_call() -> None:
    """ACC: with the rules that decide, and each reason once."""
    shown = verdict("k", True, False, False)
    assert access.cells(shown) == [
        "k", "CACHE", "yes (ACC-2)", "no (ACC-2)", "no (ACC-6)", "reading; writing",
    ]  # fmt: skip
    assert access.call_cells(shown) == [
        ["read", "yes", "ACC-2", "reading"],
        ["write", "no", "ACC-2", "writing"],
        ["delete", "no", "ACC-6", "writing"],
    ]
    assert access.cells(verdict("k", True, True, False, category=None))[1] == "-"
    assert len(access.cells(shown)) == len(access.COLUMNS)


def test_verdicts_are_summed_up() -> None:
    verdicts = [verdict("a", True, False, False), verdict("b", True, True, True)]
    assert access.describe(verdicts, "lint") == "lint may read 2 of 2 entries, write 1, delete 1"


# Reviews


def test_a_review_is_a_row_for_each_reason() -> None:
    suspicion = Suspicion(
        entry("k", by=LINT),
        (
            Reason(ReviewKind.HIDDEN_CHARACTERS, "tags in the key, at byte 0"),
            Reason(ReviewKind.ENCODED_PAYLOAD, "hex"),
        ),
    )
    assert review.cells(suspicion, NAMES, exact=True) == [
        ["k", "CACHE", LINT, "hidden characters", "tags in the key, at byte 0"],
        ["k", "CACHE", LINT, "encoded payload", "hex"],
    ]
    assert review.cells(suspicion, {LINT: "lint"}, exact=True)[0][2] == "lint"
    assert review.cells(suspicion, NAMES, exact=False)[0][2] == "v2:b2b2b2b2b2b2..."
    shown = review.to_json(suspicion, {LINT: "lint"})
    assert shown["entry"]["creatorName"] == "lint"  # type: ignore[index]
    assert shown["reasons"] == [reason.to_json() for reason in suspicion.reasons]
    assert review.describe([suspicion], 214) == "1 of 214 entries is worth a look"
    assert review.describe([suspicion, suspicion], 2) == "2 of 2 entries are worth a look"
    assert review.describe([], 1) == "nothing was found in 1 entry"
