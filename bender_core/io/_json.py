"""Reading untrusted JSON, and checking its values."""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from typing import Any

from bender_core.io._source import shown
from bender_core.io.errors import FormatError
from bender_core.model import LARGEST_ENERGY


def read_json(text: str) -> dict[str, Any]:
    """A text as one JSON object.

    Raises
    ------
    FormatError
        If it is not an object, or as for ``parse_json``.
    """
    data = parse_json(text)
    if not isinstance(data, dict):
        raise FormatError(1, "the JSON is not an object", 'a model starts with "{"')
    return data


def parse_json(text: str) -> Any:
    """A text as a JSON value.

    Raises
    ------
    FormatError
        If it is not standard JSON, or a key is given twice in one object.
    """

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            twice = Counter(key for key, _ in items).most_common(1)[0][0]
            raise FormatError(None, f"the key {shown(twice)} is given twice in one object", "keep one of the two")
        return found

    def constant(word: str) -> float:
        raise FormatError(None, f"{word} is not standard JSON", "write a number")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise FormatError(
            error.lineno, f"the JSON is broken in column {error.colno}", f"fix it there ({error.msg})"
        ) from None
    except RecursionError:
        raise FormatError(None, "the JSON is nested too deeply", "no model is nested so deeply") from None
    except FormatError:
        raise
    except ValueError:
        # Python refuses to convert integers of thousands of digits.
        raise FormatError(None, "an integer has thousands of digits", "write it as a number like 1e6") from None


def require_known(data: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse unknown keys."""
    for key in data:
        if key not in known:
            raise FormatError(None, f"{where} has an unknown key {shown(key)}", f"known are: {', '.join(known)}")


def shown_value(value: object) -> str:
    """A JSON value for an error message, abbreviated."""
    return reprlib.repr(value)


def number(value: object, where: str) -> float:
    """A finite number within the limits of energies."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(float(value)) <= LARGEST_ENERGY:
            return float(value)
    except OverflowError:
        pass
    raise FormatError(None, f"{where} is {shown_value(value)}", f"it must be a number of size up to {LARGEST_ENERGY:g}")


def string(value: object, where: str) -> str:
    """A text that can be encoded in UTF-8."""
    if not isinstance(value, str):
        raise FormatError(None, f"{where} is {shown_value(value)}", "it must be a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FormatError(None, f"{where} contains half of a surrogate pair", "write the character itself") from None
    return value
