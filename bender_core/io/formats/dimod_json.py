"""A binary quadratic model of dimod as JSON: what ``bqm.to_serializable()`` returns.

Source: docs/formats.md §2.12; https://docs.dwavequantum.com (dimod, BinaryQuadraticModel.to_serializable)
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bender_core.io._json import number, read_json, shown_value
from bender_core.io._labels import label_of, names_of
from bender_core.io._source import Source
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rounding_of_source
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import DOMAINS, from_coefficients
from bender_core.model import BinaryMRF, FloatArray, IntArray

TITLE = "dimod JSON"
MARK = "BinaryQuadraticModel"
SCHEMA = "3.0.0"
_NEEDED = (
    *("version", "variable_labels", "variable_type", "linear_biases"),
    *("quadratic_biases", "quadratic_head", "quadratic_tail"),
)


def recognises(source: Source) -> bool:
    """Whether a text is a JSON object with the schema of such models, whatever the kind of numbers."""
    marks = f'"{MARK}"', '"bqm_schema"'
    return source.text.lstrip().startswith("{") and any(mark in source.text for mark in marks)


def parse(source: Source) -> BinaryMRF:
    """Read a model of dimod.

    Raises
    ------
    FormatError
        If the JSON is broken, a key is missing or of the wrong kind, lengths disagree, or a number is that of no
        variable.
    """
    data = read_json(source.text)
    for key in _NEEDED:
        if key not in data:
            raise FormatError(None, f'"{key}" is missing', "write what bqm.to_serializable() returns")
    _require_schema(data)
    domain = data["variable_type"]
    if not isinstance(domain, str) or domain not in DOMAINS:
        raise FormatError(None, f'"variable_type" is {shown_value(domain)}', 'it must be "SPIN" or "BINARY"')
    labels = [label_of(each) for each in _list(data, "variable_labels")]
    n = len(labels)
    if not n:
        raise FormatError(None, "the model has no variables", "give a model of at least one")
    if len(set(labels)) < n:
        raise FormatError(None, '"variable_labels" are not distinct', "list the label of every variable")
    linear, quadratic = _numbers(data, "linear_biases", n), _numbers(data, "quadratic_biases")
    head, tail = (_places(data, key, len(quadratic), n) for key in ("quadratic_head", "quadratic_tail"))
    if (head == tail).any():
        row = int(np.flatnonzero(head == tail)[0])
        raise FormatError(
            None, f"quadratic_head[{row}] and quadratic_tail[{row}] are the same", "make it a linear bias"
        )
    alone = np.arange(n)
    ends, values = (np.append(alone, head), np.append(alone, tail)), np.append(linear, quadratic)
    offset = number(data.get("offset", 0.0), '"offset"')
    found = from_coefficients(ends, values, n, DOMAINS[domain], offsets=[offset])
    return found.model(source, TITLE, names=names_of(labels))


def _require_schema(data: dict[str, Any]) -> None:
    version = data["version"]
    schema = version.get("bqm_schema") if isinstance(version, dict) else None
    if not isinstance(schema, str) or schema.split(".")[0] != SCHEMA.split(".")[0]:
        raise FormatError(None, f'"bqm_schema" is {shown_value(schema)}', f"write version {SCHEMA}, by a newer dimod")
    if data.get("use_bytes"):
        raise FormatError(None, "the biases are stored as bytes", "write bqm.to_serializable(use_bytes=False)")


def _list(data: dict[str, Any], key: str) -> list[Any]:
    if not isinstance(data[key], list):
        raise FormatError(None, f'"{key}" is {shown_value(data[key])}', "it must be a list")
    return list(data[key])


def _numbers(data: dict[str, Any], key: str, count: int | None = None) -> FloatArray:
    values = _list(data, key)
    if count is not None and len(values) != count:
        raise FormatError(None, f'"{key}" has {len(values)} entries', f"give {count}, one for each variable")
    return np.array([number(value, f"{key}[{k}]") for k, value in enumerate(values)], float)


def _places(data: dict[str, Any], key: str, count: int, n: int) -> IntArray:
    values = _list(data, key)
    if len(values) != count:
        raise FormatError(None, f'"{key}" has {len(values)} entries', f"give {count}, one for each quadratic bias")
    for k, value in enumerate(values):
        if type(value) is not int or not 0 <= value < n:
            raise FormatError(None, f"{key}[{k}] is {shown_value(value)}", f"variables run from 0 to {n - 1}")
    return np.array(values, np.int64)


def write(mrf: BinaryMRF) -> str:
    """The model as dimod would write it, of spins where its source has spins and of bits otherwise."""
    found = coefficients(mrf, mrf.objective.domain)
    head, tail = found.edges.T.tolist()
    data = {
        "type": MARK,
        "version": {"bqm_schema": SCHEMA},
        "use_bytes": False,
        "index_type": "int32",
        "bias_type": "float64",
        "num_variables": mrf.n,
        "num_interactions": mrf.n_edges,
        "variable_labels": list(mrf.names) if len(set(mrf.names)) == mrf.n else list(range(mrf.n)),
        "variable_type": next(word for word, domain in DOMAINS.items() if domain == found.domain),
        "offset": found.constant,
        "info": {},
        "linear_biases": found.linear.tolist(),
        "quadratic_biases": found.quadratic.tolist(),
        "quadratic_head": head,
        "quadratic_tail": tail,
    }
    return json.dumps(data, ensure_ascii=False) + "\n"


FORMAT = Format(
    name="dimod",
    title=TITLE,
    endings=(".bqm.json",),
    recognises=recognises,
    parse=parse,
    write=write,
    loses="groups and positions",
    is_minimised=True,
    rounding=rounding_of_source,
)
