"""Compare: race variants, partitions and schedules on one model, side by side, and see who wins."""

from __future__ import annotations

import itertools
import math
import sqlite3
from collections.abc import Sequence

import streamlit as st

import bender_core as bc
from bender_core.experiments import Limits, Run, Store
from bender_core.experiments.race import Entry
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import applicable
from bender_core.units import storage
from bender_core.variants import SCHEDULES
from pages._shared.curves import Curve, chart, full_name, labels, remarks, standings, verdict
from pages._shared.cutting import Cutting
from pages._shared.data import store
from pages._shared.glossary import GLOSSARY
from pages._shared.racing import Contest, earlier, megabytes
from pages._shared.remembered import cut, fingerprint
from pages._shared.routing import through_app
from pages._shared.session import Lab, lab
from pages._shared.text import complaint, paragraph

AS_ON_WATCH = "as on Watch"
# More lines would not be told apart.
MOST_RUNNERS = 24
MOST_EARLIER = 12
FIRST_VARIANTS = (4, 9, 11, 12)
TELL_SECONDS = 0.5


def contest(current: Lab) -> Contest:
    """The session's own; another model starts another."""
    state = st.session_state
    if "contest" not in state or state.contest.mrf is not current.mrf:
        by_hand = current.partition.strategy == "manual"
        choices = {
            "race_variants": list(FIRST_VARIANTS),
            "race_sizes": [current.max_size],
            "race_strategies": [AS_ON_WATCH if by_hand else current.partition.strategy],
            "race_schedules": [current.schedule],
            "race_sweeps": Limits.sweeps,
            "race_seconds": 60,
            "race_earlier": [],
        }
        state.contest = Contest(current, current.mrf, Cutting(current.mrf), choices)
        state.update(choices)
    found: Contest = state.contest
    for key, value in found.choices.items():
        state.setdefault(key, value)
    return found


# -- the left side: what to race ------------------------------------------------------------------------------


def choices(current: Lab) -> None:
    state = st.session_state
    st.multiselect(
        "Variants",
        list(bc.VARIANTS),
        format_func=lambda number: f"{number}: {bc.VARIANTS[number].name}",
        key="race_variants",
        wrap=True,
        help=GLOSSARY["variant"],
    )
    st.multiselect(
        "Strategies",
        [AS_ON_WATCH, *applicable(current.mrf)],
        key="race_strategies",
        wrap=True,
        help="How the variables are grouped; explained on Partition. "
        f"“{AS_ON_WATCH}” is the cut of the run on Watch, also one made by hand.",
    )
    sizes, schedules = st.columns(2)
    sizes.multiselect(
        "M",
        range(1, LARGEST_GROUP + 1),
        key="race_sizes",
        wrap=True,
        disabled=state.race_strategies == [AS_ON_WATCH],
        help=GLOSSARY["M"],
    )
    schedules.multiselect(
        "Schedules",
        list(SCHEDULES),
        key="race_schedules",
        wrap=True,
        help=". ".join(f"{name}: {said}" for name, said in SCHEDULES.items()),
    )
    sweeps, seconds = st.columns(2)
    sweeps.number_input("At most, sweeps", 1, 5000, key="race_sweeps", help=GLOSSARY["sweep"])
    seconds.number_input("At most, seconds a run", 1, 3600, key="race_seconds")


def cuts() -> list[tuple[int, str]]:
    """What has to be cut for the race that is chosen: M and strategy."""
    state = st.session_state
    strategies = [name for name in state.race_strategies if name != AS_ON_WATCH]
    return list(itertools.product(sorted(state.race_sizes), strategies))


def entries(current: Lab, cutting: Cutting) -> list[Entry]:
    """The runs that are chosen; of two that would be the same run only one."""
    state = st.session_state
    parts = [(current.partition, current.max_size)] if AS_ON_WATCH in state.race_strategies else []
    parts += [(cutting.parts[asked], asked[0]) for asked in cuts() if asked in cutting.parts]
    found: dict[tuple[bytes, int, str], Entry] = {}
    for (part, max_size), schedule, variant in itertools.product(
        parts, state.race_schedules, sorted(state.race_variants)
    ):
        same = part.group_of().tobytes(), variant, schedule
        found.setdefault(same, Entry(current.mrf, part, max_size, variant, schedule))
    return list(found.values())


def chosen(current: Lab) -> int:
    """How many runs were chosen, equal ones counted as often as they were."""
    state = st.session_state
    n_cuts = len(cuts()) + (AS_ON_WATCH in state.race_strategies)
    return n_cuts * len(state.race_variants) * len(state.race_schedules)


def objection(field: Sequence[Entry], asked: int, cutting: Cutting) -> str:
    """Why the runs chosen cannot race, and what could; empty if they can."""
    errors = [cutting.errors[asked] for asked in cuts() if asked in cutting.errors]
    if errors:
        return f"{errors[0][0].upper()}{errors[0][1:]}."
    if not asked:
        return "Nothing to race: choose at least one variant, strategy, M and schedule."
    if len(field) > MOST_RUNNERS:
        return f"{len(field)} runs are too many to be told apart; choose at most {MOST_RUNNERS}."
    account, needed = lab().account, sum(map(megabytes, field))
    room = account.free >> 20
    if needed <= room:
        return ""
    return (
        f"Together these runs need {storage(needed << 20)}, more than the {storage(room << 20)} that the run on Watch "
        f"leaves of {storage(account.limit)}; {_what_fits(field, room)}."
    )


