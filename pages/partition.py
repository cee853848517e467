"""Partition: cut the model into hyper-variables, see what that will cost, compare strategies, and edit by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

import bender_core as bc
from bender_core.groups import LARGEST_GROUP, Partition, merge, move, split, split_by_coupling
from bender_core.strategies import applicable, default_strategy
from bender_core.units import duration, storage
from bender_core.variants import SCHEDULES
from bender_core.visualization.figures import MOST_EDGES_BELOW, plot_model, plot_partition
from pages._shared.clicks import clicked_point
from pages._shared.comparing import Comparing
from pages._shared.cutting import Costing, Cutting
from pages._shared.draft import Cut, Draft
from pages._shared.glossary import GLOSSARY
from pages._shared.naming import file_name, picture
from pages._shared.remembered import (
    fingerprint,
    group_places,
    owners,
    variable_places,
)
from pages._shared.routing import through_app
from pages._shared.session import Lab, lab
from pages._shared.text import complaint, label, paragraph, paragraphs, table

WORDS = {
    "auto": "auto: try them all for a moment, take the best bound",
    "groups": "by kind (the paper's): one kind of variable a group",
    "greedy": "greedy: grow by the strongest coupling",
    "refined": "refined: grow by what matters, then exchange",
    "layers": "layers: level by level, a chain where it can",
    "blocks": "blocks: compact tiles of the drawing",
    "community": "community: what is strongly coupled among itself",
    "random": "random: by lot, to compare with",
    "singletons": "singletons: every variable alone",
    "manual": "by hand",
}
HALVES = {"coupling": "by coupling: cut as little as can be found", "order": "in the order of its members"}
COMPARED_M = (4, 8, 12)
# What is drawn as one figure, and edited by hand, at most; more would not be told apart.
MOST_DRAWN = 1000
MOST_GROUPS_LISTED = 200
PICTURE_HEIGHT = 430
TELL_SECONDS = 0.4


# -- the cut on the table -------------------------------------------------------------------------------------


def draft(current: Lab) -> Draft:
    """The cut on the table; the run's own until something is changed."""
    state = st.session_state
    if "draft" not in state or state.draft.number != current.number:
        state.draft = Draft(current.number, Cut(current.partition, current.max_size))
        for work in ("cutting", "costing"):
            if work in state:
                state[work].stop()
        state.cutting, state.costing = Cutting(current.mrf), Costing(current.mrf, current.account)
        state.move_variable = None
        most = current.mrf.n
        state.choices = {
            "cut_size": current.max_size,
            "cut_strategy": current.partition.strategy,
            "cut_variant": current.variant,
            "cut_schedule": current.schedule,
            "compare_sizes": [m for m in COMPARED_M if m <= most] or [max(min(most, LARGEST_GROUP), 1)],
            "compare_sweeps": 10,
        }
        state.update(state.choices)
    # Streamlit forgets the widgets of a page that is left.
    for key, value in state.choices.items():
        state.setdefault(key, value)
    state.setdefault("move_variable", None)
    kept: Draft = state.draft
    agree(current, kept)
    return kept


def agree(current: Lab, on_table: Draft) -> None:
    """Cut anew if the boxes ask for it, and let them say what is on the table.

    This is no callback of theirs: Streamlit drops one midway when the next press arrives, here it is only put off.
    """
    asked = st.session_state.cut_size, st.session_state.cut_strategy
    if asked not in (on_table.told.choice, on_table.now.choice):
        recut(current, on_table, *asked)
    elif on_table.wanted is not None:
        give_up(on_table)
    if on_table.wanted is not None:
        return
    choose(*on_table.now.choice)
    if on_table.now is not on_table.told:
        pick(on_table.now.part, st.session_state.move_variable)
        on_table.told = on_table.now


def change(on_table: Draft, make: Callable[[], Cut]) -> None:
    """Put another cut on the table, so that it can be undone; if it cannot be made, say why."""
    try:
        on_table.put(make())
        on_table.error = ""
    except bc.PartitionError as error:
        on_table.error = str(error)


def go(on_table: Draft, step: Callable[[Draft], None]) -> None:
    """Undo or redo."""
    step(on_table)
    on_table.error = ""


def pick(part: Partition, variable: int | None) -> None:
    """Choose a variable to be moved, and its group to be merged or split."""
    fill("move_variable", variable)
    if variable is not None:
        mine = numbered(part)[part.group_of()[variable]]
        fill("merge_first", mine)
        fill("split_group", mine)


