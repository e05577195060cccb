"""A gene's schemas: which are any, what fits, and the value that is made of one."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from rotifer_console.genes.schemas import misfit, sample_of, schema_problem

OBJECT = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}


@pytest.mark.parametrize("schema", [{}, OBJECT, {"enum": [1]}, {"$ref": "#/$defs/none"}, {"unknown": 1}])
def test_a_schema_is_one(schema: dict[str, Any]) -> None:
    """RUN-5."""
    assert schema_problem(schema) is None


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "text"}, "$.type"),
        ({"properties": []}, "$.properties"),
        ({"properties": {"a": {"minimum": "x"}}}, "$.properties.a.minimum"),
        ({"required": "n"}, "$.required"),
    ],
)
def test_what_is_no_schema_says_where(schema: dict[str, Any], place: str) -> None:
    """RUN-5."""
    problem = schema_problem(schema)
    assert problem is not None
    assert problem.endswith(place)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"n": 1}, None),
        ({"n": 1.0, "more": True}, None),
        ({"n": 0}, "`minimum` does not hold at $.n"),
        ({"n": "a secret"}, "`type` does not hold at $.n"),
        ({"n": True}, "`type` does not hold at $.n"),
        ({}, "`required` does not hold at $"),
        ("a secret", "`type` does not hold at $"),
    ],
)
def test_what_does_not_fit_is_told_by_its_place_and_never_by_its_value(
    value: Any, problem: str | None
) -> None:
    """RUN-5, REC-1."""
    assert misfit(value, OBJECT) == problem


@pytest.mark.parametrize(
    "reference", ["https://example.org/schema.json", "file:///etc/passwd", "#/$defs/none", "other.json"]
)
def test_a_reference_to_elsewhere_leads_nowhere(reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """REC-6: nothing is fetched."""
    monkeypatch.setattr(socket, "socket", None)
    assert misfit(1, {"$ref": reference}) == "a $ref of the schema leads nowhere"


def test_numbers_that_no_checker_holds_are_no_crash() -> None:
    """RUN-5: each of these is a schema's right."""
    schema = {"type": "number", "minimum": 1e308, "multipleOf": 1e-308}
    assert misfit(sample_of(schema), schema) == "a number is too large to be checked"
    problem = schema_problem({"pattern": "a{99999999999}"})
    assert problem == "it is no JSON Schema: a pattern repeats too often"


def test_a_value_or_schema_without_end_is_no_crash() -> None:
    schema: dict[str, Any] = {"items": {"$ref": "#"}}
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert misfit(deep, schema) == "it nests too deep to be checked"
    endless = {"properties": {name: {"$ref": "#"} for name in "abc"}, "required": ["a", "b", "c"]}
    assert isinstance(sample_of(endless), dict)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        OBJECT,
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "minItems": 2}}},
        {"type": "string"},
        {"type": "string", "minLength": 9},
        {"type": "string", "minLength": 9.0, "maxLength": 10.0},
        {"type": "string", "maxLength": 2.0},
        {"type": "array", "minItems": 2.0},
        {"type": "string", "maxLength": 2},
        {"type": "string", "format": "date"},
        {"type": "integer", "minimum": 5},
        {"type": "integer", "exclusiveMinimum": 5},
        {"type": "integer", "maximum": -3},
        {"type": "integer", "exclusiveMaximum": 0},
        {"type": "integer", "minimum": 5, "multipleOf": 7},
        {"type": "number", "minimum": 0.5},
        {"type": "boolean"},
        {"type": "null"},
        {"type": ["string", "null"]},
        {"enum": ["x", "y"]},
        {"const": None},
        {"type": "string", "pattern": "^a+$", "examples": ["aa"]},
        {"type": "string", "default": "d"},
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [OBJECT, {"type": "integer"}], "type": "object"},
        {"allOf": [OBJECT, {"required": ["m"], "properties": {"m": {"const": 1}}}]},
        {"$ref": "#/$defs/a~1b", "$defs": {"a/b": OBJECT}},
        {"items": {"type": "integer"}, "minItems": 1},
    ],
)
def test_a_sample_fits_its_schema(schema: dict[str, Any]) -> None:
    """RUN-5."""
    assert misfit(sample_of(schema), schema) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^a+$"},
        {"not": {}},
        {"type": "array", "minItems": 10**9},
        {"type": "string", "minLength": 10**12},
    ],
)
def test_where_no_sample_fits_there_is_none_that_harms(schema: dict[str, Any]) -> None:
    """RUN-5: the check is passed over then."""
    assert misfit(sample_of(schema), schema) is not None
