"""What makes an entry worth a person's look: rules over a key, a value's beginning, and who wrote when. Pure.

It flags and removes nothing: what it finds may be harmless, and what it does not find need not be. A detail
names what was found, where and how often, and never quotes a value. A pattern repeats nothing without a
bound inside a repetition, so that a search takes time by the text's length alone.
"""

from __future__ import annotations

import binascii
import re
import unicodedata
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import AnyStr, Final, NamedTuple

from rotifer_store.model import EntryInfo, Gene, Reason
from rotifer_store.tables import BURST_REFUSALS, BURST_WINDOW_S, BURST_WRITES, MemoryCategory, ReviewKind

_BURST_WINDOW_US: Final = BURST_WINDOW_S * 1_000_000


class HiddenRow(NamedTuple):
    """One kind of characters that nobody sees: what a detail calls them, and their pattern."""

    name: str
    pattern: re.Pattern[str]


_JOINED: Final = "[^\\x00-\\x7f\u200b-\u200f\u2060-\u2064\ufeff]"
"""What a joiner may stand between: emoji, and letters of the scripts that need it."""
_IDEOGRAPHS: Final = "\u3400-\u9fff\U00020000-\U0003ffff"
_TAGS: Final = "\U000e0000-\U000e007f"
_SELECTORS: Final = "\U000e0100-\U000e01ef"

HIDDEN_IN_VALUES: Final = (
    HiddenRow("bidirectional controls", re.compile("[\u202a-\u202e\u2066-\u2069]")),
    HiddenRow(
        "zero-width characters",
        re.compile(
            f"[\u034f\u180e\u200b\u2060-\u2064]|(?<!\\A)\ufeff"
            f"|(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})"
        ),
    ),
    HiddenRow(
        "tag characters", re.compile(f"(?<![\U0001f3f4{_TAGS}])[{_TAGS}]|(?<=\U0001f3f4)[{_TAGS}]{{8}}")
    ),
    HiddenRow(
        "variation selectors",
        re.compile(
            f"[\ufe00-\ufe0f{_SELECTORS}]{{2}}|(?<![{_IDEOGRAPHS}])[{_SELECTORS}]"
            "|(?<![^\x00-\x7f])(?<![0-9#*])[\ufe00-\ufe0f]"
        ),
    ),
    HiddenRow("blank letters", re.compile("[\u115f\u1160\u17b4\u17b5\u3164\uffa0]")),
    HiddenRow("control characters", re.compile("[\\x00-\\x08\\x0b\\x0e-\\x1f\\x7f-\\x9f\ufff9-\ufffb]")),
)
"""Characters that nobody sees. What a text needs is none of them: a byte order mark in front, a joiner within
an emoji or between letters beyond ASCII, the tags of a flag, the variant of an ideograph, lines and tabs."""

_DIRECTION_MARKS: Final = HiddenRow("direction marks", re.compile("[\u061c\u200e\u200f]"))
"""Hidden where no letter runs from right to left; text with such letters needs them."""
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u05ff\u0620-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]"
)

HIDDEN_IN_KEYS: Final = (
    *HIDDEN_IN_VALUES,
    _DIRECTION_MARKS,
    HiddenRow("line breaks, tabs and soft hyphens", re.compile("[\t\n\x0c\r\xad\u2028\u2029]")),
    HiddenRow("a byte order mark", re.compile("\\A\ufeff")),
)


class PhraseRow(NamedTuple):
    """One thing that text can say: what a detail calls it, its pattern, and words in lower case.

    One of the words is in whatever the pattern finds: looking for words is far faster than the search.
    """

    name: str
    pattern: re.Pattern[str]
    words: tuple[str, ...]


