"""How an agent's genes run together, as `agent create` takes it (RUN-1)."""

from __future__ import annotations

from typing import Annotated

import typer

from rotifer_console.cli.exits import UsageRefused, note
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.genes.composition import (
    CHOOSABLE,
    Composition,
    InvalidComposition,
    Kind,
    Merge,
    Operator,
)
from rotifer_console.genes.composition_words import EXAMPLE, UnknownWord, composition_of
from rotifer_console.view.safe_text import clipped

CompositionName = Annotated[
    str | None,
    typer.Option(
        "--composition",
        metavar="|".join(CHOOSABLE),
        help="How several genes run: each on the output of the one before; all on the input; one of two, "
        "chosen by --when; the second where the first fails. Seq by default.",
        show_default=False,
    ),
]
ParMerge = Annotated[
    str | None,
    typer.Option(
        "--par-merge",
        metavar="|".join(Merge),
        help="What a Par's output is: the first that succeeded, or all of them as branch_0, branch_1 and so "
        "on; concat and merge are the same. first by default.",
        show_default=False,
    ),
]
When = Annotated[
    tuple[str, str, str] | None,
    typer.Option(
        "--when",
        metavar="FIELD OP VALUE",
        help="Runs a Cond's first gene where this member of the input compares so with VALUE, JSON or else "
        f"text; its second gene otherwise. OP is {', '.join(Operator)}.",
        show_default=False,
    ),
]

_NAMED_BY = {"--composition": "composition", "--par-merge": "merge", "--when": "operator"}


def checked_composition(
    genes: int, name: str | None, merge: str | None, when: tuple[str, str, str] | None
) -> Composition:
    """The composition of so many genes that the options name."""
    try:
        return composition_of(genes, name, merge, when)
    except UnknownWord as error:
        hint = did_you_mean(error.word, error.known) or ", ".join(error.known)
        told = f"{error.option}: {clipped(error.word, 60)} is no {_NAMED_BY[error.option]}"
        raise UsageRefused(told, hint=hint) from None
    except InvalidComposition as error:
        such_as = f"such as --when {EXAMPLE}" if name == Kind.COND else None
        raise UsageRefused(f"{error}", hint=such_as) from None


def note_idle_options(
    composition: Composition, name: str | None, merge: str | None, when: tuple[str, str, str] | None
) -> None:
    """Tells which of the options mean nothing, because one gene is Single whatever they say (RUN-1)."""
    if composition.kind is Kind.SINGLE and name not in (None, Kind.SEQ):
        options = {"--composition": name, "--par-merge": merge, "--when": when}
        idle = [option for option, value in options.items() if value is not None]
        note(
            f"one gene is {Kind.SINGLE}: {' and '.join(idle)} {'has' if len(idle) == 1 else 'have'} no effect"
        )
