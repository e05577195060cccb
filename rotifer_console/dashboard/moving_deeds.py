"""Exporting and importing, each with its dialog (TUI-7, AGT-6)."""

from __future__ import annotations

from pathlib import Path

from rotifer_console.dashboard import deleting
from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.file_dialog import FileDialog, Named, why_not_new, why_not_readable
from rotifer_console.dashboard.undertaking import Undertaking, told
from rotifer_console.file_names import free_path, stem_of
from rotifer_console.view.entries import count
from rotifer_store import MemoryAccessDenied, MemoryQuotaExceeded


class MovingDeeds(Undertaking):
    """What moves entries between the store and files."""

    def do_export(self) -> None:
        """Asks into which file: the marked entries, or the whole agent."""
        agent = self.agent_shown()
        if agent is None:
            return
        keys = tuple(entry.key for entry in self.entries.marks.values())
        here = Path.cwd()
        stem = agent.name if not keys else stem_of(keys[0]) if len(keys) == 1 else f"{agent.name}-entries"
        what = f"{count(len(keys))} of {agent.name}" if keys else f"all of {agent.name}"
        texts = [f"{what}, into a new file for you alone; the working folder is {here.name or here}"]

        def start(dialog: FileDialog, named: Named) -> None:
            def done(exported: int) -> None:
                if dialog.is_attached:
                    dialog.dismiss()
                self.say(f"{count(exported)} exported into {named.path.name}", "success")
                options = ("--include-cache",) if named.is_ticked and not keys else ()
                self.show_deed(
                    "export", Subject(agent=agent.name, keys=keys, file=named.text, options=options)
                )

            self.undertake(
                Lane.LONG,
                f"exporting {what}",
                lambda store: deleting.export(
                    store,
                    deleting.agent_now(store, agent),
                    named.path,
                    keys=keys or None,
                    include_cache=named.is_ticked,
                ),
                done,
                lambda error: self.failed_in(dialog, f"nothing was exported: {told(error)}"),
            )

        self.app.push_screen(
            FileDialog(
                "export",
                texts,
                first=free_path(here, stem).name,
                tick=None if keys else "CACHE entries too",
                does="export",
                check=why_not_new,
                start=start,
            )
        )

    def do_import(self) -> None:
        """Asks from which file."""
        agent = self.agent_shown()
        if agent is None:
            return

        def start(dialog: FileDialog, named: Named) -> None:
            def done(imported: int) -> None:
                if dialog.is_attached:
                    dialog.dismiss()
                self.program.look_again()
                self.say(f"{count(imported)} imported from {named.path.name}", "success")
                options = ("--copy-private",) if named.is_ticked else ()
                self.show_deed("import", Subject(agent=agent.name, file=named.text, options=options))

            def refused(error: Exception) -> None:
                hint = ""
                if isinstance(error, MemoryAccessDenied) and not named.is_ticked:
                    hint = "; tick the line above to take another agent's entries"
                elif isinstance(error, MemoryQuotaExceeded):
                    hint = "; a larger quota (e) or deleting makes room"
                self.failed_in(dialog, f"nothing was imported: {told(error)}{hint}")

            self.undertake(
                Lane.CHANGE,
                f"importing into {agent.name}",
                lambda store: store.import_memory(
                    deleting.agent_now(store, agent), named.path, copy_private=named.is_ticked
                ),
                done,
                refused,
            )

        self.app.push_screen(
            FileDialog(
                f"import into {agent.name}",
                ["what an export wrote; all of it comes, or nothing"],
                first="",
                tick="copy another agent's private entries (--copy-private)",
                does="import",
                check=why_not_readable,
                start=start,
            )
        )
