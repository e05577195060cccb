"""Which lines of a log are worth parsing in a search (TUI-5).

Pure. A line is passed over only where no JSON that it might hold could be asked for, so what is left is
decided by the parsed record alone. Our own lines are ASCII on one line of known form; others may write theirs
in UTF-8, with other escapes, or no JSON at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from rotifer_store.tables import AuditAction

_UNUSUAL_ESCAPE = re.compile(rb"\\(?:/|u00(?:0[89acd]|[2-7])|u[0-9A-Fa-f]{0,3}[A-F])")
"""Escapes that no writer needs: with one, a text may stand in a line in a form that is not looked for."""


_KNOWN: Final = frozenset(AuditAction)
_OURS = re.compile(rb'"(?:action|event)":"(?:%s)"' % "|".join(AuditAction).encode("ascii"))


class Sieve(NamedTuple):
    """What a search looks for: of each group one form must be in a line; `text` is case-folded."""

    groups: tuple[tuple[bytes, ...], ...] = ()
    text: str = ""


class Sifted(NamedTuple):
    """Numbers of lines within a slice, ascending: those to parse, and those that are plainly no objects."""

    candidates: list[int]
    doubtful: list[int]


def sieve_of(terms: Iterable[Iterable[str]], text: str | None) -> Sieve:
    """A sieve for lines that hold one of each group of terms as a JSON string, and a text anywhere."""
    groups = tuple(tuple(sorted({form for term in group for form in _forms(term)})) for group in terms)
    return Sieve(groups, "" if text is None else text.casefold())


def sift(lines: Sequence[bytes], sieve: Sieve) -> Sifted:
    """The lines that may hold what is looked for, and those that may hold no JSON object."""
    return Sifted(_candidates(lines, sieve), _doubtful(lines))


def holds_text(line: bytes, members: Mapping[str, object] | None, text: str) -> bool:
    """Whether a case-folded text is in the line as it stands, or in one of its object's strings."""
    return text in line.decode("utf-8", "replace").casefold() or any(
        isinstance(value, str) and text in value.casefold() for value in (members or {}).values()
    )


def strange(lines: Sequence[bytes]) -> list[int]:
    """The lines that do not plainly tell of an action: other programs' may be among them (REC-9)."""
    return [at for at, line in enumerate(lines) if _OURS.search(line) is None]


def is_foreign(members: Mapping[str, object]) -> bool:
    """Whether an object tells of no action and no event that there is: it is another program's (REC-9)."""
    told = (members.get("action"), members.get("event"))
    return not any(isinstance(action, str) and action in _KNOWN for action in told)


def _forms(term: str) -> tuple[bytes, bytes]:
    """How JSON writers put a text between quotes: in ASCII or in UTF-8; a lone surrogate has one form."""
    plain = json.dumps(term, ensure_ascii=False)[1:-1]
    return json.dumps(term)[1:-1].encode("ascii"), plain.encode("utf-8", "replace")


def _candidates(lines: Sequence[bytes], sieve: Sieve) -> list[int]:
    found: Iterable[int] = range(len(lines))
    if sieve.groups:
        unusual = {at for at in found if b"\\" in lines[at] and _is_unusual(lines[at])}
        for forms in sieve.groups:
            kept = [{at for at in found if form in lines[at]} for form in forms]
            found = sorted(unusual.intersection(found).union(*kept))
    if sieve.text:
        # Folding changes characters beyond ASCII, some of them to ASCII; so do escapes.
        form = sieve.text.encode("ascii") if sieve.text.isascii() else b""
        found = [
            at
            for at in found
            if (form and form in lines[at].lower()) or b"\\" in lines[at] or not lines[at].isascii()
        ]
    return list(found)


def _is_unusual(line: bytes) -> bool:
    """Whether a line with escapes may have a text in other forms than all ASCII and all UTF-8."""
    return not line.isascii() or b"\x7f" in line or _UNUSUAL_ESCAPE.search(line) is not None


def _doubtful(lines: Sequence[bytes]) -> list[int]:
    """The lines that do not look like ours: then only parsing tells whether they are objects."""
    return [
        at
        for at, line in enumerate(lines)
        if line[:2] != b'{"'
        or line[-1:] != b"}"
        or not line.isascii()
        or line.find(b"{", 1) > 0
        or line.find(b"\0") >= 0
    ]
