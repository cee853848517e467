"""The chart of a race, its table, and the actions on a run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import bender_core as bc
from bender_core.experiments import Store
from bender_core.strategies import PURSUIT, applicable
from pages._shared.app.fields import CYCLES, WATCH
from pages._shared.app.requests import BY_OF, PAGE_OF
from pages._shared.app.session import Lab
from pages._shared.app.text import paragraph
from pages._shared.compare.curves import Curve, chart, compared, labels, verdict
from pages._shared.compare.racing import Contest
from pages._shared.compare.standings import listed
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
    if curve is not None and curve.method is not None and not curve.is_on_groups:
        page = PAGE_OF.get(curve.kind)
        if page is None:
            st.button(f"Watch{name}", disabled=True, help="External solvers cannot be stepped through")
            return
        label, help_text = OPENING[page]
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
    parts = [(partition_of(current, contest, each), each) for each in selected if each.is_on_groups]
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
    first = None if curve.method is None else curve.method.first_groups(current.mrf, curve.max_size)
    size, strategy = first or (curve.max_size, curve.strategy)
    made = contest.maker.parts.get((size, strategy))
    # A search would keep the page waiting.
    if made is not None or strategy not in applicable(current.mrf) or strategy == PURSUIT:
        return made
    return partition(fingerprint(current.mrf), size, strategy, current.mrf)
