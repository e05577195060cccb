"""The dashboard under test sees no terminal, language, zone or settings of whoever runs the tests."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

_TOLD_BY = (
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM"),
    *("COLUMNS", "LINES", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_TIME", "TMUX", "STY", "SSH_TTY"),
    *("XDG_CONFIG_HOME", "XDG_STATE_HOME"),
)


@pytest.fixture(autouse=True)
def _neutral_terminal_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """One terminal for all tests: xterm, UTF-8, UTC, and a home that holds no settings (CLI-3, TUI-11)."""
    for name in _TOLD_BY:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
