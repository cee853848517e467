"""The results of a plan: times, gaps, and all runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import streamlit as st

import bender_core as bc
from bender_core.experiments import FinishedRun
from bender_core.experiments.bundle import bundle, to_parquet
from bender_core.experiments.comparison import NO_GAP
from bender_core.experiments.tables import columns, on_groups, to_csv
from bender_core.visualization.on_paper import files
from bender_core.visualization.study import pictures
from pages._shared.app.address import from_address
from pages._shared.app.address import state as state_address
from pages._shared.app.data import store
from pages._shared.app.fields import CYCLES, FAMILY, PLAN, RESULTS
from pages._shared.app.tabs import tabs
from pages._shared.experiments.comparing import compare
from pages._shared.experiments.finished import Finished
from pages._shared.experiments.opening import page_of, watch
from pages._shared.experiments.paper import gap_table, times
from pages._shared.experiments.showing import saved_as, shows

# The most runs listed: larger tables are slow in a browser.
MOST_LISTED = 2000
# In the order in which they are looked for.
_FIRST = ("instance", "M", "strategy", "variant", "schedule", "status", "gap", "seconds")
_NOT_LISTED = ("key", "code", "model", "finished")
_ABOUT_BUNDLE = (
    "The whole study in one ZIP file, to repeat it elsewhere: plan, instances, runs, tables, figures (SVG and PDF) and "
    "environment; it takes some seconds"
)


def run_list(shown: Finished, done: Finished) -> None:
    """The runs shown as a table, to open or export; ``done``: all runs of the plan."""
    runs, column = shown.study.runs, st.column_config
    # Their work is read from their curves.
    found = columns(runs[:MOST_LISTED])
    found["gap"] = [_in_percent(run.outcome.gap) for run in runs[:MOST_LISTED]]
    picked = st.dataframe(
        {name: found[name] for name in dict.fromkeys((*_FIRST, *found)) if name not in _NOT_LISTED},
        hide_index=True,
        height=460,
        on_select="rerun",
        selection_mode="single-row",
        key="runs",
        placeholder="–",
        column_config={
            "instance": column.TextColumn(width=165),
            "M": column.NumberColumn(width=40),
            "strategy": column.TextColumn("strategy, or method", width=150),
            "variant": column.NumberColumn(width=60),
            "schedule": column.TextColumn(width=72),
            "status": column.TextColumn(width=172),
            "gap": column.NumberColumn(format="%.3g %%", width=66),
            "seconds": column.NumberColumn(format="%.3g", width=72),
            "building": column.NumberColumn(
                "building (s)",
                format="%.3g",
                help="Of these, to choose the groups, or to build a solver's own form of the model",
            ),
            "lower_bound": column.NumberColumn("LB (energy)", format="%.8g"),
            "upper_bound": column.NumberColumn("UB (energy)", format="%.8g"),
        },
        alt="All runs",
    )
    if len(runs) > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED:,} of {len(runs):,} runs; the files below contain all.")
    rows = picked.selection.rows
    _actions(shown, done, runs[rows[0]] if rows else None)


def _in_percent(gap: float) -> float | None:
    """A gap as `comparison.in_percent`, as a number: so it can be sorted by."""
    return None if not math.isfinite(gap) else 0.0 if gap < NO_GAP else 100 * gap


def _actions(shown: Finished, done: Finished, selected: FinishedRun | None) -> None:
    """The buttons that open the selected run, and save all of them."""
    runs = shown.study.runs
    page = page_of(selected.task) if selected else None
    saved: dict[str, tuple[Callable[[], str | bytes], str, str]] = {
        "Save as CSV": (lambda: to_csv(runs), "runs.csv", "text/csv"),
        "Save as Parquet": (lambda: to_parquet(runs), "runs.parquet", "application/vnd.apache.parquet"),
        "Save the study": (lambda: _bundle(done), "study.zip", "application/zip"),
    }
    with st.container(horizontal=True):
        opens = st.button(
            "Open on Cycles" if page == CYCLES else "Watch it",
            disabled=page is None,
            help="Select a row by its checkbox; external solvers cannot be stepped through",
        )
        for label, (content, file, mime) in saved.items():
            about = _ABOUT_BUNDLE if file.endswith("zip") else None
            st.download_button(label, content, saved_as(file), mime, on_click="ignore", help=about)
    if opens and selected is not None:
        watch(selected.task)


def _bundle(done: Finished) -> bytes:
    return bundle(done.plan.path, done.study, store(), files(pictures(done.study)), bc.__version__)


def results(done: Finished, is_running: bool) -> None:
    """The results of the runs, in a few views."""
    if not done.study.runs:
        st.info(
            "The first runs are on their way; what is finished is shown here."
            if is_running
            else "No run of this plan is done yet. Press Run; finished runs are always kept."
        )
        return
    # On a narrow screen they are above the plan.
    with st.container(key="results"):
        family = _family(done.study.families)
        stated = PLAN.say(done.plan.name) | (FAMILY.say(family) if family else {})
        shows(done.plan.plan.name, family)
        _views(done.of(family), done, stated)


def _views(shown: Finished, done: Finished, stated: Mapping[str, str]) -> None:
    """The views of the chosen instances."""
    on_chosen_groups = on_groups(shown.study.runs)
    views: dict[str, Callable[[], None]] = {"Compare": lambda: compare(shown, stated)}
    if on_chosen_groups:
        views |= {
            "The paper's figure": lambda: times(on_chosen_groups, shown.stamp),
            "The paper's table": lambda: gap_table(on_chosen_groups),
        }
    views["Runs"] = lambda: run_list(shown, done)
    names = {"compare": "Compare", "figure": "The paper's figure", "table": "The paper's table", "runs": "Runs"}
    linked = names[from_address(RESULTS, "compare")]
    opened = st.session_state.setdefault("study_view", linked if linked in views else "Compare")
    state_address(dict(stated) | RESULTS.say(next((key for key in names if names[key] == opened), "compare")))
    tabs("study_view", views)


def _family(families: list[str]) -> str:
    """The chosen family of instances; empty if all are shown."""
    if len(families) < 2:
        return ""
    linked = from_address(FAMILY, "")
    chosen: str = st.selectbox(
        "Instances",
        ["", *families],
        index=1 + families.index(linked) if linked in families else 0,
        format_func=lambda family: family or f"all ({len(families)} families)",
        key=f"study_family {families}",
        persist_state="session",
    )
    return chosen