def _spoken(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_EARLIER: Final = "(?:previous|prior|above|earlier|preceding|foregoing|existing|system|other)"
_ORDERS: Final = "(?:instructions?|prompts?|rules?|directions?|directives?|guidelines?|commands?)"
_PERSON: Final = "(?:users?|humans?|operators?|owners?|deployers?|developers?|administrators?|anyone|anybody)"
_SECRETS: Final = "(?:passwords?|secrets?|tokens?|api[ _-]?keys?|credentials?|private keys?|conversations?)"

INSTRUCTIONS: Final = (
    PhraseRow(
        "a call to ignore earlier instructions",
        _spoken(
            rf"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{{0,40}}\b{_EARLIER}\b"
            rf"[^.\n]{{0,20}}\b{_ORDERS}\b"
            rf"|\b(?:ignore|disregard|forget) (?:all|any|everything|every)\b"
            rf"[^.\n]{{0,30}}\b(?:{_ORDERS}|above|before)\b"
        ),
        ("ignore", "disregard", "forget", "override", "bypass"),
    ),
    PhraseRow(
        "a call to ignore earlier instructions, not in English",
        _spoken(
            r"\bignorier(?:e|en)\b[^.\n]{0,30}\b(?:vorherigen|bisherigen|obigen|früheren)\b[^.\n]{0,20}\banweisungen\b"
            r"|\bignor(?:a|e|ez|er)\b[^.\n]{0,30}\binstruc(?:ciones|tions|ções)\b[^.\n]{0,20}\b(?:anteriores|précédentes)\b"
            r"|\bignora\b[^.\n]{0,30}\bistruzioni\b[^.\n]{0,20}\bprecedenti\b"
            r"|игнорируй[^.\n]{0,30}инструкции"
            r"|(?:忽略|无视|無視)[^。\n]{0,12}(?:指令|指示|提示|命令)"
            r"|(?:指示|命令)[^。\n]{0,8}無視"
        ),
        ("ignor", "игнорируй", "忽略", "无视", "無視"),
    ),
    PhraseRow(
        "talk of a system prompt",
        _spoken(r"\b(?:system|developer)[ _-]?prompts?\b"),
        ("prompt",),
    ),
    PhraseRow(
        "an order to whoever reads it",
        _spoken(
            r"\byou (?:must|shall|are required to|have to) (?:always|never|now|only|obey|comply|follow)\b"
            r"|\bfrom now on\b[^.\n]{0,30}\b(?:you|always|never|respond|answer|reply)\b"
        ),
        ("you must", "you shall", "you are req", "you have to", "from now on"),
    ),
    PhraseRow(
        "a change of role",
        _spoken(
            r"\byou are (?:now|no longer) (?:an?|the|in|my|bound|restricted|required)\b"
            r"|\byou are (?:an?|the|my) [^.,\n]{1,24} now\b"
            r"|\b(?:pretend|act|behave|respond)\b"
            r"[^.\n]{0,20}\b(?:unrestricted|jailbroken|without restrictions)\b"
            r"|\bpretend (?:to be|that you are|you are)\b"
        ),
        ("you are ", "pretend", "unrestricted", "jailbroken", "without restrictions"),
    ),
    PhraseRow(
        "a call to keep something from a person",
        _spoken(
            rf"\b(?:do not|don't|never) (?:tell|inform|mention|reveal|alert|notify|warn)\b"
            rf"[^.\n]{{0,30}}\b{_PERSON}\b"
            rf"|\bwithout (?:telling|informing|alerting|notifying|warning|asking)\b"
            rf"[^.\n]{{0,30}}\b{_PERSON}\b"
        ),
        ("do not ", "don't ", "never ", "without "),
    ),
    PhraseRow(
        "a call to send secrets away",
        _spoken(
            rf"\b(?:send|post|upload|forward|submit|exfiltrate|transmit|append)\b[^\n]{{0,60}}\b{_SECRETS}\b"
            r"[^\n]{0,60}\b(?:https?|ftp)://"
        ),
        ("://",),
    ),
    PhraseRow(
        "a claim to be trusted",
        _spoken(
            r"\bremember\b[^.\n]{0,60}\bas (?:an?|the|your|my)\b"
            r"[^.\n]{0,20}\b(?:trusted|authoritative|reliable|preferred)\b"
            r"|\balways (?:trust|obey|comply with)\b"
        ),
        ("remember", "always "),
    ),
    PhraseRow(
        "the marks of a chat template",
        _spoken(
            r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id)\|>|\[/?INST\]|<</?SYS>>"
            r"|</?(?:system|system[_-](?:prompt|reminder|message))>"
        ),
        ("<|", "inst]", "sys>>", "<system", "</system"),
    ),
)
"""Text that speaks to a model instead of telling it something. Docs and prompts that an agent remembers on
purpose speak so too: a person decides."""


