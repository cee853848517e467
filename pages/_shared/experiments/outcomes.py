"""The results of a plan: times, gaps, and all runs."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from functools import partial

import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.parquet as parquet
import streamlit as st

import bender_core as bc
from bender_core.experiments import FinishedRun, Task
from bender_core.experiments.observations import observations
from bender_core.experiments.paper import PUBLISHED_GAPS
from bender_core.experiments.tables import (
    BASELINE,
    PERCENTILES,
    Proven,
    Speed,
    columns,
    gaps,
    on_groups,
    proven,
    speeds,
    to_csv,
)
from bender_core.strategies import default_strategy
from bender_core.visualization.document import document
from bender_core.visualization.study import plot_times
from pages._shared.app.fields import CYCLES, WATCH
from pages._shared.app.glossary import METHODS_HELP
from pages._shared.app.naming import file_name
from pages._shared.app.next_run import Choice
from pages._shared.app.permalink import made_by
from pages._shared.app.requests import BY_OF, CYCLES_BY, PAGE_OF
from pages._shared.app.session import begin_next, first_rules, lab
from pages._shared.app.tabs import tabs
from pages._shared.app.text import complaint, paragraphs, table

# The most runs listed: larger tables are slow in a browser.
MOST_LISTED = 2000


def watch(task: Task) -> None:
    """Open a run on Watch, or the cycles of its model on Cycles."""
    try:
        mrf, first_groups = task.instance.load(), task.first_groups
    except (bc.FormatError, bc.ModelError, OSError) as error:
        complaint(f"This run cannot be opened: {error}")
        return
    current, values = lab(), dict(task.instance.values)
    origin = made_by(task.instance.source, values) if task.instance.made else {}
    if first_groups is not None:
        choice = Choice(mrf, origin, *first_groups, task.variant, task.schedule, task.found)
        begin_next(current, choice, proves=task.method is not None and task.method.has_groups)
    elif mrf.content_hash() != current.mrf.content_hash():
        size, variant, schedule = first_rules(current)
        begin_next(current, Choice(mrf, origin, size, default_strategy(mrf), variant, schedule))
    if task.strategy in BY_OF:
        CYCLES_BY.set(BY_OF[task.strategy])
    st.switch_page(f"pages/{page_of(task)}.py")


def page_of(task: Task) -> str | None:
    """The page that shows a run; None for an external solver."""
    return WATCH if task.method is None else PAGE_OF.get(task.strategy)


def times(runs: Sequence[FinishedRun]) -> None:
    """The timing scatter, and the slopes of its lines."""
    schedules, sizes = (sorted({getattr(run.task, name) for run in runs}) for name in ("schedule", "max_size"))
    left, right = st.columns([3, 1])
    chosen = left.pills("Values of M", sizes, selection_mode="multi", default=sizes, key=f"times-{sizes}")
    schedule = right.selectbox("Schedule", schedules) if len(schedules) > 1 else schedules[0]
    shown = [run for run in runs if run.task.max_size in chosen and run.task.schedule == schedule]
    if not any(run.task.variant == BASELINE for run in shown):
        st.caption(f"Times are compared with variant {BASELINE}, the baseline, and none of its runs is done.")
        return
    scatter(shown)
    observed = observations(shown)
    if observed:
        st.markdown("**What the paper observed, and whether it holds for these runs**")
        paragraphs(
            f"{'✓ holds' if look.holds else '✗ does not hold'}: {look.claim} {look.numbers}" for look in observed
        )
    speedups(shown, chosen)


def scatter(shown: Sequence[FinishedRun]) -> None:
    """The timing scatter, of which a click opens a run."""
    limit = max(run.task.limits.seconds for run in shown)
    legend = (
        "Each point is a run, each line a best fit; runs below the baseline's line were faster. Colours and symbols "
        "are the paper's: colours for α, o and solid lines for rows on the loosest edge, x and dotted lines on all "
        f"loose edges. Faint: a run reached the limit of {limit:g} s, so its true time is longer."
    )
    drawing = drawn("\n".join(f"{run.task.key} {run.task.max_size}" for run in shown), shown)
    picked = st.plotly_chart(
        drawing,
        key="times",
        height=460,
        on_select="rerun",
        selection_mode="points",
        alt="Seconds of every run against those of the baseline; the table of speed-ups below has the numbers",
    )
    st.caption(f"{legend} Click a point to watch its run.".replace("α", "<dfn>α</dfn>", 1), unsafe_allow_html=True)
    points = picked.selection.points
    if points:
        key, _, size = points[0]["customdata"]
        watch(next(run.task for run in shown if (run.task.key, run.task.max_size) == (key, size)))
    # Made on a click: a browser would fetch these megabytes at every visit.
    st.download_button(
        "Save the figure (HTML)",
        partial(self_contained, legend, drawing),
        file_name(str(st.session_state.plan), "times.html"),
        "text/html",
        on_click="ignore",
    )


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


@st.cache_resource(show_spinner=False, max_entries=4)
def drawn(points: str, _runs: Sequence[FinishedRun]) -> go.Figure:
    """The times of runs; ``points`` tells these runs from others."""
    return plot_times(_runs)


def self_contained(legend: str, drawing: go.Figure) -> bytes:
    """A figure as a self-contained HTML page."""
    return document("Seconds of every run against those of the baseline", {legend: drawing}).encode()


def _speed(speed: Speed | None) -> str:
    if speed is None:
        return "–"
    slope = "" if math.isnan(speed.slope) else f" ({speed.slope:.2f})"
    return f"{speed.speedup:.3g}×{slope}"


def gap_table(runs: Sequence[FinishedRun]) -> None:
    """Percentiles of the normalised gap, next to the paper's where it published them."""
    rows = gaps(runs)
    sizes = sorted({row.max_size for row in rows})
    size = st.segmented_control("M", sizes, default=sizes[0], required=True, key=f"gaps-{sizes}")
    lines, several = [], len({row.schedule for row in rows}) > 1
    for row in rows:
        if row.max_size == size:
            whose = f"{row.variant}" + f", {row.schedule}" * several
            limited = f"{row.limited} of {row.count}"
            lines.append([whose, "here", *map(_gap, row.percentiles), limited])
            published = PUBLISHED_GAPS.get(size, {}).get(row.variant) if row.schedule == "mplp" else None
            if published is not None:
                lines.append(["", "paper", *map(_gap, published), ""])
    table(["variant", "", *(f"{level} %" for level in PERCENTILES), "at a limit"], lines, {"variant": "variant"})
    st.caption(
        "Percentiles over instances of the <dfn>gap</dfn>, (<dfn>UB</dfn> − <dfn>LB</dfn>) / max(|LB|, |UB|), the "
        "paper's normalised gap for negative energies. 0: below 1e-9, a certified optimum; –: the run never began. "
        "The paper's 97 instances are not public and ours are generated, so compare the variants with each other, not "
        "the levels.",
        unsafe_allow_html=True,
    )


