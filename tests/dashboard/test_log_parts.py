"""The pure parts of the log screens: filters, found lines, rows, lines as they stand (TUI-5)."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.hostile import AUDIT_LINES
from rotifer_console.dashboard.cells import Line, width_of
from rotifer_console.dashboard.found_lines import FoundLines
from rotifer_console.dashboard.glyphs import ASCII, UNICODE
from rotifer_console.dashboard.log_rows import (
    Setting,
    audit_row,
    audit_titles,
    begun_row,
    log_row,
    room_made_for,
    telemetry_row,
    telemetry_titles,
    unread_row,
)
from rotifer_console.dashboard.log_searching import Course
from rotifer_console.dashboard.log_standing import Matches, Standing, standing_pieces, unreadable_pieces
from rotifer_console.view.log_filters import TypedLogFilter, parse_log_filter
from rotifer_console.view.logs import ACTION_WORDS
from rotifer_console.view.raw_lines import describe_raw, laid_out, summary_of, text_of
from rotifer_store import AuditRecord, LogFilter, RawLine, TelemetryRecord, UnreadableLine
from rotifer_store.tables import AUDIT_MEMBERS, TELEMETRY_MEMBERS, AuditAction

WIDTHS = (0, 1, 7, 20, 39, 55, 56, 79, 99, 100, 111, 119, 199)


def record(**members: object) -> AuditRecord:
    """An audit record with these members and no others."""
    return AuditRecord(**{name: members.get(name) for name in AUDIT_MEMBERS})  # type: ignore[arg-type]


def event(**members: object) -> TelemetryRecord:
    """An event with these members and no others."""
    return TelemetryRecord(**{name: members.get(name) for name in TELEMETRY_MEMBERS})  # type: ignore[arg-type]


def setting(width: int, today: str = "2026-11-30") -> Setting:
    """What a row is drawn with."""
    return Setting(width, today, {"v2:aa": "indent"}, UNICODE)


def shown(line: Line) -> str:
    """A line's text."""
    return "".join(piece.text for piece in line)


# Filters


@pytest.mark.parametrize(
    ("typed", "where", "agent"),
    [
        ("", LogFilter(), None),
        ("  ", LogFilter(), None),
        ("two  words", LogFilter(text="two words"), None),
        ("action:refused", LogFilter(action="memory_access_denied"), None),
        ("ACTION:Refused", LogFilter(action="memory_access_denied"), None),
        ("action:memory_write", LogFilter(action="memory_write"), None),
        ("action:no-room", LogFilter(action="memory_quota_refused"), None),
        ("action:check", LogFilter(action="audit_checkpoint"), None),
        ("gene:indent key:api/spec left", LogFilter(gene="indent", key="api/spec", text="left"), None),
        ('key:"two words" x', LogFilter(key="two words", text="x"), None),
        ('key:"not closed yet', LogFilter(key="not closed yet"), None),
        ("key:a:b", LogFilter(key="a:b"), None),
        ("http://host", LogFilter(text="http://host"), None),
        ('"in quotes"', LogFilter(text="in quotes"), None),
        ("agent:main x", LogFilter(text="x"), "main"),
        ("key:a key:b", LogFilter(key="b"), None),
    ],
)
def test_a_filter_means_what_its_words_say(typed: str, where: LogFilter, agent: str | None) -> None:
    """TUI-5."""
    assert parse_log_filter(typed) == TypedLogFilter(where, agent)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("key:", "key: needs something after it"),
        ('gene:""', "gene: needs something after it"),
        ("action:e", "action: e begins evicted and expired"),
        ("action:nothing", "action: none is called nothing; there are written"),
        (f"action:{'x' * 5000}", "action: none is called xxx"),
        ("action:\x1b[2J", "action: none is called \u241b"),
        ("key:" + "k" * 2000, "key: no entry can have that key"),
        ("key:a\0b", "key: no entry can have that key"),
    ],
)
def test_a_filter_that_means_nothing_says_which_form_it_has(typed: str, said: str) -> None:
    """In words that are short and safe."""
    with pytest.raises(ValueError) as error:
        parse_log_filter(typed)
    assert str(error.value).startswith(said)
    assert len(str(error.value)) < 240


def test_events_are_narrowed_by_the_actions_that_telemetry_hears_of() -> None:
    """REC-4."""
    assert parse_log_filter("action:refused", has_keys=False).where.action == "memory_access_denied"
    with pytest.raises(ValueError, match="none is called evicted"):
        parse_log_filter("action:evicted", has_keys=False)
    with pytest.raises(ValueError, match="hold no key"):
        parse_log_filter("key:x", has_keys=False)