class PayloadRow(NamedTuple):
    """One thing that decoded bytes can be, as a PhraseRow has it."""

    name: str
    pattern: re.Pattern[bytes]
    words: tuple[bytes, ...]


PAYLOADS: Final = (
    PayloadRow(
        "a script",
        re.compile(
            rb"<script\b|#!\s?/|\bpowershell\b|\b(?:curl|wget)\s+-|\b(?:curl|wget)\s+[\"']?https?:"
            rb"|\b(?:ba|z|da)?sh\s+-c\b|\beval\s?\(|\bexec\s?\(|\bos\.system\b|\bsubprocess\b"
            rb"|\bimport\s+(?:os|socket|subprocess)\b|\binvoke-expression\b|\biex\s?\(|\bdocument\.cookie\b"
            rb"|\brm\s+-rf\b|\bjavascript:",
            re.IGNORECASE,
        ),
        (
            *(b"<script", b"#!", b"powershell", b"curl", b"wget", b"sh", b"eval", b"exec", b"system"),
            *(b"subprocess", b"import", b"invoke-", b"iex", b"cookie", b"-rf", b"javascript:"),
        ),
    ),
    PayloadRow("a URL", re.compile(rb"\b(?:https?|ftp|wss?)://[^\s/]", re.IGNORECASE), (b"://",)),
)
"""What encoded text should not hide, the worse first."""


def _from_base64(run: bytes) -> bytes:
    digits = run.translate(_TO_STANDARD, b"\r\n=")
    whole = digits[: len(digits) - 1] if len(digits) % 4 == 1 else digits
    return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))


def _from_hex(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"\\x", b"").decode("ascii"))


class EncodingRow(NamedTuple):
    """One way to spell bytes as text: its name, what a run of it looks like, how it is read."""

    name: str
    run: re.Pattern[bytes]
    decode: Callable[[bytes], bytes]


_TO_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
ENCODINGS: Final = (
    EncodingRow(
        "base64",
        re.compile(rb"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}"),
        _from_base64,
    ),
    EncodingRow(
        "hex",
        re.compile(rb"(?:\\x[0-9A-Fa-f]{2}){8,}|(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){8,}"),
        _from_hex,
    ),
)


def reasons_to_look(
    entry: EntryInfo, value_start: bytes, genome: Mapping[str, Gene], burst: Burst | None
) -> Iterator[Reason]:
    """Everything that speaks for a look at an entry.

    Args:
        entry: the live entry.
        value_start: its value, up to REVIEWED_VALUE_BYTES of it.
        genome: the genes of the genome by v2 id.
        burst: the burst in which the entry was written as it is now.
    """
    if (
        entry.category is MemoryCategory.PREFERENCE
        and entry.expires_at_us is None
        and entry.created_by not in genome
    ):
        yield Reason(
            ReviewKind.PREFERENCE_OUTSIDE_GENOME,
            f"{MemoryCategory.PREFERENCE} that never expires, by a gene outside the genome"
            f"{_of_the_domain(entry.created_domain, genome.values())}",
        )
    if burst is not None:
        yield Reason(
            ReviewKind.BURST_AFTER_REFUSALS,
            f"one of {len(burst.writes)} keys that the gene wrote within {BURST_WINDOW_S // 60} minutes "
            f"of being refused {BURST_REFUSALS} times",
        )
    for place, data in (("key", entry.key.encode()), ("value", value_start)):
        text = _text_of(data)
        yield from _hidden(place, text)
        yield from _instructions(place, data, text)
        yield from _encoded(place, data)


