"""Writing and reading labellings: as CSV, as JSON, and in the format of the UAI competitions.

Source: docs/formats.md §4.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bender_core.io._json import read_json, shown_value
from bender_core.io._source import decode, read_bytes, shown
from bender_core.io.errors import FormatError
from bender_core.model import BinaryMRF, IntArray

# A line "name,value"; quotes around a name are doubled within it.
_ROW = re.compile(r'(?:"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"|(?P<plain>[^",\r\n]*+)),(?P<value>[^",\r\n]*+)(?:\r?\n|\Z)')
_NEEDS_QUOTES = re.compile(r'[",\r\n]')


def dump_labeling(mrf: BinaryMRF, labeling: ArrayLike, format: str = "csv") -> str:
    """A labelling as text.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : array_like of {0, 1}, shape (n,)
        Written as spins if the source of the model has spins, except in "mpe".
    format : {"csv", "json", "mpe"}
        One line per variable, ``name,value``; one JSON object with the energy, the source's own value and the values by
        name, or a list of names and values if variables share a name; or a solution file of the UAI competitions.

    Returns
    -------
    str

    Raises
    ------
    ModelError
        If the labelling does not fit the model.
    ValueError
        If there is no such format.
    """
    if format not in LABELING_FORMATS:
        raise ValueError(f"there is no format {format!r} of labellings; choose one of {', '.join(LABELING_FORMATS)}")
    energy = mrf.energy(labeling)
    return LABELING_FORMATS[format](mrf, np.asarray(labeling, np.int64), energy)


def load_labeling(path_or_bytes: str | os.PathLike[str] | bytes, mrf: BinaryMRF) -> IntArray:
    """Read a labelling of a model, in any format that `dump_labeling` writes.

    Parameters
    ----------
    path_or_bytes : str, path or bytes
        The path of the file, or its content.
    mrf : BinaryMRF

    Returns
    -------
    ndarray of {0, 1}, shape (n,)

    Raises
    ------
    FormatError
        If the file is not a labelling of this model.
    OSError
        If the path cannot be read.
    """
    text = decode(read_bytes(path_or_bytes, None, None)[0], "a labelling")
    if text.lstrip().startswith("{"):
        names, values = _from_json(text, mrf)
    elif text.split(maxsplit=1)[0] == "MPE":
        return _from_mpe(text.split()[1:], mrf.n)
    else:
        names, values = _from_csv(text)
    for k, (theirs, ours) in enumerate(zip(names, mrf.names, strict=False)):
        if theirs != ours:
            raise FormatError(
                None, f"variable {k} is {shown(theirs)}, in the model {shown(ours)}", "give a labelling of this model"
            )
    return _bits(values, mrf.n, (-1, 1) if mrf.objective.domain == "spins" else (0, 1))


def _from_csv(text: str) -> tuple[list[str], list[str]]:
    rows, at = [], 0
    while at < len(text):
        found = _ROW.match(text, at)
        if found is None:
            raise FormatError(text.count("\n", 0, at) + 1, "a row is not a name and a value", "write name,value")
        at = found.end()
        quoted = found["quoted"]
        rows.append((found["plain"] if quoted is None else quoted.replace('""', '"'), found["value"]))
    return [name for name, _ in rows[1:]], [value for _, value in rows[1:]]


def _from_json(text: str, mrf: BinaryMRF) -> tuple[list[str], list[Any]]:
    found = read_json(text).get("labeling")
    if isinstance(found, dict):
        known = [name for name in mrf.names if name in found] if len(found) == mrf.n else list(found)
        return known, [found[name] for name in known]
    if not isinstance(found, list) or not all(isinstance(row, dict) and {"name", "value"} <= set(row) for row in found):
        raise FormatError(None, f'"labeling" is {shown_value(found)}', "list the name and value of every variable")
    return [str(row["name"]) for row in found], [row["value"] for row in found]


def _from_mpe(words: list[str], n: int) -> IntArray:
    if words and words[0] != str(len(words) - 1):
        raise FormatError(
            None, f"the file announces {shown(words[0])} values, and {len(words) - 1} follow", "correct it"
        )
    return _bits(words[1:], n, (0, 1))


def _bits(values: list[Any], n: int, domain: tuple[int, int]) -> IntArray:
    if len(values) != n:
        raise FormatError(None, f"the labelling has {len(values)} values, the model {n} variables", "give one for each")
    known = {form: bit for bit, value in enumerate(domain) for form in (value, str(value))}
    for k, value in enumerate(values):
        if isinstance(value, bool | float | list | dict) or value not in known:
            raise FormatError(
                None, f"the value of variable {k} is {shown_value(value)}", f"it must be {domain[0]} or {domain[1]}"
            )
    return np.array([known[value] for value in values], np.int64)


def _values(mrf: BinaryMRF, bits: IntArray) -> list[int]:
    values: list[int] = (2 * bits - 1 if mrf.objective.domain == "spins" else bits).tolist()
    return values


def _csv(mrf: BinaryMRF, bits: IntArray, energy: float) -> str:
    rows = (f"{_quoted(name)},{value}" for name, value in zip(mrf.names, _values(mrf, bits), strict=True))
    return "\n".join(["name,value", *rows]) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def _json(mrf: BinaryMRF, bits: IntArray, energy: float) -> str:
    pairs = list(zip(mrf.names, _values(mrf, bits), strict=True))
    by_name = dict(pairs)
    fields = {
        "model": mrf.name,
        "content_hash": mrf.content_hash(),
        "energy": energy,
        "objective": {"name": mrf.objective.name, "value": mrf.objective.value(energy)},
        "domain": mrf.objective.domain,
        "labeling": by_name if len(by_name) == mrf.n else [{"name": name, "value": value} for name, value in pairs],
    }
    return json.dumps(fields, ensure_ascii=False, indent=1) + "\n"


def _mpe(mrf: BinaryMRF, bits: IntArray, energy: float) -> str:
    return f"MPE\n{mrf.n} {' '.join(map(str, bits.tolist()))}\n"


LABELING_FORMATS: dict[str, Callable[[BinaryMRF, IntArray, float], str]] = {"csv": _csv, "json": _json, "mpe": _mpe}
