"""A store with one agent for every test; it must verify when the test has ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bugs.scene import CREATOR, Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    project = tmp_path / "project"
    project.mkdir()
    made = Scene(project)
    made.store.create_agent("main", genes=[CREATOR])
    assert made.new_actions() == ["agent_create"]
    yield made
    assert made.store.verify() == []
    made.store.close()
