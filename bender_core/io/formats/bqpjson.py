"""bqpjson of the Los Alamos National Laboratory: a binary quadratic program as JSON, of spins or bits, minimised.

``scale * (offset + Σ coeff v_i + Σ coeff v_i v_j)``; variables have any numbers, listed in ``variable_ids``. Solutions
and metadata are ignored.

Source: docs/formats.md §2.4; https://bqpjson.readthedocs.io, the schema in https://github.com/lanl-ansi/bqpjson
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bender_core.io._json import number, read_json, require_known, shown_value, string
from bender_core.io._source import Source
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rounding_of_source
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import Domain, from_coefficients
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.objective import Objective

TITLE = "bqpjson"
_DOMAINS: dict[str, Domain] = {"boolean": "bits", "spin": "spins"}
_KEYS = (
    *("version", "id", "variable_ids", "variable_domain", "scale", "offset", "linear_terms", "quadratic_terms"),
    *("description", "metadata", "solutions"),
)
_NEEDED = ("variable_ids", "variable_domain", "linear_terms", "quadratic_terms")


def recognises(source: Source) -> bool:
    """Whether a text is a JSON object that states its variables' domain."""
    return source.text.lstrip().startswith("{") and '"variable_domain"' in source.text


def parse(source: Source) -> BinaryMRF:
    """Read a bqpjson file.

    Raises
    ------
    FormatError
        If the JSON is broken, a key is unknown, missing or of the wrong kind, or a term names an unknown variable.
    """
    data = read_json(source.text)
    require_known(data, _KEYS, "the file")
    for key in _NEEDED:
        if key not in data:
            raise FormatError(None, f'"{key}" is missing', f"a bqpjson file has {', '.join(_NEEDED)}")
    domain = data["variable_domain"]
    if not isinstance(domain, str) or domain not in _DOMAINS:
        raise FormatError(None, f'"variable_domain" is {shown_value(domain)}', 'it must be "spin" or "boolean"')
    ids = _list(data["variable_ids"], "variable_ids")
    if not all(type(label) is int for label in ids) or len(set(ids)) < len(ids) or not ids:
        raise FormatError(None, '"variable_ids" are not distinct whole numbers', "list the number of every variable")
    index = {label: k for k, label in enumerate(ids)}
    (i,), linear = _terms(data["linear_terms"], "linear_terms", ("id",), index)
    (head, tail), pairs = _terms(data["quadratic_terms"], "quadratic_terms", ("id_head", "id_tail"), index)
    if (head == tail).any():
        row = int(np.flatnonzero(head == tail)[0])
        raise FormatError(
            None, f"quadratic_terms[{row}] joins variable {ids[head[row]]} to itself", "make it a linear term"
        )
    scale = number(data.get("scale", 1.0), '"scale"')
    offset = number(data.get("offset", 0.0), '"offset"')
    ends, values = (np.append(i, tail), np.append(i, head)), np.append(linear, pairs)
    found = from_coefficients(ends, values, len(ids), _DOMAINS[domain], scale, [offset])
    mrf = found.model(source, TITLE, Objective(domain=_DOMAINS[domain]), names=tuple(map(str, ids)))
    return replace(mrf, description=string(data.get("description", ""), '"description"'))


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(None, f'"{where}" is {shown_value(value)}', "it must be a list")
    return value


def _terms(
    value: object, where: str, labels: Sequence[str], index: dict[int, int]
) -> tuple[list[IntArray], FloatArray]:
    """The variables of terms, one array for each label, and their coefficients."""
    terms = _list(value, where)
    for k, term in enumerate(terms):
        if not isinstance(term, dict) or set(term) != {*labels, "coeff"}:
            raise FormatError(
                None, f"{where}[{k}] is {shown_value(term)}", f"it must have {', '.join(labels)} and coeff"
            )
        for label in labels:
            if type(term[label]) is not int or term[label] not in index:
                raise FormatError(
                    None, f"{where}[{k}] names variable {shown_value(term[label])}", 'list it in "variable_ids"'
                )
    values = [number(term["coeff"], f"{where}[{k}].coeff") for k, term in enumerate(terms)]
    variables = [np.array([index[term[label]] for term in terms], np.int64) for label in labels]
    return variables, np.array(values, np.float64)


def write(mrf: BinaryMRF) -> str:
    """The model as bqpjson, of spins where its source has spins and of bits otherwise."""
    found = coefficients(mrf, mrf.objective.domain)
    linear = [{"coeff": value, "id": i} for i, value in enumerate(found.linear.tolist()) if value]
    pairs = zip(found.edges.tolist(), found.quadratic.tolist(), strict=True)
    data: dict[str, object] = {
        "version": "1.0.0",
        "id": 0,
        "description": mrf.description,
        "metadata": {},
        "variable_domain": next(word for word, domain in _DOMAINS.items() if domain == found.domain),
        "variable_ids": list(range(mrf.n)),
        "scale": 1.0,
        "offset": found.constant,
    }
    terms = {
        "linear_terms": linear,
        "quadratic_terms": [{"coeff": value, "id_tail": i, "id_head": j} for (i, j), value in pairs],
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()]
    for key, rows in terms.items():
        body = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        lines.append(f"  {json.dumps(key)}: " + (f"[\n{body}\n  ]" if body else "[]"))
    return "{\n" + ",\n".join(lines) + "\n}\n"


FORMAT = Format(
    name="bqpjson",
    title="bqpjson",
    endings=(".bqp.json", ".bqpjson"),
    recognises=recognises,
    parse=parse,
    write=write,
    is_minimised=True,
    rounding=rounding_of_source,
)
