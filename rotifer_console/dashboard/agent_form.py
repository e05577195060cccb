"""The form for a new agent, and the rows that it shares with the one for a policy (TUI-7, RUN-1, QUO-2)."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.widget import Widget

from rotifer_console.dashboard.cells import Line, Piece, wrapped
from rotifer_console.dashboard.choices import Choice, LateField, Pick, Toggle
from rotifer_console.dashboard.dialog import Dialog
from rotifer_console.dashboard.field import Field
from rotifer_console.dashboard.form_row import FormRow
from rotifer_console.genes.composition import Composition, InvalidComposition, Kind, Merge
from rotifer_console.genes.composition_words import EXAMPLE, UnknownWord, composition_of
from rotifer_console.view.sizes import (
    SIZE_FORM,
    parse_quota_bytes,
    parse_retention_days,
)
from rotifer_store.gene_folder import GENE_NAME_FORM, is_gene_name

NO_LIMIT: Final = "none"
_DEFAULT_QUOTA: Final = "10MB"
_KINDS: Final[Mapping[str, str]] = {
    Kind.SEQ: "each on the output of the one before",
    Kind.PAR: "all of them on the input",
    Kind.COND: "one of two, by the input",
    Kind.TRY: "the second where the first fails",
}
_MERGES: Final[Mapping[str, str]] = {
    Merge.FIRST: "that of the first that succeeded",
    Merge.CONCAT: "all of them: branch_0, branch_1 and so on",
    Merge.MERGE: "the same as concat",
}
_WHEN_WORDS: Final = 3


class NewAgent(NamedTuple):
    """What the form for a new agent says."""

    name: str
    genes: tuple[str, ...]
    composition: Composition
    quota_bytes: int
    days: int | None
    anonymization: bool
    auto_delete: bool
    options: tuple[str, ...]


class SettingsForm(Dialog[None]):
    """Quota and data policy as rows, and what is wrong with them."""

    DOES: ClassVar[str] = ""

    def __init__(self, quota: str, days: str, *, anonymization: bool, auto_delete: bool) -> None:
        super().__init__()
        self.is_working = False
        self.quota = LateField(quota, id="new_quota", max_length=60)
        self.days = LateField(days, id="days", max_length=20)
        self.anonymization = Toggle("anonymization: entries may be shared", id="anonymization")
        self.anonymization.is_on = anonymization
        self.auto_delete = Toggle("auto-delete on termination (stored only)", id="auto_delete")
        self.auto_delete.is_on = auto_delete
        self.do_it = Choice(self.DOES.capitalize(), f"enter: {self.DOES}", id="do")
        self.cancel = Choice("Cancel", "enter cancels", id="cancel")

    def compose_rows(self) -> ComposeResult:
        """Quota, days, and the two that are on or off."""
        yield FormRow("quota", self.quota)
        yield FormRow("days to keep", self.days)
        yield self.anonymization
        yield self.auto_delete

    def choices(self) -> Sequence[Choice]:
        """Cancel, then the deed."""
        return (self.cancel, self.do_it)

    def quota_bytes(self) -> int:
        """The quota that is typed.

        Raises:
            ValueError: it is none (QUO-2).
        """
        try:
            return parse_quota_bytes(self.quota.value.replace(" ", ""))
        except ValueError as error:
            raise ValueError(f"quota: {error}; {SIZE_FORM}") from None

    def days_or_none(self) -> int | None:
        """The days that are typed; none keeps entries without a limit.

        Raises:
            ValueError: it is no number of days (POL-1).
        """
        text = self.days.value.strip()
        if text in ("", NO_LIMIT):
            return None
        try:
            return parse_retention_days(text)
        except ValueError as error:
            raise ValueError(f"days to keep: {error}, or {NO_LIMIT}") from None

    def on_choice_taken(self, message: Choice.Taken) -> None:
        """Begins, leaves, or ticks."""
        message.stop()
        if message.choice is self.do_it:
            self.begin()
        elif message.choice is self.cancel:
            self.leave()
        else:
            self.changed()

    def on_input_changed(self, message: Field.Changed) -> None:
        """What was said does not hold any more."""
        message.stop()
        self.changed()

    def on_input_submitted(self, message: Field.Submitted) -> None:
        """Enter goes on to what is next: only the choice itself does the deed."""
        message.stop()
        self.go_on(1)

    def hint_of(self, focused: Widget | None) -> str:
        """What enter does in a box."""
        return "enter goes on"

    def changed(self) -> None:
        """Something else is typed or ticked."""
        if not self.is_working:
            self.hush()

    def begin(self) -> None:
        """Checks what is typed, and begins."""
        raise NotImplementedError

    def working(self) -> None:
        """It is being done."""
        self.is_working = True
        self.refuse("working; esc closes this, and it goes on", "accent")

    def failed(self, text: str) -> None:
        """It could not be done: says why; everything typed stays."""
        self.is_working = False
        self.refuse(text)


class CreateForm(SettingsForm):
    """A new agent: name, genes, quota, data policy."""

    HEADING = "new agent"
    DOES = "create"

    def __init__(self, gene_names: Sequence[str], start: Callable[[CreateForm, NewAgent], None]) -> None:
        """Asks for everything.

        Args:
            gene_names: the project's genes, to choose from.
            start: begins to create it.
        """
        super().__init__(_DEFAULT_QUOTA, NO_LIMIT, anonymization=False, auto_delete=False)
        self._gene_names = gene_names
        self._start = start
        self.agent_name = LateField(id="agent_name", max_length=100)
        self.genes = LateField(id="genes")
        self.kind = Pick(_KINDS, id="kind", turned=self._ask_for_more)
        self.merge = Pick(_MERGES, id="merge")
        self.when = LateField(placeholder=EXAMPLE, id="when")
        self._rows_of = {Kind.PAR: FormRow("its output", self.merge), Kind.COND: FormRow("when", self.when)}

    def compose_rows(self) -> ComposeResult:
        """Name, genes and how they run, then the policy."""
        yield FormRow("name", self.agent_name)
        yield FormRow("genes", self.genes)
        yield FormRow("they run as", self.kind)
        for row in self._rows_of.values():
            row.display = False
            yield row
        yield from super().compose_rows()

    def _ask_for_more(self) -> None:
        """Another way to run may want a merge or a predicate."""
        for kind, row in self._rows_of.items():
            row.display = self.kind.label == kind

    def first(self) -> Widget:
        """The name."""
        return self.agent_name

    def told(self, width: int) -> list[Line]:
        """The genes that there are."""
        here = ", ".join(self._gene_names) if self._gene_names else "none yet, rotifer wrap makes one"
        return [(Piece(part, "dim"),) for part in wrapped(f"genes here: {here}; their order counts", width)]

    def _composition(self, genes: int) -> tuple[Composition, list[str]]:
        """How so many genes run, and the options that say so.

        Raises:
            ValueError: that many cannot run so, or what is typed is no predicate (RUN-1).
        """
        kind, merge, when = self.kind.label, None, None
        options = [] if kind == Kind.SEQ else [f"--composition={kind}"]
        if kind == Kind.PAR:
            merge = self.merge.label
            options.append(f"--par-merge={merge}")
        elif kind == Kind.COND:
            when = _words_of(self.when.value)
            options += ["--when", *when]
        try:
            return composition_of(genes, kind, merge, when), options
        except UnknownWord as error:
            raise ValueError(f"when: {error.word} compares nothing; {', '.join(error.known)} do") from None
        except InvalidComposition as error:
            raise ValueError(f"they run as {kind}: {error}") from None

    def new_agent(self) -> NewAgent:
        """What is typed.

        Raises:
            ValueError: something of it cannot be.
        """
        name = self.agent_name.value.strip()
        if not name:
            raise ValueError("name: it needs one")
        genes = tuple(self.genes.value.replace(",", " ").split())
        if not genes:
            raise ValueError("genes: it needs one, or several that run one after another")
        for gene in genes:
            if not is_gene_name(gene):
                raise ValueError(f"genes: no gene is called {gene}; {GENE_NAME_FORM}")
        composition, running = self._composition(len(genes))
        quota_bytes, days = self.quota_bytes(), self.days_or_none()
        anonymization, auto_delete = self.anonymization.is_on, self.auto_delete.is_on
        options = ["--genes", *genes, *running, f"--memory-quota={self.quota.value.replace(' ', '')}"]
        options += [f"--max-retention-days={days}"] if days is not None else []
        options += ["--anonymization"] if anonymization else []
        options += ["--auto-delete-on-termination"] if auto_delete else []
        return NewAgent(
            name, genes, composition, quota_bytes, days, anonymization, auto_delete, tuple(options)
        )

    def begin(self) -> None:
        """Checks what is typed, and creates."""
        if self.is_working:
            return
        try:
            new = self.new_agent()
        except ValueError as error:
            self.refuse(str(error), "warning")
            return
        self.working()
        self._start(self, new)


def _words_of(text: str) -> tuple[str, str, str]:
    """A field, an operator and a value, with quotes around what belongs together, as a shell takes them.

    Raises:
        ValueError: they are not three.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if len(words) != _WHEN_WORDS:
        raise ValueError(
            f"when: a field, an operator and a value, such as {EXAMPLE}; quotes hold words together"
        )
    field, operator, value = words
    return field, operator, value
