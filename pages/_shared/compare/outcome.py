"""The chart of a race, its table, and the actions on a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import bender_core as bc
from bender_core.experiments import Store
from bender_core.strategies import PURSUIT, applicable
from pages._shared.app.fields import CYCLES, WATCH
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.requests import BY_OF, PAGE_OF
from pages._shared.app.session import Lab
from pages._shared.app.text import paragraph
from pages._shared.compare.curves import Curve, chart, compared, labels, remarks, verdict
from pages._shared.compare.racing import Contest
from pages._shared.partitioning.cached import fingerprint, partition

# The button that opens the page of a method, and its help.
OPENING = {
    WATCH: ("Prove it on Watch", "Prove the model there, and step through the chapters of the proof"),
    CYCLES: ("Open on Cycles", "See there how each cycle raises the bound"),
}


def picture(contest: Contest, earlier_runs: Sequence[Curve]) -> None:
    """The chart and, during the race, its progress."""
    going = contest.busy
    curves = [*contest.curves(), *earlier_runs]
    chart(contest.mrf.name, curves)
    if not going:
        return
    assert contest.racing is not None
    paragraph(verdict(curves, going=True))
    listed(curves, range(len(curves)), None)
    st.progress(contest.racing.share, contest.racing.doing)


def result(current: Lab, contest: Contest, kept: Store | None, earlier_runs: Sequence[Curve]) -> None:
    """The winner, the table, and the actions on a run."""
    curves = [curve for curve in [*contest.curves(), *earlier_runs] if len(curve.records)]
    if not curves:
        return
    paragraph(verdict(curves, going=False))
    order = compared(curves).order
    selected = [curves[order[k]] for k in listed(curves, order, f"standings {' '.join(curves[k].key for k in order)}")]
    curve = selected[0] if len(selected) == 1 else None
    actions = st.container(horizontal=True)
    lane = contest.lanes().get(curve.key) if curve else None
    name = "" if curve is None else f" {labels(curves)[curves.index(curve)]}"
    with actions:
        _opening(current, contest, curve, name)
    with actions:
        _opening_both(current, contest, selected)
    if curve is not None and curve.key in contest.pins:
        actions.button(f"Unpin{name}", on_click=contest.unpin, args=(curve.key,))
    else:
        actions.button(
            f"Pin{name}",
            on_click=contest.pin,
            args=(lane, curve, kept),
            disabled=lane is None or lane.outcome is None,
            help="Keep this run in the chart for the next races and for later sessions",
        )
    st.caption(
        "Select one or two rows by their checkboxes or with shift + space; click a column header to sort. Seconds: "
        "computing time of the run alone. ★ bound, ★ labelling: the best of all; ★ first: the first to reach the best "
        "bound."
    )


def _opening(current: Lab, contest: Contest, curve: Curve | None, name: str) -> None:
    """The button that opens the selected run on the page that shows it."""
    if curve is not None and curve.method is not None:
        label, help_text = OPENING[PAGE_OF[curve.kind]]
        st.button(label, on_click=contest.open, args=(curve.method,), help=help_text)
        return
    part = None if curve is None else partition_of(current, contest, curve)
    help_text = "Step through this run"
    if part is None and curve is not None and curve.strategy == PURSUIT:
        help_text = f"Choose the strategy {PURSUIT} and M {curve.max_size} first: its groups take seconds to find"
    st.button(f"Watch{name}", on_click=contest.watch, args=(part, curve), disabled=part is None, help=help_text)


def _opening_both(current: Lab, contest: Contest, selected: Sequence[Curve]) -> None:
    """The button that opens two selected runs side by side."""
    by_cycles = len(selected) == 2 and {BY_OF.get(each.kind) for each in selected} == {"program", "messages"}
    parts = [(partition_of(current, contest, each), each) for each in selected if each.method is None]
    known = [(part, each) for part, each in parts if part is not None]
    st.button(
        "Watch both, side by side",
        on_click=contest.open_both if by_cycles else contest.watch_both,
        args=() if by_cycles else (known,),
        disabled=not by_cycles and not len(known) == len(selected) == 2,
        help="Select two runs on groups, or one of cycles and one of mplp-cp: they are stepped through on one clock",
    )


def partition_of(current: Lab, contest: Contest, curve: Curve) -> bc.Partition | None:
    """The partition of a run; None for an earlier run on groups made by hand, or by a search that must run first."""
    begun = contest.lanes().get(curve.key) or contest.pins.get(curve.key)
    if begun is not None:
        return begun.entry.part
    made = contest.maker.parts.get((curve.max_size, curve.strategy))
    # A search would keep the page waiting.
    if made is not None or curve.strategy not in applicable(current.mrf) or curve.strategy == PURSUIT:
        return made
    return partition(fingerprint(current.mrf), curve.max_size, curve.strategy, current.mrf)


def listed(curves: Sequence[Curve], order: Sequence[int], key: str | None) -> list[int]:
    """The table; returns the selected rows, if rows are selectable."""
    names, column = labels(curves), st.column_config
    begun = [curve for curve in curves if len(curve.records)]
    stars = dict(zip((curve.key for curve in begun), remarks(compared(begun)) if begun else [], strict=True))
    rows = [(names[k], curves[k]) for k in order]
    picked = st.dataframe(
        {
            "run": [f"{name}: {curve.kind_name}" for name, curve in rows],
            "remarks": [stars.get(curve.key, "") for _, curve in rows],
            "LB": [_finite(curve.lower_bound) for _, curve in rows],
            "UB": [_finite(curve.upper_bound) for _, curve in rows],
            "gap": [_finite(100 * curve.gap) for _, curve in rows],
            "sweeps": [curve.last("sweep") for _, curve in rows],
            "rows": [None if curve.method and not curve.method.has_groups else curve.last("rows") for _, curve in rows],
            "seconds": [curve.last("seconds") for _, curve in rows],
            "MB": [None if curve.memory is None else curve.memory / 2**20 for _, curve in rows],
            "status": [curve.ending for _, curve in rows],
        },
        column_config={
            "run": column.TextColumn(width=195),
            "remarks": column.TextColumn(width=130),
            "LB": column.NumberColumn(
                width=72, format="%.6g", help=f"{GLOSSARY['lower bound'].meaning} Higher is better."
            ),
            "UB": column.NumberColumn(
                width=72, format="%.6g", help=f"{GLOSSARY['upper bound'].meaning} Lower is better"
            ),
            "gap": column.NumberColumn(width=60, format="%.3g %%", help=GLOSSARY["gap"].meaning),
            "sweeps": column.NumberColumn(
                width=56, help=f"{GLOSSARY['sweep'].meaning} Of “cycles” and “mplp-cp”: rounds."
            ),
            "rows": column.NumberColumn(width=52, help=f"Benders rows in use. {GLOSSARY['Benders row'].meaning}"),
            "seconds": column.NumberColumn(
                width=64, format="%.3g", help="Computing time of the run alone, tables included"
            ),
            "MB": column.NumberColumn(width=46, format="%.3g", help="Predicted memory"),
            "status": column.TextColumn(width=88),
        },
        hide_index=True,
        on_select="rerun" if key else "ignore",
        selection_mode="multi-row",
        key=key or "standings so far",
        placeholder="–",
        alt="The runs, their bounds and their cost",
    )
    selected = [] if isinstance(picked, DeltaGenerator) else picked.selection.rows
    return [row for row in selected if row < len(rows)]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
