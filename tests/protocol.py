"""The messages between Python and the browser, checked against their schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator, meta

from pages._shared.app.frontend import FRONTEND

PROTOCOL: dict[str, Any] = json.loads((FRONTEND / "protocol.json").read_text(encoding="utf-8"))
KINDS = {kind["title"]: kind["const"] for kind in PROTOCOL["$defs"]["kind"]["oneOf"]}


@cache
def _validator(name: str) -> Draft202012Validator:
    meta.validate(PROTOCOL)
    return Draft202012Validator(PROTOCOL | {"$ref": f"#/$defs/{name}"})


def faults(name: str, value: Any) -> list[str]:
    """The errors of a value against the protocol's definition of a name."""
    # As it arrives: what Python alone tells apart, as lists and tuples, is the same there.
    sent = json.loads(json.dumps(value))
    return [
        f"{'/'.join(map(str, error.instance_path))}: {error.message[:200]}"
        for error in _validator(name).iter_errors(sent)
    ]


def check(name: str, value: Any) -> None:
    """Raise an error that names the faults of a value, also where pytest does not see it."""
    found = faults(name, value)
    if found:
        raise AssertionError(f"{name}: {'; '.join(found)}")


def fields(name: str) -> set[str]:
    """The names that the protocol gives to the parts of something."""
    return set(PROTOCOL["$defs"][name]["properties"])
