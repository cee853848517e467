"""Labellings out: for spreadsheets, for programs, and as the competitions want them (formats.md, "Results out")."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from bender_core.model import BinaryMRF, IntArray


def dump_labeling(mrf: BinaryMRF, labeling: ArrayLike, format: str = "csv") -> str:
    """A labelling as text.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : array_like of {0, 1}, shape (n,)
        Written as spins where the source of the model has spins, but for "mpe".
    format : {"csv", "json", "mpe"}
        A line a variable, ``name,value``; one JSON object with the energy, the source's own number and the values
        by name; or a solution file of the UAI competitions.

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


def _values(mrf: BinaryMRF, bits: IntArray) -> list[int]:
    values: list[int] = (2 * bits - 1 if mrf.objective.domain == "spins" else bits).tolist()
    return values


def _csv(mrf: BinaryMRF, bits: IntArray, energy: float) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", "value"])
    writer.writerows(zip(mrf.names, _values(mrf, bits), strict=True))
    return out.getvalue()


def _json(mrf: BinaryMRF, bits: IntArray, energy: float) -> str:
    said = {
        "model": mrf.name,
        "content_hash": mrf.content_hash(),
        "energy": energy,
        "objective": {"name": mrf.objective.name, "value": mrf.objective.value(energy)},
        "domain": mrf.objective.domain,
        "labeling": dict(zip(mrf.names, _values(mrf, bits), strict=True)),
    }
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def _mpe(mrf: BinaryMRF, bits: IntArray, energy: float) -> str:
    return f"MPE\n{mrf.n} {' '.join(map(str, bits.tolist()))}\n"


LABELING_FORMATS: dict[str, Callable[[BinaryMRF, IntArray, float], str]] = {"csv": _csv, "json": _json, "mpe": _mpe}
