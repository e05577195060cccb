"""Hostile and odd data (`tests/data/hostile.json`) for tests of the command line, and what is safe."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Item = Mapping[str, Any]
HOSTILE: Mapping[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "hostile.json").read_text(encoding="utf-8")
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def text_of(form: str | Item) -> str:
    """A text of the file: itself, or what it repeats."""
    if isinstance(form, str):
        return form
    return f"{form.get('first', '')}{form['repeat'] * form['count']}{form.get('then', '')}"


def bytes_of(item: Item) -> bytes:
    """The bytes of a value or a line."""
    if "parts" in item:
        return b"".join(bytes_of(part) for part in item["parts"])
    if "text" in item:
        return str(item["text"]).encode()
    if "hex" in item:
        return bytes.fromhex(item["hex"])
    return bytes.fromhex(item["repeat"]) * item["count"]


LEGAL_KEYS = {case["name"]: text_of(case["key"]) for case in HOSTILE["keys"] if case["legal"]}
ILLEGAL_KEYS = {case["name"]: text_of(case["key"]) for case in HOSTILE["keys"] if not case["legal"]}
VALUES = {case["name"]: bytes_of(case) for case in HOSTILE["values"] if case["legal"]}
AUDIT_LINES = {case["name"]: bytes_of(case) for case in HOSTILE["auditLines"]}
NAMES = {case["name"]: text_of(case["agentName"]) for case in HOSTILE["agentNames"]["accepted"]}
NO_NAMES = {case["name"]: text_of(case["agentName"]) for case in HOSTILE["agentNames"]["refused"]}
QUOTA_TEXTS = {text_of(case["text"]): case["bytes"] for case in HOSTILE["quotaTexts"]["accepted"]}
NO_QUOTA_TEXTS = {case["name"]: text_of(case["text"]) for case in HOSTILE["quotaTexts"]["refused"]}

_FIRST_US, _LAST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
_TIMES = {case["text"]: _FIRST_US <= case["us"] <= _LAST_US for case in HOSTILE["rfc3339"]["accepted"]}
TIMES = [time for time, has_date in _TIMES.items() if has_date]
TIMES_OF_NO_CALENDAR = [time for time, has_date in _TIMES.items() if not has_date]
"""Instants of the years before 1 and after 9999, which an offset or the year 0000 leads to."""
NO_TIMES = [
    case["json"] if "json" in case else text_of(case["text"]) for case in HOSTILE["rfc3339"]["refused"]
]


def require_safe(outcome: Any, *, coloured: bool = False) -> None:
    """Nothing on either stream could drive a terminal, and nothing went wrong that nobody foresaw (CLI-4).

    Lines and tabs are ours. Colours are only where a terminal was asked for.
    """
    shown = outcome.stdout + outcome.stderr
    if coloured:
        shown = _COLOURS.sub("", shown)
    steering = {character for character in shown if unicodedata.category(character) in _STEERING} - {
        "\n",
        "\t",
    }
    assert steering == set()
    assert "Traceback" not in shown
    assert "error[INTERNAL]" not in shown
    assert '"INTERNAL"' not in shown
    assert outcome.exit_code in (0, 1, 2)
