"""The table of a race."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bender_core.engine.gap import gap_between, relative_gap
from pages._shared.app.glossary import GLOSSARY
from pages._shared.compare.curves import Curve, compared, labels, remarks

# The distances to the best labelling, relative to it, at which times are taken; 0 is a proof.
NEAR = {"to 1 %": 0.01, "to 0.1 %": 0.001, "to proof": 0.0}


def listed(curves: Sequence[Curve], order: Sequence[int], key: str | None) -> list[int]:
    """The table; returns the selected rows, if rows are selectable."""
    picked = st.dataframe(
        columns(curves, order),
        column_config=_columns(),
        hide_index=True,
        on_select="rerun" if key else "ignore",
        selection_mode="multi-row",
        key=key or "standings so far",
        placeholder="–",
        alt="The runs, their bounds and their cost",
    )
    selected = [] if isinstance(picked, DeltaGenerator) else picked.selection.rows
    return [row for row in selected if row < len(order)]


def columns(curves: Sequence[Curve], order: Sequence[int]) -> dict[str, list[object]]:
    """The runs in an order, as columns; what a run has not, or has not reached, is None."""
    names = labels(curves)
    begun = [curve for curve in curves if len(curve.records)]
    stars = dict(zip((curve.key for curve in begun), remarks(compared(begun)) if begun else [], strict=True))
    best = min((curve.upper_bound for curve in curves), default=math.inf)
    rows = [(names[k], curves[k]) for k in order]
    found: dict[str, list[object]] = {
        "run": [f"{name}: {curve.kind_name}" for name, curve in rows],
        "remarks": [stars.get(curve.key, "") for _, curve in rows],
        "LB": [_finite(curve.lower_bound) for _, curve in rows],
        "UB": [_finite(curve.upper_bound) for _, curve in rows],
        "gap": [_finite(100 * curve.gap) for _, curve in rows],
        "sweeps": [curve.last("sweep") for _, curve in rows],
        "rows": [None if curve.method and not curve.method.has_groups else curve.last("rows") for _, curve in rows],
        "seconds": [curve.last("seconds") for _, curve in rows],
        "status": [curve.ending for _, curve in rows],
        **{name: [_finite(within(curve, best, share)) for _, curve in rows] for name, share in NEAR.items()},
        "building": [curve.building for _, curve in rows],
        "MB": [None if curve.memory is None else curve.memory / 2**20 for _, curve in rows],
    }
    # Most races have none of others.
    return {name: column for name, column in found.items() if name != "building" or any(column)}


def within(curve: Curve, best: float, share: float) -> float:
    """When the bound of a run first was within a share of the best labelling, seconds; infinite if it never was.

    Parameters
    ----------
    curve : Curve
    best : float
        The energy of that labelling.
    share : float
        0: bound and energy are equal, as far as rounding tells.
    """
    gap = relative_gap if share else lambda lower, upper: gap_between(lower, upper, curve.scale)
    # Bounds rise.
    lower = np.maximum.accumulate(curve.records["lower_bound"]).tolist()
    near = next((k for k, bound in enumerate(lower) if math.isfinite(bound) and gap(bound, best) <= share), None)
    return math.inf if near is None else float(curve.records["seconds"][near])


def _columns() -> dict[str, Any]:
    """How columns are shown."""
    column = st.column_config
    lower = f"{GLOSSARY['lower bound'].meaning} Higher is better."
    upper = f"{GLOSSARY['upper bound'].meaning} Lower is better"
    sweeps = f"{GLOSSARY['sweep'].meaning} Of “cycles” and “mplp-cp”: rounds; of external solvers: reports."
    seconds = "Computing time of the run alone, tables included; of external solvers that of the wall clock"
    near = "Seconds until its bound was within {} of the best labelling of all runs"
    near_help = {"to 1 %": near.format("1 %"), "to 0.1 %": near.format("0.1 %")}
    near_help["to proof"] = "Seconds until its bound was equal to the energy of the best labelling of all runs"
    return {
        "run": column.TextColumn(width=195),
        "remarks": column.TextColumn(width=130),
        "LB": column.NumberColumn(width=72, format="%.6g", help=lower),
        "UB": column.NumberColumn(width=72, format="%.6g", help=upper),
        "gap": column.NumberColumn(width=60, format="%.3g %%", help=GLOSSARY["gap"].meaning),
        "seconds": column.NumberColumn(width=64, format="%.3g", help=seconds),
        **{name: column.NumberColumn(width=62, format="%.3g", help=text) for name, text in near_help.items()},
        "sweeps": column.NumberColumn(width=56, help=sweeps),
        "rows": column.NumberColumn(width=52, help=f"Benders rows in use. {GLOSSARY['Benders row'].meaning}"),
        "building": column.NumberColumn(
            width=60, format="%.3g", help="Seconds of these, in which the solver's own form of the model was built"
        ),
        "MB": column.NumberColumn(width=46, format="%.3g", help="Predicted memory"),
        "status": column.TextColumn(width=88),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