def test_every_action_has_a_word_of_its_own() -> None:
    """REC-1."""
    assert set(ACTION_WORDS) == set(AuditAction)
    assert len(set(ACTION_WORDS.values())) == len(AuditAction)
    for action, word in ACTION_WORDS.items():
        assert parse_log_filter(f"action:{word}").where.action == action
        assert parse_log_filter(f"action:{action}").where.action == action


@given(st.text(max_size=60))
def test_a_filter_is_read_or_refused_whatever_is_typed(typed: str) -> None:
    """No other error comes out of it."""
    try:
        parse_log_filter(typed)
    except ValueError:
        return


# Found lines


@given(
    st.sets(st.integers(0, 200)),
    st.integers(0, 200),
    st.lists(st.tuples(st.sampled_from(["older", "newer", "forget"]), st.integers(0, 60)), max_size=20),
)
def test_found_lines_are_those_of_the_stretch_that_was_looked_at(
    matching: set[int], end: int, steps: list[tuple[str, int]]
) -> None:
    """At both ends, and after lines have gone, they are what one look at the whole stretch would give."""
    found = FoundLines(end)
    for step, size in steps:
        if step == "older":
            first = max(0, found.first - size)
            found.add_older(first, sorted(matching & set(range(first, found.first)), reverse=True))
        elif step == "newer":
            last = found.last + size
            found.add_newer(last, sorted(matching & set(range(found.last, last))))
        else:
            found.forget_from(max(0, found.last - size))
        expected = sorted(matching & set(range(found.first, found.last)))
        assert [found.line_at(place) for place in range(len(found))] == expected
        for line in range(found.first, found.last + 1, 7):
            assert found.place_of(line) == sum(each < line for each in expected)


@given(st.integers(0, 9_000), st.integers(0, 9_000), st.booleans())
def test_a_search_looks_at_every_line_once_from_where_it_began(start: int, end: int, is_back: bool) -> None:
    """To one end of the log, and from the other one back."""
    start = min(start, end)
    course = Course("text", is_back, start, start)
    stretches = list(iter(lambda: course.next_stretch(end), None))
    looked_at = [line for first, last in stretches for line in range(first, last)[:: -1 if is_back else 1]]
    ahead, behind = range(start, end), range(start)
    assert looked_at == ([*behind[::-1], *ahead[::-1]] if is_back else [*ahead, *behind])


# How things stand


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, " audit · following · 1 line"),
        ({"line_count": None}, " audit"),
        ({"line_count": 0, "counting": (0, 0)}, " audit · counting, 0 of 0 B"),
        ({"line_count": 1_234_567, "new_rows": 12_345}, " audit · paused, 12 345 new · 1 234 567 lines"),
        ({"new_rows": 0, "is_searching": True}, " audit · paused · 1 line · searching, esc ends it"),
        ({"matches": Matches(1, 7, is_all=True)}, " audit · following · 1 match of 1 line"),
        (
            {"matches": Matches(2, 1000, is_all=False)},
            " audit · following · looking, 2 matches in the newest 1 000 lines",
        ),
    ],
)
def test_how_things_stand_is_said_in_one_line(changes: dict[str, Any], said: str) -> None:
    """TUI-5; nothing is said of lines before the first look."""
    standing = Standing("audit", 1, None, None, None, False, 0, True)
    assert shown(tuple(standing_pieces(replace(standing, **changes), UNICODE))) == said


@pytest.mark.parametrize(
    ("unreadable", "foreign", "is_all", "said"),
    [
        (0, 0, True, ""),
        (1, 0, True, "! 1 unreadable "),
        (1200, 0, False, "! 1 200 unreadable so far "),
        (0, 2, True, "! 2 of other programs "),
        (1, 2, False, "! 1 unreadable, 2 of other programs so far "),
    ],
)
def test_lines_that_are_not_of_the_store_are_counted(
    unreadable: int, foreign: int, is_all: bool, said: str
) -> None:
    """Anchors 38, REC-9."""
    standing = Standing("audit", 1, None, None, None, False, unreadable, is_all, foreign)
    assert shown(tuple(unreadable_pieces(standing, UNICODE))) == said


# Rows


@pytest.mark.parametrize("width", WIDTHS)
def test_a_row_stays_within_its_width_and_under_its_titles(width: int) -> None:
    """TUI-1: keys begin where their title does."""
    row = shown(
        audit_row(record(ts="2026-11-30T10:00:00.000000Z", action="memory_write", key="KEY"), setting(width))
    )
    titles = shown(audit_titles(width))
    if width >= 20:
        assert max(width_of(row), width_of(titles)) <= width
        assert row.index("KEY") == titles.index("key")
    assert width < 20 or width_of(shown(telemetry_titles(width))) <= width


