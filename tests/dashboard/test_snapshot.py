"""`rotifer console --snapshot`: a picture of each screen of the store, and never a value on it (TUI-13)."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dashboard.terminal import PROGRAM, Terminal
from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.glyphs import UNICODE
from rotifer_console.dashboard.snapshot import SCREENS, picture
from rotifer_store import Gene, MemoryAccessDenied, open_store

SECRET = "S3CR3T-VALUE"
GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
OTHER = Gene("v2:" + "b" * 64, "mail", "letters", "1.0.0")
EXPECTED = {
    "entries": ("formatter/indent", "2 entries"),
    "agents": ("main", "spare"),
    "detail": ("formatter/indent", "created"),
    "forecast": ("if a gene now writes",),
    "delete": ("Cancel", "Delete"),
    "audit": ("audit", "written", "refused"),
    "telemetry": ("telemetry", "refused", "letters"),
    "why": ("why", "written by indent"),
    "access": ("access",),
    "review": ("review",),
    "orphans": ("orphans",),
    "create": ("new agent", "quota"),
    "policy": ("policy of main",),
    "help": ("ype to narrow", "Narrow the list as you type."),
    "palette": ("actions", "forecast"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rotifer.json").write_text("{}")
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=[GENE])
        store.create_agent("spare", genes=[GENE])
        memory = store.gene_memory("main", GENE)
        memory.write_memory("http/[/x]&<b>", SECRET.encode() * 20, "CACHE")
        memory.write_memory("formatter/indent", SECRET.encode(), "CACHE")
        with pytest.raises(MemoryAccessDenied):
            store.gene_memory("main", OTHER).read_memory("formatter/indent")
    return tmp_path


def text_of(svg: str) -> str:
    """What is written on the picture."""
    root = ElementTree.fromstring(svg)
    lines = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    return unescape("\n".join(lines)).replace("\xa0", " ")


def test_every_screen_has_an_expectation() -> None:
    """The table above."""
    assert EXPECTED.keys() == SCREENS.keys()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_picture_shows_the_screen_and_no_value(project: Path, screen: str) -> None:
    """TUI-13: loaded, well-formed, nothing to be fetched from elsewhere."""
    app = ConsoleApp(project, agent="main", glyphs=UNICODE)
    svg = picture(app, screen, (120, 36))
    text = text_of(svg)
    for expected in EXPECTED[screen]:
        assert expected in text
    assert "reading the store" not in text
    assert SECRET not in svg
    assert not re.search(r"url\(|@import|<script|href=\"(?!#)", svg.replace("url(#", ""))


def test_a_picture_of_no_store_makes_none(tmp_path: Path) -> None:
    """TUI-9."""
    (tmp_path / "rotifer.json").write_text("{}")
    svg = picture(ConsoleApp(tmp_path, glyphs=UNICODE), "entries", (80, 24))
    assert "no agents yet" in text_of(svg)
    assert not (tmp_path / ".rotifer").exists()


def test_a_picture_of_a_broken_store_shows_what_is_wrong(project: Path) -> None:
    """TUI-9."""
    (project / ".rotifer" / "playground.db").write_bytes(b"no database " * 512)
    svg = picture(ConsoleApp(project, glyphs=UNICODE), "entries", (80, 24))
    assert "cannot be opened" in text_of(svg)


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (400, 200)], ids=str)
def test_a_picture_has_the_size_that_was_asked_for(project: Path, size: tuple[int, int]) -> None:
    """TUI-1."""
    svg = picture(ConsoleApp(project, agent="main", glyphs=UNICODE), "entries", size)
    assert svg.count("-line-") >= size[1]
    assert "rotifer" in text_of(svg)


def test_the_program_loads_no_textual_for_anything_else(project: Path) -> None:
    """CLI-6."""
    code = (
        "import sys; sys.argv[1:] = ['agent', 'list']\n"
        "from rotifer_console.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('textual' in sys.modules, 'rich' in sys.modules)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True
    )
    assert finished.stdout.splitlines()[-1] == "False False"


def test_the_environment_does_not_show_in_a_picture(project: Path) -> None:
    """TUI-12: no log, no other driver, and NO_COLOR holds here too."""
    finished = subprocess.run(
        [PROGRAM, "console", "--snapshot", "a.svg", "--agent", "main"],
        cwd=project,
        env={"TEXTUAL_LOG": "log", "TEXTUAL_DRIVER": "no:Such", "NO_COLOR": "1", "HOME": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stdout) == (0, "")
    assert not (project / "log").exists()
    colours = set(re.findall(r"fill: (#[0-9a-f]{6})", (project / "a.svg").read_text()))
    assert colours <= {"#c5c8c6", "#868887", "#292929", "#98a84b"} | {
        c for c in colours if c[1:3] == c[3:5] == c[5:]
    }


def test_a_picture_can_go_into_a_pipe(project: Path) -> None:
    """CLI-1, CLI-5: `-` is stdout; no file is made, and nothing else is told."""
    before = set(project.iterdir())
    finished = subprocess.run(
        [PROGRAM, "console", "--snapshot", "-", "--agent", "main"],
        cwd=project,
        env={"HOME": str(project), "LANG": "C"},
        capture_output=True,
        check=True,
    )
    assert "formatter/indent" in text_of(finished.stdout.decode())
    assert finished.stderr == b""
    assert set(project.iterdir()) == before


def test_a_picture_is_written_as_what_it_is(project: Path) -> None:
    """CLI-2: not as a PNG that no viewer could open."""
    ran = subprocess.run(
        [PROGRAM, "console", "--snapshot", "a.png"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "error[USAGE]: --snapshot a.png: a picture is an SVG\nhint: name it FILE.svg\n"
    assert not (project / "a.png").exists()


def test_a_picture_is_not_written_to_a_terminal(project: Path) -> None:
    """CLI-2."""
    terminal = Terminal([PROGRAM, "console", "--snapshot", "-"], project)
    try:
        assert terminal.end() == 2
    finally:
        terminal.close()
    assert terminal.told.startswith("error[USAGE]: a picture is not written to a terminal\n")
    assert terminal.raw == ""
