"""Compositions as data and as courses: which genes run, on what, and what it comes to. No gene runs here."""

from __future__ import annotations

from typing import Any

import pytest

from rotifer_console.genes.composition import (
    Composition,
    End,
    InvalidComposition,
    Kind,
    Merge,
    Operator,
    Outcome,
    Predicate,
    StepError,
    compose,
    course_of,
    read_composition,
    recompose,
)
from rotifer_console.genes.json_values import same_json

WHEN = Predicate("kind", Operator.EQ, "x")
ERRORS = [StepError("GENE_FAILED", f"gene {number} broke") for number in range(3)]
OK, BROKEN = True, False

Batches = list[list[tuple[int, Any]]]


def taken(composition: Composition, genes: list[bool], input_value: Any) -> tuple[Batches, End]:
    """The batches of turns that a course takes where genes do as told, each adding itself to its input."""
    course = course_of(composition, len(genes), input_value)
    batches: Batches = []
    outcomes: list[Outcome] | None = None
    while True:
        try:
            turns = next(course) if outcomes is None else course.send(outcomes)
        except StopIteration as stopped:
            return batches, stopped.value
        batches.append([(turn.gene, turn.input) for turn in turns])
        outcomes = [
            Outcome(f"{turn.input}>{turn.gene}") if genes[turn.gene] else Outcome(error=ERRORS[turn.gene])
            for turn in turns
        ]


FALLBACK = {"error": {"code": "GENE_FAILED", "message": "gene 0 broke"}, "original_input": "in"}
SEQ, TRY = Composition(Kind.SEQ), Composition(Kind.TRY)
FIRST, CONCAT, MERGE = (Composition(Kind.PAR, merge) for merge in Merge)
ALL = [[(0, "in"), (1, "in"), (2, "in")]]


@pytest.mark.parametrize(
    ("composition", "genes", "batches", "comes_to"),
    [
        (Composition(Kind.SINGLE), [OK], [[(0, "in")]], "in>0"),
        (Composition(Kind.SINGLE), [BROKEN], [[(0, "in")]], ERRORS[0]),
        (SEQ, [OK, OK, OK], [[(0, "in")], [(1, "in>0")], [(2, "in>0>1")]], "in>0>1>2"),
        (SEQ, [OK, BROKEN, OK], [[(0, "in")], [(1, "in>0")]], ERRORS[1]),
        (SEQ, [BROKEN, OK, OK], [[(0, "in")]], ERRORS[0]),
        (FIRST, [OK, OK, OK], ALL, "in>0"),
        (FIRST, [BROKEN, OK, OK], ALL, "in>1"),
        (FIRST, [BROKEN, BROKEN, OK], ALL, "in>2"),
        (FIRST, [BROKEN, BROKEN, BROKEN], ALL, ERRORS[0]),
        (CONCAT, [OK, OK, OK], ALL, {"branch_0": "in>0", "branch_1": "in>1", "branch_2": "in>2"}),
        (MERGE, [OK, OK, OK], ALL, {"branch_0": "in>0", "branch_1": "in>1", "branch_2": "in>2"}),
        (CONCAT, [OK, BROKEN, BROKEN], ALL, ERRORS[1]),
        (MERGE, [OK, OK, BROKEN], ALL, ERRORS[2]),
        (TRY, [OK, OK], [[(0, "in")]], "in>0"),
        (TRY, [OK, BROKEN], [[(0, "in")]], "in>0"),
        (TRY, [BROKEN, OK], [[(0, "in")], [(1, FALLBACK)]], f"{FALLBACK}>1"),
        (TRY, [BROKEN, BROKEN], [[(0, "in")], [(1, FALLBACK)]], ERRORS[1]),
    ],
)
def test_a_course_takes_its_turns_and_comes_to_its_end(
    composition: Composition, genes: list[bool], batches: Batches, comes_to: Any
) -> None:
    """RUN-2."""
    taken_batches, end = taken(composition, genes, "in")
    assert taken_batches == batches
    if isinstance(comes_to, StepError):
        assert (end.output, end.failed and end.failed.error) == (None, comes_to)
    else:
        assert (end.output, end.failed) == (comes_to, None)


@pytest.mark.parametrize(
    ("input_value", "gene"), [({"kind": "x"}, 0), ({"kind": "y"}, 1), ({}, 1), ("x", 1), (["kind"], 1)]
)
@pytest.mark.parametrize("genes", [[OK, OK], [BROKEN, BROKEN]])
def test_a_cond_runs_one_of_its_genes_on_the_original_input(
    input_value: Any, gene: int, genes: list[bool]
) -> None:
    """RUN-2."""
    batches, end = taken(Composition(Kind.COND, predicate=WHEN), genes, input_value)
    assert batches == [[(gene, input_value)]]
    assert (end.failed and end.failed.error) == (None if genes[gene] else ERRORS[gene])


