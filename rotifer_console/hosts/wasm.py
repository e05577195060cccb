"""WASM genes: in this process, inside wasmtime's walls (HST-5 to HST-9).

Nothing here loads wasmtime before a gene needs it, since most programs that run genes never do.
"""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rotifer_console.errors import GeneFailed
from rotifer_console.hosts.memory import Memory
from rotifer_console.hosts.values import encode_input
from rotifer_store import MemoryStorageError
from rotifer_store.gene_folder import GeneFolder

if TYPE_CHECKING:
    from rotifer_console.hosts.wasm_engine import WasmEngine

_MISSING: Final = (
    "WASM genes need wasmtime, which is not installed; pip install 'rotifer-console[wasm]' brings it"
)


def require_wasm_support() -> None:
    """Returns where wasmtime can be loaded, and loads it.

    Raises:
        MemoryStorageError: it cannot; the message says what to install (ERR).
    """
    try:
        importlib.import_module("wasmtime")
    except (ImportError, OSError, RuntimeError) as error:  # none, or none for this machine
        raise MemoryStorageError(_MISSING) from error


class WasmHost:
    """Runs WASM genes: one engine for all of them, a fresh instance for each run.

    May be used by several threads at once: genes run side by side, since the interpreter is let go of while
    WASM runs (RUN-2). Making one costs nothing: wasmtime is loaded by the first run.
    """

    def __init__(self, project: Path | None = None) -> None:
        """`project` is where compiled modules are kept between processes; None keeps none."""
        self._project = project
        self._lock = threading.Lock()
        self._engine: WasmEngine | None = None

    def __enter__(self) -> WasmHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, gene: GeneFolder, input_value: Any, memory: Memory, timeout_s: float) -> Any:
        """The gene's output for an input, both plain JSON values.

        A gene without an agent gets `NoMemory()`. A refusal of its input is an output like any other here.

        Raises:
            GeneFailed: it trapped, gave no JSON, did not settle in time, or is no module that runs here. The
                cause is a `MemoryStorageError` where wasmtime is missing, or the memory error whose number
                `express` returned.
        """
        return self._started().run(gene, encode_input(input_value), memory, timeout_s)

    def close(self) -> None:
        """Ends whatever still runs."""
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.stop()

    def _started(self) -> WasmEngine:
        with self._lock:
            if self._engine is None:
                try:
                    require_wasm_support()
                except MemoryStorageError as error:
                    raise GeneFailed(str(error)) from error
                from rotifer_console.hosts.wasm_engine import WasmEngine

                self._engine = WasmEngine(self._project)
            return self._engine
