"""Pictures of the dashboard, cell by cell: `pictures/*.txt`, one each; `--update-goldens` draws them anew.

A picture is its text, then a letter for the style of each cell, then what the letters mean.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from rich.style import Style

from rotifer_console.dashboard import looks, screen_writer
from rotifer_console.dashboard.cells import width_of
from rotifer_console.dashboard.glyphs import ASCII
from rotifer_console.demo import scenes

FOLDER = Path(__file__).with_name("pictures")
SIZES = {"120x36": (120, 36), "80x24": (80, 24), "40x12": (40, 12)}
PLAIN = "no-colour-ascii"
PICTURES = [
    *(f"{scene.name} 120x36 dark" for scene in scenes.SCENES),
    *(f"{name} 80x24 dark" for name in ("entries", "detail", "delete", "palette", "review", "create")),
    *(f"{name} 40x12 dark" for name in ("entries", "detail", "delete", "help", "audit")),
    *(f"entries 80x24 {look}" for look in ("light", "high-contrast", "ansi", PLAIN)),
    f"delete 80x24 {PLAIN}",
]
_SIGNS = string.ascii_lowercase + string.ascii_uppercase + string.digits + string.punctuation


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    with scenes.stage() as folder:
        yield folder


def picture_of(rows: Sequence[Sequence[tuple[str, Style]]]) -> str:
    """The text, the styles' letters, and the legend."""
    letters: dict[str, str] = {}
    texts, styled = [], []
    for row in rows:
        texts.append("".join(text for text, _ in row).rstrip())
        cells = ""
        for text, style in row:
            shown = str(style.without_color) if style.color is None and style.bgcolor is None else str(style)
            cells += letters.setdefault(shown, _SIGNS[len(letters)]) * width_of(text)
        styled.append(cells)
    legend = [f"{letter} {shown}" for shown, letter in letters.items()]
    return "\n".join((*texts, "", *styled, "", *legend, ""))


@pytest.mark.parametrize("picture", PICTURES)
def test_a_screen_looks_as_it_is_recorded(project: Path, picture: str, pytestconfig: pytest.Config) -> None:
    """TUI-1, TUI-11, TUI-13."""
    name, size, look = picture.split()
    plain = look == PLAIN
    (drawn,) = scenes.drawn(
        project,
        scenes.BY_NAME[name],
        SIZES[size],
        [looks.COLOURLESS if plain else look.replace("-", " ")],
        colourless=plain,
        **({"glyphs": ASCII} if plain else {}),
    )
    now = picture_of(drawn.rows)
    recorded = FOLDER / f"{'-'.join((name, size, look))}.txt"
    if pytestconfig.getoption("--update-goldens"):
        FOLDER.mkdir(exist_ok=True)
        recorded.write_text(now, encoding="utf-8")
        return
    assert now.splitlines() == recorded.read_text(encoding="utf-8").splitlines()


def test_no_picture_is_left_over() -> None:
    """TUI-13."""
    assert {path.stem for path in FOLDER.iterdir()} == {picture.replace(" ", "-") for picture in PICTURES}


def test_a_screen_without_colour_and_beyond_ascii_has_neither(project: Path) -> None:
    """TUI-11, CLI-3: what is left tells everything."""
    for name in ("entries", "forecast", "review", "help"):
        (drawn,) = scenes.drawn(
            project, scenes.BY_NAME[name], (100, 30), [looks.COLOURLESS], colourless=True, glyphs=ASCII
        )
        cells = [cell for row in drawn.rows for cell in row]
        for letter in {letter for text, _ in cells for letter in text if not letter.isascii()}:
            assert letter.isalpha() or screen_writer.ascii_cells(letter) != "?", f"{letter} of {name}"
        for _, style in cells:
            for colour in (style.color, style.bgcolor):
                assert colour is None or colour.is_default, name
