"""Python genes in this process (HST-1): no deadline and no isolation, for programs that trust their genes.

A gene is loaded anew for each run, from its source and not from cached bytecode, so that what runs is what
its v2 id was taken from. Nothing is written into its folder, and what it prints goes to stderr (HST-4).
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import sys
import threading
import traceback
import types
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rotifer_console.errors import GeneFailed
from rotifer_store import AgentMemoryError, GeneMemory
from rotifer_store.gene_folder import GeneFolder

HOST: Final = "python"
_ENTRY_POINTS: Final = ("express", "main")
_REFUSAL: Final = "__rotifer_error"

_ONE_GENE_AT_A_TIME: Final = threading.RLock()
"""The import path and stdout belong to the whole process; a gene that runs another agent holds it already."""


@dataclass(frozen=True, slots=True)
class GeneContext:
    """What `express` gets beside its input: the agent's memory, as this gene may use it (GEN-4)."""

    memory: GeneMemory


def run_python_gene(gene: GeneFolder, input_value: Any, context: GeneContext) -> Any:
    """The gene's output for an input, both plain JSON values.

    Raises:
        GeneFailed: it could not be loaded, raised, ended the program, refused its input, or returned what is
            not JSON. What the gene raised is the cause.
    """
    with _ONE_GENE_AT_A_TIME, _gene_surroundings(gene.path), contextlib.redirect_stdout(sys.stderr):
        try:
            output = _call(_load(gene), json.loads(json.dumps(input_value)), context)
        except (GeneFailed, KeyboardInterrupt):
            raise
        except SystemExit as error:
            raise GeneFailed("it ended the program with sys.exit") from error
        except BaseException as error:
            raise GeneFailed(_describe(error, gene.path)) from error
    return _json_copy(output)


def refusal_of(output: Any) -> str | None:
    """Why a gene refused its input, if that is what its output says (HST-6)."""
    if not isinstance(output, dict) or list(output) != [_REFUSAL]:
        return None
    refusal = output[_REFUSAL]
    if isinstance(refusal, dict):
        return ": ".join(str(refusal[name]) for name in ("code", "message") if name in refusal)
    return refusal if isinstance(refusal, str) else json.dumps(refusal)


def _load(gene: GeneFolder) -> Callable[..., Any]:
    module = types.ModuleType(f"rotifer_gene_{gene.name}")
    module.__file__ = str(gene.source)
    # Classes look their module up by name, as dataclasses do when annotations are text.
    sys.modules[module.__name__] = module
    exec(compile(gene.source.read_bytes(), str(gene.source), "exec"), module.__dict__)  # noqa: S102 -- the host's task
    for name in _ENTRY_POINTS:
        entry_point = getattr(module, name, None)
        if callable(entry_point):
            return entry_point  # type: ignore[no-any-return]  # anything callable
    raise GeneFailed(f"{gene.source.name} has no {' and no '.join(_ENTRY_POINTS)}")


def _call(entry_point: Callable[..., Any], input_value: Any, context: GeneContext) -> Any:
    try:
        inspect.signature(entry_point).bind(input_value, context)
    except TypeError:
        result = entry_point(input_value)  # a gene without memory may leave the second argument out
    except ValueError:  # a callable that does not tell its signature
        result = entry_point(input_value, context)
    else:
        result = entry_point(input_value, context)
    return asyncio.run(_settled(result)) if inspect.isawaitable(result) else result


async def _settled(result: Awaitable[Any]) -> Any:
    return await result


@contextlib.contextmanager
def _gene_surroundings(folder: Path) -> Iterator[None]:
    """The gene's folder first on the path, no bytecode written, and its modules gone afterwards.

    Two genes may each have a `helpers.py`: whatever was imported from the folder must not serve the next.
    """
    modules_before = set(sys.modules)
    wrote_bytecode = not sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        sys.dont_write_bytecode = not wrote_bytecode
        for name in set(sys.modules) - modules_before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder):
                del sys.modules[name]


def _json_copy(output: Any) -> Any:
    try:
        return json.loads(json.dumps(output, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise GeneFailed("its output is not JSON") from error


def _describe(error: BaseException, folder: Path) -> str:
    """What the gene raised, and where in its own files: a traceback in one line (CLI-2)."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(folder)
    ]
    where = f" ({Path(frames[-1].filename).relative_to(folder)}, line {frames[-1].lineno})" if frames else ""
    kind = str(error.code) if isinstance(error, AgentMemoryError) else type(error).__name__
    said = str(error)
    return f"{kind}: {said}{where}" if said else f"{kind}{where}"
