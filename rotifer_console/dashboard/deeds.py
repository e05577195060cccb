"""What the deployer does to the memory that the main screen shows, each with its dialog (TUI-7)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from rotifer_console.dashboard import deleting
from rotifer_console.dashboard.actions import BY_ID, Subject
from rotifer_console.dashboard.agent_deeds import AgentDeeds
from rotifer_console.dashboard.bars import key_name
from rotifer_console.dashboard.checking import Checked, checked_again, checked_now, fact_of
from rotifer_console.dashboard.delete_dialog import Chosen, Confirmed, DeleteDialog
from rotifer_console.dashboard.deleting import Deleted, Deletion
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.findings_dialog import FindingsDialog
from rotifer_console.dashboard.forecast_panel import ForecastPanel
from rotifer_console.dashboard.moving_deeds import MovingDeeds
from rotifer_console.dashboard.policy_setting import NO_LINE
from rotifer_console.dashboard.reports import Reports
from rotifer_console.dashboard.undertaking import told
from rotifer_console.file_names import free_path, stem_of
from rotifer_console.view.entries import count
from rotifer_store import Agent, MemoryCategory

_CHECK_EVERY_S: Final = 10.0
"""How often it is looked whether a small store is to be checked again; where nothing changed, it is not."""


class Deeds(MovingDeeds, AgentDeeds, Reports):
    """The actions of the main screen that change the store, write a file, or open a dialog."""

    _checked = Checked()
    _is_checking = False

    def audit_facts(self) -> tuple[tuple[str, str], ...]:
        """What the header says of the audit log."""
        return (fact_of(self._checked),)

    def check_in_time(self) -> None:
        """From now on a small store is checked whenever it has changed."""
        self.set_interval(_CHECK_EVERY_S, self._check_quietly)

    def looked(self) -> None:
        """A look has brought something new: what a write would lead to is asked again."""
        if self._checked.state is None:
            self._check_quietly()
        self.query_one(ForecastPanel).foresee()

    def _check_quietly(self) -> None:
        """Is it healthy? A store that is checked in a moment answers without a key pressed."""
        app, before = self.program, self._checked
        if app.is_paused or app.seen is None or self._is_checking:
            return
        self._is_checking = True
        app.desk.ask(
            Lane.LONG,
            "check",
            lambda store: checked_again(store, app.project, before, app.clock.now_us()),
            lambda checked: self._is_as(before, checked),
            self._not_checked,
        )

    def _not_checked(self, error: Exception) -> None:
        self._is_checking = False  # what stands in the way is said by the looks

    def _is_as(self, before: Checked, checked: Checked) -> None:
        self._is_checking = False
        if self._checked is before and checked != before:  # else somebody asked for a check meanwhile
            self._checked = checked
            self.program.look_again()

    # Foreseeing

    def do_forecast(self) -> None:
        """Opens the forecast below the list."""
        if self.agent_shown() is None:
            return
        self.uncover_list()
        self.query_one(ForecastPanel).open()

    # Deleting

    def do_delete(self) -> None:
        """Asks about the marked entries, or the one under the cursor."""
        agent = self.agent_shown()
        if agent is None:
            return
        entries = tuple(self.entries.marks.values())
        entry = self.entries.under_cursor
        if not entries and entry is not None:
            entries = (entry,)
        if not entries:
            self.say("there is no entry to delete")
            return
        self._ask(agent, Chosen(agent.name, entries), "delete")

    def do_delete_category(self) -> None:
        """Asks about all of the category that is shown."""
        app, agent = self.program, self.agent_shown()
        if agent is None or app.seen is None or app.seen.agent is None:
            return
        category = app.wanted.where.category
        if category is None:
            self.say(f"no category is shown: {key_name(app.keys_of['next_category'])} shows one")
            return
        chosen = MemoryCategory(category)
        usage = app.seen.agent.usage.by_category[chosen]
        if not usage.entries:
            self.say(f"{chosen} is empty")
            return
        self._ask(agent, Chosen(agent.name, category=chosen, usage=usage), "delete_category")

    def _ask(self, agent: Agent, chosen: Chosen, action_id: str) -> None:
        if chosen.category is not None:
            stem = f"{agent.name}-{chosen.category.lower()}"
        else:
            only = chosen.entries[0].key if len(chosen.entries) == 1 else f"{agent.name}-entries"
            stem = stem_of(only)
        export_to = free_path(Path.cwd(), stem)
        subject = replace(
            self.subject(), keys=tuple(entry.key for entry in chosen.entries), category=chosen.category
        )

        def answered(confirmed: Confirmed | None) -> None:
            if confirmed is not None:
                path = export_to if confirmed.exports else None
                deletion = Deletion(agent, chosen.entries, chosen.category, path, confirmed.is_spelt)
                file = None if path is None else path.name
                self._delete(deletion, chosen, action_id, replace(subject, file=file))

        keys = self.program.rebound.get(action_id, BY_ID[action_id].keys)
        self.app.push_screen(DeleteDialog(chosen, self.creators, export_to, keys), answered)

    def _delete(self, deletion: Deletion, chosen: Chosen, action_id: str, subject: Subject) -> None:
        def done(deleted: Deleted) -> None:
            going = deletion.entries if deleted.removed is not None else deleted.gone
            for entry in going:
                self.entries.marks.pop(entry.entry_id, None)
            self.program.look_again()
            said, role = deleting.describe(deleted, deletion)
            if deleted.removed and not self._show_deletion(action_id, subject, deleted):
                said += f"; {NO_LINE}"
            self.say(said, role)

        self.undertake(
            Lane.CHANGE,
            f"deleting {count(chosen.entry_count)}",
            lambda store: deleting.delete(store, deletion),
            done,
            lambda error: self.say(f"nothing was deleted: {told(error)}", "error"),
        )

    def _show_deletion(self, action_id: str, subject: Subject, deleted: Deleted) -> bool:
        """Shows the command line of a deletion; what was exported first is named there, a key each."""
        if deleted.exported_keys:
            action_id, subject = "delete", replace(subject, keys=deleted.exported_keys)
        return self.show_deed(action_id, subject)

    # Checking

    def do_verify(self) -> None:
        """Holds the store and its logs against each other."""

        def found(checked: Checked) -> None:
            self.hold(None)
            findings = checked.findings or ()
            self._checked = checked
            words, _ = fact_of(checked)
            if findings:
                if self.is_current:
                    self.app.push_screen(FindingsDialog(findings))
                else:  # something else has the keys: they are not taken from it
                    self.say(f"{words}; ! lists them", "error")
            else:
                self.say("the store and its logs agree", "success")
            self.program.look_again()
            self.show_deed("verify")

        def failed(error: Exception) -> None:
            self.hold(None)
            self.say(f"it could not be checked: {told(error)}", "error")

        self.hold("holding the store and its logs against each other", "accent")
        app = self.program
        app.desk.ask(
            Lane.LONG,
            "verify",
            lambda store: checked_now(store, app.project, app.clock.now_us()),
            found,
            failed,
        )
