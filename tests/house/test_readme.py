"""What the README shows is run as it stands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
STEPS = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", README, re.MULTILINE)
VARIES = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
ROTIFER = Path(sys.executable).with_name("rotifer")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of the name that the README gives it."""
    subprocess.run([ROTIFER, "init", "my-project"], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "my-project"


def test_the_commands_print_what_is_shown_below_them(tmp_path: Path) -> None:
    """GEN, RUN, AGT-9: in one shell, from the top; only the id and the time differ."""
    assert len(STEPS) == 9
    mark = "---- next ----"
    script = "set -eu\n" + "".join(f"{command}\necho '{mark}'\n" for command, _ in STEPS)
    ran = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{ROTIFER.parent}{os.pathsep}{os.environ['PATH']}"},
    )
    printed = ran.stdout.split(f"{mark}\n")
    for (command, shown), output in zip(STEPS, printed, strict=False):
        if shown.strip():
            assert (command, VARIES.sub("*", output).strip()) == (command, VARIES.sub("*", shown).strip())


def test_the_gene_remembers_as_it_is_told_to(project: Path) -> None:
    """GEN-1, GEN-3, GEN-4: wrapped, run twice by an agent."""
    gene, _ = SNIPPETS
    (project / "genes" / "greeter").mkdir()
    (project / "genes" / "greeter" / "index.py").write_text(gene)

    def rotifer(*arguments: str) -> str:
        ran = subprocess.run(
            [ROTIFER, *arguments],
            cwd=project,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return ran.stdout

    rotifer("wrap", "greeter", "--domain", "greeting")
    rotifer("agent", "create", "host", "--genes", "greeter")
    rotifer("agent", "run", "host", "--input", '{"name": "Ada"}')
    assert json.loads(rotifer("agent", "run", "host", "--input", "{}")) == {
        "text": "hello Ada",
        "known": ["greeting/last", "greeting/name"],
    }
    expiries = {
        entry["key"]: entry["expiresAt"] for entry in json.loads(rotifer("memory", "list", "host", "--json"))
    }
    assert expiries["greeting/name"] is None
    assert expiries["greeting/last"] is not None


def test_the_program_does_what_its_comments_say(project: Path) -> None:
    """python-api: each commented expression is evaluated and compared."""
    _, program = SNIPPETS
    told = re.sub(
        r"^( +)(\S.*?)  # (b\"long\"|15|\[\])(:.*)?$",
        r"\1assert \2 == \3",
        program,
        flags=re.MULTILINE,
    )
    assert told.count("assert ") == 3
    subprocess.run([sys.executable, "-c", told], cwd=project.parent, check=True)
