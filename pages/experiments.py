"""Experiments: many runs by a plan, carried out in the background, kept, and told as the paper tells them."""

from __future__ import annotations

import io
import math
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.parquet as parquet
import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.experiments import Limits, Plan, PlanError, Run, StoreError, Task, read_plan, seconds_expected
from bender_core.experiments.observations import observations
from bender_core.experiments.paper import PUBLISHED_GAPS
from bender_core.experiments.tables import (
    BASELINE,
    PERCENTILES,
    Speed,
    by_other_code,
    columns,
    endings,
    gaps,
    of_plan,
    shared,
    speeds,
    to_csv,
)
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import STRATEGIES
from bender_core.units import duration
from bender_core.variants import SCHEDULES
from bender_core.visualization.document import document
from bender_core.visualization.study import plot_times
from pages._shared.data import store
from pages._shared.experimenting import Experiment, experiment
from pages._shared.glossary import GLOSSARY
from pages._shared.naming import file_name
from pages._shared.permalink import made_by
from pages._shared.plans import SHIPPED, file_of, keep, path_of, text_of
from pages._shared.routing import through_app
from pages._shared.session import lab
from pages._shared.text import complaint, heading, paragraphs, table

TITLES = {
    "small": "The paper's study in small, finished",
    "paper": "The paper's whole study",
    "own": "A plan of your own",
    "file": "A plan from a file",
}
# In place of a family: the model that the session has.
MINE = "mine"
TELL_SECONDS = 0.4
MOST_SEEDS = 1000
# What takes less is not told in core-hours.
SHORT_SECONDS = 60.0
# Runs listed at most: a browser's table of more is slow.
MOST_LISTED = 2000


@dataclass(frozen=True)
class Planned:
    """A plan on the table, and its runs."""

    name: str
    plan: Plan
    tasks: list[Task]


# -- the plan -------------------------------------------------------------------------------------------------


def choose() -> str | None:
    """Which plan is on the table, by name; the address says it too, so that coming back finds it."""
    state = st.session_state
    said: str = st.query_params.get("plan") or state.get("plan", "small")
    state.setdefault("plan_kind", said if said in SHIPPED else "own")
    kind: str = st.selectbox("Experiment", list(TITLES), format_func=TITLES.__getitem__, key="plan_kind")
    if kind in SHIPPED:
        name = kind
    else:
        # Out of the way of the buttons once there is a plan.
        with st.expander("The plan", expanded=state.get("own_plan", said) in SHIPPED):
            made = make() if kind == "own" else bring()
        if made and made != state.get("own_plan"):
            state.own_plan = made
            st.rerun()
        state.own_plan = state.get("own_plan", said)
        name = state.own_plan
        if name in SHIPPED:
            return None
    state.plan = st.query_params["plan"] = name
    if path_of(name) is None:
        complaint(f"There is no plan {name} on this machine; make it again, or bring its file.")
        return None
    return name


def make() -> str | None:
    """A plan by a form; returns its name when it has just been made."""
    current = lab()
    mine = f"the model you have now: {current.mrf.name}"
    source: str = st.selectbox(
        "Instances",
        [MINE, *synth.FAMILIES],
        format_func=lambda key: mine if key == MINE else synth.FAMILIES[key].title,
        key="plan_source",
    )
    has_model = source == MINE
    with st.form("plan_form", border=False):
        instances = {"files": file_of(current.mrf)} if has_model else _instances(source)
        runs = {
            "sizes": st.multiselect(
                "Values of M", range(1, LARGEST_GROUP + 1), [5, 9], key="plan_sizes", help=GLOSSARY["M"]
            ),
            "variants": st.multiselect(
                "Variants", list(bc.VARIANTS), [4, 9, 11, 12], key="plan_variants", help=GLOSSARY["variant"]
            ),
            "strategies": st.multiselect(
                "Strategies", ["default", *STRATEGIES], ["default"], key="plan_strategies", help=GLOSSARY["partition"]
            ),
            "schedules": st.multiselect(
                "Schedules", list(SCHEDULES), ["mplp"], key="plan_schedules", help=GLOSSARY["schedule"]
            ),
        }
        left, right = st.columns(2)
        sweeps = left.number_input("Sweeps a run, at most", 1, 100_000, 400, key="plan_sweeps", help=GLOSSARY["sweep"])
        seconds = right.number_input("Seconds a run, at most", 1.0, 86_400.0, 60.0, key="plan_seconds")
        if has_model:
            st.caption("A copy of your model is kept with the plan on this machine.")
        if not st.form_submit_button("Plan it", width="stretch"):
            return None
    empty = [name for name, values in runs.items() if not values]
    if empty:
        complaint(f"The plan has no {empty[0]}; choose at least one.")
        return None
    title = current.mrf.name if has_model else synth.FAMILIES[source].title
    text = text_of(instances, runs, Limits(sweeps, seconds), title)
    return keep(text, current.mrf if has_model else None)


