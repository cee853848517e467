"""The native format, ``.mrf.json``: the only one that keeps names, groups, drawing positions and descriptions.

A file is one JSON object (UTF-8, standard JSON, so no ``NaN`` and no bare ``Infinity``). Energies are minimised; in
``unary`` and ``pairwise`` the string ``"inf"`` forbids a state or a pair of states. Earlier versions wrote finite
penalties in its place, with their number in ``hard_entries`` and in ``ceiling`` the energy above which a labelling
violates a hard constraint; such files are still read.

An unknown or repeated key is an error: a misspelt key would silently lose data. Files are written with one variable,
table or edge per line, and numbers in the shortest form that reads back to the same float64.

Source: docs/formats.md §2.1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from bender_core.io._json import number, read_json, require_known, shown_value, string
from bender_core.io._source import Source, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._format import Format
from bender_core.model import LARGEST_ENERGY, BinaryMRF, BoolArray, FloatArray, IntArray
from bender_core.objective import Objective

MARK = "bender-lab-mrf"
VERSION = 1
FORBIDDEN = "inf"

_KEYS = (
    "format",
    "version",
    "name",
    "description",
    "source",
    "objective",
    "bound",
    "constant",
    "hard_entries",
    "ceiling",
    "variables",
    "unary",
    "edges",
    "pairwise",
)
_OBJECTIVE_KEYS = ("name", "sense", "scale", "offset", "domain")
_VARIABLE_KEYS = ("name", "group", "position")


def recognises(source: Source) -> bool:
    """Whether a text is a JSON object with the format's mark."""
    return source.text.lstrip().startswith("{") and f'"{MARK}"' in source.text


def parse(source: Source) -> BinaryMRF:
    """Read a native file.

    Raises
    ------
    FormatError
        If the JSON is broken, a key is unknown, missing or of the wrong kind, or lengths disagree.
    ModelError
        If the numbers are not a model (an edge to itself, an index out of range).
    """
    data = read_json(source.text)
    if data and "format" not in data and "unary" not in data:
        raise FormatError(
            None,
            f"the JSON has the keys {', '.join(map(shown, list(data)[:4]))}, and is in no known format",
            'give a native file, with "format" and "unary", or bqpjson, with "variable_domain"',
        )
    require_known(data, _KEYS, "the file")
    for key in ("format", "version", "unary"):
        if key not in data:
            raise FormatError(None, f'"{key}" is missing', 'a native file has "format", "version" and "unary"')
    if data["format"] != MARK:
        raise FormatError(None, f'"format" is {shown_value(data["format"])}', f'a native file has "format": "{MARK}"')
    if data["version"] != VERSION:
        raise FormatError(None, f'"version" is {shown_value(data["version"])}', f"this program reads version {VERSION}")
    unary = _energies(data["unary"], (2,), "unary")
    if not len(unary):
        raise FormatError(None, "the model has no variables", 'give at least one pair in "unary"')
    edges = _indices(data.get("edges", []))
    pairwise = _energies(data.get("pairwise", []), (2, 2), "pairwise")
    if len(edges) != len(pairwise):
        raise FormatError(None, f"there are {len(edges)} edges and {len(pairwise)} pairwise tables", "give one an edge")
    names, groups, positions = _variables(data.get("variables"), len(unary))
    constant = number(data.get("constant", 0.0), '"constant"')
    return BinaryMRF(
        unary=unary,
        edges=edges,
        pairwise=pairwise,
        constant=constant,
        names=names,
        groups=groups,
        positions=positions,
        name=string(data.get("name", ""), '"name"') or source.stem,
        description=string(data.get("description", ""), '"description"'),
        source=string(data.get("source", ""), '"source"'),
        objective=_objective(data.get("objective", {})),
        bound=number(data["bound"], '"bound"') if "bound" in data else np.inf,
        hard=_penalties(data, constant, unary, pairwise),
    )


def write(mrf: BinaryMRF) -> str:
    """The model as native text; equal models give equal text."""
    objective = mrf.objective
    hard_unary, hard_pairwise = mrf.hard_masks()
    parts: dict[str, str] = {
        "format": _dump(MARK),
        "version": _dump(VERSION),
        "name": _dump(mrf.name),
        "description": _dump(mrf.description),
        "source": _dump(mrf.source),
        "objective": _dump({key: getattr(objective, key) for key in _OBJECTIVE_KEYS}),
        "constant": _dump(mrf.constant),
    }
    if mrf.bound < np.inf:
        parts["bound"] = _dump(mrf.bound)
    columns: dict[str, Sequence[object]] = {"name": mrf.names}
    if mrf.groups is not None:
        columns["group"] = mrf.groups
    if mrf.positions is not None:
        columns["position"] = mrf.positions.tolist()
    parts |= {
        "variables": _lines(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)),
        "unary": _tables(mrf.unary, hard_unary),
        "edges": _lines(mrf.edges.tolist()),
        "pairwise": _tables(mrf.pairwise, hard_pairwise),
    }
    return "{\n" + ",\n".join(f'  "{key}": {value}' for key, value in parts.items()) + "\n}\n"


FORMAT = Format(
    name="native",
    title="native .mrf.json",
    endings=(".mrf.json", ".json"),
    recognises=recognises,
    parse=parse,
    write=write,
    loses="",
    forbids=True,
)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lines(rows: Iterable[object]) -> str:
    body = ",\n    ".join(map(_dump, rows))
    return f"[\n    {body}\n  ]" if body else "[]"


def _tables(energies: FloatArray, hard: BoolArray) -> str:
    tables = energies.astype(object)
    tables[hard] = FORBIDDEN
    return _lines(tables.tolist())


