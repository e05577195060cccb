"""Compositions: which genes run on what, side by side or in turn, and what their outputs come to (RUN-2).

Pure. A course is a generator: it yields the turns to take next, is sent what they came to, and returns the
end. How genes run, and whether those of one batch really run side by side, is nothing to it (RUN-3).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from rotifer_console.genes.json_values import is_number, same_json

_TWO: Final = 2


class Kind(StrEnum):
    """How the genes of an agent run together (RUN-1)."""

    SINGLE = "Single"
    SEQ = "Seq"
    PAR = "Par"
    COND = "Cond"
    TRY = "Try"


CHOOSABLE: Final = (Kind.SEQ, Kind.PAR, Kind.COND, Kind.TRY)
"""What `--composition` takes: one gene is Single, whatever it says."""


class Merge(StrEnum):
    """What a Par makes of its branches' outputs; `concat` and `merge` are the same (RUN-2)."""

    FIRST = "first"
    CONCAT = "concat"
    MERGE = "merge"


class Operator(StrEnum):
    """How a Cond compares a field of its input with a value (RUN-2)."""

    EQ = "Eq"
    NEQ = "Neq"
    GT = "Gt"
    LT = "Lt"
    GTE = "Gte"
    LTE = "Lte"
    CONTAINS = "Contains"


_COMPARE_NUMBERS: Final = (Operator.GT, Operator.LT, Operator.GTE, Operator.LTE)


class InvalidComposition(ValueError):
    """The parts of a composition do not go together; says why in words of the command line's."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a Cond asks of one member of its input."""

    field: str
    operator: Operator
    value: Any

    def holds(self, input_value: Any) -> bool:
        """Whether it does; a missing field, or one that the operator does not compare, holds for none."""
        if not isinstance(input_value, dict) or self.field not in input_value:
            return False
        found, wanted = input_value[self.field], self.value
        match self.operator:
            case Operator.EQ:
                return same_json(found, wanted)
            case Operator.NEQ:
                return not same_json(found, wanted)
            case Operator.CONTAINS:
                return isinstance(found, str) and isinstance(wanted, str) and wanted in found
        if not (is_number(found) and is_number(wanted)):
            return False
        match self.operator:
            case Operator.GT:
                return bool(found > wanted)
            case Operator.LT:
                return bool(found < wanted)
            case Operator.GTE:
                return bool(found >= wanted)
            case Operator.LTE:
                return bool(found <= wanted)

    def to_json(self) -> dict[str, object]:
        """`{field, op, value}`."""
        return {"field": self.field, "op": str(self.operator), "value": self.value}


@dataclass(frozen=True, slots=True)
class Composition:
    """How an agent's genes run. `merge` belongs to Par, `predicate` to Cond; the genome holds the genes."""

    kind: Kind
    merge: Merge | None = None
    predicate: Predicate | None = None

    def to_json(self) -> dict[str, object]:
        """What the agent's record keeps: `{type}`, and what belongs to it."""
        members: dict[str, object] = {"type": str(self.kind)}
        if self.merge is not None:
            members["merge"] = str(self.merge)
        if self.predicate is not None:
            members["predicate"] = self.predicate.to_json()
        return members


def compose(
    genes: int, kind: Kind | None = None, merge: Merge | None = None, predicate: Predicate | None = None
) -> Composition:
    """The composition of so many genes: one gene is Single, several without a kind are a Seq (RUN-1).

    Raises:
        InvalidComposition: the parts do not go together.
    """
    if merge is not None and kind is not Kind.PAR:
        raise InvalidComposition("a merge belongs to a Par")
    if predicate is not None and kind is not Kind.COND:
        raise InvalidComposition("a predicate belongs to a Cond")
    if genes == 1:
        return Composition(Kind.SINGLE)
    if kind in (Kind.COND, Kind.TRY) and genes != _TWO:
        raise InvalidComposition(f"a {kind} takes exactly two genes")
    if kind is Kind.COND:
        if predicate is None:
            raise InvalidComposition("a Cond needs a predicate")
        return Composition(kind, predicate=checked_predicate(predicate))
    if kind is Kind.PAR:
        return Composition(kind, merge or Merge.FIRST)
    return Composition(Kind.TRY if kind is Kind.TRY else Kind.SEQ)


