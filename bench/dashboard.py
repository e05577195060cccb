"""The dashboard on 1 000 and 100 000 entries: first paint, a key, a refresh; and what it costs idle.

The program runs without a terminal at a fixed size; a step ends when the screen has been painted. Both sides
of a pair live in one event loop, so the timers of either fall on both.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench.material import AGENT, GENE, VALUES, Fill, Material, key_of
from bench.measure import Variant
from rotifer_console.dashboard.app import ConsoleApp
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.glyphs import UNICODE
from rotifer_store import MemoryCategory, open_store

Step = Callable[[], Awaitable[object]]
SIZE = (120, 36)
STEPS = ("down", "page_down", "last", "up", "page_up", "first")
IDLE_S = 10.0
_SETTLE_S = 3.0
ROTIFER = Path(sys.executable).with_name("rotifer")


def project(material: Material, entries: int) -> Path:
    """A project whose store holds that many entries."""
    folder = material.empty_folder()
    (folder / "rotifer.json").write_text("{}")
    material.store(Fill(entries)).rename(folder / ".rotifer")
    return folder


class _Running:
    """The dashboard on one store, in one task of an event loop that other ones share.

    Textual keeps what is active in the task's context, so every step is done by the task that started it.
    """

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.folder, self._loop = folder, loop
        self._steps: asyncio.Queue[tuple[Step, asyncio.Future[object]] | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts it, to the first screen with entries on it."""
        started = self._loop.create_future()
        self._task = self._loop.create_task(self._live(started))
        self._loop.run_until_complete(started)

    def do(self, step: Step) -> object:
        """Has a step done, and returns what it came to."""
        done = self._loop.create_future()
        self._steps.put_nowait((step, done))
        return self._loop.run_until_complete(done)

    def stop(self) -> None:
        """Ends it."""
        assert self._task is not None
        self._steps.put_nowait(None)
        self._loop.run_until_complete(self._task)

    async def _live(self, started: asyncio.Future[None]) -> None:
        self.app = ConsoleApp(self.folder, glyphs=UNICODE)
        async with self.app.run_test(size=SIZE):
            while self.app.seen is None:
                await asyncio.sleep(0)
            await self.painted()
            started.set_result(None)
            while (asked := await self._steps.get()) is not None:
                step, done = asked
                done.set_result(await step())

    async def painted(self) -> None:
        """Waits for the next paint."""
        done = asyncio.Event()
        self.app.main.call_after_refresh(done.set)
        await done.wait()

    async def quiet(self) -> None:
        """Waits until nothing is being looked up."""
        while any(self.app.desk.is_busy(lane) for lane in Lane):
            await asyncio.sleep(0.001)
        await self.painted()


def first_paint(folder: Path, entries: int, loop: asyncio.AbstractEventLoop) -> Variant:
    """From nothing to the first screen with entries on it, and away again."""
    running = _Running(folder, loop)

    def run(_: object) -> int:
        running.start()
        assert running.app.seen is not None
        total = running.app.seen.window.total
        running.stop()
        return total

    def check(_: object, total: object) -> None:
        assert total == entries

    return Variant(f"first paint of {entries}", run, check, lambda _: None)


def key_press(folder: Path, entries: int, loop: asyncio.AbstractEventLoop) -> Variant:
    """A key that moves the cursor, to its paint; what it has read is read before the next block."""
    running = _Running(folder, loop)
    running.start()
    running.do(running.quiet)

    def run(way: str) -> object:
        async def step() -> int:
            running.app.main.act(way)
            await running.painted()
            return running.app.main.entries.cursor

        return running.do(step)

    def check(way: object, cursor: object) -> None:
        assert way != "first" or cursor == 0
        running.do(running.quiet)

    return Variant(f"key among {entries}", run, check, lambda _: running.stop())


def refresh(folder: Path, entries: int, loop: asyncio.AbstractEventLoop) -> Variant:
    """Another connection writes an entry; from the look that sees it to its paint."""
    running = _Running(folder, loop)
    running.start()
    running.do(running.quiet)
    store = open_store(folder)
    memory = store.gene_memory(AGENT, GENE)
    written = itertools.count()

    async def step() -> str:
        app = running.app
        before = app.seen
        app.look_again()
        while app.seen is before:
            await asyncio.sleep(0.0005)  # a loop that never rests would keep the lane's thread waiting
        await running.painted()
        assert app.seen is not None
        return app.seen.window.rows[0].key

    def run(number: int) -> object:
        memory.write_memory(key_of(number), VALUES[next(written) % len(VALUES)], MemoryCategory.CONTEXT)
        return running.do(step)

    def check(number: Any, newest: object) -> None:
        assert newest == key_of(number)
        running.do(running.quiet)

    def finish(_: int) -> None:
        store.close()
        running.stop()

    return Variant(f"refresh of {entries}", run, check, finish)


def idle_cpu(folder: Path) -> float:
    """The share of one processor that the installed program takes while nothing happens, in percent."""
    terminal, child_end = pty.openpty()
    program = subprocess.Popen(
        [ROTIFER, "console"],
        cwd=folder,
        stdin=child_end,
        stdout=child_end,
        stderr=child_end,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(SIZE[0]), "LINES": str(SIZE[1])},
        start_new_session=True,
    )
    os.close(child_end)
    threading.Thread(target=_drain, args=(terminal,), daemon=True).start()
    try:
        time.sleep(_SETTLE_S)
        before_s = _cpu_s(program.pid)
        time.sleep(IDLE_S)
        assert program.poll() is None, "the dashboard ended"
        return (_cpu_s(program.pid) - before_s) / IDLE_S * 100
    finally:
        program.terminate()
        program.wait(10)
        os.close(terminal)


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # the program has ended
        return


def _cpu_s(pid: int) -> float:
    """What a process's threads have run so far, exactly; Linux tells it in /proc."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9
