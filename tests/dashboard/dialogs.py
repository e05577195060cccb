"""Dialogs driven by tests: what stands in them, and when they listen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from textual.events import Key

from dashboard.driving import Dashboard, app_of, settled, until
from rotifer_console.dashboard.choices import Choice
from rotifer_console.dashboard.dialog import Dialog
from rotifer_store import EntryInfo, Gene, Store, open_store

INDENT = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
FETCH = Gene("v2:" + "b" * 64, "http", "fetch", "1.0.0")
_HOLD = """
import fcntl, sys
with open(sys.argv[1]) as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


def make_project(project: Path, *entries: tuple[str, str], quota_bytes: int = 1 << 20) -> None:
    """A project whose agent `main` remembers entries of (key, category), the last of them newest."""
    (project / "rotifer.json").write_text("{}")
    with open_store(project) as store:
        store.create_agent("main", genes=[INDENT, FETCH], memory_quota_bytes=quota_bytes)
        write(store, *entries)


def write(store: Store, *entries: tuple[str, str], value: bytes = b"something", gene: Gene = INDENT) -> None:
    """Writes entries as a gene does."""
    memory = store.gene_memory("main", gene)
    for key, category in entries:
        memory.write_memory(key, value, category)


def keys_of(project: Path) -> set[str]:
    """The keys that there are now."""
    with open_store(project) as store:
        return {entry.key for entry in entries_of(store)}


def entries_of(store: Store) -> list[EntryInfo]:
    """The entries that there are now."""
    return store.browse_memory("main").rows


def dialog_in(pilot: Dashboard) -> Dialog[object]:
    """The dialog that is open."""
    screen = app_of(pilot).screen
    assert isinstance(screen, Dialog), screen
    return screen


def is_open(pilot: Dashboard) -> bool:
    """Whether a dialog is open."""
    return isinstance(app_of(pilot).screen, Dialog)


def box_lines(pilot: Dashboard) -> list[str]:
    """What the open dialog's box shows, a line each, its frame aside."""
    region = dialog_in(pilot).query_one("#box").region
    strips = app_of(pilot).screen._compositor.render_strips()[region.y + 1 : region.bottom - 1]
    lines = [strip.crop(region.x + 1, region.right - 1) for strip in strips]
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def box_shows(pilot: Dashboard, text: str) -> bool:
    """Whether the dialog's lines hold the text, where it is wrapped too."""
    return text in " ".join(line.strip() for line in box_lines(pilot))


async def open_dialog(pilot: Dashboard, *keys: str) -> Dialog[object]:
    """Opens a dialog by keys, and waits until it listens."""
    await pilot.press(*keys)
    await until(pilot, lambda: is_open(pilot), "an open dialog")
    await until(pilot, lambda: dialog_in(pilot).is_listening, "a dialog that listens")
    await settled(pilot)
    return dialog_in(pilot)


async def type_text(pilot: Dashboard, text: str) -> None:
    """Types a text, a key a character."""
    for character in text:
        app_of(pilot).post_message(Key(character, character))
    await settled(pilot)


def focused_label(pilot: Dashboard) -> str | None:
    """The label of the choice that has the keys."""
    focused = app_of(pilot).focused
    return focused.label if isinstance(focused, Choice) else None


def said(pilot: Dashboard) -> str:
    """What the banner of the main screen says."""
    from rotifer_console.dashboard.bars import Banner

    banner = app_of(pilot).main.query_one(Banner)
    text = banner.passing or banner.lasting
    return "" if text is None else text[0]


def command(pilot: Dashboard) -> tuple[str, ...]:
    """The command line that the main screen shows."""
    from rotifer_console.dashboard.bars import KeyBar

    line = app_of(pilot).main.query_one(KeyBar).command
    return () if line is None else line.words


def typed(pilot: Dashboard) -> str:
    """The same as it is typed, what is piped into it too."""
    from rotifer_console.dashboard.bars import KeyBar

    line = app_of(pilot).main.query_one(KeyBar).command
    assert line is not None
    return line.text


@contextmanager
def locked(project: Path) -> Iterator[subprocess.Popen[str]]:
    """The store's lock held by another program."""
    path = project / ".rotifer" / "playground.lock"
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.stdin.close()
