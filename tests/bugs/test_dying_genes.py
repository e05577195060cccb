"""Reported faults of genes that end in the middle: what they wrote stays, and nothing stays locked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bugs.scene import CREATOR, PythonDoor, Scene
from rotifer_console import run_agent
from rotifer_store import Gene, open_store

TWO_CALLS = """
import os, signal, sys
from rotifer_store import Gene, open_store

store = open_store(sys.argv[1])
memory = store.gene_memory("main", Gene(sys.argv[2], "formatter"))
memory.write_memory("first", b"1", "CACHE")
{end}
memory.write_memory("second", b"2", "CACHE")
"""
ENDS = {
    "exit": ("os._exit(3)", 3),
    "system exit": ("sys.exit(4)", 4),
    "error": ("raise MemoryError", 1),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "in a fork": ("os.waitpid(os.fork() or os._exit(0), 0); os._exit(5)", 5),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_gene_that_dies_between_two_calls_keeps_the_first_and_holds_no_lock(
    end: str, scene: Scene, tmp_path: Path
) -> None:
    """B114 (RUN-4): each call is a change of its own, with its line, whatever becomes of the gene."""
    code, status = ENDS[end]
    program = tmp_path / "gene.py"
    program.write_text(TWO_CALLS.format(end=code))
    ended = subprocess.run(
        [sys.executable, program, scene.project, str(CREATOR.id)],
        capture_output=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert ended.returncode == status
    assert [(line["action"], line["key"]) for line in scene.new_lines()] == [("memory_write", "first")]
    door = PythonDoor(scene.store, "main", CREATOR)
    assert door.read("first") is not None
    door.write("after", b"1", "CACHE")
    assert scene.store.delete_memory("main", key="first") == 1
    assert scene.keys() == ["after"]


def test_a_refusal_has_the_pages_code_and_a_call_answers_at_once(tmp_path: Path) -> None:
    """B114 (GEN-4): no awaiting in a plain `express`, and the refusal's `.code` is the page's."""
    folder = tmp_path / "genes" / "gene"
    folder.mkdir(parents=True)
    phenotype = {"domain": "formatter", "inputSchema": {}, "outputSchema": {}, "version": "1.0.0"}
    (folder / "phenotype.json").write_text(json.dumps(phenotype))
    (folder / "index.py").write_text(
        "from rotifer_store.typing import AgentMemoryError\n"
        "def express(_, ctx):\n"
        "    codes = []\n"
        "    for call in (lambda: ctx.memory.write_memory('', b'', 'CACHE'),\n"
        "                 lambda: ctx.memory.delete_memory('none'),\n"
        "                 lambda: ctx.memory.write_memory('k', b'x' * 100, 'PREFERENCE'),\n"
        "                 lambda: ctx.memory.write_memory('k', b'', 'CACHE', {\n"
        "                     'readScope': 'DEPLOYER_CONFIGURED', 'writeScope': 'ALL_GENES',\n"
        "                     'sharePolicy': 'PRIVATE'})):\n"
        "        try:\n"
        "            call()\n"
        "        except AgentMemoryError as error:\n"
        "            codes.append(error.code)\n"
        "    entry = ctx.memory.writeMemory('k', b'1', 'CACHE')\n"
        "    return [codes, entry.key, ctx.memory.readMemory('k').value.decode()]\n"
    )
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=[Gene.from_folder(folder)], memory_quota_bytes=50)
        result = run_agent(store, "main", None, project=tmp_path)
        assert result.failed_step is None
        codes = ["INVALID_INPUT", "NOT_FOUND", "QUOTA_EXCEEDED", "ACCESS_DENIED"]
        assert result.output == [[f"MEMORY_{code}" for code in codes], "k", "1"]
        assert store.verify() == []
