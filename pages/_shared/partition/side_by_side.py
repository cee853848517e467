"""All strategies side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import bender_core as bc
from bender_core.groups import LARGEST_GROUP
from bender_core.units import counted, storage
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.session import Lab, lab
from pages._shared.partition.comparing import Comparing
from pages._shared.partition.drawings import PICTURE_HEIGHT
from pages._shared.partition.table import TELL_SECONDS, choose
from pages._shared.running.following import follow
from pages._shared.running.kept import Kept

_COMPARING = Kept[Comparing]("comparing")


def compared(current: Lab) -> Comparing:
    """The requested comparison; another choice starts another."""
    state, before = st.session_state, _COMPARING.get()
    fresh = Comparing(current.mrf, sorted(state.compare_sizes), state.partition_variant, state.partition_schedule)
    found = _COMPARING.made(lambda: fresh, lambda kept: kept.about == fresh.about)
    if found is not before:
        if before is not None:
            before.stop()
        found.measure()
    return found


def compare(current: Lab) -> None:
    """All strategies at some M: their cost, their quality, and on request their bounds."""
    state = st.session_state
    left, middle, right = st.columns([5, 2, 3], vertical_alignment="bottom")
    left.multiselect("Values of M", range(1, LARGEST_GROUP + 1), key="compare_sizes")
    comparing = compared(current)
    # Asked once: the work may end while the page is drawn.
    going = comparing.busy
    sweeps = middle.number_input("Sweeps", 1, 400, key="compare_sweeps", help=GLOSSARY["sweep"].meaning)
    right.button(
        f"Run each for {counted(sweeps, 'sweep')}",
        on_click=lambda: comparing.bound(state.compare_sweeps),
        disabled=going or not comparing.rows,
        width="stretch",
    )
    if going:
        # Outside the fragment that keeps rerunning: a click is answered immediately.
        st.button("Stop", on_click=comparing.stop)
        follow(lambda: comparing.busy, lambda: working(comparing), TELL_SECONDS)
        return
    if not comparing.complete:
        st.button("Resume", on_click=comparing.measure, help="Make the remaining partitions")
    action = st.empty()
    chosen = comparison_table(comparing)
    action.button(
        "Use the selected row" if chosen is None else f"Use {chosen.strategy} with M {chosen.max_size}",
        disabled=chosen is None,
        on_click=choose,
        args=None if chosen is None else (chosen.max_size, chosen.strategy),
    )
    st.caption(
        "Select a row by its checkbox or with shift + space; click a column header to sort. Kept: the share of the "
        "relevant coupling inside groups or on a forest between them. ★: the best of all rows in that respect. "
        + (
            f"Bound: after {counted(comparing.sweeps, 'sweep')} by {comparing.schedule}; higher is better."
            * bool(comparing.sweeps)
        )
    )


def working(comparing: Comparing) -> None:
    """The progress of the comparison."""
    st.progress(comparing.share, comparing.doing or "beginning")
    comparison_table(comparing, selectable=False)


def comparison_table(comparing: Comparing, selectable: bool = True) -> bc.Comparison | None:
    """The rows so far; returns the one selected."""
    rows, column = comparing.in_order, st.column_config
    shown = {
        "strategy": [row.strategy for row in rows],
        "M": [row.max_size for row in rows],
        "ms per sweep": [None if row.seconds_per_sweep is None else 1000 * row.seconds_per_sweep for row in rows],
        "MB": [row.bytes / 2**20 for row in rows],
        "groups": [row.groups for row in rows],
        "cycles left": [row.cycles for row in rows],
        "kept": [100 * row.covered for row in rows],
    }
    if comparing.sweeps:
        shown["bound"] = [row.lower_bound for row in rows]
    shown["remarks"] = remarks(rows)
    picked = st.dataframe(
        shown,
        column_config={
            "strategy": column.TextColumn(width=90),
            "M": column.NumberColumn(width=45),
            "ms per sweep": column.NumberColumn(width=90, format="%.3g", help="Measured on this machine just now"),
            "MB": column.NumberColumn(width=65, format="%.3g", help="Memory that a run needs to start"),
            "groups": column.NumberColumn(width=65),
            "cycles left": column.NumberColumn(width=85, help="Independent cycles of the hyper-graph; 0 is a forest"),
            "kept": column.NumberColumn(width=60, format="%.0f %%", help="Inside groups or on a forest between them"),
            "bound": column.NumberColumn(width=85, format="%.6g", help="Energy; empty where a run would not fit"),
            "remarks": column.TextColumn(width=160),
        },
        hide_index=True,
        height=PICTURE_HEIGHT - 60,
        on_select="rerun" if selectable else "ignore",
        selection_mode="single-row",
        key="comparison" if selectable else "comparison-so-far",
        placeholder="–",
        alt="Strategies compared",
    )
    chosen = [] if isinstance(picked, DeltaGenerator) else picked.selection.rows
    return rows[chosen[0]] if chosen and chosen[0] < len(rows) else None


def remarks(rows: Sequence[bc.Comparison]) -> list[str]:
    """For every row in what respects it is best, or that it would not fit."""
    limit = lab().account.limit
    # Lower is better.
    measures: dict[str, Callable[[bc.Comparison], float | None]] = {
        "bound": lambda row: None if row.lower_bound is None else -row.lower_bound,
        "time": lambda row: row.seconds_per_sweep,
        "memory": lambda row: row.bytes,
        "cycles": lambda row: row.cycles,
        "kept": lambda row: -row.covered,
    }
    runnable = [row for row in rows if row.bytes <= limit]
    best: dict[int, list[str]] = {id(row): [] for row in rows}
    for name, measure in measures.items():
        values = [value for row in runnable if (value := measure(row)) is not None]
        # The best bound is marked once all are known.
        if not values or len(values) < len(runnable) or math.isclose(min(values), max(values), rel_tol=1e-9):
            continue
        for row, value in zip(runnable, values, strict=True):
            if math.isclose(value, min(values), rel_tol=1e-9):
                best[id(row)].append(name)
    return [
        f"too large: {storage(row.bytes)} of {storage(limit)}"
        if row.bytes > limit
        else f"★ {', '.join(best[id(row)])}"
        if best[id(row)]
        else ""
        for row in rows
    ]