def _instances(source: str) -> dict[str, synth.Value | dict[str, int]]:
    """The parameters of a family, with seeds instead of one seed."""
    values: dict[str, synth.Value | dict[str, int]] = {"family": source}
    for parameter in synth.FAMILIES[source].parameters:
        name, default, key = parameter.name, parameter.default, f"plan-{source}-{parameter.name}"
        if name == "seed":
            count = st.number_input("Instances (seeds 0, 1, …)", 1, MOST_SEEDS, 8, key=key)
            values[name] = {"from": 0, "to": int(count) - 1}
        elif isinstance(default, bool):
            values[name] = st.toggle(parameter.label, default, key=key)
        elif isinstance(default, str):
            values[name] = st.selectbox(parameter.label, parameter.choices, parameter.choices.index(default), key=key)
        elif isinstance(default, int):
            values[name] = int(
                st.number_input(parameter.label, int(parameter.low), int(parameter.high), default, key=key)
            )
        else:
            values[name] = st.number_input(
                parameter.label, float(parameter.low), float(parameter.high), default, key=key
            )
    return values


def bring() -> str | None:
    """A plan from a file; returns its name when there is one."""
    file = st.file_uploader("A plan (TOML)", key="plan_file")
    st.caption("What a plan may say is described in bender_core/experiments/plan.py; “Save the plan” shows one.")
    if file is None:
        return None
    try:
        text = file.getvalue().decode()
        entries = tomllib.loads(text).get("instances", [])
    except ValueError as error:
        complaint(f"{file.name} is not TOML: {error}. The plan you had is still here.")
        return None
    if any("files" in entry for entry in entries):
        complaint(f"{file.name} names files, which are not here; name families, or use the command line.")
        return None
    return keep(text)


def planned(name: str) -> Planned | None:
    """A plan and its runs, worked out once; what is wrong with it is said."""
    path, kept = path_of(name), st.session_state.get("planned")
    if path is None:
        return None
    if kept is not None and kept.name == name:
        found: Planned = kept
        return found
    bar = st.progress(0.0, "cutting the instances")
    try:
        plan = read_plan(path)
        tasks = plan.tasks(lambda share: bar.progress(share, f"cutting {len(plan.instances)} instances"))
    except (PlanError, bc.FormatError, bc.ModelError, bc.PartitionError, OSError) as error:
        complaint(f"This plan cannot be carried out: {error}")
        return None
    finally:
        bar.empty()
    st.session_state.planned = Planned(name, plan, tasks)
    return st.session_state.planned


# -- carrying it out ------------------------------------------------------------------------------------------


def facts(on_table: Planned, todo: Sequence[Task], will_take: str) -> None:
    """How much a plan is, and how much of it is left."""
    table(
        ["", ""],
        [
            ["instances", f"{len(on_table.plan.instances)}"],
            ["runs", f"{len(on_table.tasks):,}"],
            ["to do", f"{len(todo):,}"],
            ["will take", will_take],
        ],
    )


@st.cache_data(show_spinner=False, max_entries=64)
def expected(name: str, to_do: int, _todo: Sequence[Task]) -> float:
    """Seconds of one core that the rest of a plan may take."""
    return seconds_expected(_todo)


