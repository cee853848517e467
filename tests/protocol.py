"""The messages between Python and the browser, checked against a schema made from the types of their records."""

from __future__ import annotations

import json
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from jsonschema_rs import Draft202012Validator, meta

from pages._shared.app.protocol import Bounds

_NAMES = {int: "integer", float: "number", str: "string", bool: "boolean", NoneType: "null"}


def schema(of: Any) -> dict[str, Any]:
    """The JSON Schema of a type: a record, a list, a tuple, a table, a choice, or one of these with bounds."""
    origin, given = get_origin(of), get_args(of)
    if origin is Annotated:
        return schema(given[0]) | _keywords(given[1])
    if origin is NotRequired:
        return schema(given[0])
    if origin in (Union, UnionType):
        return {"anyOf": [schema(each) for each in given]}
    if origin is Literal:
        return {"enum": list(given)}
    if origin is list:
        return {"type": "array", "items": schema(given[0])}
    if origin is tuple and given[-1] is ...:
        return {"type": "array", "items": schema(given[0])}
    if origin is tuple:
        return {"type": "array", "prefixItems": [*map(schema, given)], "items": False, "minItems": len(given)}
    if origin is dict:
        return {"type": "object", "additionalProperties": {} if given[1] is Any else schema(given[1])}
    return _record(of) if is_typeddict(of) else {"type": _NAMES[of]}


def _keywords(bounds: Bounds) -> dict[str, Any]:
    found = {
        "minimum": bounds.least,
        "maximum": bounds.most,
        "enum": list(bounds.among) or None,
        "pattern": bounds.pattern and f"^({bounds.pattern})$",
        "minItems": bounds.shortest,
        "maxItems": bounds.longest,
    }
    return {keyword: value for keyword, value in found.items() if value is not None}


def _record(of: Any) -> dict[str, Any]:
    fields = get_type_hints(of, include_extras=True)
    return {
        "type": "object",
        "properties": {name: schema(field) for name, field in fields.items()},
        "required": [name for name, field in fields.items() if get_origin(field) is not NotRequired],
        "additionalProperties": False,
    }


@cache
def _validator(of: Any) -> Draft202012Validator:
    made = schema(of)
    meta.validate(made)
    return Draft202012Validator(made)


def faults(of: Any, value: Any) -> list[str]:
    """The errors of a value against a type of the protocol."""
    # As it arrives: what Python alone tells apart, as lists and tuples, is the same there.
    sent = json.loads(json.dumps(value))
    found = _validator(of).iter_errors(sent)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message[:200]}" for error in found]


def check(of: Any, value: Any) -> None:
    """Raise an error that names the faults of a value, also where pytest does not see it."""
    found = faults(of, value)
    if found:
        raise AssertionError(f"{of.__name__}: {'; '.join(found)}")