def checked_predicate(predicate: Predicate) -> Predicate:
    """The predicate, which some input can meet.

    Raises:
        InvalidComposition: its operator compares nothing with such a value.
    """
    if predicate.operator in _COMPARE_NUMBERS and not is_number(predicate.value):
        raise InvalidComposition(f"{predicate.operator} compares with a number")
    if predicate.operator is Operator.CONTAINS and not isinstance(predicate.value, str):
        raise InvalidComposition(f"{predicate.operator} looks for text, which JSON writes in quotes")
    return predicate


def recompose(composition: Mapping[str, object], genes: int) -> Composition:
    """What an agent's composition becomes when its genome becomes one of so many genes (AGT-9).

    Raises:
        InvalidComposition: the record is none that runs here, or takes exactly two genes.
    """
    kept = _parsed(composition)
    return compose(1) if genes == 1 else compose(genes, kept.kind, kept.merge, kept.predicate)


def read_composition(composition: Mapping[str, object], genes: int) -> Composition:
    """The composition in an agent's record, which fits its genes.

    Raises:
        InvalidComposition: it is none that runs here, or does not fit.
    """
    found = _parsed(composition)
    if found.kind is Kind.SINGLE and genes != 1:
        raise InvalidComposition("a Single has one gene")
    if found.kind in (Kind.COND, Kind.TRY) and genes != _TWO:
        raise InvalidComposition(f"a {found.kind} takes exactly two genes")
    return found


def _parsed(composition: Mapping[str, object]) -> Composition:
    try:
        kind = Kind(str(composition.get("type")))
    except ValueError:
        raise InvalidComposition("no part of this program runs its composition") from None
    if kind is Kind.PAR:
        merge = composition.get("merge", Merge.FIRST)
        if merge not in list(Merge):
            raise InvalidComposition(f"a Par merges by {', '.join(Merge)}")
        return Composition(kind, Merge(str(merge)))
    if kind is Kind.COND:
        return Composition(kind, predicate=_parsed_predicate(composition.get("predicate")))
    return Composition(kind)


def _parsed_predicate(members: object) -> Predicate:
    if (
        not isinstance(members, Mapping)
        or members.keys() != {"field", "op", "value"}
        or not isinstance(members["field"], str)
        or members["op"] not in list(Operator)
    ):
        raise InvalidComposition("a Cond's predicate is {field, op, value}")
    return checked_predicate(Predicate(members["field"], Operator(members["op"]), members["value"]))


@dataclass(frozen=True, slots=True)
class StepError:
    """Why a gene failed: a memory code where that is what it met, else GENE_FAILED; and a sentence."""

    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """`{code, message}`."""
        return {"code": self.code, "message": self.message}


class Turn(NamedTuple):
    """One gene, by its place in the genome, and its input."""

    gene: int
    input: Any


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a turn came to: an output, or an error."""

    output: Any = None
    error: StepError | None = None


@dataclass(frozen=True, slots=True)
class End:
    """What a course came to: an output, or the outcome that failed it."""

    output: Any = None
    failed: Outcome | None = None


Course = Generator[Sequence[Turn], Sequence[Outcome], End]
"""Yields batches of turns; those of one batch have nothing to do with each other."""


def course_of(composition: Composition, genes: int, input_value: Any) -> Course:
    """The course of a run on that input (RUN-2)."""
    match composition.kind:
        case Kind.PAR:
            return _par(composition.merge or Merge.FIRST, genes, input_value)
        case Kind.COND:
            assert composition.predicate is not None
            return _seq([0 if composition.predicate.holds(input_value) else 1], input_value)
        case Kind.TRY:
            return _try(input_value)
        case Kind.SINGLE | Kind.SEQ:
            return _seq(range(genes), input_value)


def _seq(genes: Sequence[int], value: Any) -> Course:
    for gene in genes:
        (outcome,) = yield [Turn(gene, value)]
        if outcome.error is not None:
            return End(failed=outcome)
        value = outcome.output
    return End(value)


def _par(merge: Merge, genes: int, value: Any) -> Course:
    outcomes = yield [Turn(gene, value) for gene in range(genes)]
    successes = [outcome for outcome in outcomes if outcome.error is None]
    if merge is Merge.FIRST and successes:
        return End(successes[0].output)
    for outcome in outcomes:
        if outcome.error is not None:
            return End(failed=outcome)
    return End({f"branch_{number}": outcome.output for number, outcome in enumerate(outcomes)})


def _try(value: Any) -> Course:
    (primary,) = yield [Turn(0, value)]
    if primary.error is None:
        return End(primary.output)
    (fallback,) = yield [Turn(1, {"error": primary.error.to_json(), "original_input": value})]
    return End(fallback.output) if fallback.error is None else End(failed=fallback)
