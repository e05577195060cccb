"""The entry's pane in lines: policies in words, who may what, and a value that is bounded (TUI-3, TUI-4)."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotifer_console.dashboard.cells import Line, width_of
from rotifer_console.dashboard.entry_lines import VALUE_FORMS, entry_lines, value_lines
from rotifer_console.dashboard.examining import Examined, GeneVerdict
from rotifer_console.dashboard.glyphs import UNICODE
from rotifer_store import (
    AccessPolicy,
    AccessVerdict,
    Decision,
    EntryInfo,
    MemoryCategory,
    RetentionPolicy,
    Scope,
    SharePolicy,
)

NOW = datetime(2026, 11, 30, 17, 0, tzinfo=UTC)
NOW_US = int(NOW.timestamp()) * 1_000_000
DAY_US = 86_400_000_000
CREATOR, READER = "v2:" + "a1" * 32, "v2:" + "b2" * 32
ENTRY = EntryInfo(
    entry_id="0f" * 32,
    category=MemoryCategory.PATTERN,
    key="dates/style",
    size_bytes=1536,
    created_by=CREATOR,
    created_domain="format",
    last_accessed_by=READER,
    created_at=NOW - timedelta(days=3),
    updated_at=NOW - timedelta(hours=2),
    access_policy=AccessPolicy(),
    retention_policy=None,
    expires_at=None,
    expires_at_us=None,
)
YES = Decision(True, "ACC-2", "the scope lets it in")
NO = Decision(False, "ACC-2", "another domain than the creator's")


def text_of(line: Line) -> str:
    return "".join(piece.text for piece in line).rstrip()


def lines_of(entry: EntryInfo = ENTRY, *, width: int = 60, **given: Any) -> list[str]:
    arguments = {"examined": None, "life": None, "value_form": "text", **given}
    drawn = entry_lines(
        entry, creators={CREATOR: "indent"}, width=width, now_us=NOW_US, glyphs=UNICODE, **arguments
    )
    return [text_of(line) for line in drawn]


def value_of(value: bytes, form: str = "text", width: int = 60) -> list[str]:
    return [text_of(line) for line in value_lines(Examined(ENTRY, (), value), width, form)]


def examined(*who: GeneVerdict) -> Examined:
    return Examined(ENTRY, who)


def verdict(gene: str, read: Decision, write: Decision, delete: Decision) -> GeneVerdict:
    allowed = AccessVerdict(ENTRY.key, ENTRY.entry_id, ENTRY.category, read, write, delete)
    return GeneVerdict(gene, allowed, None)


def test_every_member_is_told() -> None:
    """TUI-4."""
    lines = lines_of()
    for expected in (
        "dates/style",
        "▲ PATTERN   1.5 KB",
        "created  2026-11-27 17:00:00Z",
        "         by indent",
        "         of domain format",
        "updated  2026-11-30 15:00:00Z",
        "         2 h ago",
        "expires  never",
        "used     by v2:b2b2b2b2b2b2...",
        f"creator  {CREATOR[:51]}",
        f"entry id {ENTRY.entry_id[:51]}",
    ):
        assert expected in lines, "\n".join(lines)


@pytest.mark.parametrize(
    ("policy", "read", "write", "share"),
    [
        (
            AccessPolicy(),
            "genes of the same domain",
            "genes of the same domain",
            "stays with this agent",
        ),
        (
            AccessPolicy(Scope.ALL_GENES, Scope.CREATOR_GENE_ONLY, SharePolicy.ANONYMIZED_SHARE),
            "every gene of the agent",
            "its creator only",
            "may be shared, anonymized",
        ),
        (
            AccessPolicy(Scope.DEPLOYER_CONFIGURED, Scope.ALL_GENES, SharePolicy.KNOWLEDGE_GENE),
            "nobody",
            "every gene of the agent",
            "may become a knowledge gene",
        ),
    ],
    ids=["the default", "shared", "of the deployer"],
)
def test_an_access_policy_is_told_in_words(policy: AccessPolicy, read: str, write: str, share: str) -> None:
    """TUI-4, ACC-1, ACC-2: nobody has to know the names that the page gives them."""
    lines = lines_of(replace(ENTRY, access_policy=policy))
    assert [line for line in lines if line.startswith(("read", "write", "share"))] == [
        f"read     {read}",
        f"write    {write}",
        f"share    {share}",
    ]
    names = {*Scope, *SharePolicy}
    assert not names & set(" ".join(lines).split())


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (None, "none: the agent's counts"),
        (RetentionPolicy(1, False, False), "1 day"),
        (RetentionPolicy(2_147_483_647, False, False), "2147483647 days"),
        (RetentionPolicy(None, True, True), "no limit, anonymization, auto-delete on"),
    ],
)
def test_a_retention_is_told_in_words(policy: RetentionPolicy | None, words: str) -> None:
    """TUI-4, POL-1, POL-4."""
    assert f"keep     {words}" in lines_of(replace(ENTRY, retention_policy=policy), width=50)


@pytest.mark.parametrize(
    ("left_us", "words"),
    [
        (None, ["expires  never"]),
        (7 * DAY_US, ["expires  7 d 0 h", "         2026-12-07 17:00:00Z"]),
        (59 * 60_000_000, ["expires  00:59:00 !", "         2026-11-30 17:59:00Z"]),
        (59_000_000, ["expires  00:00:59 !!", "         2026-11-30 17:00:59Z"]),
        (0, ["expires  expired", "         2026-11-30 17:00:00Z"]),
        (-400 * DAY_US, ["expires  expired", "         2025-10-26 17:00:00Z"]),
        (2_147_483_647 * DAY_US, ["expires  in 5 879 610 y"]),
    ],
)
def test_an_expiry_is_a_countdown_and_an_instant_where_a_calendar_has_it(
    left_us: int | None, words: list[str]
) -> None:
    """TUI-3: what goes soon has a sign of its own beside the colour."""
    at = None if left_us is None or left_us > 4000 * 366 * DAY_US else NOW + timedelta(microseconds=left_us)
    entry = replace(ENTRY, expires_at=at, expires_at_us=None if left_us is None else NOW_US + left_us)
    lines = lines_of(entry)
    start = next(index for index, line in enumerate(lines) if line.startswith("expires"))
    assert lines[start : start + len(words)] == words
    assert (at is None) == (lines[start + 1] == "")


def test_who_may_what_names_the_rule_that_refuses() -> None:
    """TUI-4: why, in a sentence, and only where something is refused."""
    lines = lines_of(
        examined=examined(
            verdict("indent", YES, YES, YES),
            verdict("reader", YES, NO, NO),
            verdict("stranger", NO, NO, NO),
            GeneVerdict("broken", None, "its folder holds no index.py"),
        )
    )
    start = lines.index("who in the genome") + 1
    assert lines[start : start + 7] == [
        "  indent         read write delete",
        "  reader         read ----- ------",
        "    another domain than the creator's (ACC-2)",
        "  stranger       no access",
        "    another domain than the creator's (ACC-2)",
        "  broken",
        "    its folder holds no index.py",
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ["  looking", "  reading the audit log"]),
        ({"examined": examined()}, ["  the agent has no genes"]),
        ({"life": []}, ["  the audit log does not tell of it"]),
        ({"life": ["2026-11-30 written"]}, ["  2026-11-30 written"]),
    ],
)
def test_what_is_not_known_yet_or_not_there_says_so(given: dict[str, Any], said: list[str]) -> None:
    """TUI-4: an empty place says why it is empty."""
    lines = lines_of(**given)
    assert [line for line in said if line not in lines] == []


def test_a_value_is_not_shown_until_it_is_asked_for() -> None:
    """TUI-4: the pane does not have it."""
    assert "value   hidden, v shows it" in lines_of(examined=examined())
    assert "value   hidden, v shows it" in lines_of()


def test_the_value_of_an_entry_that_went_meanwhile_says_so() -> None:
    """TUI-4."""
    assert "value   the entry is gone" in lines_of(examined=Examined(ENTRY, (), None, is_gone=True))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"", ["value   text, 0 B", ""]),
        (b"[00] foo", ["value   text, 8 B", "[00] foo"]),
        (b'{\n "a": 1\n}', ["value   JSON text, 11 B", "{", ' "a": 1', "}"]),
        (b"\n[1, 2]", ["value   JSON text, 7 B", "", "[1, 2]"]),
        (b"12", ["value   text, 2 B", "12"]),
        (b"one\ntwo\r\n", ["value   text, 9 B", "one", "two␍", ""]),
        (b"\x1b]8;;http://x\x07link\x1b[0m", ["value   text, 22 B", "␛]8;;http://x␇link␛[0m"]),
        ("a\u202eb\u200d".encode(), ["value   text, 8 B", "a<U+202E>b<U+200D>"]),
        (b"\x00start", ["value   text, 6 B", "␀start"]),
        ("\ufe0f键".encode(), ["value   text, 6 B", "<U+FE0F>键"]),
        (b"\xff\x00A", ["value   hex, 3 B", "000000  ff 00 41                 ..A"]),
        ("中文".encode("gbk"), ["value   hex, 4 B", "000000  d6 d0 ce c4              ...."]),
        (b"\x1f\x8b\x08\x00", ["value   hex, 4 B", "000000  1f 8b 08 00              ...."]),
    ],
    ids=[
        "empty",
        "brackets",
        "object",
        "list",
        "number",
        "lines",
        "escapes",
        "hidden",
        "nul",
        "selector",
        "bytes",
        "gbk",
        "gzip",
    ],
)
def test_a_value_is_text_where_it_is_text_and_else_hex(value: bytes, shown: list[str]) -> None:
    """TUI-4: control characters are named, brackets stay brackets."""
    assert value_of(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b'{"a":[true,false]}', ["JSON, 18 B", "{", '  "a": [', "    true,", "    false", "  ]", "}"]),
        (b"1.10", ["JSON, 4 B", "1.10"]),
        (b"1e400", ["JSON, 5 B", "1e400"]),
        (b'{"a":1,"a":2}', ["JSON, 13 B", "{", '  "a": 1,', '  "a": 2', "}"]),
        (b'"\\u001b\\ud83d"', ["JSON, 14 B", '"\\u001b<U+D83D>"']),
        (b"{}x", ["no JSON, 3 B; V shows another form"]),
        (b"\xff", ["no JSON, 1 B; V shows another form"]),
        (b"[" * 60_000, ["no JSON, 58.5 KB; V shows another form"]),
        (b"1" * (64 << 10) + b"1", ["too large for JSON, 64 KB; V shows another form"]),
    ],
    ids=["object", "fraction", "huge", "twice", "escapes", "more", "bytes", "deep", "large"],
)
def test_a_value_as_json_is_laid_out_as_it_was_written(value: bytes, shown: list[str]) -> None:
    """TUI-4: no number is rounded, no member lost; what is none says so."""
    assert value_of(value, "JSON") == [f"value   {shown[0]}", *shown[1:]]


@pytest.mark.parametrize(("width", "per_line"), [(76, 16), (60, 8), (30, 4)])
def test_hex_has_as_many_bytes_in_a_line_as_there_is_room_for(width: int, per_line: int) -> None:
    """TUI-4: offset, bytes, characters; nothing is wrapped."""
    lines = value_of(bytes(range(0x40, 0x60)), "hex", width)
    assert lines[0] == "value   hex, 32 B"
    assert len(lines) == 1 + 32 // per_line
    assert lines[1].startswith("000000  40 41 42 43")
    assert lines[-1].endswith("\\]^_")
    assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("value", "form", "remark"),
    [
        (b"a" * 16385, "text", "text, the first 16 KB of 16 KB"),
        (b"\xff" * (1 << 20), "text", "hex, the first 16 KB of 1 MB"),
        (b"a" * (1 << 20), "hex", "hex, the first 16 KB of 1 MB"),
        ("é".encode() * (1 << 19), "text", "text, the first 16 KB of 1 MB"),
    ],
    ids=["a byte more", "bytes", "as hex", "two bytes each"],
)
def test_what_is_shown_of_a_value_is_bounded_and_says_so(value: bytes, form: str, remark: str) -> None:
    """TUI-4."""
    lines = value_of(value, form)
    assert lines[0] == f"value   {remark}"
    assert sum(map(len, lines)) < 5 * (16 << 10)


@pytest.mark.parametrize(
    ("value", "form"),
    [(b"\n" * 1000, "text"), (b"\xff" * 16384, "hex"), (b"[" + b"1," * 900 + b"1]", "JSON")],
    ids=["text", "hex", "JSON"],
)
def test_more_lines_than_are_shown_are_told_of(value: bytes, form: str) -> None:
    """TUI-4."""
    lines = value_of(value, form)
    assert len(lines) == 1 + 400 + 1
    assert lines[-1] == "only the first 400 lines are shown"


@given(
    key=st.text(min_size=1, max_size=80),
    value=st.binary(max_size=120) | st.text(max_size=60).map(lambda text: text.encode(errors="ignore")),
    form=st.sampled_from(VALUE_FORMS),
    width=st.integers(36, 90),
)
def test_any_entry_fits_any_width_and_steers_nothing(key: str, value: bytes, form: str, width: int) -> None:
    """CLI-4, TUI-1: from the 40 columns of a small terminal on."""
    entry = replace(ENTRY, key=key)
    drawn = entry_lines(
        entry,
        Examined(entry, (), value),
        [key],
        {CREATOR: key},
        width,
        NOW_US,
        UNICODE,
        value_form=form,
    )
    for text in map(text_of, drawn):
        assert not [each for each in text if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
        assert width_of(text) <= width
