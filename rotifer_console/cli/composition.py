"""How an agent's genes run together, as `agent create` takes it (RUN-1)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated

import typer

from rotifer_console.cli.exits import UsageRefused
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.genes.composition import (
    CHOOSABLE,
    Composition,
    InvalidComposition,
    Kind,
    Merge,
    Operator,
    Predicate,
    compose,
)
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


def checked_composition(
    genes: int, name: str | None, merge: str | None, when: tuple[str, str, str] | None
) -> Composition:
    """The composition of so many genes that the options name."""
    kind = None if name is None else Kind(_known("--composition", name, CHOOSABLE))
    merging = None if merge is None else Merge(_known("--par-merge", merge, Merge))
    predicate = None if when is None else _checked_predicate(*when)
    try:
        return compose(genes, kind, merging, predicate)
    except InvalidComposition as error:
        hint = "such as --when kind Eq invoice" if kind is Kind.COND else None
        raise UsageRefused(f"{error}", hint=hint) from None


def _checked_predicate(field: str, operator: str, value: str) -> Predicate:
    return Predicate(field, Operator(_known("--when", operator, Operator)), _json_or_text(value))


def _known(option: str, text: str, names: Iterable[str]) -> str:
    known = list(names)
    if text in known:
        return text
    raise UsageRefused(
        f"{option} {clipped(text, 60)}: it is none", hint=did_you_mean(text, known) or ", ".join(known)
    )


def _json_or_text(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
