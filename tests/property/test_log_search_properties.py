"""What a search passes over without parsing holds nothing that was asked for (TUI-5)."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rotifer_store.audit_line import parse_object
from rotifer_store.log_search import holds_text, sieve_of, sift

TERMS = st.text(st.sampled_from('aAkK/"\\\n\t\x7féÉßſ\N{KELVIN SIGN}ﬁあ😀\ud83d{}'), min_size=1, max_size=4)
WAYS = st.lists(st.sampled_from(["plain", "escaped", "UPPER", "short"]), min_size=4, max_size=4)
SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\t": "\\t"}


def written(text: str, ways: list[str]) -> bytes:
    """A JSON string, each character in one of the ways in which JSON may have it."""
    parts = []
    for character, way in zip(text, ways * len(text), strict=False):
        units = character.encode("utf-16-be", "surrogatepass").hex()
        codes = [units[at : at + 4] for at in range(0, len(units), 4)]
        is_bare = character not in '"\\' and character >= " " and not "\ud800" <= character <= "\udfff"
        if way == "plain" and is_bare:
            parts.append(character)
        elif way == "short" and character in SHORT:
            parts.append(SHORT[character])
        else:
            parts.append("".join("\\u" + (code.upper() if way == "UPPER" else code) for code in codes))
    return ('"' + "".join(parts) + '"').encode()


@given(TERMS, TERMS, WAYS, WAYS)
@example("é\x7f", "a", ["escaped", "plain"], ["plain"])
@example("éあ", "a", ["escaped", "plain"], ["plain"])
def test_a_line_that_holds_a_term_is_parsed(
    key: str, action: str, ways: list[str], others: list[str]
) -> None:
    """REC-5: in whatever way its writer put it."""
    line = b'{"key":' + written(key, ways) + b',"action":' + written(action, others) + b"}"
    assert parse_object(line) == {"key": key, "action": action}
    for terms in ([[key]], [[action], [key]], [["never", key]], [[key], [action, "never"]]):
        assert 1 in sift([b"{}", line], sieve_of(terms, None)).candidates
    assert sift([line], sieve_of([[key + "never"]], None)).candidates in ([], [0])


@given(TERMS, TERMS, WAYS)
def test_a_line_whose_text_is_looked_for_is_parsed(value: str, text: str, ways: list[str]) -> None:
    """TUI-5: whatever its case, also where folding makes two characters of one."""
    line = b'{"key":' + written(value, ways) + b"}"
    members = parse_object(line)
    for asked in (text, value, value.swapcase(), value.casefold()):
        sieve = sieve_of([], asked)
        is_held = holds_text(line, members, sieve.text)
        assert is_held or asked.casefold() not in value.casefold()
        assert not is_held or sift([line], sieve).candidates == [0]


@given(st.binary(max_size=12))
@example("aß".encode())
def test_a_text_is_found_in_any_bytes(line: bytes) -> None:
    """REC-5: garbage is searched as it is shown."""
    text = line.decode("utf-8", "replace")
    for asked in (text, text[1:3]):
        sieve = sieve_of([], asked)
        assert not sieve.text or (
            holds_text(line, None, sieve.text) and sift([line], sieve).candidates == [0]
        )


OURS = json.dumps(
    {"ts": "2026-01-01T00:00:00.000000Z", "key": "k", "bytes": None}, separators=(",", ":")
).encode()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\r",
        b"null",
        b"[]",
        b"1",
        OURS[:-1],
        OURS[:-5] + OURS,
        OURS[1:],
        OURS[:20] + b"\0" * 8 + OURS[28:],
        OURS[:20] + b"\xff\xfe" + OURS[22:],
        b"\xef\xbb\xbf" + OURS,
        b" " + OURS,
    ],
)
def test_a_line_that_was_torn_is_looked_at(line: bytes) -> None:
    """REC-5, TUI-5: torn and garbage lines are counted whatever is searched for."""
    assert sift([OURS, line, OURS], sieve_of([["never"]], None)) == ([], [1])


def test_our_own_lines_are_passed_over_unparsed() -> None:
    """What the search saves."""
    assert sift([OURS], sieve_of([["never"]], None)) == ([], [])
    assert sift([OURS], sieve_of([], "never")) == ([], [])
    assert sift([OURS, OURS], sieve_of([], None)) == ([0, 1], [])
