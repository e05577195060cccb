"""What a self-check found, printed the same way by every command that checks (REC-9)."""

from __future__ import annotations

from collections.abc import Sequence

from rotifer_console.cli import output, terminal
from rotifer_console.cli.exits import Refused
from rotifer_console.view import logs as view
from rotifer_store import ErrorCode, Finding


def write(findings: Sequence[Finding], mode: terminal.Mode) -> None:
    """Writes the findings, a row each, and refuses where there are any: the exit status is 1."""
    if mode.as_json:
        output.write_json([finding.to_json() for finding in findings])
    else:
        output.write_rows(view.FINDING_COLUMNS, [view.finding_cells(finding) for finding in findings], mode)
    if findings:
        found = f"{len(findings)} {'finding' if len(findings) == 1 else 'findings'}"
        raise Refused(ErrorCode.MEMORY_STORAGE_ERROR, f"the store or its log is not sound: {found}")