@pytest.mark.parametrize(
    ("width", "ts", "time"),
    [
        (120, "2026-11-30T10:20:30.000000Z", "2026-11-30 10:20:30"),
        (80, "2026-11-30T10:20:30.000000Z", "10:20:30"),
        (80, "2026-11-03T10:20:30.000000Z", " 3 Nov 10:20"),
        (80, "2025-11-30T10:20:30.000000Z", "30 Nov 2025"),
        (40, "2026-11-30T10:20:30.000000Z", "10:20:30"),
        (40, "2026-11-03T10:20:30.000000Z", " 3 Nov"),
        (80, "yesterday", "yesterday"),
        (80, None, "no time"),
    ],
)
def test_the_date_is_told_where_it_is_not_todays_or_there_is_room(
    width: int, ts: str | None, time: str
) -> None:
    """A time of another form stands as it is."""
    row = shown(audit_row(record(ts=ts, action="memory_write", key="k"), setting(width)))
    assert row[1:].startswith(time)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {"action": "memory_write", "key": "a/b", "bytes": 17, "gene_id": "v2:aa"},
            ["written", "a/b", "17 B", "indent"],
        ),
        ({"action": "memory_update", "gene_id": "v2:" + "b" * 64}, ["updated", "v2:bbbbbbbbbbbb..."]),
        ({"action": "memory_evict", "key": "a/b"}, ["evicted", "to make room"]),
        (
            {
                "action": "memory_access_denied",
                "gene_id": "v2:aa",
                "operation": "write",
                "code": "MEMORY_ACCESS_DENIED",
            },
            ["refused", "indent · write · MEMORY_ACCESS_DENIED"],
        ),
        (
            {"action": "policy_change", "agent": "main", "actor": "deployer"},
            ["policy", "agent main", "deployer"],
        ),
        ({"action": "boot", "key": "k"}, ["no time", "! boot", "k"]),
        ({}, ["! another program's line"]),
        ({"ts": "2026-11-30T10:00:00Z", "key": "k"}, ["! another program's line, 2026-11-30T10:00:00Z"]),
        ({"action": "memory_write", "bytes": -5}, ["written"]),
    ],
)
def test_a_row_tells_what_happened(members: dict[str, object], words: list[str]) -> None:
    """The row grammar: time, word, key, size, agent, by whom or why."""
    row = shown(audit_row(record(**members), setting(140)))
    at = -1
    for word in words:
        assert row.find(word) > at
        at = row.find(word)
    assert "-5" not in row


def test_an_eviction_names_what_it_made_room_for_as_far_as_the_lines_read_tell() -> None:
    """QUO-4: the write comes last in the transaction."""
    lines = {
        10: record(action="memory_evict", txn=4, key="one"),
        11: record(action="memory_evict", txn=4, key="two"),
        12: record(action="memory_update", txn=4, key="three"),
        13: record(action="memory_evict", txn=5, key="four"),
        14: record(action="memory_write", txn=6, key="five"),
        20: record(action="memory_evict", txn=7, key="six"),
        30: record(action="memory_evict", key="without a transaction"),
        31: record(action="memory_write", key="seven"),
    }
    told = {number: room_made_for(each, lines, number) for number, each in lines.items()}
    assert told == {10: "three", 11: "three", 12: None, 13: None, 14: None, 20: None, 30: None, 31: None}
    assert "to make room for three" in shown(audit_row(lines[10], setting(140), "three"))
    assert "for three" in shown(audit_row(lines[10], setting(80), "three"))


def test_lines_that_hold_no_record_say_where_they_stand() -> None:
    """Anchors 38; a line whose end has not come is none of them (34)."""
    unreadable = UnreadableLine("audit.jsonl", 123, 5 << 20)
    assert shown(log_row(unreadable, setting(80))).split() == [
        "!",
        "unreadable:",
        "line",
        "123",
        "of",
        "audit.jsonl,",
        "5",
        "MB",
    ]
    assert "a line is being written, 40 B so far" in shown(begun_row(40, setting(80)))
    assert "···" in shown(unread_row(setting(80)))


def test_an_event_tells_which_call_of_which_gene_was_refused() -> None:
    """REC-4."""
    told = event(
        ts="2026-11-30T10:00:00.000000Z",
        event="memory_access_denied",
        operation="read",
        gene_id="v2:aa",
        gene_domain="format",
        code="MEMORY_ACCESS_DENIED",
    )
    assert shown(telemetry_row(told, setting(120))).split()[2:] == [
        "refused",
        "read",
        "indent",
        "format",
        "MEMORY_ACCESS_DENIED",
    ]
    assert shown(telemetry_row(told, setting(39))).split() == ["10:00:00", "refused", "read", "indent"]


