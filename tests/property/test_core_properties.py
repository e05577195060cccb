"""Properties of the pure core: times as instants, the chain of lines, room that is made, expiry instants."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rotifer_store.audit_line import AuditEvent, Link, chained_line, encode_line, ends_with, parse_object
from rotifer_store.model import Counters, Held
from rotifer_store.quota import counters_after, victims
from rotifer_store.retention import expires_at_us, is_expired, stored_expiry_us
from rotifer_store.rfc3339 import format_us, parse_rfc3339
from rotifer_store.tables import Actor, AuditAction, MemoryCategory, Operation

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FIRST_US = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // MICROSECOND
LAST_US = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


def for_all(*strategies):
    """Many examples in every profile: nothing here touches a disk."""
    return lambda test: settings(max_examples=300)(given(*strategies)(test))


instants_us = st.integers(FIRST_US, LAST_US)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)


# --- times (ENT-5, INP-4) ----------------------------------------------------------------------------


def days_before_year(year):
    """Days from the start of year 0000 to the start of `year`, leap years counted one by one."""
    return 365 * year + sum(1 for y in range(0, year, 4) if y % 100 or y % 400 == 0)


DAYS_TO_EPOCH = days_before_year(1970)
MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@st.composite
def times(draw):
    """An RFC 3339 time and the exact number of seconds since the epoch that it stands for."""
    year = draw(st.integers(0, 9999) | st.sampled_from([0, 1, 4, 100, 400, 1969, 1970, 2000, 9999]))
    month = draw(st.integers(1, 12))
    in_month = [31, 29 if is_leap(year) else 28, *MONTHS[2:]]
    day = draw(st.integers(1, in_month[month - 1]))
    hour, minute = draw(st.integers(0, 23)), draw(st.integers(0, 59))
    second = draw(st.integers(0, 60))
    digits = draw(st.text("0123456789", max_size=12))
    zone_sign, zone_hour, zone_minute = draw(
        st.tuples(st.sampled_from([-1, 1]), st.integers(0, 23), st.integers(0, 59)) | st.just((1, 0, 0))
    )
    letter = draw(st.sampled_from("Tt"))
    zone = f"{'+' if zone_sign > 0 else '-'}{zone_hour:02}:{zone_minute:02}"
    if (zone_hour, zone_minute) == (0, 0):
        zone = draw(st.sampled_from(["Z", "z", zone]))
    fraction = f".{digits}" if digits else ""
    text = f"{year:04}-{month:02}-{day:02}{letter}{hour:02}:{minute:02}:{second:02}{fraction}{zone}"
    days = days_before_year(year) + sum(in_month[: month - 1]) + day - 1 - DAYS_TO_EPOCH
    minutes = hour * 60 + minute - zone_sign * (zone_hour * 60 + zone_minute)
    seconds = days * 86_400 + minutes * 60 + second
    return text, seconds + Fraction(int(digits or "0"), 10 ** len(digits))


@for_all(times(), st.integers(-2, 2))
def test_a_bound_splits_entries_exactly_where_its_instant_lies(time, step):
    """INP-3, INP-4: comparing whole microseconds with the bound equals comparing exact fractions."""
    text, seconds = time
    bound = parse_rfc3339(text)

    assert bound.us == seconds * 1_000_000 // 1
    assert bound.beyond == (seconds * 1_000_000 != bound.us)
    updated_us = bound.us + step
    assert (updated_us >= bound.ceiling_us()) == (Fraction(updated_us, 1_000_000) >= seconds)


@for_all(times(), times())
def test_bounds_are_ordered_as_the_instants_they_name(one, other):
    """INP-3: as instants, never as text."""
    parsed = [parse_rfc3339(one[0]), parse_rfc3339(other[0])]
    if one[1] <= other[1]:
        assert parsed[0].ceiling_us() <= parsed[1].ceiling_us()
    else:
        assert parsed[0].ceiling_us() >= parsed[1].ceiling_us()


@for_all(instants_us)
def test_a_written_time_reads_back_as_itself_and_has_six_digits(us):
    """ENT-5."""
    text = format_us(us)

    assert parse_rfc3339(text) == (us, False)
    assert len(text) == len("2026-11-30T17:02:21.123456Z")
    assert EPOCH + timedelta(microseconds=us) == datetime.fromisoformat(text)


@for_all(instants_us, instants_us)
def test_written_times_sort_as_their_instants(one, other):
    """ENT-5: fixed width makes text order and time order the same."""
    assert (format_us(one) < format_us(other)) == (one < other)


@for_all(times(), st.data(), st.sampled_from(" x+\n\0٣T"))
def test_a_time_with_anything_put_into_it_is_refused(time, data, intruder):
    """INP-4: no blank, sign, line feed, other letter or other script's digit is skipped over."""
    text, _ = time
    place = data.draw(st.integers(0, len(text)))

    with pytest.raises(ValueError, match="RFC 3339"):
        parse_rfc3339(text[:place] + intruder + text[place:])


# --- expiry (POL-4) ----------------------------------------------------------------------------------

update_instants_us = st.integers(-(10**17), 10**17)
days = st.integers(1, 2_147_483_647)