def _what_fits(field: Sequence[Entry], limit: int) -> str:
    """What part of the field would fit into so many megabytes."""
    for most in sorted({entry.max_size for entry in field}, reverse=True)[1:]:
        smaller = [entry for entry in field if entry.max_size <= most]
        if sum(map(megabytes, smaller)) <= limit:
            return f"those with M up to {most} would fit"
    count = len(
        list(itertools.takewhile(lambda sum_: sum_ <= limit, itertools.accumulate(sorted(map(megabytes, field)))))
    )
    return f"{count} of them would fit" if count else "choose a smaller M"


def start(current: Lab, held: Contest, going: bool) -> None:
    """What to race, what that takes, and the buttons."""
    if going:
        # Not in a fragment that runs again and again: a press is answered at once.
        st.button("Stop the race", on_click=held.stop, type="primary", width="stretch")
    else:
        press = st.empty()
    choices(current)
    held.cutting.ask(cuts())
    # Asked once, and before the cuts are looked at: the work may end while the page is drawn.
    cutting = held.cutting.busy
    if cutting:
        st.fragment(cutting_on, run_every=TELL_SECONDS)(held.cutting)
    field, asked = entries(current, held.cutting), chosen(current)
    refused = "" if cutting else objection(field, asked, held.cutting)
    if refused:
        held.asked = False
        complaint(refused)
    elif field:
        memory = f"{storage(sum(map(megabytes, field)) << 20)} of {storage(lab().account.free)}"
        same = f" {asked - len(field)} would be the same run as another and are left out." * (asked > len(field))
        st.caption(
            f"{_runs(len(field))}, {memory}. They take turns, whoever has had the least time goes next: "
            f"at any moment all have computed for as long.{same}"
        )
    if going:
        return
    ready = not (cutting or refused)
    press.button("Race", on_click=held.ask, type="primary", disabled=not ready, width="stretch")
    if held.asked and ready:
        state = st.session_state
        held.start(field, Limits(sweeps=state.race_sweeps, seconds=float(state.race_seconds)))
        st.rerun()


def cutting_on(cutting: Cutting) -> None:
    if not cutting.busy:
        st.rerun()
    st.caption(f"{cutting.doing}…")


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


# -- the right side: the chart, and the table -----------------------------------------------------------------


def picture(held: Contest, earlier_runs: Sequence[Curve]) -> None:
    """The chart and, as long as the race is on, how far it is."""
    going = held.busy
    curves = [*held.curves(), *earlier_runs]
    chart(held.mrf.name, curves)
    if not going:
        return
    assert held.racing is not None
    paragraph(verdict(curves, going=True))
    listed(curves, range(len(curves)), None)
    st.progress(held.racing.share, held.racing.doing)


def watched(held: Contest, earlier_runs: Sequence[Curve]) -> None:
    """The picture again and again; when the race is over, the page as a whole."""
    picture(held, earlier_runs)
    if not held.busy:
        st.rerun()


def result(current: Lab, held: Contest, kept: Store | None, earlier_runs: Sequence[Curve]) -> None:
    """Who won, the table, and what can be done with a run."""
    curves = [curve for curve in [*held.curves(), *earlier_runs] if len(curve.records)]
    if not curves:
        return
    paragraph(verdict(curves, going=False))
    order = standings(curves).order
    selected = listed(curves, order, f"standings {' '.join(curves[k].key for k in order)}")
    curve = None if selected is None else curves[order[selected]]
    actions = st.container(horizontal=True)
    lane = held.lanes().get(curve.key) if curve else None
    name = "" if curve is None else f" {labels(curves)[curves.index(curve)]}"
    part = None if curve is None else partition_of(current, held, curve)
    actions.button(
        f"Watch{name}", on_click=held.watch, args=(part, curve), disabled=part is None, help="Step through this run"
    )
    if curve is not None and curve.key in held.pins:
        actions.button(f"Unpin{name}", on_click=held.unpin, args=(curve.key,))
    else:
        actions.button(
            f"Pin{name}",
            on_click=held.pin,
            args=(lane, curve, kept),
            disabled=lane is None or lane.outcome is None,
            help="Keep this run in the chart when others race, and for later sessions",
        )
    st.caption(
        "Choose a row by its box, or with shift + space; a click on a column's head sorts. Seconds: computing time of "
        "the run itself. ★ bound, ★ labelling: the best of all; ★ first: the first to reach the best bound."
    )


def partition_of(current: Lab, held: Contest, curve: Curve) -> bc.Partition | None:
    """How a run is cut; None of an earlier run that was cut by hand."""
    lane, pin = held.lanes().get(curve.key), held.pins.get(curve.key)
    if lane or pin:
        return (lane or pin).entry.part
    if curve.strategy not in applicable(current.mrf):
        return None
    return cut(fingerprint(current.mrf), curve.max_size, curve.strategy, current.mrf)


