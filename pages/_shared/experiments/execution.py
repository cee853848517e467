"""The execution of a plan: its cost, Run and Stop, and its progress."""

from __future__ import annotations

import os
from collections.abc import Sequence

import streamlit as st

from bender_core.experiments import FinishedRun, Plan, Task, seconds_at_most
from bender_core.experiments.tables import (
    by_other_code,
    endings,
    shared,
)
from bender_core.units import duration, storage
from pages._shared.app.data import store
from pages._shared.app.naming import file_name
from pages._shared.app.text import complaint, markdown, table
from pages._shared.experiments.experimenting import Experiment, experiment
from pages._shared.experiments.planning import Planned
from pages._shared.experiments.plans import path_of
from pages._shared.running.following import follow

TELL_SECONDS = 0.4
# Shorter plans are not stated in core-hours.
SHORT_SECONDS = 60.0


def facts(on_table: Planned, todo: Sequence[Task], is_running: bool) -> None:
    """The size of a plan, the remaining part, and the most time that its limits allow.

    While it runs, its progress says what is done.
    """
    workers = st.session_state.get("plan_workers", os.cpu_count() or 1)
    seconds = seconds_at_most(todo)
    hours = f" ({seconds / 3600:.2g} core-hours)" if seconds > SHORT_SECONDS else ""
    table(
        ["", ""],
        [
            ["instances", f"{len(on_table.plan.instances)}"],
            ["runs", f"{len(on_table.tasks):,}"],
            *([] if is_running else [["to do", f"{len(todo):,}"]]),
            ["limits of a run", _limits(on_table.plan)],
            *([] if is_running else [["time", f"at most {duration(seconds / workers)}{hours}" if todo else "–"]]),
        ],
    )


def _limits(plan: Plan) -> str:
    """Those that its runs have: methods alone have no sweeps."""
    sweeps = f"{plan.limits.sweeps:,} sweeps, " * bool(plan.strategies)
    return f"{sweeps}{plan.limits.seconds:g} s, {storage(plan.limits.megabytes << 20)}"


def run_controls(on_table: Planned, todo: Sequence[Task], runs: Sequence[FinishedRun], is_running: bool) -> None:
    """The buttons that start and stop an experiment, and its progress."""
    running, cores = experiment(on_table.name), os.cpu_count() or 1
    workers = st.session_state.get("plan_workers", cores)
    label = "Run" if len(todo) == len(on_table.tasks) else "Resume"
    older = by_other_code(runs)
    if older:
        st.caption(
            f"{older:,} of the runs shown were done by another version of the code. “{label}” repeats them with this "
            "version; both are kept."
        )
    same = shared(on_table.tasks)
    if same:
        st.caption(f"{same:,} of the runs have the same groups as another M or strategy; equal runs are done once.")
    # Only the operator of the server may name a cluster: its scheduler is fully trusted.
    scheduler = os.environ.get("BENDER_SCHEDULER", "")
    if todo:
        where = "the Dask cluster" if scheduler else f"this machine ({cores} cores)"
        st.number_input(f"Runs at a time on {where}", 1, 1000 if scheduler else cores, cores, key="plan_workers")
    left, right = st.columns(2)
    path, kept = path_of(on_table.name), store().path
    left.button(
        label,
        type="primary",
        disabled=path is None or not todo or is_running,
        on_click=running.start,
        args=(path, kept, workers, scheduler),
        width="stretch",
    )
    right.button("Stop", disabled=not is_running, on_click=running.stop, width="stretch")
    if is_running:
        # The results are drawn again when the first run is done, and whenever twice as many are.
        most = max(1, 2 * running.done)
        follow(lambda: running.busy and running.done < most, lambda: working(running), TELL_SECONDS)
    elif running.failure:
        complaint(f"The experiment ended early: {running.failure}. Finished runs are kept.")
    ended = endings(runs)
    if ended:
        table(["ended", "runs"], [[status, f"{count:,}"] for status, count in ended.most_common()])
    if path is not None:
        st.download_button(
            "Save the plan",
            path.read_bytes(),
            file_name=file_name(on_table.plan.name, "plan.toml"),
            mime="application/toml",
        )


def working(running: Experiment) -> None:
    """The progress of an experiment."""
    if not running.total:
        st.progress(running.partitioning, markdown(running.doing) or "starting the workers")
        return
    left = f", about {duration(running.left)} left" if running.left is not None else ""
    failed = f", {running.failed} failed" if running.failed else ""
    st.progress(running.done / running.total, f"{running.done:,} of {running.total:,} runs{left}{failed}")
    if running.waiting:
        st.caption(f"Waiting for {running.waiting}.")
    st.caption(f"Last: {running.last or '–'}. The results show the runs finished when the page was last drawn.")
    if st.button("Update the results"):
        st.rerun()
