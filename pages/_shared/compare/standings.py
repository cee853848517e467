"""The table of a race."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from bender_core.engine.gap import is_closed
from bender_core.experiments.contenders import NEAR, NEARLY, distances, first_time
from pages._shared.app.glossary import GLOSSARY
from pages._shared.compare.curves import Curve, labels
from pages._shared.compare.verdict import compared, remarks

# The distances to the best labelling, relative to it, at which times are taken; 0 is a proof.
DISTANCES = {"to proof": 0.0, "to 0.1 %": NEAR.share, "to 1 %": NEARLY.share}


def listed(curves: Sequence[Curve], order: Sequence[int], key: str | None = None) -> None:
    """The table; rows are selectable if it has a key."""
    table = columns(curves, order)
    st.dataframe(
        table,
        column_config=_columns(),
        hide_index=True,
        on_select="rerun" if key else "ignore",
        selection_mode="multi-row",
        key=key or "standings so far",
        placeholder="–",
        alt="The runs, their bounds and their cost",
    )


def key_of(curves: Sequence[Curve], order: Sequence[int]) -> str:
    """The key of the table of a race that is over; in another order, rows are of other runs."""
    return f"standings {' '.join(curves[k].key for k in order)}"


def selected(curves: Sequence[Curve]) -> list[Curve]:
    """The runs whose rows are selected, also before the table is drawn."""
    begun = [curve for curve in curves if len(curve.records)]
    order = compared(begun).order if begun else []
    table = st.session_state.get(key_of(begun, order))
    return [] if table is None else [begun[order[row]] for row in table.selection.rows if row < len(order)]


def columns(curves: Sequence[Curve], order: Sequence[int]) -> dict[str, list[object]]:
    """The runs in an order, as columns; what a run has not, or has not reached, is None."""
    names = labels(curves)
    begun = [curve for curve in curves if len(curve.records)]
    stars = dict(zip((curve.key for curve in begun), remarks(compared(begun)) if begun else [], strict=True))
    best = min((curve.upper_bound for curve in curves), default=math.inf)
    rows = [(names[k], curves[k]) for k in order]
    found: dict[str, list[object]] = {
        "run": [name for name, _ in rows],
        **{name: [_seconds(within(curve, best, share)) for _, curve in rows] for name, share in DISTANCES.items()},
        "gap": [_finite(100 * curve.gap) for _, curve in rows],
        "LB": [_finite(curve.lower_bound) for _, curve in rows],
        "UB": [_finite(curve.upper_bound) for _, curve in rows],
        "status": [curve.ending for _, curve in rows],
        "remarks": [stars.get(curve.key, "") for _, curve in rows],
        "seconds": [_seconds(curve.last("seconds")) for _, curve in rows],
        "building": [curve.building for _, curve in rows],
        "sweeps": [None if curve.step == "report" else curve.last("sweep") for _, curve in rows],
        "rows": [None if curve.method and not curve.method.has_groups else curve.last("rows") for _, curve in rows],
        "work": [curve.last("work") if curve.is_counted else None for _, curve in rows],
        "MB": [None if curve.memory is None else curve.memory / 2**20 for _, curve in rows],
        "it is": [curve.kind_name for _, curve in rows],
    }
    # Groups that are stated cost nothing.
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
    # Bounds rise.
    lower = np.maximum.accumulate(curve.records["lower_bound"])
    near = distances(lower, best) <= share
    if not share:
        near = np.array([is_closed(bound, best, curve.scale) for bound in lower.tolist()], bool)
    return first_time(curve.records["seconds"], near)


def _columns() -> dict[str, Any]:
    """How columns are shown. What decides comes first; the run stays in sight where the rest is scrolled."""
    column = st.column_config
    lower = f"{GLOSSARY['lower bound'].meaning} Higher is better."
    upper = f"{GLOSSARY['upper bound'].meaning} Lower is better"
    sweeps = f"Complete ones. {GLOSSARY['sweep'].meaning} Of “cycles” and “mplp-cp”: rounds"
    seconds = "Computing time of the run alone, building included; of external solvers that of their processors"
    near = "Seconds, building included, until its bound was within {} of the best labelling of all runs"
    near_help = {"to 1 %": near.format("1 %"), "to 0.1 %": near.format("0.1 %")}
    near_help["to proof"] = (
        "Seconds, building included, until its bound was equal to the energy of the best labelling of all runs"
    )
    return {
        "run": column.TextColumn(pinned=True),
        **{name: column.NumberColumn(format="%.3g", help=text) for name, text in near_help.items()},
        "gap": column.NumberColumn(format="%.3g %%", help=GLOSSARY["gap"].meaning),
        "LB": column.NumberColumn(format="%.6g", help=lower),
        "UB": column.NumberColumn(format="%.6g", help=upper),
        "status": column.TextColumn(width=172),
        "remarks": column.TextColumn(width=110),
        "seconds": column.NumberColumn(format="%.3g", help=seconds),
        "building": column.NumberColumn(
            format="%.3g",
            help="Of these seconds, those in which the groups were chosen, or an external solver built its own form of "
            "the model",
        ),
        "sweeps": column.NumberColumn(help=sweeps),
        "rows": column.NumberColumn(help=f"Benders rows in use. {GLOSSARY['Benders row'].meaning}"),
        "work": column.NumberColumn(
            format="compact", help="Table entries read, other work converted to entries; on any machine the same"
        ),
        "MB": column.NumberColumn(format="%.3g", help="Predicted memory"),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _seconds(value: float) -> float | None:
    """To tenths of a millisecond: less is noise."""
    return round(value, 4) if math.isfinite(value) else None