def carry_out(on_table: Planned, todo: Sequence[Task], runs: Sequence[Run]) -> None:
    """The buttons that start and stop an experiment, and how far it is."""
    running, cores = experiment(on_table.name), os.cpu_count() or 1
    workers = st.session_state.get("plan_workers", cores)
    older = by_other_code(runs)
    if older:
        st.caption(f"{older:,} of the runs shown were done by another version of the code.")
    same = shared(on_table.tasks)
    if same:
        st.caption(f"{same:,} of the runs have the same groups as another M or strategy: one is done for all of them.")
    # Only who serves the app may name a cluster: its scheduler is trusted with everything.
    scheduler = os.environ.get("BENDER_SCHEDULER", "")
    if todo:
        where = "the Dask cluster" if scheduler else f"this machine, of {cores} cores"
        st.number_input(f"Runs at a time, on {where}", 1, 1000 if scheduler else cores, cores, key="plan_workers")
    left, right = st.columns(2)
    # Asked once: the experiment may end while the page is drawn.
    going = running.busy
    path, kept = path_of(on_table.name), store().path
    label = "Run" if len(todo) == len(on_table.tasks) else "Resume"
    left.button(
        label,
        type="primary",
        disabled=not todo or going,
        on_click=lambda: path and running.start(path, kept, workers, scheduler),
        width="stretch",
    )
    right.button("Stop", disabled=not going, on_click=running.stop, width="stretch")
    if going:
        st.fragment(working, run_every=TELL_SECONDS)(running)
    elif running.failure:
        complaint(f"The experiment ended early: {running.failure}. What is done is kept.")
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
    """How far an experiment is."""
    if not running.busy:
        st.rerun()
    if not running.total:
        st.progress(0.0, "starting the workers")
        return
    left = f", about {duration(running.left)} left" if running.left is not None else ""
    failed = f", {running.failed} failed" if running.failed else ""
    st.progress(running.done / running.total, f"{running.done:,} of {running.total:,} runs{left}{failed}")
    st.caption(f"Last: {running.last}. The tables show what was done when the page was last drawn.")
    if st.button("Show what is done"):
        st.rerun()


# -- what came of it ------------------------------------------------------------------------------------------


def watch(task: Task) -> None:
    """Open a run on Watch."""
    try:
        mrf, part = task.cut()
        values = dict(task.instance.values)
        origin = made_by(task.instance.source, values) if task.instance.made else {}
        lab().open(mrf, origin, part, task.max_size, task.variant, task.schedule)
    except (bc.TooLargeError, bc.PartitionError, bc.FormatError, bc.ModelError, OSError) as error:
        complaint(f"This run cannot be opened: {error}")
    else:
        st.switch_page("pages/watch.py")


def times(runs: Sequence[Run]) -> None:
    """The timing scatter, and what its lines say."""
    schedules, sizes = (sorted({getattr(run.task, name) for run in runs}) for name in ("schedule", "max_size"))
    left, right = st.columns([3, 1])
    chosen = left.pills("Values of M", sizes, selection_mode="multi", default=sizes, key=f"times-{sizes}")
    schedule = right.selectbox("Schedule", schedules) if len(schedules) > 1 else schedules[0]
    shown = [run for run in runs if run.task.max_size in chosen and run.task.schedule == schedule]
    if not any(run.task.variant == BASELINE for run in shown):
        st.caption(f"Times are told against variant {BASELINE}, the baseline, of which no run is done here.")
        return
    drawing = plot_times(shown)
    picked = st.plotly_chart(
        drawing,
        key="times",
        height=460,
        on_select="rerun",
        selection_mode="points",
        alt="Seconds of every run against those of the baseline; the table of speed-ups below has the numbers",
    )
    limit = max(run.task.limits.seconds for run in shown)
    legend = (
        "A point is a run, a line the best fit; below the baseline's it was faster. Colours and symbols: the paper's; "
        "the colour tells α, o and solid lines rows on the loosest edge, x and dotted lines on all loose edges. Faint: "
        f"a time reached the limit of {limit:g} s and is really longer."
    )
    st.caption(f"{legend} Click a point to watch its run.")
    points = picked.selection.points
    if points:
        key, _, size = points[0]["customdata"]
        watch(next(run.task for run in shown if (run.task.key, run.task.max_size) == (key, size)))
    points_shown = tuple((run.task.key, run.task.max_size) for run in shown)
    page = standing_alone(points_shown, legend, drawing)
    st.download_button("Save the figure (HTML)", page, file_name(str(st.session_state.plan), "times.html"), "text/html")
    observed = observations(shown)
    if observed:
        st.markdown("**What the paper observed, and whether it holds for these runs**")
        paragraphs(
            f"{'✓ holds' if look.holds else '✗ does not hold'}: {look.claim} {look.numbers}" for look in observed
        )
    found = {(speed.variant, speed.max_size): speed for speed in speeds(shown)}
    table(
        ["speed-up (slope)", *(f"M {size}" for size in chosen)],
        [
            [f"{variant}: {bc.VARIANTS[variant].name}", *(_speed(found.get((variant, size))) for size in chosen)]
            for variant in sorted({variant for variant, _ in found})
        ],
    )
    st.caption(
        "The median of how many times faster than the baseline; in brackets the slope of the line of best fit: below "
        "1, the longer the baseline takes, the larger the speed-up."
    )