def _of_the_domain(domain: str, genome: Iterable[Gene]) -> str:
    """Which gene of the creator's domain is in the genome, as one is after an ordinary upgrade."""
    names = [gene.name for gene in genome if gene.domain == domain]
    if not names:
        return ""
    first = names[0] or "another"
    if len(names) == 1:
        return f"; {first}, of the same domain, is in it now"
    return f"; {first} and {len(names) - 1} more, of the same domain, are in it now"


def _text_of(data: bytes) -> str | None:
    """The text that bytes are, without the piece of a character at a cut; None where they are no text."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if error.end < len(data) or error.reason != "unexpected end of data":
            return None
        text = data[: error.start].decode()
    return None if "\0" in text else text


def _hidden(place: str, text: str | None) -> Iterator[Reason]:
    if text is None:
        return
    if place == "key":
        rows: Iterable[HiddenRow] = HIDDEN_IN_KEYS
    elif text.isascii() or _RIGHT_TO_LEFT.search(text):
        rows = HIDDEN_IN_VALUES
    else:
        rows = (*HIDDEN_IN_VALUES, _DIRECTION_MARKS)
    for row in rows:
        found = row.pattern.search(text)
        if found is None:
            continue
        count = sum(1 for _ in row.pattern.finditer(text))
        if place == "value" and row.name == "control characters" and count * 10 > len(text):
            return  # bytes that only happen to be text: they hide nothing from a reader of text
        yield Reason(
            ReviewKind.HIDDEN_CHARACTERS, _told(row.name, place, count, len(text[: found.start()].encode()))
        )


def _instructions(place: str, data: bytes, text: str | None) -> Iterator[Reason]:
    # Bytes that are no text are searched all the same: one bad byte must not hide a sentence.
    as_it_is = data.decode("latin-1") if text is None else text
    lowered = as_it_is.lower()
    missed = []
    for row in INSTRUCTIONS:
        found = row.pattern.search(as_it_is) if _has_any(row.words, lowered) else None
        if found is None:
            missed.append(row)
            continue
        count = sum(1 for _ in row.pattern.finditer(as_it_is))
        before = as_it_is[: found.start()]
        offset = len(before) if text is None else len(before.encode())
        yield Reason(ReviewKind.INSTRUCTION_LIKE, _told(row.name, place, count, offset))
    if text is None or text.isascii():
        return
    unmasked = _unmasked(text)
    lowered = unmasked.lower()
    for row in missed if unmasked != text else ():
        if _has_any(row.words, lowered) and row.pattern.search(unmasked):
            yield Reason(
                ReviewKind.INSTRUCTION_LIKE,
                f"{row.name} in the {place}, once hidden and look-alike characters are taken away",
            )


def _unmasked(text: str) -> str:
    """The text with plain letters for styled ones, and without what nobody sees."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")


def _encoded(place: str, data: bytes) -> Iterator[Reason]:
    for encoding in ENCODINGS:
        counts: dict[str, tuple[int, int]] = {}
        for run in encoding.run.finditer(data):
            payload = _payload_of(encoding.decode(run.group()))
            if payload is None and b"\n" in run.group():  # words of a next line may look like more of it
                payload = _payload_of(encoding.decode(run.group().partition(b"\n")[0]))
            if payload is not None:
                count, first = counts.get(payload, (0, run.start()))
                counts[payload] = count + 1, first
        for payload, (count, first) in counts.items():
            what = f"{encoding.name} that decodes to {payload}"
            yield Reason(ReviewKind.ENCODED_PAYLOAD, _told(what, place, count, first))
    if b"%" in data:
        # Parameters are encoded every day: what counts is what shows only once they are decoded.
        decoded = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode("ascii")), data)
        for row, shown in ((PAYLOADS[0], PAYLOADS[0].pattern), (PAYLOADS[1], _SCHEME)):
            count = _count(row.pattern, decoded) if _has_any(row.words, decoded.lower()) else 0
            count -= _count(shown, data) if count else 0
            if count > 0:
                what = f"percent-encoded text that decodes to {row.name}"
                yield Reason(ReviewKind.ENCODED_PAYLOAD, _told(what, place, count, data.find(b"%")))


