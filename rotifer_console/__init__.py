"""Rotifer console: what a person or another process touches; the rules live in `rotifer_store`.

`run_agent` is for programs that embed it. It is loaded when asked for, because the command line reads this
package at every start; so early, and before Ctrl-C is listened to, that it loads nothing at all (CLI-2).
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know better
if TYPE_CHECKING:
    from typing import Any

    from rotifer_console.runs import RunResult, run_agent

__all__ = ["RunResult", "run_agent"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from rotifer_console import runs

        return getattr(runs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