def fill(box: str, value: object) -> None:
    """Let a box say something else; one that is told what it says loses what is pressed in the meantime."""
    if st.session_state.get(box) != value:
        st.session_state[box] = value


def choose(max_size: int, strategy: str) -> None:
    """Let the boxes ask for a cut."""
    fill("cut_size", max_size)
    fill("cut_strategy", strategy)


def recut(current: Lab, on_table: Draft, max_size: int, strategy: str) -> None:
    """Put a cut by a strategy on the table; one that takes long when it is made."""
    cutting: Cutting = st.session_state.cutting
    wanted = max_size, default_strategy(current.mrf) if strategy == "manual" else strategy
    if wanted != on_table.wanted:
        cutting.ask([wanted])
    # Asked once, and before the cut is looked for: it may be made while the page is drawn.
    going = cutting.busy
    on_table.wanted = None
    if wanted in cutting.parts:
        change(on_table, lambda: Cut(cutting.parts[wanted], max_size))
    elif wanted in cutting.errors:
        on_table.error = cutting.errors[wanted]
    elif going:
        on_table.wanted = wanted


def give_up(on_table: Draft) -> None:
    """Leave the cut on the table that is there."""
    st.session_state.cutting.stop()
    on_table.wanted = None
    choose(*on_table.now.choice)


def being_cut(on_table: Draft) -> None:
    """What is being made."""
    cutting: Cutting = st.session_state.cutting
    if not cutting.busy:
        st.rerun()
    st.caption(f"{cutting.doing}…")


def use(current: Lab, on_table: Draft) -> None:
    state = st.session_state
    part, max_size = on_table.now
    try:
        current.cut(part, max_size, state.cut_variant, state.cut_schedule)
    except (bc.TooLargeError, bc.PartitionError) as error:
        on_table.error = str(error)
    else:
        state.to_watch = True


# -- the left side: choices and their cost --------------------------------------------------------------------


def choices(current: Lab, part: Partition) -> None:
    state = st.session_state
    st.slider("M: variables a group may hold", 1, LARGEST_GROUP, key="cut_size", help=GLOSSARY["M"])
    st.selectbox(
        "Strategy",
        applicable(current.mrf) + (["manual"] if part.strategy == "manual" else []),
        format_func=WORDS.__getitem__,
        key="cut_strategy",
        help=GLOSSARY["partition"],
    )
    st.selectbox(
        "Variant",
        list(bc.VARIANTS),
        format_func=lambda v: f"{v}: {bc.VARIANTS[v].name}",
        key="cut_variant",
        help=bc.VARIANTS[state.cut_variant].sentence,
    )
    st.segmented_control(
        "Schedule", list(SCHEDULES), key="cut_schedule", required=True, help=SCHEDULES[state.cut_schedule]
    )


def cost(current: Lab, part: Partition) -> bool:
    """What the choice will take and keep, as far as it is known; returns whether it fits, as far as that is known."""
    costing: Costing = st.session_state.costing
    costing.ask(part, st.session_state.cut_variant, st.session_state.cut_schedule)
    # Asked once: it may be known while the page is drawn.
    going = costing.busy
    found, limit = costing.cost, current.account.limit
    if going:
        st.fragment(costed, run_every=TELL_SECONDS)(costing)
    if found is None:
        table(["", ""], [["groups", _sizes(part)]])
        return True
    kept, expected = found.kept, found.expected
    rows = [
        ["groups", _sizes(part)],
        ["hyper-edges", f"{kept.hyper_edges}"],
        ["cycles left", f"{kept.cycles}" + (" (a forest: the bound will be exact)" if kept.cycles == 0 else "")],
        ["kept\u00a0together", f"{_percent(kept.inside)} in groups, {_percent(kept.held)} with a forest"],
    ]
    if expected is not None:
        memory = f"{storage(expected.least)} to begin, about {storage(expected.bytes)} in all, of {storage(limit)}"
        seconds = f"about {duration(expected.seconds_per_sweep)}" + ", from a short trial" * found.tried
        rows += [["memory", memory], ["time\u00a0a\u00a0sweep", seconds]]
    table(["", ""], rows)
    if expected is None or expected.least <= limit:
        return True
    advice = f" M = {found.fits} would fit." if found.fits else " Cut it into smaller groups."
    complaint(f"This choice needs {storage(expected.least)}, more than the limit of {storage(limit)}.{advice}")
    if found.fits:
        st.button(f"Take M = {found.fits}", on_click=fill, args=("cut_size", found.fits))
    return False


