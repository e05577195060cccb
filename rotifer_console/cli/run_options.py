"""What the commands that run genes share: how long a gene may take, where it runs, how its result is told."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from rotifer_console.cli import output
from rotifer_console.cli.exits import Refused, UsageRefused
from rotifer_console.view.safe_text import clipped
from rotifer_console.view.sizes import SPAN_FORM, parse_span_us

if TYPE_CHECKING:
    from rotifer_console.cli.terminal import Mode
    from rotifer_console.runs import RunResult

_INDENT: Final = 2
_LONGEST_INDENTED: Final = 1_000_000

InputText = Annotated[
    str, typer.Option("--input", metavar="JSON|-", help="The input as JSON; - reads it from stdin.")
]
TimeoutText = Annotated[
    str | None,
    typer.Option(
        "--timeout",
        metavar="TIME",
        help="How long each gene may take before its processes are ended, such as 90s or 5m; 60s by default.",
        show_default=False,
    ),
]
InProcess = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Run Python genes in this process: no deadline, no isolation, for genes that you trust.",
        show_default=False,
    ),
]


def checked_timeout_s(text: str | None, *, in_process: bool) -> float:
    """The seconds that a gene may take (HST-4)."""
    from rotifer_console.hosts.child import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S

    if text is None:
        return DEFAULT_TIMEOUT_S
    if in_process:
        raise UsageRefused("give one of --timeout and --in-process: in this process nothing ends a gene")
    try:
        timeout_s = parse_span_us(text) / 1_000_000
    except ValueError as error:
        raise UsageRefused(f"--timeout {clipped(text, 60)}: {error}", hint=SPAN_FORM) from None
    if not 0 < timeout_s <= MAX_TIMEOUT_S:
        raise UsageRefused(f"--timeout {clipped(text, 60)}: it is not above 0 and at most 365 days")
    return timeout_s


def stdout_while_running(*, in_process: bool) -> contextlib.AbstractContextManager[None]:
    """Keeps what genes print in this process off stdout; in their own they cannot reach it (HST-4)."""
    return output.reserved_for_us() if in_process else contextlib.nullcontext()


def tell_result(result: RunResult, mode: Mode, *, hint: str | None) -> None:
    """Prints the output, or with `--json` the steps too; a failed step is a refusal (CLI-1, CLI-2)."""
    failed = result.failed_step
    if mode.as_json:
        output.write_json(result.to_json())
    elif failed is None:
        output.write_json(result.output, indent=_indent_of(result.output))
    if failed is not None and failed.error is not None:
        raise Refused("GENE_FAILED", f"gene {failed.gene}: {failed.error.message}", hint=hint)


def _indent_of(value: Any) -> int | None:
    """How far to indent an output; not at all where that makes it long: a level adds to every line in it."""
    length = 0
    for piece in json.JSONEncoder(indent=_INDENT).iterencode(value):
        length += len(piece)
        if length > _LONGEST_INDENTED:
            return None
    return _INDENT
