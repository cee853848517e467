"""Below the stage: the runs that have forked from one another, compared, and forks by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

import bender_core as bc
from bender_core.engine.gap import relative_gap
from bender_core.groups import LARGEST_GROUP
from bender_core.io import dumps
from bender_core.looking.words import number
from bender_core.strategies import applicable, default_strategy
from bender_core.trying.change import ByStrategy
from bender_core.trying.script import as_script
from bender_core.variants import SCHEDULES
from bender_core.visualization.forks import MEASURES, TITLES, Axis, Drawn, Measure, plot_forks, plot_message
from pages._shared.app.branches import Branch
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.naming import file_of, picture, run_file
from pages._shared.app.requests import BRANCH, BranchRequest
from pages._shared.app.scripting import expression
from pages._shared.app.session import Lab, lab, show_beside
from pages._shared.app.text import complaint, label
from pages._shared.forks.growing import AFTER, POINTS, difference, made_again, measure, pasts, run_on
from pages._shared.forks.requesting import ask, carry_out, hand_over, merge_ends
from pages._shared.running.kept import Kept
from pages._shared.watch.found_below import found_below

_CLOCKED: tuple[Axis, ...] = ("work", "seconds")


def requested_forks() -> None:
    """Make the requested fork, or show the progress."""
    current = lab()
    carry_out(current, partial(found_below, current.run))


# Why the last requested fork cannot be made.
_REFUSED = Kept[str]("fork_refused")


@st.fragment
def forking() -> None:
    """The tree of forks, and their gains."""
    current = lab()
    several = len(current.branches) > 1
    if (request := BRANCH.get()) is not None and request.branch not in list(current.branches):
        # Another model or partition has been opened since: the memory of the previous runs must be freed.
        BRANCH.set(None)
    with st.expander("Runs and forks", expanded=any(branch.parent is not None for branch in current.branches)):
        st.caption(
            "A <dfn>fork</dfn> continues from the event shown with the same messages, rows and best labelling, but "
            "with something changed. The run that it forks from is not affected.",
            unsafe_allow_html=True,
        )
        by_hand(current)
        if several:
            tree(current)
            chosen(current)
            curves(current)
    hand_over(current)


def by_hand(current: Lab) -> None:
    """A fork with another variant, schedule or partition, or with groups merged."""
    state = st.session_state
    keys = {what: f"fork-{what}-{current.number}" for what in ("variant", "schedule", "merge", "M", "strategy")}

    def fork() -> None:
        if len(state[keys["merge"]]) == 1:
            _REFUSED.set("One group alone cannot be merged; choose at least two.")
            return
        first, *rest = state[keys["merge"]] or [0]
        size, strategy = state[keys["M"]], state[keys["strategy"]]
        anew, mrf = size is not None or strategy is not None, current.run.engine.mrf
        if anew and rest:
            _REFUSED.set("The groups of another partition are not known yet: fork first, then merge them.")
            return
        ask(
            current,
            bc.Change(
                variant=state[keys["variant"]],
                schedule=state[keys["schedule"]],
                merge=tuple((first, other) for other in rest),
                by_strategy=ByStrategy(size or current.max_size, strategy or default_strategy(mrf)) if anew else None,
            ),
        )

    def merge_pinned() -> None:
        run = current.run
        if run.pinned and len(run.engine.graph.edges):
            merge_ends(current, run.arc // 2)
        else:
            _REFUSED.set("No edge is pinned: click one on the stage, then merge its ends.")

    choose_change(current, keys)
    with st.container(horizontal=True):
        st.button("Fork here", on_click=fork)
        st.button("Merge the ends of the pinned edge", on_click=merge_pinned)
    if refused := _REFUSED.take():
        complaint(refused)


def choose_change(current: Lab, keys: Mapping[str, str]) -> None:
    """What is changed in a fork; ``keys`` are those of the widgets, by what they change."""
    labels = current.run.engine.partition.labels
    variant, schedule, size, strategy, merged = st.columns([3, 2, 2, 2, 4])
    variant.selectbox(
        "Another variant",
        [each for each in bc.VARIANTS if each != current.variant],
        index=None,
        format_func=lambda each: bc.VARIANTS[each].title,
        placeholder=f"{current.variant}, unchanged",
        key=keys["variant"],
    )
    schedule.selectbox(
        "Another schedule",
        [each for each in SCHEDULES if each != current.schedule],
        index=None,
        placeholder=f"{current.schedule}, unchanged",
        key=keys["schedule"],
    )
    size.number_input(
        "Another M",
        1,
        LARGEST_GROUP,
        value=None,
        placeholder=f"{current.max_size}, unchanged",
        help="New groups are made, and the messages start at 0; the best labelling is kept",
        key=keys["M"],
    )
    strategy.selectbox(
        "Another partition",
        applicable(current.run.engine.mrf),
        index=None,
        placeholder="unchanged",
        help="New groups are made, and the messages start at 0; the best labelling is kept",
        key=keys["strategy"],
    )
    merged.multiselect(
        "Groups to merge",
        range(len(labels)),
        format_func=lambda p: label(labels[p]),
        placeholder="none",
        key=keys["merge"],
    )


def tree(current: Lab) -> None:
    """All runs with their bounds."""
    found = list(current.branches)
    ends = [branch.look() for branch in found]
    bounds = [(float(curve.lower[-1]), float(curve.upper[-1])) for curve in ends]
    gaps = [relative_gap(lower, upper) for lower, upper in bounds]
    st.dataframe(
        {
            "run": ["\u2003" * branch.depth + name_of(branch, current) for branch in found],
            "what was changed": [label(branch.cause) for branch in found],
            "forked at event": [f"{branch.event:,}" if branch.parent else "" for branch in found],
            "events": [int(curve.events[-1]) for curve in ends],
            "lower bound": [number(lower) for lower, _ in bounds],
            "upper bound": [number(upper) for _, upper in bounds],
            "gap": [f"{100 * gap:.3g} %" for gap in gaps],
        },
        column_config={
            "lower bound": st.column_config.TextColumn(help=GLOSSARY["lower bound"].meaning),
            "upper bound": st.column_config.TextColumn(help=GLOSSARY["upper bound"].meaning),
            "gap": st.column_config.TextColumn(help=GLOSSARY["gap"].meaning),
            "forked at event": st.column_config.TextColumn(help="Event of the parent run"),
            "events": st.column_config.NumberColumn(
                format="localized", help="The number of events computed so far; the bounds are those after the last one"
            ),
        },
        hide_index=True,
        key="forks-tree",
    )
    differences(current)


def name_of(branch: Branch, current: Lab) -> str:
    """The name of a branch, and whether it is shown or its memory has been freed."""
    if branch is current.branches.shown:
        return f"{branch.name} (shown)"
    return branch.name if branch.run is not None else f"{branch.name} (memory freed)"


def differences(current: Lab) -> None:
    """The gain of every fork over its parent."""
    found = [difference(branch) for branch in current.branches if branch.parent is not None]
    words = {sweeps: f"after {sweeps} sweep{'s' * (sweeps > 1)}" for sweeps in AFTER}
    st.dataframe(
        {"fork": [each.branch.name for each in found]}
        | {words[sweeps]: [signed(each.after[k]) for each in found] for k, sweeps in enumerate(AFTER)},
        hide_index=True,
        key="forks-differences",
    )
    st.caption(
        "How much higher the lower bound of a fork is than that of its parent after the same number of complete "
        "sweeps; the sweep in which it forked is not counted. Empty: one of the two bounds is not known yet."
    )


def signed(value: float | None) -> str:
    """A difference with its sign; empty if it is not known."""
    return "" if value is None else f"{'+' * (value > 0)}{number(value)}"


def chosen(current: Lab) -> None:
    """The actions on one of the runs."""
    found = list(current.branches)
    names = [f"{branch.name}: {label(branch.cause)}" if branch.cause else branch.name for branch in found]
    picked: int = st.selectbox(
        "Run",
        range(len(found)),
        index=found.index(current.branches.shown),
        format_func=names.__getitem__,
        key=f"fork-{current.number}-{len(found)}",
    )
    which = found[picked]

    def want(what: str) -> None:
        BRANCH.set(BranchRequest(what, which))

    needed = current.branches.shown.comes_from(which)
    with st.container(horizontal=True):
        st.button("Show it on the stage", on_click=want, args=("show",), disabled=which is current.branches.shown)
        st.button(
            "Show it beside",
            on_click=want,
            args=("beside",),
            disabled=which in (current.branches.shown, current.branches.beside),
            help="Beside the run on the stage, on one clock",
        )
        st.button(
            f"Continue it and its parent for {AFTER[-1]} sweeps",
            on_click=want,
            args=("run on",),
            disabled=which.parent is None,
        )
        st.button("Forget it", on_click=current.forget, args=(which,), disabled=needed)
        run = which.run
        position = which.position if run is None else run.position
        st.download_button(
            "Script, Python",
            as_script(which.lineage, expression(current), position),
            file_name=run_file(current, f"{which.name.replace(' ', '-')}.py"),
            on_click="ignore",
        )
        if not current.is_public:
            st.download_button(
                "Model, for the script", partial(dumps, current.mrf), file_name=file_of(current.mrf), on_click="ignore"
            )
    request = BRANCH.get()
    if request is not None:
        go_on_with(current, request)


def go_on_with(current: Lab, request: BranchRequest) -> None:
    """Show a run, or continue it together with its parent; or show the progress."""
    branch = request.branch

    def work(_: bc.Engine, stop: bc.Stop) -> bool:
        if request.what == "run on":
            run_on(current, branch, stop)
        else:
            made_again(current, branch, stop)
        return True

    try:
        is_there = request.what != "run on" and branch.run is not None
        done = is_there or found_below(current.run, branch.name, request, work)
    except (ValueError, bc.EngineError) as error:
        BRANCH.set(None)
        complaint(f"{branch.name.capitalize()} cannot be computed: {error}.")
        return
    if done:
        # A run whose memory was freed in the meantime is requested again.
        BRANCH.set(None if shown(current, request) else replace(request))
        st.rerun()


def shown(current: Lab, request: BranchRequest) -> bool:
    """Show the requested run; False if its memory has been freed in the meantime."""
    if request.what == "turn":
        return current.turn(request.branch, request.branch.position)
    if request.what == "run on":
        # The stage also draws the parent of the run it shows.
        return current.show(current.branches.shown)
    if request.what == "beside":
        is_shown = request.branch.run is not None
        show_beside(current, request.branch, request.at)
    else:
        is_shown = current.show(request.branch)
    current.branches.called = current.number
    return is_shown


def curves(current: Lab) -> None:
    """The bounds of all runs on one axis, or one message in each of them."""
    what, over = st.columns(2)
    axis: Axis = over.segmented_control(
        "Axis", list(TITLES), format_func=TITLES.__getitem__, default="sweeps", key="fork_axis", required=True
    )
    shown: Measure | None = what.selectbox(
        "Drawn", [None, *MEASURES], format_func=lambda each: MEASURES[each] if each else "bounds", key="fork_drawn"
    )
    if axis in _CLOCKED:
        about = tuple(int(branch.look().events[-1]) for branch in current.branches)
        measured = found_below(current.run, "work and seconds", about, lambda _, stop: measure(current, stop))
        if measured is None:
            return
    known = {branch: drawn(branch, axis) for branch in current.branches if is_drawn(branch, axis)}
    if shown is None:
        bounds(current, known, axis)
    else:
        one_message(current, known, axis, shown)
    if len(known) < len(current.branches):
        st.caption("Runs whose memory was freed have not been measured; show them on the stage to draw them here.")


def drawn(branch: Branch, axis: Axis) -> Drawn:
    """A run in a figure."""
    return Drawn(branch.name, branch.look(), branch.begins(axis))


def bounds(current: Lab, known: dict[Branch, Drawn], axis: Axis) -> None:
    """The bounds of the runs."""
    st.plotly_chart(
        plot_forks(known.values(), axis),
        key="forks-curves",
        config=picture(run_file(current, "forks")),
        height=340,
        alt="The lower and the upper bound of every run, each from where it forked",
    )
    st.caption("Solid: lower bounds; dotted: upper bounds. Each fork begins where it left its parent.")


def one_message(current: Lab, known: dict[Branch, Drawn], axis: Axis, shown: Measure) -> None:
    """The message selected on the stage, followed through the runs."""
    run, labels = current.run, current.run.engine.partition.labels
    if not len(run.engine.graph.edges):
        st.caption("All variables are in one group, so there are no messages.")
        return
    about = (run.arc, *(int(branch.look().events[-1]) for branch in current.branches))
    found = found_below(run, "the message in all runs", about, lambda _, stop: pasts(current, stop))
    if found is None:
        return
    seen = {branch: past for branch, past in found.items() if branch in known}
    st.plotly_chart(
        plot_message([(known[branch], past) for branch, past in seen.items()], axis, shown),
        key="forks-message",
        config=picture(run_file(current, f"forks_message-{run.arc}")),
        height=340,
        alt=f"The {MEASURES[shown]} in every run, each from where it forked",
    )
    p, q = run.engine.graph.ends(run.arc)
    named = f"{label(labels[q])} → {label(labels[p])}"
    st.caption(f"Message {named}, selected on the stage, at up to {POINTS} events of each run.")
    if len(seen) < len(known):
        st.caption("Runs without this message, and runs whose memory was freed, are left out.")


def is_drawn(branch: Branch, axis: Axis) -> bool:
    """Whether a run and all its ancestors have values on an axis."""
    return branch.look().has(axis) and (branch.parent is None or is_drawn(branch.parent, axis))
