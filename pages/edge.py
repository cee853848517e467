"""Edge: one message in one direction, its envelope, the rows that make it, and what another row would do."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core.run.explain import number
from bender_core.run.rows import Row, row_values
from bender_core.visualization.message import (
    CUT_NAMES,
    ORDERS,
    Message,
    couplings,
    message,
    plot_couplings_between,
    plot_message,
    plot_slack_histogram,
    plot_slack_history,
    plot_terms,
    plot_what_if,
    row_uses,
    slack_history,
)
from pages._shared.clicks import clicked_point
from pages._shared.glossary import GLOSSARY
from pages._shared.naming import picture, run_file
from pages._shared.routing import through_app
from pages._shared.session import Lab, lab
from pages._shared.text import label, labels, paragraph, table

LOOKS = ("What if", "Row anatomy", "Slack over time", "Histogram")
# The slack over time is looked at after so many events at most, and for so many seconds.
HISTORY_POINTS, HISTORY_SECONDS = 40, 1.5


STEPS: tuple[tuple[bc.Grain, bool], ...] = (
    ("sweep", True),
    ("node", True),
    ("row", True),
    ("row", False),
    ("node", False),
    ("sweep", False),
)


def choose(current: Lab) -> tuple[int, int]:
    """Which message, and where the run stands; returns receiver and sender."""
    run, names = current.run, [label(name) for name in current.partition.labels]
    ends = [run.engine.graph.ends(arc) for arc in range(2 * len(run.engine.graph.edges))]

    def picked() -> None:
        run.arc = st.session_state.edge_arc

    def flip() -> None:
        run.arc ^= 1

    st.session_state.edge_arc = run.arc
    which, turn, *steps = st.columns([5, 1, *[1.3] * len(STEPS)], vertical_alignment="bottom")
    which.selectbox(
        "Message",
        range(len(ends)),
        format_func=lambda arc: f"{names[ends[arc][1]]} → {names[ends[arc][0]]}",
        key="edge_arc",
        on_change=picked,
        help=GLOSSARY["message"],
    )
    turn.button("⇄", help="Show the message in the other direction", on_click=flip, width="stretch")
    for column, (grain, backward) in zip(steps, STEPS, strict=True):
        column.button(
            f"◀ {grain}" if backward else f"{grain} ▶",
            key=f"edge-{grain}-{backward}",
            on_click=run.step,
            args=(grain, backward),
            disabled=run.position == 0 if backward else run.engine.finished,
            width="stretch",
        )
    return ends[run.arc]


def row_list(current: Lab, p: int, q: int, shown: Message) -> list[Row]:
    """The rows of the message in a table; returns those chosen."""
    engine, part = current.run.engine, current.partition
    uses = row_uses(engine, p, q, shown)[::-1]
    if not uses:
        st.caption("An exact variant keeps no rows: the envelope is the min-marginal itself.")
        return []
    picked = st.dataframe(
        {
            "row": [use.row.index for use in uses],
            "kind": [CUT_NAMES[use.row.kind] for use in uses],
            "born at event": [use.row.born + 1 if use.row.born >= 0 else 0 for use in uses],
            "made for": [label(part.labels[use.row.made_for]) for use in uses],
            "at y*": [part.describe(use.row.made_for, use.row.anchor) for use in uses],
            "intercept β⁰": [use.row.intercept for use in uses],
            "is the envelope at": [use.maximal for use in uses],
            "tight at y*": [use.tight for use in uses],
        },
        column_config={
            "row": st.column_config.NumberColumn(help=GLOSSARY["Benders row"]),
            "kind": st.column_config.TextColumn(help=GLOSSARY["cut"]),
            "born at event": st.column_config.NumberColumn(help="0: one of the initial rows"),
            "made for": st.column_config.TextColumn(help="The group at whose state y* the row was made"),
            "intercept β⁰": st.column_config.NumberColumn(format="%.5g", help="At the present messages; energy"),
            "is the envelope at": st.column_config.NumberColumn(format="percent", help="Share of the states"),
            "tight at y*": st.column_config.CheckboxColumn(
                help="Whether it still equals the truth there, in the direction it was made for"
            ),
        },
        on_select="rerun",
        selection_mode="multi-row",
        hide_index=True,
        height=250,
        key=f"edge-rows-{current.number}-{current.run.arc}",
    )
    return [uses[k].row for k in picked.selection.rows if k < len(uses)]


def state_chosen(current: Lab, shown: Message) -> int:
    """The state that what-if looks at: the one clicked or typed, at first y*."""
    key = f"edge-state-{current.number}-{current.run.arc}"
    clicked = st.session_state.get("edge_clicked")
    if clicked is not None:
        st.session_state[key] = clicked
        st.session_state.edge_clicked = None
    st.session_state.setdefault(key, shown.minimiser)
    state: int = st.number_input(
        f"State of the receiver: click it in the figure, or type its code, 0 to {len(shown.nu) - 1}",
        min_value=0,
        max_value=len(shown.nu) - 1,
        key=key,
    )
    return state


def picture_of(current: Lab, what: str) -> dict[str, Any]:
    """The name under which a figure about the message is saved."""
    return picture(run_file(current, f"message-{current.run.arc}_{what}"))


def what_if(current: Lab, p: int, q: int, shown: Message, order: str) -> None:
    engine, part = current.run.engine, current.partition
    state = state_chosen(current, shown)
    cuts = bc.what_if(engine, p, q, state)
    slack = float(shown.slack[state])
    paragraph(
        f"At {part.describe(p, state)} the truth is {number(float(shown.nu[state]))} and the envelope "
        + (f"{number(slack)} below it. Every row here would close that:" if slack > 0 else "equals it already.")
    )
    st.plotly_chart(
        plot_what_if(shown, cuts, state, order),
        key="edge-what-if",
        config=picture_of(current, "what-if"),
        height=300,
        alt="The four rows over the states; the table has their numbers",
    )
    table(
        ["row", "mean looseness", "lifts the envelope by", "pivots", "µs"],
        [
            [CUT_NAMES[cut.kind], number(cut.looseness), number(cut.lift), f"{cut.pivots}", f"{1e6 * cut.seconds:.1f}"]
            for cut in cuts
        ],
    )
    st.caption(
        "Looseness: how far the row alone lies below ν, over all states. Lift: how much the envelope would rise, over "
        "all states. The run is not touched."
    )


def anatomy(current: Lab, p: int, q: int, chosen: list[Row]) -> None:
    engine, part = current.run.engine, current.partition
    receiving, sending = (labels([engine.mrf.names[i] for i in part.groups[group]]) for group in (p, q))
    rows = chosen or engine.rows(p, q)[-1:]
    for row in rows[:1]:
        paragraph(
            f"Row {row.index}, {CUT_NAMES[row.kind]}: ν ≥ {number(row.intercept)} − Σ u. "
            + ("" if chosen else "It is the youngest; choose others in the table.")
        )
        st.plotly_chart(
            plot_terms(row.u, receiving, "u"),
            key="edge-u",
            config=picture_of(current, "row-u"),
            height=190,
            alt=f"Terms u of row {row.index}, a bar for each receiving member",
        )
        st.plotly_chart(
            plot_terms(row.v, sending, "v"),
            key="edge-v",
            config=picture_of(current, "row-v"),
            height=190,
            alt=f"Terms v of row {row.index}, a bar for each sending member",
        )
    st.caption("The couplings that the row splits between u and v; the values written there are those that pay:")
    st.plotly_chart(
        plot_couplings_between(couplings(engine.graph, p, q), receiving, sending),
        key="edge-theta",
        config=picture_of(current, "couplings"),
        height=260,
        alt="Couplings between the two groups, those that pay written out",
    )


def over_time(current: Lab, p: int, q: int) -> None:
    run = current.run
    history = slack_history(run.engine, p, q, HISTORY_POINTS, HISTORY_SECONDS)
    st.plotly_chart(
        plot_slack_history(history, run.position),
        key="edge-history",
        config=picture_of(current, "slack"),
        height=320,
        alt="Mean and largest slack over the events of the run",
    )
    st.caption(
        "Mean and largest slack over all states, at events spread over the run. The dotted line is where it stands."
    )
    if not history.complete:
        st.caption("Only the beginning: to look at all of this run would take too long.")


def show() -> None:
    current = lab()
    run = current.run
    settled = run.settle()
    st.session_state.setdefault("edge_order", "nu")
    st.session_state.setdefault("edge_look", LOOKS[0])
    # Streamlit forgets the widgets of a page that is left.
    st.session_state.edge_order, st.session_state.edge_look = st.session_state.edge_order, st.session_state.edge_look
    if not settled:
        st.info("The run is going on in the background. Stop it on Watch, or wait for its end, to look into a message.")
        return
    if not len(run.engine.graph.edges):
        st.info("All variables are in one group: there is no message. Choose a smaller M on Partition.")
        return
    run.engine.seek(run.position)
    p, q = choose(current)
    left, right = st.columns([6, 5])
    with left:
        order: str = st.segmented_control(
            "Order of the states",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            key="edge_order",
            required=True,
            label_visibility="collapsed",
        )
        shown = message(run.engine, p, q, order)
        picture = st.container()
        chosen = row_list(current, p, q, shown)
        with picture:
            draw(current, p, shown, order, chosen)
    with right:
        looks(current, p, q, shown, order, chosen)


@st.fragment
def looks(current: Lab, p: int, q: int, shown: Message, order: str, chosen: list[Row]) -> None:
    """One of several closer looks; what is chosen in it does not make the page anew."""
    current.run.engine.seek(current.run.position)
    look = st.segmented_control("Look at", LOOKS, key="edge_look", required=True, label_visibility="collapsed")
    if look == "What if":
        what_if(current, p, q, shown, order)
    elif look == "Row anatomy":
        anatomy(current, p, q, chosen)
    elif look == "Slack over time":
        over_time(current, p, q)
    else:
        st.plotly_chart(
            plot_slack_histogram(shown),
            key="edge-histogram",
            config=picture_of(current, "histogram"),
            height=320,
            alt="How many states have how much slack",
        )
        st.caption("How many states have how much slack; the bar at 0 counts those where the envelope is tight.")


def draw(current: Lab, p: int, shown: Message, order: str, chosen: list[Row]) -> None:
    """The message itself; a click on a state chooses it."""
    names = [current.partition.describe(p, int(y)) for y in shown.shown]
    overlay = {f"row {row.index}, {CUT_NAMES[row.kind]}": row_values(row) for row in chosen}
    key = f"edge-message-{current.number}-{current.run.arc}"

    def clicked() -> None:
        point = clicked_point(key)
        if point is not None:
            st.session_state.edge_clicked = int(shown.shown[min(int(point["x"]), len(shown.shown) - 1)])

    st.plotly_chart(
        plot_message(shown, names, order, overlay),
        key=key,
        config=picture_of(current, order),
        on_select=clicked,
        selection_mode="points",
        height=340,
        alt=f"The min-marginal and the envelope below it over {len(shown.shown)} states",
    )
    engine, slack = current.run.engine, shown.slack
    rows = np.count_nonzero(engine.row_edges() == current.run.arc // 2)
    st.caption(
        f"Sweep {engine.sweep + 1}, event {current.run.position}: the true min-marginal ν and below it the envelope "
        f"ν⁻ of {rows} rows. Shaded: slack, on average {number(float(slack.mean()))}. Squares: no slack."
    )


through_app()
show()
