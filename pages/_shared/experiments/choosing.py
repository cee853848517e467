"""The choice of a plan: a shipped one, one from the form, or a file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.experiments import Limits, PlanError
from bender_core.experiments.methods import METHODS
from bender_core.experiments.plan import has_groups, plan_of
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import STRATEGIES
from bender_core.variants import SCHEDULES
from pages._shared.app.address import from_address
from pages._shared.app.address import state as state_address
from pages._shared.app.fields import PLAN
from pages._shared.app.glossary import GLOSSARY, METHODS_HELP
from pages._shared.app.naming import file_of
from pages._shared.app.session import lab
from pages._shared.app.text import complaint, markdown
from pages._shared.experiments.planning import Planned, Planning
from pages._shared.experiments.plans import FIRST, SHIPPED, keep, path_of, text_of
from pages._shared.running.following import follow
from pages._shared.running.following import keep as keep_chosen
from pages._shared.running.kept import Kept

TITLES = {
    "small": "The paper's study, small version",
    "paper": "The paper's whole study",
    "own": "A plan of your own",
    "file": "A plan from a file",
}
# In place of a family: the session's model.
MINE = "mine"
MOST_SEEDS = 1000
TELL_SECONDS = 0.4
_CHOSEN = Kept[dict[str, object]]("plan_chosen")


def choose() -> str | None:
    """The name of the chosen plan; it is in the address too, so that a return finds it."""
    state = st.session_state
    linked = from_address(PLAN, state.get("plan", FIRST))
    chosen = _CHOSEN.made(lambda: {"plan_kind": linked if linked in SHIPPED else "own"})
    keep_chosen(chosen)
    kind: str = st.selectbox("Experiment", list(TITLES), format_func=TITLES.__getitem__, key="plan_kind")
    chosen["plan_kind"] = kind
    if kind in SHIPPED:
        name = kind
    else:
        # Collapsed when there is a plan, to leave room for the buttons.
        with st.expander("The plan", expanded=state.get("own_plan", linked) in SHIPPED):
            made = make() if kind == "own" else bring()
        if made and made != state.get("own_plan"):
            state.own_plan = made
            st.rerun()
        state.own_plan = state.get("own_plan", linked)
        name = state.own_plan
        if name in SHIPPED:
            return None
    state.plan = name
    state_address(PLAN.say(name))
    if path_of(name) is None:
        complaint(f"There is no plan {name} on this machine; create it again or upload its file.")
        return None
    return name


def make() -> str | None:
    """A form for a plan; returns the name of a plan just made."""
    current = lab()
    source: str = st.selectbox(
        "Instances",
        [MINE, *synth.FAMILIES],
        format_func=lambda key: f"the current model: {_title(key)}" if key == MINE else _title(key),
        key="plan_source",
    )
    has_model = source == MINE
    with st.form("plan_form", border=False):
        instances: dict[str, synth.Value | dict[str, int]] = (
            {"files": file_of(current.mrf)} if has_model else _instances(source)
        )
        name = st.text_input("Name", key="plan_name", placeholder=_title(source))
        question = st.text_input("Question that it is to answer", key="plan_question")
        runs = _runs()
        left, right = st.columns(2)
        sweeps = left.number_input(
            "Sweeps per run (max)", 1, 100_000, 400, key="plan_sweeps", help=GLOSSARY["sweep"].meaning
        )
        seconds = right.number_input("Seconds per run (max)", 1.0, 86_400.0, 60.0, key="plan_seconds")
        if has_model:
            st.caption("A copy of your model is kept with the plan on this machine.")
        if not st.form_submit_button("Plan it", width="stretch"):
            return None
    missing = _missing(runs)
    if missing:
        complaint(missing)
        return None
    text = text_of(instances, runs, Limits(sweeps, seconds), name.strip() or _title(source), question.strip())
    return keep(text, current.mrf if has_model else None)


def _title(source: str) -> str:
    return lab().mrf.name if source == MINE else synth.FAMILIES[source].title


def _runs() -> dict[str, list[int] | list[str]]:
    """What the runs of a plan are made of: every combination is one, and every method."""
    return {
        "sizes": st.multiselect(
            "Values of M", range(1, LARGEST_GROUP + 1), [5, 9], key="plan_sizes", help=GLOSSARY["M"].meaning
        ),
        "variants": st.multiselect(
            "Variants",
            list(bc.VARIANTS),
            [4, 9, 11, 12],
            format_func=lambda number: bc.VARIANTS[number].title,
            key="plan_variants",
            help=GLOSSARY["variant"].meaning,
        ),
        "strategies": st.multiselect(
            "Strategies",
            ["default", *STRATEGIES],
            ["default"],
            key="plan_strategies",
            help=f"{GLOSSARY['partition'].meaning} None: no runs on chosen groups.",
        ),
        "schedules": st.multiselect(
            "Schedules", list(SCHEDULES), ["mplp"], key="plan_schedules", help=GLOSSARY["schedule"].meaning
        ),
        "methods": st.multiselect(
            "Methods without chosen groups, and external solvers",
            list(METHODS),
            format_func=lambda name: METHODS[name].title,
            key="plan_methods",
            help=METHODS_HELP,
        ),
    }


def _missing(runs: Mapping[str, list[int] | list[str]]) -> str:
    """What a plan still needs, in a sentence; empty if it needs nothing."""
    if not (runs["strategies"] or runs["methods"]):
        return "The plan has no strategies and no methods; choose at least one."
    needed = ("sizes", "variants", "schedules") if runs["strategies"] else ()
    if any(has_groups(str(name)) for name in runs["methods"]):
        needed = ("sizes", *needed)
    empty = [name for name in needed if not runs[name]]
    names = ["values of M" if name == "sizes" else name for name in empty]
    return f"The plan has no {names[0]}; choose at least one." if names else ""


def _instances(source: str) -> dict[str, synth.Value | dict[str, int]]:
    """The parameters of a family, with a range of seeds."""
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
    """A plan from a file; returns its name if there is one."""
    file = st.file_uploader("A plan (TOML)", key="plan_file")
    st.caption(
        "docs/formats.md, section 9.1, describes plans; “Save the plan” beside the paper's study gives an example."
    )
    if file is None:
        return None
    try:
        text = file.getvalue().decode()
        content = tomllib.loads(text)
    except ValueError as error:
        complaint(f"{file.name} is not TOML: {error}. The current plan is unchanged.")
        return None
    entries = content.get("instances")
    if isinstance(entries, list) and any(isinstance(entry, dict) and "files" in entry for entry in entries):
        complaint(f"{file.name} names files, which are not here; name families, or use the command line.")
        return None
    try:
        plan_of(content, Path(), file.name)
    except PlanError as error:
        complaint(f"{file.name} cannot be carried out: {error}. The current plan is unchanged.")
        return None
    return keep(text)


_PLANNING = Kept[Planning]("planning")


def planned(name: str) -> Planned | None:
    """A plan and its runs, found once; None, with the progress or a complaint, until they are."""
    path = path_of(name)
    if path is None:
        return None
    before = _PLANNING.get()
    planning = _PLANNING.made(lambda: Planning(name, path), lambda planning: planning.name == name)
    if planning is not before:
        if before is not None:
            before.stop()
        planning.start()
    # Read once, and before the result: the work may end while the page is drawn.
    going = planning.busy
    if planning.planned is not None:
        return planning.planned
    if planning.error:
        complaint(f"This plan cannot be carried out: {planning.error}")
    elif going:
        # Outside the fragment that keeps rerunning: a click is answered immediately.
        st.button("Stop", on_click=planning.stop)
        follow(lambda: planning.busy, lambda: st.progress(planning.share, markdown(planning.doing)), TELL_SECONDS)
    else:
        st.button("Resume", on_click=planning.start, help="Make the remaining partitions")
    return None
