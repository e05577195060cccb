"""Each rule that the code or a test names is told on the page of rules."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ID = re.compile(r"\b(?:ENT|CAT|ACC|POL|QUO|INP|REC|AGT|GEN|HST|RUN|CLI|TUI)-[0-9]+[a-z]?\b")


def test_every_rule_that_is_named_has_a_row() -> None:
    """A reader who meets an id finds what it asks for."""
    told = set(re.findall(r"^\| ([A-Z]{3}-[0-9]+[a-z]?) \|", (ROOT / "docs" / "rules.md").read_text(), re.M))
    named = {
        rule
        for folder in ("store", "rotifer_console", "tests")
        for file in (ROOT / folder).rglob("*.py")
        for rule in ID.findall(file.read_text())
    }
    assert len(told) > 80
    assert named - told == set()