def costed(costing: Costing) -> None:
    """Nothing, until what is being worked out is known."""
    if not costing.busy:
        st.rerun()
    st.caption("Working out what this choice costs…")


def _sizes(part: Partition) -> str:
    return f"{len(part)}, the largest with {part.max_size} variables ({1 << part.max_size:,} states)"


# -- the right side: drawings, groups, and editing ------------------------------------------------------------


def draw_groups(current: Lab, part: Partition, model: str) -> None:
    """The hyper-graph; a click picks a group by its first variable."""
    if len(part) > MOST_DRAWN:
        st.caption(f"{len(part):,} groups are too many to draw (more than {MOST_DRAWN:,}).")
        return

    def clicked() -> None:
        point = clicked_point("hypergraph")
        if point is not None:
            pick(part, int(part.groups[point["point_index"]][0]))

    variable = st.session_state.move_variable
    picked = None if variable is None else int(part.group_of()[variable])
    st.plotly_chart(
        plot_partition(current.mrf, part, picked, group_places(model, owners(part), current.mrf, part)),
        height=PICTURE_HEIGHT,
        config=picture_of(current, part, "groups"),
        key="hypergraph",
        alt=f"{len(part)} groups, joined by a line where they are coupled; the tab Groups lists them",
        on_select=clicked,
        selection_mode="points",
    )
    st.caption(
        "Circles are groups, larger with more members; lines join groups that are coupled. Click one to edit it."
    )


def picture_of(current: Lab, part: Partition, what: str) -> dict[str, Any]:
    """The name under which a drawing of the cut on the table is saved."""
    return picture(file_name(current.mrf.name, f"M{st.session_state.cut_size}", part.strategy, what))


def draw_variables(current: Lab, part: Partition, model: str) -> None:
    """The variables with the groups as hulls; a click picks a variable."""
    if current.mrf.n > MOST_DRAWN:
        st.caption(f"{current.mrf.n:,} variables are too many to draw (more than {MOST_DRAWN:,}).")
        return

    def clicked() -> None:
        point = clicked_point("variables")
        if point is not None:
            pick(part, point["point_index"])

    st.plotly_chart(
        plot_model(current.mrf, part, st.session_state.move_variable, variable_places(model, current.mrf)),
        height=PICTURE_HEIGHT,
        config=picture_of(current, part, "variables"),
        key="variables",
        alt=f"{current.mrf.n} variables, those of a group in one colour; the tab Groups lists them",
        on_select=clicked,
        selection_mode="points",
    )
    few = f" The {MOST_EDGES_BELOW} strongest couplings are drawn." * (current.mrf.n_edges > MOST_EDGES_BELOW)
    st.caption(f"Circles are variables, coloured, shaped and outlined by group. Click one to edit its group.{few}")


def list_groups(current: Lab, part: Partition) -> None:
    listed = list(zip(part.labels, part.groups, strict=True))[:MOST_GROUPS_LISTED]
    with st.container(height=PICTURE_HEIGHT, border=False):
        paragraphs(f"{label(name)}: {', '.join(label(current.mrf.names[i]) for i in group)}" for name, group in listed)
        if len(part) > len(listed):
            st.caption(f"… and {len(part) - len(listed):,} more groups")


def numbered(part: Partition) -> list[str]:
    """The groups as a select box lists them; numbers keep equal names apart."""
    return [f"{k + 1}. {label(name)}" for k, name in enumerate(part.labels)]


