"""Makes `screenshots/`: each screen of the dashboard, dark and light, as SVG and PNG.

The data is the demo's story at a fixed moment, so every run gives the same SVG bytes, and `--check` compares
them. PNGs need cairosvg, Pillow (the extra `screenshots`) and the font DejaVu Sans Mono; where one is missing
they stay as they are.
"""

from __future__ import annotations

import html
import io
import re
import subprocess
import sys
from pathlib import Path

from rich.cells import get_character_cell_size

from rotifer_console.dashboard import looks
from rotifer_console.dashboard.glyphs import ASCII
from rotifer_console.dashboard.snapshot import FONT
from rotifer_console.demo import scenes

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
SIZE = (120, 36)
SMALLER = {"80x24": (80, 24), "40x12": (40, 12)}
_FONT = "DejaVu Sans Mono"
_COLOURS = 256
_CELL_WIDTH = 12.2  # Rich's, of its font size of 20
_FRAME = re.compile("[\u2500-\u257f]")
_FRAME_FONT_SIZE = 21.5  # so that a line of a frame reaches the next one
_TEXT = re.compile(
    r'<text class="(?P<class>[^"]+)" x="(?P<x>[^"]+)" y="(?P<y>[^"]+)" textLength="[^"]+"'
    r' (?P<clip>clip-path="[^"]+")>(?P<text>[^<]*)</text>'
)


def pictures() -> dict[str, str]:
    """The SVG of each picture by its name."""
    made: dict[str, str] = {}
    with scenes.stage() as project:
        for scene in scenes.SCENES:
            both = scenes.drawn(project, scene, SIZE, ("dark", "light"))
            made[f"{scene.name}-dark"], made[f"{scene.name}-light"] = both[0].svg, both[1].svg
        entries = scenes.BY_NAME["entries"]
        for name, size in SMALLER.items():
            made[f"entries-{name}"] = scenes.drawn(project, entries, size, ["dark"])[0].svg
        more = scenes.drawn(project, entries, SIZE, ["high contrast", "ansi"])
        made["entries-high-contrast"], made["entries-ansi"] = more[0].svg, more[1].svg
        plain = scenes.drawn(project, entries, SIZE, [looks.COLOURLESS], glyphs=ASCII, colourless=True)
        made["entries-no-colour-ascii"] = plain[0].svg
    return made


def stale(made: dict[str, str]) -> list[str]:
    """The names of the pictures that are missing, left over, or not as they are drawn now."""
    present = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")}
    return sorted(name for name in made.keys() | present.keys() if made.get(name) != present.get(name))


def why_no_png() -> str | None:
    """What is missing to make a PNG, if anything is."""
    try:
        import cairosvg  # noqa: F401
        import PIL  # noqa: F401
    except (ImportError, OSError) as error:
        return str(error)
    try:
        found = subprocess.run(["fc-match", _FONT], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "fc-match, which finds fonts"
    return None if _FONT in found else f"the font {_FONT}"


def _in_cells(match: re.Match[str]) -> str:
    """The text with each character in its cell, and frames without gaps; cairosvg spreads no text."""
    letters: list[tuple[float, str]] = []
    frames: list[tuple[float, str]] = []
    x = float(match["x"])
    for character in html.unescape(match["text"]):
        if not character.isspace():
            (frames if _FRAME.match(character) else letters).append((x, character))
        x += _CELL_WIDTH * get_character_cell_size(character)
    y = float(match["y"])
    return _text(match, letters, y, "") + _text(
        match, frames, y + 1, f' style="font-size: {_FRAME_FONT_SIZE}px"'
    )


def _text(match: re.Match[str], placed: list[tuple[float, str]], y: float, style: str) -> str:
    if not placed:
        return ""
    xs = " ".join(f"{x:.1f}" for x, _ in placed)
    text = html.escape("".join(character for _, character in placed))
    return f'<text class="{match["class"]}" x="{xs}" y="{y}"{style} {match["clip"]}>{text}</text>'


def png_of(svg: str) -> bytes:
    """The picture in few colours."""
    import cairosvg
    from PIL import Image

    drawn = cairosvg.svg2png(_TEXT.sub(_in_cells, svg.replace(FONT, _FONT)).encode(), scale=0.9)
    small = io.BytesIO()
    image = Image.open(io.BytesIO(drawn)).convert("RGB")
    few = image.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> int:
    """Writes the pictures that have changed, or says with `--check` which are stale."""
    made = pictures()
    changed = stale(made)
    if "--check" in sys.argv:
        for name in changed:
            print(f"screenshots/{name}.svg is stale: run make screenshots", file=sys.stderr)
        return 1 if changed else 0
    FOLDER.mkdir(exist_ok=True)
    for name in changed:
        if name in made:
            (FOLDER / f"{name}.svg").write_text(made[name], encoding="utf-8")
        else:
            (FOLDER / f"{name}.svg").unlink()
    missing = why_no_png()
    if missing is not None:
        print(f"PNGs STAY AS THEY ARE: {missing} is missing", file=sys.stderr)
        return 0
    for path in FOLDER.glob("*.png"):
        if path.stem not in made:
            path.unlink()
    for name, svg in made.items():
        path = FOLDER / f"{name}.png"
        if name in changed or not path.exists():
            path.write_bytes(png_of(svg))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
