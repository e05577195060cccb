"""What a self-check found, line by line (REC-9)."""

from __future__ import annotations

from collections.abc import Sequence

from rotifer_console.dashboard.cells import Line, Piece, wrapped
from rotifer_console.dashboard.choices import Choice
from rotifer_console.dashboard.dialog import Dialog
from rotifer_console.view.logs import finding_cells
from rotifer_store import Finding


class FindingsDialog(Dialog[None]):
    """Lists the findings; nothing is put right here."""

    HEADING = "the store and its logs do not agree"
    LEAST_TOLD = 2

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__()
        self._findings = findings

    def mounted(self) -> None:
        """It is grave."""
        self.query_one("#box").add_class("-grave")

    def told(self, width: int) -> list[Line]:
        """Each finding: its kind, where it is, and a sentence."""
        lines: list[Line] = []
        for finding in self._findings:
            kind, where, message = finding_cells(finding)
            lines += [(Piece(part, "warning"),) for part in wrapped(f"{kind}  {where}", width)]
            lines += [(Piece(f"  {part}"),) for part in wrapped(message, width - 2)]
        return lines

    def choices(self) -> Sequence[Choice]:
        """There is nothing to decide."""
        return (Choice("Close", "enter closes", id="close"),)

    def on_choice_taken(self, message: Choice.Taken) -> None:
        """Closes."""
        message.stop()
        self.leave()
