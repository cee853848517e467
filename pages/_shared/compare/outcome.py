"""The chart of a race, its table, and the actions on a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

import bender_core as bc
from bender_core.experiments import Store
from bender_core.experiments.script import as_script
from bender_core.io import dumps
from bender_core.strategies import PURSUIT, applicable
from pages._shared.app.fields import CYCLES, WATCH
from pages._shared.app.naming import file_name, file_of
from pages._shared.app.requests import BY_OF, PAGE_OF
from pages._shared.app.scripting import expression
from pages._shared.app.session import Lab
from pages._shared.app.text import MEDIUM, complaint, paragraph
from pages._shared.app.text import labels as distinct
from pages._shared.compare.curves import Curve, as_csv, chart, labels
from pages._shared.compare.racing import Contest
from pages._shared.compare.standings import key_of, listed, selected
from pages._shared.compare.verdict import compared, cut_short, verdict
from pages._shared.partitioning.cached import fingerprint, partition

# What two selected runs may be, to be watched side by side.
PAIRS = "two runs on groups, or one of cycles and one of MPLP with cycle pursuit (mplp-cp)"
# The button that opens the page of a method, and its help.
OPENING = {
    WATCH: ("Prove it on Watch", "Prove the model there, and step through the chapters of the proof"),
    CYCLES: ("Open on Cycles", "See there how each cycle raises the bound"),
}


def picture(contest: Contest, earlier_runs: Sequence[Curve]) -> None:
    """The verdict, the chart and, during the race, its progress."""
    going = contest.busy
    curves = [*contest.curves(), *earlier_runs]
    # Above the chart, whose explanation may be long.
    if judged := curves if going else [curve for curve in curves if len(curve.records)]:
        paragraph(verdict(judged, going))
    chart(contest.mrf.name, curves, [] if going else selected(curves))
    if not going:
        return
    assert contest.racing is not None
    _of_memory(curves)
    listed(curves, range(len(curves)))
    st.progress(contest.racing.share, contest.racing.doing)


def result(current: Lab, contest: Contest, kept: Store | None, earlier_runs: Sequence[Curve]) -> None:
    """The table, and the actions on a run."""
    everything = [*contest.curves(), *earlier_runs]
    _of_memory(everything)
    curves = [curve for curve in everything if len(curve.records)]
    if not curves:
        return
    order = compared(curves).order
    listed(curves, order, key_of(curves, order))
    chosen = selected(curves)
    curve = chosen[0] if len(chosen) == 1 else None
    actions = st.container(horizontal=True)
    name = "" if curve is None else f" {labels(curves)[curves.index(curve)]}"
    with actions:
        _opening(current, contest, curve, name)
    with actions:
        _opening_both(current, contest, chosen)
    with actions:
        _pinning(contest, chosen, kept, name or " both" * (len(chosen) > 1))
    with actions:
        _saving(current, contest, curves)
    if reasons := why_not(current, contest, chosen):
        st.caption(" ".join(reasons))
    st.caption(
        "Select rows by their checkboxes or with shift + space, and their lines stand out: one or two can be watched, "
        "and any of them pinned; click a column header to sort. All seconds are the computing time of the run alone, "
        "with building: the choice of its groups, or an external solver's own form of the model; “building” says how "
        "much of them that was. ★ bound, ★ labelling: the best of all; ★ first: the first to reach the best bound, "
        "★ tie: too close to the first for one race to tell."
    )


def _of_memory(curves: Sequence[Curve]) -> None:
    """Name the runs that ended because the memory was full."""
    if sentence := cut_short(curves):
        complaint(sentence)


def _pinning(contest: Contest, chosen: Sequence[Curve], kept: Store | None, name: str) -> None:
    """The button that pins the selected runs, or unpins them if all are."""
    if chosen and all(curve.key in contest.pins for curve in chosen):
        st.button(f"Unpin{name}", on_click=contest.unpin, args=([curve.key for curve in chosen],))
        return
    lanes = contest.lanes()
    ended = [(lanes[curve.key], curve) for curve in chosen if curve.key in lanes and lanes[curve.key].outcome]
    st.button(
        f"Pin{name}",
        on_click=contest.pin,
        args=(ended, kept),
        disabled=not ended,
        help="Keep these runs in the chart for the next races and for later sessions",
    )


def why_not(current: Lab, contest: Contest, chosen: Sequence[Curve]) -> list[str]:
    """Why the selected runs cannot be watched, or watched side by side, in sentences."""
    found = [
        f"{curve.method.title} cannot be watched: it is an external solver, which cannot be stepped through."
        for curve in chosen
        if curve.method is not None and curve.method.package
    ]
    found += [
        f"{name} cannot be watched: "
        + ("its groups were made by hand." if curve.strategy == "manual" else "choose its groups above first.")
        for curve, name in zip(chosen, labels(chosen), strict=True)
        if curve.is_on_groups and partition_of(current, contest, curve) is None
    ]
    if len(chosen) > 2:
        found.append("At most two runs are watched side by side.")
    elif len(chosen) == 2 and not found and not _by_cycles(chosen) and not all(curve.is_on_groups for curve in chosen):
        found.append(f"Only {PAIRS} can be watched side by side.")
    return found


def _by_cycles(chosen: Sequence[Curve]) -> bool:
    return len(chosen) == 2 and {BY_OF.get(each.kind) for each in chosen} == {"program", "messages"}


def _saving(current: Lab, contest: Contest, curves: Sequence[Curve]) -> None:
    """The buttons that save the curves, and a script of the race; and the model, if the script could not make it."""
    st.download_button(
        "Save the curves",
        lambda: as_csv(curves),
        file_name=file_name(current.mrf.name, "curves.csv"),
        mime="text/csv",
        on_click="ignore",
        help="The bounds of all runs over seconds, work and sweeps, as CSV",
    )
    racing, lanes = contest.racing, contest.lanes()
    if racing is None:
        return
    raced = [replace(curve, note="") for curve in contest.curves() if curve.key in lanes]
    runs = dict(zip(distinct(labels(raced), MEDIUM), (lane.entry for lane in lanes.values()), strict=True))
    script = as_script(runs, expression(current), racing.limits)
    st.download_button(
        "Save the script",
        script,
        file_name=file_name(current.mrf.name, "race.py"),
        on_click="ignore",
        help="A Python script that races these runs again, and prints their table",
    )
    if not current.is_public:
        st.download_button(
            "Model, for the script", dumps(current.mrf), file_name=file_of(current.mrf), on_click="ignore"
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


def _opening_both(current: Lab, contest: Contest, chosen: Sequence[Curve]) -> None:
    """The button that opens two selected runs side by side."""
    by_cycles = _by_cycles(chosen)
    parts = [(partition_of(current, contest, each), each) for each in chosen if each.is_on_groups]
    known = [(part, each) for part, each in parts if part is not None]
    st.button(
        "Watch both, side by side",
        on_click=contest.open_both if by_cycles else contest.watch_both,
        args=() if by_cycles else (known,),
        disabled=not by_cycles and not len(known) == len(chosen) == 2,
        help=f"Select {PAIRS}: they are stepped through on one clock",
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