def _array(value: object, shape: tuple[int, ...], where: str) -> np.ndarray[Any, np.dtype[np.object_]]:
    """A list of lists as an array of Python objects of shape (any, *shape)."""
    if not isinstance(value, list):
        raise FormatError(None, f'"{where}" is {shown_value(value)}', "it must be a list")
    if not value:
        return np.empty((0, *shape), object)
    array = np.array(value, dtype=object)
    if array.shape[1:] != shape:
        first = next(k for k, row in enumerate(value) if np.array(row, dtype=object).shape != shape)
        needed = " × ".join(map(str, shape))
        raise FormatError(
            None, f"{where}[{first}] is {shown_value(value[first])}", f"it must be a list of {needed} numbers"
        )
    return array


def _energies(value: object, shape: tuple[int, ...], where: str) -> FloatArray:
    array = _array(value, shape, where)
    forbidden = array == FORBIDDEN
    array[forbidden] = 0.0
    try:
        kinds = {type(entry) for entry in array.flat}
        energies: FloatArray = array.astype(np.float64) if kinds <= {int, float} else np.full(array.shape, np.nan)
    except OverflowError:
        energies = np.full(array.shape, np.nan)
    if not (np.abs(energies) <= LARGEST_ENERGY).all():
        for index, entry in np.ndenumerate(array):
            energies[index] = number(entry, where + "".join(f"[{k}]" for k in index))
    energies[forbidden] = np.inf
    return energies


def _indices(value: object) -> IntArray:
    array = _array(value, (2,), "edges")
    try:
        if {type(entry) for entry in array.flat} <= {int}:
            return array.astype(np.int64)
    except OverflowError:
        pass
    index, entry = next((k, x) for k, x in np.ndenumerate(array) if type(x) is not int or abs(x) >= 2**63)
    place = "edges" + "".join(f"[{k}]" for k in index)
    raise FormatError(None, f"{place} is {shown_value(entry)}", "it must be the index of a variable, from 0")


def _variables(value: object, n: int) -> tuple[tuple[str, ...], tuple[str, ...] | None, FloatArray | None]:
    if value is None:
        return (), None, None
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise FormatError(None, '"variables" is not a list of objects', "give one object a variable")
    if len(value) != n:
        raise FormatError(None, f'"variables" has {len(value)} entries and "unary" {n}', "give one a variable in both")
    for k, row in enumerate(value):
        require_known(row, _VARIABLE_KEYS, f"variables[{k}]")
    columns: dict[str, list[Any] | None] = {key: _column(value, key) for key in _VARIABLE_KEYS}
    names, groups, positions = columns["name"], columns["group"], columns["position"]
    return (
        tuple(string(x, f"variables[{k}].name") for k, x in enumerate(names or ())),
        None if groups is None else tuple(string(x, f"variables[{k}].group") for k, x in enumerate(groups)),
        None if positions is None else _energies(positions, (2,), "position"),
    )


def _column(rows: list[dict[str, Any]], key: str) -> list[Any] | None:
    given = [key in row for row in rows]
    if not any(given):
        return None
    if not all(given):
        first = given.index(False)
        raise FormatError(
            None, f'variables[{first}] has no "{key}" while others have', f'give "{key}" to all or to none'
        )
    return [row[key] for row in rows]


def _objective(value: object) -> Objective:
    if not isinstance(value, dict):
        raise FormatError(
            None, f'"objective" is {shown_value(value)}', f"it must be an object of {', '.join(_OBJECTIVE_KEYS)}"
        )
    require_known(value, _OBJECTIVE_KEYS, '"objective"')
    default = Objective()
    sense = value.get("sense", default.sense)
    if sense not in ("min", "max"):
        raise FormatError(None, f'the sense of "objective" is {shown_value(sense)}', 'it must be "min" or "max"')
    checked: Literal["min", "max"] = "min" if sense == "min" else "max"
    domain = value.get("domain", default.domain)
    if domain not in ("bits", "spins"):
        raise FormatError(None, f'the domain of "objective" is {shown_value(domain)}', 'it must be "bits" or "spins"')
    return Objective(
        name=string(value.get("name", default.name), "the name of the objective"),
        sense=checked,
        scale=number(value.get("scale", default.scale), "the scale of the objective"),
        offset=number(value.get("offset", default.offset), "the offset of the objective"),
        domain="bits" if domain == "bits" else "spins",
    )


def _penalties(
    data: dict[str, Any], constant: float, unary: FloatArray, pairwise: FloatArray
) -> tuple[BoolArray, BoolArray] | None:
    """Which energies are penalties, in a file that says that some are."""
    if ("hard_entries" in data) != ("ceiling" in data):
        raise FormatError(None, '"hard_entries" and "ceiling" belong together', "give both or neither")
    if "ceiling" not in data:
        return None
    if np.isinf(unary).any() or np.isinf(pairwise).any():
        raise FormatError(None, 'the file has both "ceiling" and "inf"', 'keep the "inf" and drop the two keys')
    count = data["hard_entries"]
    if type(count) is not int or not 0 < count <= unary.size + pairwise.size:
        raise FormatError(None, f'"hard_entries" is {shown_value(count)}', "it must count entries of the tables")
    floors = unary.min(axis=1, keepdims=True), pairwise.min(axis=(1, 2), keepdims=True, initial=np.inf)
    # A single penalty lifts a labelling above the ceiling; no finite entry does.
    ceiling = number(data["ceiling"], '"ceiling"')
    room = math.fsum([ceiling, -constant, *(-floor for table in floors for floor in table.reshape(-1))])
    hard = unary - floors[0] > room, pairwise - floors[1] > room
    if hard[0].sum() + hard[1].sum() != count:
        raise FormatError(
            None,
            f"it is not clear which {count} energies are penalties",
            'write "inf" for these and drop "hard_entries" and "ceiling"',
        )
    return hard