def method_table(rows: Sequence[Proven]) -> None:
    """How many models each method proves at every M, and how fast."""
    table(
        ["method", "M (largest)", "proven", "median seconds", "median gap of the others"],
        [
            [
                row.method.title,
                str(row.max_size) if row.method.has_groups else "–",
                f"{row.proven} of {row.count}",
                f"{row.seconds:.3g}" if row.proven else "–",
                _gap(row.gap) if row.proven < row.count else "–",
            ]
            for row in rows
        ],
        {"M (largest)": "M", "proven": "proof", "median gap of the others": "gap"},
    )
    st.caption(METHODS_HELP)


def _gap(value: float) -> str:
    return "0" if value < 1e-9 else "–" if math.isinf(value) else f"{value:.2g}"


def run_list(runs: Sequence[FinishedRun]) -> None:
    """All runs as a table, to open or export."""
    found = columns(runs)
    shown = {name: found[name][:MOST_LISTED] for name in found if name not in ("key", "code", "model", "finished")}
    picked = st.dataframe(
        shown,
        hide_index=True,
        height=460,
        on_select="rerun",
        selection_mode="single-row",
        key="runs",
        column_config={
            "strategy": st.column_config.TextColumn("strategy, or method", width=135),
            "gap": st.column_config.NumberColumn(format="%.2e"),
            "seconds": st.column_config.NumberColumn(format="%.3g"),
            "building": st.column_config.NumberColumn(
                "building (s)", format="%.3g", help="Of these, to build the solver's own form of the model"
            ),
            "lower_bound": st.column_config.NumberColumn("LB (energy)", format="%.8g"),
            "upper_bound": st.column_config.NumberColumn("UB (energy)", format="%.8g"),
        },
        alt="All runs",
    )
    if len(runs) > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED:,} of {len(runs):,} runs; the files below contain all.")
    one, two, three = st.columns(3)
    rows = picked.selection.rows
    page = page_of(runs[rows[0]].task) if rows else None
    if one.button(
        "Open on Cycles" if page == CYCLES else "Watch it",
        disabled=page is None,
        help="Select a row by its checkbox; external solvers cannot be stepped through",
        width="stretch",
    ):
        watch(runs[rows[0]].task)
    two.download_button(
        "Save as CSV", to_csv(runs), file_name(str(st.session_state.plan), "runs.csv"), "text/csv", width="stretch"
    )
    three.download_button(
        "Save as Parquet",
        _parquet(found),
        file_name(str(st.session_state.plan), "runs.parquet"),
        "application/vnd.apache.parquet",
        width="stretch",
    )


def _parquet(found: dict[str, list[object]]) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.table(found), out)
    return out.getvalue()


def results(runs: Sequence[FinishedRun]) -> None:
    """The results of the runs, in a few views."""
    if not runs:
        st.info("No run of this plan is done yet. Press Run; finished runs are always kept.")
        return
    compared, by_method = on_groups(runs), proven(runs)
    views: dict[str, Callable[[], None]] = {}
    if compared:
        views |= {"Times": lambda: times(compared), "Gaps": lambda: gap_table(compared)}
    if by_method:
        views["Methods"] = lambda: method_table(by_method)
    views["Runs"] = lambda: run_list(runs)
    tabs("study_view", views)
