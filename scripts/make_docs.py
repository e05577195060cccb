"""Rewrites the generated blocks of the docs from the library's tables; `--check` only compares."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rotifer_store import tables

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "docs" / "rules.md",)
_BLOCK = re.compile(r"(<!-- generated:([a-z-]+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def categories() -> str:
    """What each category holds, and when it goes."""
    return markdown_table(
        ("Category", "Holds", "Evicted", "Moves with the agent"),
        (
            (
                row.category,
                row.holds,
                "never" if row.eviction_rank is None else f"{row.eviction_rank}.",
                "yes" if row.moves_with_agent else "on request",
            )
            for row in tables.CATEGORIES
        ),
    )


def scopes() -> str:
    """Who each scope lets through."""
    return markdown_table(
        ("Scope", "Lets through", "Rule"), ((row.scope, row.who, row.rule) for row in tables.SCOPES)
    )


def share_policies() -> str:
    """What each share policy means."""
    return markdown_table(
        ("Share policy", "Meaning", "Needs anonymization", "Rule"),
        (
            (row.share_policy, row.meaning, "yes" if row.needs_anonymization else "no", row.rule)
            for row in tables.SHARE_POLICIES
        ),
    )


def entry_fields() -> str:
    """An entry's members."""
    return markdown_table(
        ("Member", "In Python", "JSON", "Changed by", "In listings", "Rule"),
        (
            (
                row.wire_name,
                row.name,
                row.wire_type,
                row.changed_by,
                "yes" if row.shown_by_list else "never",
                row.rule,
            )
            for row in tables.ENTRY_FIELDS
        ),
    )


def errors() -> str:
    """The error codes."""
    return markdown_table(
        ("Code", "From WASM", "When", "Rule"),
        ((row.code, row.wasm_result, row.when, row.rule) for row in tables.ERRORS),
    )


def limits() -> str:
    """The limits."""
    return markdown_table(
        ("Limit of", "Value", "Unit", "Rule"),
        ((row.bounds, f"{row.value:,}".replace(",", " "), row.unit, row.rule) for row in tables.LIMITS),
    )


def audit_actions() -> str:
    """The actions of audit lines."""
    return markdown_table(
        ("Action", "Actor", "In a replay", "Telemetry", "Rule"),
        (
            (
                row.action,
                ", ".join(row.actors),
                row.effect,
                "one event" if row.telemetry else "no",
                row.rule,
            )
            for row in tables.AUDIT_ACTIONS
        ),
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "categories": categories,
    "scopes": scopes,
    "share-policies": share_policies,
    "entry-fields": entry_fields,
    "errors": errors,
    "limits": limits,
    "audit-actions": audit_actions,
}


def rendered(text: str) -> str:
    """The page with every block as the tables have it now."""
    return _BLOCK.sub(lambda match: f"{match[1]}{BLOCKS[match[2]]()}{match[3]}", text)


def main() -> int:
    """Rewrites the pages, or says with `--check` which are stale."""
    stale = [page for page in PAGES if rendered(page.read_text()) != page.read_text()]
    if "--check" in sys.argv:
        for page in stale:
            print(f"{page.name} is stale: run make docs", file=sys.stderr)
        return 1 if stale else 0
    for page in stale:
        page.write_text(rendered(page.read_text()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