# A callable, made when pressed, would spare this; but Streamlit forgets it as soon as the page is run once more.
@st.cache_data(show_spinner=False, max_entries=4)
def standing_alone(points: tuple[tuple[str, int], ...], legend: str, _drawing: go.Figure) -> bytes:
    """A figure as a page of its own, with all that draws it."""
    return document("Seconds of every run against those of the baseline", {legend: _drawing}).encode()


def _speed(speed: Speed | None) -> str:
    if speed is None:
        return "–"
    slope = "" if math.isnan(speed.slope) else f" ({speed.slope:.2f})"
    return f"{speed.speedup:.3g}×{slope}"


def gap_table(runs: Sequence[Run]) -> None:
    """Percentiles of the normalised gap, with the paper's beside them where it has published them."""
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
    table(["variant", "", *(f"{level} %" for level in PERCENTILES), "at a limit"], lines)
    st.caption(
        "The gap, (UB − LB) / max(|LB|, |UB|), that so many per cent of the instances do not exceed: the paper's where "
        "energies are negative. 0 is below 1e-9, a certified optimum; – is a run that never began. The paper's 97 "
        "instances are not public and ours are generated: compare how variants stand to one another, not the levels."
    )


def _gap(value: float) -> str:
    return "0" if value < 1e-9 else "–" if math.isinf(value) else f"{value:.2g}"


def run_list(runs: Sequence[Run]) -> None:
    """Every run as a row, to be opened or taken away."""
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
            "gap": st.column_config.NumberColumn(format="%.2e"),
            "seconds": st.column_config.NumberColumn(format="%.3g"),
            "lower_bound": st.column_config.NumberColumn("LB (energy)", format="%.8g"),
            "upper_bound": st.column_config.NumberColumn("UB (energy)", format="%.8g"),
        },
        alt="All runs",
    )
    if len(runs) > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED:,} of {len(runs):,} runs; the files below hold all.")
    one, two, three = st.columns(3)
    rows = picked.selection.rows
    if one.button("Watch it", disabled=not rows, help="Choose a row by its box", width="stretch"):
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


def results(runs: Sequence[Run]) -> None:
    """What the runs found, in three views."""
    if not runs:
        st.info("No run of this plan is done yet. Press Run: what is done is kept, whatever happens.")
        return
    timing, gap, listing = st.tabs(["Times", "Gaps", "Runs"], key="study_view", on_change="rerun")
    with timing:
        if timing.open:
            times(runs)
    with gap:
        if gap.open:
            gap_table(runs)
    with listing:
        if listing.open:
            run_list(runs)


def show() -> None:
    """The page."""
    left, right = st.columns([4, 8], gap="large")
    with left:
        name = choose()
        on_table = None if name is None else planned(name)
        if on_table is None:
            return
        runs, todo = of_plan(store().runs(), on_table.tasks), store().missing(on_table.tasks)
        heading(on_table.plan.name)
        amounts = st.empty()
        with amounts:
            facts(on_table, todo, "estimating…" if todo else "–")
        carry_out(on_table, todo, runs)
    with right:
        results(runs)
    if todo:
        # It takes a while where groups are large: the rest of the page is there already.
        seconds = expected(on_table.name, len(todo), todo)
        workers = st.session_state.get("plan_workers", os.cpu_count() or 1)
        with amounts:
            hours = f" ({seconds / 3600:.2g} core-hours)" if seconds > SHORT_SECONDS else ""
            facts(on_table, todo, f"about {duration(seconds / workers)}{hours}")


through_app()
try:
    show()
except StoreError as error:
    complaint(f"Runs cannot be read or kept on this machine: {error}.")
except OSError as error:
    complaint(f"Runs cannot be kept on this machine: {error}; set BENDER_DATA_DIR to a folder that can be written.")
