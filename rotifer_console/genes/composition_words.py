"""Compositions as people write them: the words of `--composition`, `--par-merge` and `--when`. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rotifer_console.genes.composition import (
    CHOOSABLE,
    Composition,
    Kind,
    Merge,
    Operator,
    Predicate,
    compose,
)

EXAMPLE = "kind Eq invoice"
"""A predicate, for those who look for one."""


class UnknownWord(ValueError):
    """A word that is none of those that could stand there."""

    def __init__(self, option: str, word: str, known: Iterable[str]) -> None:
        """Carries where it stood, what it is and what it could be."""
        super().__init__(f"{option}: it is none of {', '.join(known)}")
        self.option = option
        self.word = word
        self.known = tuple(known)


def composition_of(
    genes: int, name: str | None, merge: str | None, when: tuple[str, str, str] | None
) -> Composition:
    """The composition of so many genes that the words describe; None says nothing.

    Raises:
        UnknownWord: a word is none of those that could stand there.
        InvalidComposition: the parts do not go together.
    """
    kind = None if name is None else Kind(_known("--composition", name, CHOOSABLE))
    merging = None if merge is None else Merge(_known("--par-merge", merge, Merge))
    return compose(genes, kind, merging, None if when is None else _predicate(*when))


def _predicate(field: str, operator: str, value: str) -> Predicate:
    return Predicate(field, Operator(_known("--when", operator, Operator)), _json_or_text(value))


def _known(option: str, word: str, known: Iterable[str]) -> str:
    words = tuple(known)
    if word not in words:
        raise UnknownWord(option, word, words)
    return word


def _json_or_text(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