def listed(curves: Sequence[Curve], order: Sequence[int], key: str | None) -> int | None:
    """The table; returns which row is chosen, if rows may be."""
    names, column = labels(curves), st.column_config
    begun = [curve for curve in curves if len(curve.records)]
    stars = dict(zip((curve.key for curve in begun), remarks(standings(begun)) if begun else [], strict=True))
    rows = [(names[k], curves[k]) for k in order]
    picked = st.dataframe(
        {
            "run": [f"{name}: {bc.VARIANTS[curve.variant].name}" for name, curve in rows],
            "remarks": [stars.get(curve.key, "") for _, curve in rows],
            "LB": [_finite(curve.lower_bound) for _, curve in rows],
            "UB": [_finite(curve.upper_bound) for _, curve in rows],
            "gap": [_finite(100 * curve.gap) for _, curve in rows],
            "sweeps": [curve.last("sweep") for _, curve in rows],
            "rows": [curve.last("rows") for _, curve in rows],
            "seconds": [curve.last("seconds") for _, curve in rows],
            "MB": [None if curve.memory is None else curve.memory / 2**20 for _, curve in rows],
            "status": [curve.ending for _, curve in rows],
        },
        column_config={
            "run": column.TextColumn(width=195),
            "remarks": column.TextColumn(width=130),
            "LB": column.NumberColumn(width=72, format="%.6g", help="Lower bound, energy: higher is better"),
            "UB": column.NumberColumn(width=72, format="%.6g", help="Energy of the best labelling: lower is better"),
            "gap": column.NumberColumn(
                width=60, format="%.3g %%", help="Between the bounds, relative to the larger one in size; 0: closed"
            ),
            "sweeps": column.NumberColumn(width=56, help=GLOSSARY["sweep"]),
            "rows": column.NumberColumn(width=52, help="Benders rows in use"),
            "seconds": column.NumberColumn(
                width=64, format="%.3g", help="Computing time of the run itself, tables included"
            ),
            "MB": column.NumberColumn(width=46, format="%.3g", help="Predicted memory"),
            "status": column.TextColumn(width=88),
        },
        hide_index=True,
        on_select="rerun" if key else "ignore",
        selection_mode="single-row",
        key=key or "standings so far",
        placeholder="–",
        alt="The runs, their bounds and what they took",
    )
    selected = picked.selection.rows if key else []
    return selected[0] if selected and selected[0] < len(rows) else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# -- runs of earlier sessions ---------------------------------------------------------------------------------


def of_earlier_sessions(held: Contest, kept: Store | None) -> list[Curve]:
    """The runs chosen among those kept on this machine."""
    if kept is None:
        return []
    mine = {pin.task.key for pin in held.pins.values()}
    try:
        found = {run.task.key: run for run in kept.of_model(held.mrf.content_hash()) if run.task.key not in mine}
    except (OSError, sqlite3.Error) as error:
        complaint(f"The runs of earlier sessions cannot be read: {error}.")
        return []
    state = st.session_state
    state.race_earlier = [key for key in state.race_earlier if key in found]
    if not found:
        st.caption("No runs of earlier sessions on this model yet: pin a run to keep it for later.")
        return []
    chosen_keys = st.multiselect(
        "Runs of earlier sessions, to compare with",
        list(found),
        format_func=lambda key: _titled(found[key], held.scale) if key in found else key,
        key="race_earlier",
        wrap=True,
        max_selections=MOST_EARLIER,
        placeholder="Choose runs",
    )
    return [earlier(found[key], held.scale) for key in chosen_keys]


def _titled(run: Run, scale: float) -> str:
    curve = earlier(run, scale)
    when = run.finished[:16].replace("T", " ")
    note = ", by older code" * ("older" in curve.note)
    return f"{full_name(curve).removeprefix('variant ')} · {when} UTC{note}"


def opened(held: Contest) -> Store | None:
    """Where runs are kept, if that can be had."""
    try:
        return store()
    except (OSError, sqlite3.Error) as error:
        held.error = f"Runs cannot be kept for later sessions: {error}."
        return None


def show(current: Lab) -> None:
    """The page."""
    held = contest(current)
    kept = opened(held)
    # Asked once: the race may end while the page is drawn.
    going = held.busy
    left, right = st.columns([4, 10], gap="medium")
    with left:
        start(current, held, going)
        earlier_runs = of_earlier_sessions(held, kept)
    with right:
        for said in (held.error, held.racing.failure if held.racing else ""):
            if said:
                complaint(said)
        if going:
            st.fragment(watched, run_every=TELL_SECONDS)(held, earlier_runs)
        else:
            st.fragment(picture)(held, earlier_runs)
            result(current, held, kept, earlier_runs)
    state = st.session_state
    held.choices = {key: state[key] for key in held.choices}


through_app()
if "contest" in st.session_state and st.session_state.contest.to_watch:
    st.session_state.contest.to_watch = False
    st.switch_page("pages/watch.py")
show(lab())