@pytest.mark.parametrize(
    ("operator", "value", "holds", "holds_not"),
    [
        (Operator.EQ, 1, [1, 1.0], [2, "1", True, None, [1]]),
        (Operator.EQ, True, [True], [1, "true", False]),
        (Operator.EQ, None, [None], [0, False, ""]),
        (
            Operator.EQ,
            {"a": [1, True]},
            [{"a": [1.0, True]}],
            [{"a": [1, 1]}, {"a": [1]}, {}, {"b": [1, True]}],
        ),
        (Operator.NEQ, 1, [2, "1", True, None], [1, 1.0]),
        (Operator.GT, 1.5, [2, 10**30], [1, 1.5, "2", True, None]),
        (Operator.GTE, 2, [2, 2.0, 3], [1.9, "2", True]),
        (Operator.LT, 1, [0, -1.5], [1, False, "0", None]),
        (Operator.LTE, 1, [1, 1.0, 0], [1.1, True, False]),
        (Operator.CONTAINS, "b", ["abc", "b"], ["ac", "", ["b"], {"b": 1}, 5, None]),
        (Operator.CONTAINS, "", ["", "x"], [[], None]),
    ],
)
def test_a_predicate_holds_for_what_it_compares_and_never_for_a_missing_field(
    operator: Operator, value: Any, holds: list[Any], holds_not: list[Any]
) -> None:
    """RUN-2: numbers are compared with numbers only, and true is none."""
    predicate = Predicate("field", operator, value)
    assert [found for found in holds if not predicate.holds({"field": found})] == []
    assert [found for found in holds_not if predicate.holds({"field": found})] == []
    assert not predicate.holds({"other": value})
    assert not predicate.holds({"deep": {"field": value}})
    assert not predicate.holds(value)


@pytest.mark.parametrize(
    ("genes", "kind", "merge", "predicate", "record"),
    [
        (1, None, None, None, {"type": "Single"}),
        (3, None, None, None, {"type": "Seq"}),
        (1, Kind.SEQ, None, None, {"type": "Single"}),
        (1, Kind.TRY, None, None, {"type": "Single"}),
        (1, Kind.PAR, Merge.CONCAT, None, {"type": "Single"}),
        (3, Kind.SEQ, None, None, {"type": "Seq"}),
        (3, Kind.PAR, None, None, {"type": "Par", "merge": "first"}),
        (2, Kind.PAR, Merge.MERGE, None, {"type": "Par", "merge": "merge"}),
        (2, Kind.TRY, None, None, {"type": "Try"}),
        (
            2,
            Kind.COND,
            None,
            WHEN,
            {"type": "Cond", "predicate": {"field": "kind", "op": "Eq", "value": "x"}},
        ),
    ],
)
def test_a_composition_and_its_record_are_the_same(
    genes: int, kind: Kind | None, merge: Merge | None, predicate: Predicate | None, record: dict[str, Any]
) -> None:
    """RUN-1."""
    composed = compose(genes, kind, merge, predicate)
    assert composed.to_json() == record
    assert read_composition(record, genes) == composed


@pytest.mark.parametrize(
    ("genes", "kind", "merge", "predicate"),
    [
        (2, Kind.SEQ, Merge.FIRST, None),
        (2, None, Merge.FIRST, None),
        (2, Kind.SEQ, None, WHEN),
        (2, Kind.COND, None, None),
        (3, Kind.COND, None, WHEN),
        (3, Kind.TRY, None, None),
        (2, Kind.COND, None, Predicate("a", Operator.GT, "5")),
        (2, Kind.COND, None, Predicate("a", Operator.LTE, True)),
        (2, Kind.COND, None, Predicate("a", Operator.CONTAINS, 5)),
    ],
)
def test_parts_that_do_not_go_together_are_refused(
    genes: int, kind: Kind | None, merge: Merge | None, predicate: Predicate | None
) -> None:
    """RUN-1."""
    with pytest.raises(InvalidComposition):
        compose(genes, kind, merge, predicate)


PAR = {"type": "Par", "merge": "concat"}
COND = {"type": "Cond", "predicate": {"field": "a", "op": "Gt", "value": 1}}


@pytest.mark.parametrize(
    ("record", "genes", "becomes"),
    [
        ({"type": "Single"}, 1, {"type": "Single"}),
        ({"type": "Single"}, 2, {"type": "Seq"}),
        ({"type": "Seq"}, 1, {"type": "Single"}),
        ({"type": "Seq"}, 5, {"type": "Seq"}),
        (PAR, 3, PAR),
        (PAR, 1, {"type": "Single"}),
        (COND, 2, COND),
        (COND, 1, {"type": "Single"}),
        (COND, 3, None),
        ({"type": "Try"}, 2, {"type": "Try"}),
        ({"type": "Try"}, 3, None),
        ({"type": "TryPool"}, 2, None),
    ],
)
def test_a_genome_that_changes_keeps_its_composition_where_it_fits(
    record: dict[str, Any], genes: int, becomes: dict[str, Any] | None
) -> None:
    """AGT-9, RUN-1."""
    if becomes is None:
        with pytest.raises(InvalidComposition):
            recompose(record, genes)
    else:
        assert recompose(record, genes).to_json() == becomes


def test_values_that_nest_deeper_than_python_recurses_are_compared() -> None:
    one: Any = 1
    other: Any = 1.0
    for _ in range(5000):
        one, other = [one], [other]
    assert same_json(one, other)
    assert not same_json(one, [other])
