"""The paper's figure and its table, for the runs of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

import bender_core as bc
from bender_core.experiments import FinishedRun
from bender_core.experiments.comparison import in_percent
from bender_core.experiments.observations import observations
from bender_core.experiments.paper import PUBLISHED_GAPS
from bender_core.experiments.tables import BASELINE, PERCENTILES, Speed, gaps, speeds
from bender_core.units import figures
from bender_core.visualization import study
from pages._shared.app.text import paragraphs, table
from pages._shared.experiments.showing import drawn, show

# More points at once take more than a second; then the largest M comes first, and others are added by hand.
MOST_AT_FIRST = 3000
# The least number of instances whose percentiles tell more than the largest value.
FEW = 5


def times(runs: Sequence[FinishedRun], stamp: str) -> None:
    """The timing scatter, and the slopes of its lines."""
    schedules, sizes = (sorted({getattr(run.task, name) for run in runs}) for name in ("schedule", "max_size"))
    left, right = st.columns([3, 1])
    first = sizes if len(runs) <= MOST_AT_FIRST else sizes[-1:]
    chosen = left.pills(
        "Values of M", sizes, selection_mode="multi", default=first, key=f"times-{sizes}", persist_state="session"
    )
    schedule = right.selectbox("Schedule", schedules) if len(schedules) > 1 else schedules[0]
    shown = [run for run in runs if run.task.max_size in chosen and run.task.schedule == schedule]
    if not any(run.task.variant == BASELINE for run in shown):
        st.caption(f"Times are compared with variant {BASELINE}, the baseline, and none of its runs is done.")
        return
    show("times", drawn(f"times {stamp} {chosen} {schedule}", lambda: study.times(shown)), shown)
    observed = observations(shown)
    if observed:
        st.markdown("**What the paper observed, and whether it holds for these runs**")
        paragraphs(
            f"{'✓ holds' if look.holds else '✗ does not hold'}: {look.claim} {look.numbers}" for look in observed
        )
    speedups(shown, chosen)


def speedups(shown: Sequence[FinishedRun], sizes: Sequence[int]) -> None:
    """How much faster than the baseline each variant is."""
    found = {(speed.variant, speed.max_size): speed for speed in speeds(shown)}
    table(
        ["speed-up (slope)", *(f"M {size}" for size in sizes)],
        [
            [bc.VARIANTS[variant].title, *(_speed(found.get((variant, size))) for size in sizes)]
            for variant in sorted({variant for variant, _ in found})
        ],
    )
    st.caption(
        "Median speed-up over the baseline; in brackets the slope of the line of best fit: below 1, the speed-up grows "
        "with the baseline's time."
    )


def _speed(speed: Speed | None) -> str:
    if speed is None:
        return "–"
    slope = "" if math.isnan(speed.slope) else f" ({speed.slope:.2f})"
    return f"{figures(speed.speedup)}×{slope}"


def gap_table(runs: Sequence[FinishedRun]) -> None:
    """Percentiles of the normalised gap, next to the paper's where it published them."""
    rows = gaps(runs)
    sizes = sorted({row.max_size for row in rows})
    size = st.segmented_control(
        "M", sizes, default=sizes[0], required=True, key=f"gaps-{sizes}", persist_state="session"
    )
    several = len({row.schedule for row in rows}) > 1
    # Percentiles of a few numbers are the largest of them.
    few = max(row.count for row in rows) < FEW
    levels = [level for level in PERCENTILES if level == PERCENTILES[-1] or not few]
    lines = []
    for row in rows:
        if row.max_size != size:
            continue
        whose = f"{row.variant}" + f", {row.schedule}" * several
        limited = f"{row.limited} of {row.count}"
        lines.append([whose, "here", *map(in_percent, row.percentiles[-len(levels) :]), limited])
        published = PUBLISHED_GAPS.get(size, {}).get(row.variant) if row.schedule == "mplp" else None
        if published is not None and not few:
            lines.append(["", "paper", *map(in_percent, published), ""])
    names = ["largest"] if few else [f"{level} %" for level in levels]
    table(["variant", "", *names, "at a limit"], lines, {"variant": "variant"})
    what = f"The largest <dfn>gap</dfn> of fewer than {FEW} instances" if few else "Percentiles of the <dfn>gap</dfn>"
    st.caption(
        f"{what}, (<dfn>UB</dfn> − <dfn>LB</dfn>) / max(|LB|, |UB|), the paper's normalised gap for negative energies. "
        "0: below 1e-9, a certified optimum; –: the run never began. The paper's 97 instances are not public and ours "
        "are generated, so compare the variants with each other, not the levels.",
        unsafe_allow_html=True,
    )
