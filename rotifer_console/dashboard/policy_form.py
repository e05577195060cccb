"""The form for an agent's quota and data policy: what a change does is shown before it is made (TUI-7).

A change that lets entries expire at once is a deletion, and is guarded like one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from textual.app import ComposeResult
from textual.widget import Widget

from rotifer_console.dashboard.agent_form import NO_LIMIT, SettingsForm
from rotifer_console.dashboard.cells import Line, Piece, fit, wrapped
from rotifer_console.dashboard.choices import Choice, LateField, Toggle
from rotifer_console.dashboard.delete_dialog import WORD, needs_word
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.drawn import drawing
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.form_row import FormRow
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.dashboard.policy_setting import PolicyChange, PolicySetting
from rotifer_console.view.agents import describe_preview
from rotifer_console.view.entries import count
from rotifer_console.view.sizes import exact_size, format_size, size_cell
from rotifer_store import Agent, EntryInfo, MemoryCategory, MemoryUsage, PolicyPreview

_NAMED: Final = 50
_EFFECT_WIDTH: Final = 12


class PolicyForm(SettingsForm):
    """An agent's quota and data policy; what a change would do is shown before it can be made."""

    DOES = "set"
    TELLS_LAST = True
    KEPT_LINES = 15

    def __init__(
        self,
        agent: Agent,
        usage: MemoryUsage,
        export_to: Path,
        start: Callable[[PolicyForm, PolicySetting], None],
    ) -> None:
        """Begins with what holds now.

        Args:
            agent: whose policy it is.
            usage: what the agent remembers.
            export_to: the new file that would take first what expires.
            start: begins to set what was confirmed.
        """
        policy = agent.data_policy
        days = NO_LIMIT if policy.max_retention_days is None else str(policy.max_retention_days)
        super().__init__(
            exact_size(agent.memory_quota_bytes),
            days,
            anonymization=policy.anonymization_supported,
            auto_delete=policy.auto_delete_on_termination,
        )
        self.agent = agent
        self._usage = usage
        self._export_to = export_to
        self._start = start
        self._change: PolicyChange | None = None
        self._preview: PolicyPreview | None = None
        self._was_late = False
        self._exports = Toggle(f"export first to {export_to.name}", id="exports")
        self._word = LateField(id="word", max_length=40)
        self._word_row = FormRow(f"type {WORD}", self._word)

    def compose_rows(self) -> ComposeResult:
        """The policy; then, where entries would expire, what guards a deletion."""
        yield from super().compose_rows()
        self._exports.display = self._word_row.display = False
        yield self._exports
        yield self._word_row

    def first(self) -> Widget:
        """The quota."""
        return self.quota

    def mounted(self) -> None:
        """Names itself; nothing is changed yet."""
        self.query_one("#box").border_title = f"policy of {self.agent.name}"
        self.changed()

    def change(self) -> PolicyChange:
        """What differs from what holds.

        Raises:
            ValueError: something that is typed cannot be.
        """
        policy = self.agent.data_policy
        quota_bytes, days = self.quota_bytes(), self.days_or_none()
        members: dict[str, Any] = {}
        options: list[str] = []
        if days != policy.max_retention_days:
            members["max_retention_days"] = days
            options.append(f"--max-retention-days={NO_LIMIT if days is None else days}")
        if self.anonymization.is_on is not policy.anonymization_supported:
            members["anonymization_supported"] = self.anonymization.is_on
            options.append("--anonymization" if self.anonymization.is_on else "--no-anonymization")
        if self.auto_delete.is_on is not policy.auto_delete_on_termination:
            members["auto_delete_on_termination"] = self.auto_delete.is_on
            word = "auto-delete-on-termination"
            options.append(f"--{word}" if self.auto_delete.is_on else f"--no-{word}")
        if quota_bytes == self.agent.memory_quota_bytes:
            return PolicyChange(members, None, tuple(options))
        options.append(f"--memory-quota={self.quota.value.replace(' ', '')}")
        return PolicyChange(members, quota_bytes, tuple(options))

    def on_input_changed(self, message: Field.Changed) -> None:
        """The word arms the choice, and is no other change: that would be heard by what this extends."""
        if message.input is self._word:
            message.stop()
            message.prevent_default()
            self._settle()

    def on_choice_taken(self, message: Choice.Taken) -> None:
        """The export changes nothing of the policy."""
        if message.choice is self._exports:
            message.stop()
            message.prevent_default()
            self._say_effects()

    def changed(self) -> None:
        """Asks what the change would do; until that is known it cannot be made."""
        if self.is_working:
            return
        self._preview = self._change = None
        self._word.value = ""  # it was typed for what would have expired before
        self._settle()
        try:
            change = self.change()
        except ValueError as error:
            self._guard()
            self.refuse(str(error), "warning")
            return
        agent = self.agent
        policy = replace(agent.data_policy, **change.members)

        def foreseen(preview: PolicyPreview) -> None:
            if self.is_attached and not self.is_working and self._typed() == change:
                self._foresaw(change, preview)

        self.program.desk.ask(
            Lane.ENTRY,
            "preview",
            lambda store: store.preview_policy(
                agent, data_policy=policy, memory_quota_bytes=change.quota_bytes
            ),
            foreseen,
            lambda error: self.refuse(str(error)),
        )

    def _foresaw(self, change: PolicyChange, preview: PolicyPreview) -> None:
        self._change, self._preview = change, preview
        self._guard()
        self._say_effects()
        self._was_late = False
        self._settle()

    def _say_effects(self) -> None:
        preview, change = self._preview, self._change
        if preview is None or change is None or not change.options:
            self.hush()
            return
        text = describe_preview(preview)
        if preview.expiring:
            kept = sum(entry.category is MemoryCategory.PREFERENCE for entry in preview.expiring)
            text += f"; what expires holds {kept} {MemoryCategory.PREFERENCE}" if kept else ""
            text += "" if self._exports.is_on else ". It cannot be undone."
        is_bad = bool(preview.expiring or preview.outside or preview.over_quota_bytes)
        late = "it has changed meanwhile: " if self._was_late else ""
        self.refuse(f"{late}{text}", "warning" if is_bad else "success")

    def _guard(self) -> None:
        """Shows what guards a deletion where the change is one."""
        expiring = [] if self._preview is None else self._preview.expiring
        self._exports.display = bool(expiring)
        self._word_row.display = needs_word(expiring)
        self.query_one("#box").set_class(bool(expiring), "-grave")

    @property
    def _is_armed(self) -> bool:
        """Whether it can be set: it is known what that does, and the word stands where one is needed."""
        if self._preview is None or self._change is None or not self._change.options:
            return False
        return not needs_word(self._preview.expiring) or self._word.value.strip().lower() == WORD

    def _settle(self) -> None:
        hint = "enter: nothing to set yet"
        if self._is_armed and self._preview is not None:
            hint = f"enter sets it: {describe_preview(self._preview)}"
        elif self._preview is not None and needs_word(self._preview.expiring):
            hint = f"type {WORD} first"
        self.do_it.relabel("Set", hint, is_ready=self._is_armed)
        self.show_hint()

    def _typed(self) -> PolicyChange | None:
        try:
            return self.change()
        except ValueError:
            return None

    def told(self, width: int) -> list[Line]:
        """The entries that the change concerns, and what becomes of each; at first, what the policy means."""
        preview, glyphs = self._preview, drawing(self.app).glyphs
        if preview is None or self._change is None:
            return []
        lines: list[Line] = []
        if not self._change.options:
            texts = _meaning(self.agent, self._usage)
            lines = [(Piece(part, "dim"),) for text in texts for part in wrapped(text, width)]
        return [
            *lines,
            *_effect_lines("expires", preview.expiring, width, glyphs),
            *_effect_lines("does not fit", preview.outside, width, glyphs),
        ]

    def begin(self) -> None:
        """Sets it, once it is known what it does, and the word stands there where one is needed."""
        if self.is_working or self._preview is None or self._change is None:
            return
        if not self._is_armed:
            if self._word_row.display:
                self.refuse(f"nothing is set until {WORD} is typed", "warning")
                self._word.focus()
            return
        path = self._export_to if self._preview.expiring and self._exports.is_on else None
        setting = PolicySetting(self.agent, self._change, tuple(self._preview.expiring), path)
        self.working()
        self._start(self, setting)

    def came_late(self) -> None:
        """More would expire than was named: names it, and waits for the word again."""
        self.is_working = False
        self._was_late = True
        self.changed()