@for_all(
    st.integers(-(10**17), 10**17), st.none() | st.integers(1, 2_147_483_647), st.integers(-(10**18), 10**18)
)
def test_the_stored_expiry_decides_as_the_exact_one_does(updated_us, days, now_us):
    """POL-4: the cap that 64 bits force on the stored instant changes no answer."""
    exact = expires_at_us(updated_us, days)

    assert is_expired(stored_expiry_us(updated_us, days), now_us) == (exact is not None and now_us >= exact)


@for_all(update_instants_us, days)
def test_an_entry_lives_until_its_instant_and_not_at_it(updated_us, days):
    """POL-4."""
    at_us = updated_us + days * 86_400_000_000
    assume(at_us < 2**63)

    assert not is_expired(stored_expiry_us(updated_us, days), at_us - 1)
    assert is_expired(stored_expiry_us(updated_us, days), at_us)


# --- room (QUO-3, QUO-4) -----------------------------------------------------------------------------


def held(ref, category_stored, size_bytes):
    """An entry as the rules see it; only row, category and size matter here."""
    id_and_domain = ("v2:" + "0" * 64, "formatter")
    return Held(
        ref, f"k{ref}", category_stored, size_bytes, *id_and_domain, "", 0, 0, 0, 0, 0, None, None, None, b""
    )


sizes = st.lists(st.integers(1, 50), min_size=1, max_size=12)


@for_all(sizes, st.integers(1, 400), st.none() | st.integers(0, 11))
def test_room_is_made_in_order_with_no_entry_more_than_needed(sizes, needed_bytes, spared_at):
    """QUO-4, QUO-3: a prefix of the candidates without the rewritten one; the last of them was necessary."""
    candidates = [held(ref, 0, size) for ref, size in enumerate(sizes)]
    spared = None if spared_at is None or spared_at >= len(candidates) else candidates[spared_at]
    allowed = [entry for entry in candidates if entry is not spared]
    assume(sum(entry.size_bytes for entry in allowed) >= needed_bytes)

    evicted = victims(iter(candidates), needed_bytes, spared)

    assert evicted == allowed[: len(evicted)]
    assert sum(entry.size_bytes for entry in evicted) >= needed_bytes
    assert sum(entry.size_bytes for entry in evicted[:-1]) < needed_bytes


placed = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 500)), max_size=12)


@for_all(placed, st.data(), placed)
def test_counters_after_a_change_equal_a_fresh_count(before, data, added):
    """QUO-1."""
    entries = [held(ref, *place) for ref, place in enumerate(before)]
    gone = data.draw(
        st.lists(st.sampled_from(entries), unique_by=lambda e: e.ref) if entries else st.just([])
    )
    start = counters_after(Counters(), (), before)

    counters = counters_after(start, gone, added)

    left = [place for ref, place in enumerate(before) if ref not in {entry.ref for entry in gone}] + added
    fresh = [
        number
        for stored in range(4)
        for number in (
            sum(1 for category, _ in left if category == stored),
            sum(size for category, size in left if category == stored),
        )
    ]
    assert list(counters) == fresh
    assert counters.used_bytes == sum(size for _, size in left)


# --- lines (REC-5) -----------------------------------------------------------------------------------


@st.composite
def audit_events(draw):
    """A line's content with hostile texts wherever a text may stand."""
    text = st.none() | texts | st.just('x"},"hash":"' + "0" * 64 + '"}\n')
    return AuditEvent(
        draw(st.sampled_from(AuditAction)),
        draw(st.sampled_from(Actor)),
        draw(st.sampled_from(Operation)),
        agent_id=draw(text),
        agent=draw(text),
        gene_id=draw(text),
        gene_domain=draw(text),
        key=draw(text),
        category=draw(st.none() | st.sampled_from(MemoryCategory)),
        old_category=draw(st.none() | st.sampled_from(MemoryCategory)),
        entry_id=draw(text),
        bytes=draw(st.none() | st.integers(0, 1_048_576)),
        value_hmac=draw(text),
        reason=draw(text),
    )


@for_all(st.lists(audit_events(), min_size=1, max_size=4), st.integers(0, 10**12))
def test_whatever_a_record_holds_it_is_one_line_of_a_chain(events, seq):
    """REC-5, REC: a line feed only at the end; the text parses back; each line points at the one before."""
    link = Link(seq, "0" * 64)
    for event in events:
        line, after = encode_line(event, "2026-01-01T00:00:00.000000Z", link, seq + 1)

        assert line.index(b"\n") == len(line) - 1
        assert line.isascii()
        members = parse_object(line)
        assert members == json.loads(line)
        assert (members["key"], members["reason"], members["bytes"]) == (event.key, event.reason, event.bytes)
        assert (members["seq"], members["prev_hash"]) == (link.seq + 1, link.hash)
        assert chained_line(line, members).link == after
        assert ends_with(line, after)
        link = after


@for_all(audit_events(), st.data())
def test_a_line_with_one_byte_changed_is_no_link_any_more(event, data):
    """REC: an edited line shows."""
    line, _ = encode_line(event, "2026-01-01T00:00:00.000000Z", Link(7, "0" * 64), 8)
    place = data.draw(st.integers(0, len(line) - 2))
    other = data.draw(st.integers(0x20, 0x7E).filter(lambda byte: byte != line[place]))
    edited = line[:place] + bytes([other]) + line[place + 1 :]

    members = parse_object(edited)

    if members is not None and members.keys() == json.loads(line).keys():
        assert chained_line(edited, members) is None