@given(
    st.text(max_size=40), st.text(max_size=40), st.sampled_from(WIDTHS[3:]), st.sampled_from([UNICODE, ASCII])
)
def test_a_row_of_any_texts_has_the_cells_of_its_width(
    key: str, text: str, width: int, glyphs: object
) -> None:
    """Anchors 21: the columns stand where they stand."""
    plain = record(ts="t", action="memory_write", key="k", agent="a", code="c", operation="o", gene_id="g")
    odd = record(ts=text, action=text, key=key, agent=text, code=text, operation=text, gene_id=text)
    drawn_with = Setting(width, "2026-11-30", {}, glyphs)  # type: ignore[arg-type]
    for row in (
        audit_row(odd, drawn_with),
        telemetry_row(event(event=text, gene_id=key, code=text), drawn_with),
    ):
        assert width_of(shown(row)) <= width
        assert not any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp") for each in shown(row))
    columns = [width_of(piece.text) for piece in audit_row(odd, drawn_with)][:4]
    assert columns == [width_of(piece.text) for piece in audit_row(plain, drawn_with)][:4]


# Lines as they stand


def _raw(data: bytes, size_bytes: int | None = None) -> RawLine:
    return RawLine("audit.jsonl", 7, len(data) if size_bytes is None else size_bytes, data)


def test_a_record_is_laid_out_with_all_its_members_and_numbers_as_they_were_written() -> None:
    """Nothing is rounded, and of two members of one name both are there."""
    laid = laid_out(
        _raw(b'{"a":1.10,"a":12345678901234567890,"b":{"c":[1,{}],"d":[]},"e":NaN,"f":"\\u001b"}')
    )
    assert laid is not None
    assert laid == [
        "{",
        '  "a": 1.10,',
        '  "a": 12345678901234567890,',
        '  "b": {',
        '    "c": [',
        "      1,",
        "      {}",
        "    ],",
        '    "d": []',
        "  },",
        '  "e": NaN,',
        '  "f": "\\u001b"',
        "}",
    ]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 60_000, b'{"a":1}x'])
def test_what_is_no_json_is_not_laid_out_and_has_a_text(data: bytes) -> None:
    """Anchors 37, 39."""
    assert laid_out(_raw(data)) is None
    assert isinstance(text_of(_raw(data)), str)


def test_a_line_that_is_cut_says_so() -> None:
    """Anchors 36."""
    assert describe_raw(_raw(b"{}")) == "audit.jsonl, line 7, 2 B"
    assert describe_raw(_raw(b"x" * 1024, 5 << 20)) == "audit.jsonl, line 7, the first 1 KB of 5 MB"
    assert laid_out(_raw(b"{}", 300)) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=12,
    )
)
def test_what_is_laid_out_reads_back_to_the_same(value: object) -> None:
    """Only blanks are added."""
    laid = laid_out(_raw(json.dumps(value).encode()))
    assert laid is not None
    assert json.loads("\n".join(laid)) == value


@pytest.mark.parametrize("data", AUDIT_LINES.values(), ids=list(AUDIT_LINES))
def test_every_hostile_line_can_be_laid_out_or_not(data: bytes) -> None:
    """REC-5."""
    raw = _raw(data[: 64 << 10], len(data))
    laid = laid_out(raw)
    assert laid is None or laid
    assert text_of(raw) is not None


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            record(action="memory_write", key="a", actor="gene", gene_id="v2:aa", bytes=4),
            "a: written by indent, 4 bytes",
        ),
        (
            record(action="policy_change", agent="main", actor="deployer"),
            "policy of agent main by the deployer",
        ),
        (record(action="memory_aborted", reason="cut"), "revoked: cut"),
        (record(), "another program's line: it tells of no action of the store"),
        (record(action="theirs"), "theirs"),
        (
            event(operation="read", gene_id="v2:aa", code="MEMORY_ACCESS_DENIED"),
            "read by indent: MEMORY_ACCESS_DENIED",
        ),
        (event(), "a call by a gene without a v2 id: an event"),
        (UnreadableLine("audit.jsonl", 1, 1), "this line holds no JSON object"),
    ],
)
def test_a_record_is_told_in_a_sentence(told: AuditRecord, sentence: str) -> None:
    """Above the record as it stands."""
    assert summary_of(told, {"v2:aa": "indent"}) == sentence


def test_a_sentence_of_an_endless_member_has_an_end() -> None:
    """Anchors 36."""
    assert len(summary_of(record(action="memory_write", key="k" * (5 << 20)), {})) < 1000