def _meaning(agent: Agent, usage: MemoryUsage) -> list[str]:
    """What the policy means as it is, a sentence each."""
    policy, quota_bytes = agent.data_policy, agent.memory_quota_bytes
    days = policy.max_retention_days
    entries = sum(part.entries for part in usage.by_category.values())
    left = quota_bytes - usage.used_bytes
    room = f"{format_size(left)} free" if left >= 0 else f"{format_size(-left)} over: it cannot grow"
    return [
        f"now: {count(entries)}, {format_size(usage.used_bytes)} of {format_size(quota_bytes)}, {room}",
        "entries without days of their own are kept for good"
        if days is None
        else f"entries without days of their own expire {days} {'day' if days == 1 else 'days'} after "
        "their last update",
        "entries may be marked to be shared"
        if policy.anonymization_supported
        else "no entry may be marked to be shared",
    ]


def _effect_lines(effect: str, entries: Sequence[EntryInfo], width: int, glyphs: Glyphs) -> list[Line]:
    """What becomes of each entry, the first of many by name."""
    lines: list[Line] = [
        (
            Piece(fit(effect, _EFFECT_WIDTH), "warning"),
            Piece(f" {glyphs.category[entry.category]} ", entry.category),
            Piece(fit(entry.key, max(4, width - _EFFECT_WIDTH - 13), ellipsis=glyphs.ellipsis)),
            Piece(fit(size_cell(entry.size_bytes), 10, right=True)),
        )
        for entry in entries[:_NAMED]
    ]
    if len(entries) > _NAMED:
        lines.append((Piece(f"and {len(entries) - _NAMED} more", "dim"),))
    return lines
