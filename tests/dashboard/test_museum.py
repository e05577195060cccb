"""Hostile data on every screen: the frame stays where it is, and nothing steers (CLI-4, TUI-1)."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from rich.cells import cell_len

from cli.hostile import AUDIT_LINES, LEGAL_KEYS, VALUES
from dashboard.driving import Dashboard, app_of, dashboard, drive, settled, type_keys, until
from rotifer_store import Gene, RotiferStoreError, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent\x1b[2J", "1.0.0\u202e")
OTHER = Gene("v2:" + "b" * 64, "[red]docs[/", "[/items]", None)
PLAIN_GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
PLAIN_OTHER = Gene("v2:" + "b" * 64, "docs", "reader", None)
_STEERING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
FRAME = frozenset("╭╮╰╯│")
SCREENS: dict[str, tuple[str, ...]] = {
    "entries": (),
    "entry": ("enter",),
    "value": ("v", "end"),
    "value as hex": ("V", "V", "end", "V", "v"),
    "filter": ("escape", "escape", "slash", "r", "e", "colon", "left_parenthesis", "escape"),
    "forecast": ("f", "9", "M", "B", "escape"),
    "delete": ("d", "escape"),
    "delete several": ("space", "space", "space", "d", "escape", "u"),
    "export": ("x", "escape"),
    "import": ("i", "escape"),
    "why": ("w", "escape"),
    "audit": ("a", "up", "up", "enter", "escape", "home", "end", "escape"),
    "telemetry": ("t", "enter", "escape", "escape"),
    "access": ("g", "down", "down", "escape"),
    "review": ("r", "down", "down", "escape"),
    "orphans": ("o", "down", "escape"),
    "create": ("n", "escape"),
    "policy": ("e", "escape"),
    "help": ("question_mark", "escape"),
    "palette": ("ctrl+p", "escape"),
}
"""The keys that lead to each screen, and back; a picture is looked at after each key."""


GROWING = frozenset({"delete", "delete several"})
Picture = list[tuple[str, list[tuple[int, str]]]]


def _store(project: Path, *, hostile: bool) -> None:
    (project / "rotifer.json").write_text("{}")
    gene, other = (GENE, OTHER) if hostile else (PLAIN_GENE, PLAIN_OTHER)
    values = list(VALUES.values())
    with open_store(project) as store:
        store.create_agent("main", genes=[gene, other], memory_quota_bytes=64 << 20)
        memory, stranger = store.gene_memory("main", gene), store.gene_memory("main", other)
        for number, key in enumerate(LEGAL_KEYS.values()):
            shown = key if hostile else f"key/{number:03}"
            value = values[number % len(values)] if hostile else b"plain"
            category = ("CACHE", "CONTEXT", "PATTERN", "PREFERENCE")[number % 4]
            memory.write_memory(shown, value, category)
            with pytest.raises(RotiferStoreError):
                stranger.read_memory(shown)
    with (project / ".rotifer" / "audit.jsonl").open("ab") as log:
        for line in AUDIT_LINES.values():
            log.write((line if hostile else b"{}") + b"\n")


def _picture(pilot: Dashboard) -> Picture:
    """Each line's text, and where its frame stands."""
    lines = []
    for strip in app_of(pilot).screen._compositor.render_strips():
        text = "".join(segment.text for segment in strip)
        at, frame = 0, []
        for character in text:
            if character in FRAME:
                frame.append((at, character))
            at += cell_len(character)
        lines.append((text, frame))
    return lines


def _columns(picture: Picture) -> set[int]:
    return {at for _, frame in picture for at, _ in frame}


async def _pictures(project: Path, size: tuple[int, int], colourless: bool) -> dict[str, list[Picture]]:
    pictures: dict[str, list[Picture]] = {}
    async with dashboard(project, size=size, colourless=colourless) as pilot:
        for name, keys in SCREENS.items():
            pictures[name] = [_picture(pilot)]
            for key in keys:
                await type_keys(pilot, key)
                await until(pilot, lambda: getattr(app_of(pilot).screen, "is_listening", True), "a dialog")
                await settled(pilot, 0.02)
                pictures[name].append(_picture(pilot))
    return pictures


@pytest.mark.parametrize(
    ("size", "colourless"),
    [((80, 24), False), ((80, 24), True), ((40, 12), False), ((40, 12), True), ((120, 36), False)],
    ids=["80x24", "80x24 without colour", "40x12", "40x12 without colour", "120x36"],
)
def test_hostile_data_neither_steers_nor_moves_the_frame(
    tmp_path: Path, size: tuple[int, int], colourless: bool
) -> None:
    """The frame stands in the same cells as with plain data, on every screen."""
    found: dict[bool, dict[str, list[Picture]]] = {}
    for hostile in (False, True):
        project = tmp_path / ("hostile" if hostile else "plain")
        project.mkdir()
        _store(project, hostile=hostile)

        async def scenario(project: Path = project, hostile: bool = hostile) -> None:
            found[hostile] = await _pictures(project, size, colourless)

        drive(scenario)
    for screen, pictures in found[True].items():
        for step, (lines, plain_lines) in enumerate(zip(pictures, found[False][screen], strict=True)):
            if screen in GROWING:  # a whole key takes the lines that it needs; the sides stay
                here, there = _columns(lines), _columns(plain_lines)
                assert here <= there or there <= here, (screen, step)
                plain_lines = lines
            for (text, frame), (_, plain_frame) in zip(lines, plain_lines, strict=True):
                assert cell_len(text) == size[0], (screen, step, text)
                bad = [each for each in text if unicodedata.category(each) in _STEERING]
                assert not bad, (screen, step, text, bad)
                assert frame == plain_frame, (screen, step, text)


def test_every_hostile_key_can_be_looked_at_closely(tmp_path: Path) -> None:
    """Each under the cursor, with its value in all forms."""
    _store(tmp_path, hostile=True)

    async def scenario() -> None:
        async with dashboard(tmp_path, size=(120, 36)) as pilot:
            for _ in LEGAL_KEYS:
                await type_keys(pilot, "v", "V", "V", "V")
                for text, _ in _picture(pilot):
                    assert not any(unicodedata.category(each) in _STEERING for each in text)
                await type_keys(pilot, "escape", "down")

    drive(scenario)
