"""Asks before entries are deleted: names each, begins on Cancel, wants a word where much is at stake (TUI-7).

What the dialog shows is what it was opened with: the list behind it may be sorted anew or change meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from textual.app import ComposeResult
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, cell_text, fit, width_of, wrapped
from rotifer_console.dashboard.choices import Choice, LateField, Toggle
from rotifer_console.dashboard.dialog import Dialog
from rotifer_console.dashboard.drawn import drawing
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.form_row import FormRow
from rotifer_console.dashboard.glyphs import Glyphs
from rotifer_console.view.columns import short_id
from rotifer_console.view.entries import count, total_bytes
from rotifer_console.view.sizes import format_size
from rotifer_store import EntryInfo, MemoryCategory, Usage

WORD: Final = "delete"
_NAMED: Final = 10
_CATEGORY_WIDTH: Final = 10
_SIZE_WIDTH: Final = 8
_CREATOR_WIDTH: Final = 16
_CONFIRM_KEYS: Final = "yo"


def needs_word(entries: Sequence[EntryInfo]) -> bool:
    """Whether the loss of these needs a word typed: several, or any PREFERENCE."""
    return len(entries) > 1 or any(entry.category is MemoryCategory.PREFERENCE for entry in entries)


class Chosen(NamedTuple):
    """What is to be deleted: entries as they were seen, or all of a category, whose counters they are."""

    agent: str
    entries: tuple[EntryInfo, ...] = ()
    category: MemoryCategory | None = None
    usage: Usage | None = None

    @property
    def entry_count(self) -> int:
        """How many entries."""
        return len(self.entries) if self.usage is None else self.usage.entries

    @property
    def what(self) -> str:
        """`2 entries`, `all CACHE`."""
        return count(self.entry_count) if self.category is None else f"all {self.category}"

    @property
    def needs_word(self) -> bool:
        """Whether more is at stake than a key's stroke may decide: several entries, or any PREFERENCE."""
        return self.category is not None or needs_word(self.entries)


class Confirmed(NamedTuple):
    """The deletion was confirmed; whether by the word, and whether the entries are exported first."""

    is_spelt: bool
    exports: bool


class DeleteDialog(Dialog[Confirmed]):
    """Names what would go; Cancel has the keys at first."""

    LEAST_TOLD = 4

    def __init__(
        self, chosen: Chosen, creators: Mapping[str, str], export_to: Path, opened_by: Sequence[str]
    ) -> None:
        """Asks about what was chosen, whatever changes behind it.

        Args:
            chosen: what would go.
            creators: the names of genes by v2 id.
            export_to: the new file that would take the entries first.
            opened_by: the keys that open the dialog: none of them confirms it.
        """
        super().__init__()
        self.chosen = chosen
        self._creators = creators
        self._export_to = export_to
        key = next(key for key in _CONFIRM_KEYS if key not in opened_by)
        self._does = f"enter deletes {chosen.what}"
        self._cancel = Choice("Cancel", "enter cancels", id="cancel")
        self._delete = Choice("Delete", self._does, id="delete", key="" if chosen.needs_word else key)
        self._exports = Toggle(f"export first to {export_to.name}", id="exports")
        self._word = LateField(id="word", max_length=40)

    def compose_rows(self) -> ComposeResult:
        """The export that is offered, and the box for the word."""
        yield self._exports
        row = FormRow(f"type {WORD}", self._word)
        row.display = self.chosen.needs_word
        yield row

    def choices(self) -> Sequence[Choice]:
        """Cancel, then Delete."""
        return (self._cancel, self._delete)

    def first(self) -> Widget:
        """Enter cancels at first."""
        return self._cancel

    def mounted(self) -> None:
        """Names itself."""
        box = self.query_one("#box")
        box.border_title = f"delete {self.chosen.what}"
        box.add_class("-grave")
        self._settle()

    @property
    def is_spelt(self) -> bool:
        """Whether the word stands there."""
        return self._word.value.strip().lower() == WORD

    def told(self, width: int) -> list[Line]:
        """Every entry by its whole key, the first ten of many; then what deleting means."""
        glyphs = drawing(self.app).glyphs
        lines: list[Line] = []
        chosen = self.chosen
        if chosen.usage is not None:
            text = f"{count(chosen.entry_count)} of {chosen.agent}, {format_size(chosen.usage.bytes)}: all of"
            lines.append((Piece(f"{text} {chosen.category}", "strong"),))
            lines.append((Piece("what a filter hides goes too", "dim"),))
        elif len(chosen.entries) > 1:
            lines += _sum_lines(chosen, width)
        for entry in chosen.entries[:_NAMED]:
            lines += _entry_lines(entry, self._creators, width, glyphs)
        if len(chosen.entries) > _NAMED:
            lines.append((Piece(f"  and {len(chosen.entries) - _NAMED} more", "dim"),))
        lines += [(Piece(part, "warning"),) for text in self._meaning() for part in wrapped(text, width)]
        return lines

    def _meaning(self) -> list[str]:
        categories = {entry.category for entry in self.chosen.entries} | {self.chosen.category}
        keeps = MemoryCategory.PREFERENCE in categories
        protected = ["PREFERENCE is never cleared by itself."] if keeps else []
        if self._exports.is_on:
            return [*protected, f"Importing {self._export_to.name} brings back what was exported."]
        return [*protected, "Deleting cannot be undone."]

    # Choosing

    def on_choice_taken(self, message: Choice.Taken) -> None:
        """Cancels, deletes, or ticks the export."""
        message.stop()
        if message.choice is self._cancel:
            self.leave()
        elif message.choice is self._delete:
            self._confirm()
        else:
            self.tell()

    def _confirm(self) -> None:
        if self.chosen.needs_word and not self.is_spelt:
            self.refuse(f"nothing is deleted until {WORD} is typed", "warning")
            self._word.focus()
            return
        self.dismiss(Confirmed(self.is_spelt, self._exports.is_on))

    def on_input_changed(self, message: Field.Changed) -> None:
        """The word arms the choice."""
        message.stop()
        self.hush()
        self._settle()

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """Enter behind the word does what the hint says."""
        message.stop()
        self._confirm()

    def _settle(self) -> None:
        is_ready = not self.chosen.needs_word or self.is_spelt
        hint = self._does if is_ready else f"type {WORD} first"
        self._delete.relabel("Delete", hint, is_ready=is_ready)
        self.show_hint()

    def hint_of(self, focused: Widget | None) -> str:
        """What enter does behind the word."""
        return self._does if self.is_spelt else f"type {WORD}, then enter deletes"