_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_SCHEME: Final = re.compile(rb"\b(?:https?|ftp|wss?)(?=:|%3a)", re.IGNORECASE)
_UNPRINTED: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def _payload_of(decoded: bytes) -> str | None:
    """What decoded bytes should not have been hidden for; None for all that is no text."""
    if len(decoded) > 3 and not any(decoded[1::2]):  # UTF-16, as some shells take their scripts
        decoded = decoded[::2]
    if _UNPRINTED.search(decoded):
        return None
    try:
        decoded.decode()
    except UnicodeDecodeError:
        return None
    lowered = decoded.lower()
    for row in PAYLOADS:
        if _has_any(row.words, lowered) and row.pattern.search(decoded):
            # An object in JSON is what tokens and source maps are made of, and they name addresses.
            return None if row is PAYLOADS[1] and decoded.startswith(b'{"') else row.name
    return None


def _has_any(words: Collection[AnyStr], text: AnyStr) -> bool:
    return any(word in text for word in words)


def _count(pattern: re.Pattern[bytes], data: bytes) -> int:
    return sum(1 for _ in pattern.finditer(data))


def _told(what: str, place: str, count: int, first_byte: int) -> str:
    if count == 1:
        return f"{what} in the {place}, at byte {first_byte}"
    return f"{what} in the {place}, {count} times, the first at byte {first_byte}"


# Bursts


@dataclass(slots=True)
class Burst:
    """Keys that one gene wrote soon after it had been refused, each with the instant of its last write."""

    writes: dict[str, int] = field(default_factory=dict)
    last_us: int = 0


class BurstWatch:
    """Follows one agent's log and keeps which keys were written in a burst after refusals.

    A class because it is fed: a log may be longer than memory. Order is the log's; a clock that was set back
    does not hide a burst.
    """

    def __init__(self) -> None:
        self._refusals: dict[str, deque[int]] = {}
        self._bursts: dict[str, Burst] = {}
        self._found: dict[str, tuple[int, Burst]] = {}

    @property
    def is_alert(self) -> bool:
        """Whether a write could belong to a burst; where not, writes need not be told."""
        return any(len(refusals) == BURST_REFUSALS for refusals in self._refusals.values())

    def refused(self, gene_id: str, at_us: int) -> None:
        """Takes a refused access."""
        self._refusals.setdefault(gene_id, deque(maxlen=BURST_REFUSALS)).append(at_us)

    def wrote(self, gene_id: str, key: str, at_us: int) -> None:
        """Takes a write."""
        for refused_id in [*self._refusals]:
            refusals = self._refusals[refused_id]
            while refusals and at_us - refusals[0] > _BURST_WINDOW_US:
                refusals.popleft()
            if not refusals:
                del self._refusals[refused_id]
        if len(self._refusals.get(gene_id, ())) < BURST_REFUSALS:
            return
        burst = self._bursts.get(gene_id)
        if burst is None or at_us - burst.last_us > _BURST_WINDOW_US:
            burst = self._bursts[gene_id] = Burst()
        burst.writes[key] = burst.last_us = at_us
        if len(burst.writes) >= BURST_WRITES:
            for written, written_at_us in burst.writes.items():
                self._found[written] = written_at_us, burst

    def burst_of(self, key: str, created_at_us: int, updated_at_us: int) -> Burst | None:
        """The burst in which an entry was written as it is now; one rewritten since belongs to none."""
        found = self._found.get(key)
        return found[1] if found is not None and max(found[0], created_at_us) == updated_at_us else None
