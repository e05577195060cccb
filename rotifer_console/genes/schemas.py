"""A gene's JSON Schemas: whether they are any, what fits them, and a value that does.

No schema is fetched from anywhere: a `$ref` to another document leads nowhere (REC-6). What is said of a
value names its place and the word that does not hold there, and never the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jsonschema import SchemaError, ValidationError

_MOST_PARTS: Final = 1000
_DEEPEST: Final = 50
_LONGEST_TEXT: Final = 10_000
_FORMATS: Final = {
    "date": "2026-11-30",
    "time": "17:02:21Z",
    "date-time": "2026-11-30T17:02:21Z",
    "email": "someone@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text of each format, in place of `text`."""


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """What is wrong with a schema; None where it is one."""
    from jsonschema import Draft202012Validator, SchemaError  # an eighth of a second, for one command

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"it is no JSON Schema: {_broken(error)}"
    except OverflowError:
        return "it is no JSON Schema: a pattern repeats too often"
    return None


def misfit(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Where a value does not fit a sound schema; None where it does."""
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        found = Draft202012Validator(schema, registry=Registry()).iter_errors(value)
        first = min(found, key=lambda error: list(map(str, error.absolute_path)), default=None)
    except Unresolvable:
        return "a $ref of the schema leads nowhere"
    except RecursionError:
        return "it nests too deep to be checked"
    except OverflowError:
        return "a number is too large to be checked"
    return None if first is None else _broken(first)


def _broken(error: ValidationError | SchemaError) -> str:
    return f"`{error.validator}` does not hold at {error.json_path}"


def sample_of(schema: Mapping[str, Any]) -> Any:
    """A small value by the words of a sound schema; it may not fit where they say much. Pure."""
    return _Sampler(schema).sample(schema)


class _Sampler:
    """Walks a schema, of which a `$ref` may make an endless one."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST_PARTS
        self._depth = 0

    def sample(self, schema: Any) -> Any:
        """A value for one part; null where there is no telling, or too many have been made."""
        self._left -= 1
        if not isinstance(schema, Mapping) or self._left < 0 or self._depth > _DEEPEST:
            return None
        self._depth += 1
        try:
            return self._made(schema)
        finally:
            self._depth -= 1

    def _made(self, schema: Mapping[str, Any]) -> Any:
        if "const" in schema:
            return schema["const"]
        if "default" in schema:
            return schema["default"]
        for listed in ("examples", "enum"):
            if schema.get(listed):
                return schema[listed][0]
        if "$ref" in schema:
            return self.sample(self._resolved(schema["$ref"]))
        for choice in ("oneOf", "anyOf"):
            if schema.get(choice):
                rest = {name: member for name, member in schema.items() if name != choice}
                return self.sample(_merged([rest, schema[choice][0]]))
        if schema.get("allOf"):
            rest = {name: member for name, member in schema.items() if name != "allOf"}
            return self.sample(_merged([rest, *schema["allOf"]]))
        return self._of_type(_type_of(schema), schema)

    def _resolved(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return None
        found: Any = self._root
        for part in reference[1:].split("/")[1:]:
            found = (
                found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
            )
        return found

    def _of_type(self, kind: str, schema: Mapping[str, Any]) -> Any:
        match kind:
            case "object":
                properties = schema.get("properties", {})
                return {name: self.sample(properties.get(name, {})) for name in schema.get("required", [])}
            case "array":
                items = _whole(schema.get("minItems", 0), _MOST_PARTS)
                return [self.sample(schema.get("items", {})) for _ in range(items)]
            case "string":
                text = _FORMATS.get(schema.get("format", ""), "text")
                least = _whole(schema.get("minLength", 0), _LONGEST_TEXT)
                return text.ljust(least, "x")[: _whole(schema.get("maxLength", _LONGEST_TEXT), _LONGEST_TEXT)]
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return False
        return None


def _merged(schemas: Sequence[Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for schema in schemas:
        for name, member in schema.items() if isinstance(schema, Mapping) else ():
            if name == "properties":
                merged[name] = {**merged.get(name, {}), **member}
            elif name == "required":
                merged[name] = [*merged.get(name, []), *member]
            else:
                merged[name] = member
    return merged


def _type_of(schema: Mapping[str, Any]) -> str:
    told = schema.get("type")
    if isinstance(told, str):
        return told
    if told:
        return str(told[0])
    return "array" if "items" in schema else "object"


def _whole(number: float, most: int) -> int:
    """A whole number of a schema's, which may be spelt 1.0, or a smaller one that will do."""
    return int(min(number, most))


def _number(schema: Mapping[str, Any]) -> int | float:
    step: int | float = schema.get("multipleOf", 1)
    if "minimum" in schema or "exclusiveMinimum" in schema:
        least: int | float = schema.get("minimum", schema.get("exclusiveMinimum"))
        number = -(-least // step) * step
        return number + step if number == schema.get("exclusiveMinimum") else number
    most: int | float = schema.get("maximum", schema.get("exclusiveMaximum", 0))
    number = min(0, most // step * step)
    return number - step if number == schema.get("exclusiveMaximum") else number