def _sum_lines(chosen: Chosen, width: int) -> list[Line]:
    counted = Counter(entry.category for entry in chosen.entries)
    parts = ", ".join(f"{category} {counted[category]}" for category in MemoryCategory if counted[category])
    size = format_size(total_bytes(chosen.entries))
    text = f"{count(chosen.entry_count)} of {chosen.agent}, {size}: {parts}"
    return [(Piece(part, "strong"),) for part in wrapped(text, width)]


def _entry_lines(entry: EntryInfo, creators: Mapping[str, str], width: int, glyphs: Glyphs) -> list[Line]:
    """One entry: sign, whole key, size, creator; how long the key is in bytes where it is not as it looks."""
    sign = Piece(f"{glyphs.category[entry.category]} ", entry.category)
    size = format_size(entry.size_bytes)
    creator = creators.get(entry.created_by) or short_id(entry.created_by)
    key = cell_text(entry.key)
    room = width - 2 - 1 - _CATEGORY_WIDTH - 1 - _SIZE_WIDTH - 5 - _CREATOR_WIDTH
    is_as_it_looks = key == entry.key and entry.key.strip() == entry.key != ""
    if is_as_it_looks and width_of(key) <= room:
        return [
            (
                sign,
                Piece(f"{fit(key, room)} ", "strong"),
                Piece(f"{fit(entry.category, _CATEGORY_WIDTH)} ", entry.category),
                Piece(fit(size, _SIZE_WIDTH, right=True)),
                Piece(f"  by {fit(creator, _CREATOR_WIDTH)}", "dim"),
            )
        ]
    lines: list[Line] = [
        (sign if index == 0 else Piece("  "), Piece(part, "strong"))
        for index, part in enumerate(wrapped(entry.key, width - 2))
    ]
    if not is_as_it_looks:
        note = f"{len(entry.key.encode())} bytes as it is; marks stand for what is hidden or controls"
        lines += [(Piece("  "), Piece(part, "warning")) for part in wrapped(note, width - 2)]
    by = fit(f"{entry.category}, {size}, by {creator}", width - 2).rstrip(" ")
    lines.append((Piece("  "), Piece(by, "dim")))
    return lines