def by_hand(current: Lab, on_table: Draft) -> None:
    """Move, merge and split, in a row each."""
    part, max_size = on_table.now
    names = current.mrf.names
    if len(names) > MOST_DRAWN:
        st.caption(f"Groups are edited by hand in models of up to {MOST_DRAWN:,} variables.")
        return
    options = numbered(part)
    # The choices are read when a button is pressed, not when it was drawn.
    state = st.session_state

    def group_box(place: st.delta_generator.DeltaGenerator, title: str, key: str, index: int = 0) -> None:
        place.selectbox(title, options, min(index, len(options) - 1), key=key)

    def group(text: str) -> int:
        if text not in options:
            raise bc.PartitionError(f"there is no group {text!r} any more; choose one of those listed")
        return options.index(text)

    def moved() -> Partition:
        if state.move_variable is None:
            raise bc.PartitionError("no variable is chosen; click one in the drawing or choose it from the list")
        return move(part, state.move_variable, group(state.move_target))

    def merged() -> Partition:
        return merge(part, group(state.merge_first), group(state.merge_second))

    def halved() -> Partition:
        which = group(state.split_group)
        return split_by_coupling(current.mrf, part, which) if state.split_by == "coupling" else split(part, which)

    def action(place: st.delta_generator.DeltaGenerator, name: str, edited: Callable[[], Partition]) -> None:
        place.button(name, on_click=change, args=(on_table, lambda: Cut(edited(), max_size)), width="stretch")

    st.caption("Edit the groups by hand: click in the drawing, or choose here.")
    moving, merging, splitting = st.tabs(["Move", "Merge", "Split"])
    with moving:
        what, to, press = st.columns([4, 4, 2], vertical_alignment="bottom")
        what.selectbox(
            "Variable",
            range(len(names)),
            format_func=lambda variable: label(names[variable]),
            key="move_variable",
            placeholder="none chosen",
            on_change=lambda: pick(part, state.move_variable),
        )
        group_box(to, "to group", "move_target")
        action(press, "Move", moved)
    with merging:
        what, to, press = st.columns([4, 4, 2], vertical_alignment="bottom")
        group_box(what, "Group", "merge_first")
        group_box(to, "with group", "merge_second", 1)
        action(press, "Merge", merged)
    with splitting:
        what, to, press = st.columns([4, 4, 2], vertical_alignment="bottom")
        group_box(what, "Group", "split_group")
        to.selectbox("into halves", list(HALVES), format_func=HALVES.__getitem__, key="split_by")
        action(press, "Split", halved)


# -- the right side: strategies compared ----------------------------------------------------------------------


def compared(current: Lab, model: str) -> Comparing:
    """The comparison that is asked for; another choice starts another."""
    state = st.session_state
    asked = (model, tuple(sorted(state.compare_sizes)), state.cut_variant, state.cut_schedule)
    if state.get("compared") != asked:
        if "comparing" in state:
            state.comparing.stop()
        state.compared = asked
        state.comparing = Comparing(current.mrf, *asked[1:])
        state.comparing.predict()
    kept: Comparing = state.comparing
    return kept


def compare(current: Lab, model: str) -> None:
    """All strategies at some M: what they cost, what they keep, and on request what bound they reach."""
    state = st.session_state
    left, middle, right = st.columns([5, 2, 3], vertical_alignment="bottom")
    left.multiselect("Values of M", range(1, LARGEST_GROUP + 1), key="compare_sizes")
    comparing = compared(current, model)
    # Asked once: the work may end while the page is drawn.
    going = comparing.busy
    sweeps = middle.number_input("Sweeps", 1, 400, key="compare_sweeps", help=GLOSSARY["sweep"])
    right.button(
        f"Bound after {_sweeps(sweeps)}",
        on_click=lambda: comparing.bound(state.compare_sweeps),
        disabled=going or not comparing.complete or not comparing.rows,
        width="stretch",
    )
    if going:
        # Outside of what is told again and again: a press is answered at once.
        st.button("Stop", on_click=comparing.stop)
        st.fragment(working, run_every=TELL_SECONDS)(comparing)
        return
    if not comparing.complete:
        st.button("Go on", on_click=comparing.predict, help="Not all cuts were made")
    action = st.empty()
    chosen = comparison_table(comparing)
    action.button(
        "Use" if chosen is None else f"Use {chosen.strategy} with M {chosen.max_size}",
        disabled=chosen is None,
        on_click=lambda: chosen and choose(chosen.max_size, chosen.strategy),
    )
    st.caption(
        "Choose a row by its box, or with shift + space; a click on a column's head sorts. Kept: the share of the "
        "coupling that matters inside groups or on a forest between them. ★: the best of all rows in what is named. "
        + (
            f"Bound: after {_sweeps(comparing.sweeps)} by {comparing.schedule}; higher is better."
            * bool(comparing.sweeps)
        )
    )


def working(comparing: Comparing) -> None:
    """How far the comparison is."""
    if not comparing.busy:
        st.rerun()
    st.progress(comparing.share, comparing.doing or "beginning")
    comparison_table(comparing, selectable=False)


