"""The selected entry in lines: every member, policies in words, who may what, its life, its value (TUI-4).

Pure. What is shown of a value is bounded, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rotifer_console.dashboard.cells import Line, Piece, fit, width_of, wrapped
from rotifer_console.dashboard.entry_rows import expiry_piece
from rotifer_console.dashboard.examining import Examined
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.columns import short_id
from rotifer_console.view.entries import describe_retention
from rotifer_console.view.instants import since_words, to_the_second
from rotifer_console.view.sizes import format_size
from rotifer_console.view.values import hex_lines, json_lines, shown_value
from rotifer_store import EntryInfo, Scope, SharePolicy

VALUE_FORMS: Final = ("text", "JSON", "hex")
_SHOWN_BYTES: Final = 16 << 10
_SHOWN_JSON_BYTES: Final = 64 << 10
_SHOWN_LINES: Final = 400
_NAME_WIDTH: Final = 8
_GENE_WIDTH: Final = 14
_RIGHTS_WIDTH: Final = len("read write delete ")
_NO_ACCESS: Final = "no access"
_SCOPE_WORDS: Final = {
    Scope.SAME_DOMAIN: "genes of the same domain",
    Scope.CREATOR_GENE_ONLY: "its creator only",
    Scope.ALL_GENES: "every gene of the agent",
    Scope.DEPLOYER_CONFIGURED: "nobody",
}
_SHARE_WORDS: Final = {
    SharePolicy.PRIVATE: "stays with this agent",
    SharePolicy.ANONYMIZED_SHARE: "may be shared, anonymized",
    SharePolicy.KNOWLEDGE_GENE: "may become a knowledge gene",
}


def entry_lines(
    entry: EntryInfo,
    examined: Examined | None,
    life: Sequence[str] | None,
    creators: Mapping[str, str],
    width: int,
    now_us: int,
    glyphs: Glyphs,
    *,
    value_form: str,
) -> list[Line]:
    """The lines from top to bottom; what has not been looked up yet says so."""

    def named(name: str, *texts: tuple[str, str] | str) -> Line:
        pieces = [text if isinstance(text, tuple) else (text, "") for text in texts]
        return (
            Piece(fit(name, _NAME_WIDTH), "dim"),
            Piece(" "),
            *(Piece(text, role) for text, role in pieces),
        )

    def who(gene_id: str) -> str:
        return fit_text(creators.get(gene_id) or short_id(gene_id), max(4, width - _NAME_WIDTH - 4))

    policy = entry.access_policy
    lines: list[Line] = [(Piece(part, "strong"),) for part in wrapped(entry.key, width)]
    lines += [
        (
            Piece(f"{glyphs.category[entry.category]} {entry.category}", entry.category),
            Piece(f"   {format_size(entry.size_bytes)}"),
        ),
        (),
        named("created", to_the_second(entry.created_at)),
        named("", f"by {who(entry.created_by)}"),
        named("", (fit_text(f"of domain {entry.created_domain}", width - _NAME_WIDTH - 1), "dim")),
        named("updated", to_the_second(entry.updated_at)),
        named("", (since_words(entry.updated_at, now_us), "dim")),
        named("used", (f"by {who(entry.last_accessed_by)}", "")),
        named("expires", expiry_piece(entry.expires_at_us, now_us)),
        *([named("", (to_the_second(entry.expires_at), "dim"))] if entry.expires_at is not None else []),
        (),
        *_spread("read", _SCOPE_WORDS[policy.read_scope], width),
        *_spread("write", _SCOPE_WORDS[policy.write_scope], width),
        *_spread("share", _SHARE_WORDS[policy.share_policy], width),
        *_spread("keep", describe_retention(entry.retention_policy), width),
        (),
        (Piece("who in the genome", "accent"),),
        *_who_lines(examined, width),
        (),
        (Piece("life", "accent"),),
        *_life_lines(life, width),
        (),
        *value_lines(examined, width, value_form),
        (),
        *_spread("entry id", entry.entry_id, width),
        *_spread("creator", entry.created_by, width),
    ]
    return lines


def fit_text(text: str, width: int) -> str:
    """The safe text, cut to a width but not padded."""
    return fit(text, width).rstrip(" ")


def _spread(name: str, text: str, width: int) -> list[Line]:
    parts = wrapped(text, max(4, width - _NAME_WIDTH - 1))
    return [
        (Piece(fit(name if index == 0 else "", _NAME_WIDTH), "dim"), Piece(" "), Piece(part.strip(" ")))
        for index, part in enumerate(parts)
    ]


def _who_lines(examined: Examined | None, width: int) -> list[Line]:
    if examined is None:
        return [(Piece("  looking", "dim"),)]
    if not examined.who:
        return [(Piece("  the agent has no genes", "dim"),)]
    lines: list[Line] = []
    for gene, verdict, problem in examined.who:
        if verdict is None:
            lines.append((Piece(f"  {fit_text(gene, width - 4)}"),))
            lines += [(Piece(f"    {part}", "warning"),) for part in wrapped(problem or "", width - 4)]
            continue
        decisions = (("read", verdict.read), ("write", verdict.write), ("delete", verdict.delete))
        has_some = any(decision.allowed for _, decision in decisions)
        rights = [
            Piece(
                f"{word} " if decision.allowed else f"{'-' * len(word)} ",
                "success" if decision.allowed else "dim",
            )
            for word, decision in decisions
        ]
        if not has_some:
            rights = [Piece(_NO_ACCESS, "dim")]
        name = fit_text(gene, width - 4)
        room = min(_GENE_WIDTH, width - (_RIGHTS_WIDTH if has_some else len(_NO_ACCESS)) - 3)
        if width_of(name) <= room:
            lines.append((Piece(f"  {fit(name, room)} "), *rights))
        else:
            lines += [(Piece(f"  {name}"),), (Piece("    "), *rights)]
        if all(decision.allowed for _, decision in decisions):
            continue
        refused = next(decision for _, decision in decisions if not decision.allowed)
        lines += [
            (Piece(f"    {part}", "dim"),)
            for part in wrapped(f"{refused.reason} ({refused.rule})", max(8, width - 4))
        ]
    return lines


def _life_lines(life: Sequence[str] | None, width: int) -> list[Line]:
    if life is None:
        return [(Piece("  reading the audit log", "dim"),)]
    if not life:
        return [(Piece("  the audit log does not tell of it", "dim"),)]
    return [
        (Piece(f"{'  ' if index == 0 else '    '}{part}"),)
        for sentence in life
        for index, part in enumerate(wrapped(sentence, max(8, width - 4)))
    ]


def value_lines(examined: Examined | None, width: int, form: str) -> list[Line]:
    """The value, once it is asked for; where more is there than is shown, the first line says so."""
    if examined is None or (examined.value is None and not examined.is_gone):
        return [(Piece("value", "accent"), Piece("   hidden, v shows it", "dim"))]
    if examined.value is None:
        return [(Piece("value", "accent"), Piece("   the entry is gone", "warning"))]
    remark, texts = _value_texts(examined.value, width, form)
    lines: list[Line] = [
        (Piece("value", "accent"), Piece(f"   {fit_text(remark, max(4, width - 8))}", "dim"))
    ]
    shown = [(Piece(part),) for text in texts for part in wrapped(text, width)]
    lines += shown[:_SHOWN_LINES]
    if len(shown) > _SHOWN_LINES:
        lines.append((Piece(f"only the first {_SHOWN_LINES} lines are shown", "warning"),))
    return lines


def _value_texts(value: bytes, width: int, form: str) -> tuple[str, list[str]]:
    size = format_size(len(value))
    if form == "hex":
        head = value[:_SHOWN_BYTES]
        cut = f", the first {format_size(len(head))} of {size}" if len(head) < len(value) else f", {size}"
        return f"hex{cut}", hex_lines(head, 16 if width >= 76 else 8 if width >= 40 else 4)
    if form == "JSON":
        if len(value) > _SHOWN_JSON_BYTES:
            return f"too large for JSON, {size}; V shows another form", []
        laid = json_lines(value)
        return (f"no JSON, {size}; V shows another form", []) if laid is None else (f"JSON, {size}", laid)
    shown = shown_value(value, _SHOWN_BYTES)
    if shown.form == "text":
        is_json = not shown.is_cut and value.lstrip()[:1] in (b"{", b"[") and json_lines(value) is not None
        return f"JSON text, {size}" if is_json else shown.remark, value[: shown.shown_bytes].decode(
            errors="ignore"
        ).split("\n")
    return shown.remark, hex_lines(value[: shown.shown_bytes], 16 if width >= 76 else 8 if width >= 40 else 4)
