"""The form for an agent's quota and data policy: what a change does is shown before it is made (TUI-7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from textual.widget import Widget

from rotifer_console.dashboard.agent_form import NO_LIMIT, SettingsForm
from rotifer_console.dashboard.cells import Line, Piece, fit
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.drawn import drawing
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.agents import describe_preview
from rotifer_console.view.sizes import exact_size, format_size
from rotifer_store import Agent, EntryInfo, PolicyPreview

_NAMED: Final = 50
_EFFECT_WIDTH: Final = 12


class PolicyChange(NamedTuple):
    """What the policy form changes: members of the data policy, the quota (None: as it is)."""

    members: Mapping[str, Any]
    quota_bytes: int | None
    options: tuple[str, ...]


class PolicyForm(SettingsForm):
    """An agent's quota and data policy; what a change would do is shown before it can be made."""

    DOES = "set"
    TELLS_LAST = True

    def __init__(self, agent: Agent, start: Callable[[PolicyForm, PolicyChange], None]) -> None:
        """Begins with what holds now."""
        policy = agent.data_policy
        days = NO_LIMIT if policy.max_retention_days is None else str(policy.max_retention_days)
        super().__init__(
            exact_size(agent.memory_quota_bytes),
            days,
            anonymization=policy.anonymization_supported,
            auto_delete=policy.auto_delete_on_termination,
        )
        self.agent = agent
        self._start = start
        self._foreseen: tuple[PolicyChange, PolicyPreview] | None = None

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

    def changed(self) -> None:
        """Asks what the change would do; until that is known it cannot be made."""
        if self.is_working:
            return
        self._foreseen = None
        self.do_it.relabel("Set", "enter: nothing to set yet", is_ready=False)
        self.show_hint()
        try:
            change = self.change()
        except ValueError as error:
            self.refuse(str(error), "warning")
            return
        if not change.options:
            self.refuse("nothing is changed yet", "dim")
            return
        agent = self.agent
        policy = replace(agent.data_policy, **change.members)

        def foreseen(preview: PolicyPreview) -> None:
            if self.is_attached and not self.is_working and self._typed() == change:
                self._foreseen = (change, preview)
                is_bad = bool(preview.expiring or preview.outside or preview.over_quota_bytes)
                self.do_it.relabel("Set", f"enter sets it: {describe_preview(preview)}")
                self.refuse(describe_preview(preview), "warning" if is_bad else "success")
                self.show_hint()

        self.console_app.desk.ask(
            Lane.ENTRY,
            "preview",
            lambda store: store.preview_policy(
                agent, data_policy=policy, memory_quota_bytes=change.quota_bytes
            ),
            foreseen,
            lambda error: self.refuse(str(error)),
        )

    def _typed(self) -> PolicyChange | None:
        try:
            return self.change()
        except ValueError:
            return None

    def told(self, width: int) -> list[Line]:
        """The entries that the change concerns, and what becomes of each."""
        if self._foreseen is None:
            return []
        _, preview = self._foreseen
        glyphs = drawing(self.app).glyphs
        return [
            *_effect_lines("expires", preview.expiring, width, glyphs),
            *_effect_lines("does not fit", preview.outside, width, glyphs),
        ]

    def begin(self) -> None:
        """Sets it, once it is known what it does."""
        if self.is_working:
            return
        if self._foreseen is None:
            return
        change, _ = self._foreseen
        self.working()
        self._start(self, change)


def _effect_lines(effect: str, entries: Sequence[EntryInfo], width: int, glyphs: Glyphs) -> list[Line]:
    """What becomes of each entry, the first of many by name."""
    lines: list[Line] = [
        (
            Piece(fit(effect, _EFFECT_WIDTH), "warning"),
            Piece(f" {glyphs.category[entry.category]} ", entry.category),
            Piece(fit(entry.key, max(4, width - _EFFECT_WIDTH - 13), ellipsis=glyphs.ellipsis)),
            Piece(fit(format_size(entry.size_bytes), 10, right=True)),
        )
        for entry in entries[:_NAMED]
    ]
    if len(entries) > _NAMED:
        lines.append((Piece(f"and {len(entries) - _NAMED} more", "dim"),))
    return lines