def comparison_table(comparing: Comparing, selectable: bool = True) -> bc.Comparison | None:
    """The rows so far; returns the one chosen."""
    rows, column = list(comparing.rows), st.column_config
    shown = {
        "strategy": [row.strategy for row in rows],
        "M": [row.max_size for row in rows],
        "ms a sweep": [1000 * row.seconds_per_sweep for row in rows],
        "MB": [row.bytes / 2**20 for row in rows],
        "groups": [row.groups for row in rows],
        "cycles left": [row.cycles for row in rows],
        "kept": [100 * row.held for row in rows],
    }
    if comparing.sweeps:
        shown["bound"] = [row.lower_bound for row in rows]
    shown["remarks"] = remarks(rows)
    picked = st.dataframe(
        shown,
        column_config={
            "strategy": column.TextColumn(width=90),
            "M": column.NumberColumn(width=45),
            "ms a sweep": column.NumberColumn(width=90, format="%.3g", help="Predicted, on this machine"),
            "MB": column.NumberColumn(width=65, format="%.3g", help="Predicted memory of a run"),
            "groups": column.NumberColumn(width=65),
            "cycles left": column.NumberColumn(width=85, help="Independent cycles of the hyper-graph; 0 is a forest"),
            "kept": column.NumberColumn(width=60, format="%.0f %%", help="Inside groups or on a forest between them"),
            "bound": column.NumberColumn(width=85, format="%.6g", help="Energy; none where a run would not fit"),
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
    chosen = picked.selection.rows if selectable else []
    return rows[chosen[0]] if chosen and chosen[0] < len(rows) else None


def remarks(rows: Sequence[bc.Comparison]) -> list[str]:
    """For every row what it is best in, in words, or that it would not fit."""
    limit = lab().account.limit
    # The less, the better.
    measures: dict[str, Callable[[bc.Comparison], float | None]] = {
        "bound": lambda row: None if row.lower_bound is None else -row.lower_bound,
        "time": lambda row: row.seconds_per_sweep,
        "memory": lambda row: row.bytes,
        "cycles": lambda row: row.cycles,
        "kept": lambda row: -row.held,
    }
    runnable = [row for row in rows if row.least <= limit]
    said: dict[int, list[str]] = {id(row): [] for row in rows}
    for name, measure in measures.items():
        values = [value for row in runnable if (value := measure(row)) is not None]
        # The best bound is told when all are known.
        if not values or len(values) < len(runnable) or math.isclose(min(values), max(values), rel_tol=1e-9):
            continue
        for row, value in zip(runnable, values, strict=True):
            if math.isclose(value, min(values), rel_tol=1e-9):
                said[id(row)].append(name)
    return [
        f"too large: {storage(row.least)} of {storage(limit)}"
        if row.least > limit
        else f"★ {', '.join(said[id(row)])}"
        if said[id(row)]
        else ""
        for row in rows
    ]


def _sweeps(count: int) -> str:
    return "1 sweep" if count == 1 else f"{count} sweeps"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def show(current: Lab) -> None:
    """The page."""
    on_table, model = draft(current), fingerprint(current.mrf)
    part = on_table.now.part
    left, right = st.columns([4, 8], gap="large")
    with left:
        if on_table.error:
            complaint(on_table.error)
        choices(current, part)
        start, back, again = st.columns([2, 1, 1], gap="small")
        if on_table.wanted is not None:
            st.button("Stop", on_click=give_up, args=(on_table,))
            st.fragment(being_cut, run_every=TELL_SECONDS)(on_table)
        fits = cost(current, part)
        paragraph(part.reason.replace(" %", "\u00a0%"))
        start.button(
            "Cut and watch",
            type="primary",
            disabled=not fits or on_table.wanted is not None,
            on_click=use,
            args=(current, on_table),
            width="stretch",
        )
        back.button("Undo", disabled=not on_table.past, on_click=go, args=(on_table, Draft.undo), width="stretch")
        again.button("Redo", disabled=not on_table.future, on_click=go, args=(on_table, Draft.redo), width="stretch")
    with right:
        graph, variables, listing, comparison = st.tabs(
            ["Hyper-variables", "Variables", "Groups", "Compare strategies"], key="cut_view", on_change="rerun"
        )
        with graph:
            if graph.open:
                draw_groups(current, part, model)
        with variables:
            if variables.open:
                draw_variables(current, part, model)
        with listing:
            if listing.open:
                list_groups(current, part)
        with comparison:
            if comparison.open:
                compare(current, model)
        if not comparison.open:
            by_hand(current, on_table)
    state = st.session_state
    state.choices = {key: state[key] for key in state.choices}


through_app()
if st.session_state.pop("to_watch", False):
    st.switch_page("pages/watch.py")
show(lab())
