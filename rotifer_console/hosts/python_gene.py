"""A Python gene's code: loading it, calling it, and saying in one sentence how it failed.

Used in this process and inside a gene's own (`python_runner`), where every import is paid for at each start:
what is rarely needed is imported when it is.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Awaitable, Callable
from typing import Any, Final

_ENTRY_POINTS: Final = ("express", "main")
_PARAMETERS: Final = 2


class NoEntryPoint(Exception):
    """The source defines neither `express` nor `main`."""


def load_entry_point(source: str, name: str) -> Callable[..., Any]:
    """`express`, or else `main`, of a gene's source, which is run anew and from no bytecode (GEN-1).

    Raises:
        NoEntryPoint: it has neither.
        BaseException: whatever the source raises.
    """
    module = types.ModuleType(f"rotifer_gene_{name}")
    module.__file__ = source
    # Classes look their module up by name, as dataclasses do when annotations are text.
    sys.modules[module.__name__] = module
    with open(source, "rb") as file:  # noqa: PTH123 -- pathlib would be a sixth of a child's start
        code = compile(file.read(), source, "exec")
    exec(code, module.__dict__)  # noqa: S102 -- the host's task
    for entry_point in _ENTRY_POINTS:
        found = getattr(module, entry_point, None)
        if callable(found):
            return found  # type: ignore[no-any-return]  # anything callable
    raise NoEntryPoint(f"{os.path.basename(source)} has no {' and no '.join(_ENTRY_POINTS)}")  # noqa: PTH119


def call_entry_point(entry_point: Callable[..., Any], input_value: Any, context: Any) -> Any:
    """What the gene makes of the input; an awaitable is awaited (GEN-4)."""
    takes_context = _takes_context(entry_point, input_value, context)
    # a gene without memory may leave the second argument out
    result = entry_point(input_value, context) if takes_context else entry_point(input_value)
    if not isinstance(result, Awaitable):
        return result
    import asyncio

    return asyncio.run(_settled(result))


def describe(error: BaseException, folder: str) -> str:
    """What the gene raised, and where in its own files: a traceback in one line (CLI-2)."""
    if isinstance(error, SystemExit):
        return "it ended the program with sys.exit"
    if isinstance(error, NoEntryPoint):
        return str(error)
    kind = memory_code(error) or type(error).__name__
    try:
        said = str(error)
    except BaseException:  # a gene's own __str__ may raise anything
        said = ""
    return (f"{kind}: {said}" if said else kind) + _where(error, folder)


def memory_code(error: BaseException) -> str | None:
    """The code of a memory error that the gene let through; None where it made up one of its own."""
    errors = sys.modules.get("rotifer_store.errors")  # who raised one has loaded it
    if errors is None or not isinstance(error, errors.AgentMemoryError):
        return None
    try:
        return str(errors.ErrorCode(error.code))
    except BaseException:  # no code of ours, or a gene's own property, which may raise anything
        return None


def _takes_context(entry_point: Callable[..., Any], input_value: Any, context: Any) -> bool:
    if isinstance(entry_point, types.FunctionType) and entry_point.__code__.co_argcount == _PARAMETERS:
        return True
    import inspect

    try:
        inspect.signature(entry_point).bind(input_value, context)
    except TypeError:
        return False
    except ValueError:  # a callable that does not tell its signature
        return True
    return True


async def _settled(result: Awaitable[Any]) -> Any:
    return await result


def _where(error: BaseException, folder: str) -> str:
    where, step = "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(folder + os.sep):
            where = f" ({file[len(folder) + 1 :]}, line {step.tb_lineno})"
        step = step.tb_next
    return where
